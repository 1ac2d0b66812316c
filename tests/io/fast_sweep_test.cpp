// --sweep fast against every frequency solved.
#include <algorithm>
#include <filesystem>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "io/deck/deck.h"
#include "mom/solve.h"

namespace thinwire {
namespace {
namespace fs = std::filesystem;

Problem problem_of(const std::string& text) {
  std::vector<std::string> warnings;
  return read_deck(text, "t.nec", warnings);
}

Solution solved(const Problem& problem, SweepChoice sweep, Options options = {}) {
  options.mesh = MeshChoice::as_given;
  options.sweep = sweep;
  return solve(problem, options);
}

std::size_t count_solved(const Solution& solution) {
  return static_cast<std::size_t>(
      std::count_if(solution.frequencies.begin(), solution.frequencies.end(),
                    [](const FrequencyResult& r) { return !r.solver.model_error; }));
}

double relative(Complex got, Complex right) {
  return std::abs(got - right) / std::abs(right);
}

/// Largest relative difference of the ports' impedances.
double impedance_error(const Solution& fast, const Solution& full) {
  EXPECT_EQ(fast.frequencies.size(), full.frequencies.size());
  double largest = 0;
  for (std::size_t f = 0; f < full.frequencies.size(); ++f) {
    const FrequencyResult &a = fast.frequencies[f], &b = full.frequencies[f];
    EXPECT_EQ(a.frequency_hz, b.frequency_hz);
    EXPECT_EQ(a.ports.size(), b.ports.size());
    for (std::size_t p = 0; p < b.ports.size(); ++p)
      largest =
          std::max(largest, relative(a.ports[p].impedance_ohm, b.ports[p].impedance_ohm));
  }
  return largest;
}

struct Comparison {
  Solution fast, full;
  double error = 0;
};

Comparison compare(const Problem& problem, const Options& options = {}) {
  Comparison both = {solved(problem, SweepChoice::fast, options),
                     solved(problem, SweepChoice::full, options)};
  both.error = impedance_error(both.fast, both.full);
  return both;
}

const std::string yagi =
    "CE\nGW 1 9 0 -.51 0 0 .51 0 .004\nGW 2 9 .43 -.488 0 .43 .488 0 .004\n"
    "GW 3 9 .8 -.454 0 .8 .454 0 .004\nGE 0\nEX 0 2 5 0 1 0\n";

TEST(FastSweep, OfAYagiIsThatOfAllFrequencies) {
  const Comparison yagi_sweep =
      compare(problem_of(yagi + "FR 0 400 0 0 130 0.1\nXQ\nEN\n"));
  EXPECT_LE(count_solved(yagi_sweep.fast), 20U);
  EXPECT_LT(yagi_sweep.error, 1e-5);
  EXPECT_EQ(modelled_summary(yagi_sweep.full), "");
  EXPECT_TRUE(modelled_summary(yagi_sweep.fast)
                  .starts_with(fmt::format("{} of 400 frequencies were solved",
                                           count_solved(yagi_sweep.fast))));
  for (std::size_t f = 0; f < 400; ++f) {
    const FrequencyResult &fast = yagi_sweep.fast.frequencies[f],
                          &full = yagi_sweep.full.frequencies[f];
    ASSERT_NEAR(*fast.radiated_power_w / *full.radiated_power_w, 1, 1e-5) << f;
    for (std::size_t s = 0; s < 27; ++s)
      ASSERT_LT(std::abs(fast.segment_current_a[s] - full.segment_current_a[s]) /
                    std::abs(full.segment_current_a[13]),
                1e-4);
  }
}

TEST(FastSweep, SolvesTheSameWithAnyNumberOfThreads) {
  const Problem problem = problem_of(yagi + "FR 0 100 0 0 130 0.4\nXQ\nEN\n");
  Options one_thread, three_threads;
  one_thread.threads = 1;
  three_threads.threads = 3;
  const Solution one = solved(problem, SweepChoice::fast, one_thread),
                 three = solved(problem, SweepChoice::fast, three_threads);
  EXPECT_EQ(impedance_error(one, three), 0);
}

TEST(FastSweep, FindsTheResonanceOfALoopOfHighQuality) {
  // A magnetic loop with its capacitor: the quality is some thousand.
  const Comparison loop = compare(problem_of(
      "CE\nGA 1 24 .5 0 360 .011\nGE 0\nEX 0 1 1 0 1 0\n"
      "LD 0 1 12 12 0 0 250e-12\nLD 5 1 0 0 5.8e7\nFR 0 600 0 0 3 .045\nEN\n"));
  EXPECT_LE(count_solved(loop.fast), 30U);
  EXPECT_LT(loop.error, 1e-4);
}

TEST(FastSweep, HoldsForTrapsInStepsThatMultiply) {
  const Comparison traps =
      compare(problem_of("CE\nGW 1 31 0 0 -10 0 0 10 .001\nGE 0\nEX 0 1 16 0 1 0\n"
                         "LD 6 1 8 8 300 5e-6 25e-12\nLD 6 1 24 24 300 5e-6 25e-12\n"
                         "FR 1 400 0 0 1 1.0085\nEN\n"));
  EXPECT_LE(count_solved(traps.fast), 40U);
  EXPECT_LT(traps.error, 1e-4);
}

TEST(FastSweep, ComputesNetworksAtEachFrequency) {
  // A shorted stub of half a wavelength at 150 MHz, and a current source.
  const Comparison stub = compare(
      problem_of(yagi + "TL 2 5 3 5 75 .9 0 0 1e10 0\nFR 0 300 0 0 130 0.15\nXQ\nEN\n"));
  EXPECT_LE(count_solved(stub.fast), 25U);
  EXPECT_LT(stub.error, 1e-5);
}

TEST(FastSweep, HoldsOverRealGround) {
  const Comparison dipole = compare(
      problem_of("CE\nGW 1 15 0 -5 5 0 5 5 .001\nGE 0\nGN 2 0 0 0 13 .005\n"
                 "EX 0 1 8 0 1 0\nFR 0 60 0 0 13 .05\nRP 0 3 1 1000 0 0 30 0\nEN\n"));
  EXPECT_LE(count_solved(dipole.fast), 16U);
  EXPECT_LT(dipole.error, 1e-5);
  for (std::size_t f = 0; f < 60; ++f)
    for (std::size_t i = 0; i < 3; ++i)
      EXPECT_NEAR(dipole.fast.frequencies[f].patterns[0].gain_dbi[i],
                  dipole.full.frequencies[f].patterns[0].gain_dbi[i], 1e-4);
}

TEST(FastSweep, ReceivesIncidentWaves) {
  const Comparison waves =
      compare(problem_of("CE\nGW 1 15 0 0 -.5 0 0 .5 .001\nGE 0\nEX 1 2 1 0 60 0 0 30 0\n"
                         "LD 4 1 8 8 50 0\nFR 0 60 0 0 100 2\nXQ\nEN\n"));
  EXPECT_LT(count_solved(waves.fast), 60U);  // two results at each frequency
  for (std::size_t i = 0; i < waves.full.frequencies.size(); ++i) {
    const auto &fast = waves.fast.frequencies[i], &full = waves.full.frequencies[i];
    ASSERT_EQ(fast.wave->theta_deg, full.wave->theta_deg);
    ASSERT_LT(relative(fast.segment_current_a[7], full.segment_current_a[7]), 1e-5);
  }
}

TEST(FastSweep, TakesIterativeSolutions) {
  Options options;
  options.solver = SolverChoice::gmres;
  options.tolerance = 1e-8;
  const Comparison yagi_sweep =
      compare(problem_of(yagi + "FR 0 200 0 0 130 0.2\nXQ\nEN\n"), options);
  EXPECT_LE(count_solved(yagi_sweep.fast), 30U);
  EXPECT_LT(yagi_sweep.error, 1e-4);
}

TEST(FastSweep, KeepsOrderAndRunsApart) {
  // Falling frequencies; then another source; then a single frequency.
  const Problem problem = problem_of(yagi + "FR 0 100 0 0 150 -0.2\nXQ\n" +
                                     "EX 0 1 5 0 1 0\nFR 0 100 0 0 130 .2\nXQ\n"
                                     "FR 0 1 0 0 145 0\nXQ\nEN\n");
  const Comparison runs = compare(problem);
  EXPECT_EQ(runs.fast.frequencies.size(), 201U);
  EXPECT_LT(runs.error, 1e-5);
  EXPECT_FALSE(runs.fast.frequencies.back().solver.model_error);
}

TEST(FastSweep, KeepsTheMatrixOfTheLastFrequency) {
  const Problem problem = problem_of(yagi + "FR 0 60 0 0 130 0.2\nXQ\nEN\n");
  Options keeping;
  keeping.save_matrix = true;
  EXPECT_EQ(solved(problem, SweepChoice::fast, keeping).impedance_matrix_ohm,
            solved(problem, SweepChoice::full, keeping).impedance_matrix_ohm);
}

/// Decks of others that are kept beside the project; every deck of one structure with
/// sources and at most 150 segments is swept around its own first frequency. In parts:
/// the parameter is the first deck's number.
constexpr int parts = 3;
class FastSweepOfDecks : public ::testing::TestWithParam<int> {};

TEST_P(FastSweepOfDecks, OfOthers) {
  const fs::path decks = fs::path(THINWIRE_SOURCE_DIR).parent_path() / "shared/decks";
  if (!fs::exists(decks)) GTEST_SKIP() << "no " << decks.string();
  std::vector<fs::path> files;
  for (const auto& file : fs::recursive_directory_iterator(decks))
    if (file.path().extension() == ".nec" || file.path().extension() == ".deck")
      files.push_back(file.path());
  std::sort(files.begin(), files.end());
  std::size_t count = 0, solutions = 0;
  for (std::size_t i = GetParam(); i < files.size(); i += parts) {
    Problem problem;
    std::vector<std::string> warnings;
    try {
      problem = read_deck_file(files[i], warnings);
    } catch (const Error&) {
      continue;  // of two structures, or not supported
    }
    if (problem.runs.empty() || problem.runs[0].sources.empty() ||
        problem.structure.segments().size() > 150)
      continue;
    thinwire::Run run = problem.runs[0];
    run.patterns.clear();
    run.near_fields.clear();
    run.coupling_segments.clear();
    const double first_hz = run.frequency_hz[0];
    run.frequency_hz.clear();
    for (int n = 0; n < 64; ++n) run.frequency_hz.push_back(first_hz * (0.9 + 0.005 * n));
    problem.runs = {run};
    Comparison sweep;
    try {
      sweep = compare(problem);
    } catch (const Error&) {
      continue;  // refused at one of the frequencies
    }
    ++count;
    solutions += count_solved(sweep.fast);
    EXPECT_LT(sweep.error, 1e-4) << files[i] << " " << count_solved(sweep.fast);
  }
  EXPECT_GE(parts * count, 40U);
  EXPECT_LT(solutions, 20 * count);
}

INSTANTIATE_TEST_SUITE_P(Decks, FastSweepOfDecks, testing::Range(0, parts));

}  // namespace
}  // namespace thinwire
