#include "mom/schedule/adaptive_sweep.h"

#include <cmath>
#include <functional>
#include <random>

#include <gtest/gtest.h>

namespace thinwire::adaptive_sweep_test {
namespace {

using Complex = std::complex<double>;
constexpr Complex j(0, 1);

std::vector<double> evenly(std::size_t count, double low_hz, double high_hz) {
  std::vector<double> frequency_hz;
  for (std::size_t i = 0; i < count; ++i)
    frequency_hz.push_back(low_hz + (high_hz - low_hz) * static_cast<double>(i) /
                                        static_cast<double>(count - 1));
  return frequency_hz;
}

/// Currents of 50 unknowns with resonances at `pole_hz`, each of a random shape, over
/// a part without any.
class Resonances {
 public:
  explicit Resonances(std::vector<Complex> pole_hz) : pole_hz_(std::move(pole_hz)) {
    std::mt19937 engine(3);
    std::normal_distribution<double> normal;
    for (std::size_t p = 0; p <= pole_hz_.size(); ++p) {
      std::vector<Complex> shape;
      for (int i = 0; i < 50; ++i) shape.emplace_back(normal(engine), normal(engine));
      shapes_.push_back(std::move(shape));
    }
  }
  SweepSample at(double f) const {
    std::vector<Complex> current(50);
    for (std::size_t p = 0; p <= pole_hz_.size(); ++p)
      for (std::size_t i = 0; i < current.size(); ++i)
        current[i] += shapes_[p][i] * (p < pole_hz_.size() ? 1e6 / (f - pole_hz_[p])
                                                           : std::exp(j * f * 1e-8));
    return {{current}, {{current[7]}}};
  }

