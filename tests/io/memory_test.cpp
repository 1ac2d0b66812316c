// Counts what thinwire allocates, by operators new of the test's own, and holds the
// plan's memory against it.

#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <new>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "io/deck/deck.h"
#include "io/deck/parameters.h"
#include "io/result/write_hdf5.h"
#include "mom/plan/choices.h"
#include "mom/plan/planner.h"
#include "mom/solve.h"

namespace {

std::atomic<std::size_t> live{0}, peak{0};

void* counted(void* memory) {
  if (memory == nullptr) throw std::bad_alloc();
  const std::size_t bytes = malloc_usable_size(memory), now = live += bytes;
  for (std::size_t so_far = peak;
       now > so_far && !peak.compare_exchange_weak(so_far, now);)
    continue;
  return memory;
}

void release(void* memory) {
  if (memory == nullptr) return;
  live -= malloc_usable_size(memory);
  std::free(memory);
}

}  // namespace

void* operator new(std::size_t bytes) {
  return counted(std::malloc(bytes > 0 ? bytes : 1));
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  const auto step = static_cast<std::size_t>(alignment);
  return counted(std::aligned_alloc(step, (bytes + step - 1) / step * step));
}
// With address sanitizer the variants that do not throw are not made of the others.
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  void* const memory = std::malloc(bytes > 0 ? bytes : 1);
  return memory == nullptr ? nullptr : counted(memory);
}
void operator delete(void* memory, const std::nothrow_t&) noexcept {
  release(memory);
}
void operator delete(void* memory) noexcept {
  release(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  release(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
  release(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  release(memory);
}

namespace thinwire::memory_test {
namespace {

struct Case {
  std::string name, deck;  ///< below examples/, or the deck itself
  int refinement = 1, threads = 1;
  OperatorChoice operator_choice = OperatorChoice::automatic;
  SolverChoice solver = SolverChoice::automatic;
  std::vector<std::string> derivatives_by{};  ///< symbols of the deck
};

void PrintTo(const Case& of, std::ostream* out) {
  *out << of.name;
}

/// Wires of a yagi with so many elements, 21 segments each, of half length h.
std::string yagi(int elements, const std::string& cards) {
  std::string deck = "CE\nSY h=.48, r=.004\n";
  for (int i = 0; i < elements; ++i) {
    const std::string x = std::to_string(0.3 * i);
    deck += "GW " + std::to_string(i + 1) + " 21 " + x + " -h 5 " + x + " h 5 r\n";
  }
  return deck + "GE 0\n" + cards + "EN\n";
}

constexpr const char* source = "EX 0 2 11 0 1\n";

std::vector<Case> cases() {
  const std::string one = "FR 0 1 0 0 145\n", sweep = "FR 0 31 0 0 130 1\n",
                    few = "FR 0 9 0 0 130 4\n", ask = "XQ\n", drive = source;
  const auto fft = OperatorChoice::fft;
  return {
      {"Dipole", "dipole/dipole.nec", 4},
      {"FoldedDipole", "folded_dipole/folded_dipole.nec", 2},
      {"Yagi", "yagi/yagi.nec", 4},
      {"YagiByTwoThreads", "yagi/yagi.nec", 4, 2},
      {"YagiByFourThreads", "yagi/yagi.nec", 2, 4},
      {"LogPeriodic", "log_periodic/log_periodic.nec", 4},
      {"Helix", "helix/helix.nec"},
      {"MonopoleRadials", "monopole_radials/monopole_radials.nec", 2},
      {"QuarterWave", "monopole_radials/quarter_wave.nec", 4},
      {"BuriedRadials", "buried_radials/buried_radials.nec"},
      {"Beverage", "beverage/beverage.nec", 4},
      {"PhasedVerticals", "phased_verticals/phased_verticals.nec", 2},
      {"ReceivingFlag", "receiving_flag/receiving_flag.nec"},
      {"DipoleHeight", "dipole_height/dipole_height.nec", 4},
      {"Alone", yagi(20, one + drive + ask)},
      {"AloneByGmres", yagi(20, one + drive + ask), 1, 1, OperatorChoice::dense,
       SolverChoice::gmres},
      {"AloneByCocg", yagi(20, one + drive + ask), 1, 1, OperatorChoice::dense,
       SolverChoice::cocg},
      {"AloneByFft", yagi(20, one + drive + ask), 1, 1, fft, SolverChoice::gmres},
      {"Lattice", yagi(20, one + drive + ask), 1, 1, OperatorChoice::toeplitz,
       SolverChoice::cocg},
      {"Sweep", yagi(12, sweep + drive + ask)},
      {"SweepByTwoThreads", yagi(12, sweep + drive + ask), 1, 2},
      {"SweepByCocg", yagi(12, sweep + drive + ask), 1, 1, OperatorChoice::dense,
       SolverChoice::cocg},
      {"ShortSweep", yagi(20, few + drive + ask)},
      {"OverPerfectGround", yagi(16, "GN 1\n" + sweep + drive + ask)},
      {"OverSoil", yagi(12, "GN 2 0 0 0 13 .005\n" + one + drive + ask)},
      {"SweepOverSoil", yagi(6, "GN 2 0 0 0 13 .005\n" + sweep + drive + ask)},
      {"OverReflectionCoefficients", yagi(6, "GN 0 0 0 0 13 .005\n" + one + drive + ask)},
      {"Waves", yagi(12, one + "EX 1 60 60 0 0 0 0 3 6\n" + ask)},
      {"WavesOnRings", yagi(12, one + "EX 1 20 180 0 0 0 0 9 2\n" + ask)},
      {"PatternsOfWaves", yagi(12, one + "EX 1 30 30 0 0 0 0 3 12\n"
                                         "RP 0 37 19 1000 0 0 5 10\n")},
      {"Pattern", yagi(6, few + drive + "RP 0 181 361 1000 0 0 1 1\n")},
      {"Derivatives",
       yagi(20, one + drive + ask),
       1,
       1,
       OperatorChoice::automatic,
       SolverChoice::automatic,
       {"h", "r"}},
      {"DerivativesOfASweep",
       yagi(12, sweep + drive + ask),
       1,
       2,
       OperatorChoice::automatic,
       SolverChoice::automatic,
       {"h", "r"}},
      {"DerivativesOverPerfectGround",
       yagi(12, "GN 1\n" + few + drive + ask),
       1,
       1,
       OperatorChoice::automatic,
       SolverChoice::automatic,
       {"h"}},
      {"NearField", yagi(6, one + drive + "NE 0 60 60 20 -3 -3 6 .1 .1 .1\n" + ask)},
  };
}

class Memory : public ::testing::TestWithParam<Case> {};

TEST_P(Memory, IsPredictedWithinAQuarter) {
  const Case& of = GetParam();
  std::vector<std::string> warnings;
  const auto read = [&](const SymbolValues& values) {
    return read_structures(of.deck, of.name, warnings, {}, values);
  };
  std::vector<Problem> problems;
  if (of.deck.ends_with(".nec"))
    problems.push_back(read_deck_file(
        std::string(THINWIRE_SOURCE_DIR) + "/examples/" + of.deck, warnings));
  else
    problems = read({});
  if (!of.derivatives_by.empty()) add_parameters(problems, of.derivatives_by, read);
  const Problem& problem = problems.front();
  Options options;
  options.device = {DeviceRequest::Kind::cpu};
  options.refinement = of.refinement;
  options.threads = of.threads;
  options.operator_choice = of.operator_choice;
  options.solver = of.solver;
  const auto predicted = static_cast<double>(plan(problem, options).host_bytes);
  const std::size_t before = live;
  peak = before;
  const std::filesystem::path file =
      std::filesystem::path(::testing::TempDir()) / ("memory_" + of.name + ".h5");
  {
    const Solution solution = solve(problem, options);
    write_hdf5(file, problem, options, solution, "");
  }
  std::filesystem::remove(file);
  const auto taken = static_cast<double>(program_bytes + peak - before);
  EXPECT_LT(predicted, 1.25 * taken) << taken / 1048576;
  EXPECT_GT(predicted, taken / 1.25) << predicted / 1048576;
}

INSTANTIATE_TEST_SUITE_P(Decks, Memory, ::testing::ValuesIn(cases()),
                         [](const auto& of) { return of.param.name; });

}  // namespace
}  // namespace thinwire::memory_test
