// How long solves of decks work without a report of progress: in processor time, so that
// other programs beside the test change nothing.
#include <gtest/gtest.h>

#include <cmath>
#include <ctime>
#include <string>
#include <vector>

#include "io/deck/deck.h"
#include "mom/plan/workload.h"
#include "mom/solve.h"

namespace thinwire::silence_test {
namespace {

struct Case {
  std::string name, deck;
  OperatorChoice operator_choice = OperatorChoice::dense;
};

void PrintTo(const Case& of, std::ostream* out) {
  *out << of.name;
}

/// Dipoles side by side, of unlike lengths so that few pairs lie alike.
std::string dipoles(int count, double height_m, const std::string& cards,
                    double apart_m = 0.11) {
  std::string deck = "CE\n";
  for (int i = 0; i < count; ++i) {
    const std::string place = std::to_string(apart_m * i) + " ",
                      half = std::to_string(0.2 + 0.01 * i),
                      z = " " + std::to_string(height_m) + " ";
    deck += "GW " + std::to_string(i + 1) + " 11 " + place + "-" + half + z + place +
            half + z + ".001\n";
  }
  return deck + "GE 0\n" + cards + "EN\n";
}

/// Wires from one point in directions of which no two pairs lie alike.
std::string fan(int count, const std::string& cards) {
  std::string deck = "CE\n";
  for (int i = 0; i < count; ++i) {
    const double z = (2 * i + 1.0) / count - 1, across = std::sqrt(1 - z * z);
    deck += "GW " + std::to_string(i + 1) + " 11 0 0 0 " +
            std::to_string(across * std::cos(2.39996 * i)) + " " +
            std::to_string(across * std::sin(2.39996 * i)) + " " + std::to_string(z) +
            " .001\n";
  }
  return deck + "GE 0\n" + cards + "EN\n";
}

std::vector<Case> cases() {
  const std::string drive = "EX 0 1 6 0 1\n", one = "FR 0 1 0 0 300\nXQ\n",
                    sweep = "FR 0 60 0 0 250 2\nXQ\n", soil = "GN 2 0 0 0 13 .005\n";
  return {{"Alone", dipoles(80, 0, drive + one)},
          {"Bundle", dipoles(16, 0, drive + one, 0.005)},
          {"Fan", fan(30, drive + one)},
          {"Sweep", dipoles(16, 0, drive + sweep)},
          {"OverPerfectGround", dipoles(12, 1, "GN 1\n" + drive + sweep)},
          {"OverSoil", dipoles(20, 1, soil + drive + one)},
          {"SweepOverSoil", dipoles(8, 1, soil + drive + sweep)},
          {"ByFft", dipoles(20, 0, drive + one), OperatorChoice::fft}};
}

class Silence : public ::testing::TestWithParam<Case> {};

double processor_seconds() {
  timespec now = {};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

TEST_P(Silence, IsAFractionOfTheWork) {
  std::vector<std::string> warnings;
  const Problem problem =
      read_structures(GetParam().deck, GetParam().name, warnings).front();
  Options options;
  options.device = {DeviceRequest::Kind::cpu};
  options.threads = 1;
  options.operator_choice = GetParam().operator_choice;
  const double start = processor_seconds();
  double last = start, longest = 0, fraction = 0;
  std::string step = "begin", where;
  std::size_t prepared = 0;
  const auto hear = [&](const Progress& progress) {
    EXPECT_GE(progress.fraction, fraction - 1e-12) << progress.step;
    fraction = progress.fraction;
    prepared += progress.step == "factor" ? 1 : 0;
    const double now = processor_seconds();
    if (now - last > longest) {
      longest = now - last;
      where = step + " to " + progress.step;
    }
    step = progress.step;
    last = processor_seconds();
  };
  options.monitor = Monitor(hear);
  (void)solve(problem, options);
  const double all = processor_seconds() - start;
  EXPECT_EQ(prepared, workload(problem, options).frequencies);
  EXPECT_LT(longest, 0.25 * all) << where << ": " << longest << " s of " << all;
}

INSTANTIATE_TEST_SUITE_P(Decks, Silence, ::testing::ValuesIn(cases()),
                         [](const auto& of) { return of.param.name; });

}  // namespace
}  // namespace thinwire::silence_test