 private:
  std::vector<Complex> pole_hz_;
  std::vector<std::vector<Complex>> shapes_;
};

void run(AdaptiveSweep& sweep, const std::vector<double>& frequency_hz,
         const std::function<SweepSample(double)>& solve) {
  for (auto next = sweep.next(); !next.empty(); next = sweep.next())
    for (const std::size_t index : next) {
      ASSERT_FALSE(sweep.solved(index));
      sweep.add(index, solve(frequency_hz[index]));
    }
}

/// Largest error of the port's current where it is modelled.
double largest_error(const AdaptiveSweep& sweep, const std::vector<double>& frequency_hz,
                     const std::function<SweepSample(double)>& solve) {
  double largest = 0;
  for (std::size_t i = 0; i < frequency_hz.size(); ++i) {
    if (sweep.solved(i)) continue;
    const Complex exact = solve(frequency_hz[i]).port_current_a[0][0];
    largest =
        std::max(largest, std::abs(sweep.modelled(i)[0][7] - exact) / std::abs(exact));
  }
  return largest;
}

/// Expects a model of 1000 frequencies from so many solutions at most.
void expect_modelled(const Resonances& antenna, std::size_t max_solved) {
  const auto solve = [&](double f) { return antenna.at(f); };
  const auto frequency_hz = evenly(1000, 3e6, 30e6);
  AdaptiveSweep sweep(frequency_hz, {});
  run(sweep, frequency_hz, solve);
  EXPECT_LE(sweep.solved_count(), max_solved);
  EXPECT_LT(largest_error(sweep, frequency_hz, solve), 1e-5);
}

TEST(AdaptiveSweep, SolvesFewFrequenciesOfAResonantAntenna) {
  expect_modelled(Resonances({{7.1e6, 4e5}, {14.2e6, 6e5}, {21e6, 1e6}, {28e6, 1e6}}),
                  20);
}

TEST(AdaptiveSweep, FindsAResonanceFarNarrowerThanItsGaps) {
  // 20 Hz wide, of which the list has points 27 kHz apart: a quality of 500,000.
  expect_modelled(Resonances({{7.1e6, 4e5}, {14.2e6, 20}, {21e6, 1e6}}), 24);
}

TEST(AdaptiveSweep, SaysHowFarItIsOff) {
  const Resonances antenna({{7.1e6, 4e5}, {14.2e6, 6e5}});
  const auto solve = [&](double f) { return antenna.at(f); };
  const auto frequency_hz = evenly(300, 3e6, 30e6);
  SweepControl rough;
  rough.tolerance = 1e-3;
  AdaptiveSweep sweep(frequency_hz, rough);
  run(sweep, frequency_hz, solve);
  for (std::size_t i = 0; i < frequency_hz.size(); ++i) {
    if (sweep.solved(i)) continue;
    const Complex exact = antenna.at(frequency_hz[i]).port_current_a[0][0];
    EXPECT_LT(std::abs(sweep.modelled(i)[0][7] - exact) / std::abs(exact),
              10 * sweep.error(i) + 1e-12);
    EXPECT_LE(sweep.error(i), 1e-3);
  }
}

TEST(AdaptiveSweep, LeavesNoWiderGapThanAllowed) {
  const Resonances antenna({Complex(7.1e6, 4e5)});
  const auto frequency_hz = evenly(1000, 3e6, 30e6);
  SweepControl dense;
  dense.widest_gap_hz = 1e6;
  AdaptiveSweep sweep(frequency_hz, dense);
  run(sweep, frequency_hz, [&](double f) { return antenna.at(f); });
  double last = frequency_hz.front(), widest = 0;
  for (std::size_t i = 0; i < frequency_hz.size(); ++i)
    if (sweep.solved(i)) {
      widest = std::max(widest, frequency_hz[i] - last);
      last = frequency_hz[i];
    }
  EXPECT_LE(widest, 1.06e6);  // to the next frequency of the list
  EXPECT_EQ(last, frequency_hz.back());
}

TEST(AdaptiveSweep, SolvesAllWhereNothingCanBePredicted) {
  std::mt19937 engine(5);
  std::normal_distribution<double> normal;
  const auto noise = [&](double) {
    std::vector<Complex> current;
    for (int i = 0; i < 50; ++i) current.emplace_back(normal(engine), normal(engine));
    return SweepSample{{current}, {{current[7]}}};
  };
  const auto frequency_hz = evenly(60, 3e6, 30e6);
  AdaptiveSweep sweep(frequency_hz, {});
  run(sweep, frequency_hz, noise);
  EXPECT_EQ(sweep.solved_count(), 60U);
}

TEST(AdaptiveSweep, SolvesAllOfAShortSweep) {
  const auto frequency_hz = evenly(11, 3e6, 30e6);
  AdaptiveSweep sweep(frequency_hz, {});
  EXPECT_EQ(sweep.next().size(), 11U);
}

TEST(AdaptiveSweep, WatchesEveryRightHandSide) {
  // The second right-hand side has a resonance that the first has not.
  const Resonances calm({Complex(7.1e6, 4e6)}), sharp({Complex(14.2e6, 2e3)});
  const auto solve = [&](double f) {
    SweepSample sample = calm.at(f), other = sharp.at(f);
    sample.rhs.push_back(other.rhs[0]);
    sample.port_current_a.push_back(other.port_current_a[0]);
    return sample;
  };
  const auto frequency_hz = evenly(1000, 3e6, 30e6);
  AdaptiveSweep sweep(frequency_hz, {});
  run(sweep, frequency_hz, solve);
  EXPECT_LT(sweep.solved_count(), 40U);
  for (std::size_t i = 0; i < frequency_hz.size(); ++i) {
    if (sweep.solved(i)) continue;
    const Complex exact = sharp.at(frequency_hz[i]).rhs[0][7];
    ASSERT_LT(std::abs(sweep.modelled(i)[1][7] - exact) / std::abs(exact), 1e-5) << i;
  }
}

}  // namespace
}  // namespace thinwire::adaptive_sweep_test
