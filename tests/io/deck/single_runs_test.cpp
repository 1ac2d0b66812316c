// Every run of a deck gives what the same run gives in a deck of its own.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "io/deck/deck.h"
#include "kernels/base/error.h"
#include "mom/solve.h"

namespace thinwire {
namespace {

namespace fs = std::filesystem;

constexpr double tolerance = 1e-9;
/// Limits that keep the test to seconds: larger decks are left out, longer loops cut.
constexpr std::size_t max_segments = 250, max_frequencies = 2;

double relative_difference(std::span<const Complex> a, std::span<const Complex> b) {
  if (a.size() != b.size()) return INFINITY;
  double difference = 0, size = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference += std::norm(a[i] - b[i]);
    size += std::norm(a[i]);
  }
  return difference == 0 ? 0 : std::sqrt(difference / size);
}

std::vector<Complex> impedances(const FrequencyResult& result) {
  std::vector<Complex> z;
  for (const PortResult& port : result.ports) z.push_back(port.impedance_ohm);
  return z;
}

/// Gains as powers, so that a null weighs what it radiates.
std::vector<Complex> gains_dbi(const PatternResult& pattern) {
  std::vector<Complex> gain;
  for (const double dbi : pattern.gain_dbi) gain.push_back(std::pow(10, dbi / 10));
  return gain;
}

void expect_same(const FrequencyResult& together, const FrequencyResult& alone) {
  EXPECT_EQ(together.frequency_hz, alone.frequency_hz);
  EXPECT_LT(relative_difference(impedances(together), impedances(alone)), tolerance)
      << "with the other runs, and alone";
  EXPECT_LT(relative_difference(together.segment_current_a, alone.segment_current_a),
            tolerance);
  ASSERT_EQ(together.patterns.size(), alone.patterns.size());
  for (std::size_t p = 0; p < alone.patterns.size(); ++p)
    EXPECT_LT(relative_difference(gains_dbi(together.patterns[p]),
                                  gains_dbi(alone.patterns[p])),
              tolerance);
  ASSERT_EQ(together.near_fields.size(), alone.near_fields.size());
  for (std::size_t i = 0; i < alone.near_fields.size(); ++i)
    EXPECT_LT(
        relative_difference(together.near_fields[i].field, alone.near_fields[i].field),
        tolerance);
}

void expect_runs_stand_alone(const Problem& problem) {
  Options options;
  options.device.kind = DeviceRequest::Kind::cpu;
  const Solution together = solve(problem, options);
  std::size_t at = 0;
  for (std::size_t r = 0; r < problem.runs.size(); ++r) {
    SCOPED_TRACE("run " + std::to_string(r + 1));
    Problem single = problem;
    single.runs = {problem.runs[r]};
    const Solution alone = solve(single, options);
    for (const FrequencyResult& result : alone.frequencies)
      expect_same(together.frequencies.at(at++), result);
  }
  EXPECT_EQ(at, together.frequencies.size());
}

/// A run that differs from another in whatever shapes the mesh.
Run unlike(const Run& run, std::size_t segments) {
  Run other = run;
  other.frequency_hz = {0.9 * run.frequency_hz.front()};
  other.ground = Ground::none;
  // The first segment of a deck with networks may be no more than a pin of them.
  if (other.networks.empty() && !other.waves) other.sources.assign(1, Source());
  Load load;
  load.first = load.last = segments - 1;
  load.value[0] = 50;
  other.loads.push_back(load);
  return other;
}

/// The problem of a deck that is small, with a second run where the deck has but one; no
/// runs where it is large or refused.
Problem small_problem(const fs::path& deck) {
  std::vector<std::string> warnings;
  Problem problem;
  try {
    problem = read_deck_file(deck, warnings);
  } catch (const Error&) {
    return Problem();  // other tests are about what is refused
  }
  const std::size_t segments = problem.structure.segments().size();
  if (problem.runs.empty() || segments > max_segments) return Problem();
  if (problem.runs.size() == 1) problem.runs.push_back(unlike(problem.runs[0], segments));
  for (Run& run : problem.runs)
    if (run.frequency_hz.size() > max_frequencies)
      run.frequency_hz.resize(max_frequencies);
  return problem;
}

/// Returns the number of decks under the folder that were compared.
std::size_t compare_decks(const fs::path& folder, std::size_t most) {
  std::vector<fs::path> decks;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder))
    if (entry.path().extension() == ".nec") decks.push_back(entry.path());
  std::sort(decks.begin(), decks.end());
  std::size_t compared = 0;
  for (const fs::path& deck : decks) {
    const Problem problem = small_problem(deck);
    if (problem.runs.empty() || compared == most) continue;
    SCOPED_TRACE(deck.string());
    expect_runs_stand_alone(problem);
    ++compared;
  }
  return compared;
}

TEST(SingleRuns, OfOwnDecksAndExamples) {
  const fs::path root = THINWIRE_SOURCE_DIR;
  EXPECT_GE(compare_decks(root / "tests" / "decks", 100), 8u);
  EXPECT_GE(compare_decks(root / "examples", 100), 2u);
}

TEST(SingleRuns, OfDecksFromElsewhere) {
  const fs::path decks = fs::path(THINWIRE_SOURCE_DIR) / ".." / "shared" / "decks";
  if (!fs::exists(decks)) GTEST_SKIP() << "there is no folder " << decks;
  EXPECT_GE(compare_decks(decks, 40), 23u);
}

/// The ground connects an end at z = 0 in the runs that have one only.
TEST(SingleRuns, GroundAndFreeSpaceInOneDeck) {
  std::vector<std::string> warnings;
  expect_runs_stand_alone(
      read_deck("CE\nGW 1 9 0 0 0 0 0 .25 .0005\nGE 1\nEX 0 1 5\nFR 0 1 0 0 300\n"
                "GN -1\nRP 0 5 1 1000 0 0 20 0\nGN 1\nRP 0 5 1 1000 0 0 20 0\nEN\n",
                "t.nec", warnings));
}

/// Sources and lumped loads refine the mesh where they stand, in their own run only.
TEST(SingleRuns, SourceAndLoadInOneRunOnly) {
  std::vector<std::string> warnings;
  expect_runs_stand_alone(
      read_deck("CE\nGW 1 9 0 0 0 0 0 .5 .0005\nGE\nFR 0 1 0 0 300\nEX 0 1 5\nXQ\n"
                "LD 4 1 2 2 50 0\nXQ\nEX 0 1 7\nLD -1\nXQ\nEN\n",
                "t.nec", warnings));
}

/// Frequencies of other runs change how near pairs are integrated, not what they give.
TEST(SingleRuns, SweepsOfDifferentRanges) {
  std::vector<std::string> warnings;
  expect_runs_stand_alone(
      read_deck("CE\nGW 1 9 0 0 0 0 0 .5 .0005\nGE\nEX 0 1 5\nFR 0 30 0 0 200 5\nXQ\n"
                "FR 0 1 0 0 30\nXQ\nFR 0 1 0 0 800\nXQ\nEN\n",
                "t.nec", warnings));
}

}  // namespace
}  // namespace thinwire
