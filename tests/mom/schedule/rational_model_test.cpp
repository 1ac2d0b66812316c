#include "mom/schedule/rational_model.h"

#include <cmath>

#include <gtest/gtest.h>

namespace thinwire::rational_model_test {
namespace {

using Complex = std::complex<double>;
constexpr Complex j(0, 1);

/// Poles that differ from component to component.
std::vector<Complex> three_resonances(double x) {
  const Complex pole[] = {-0.6 + 0.1 * j, 0.3 + 0.001 * j, 0.9 + 0.05 * j};
  std::vector<Complex> values(4);
  for (std::size_t c = 0; c < values.size(); ++c)
    for (std::size_t p = 0; p < 3; ++p)
      values[c] += (1.0 + static_cast<double>(c * p)) /
                   (x - pole[p] + static_cast<double>(c) * (x - 2));
  return values;
}

/// Components with common poles.
std::vector<Complex> common_poles(double x) {
  const Complex pole[] = {-0.6 + 0.1 * j, 0.3 + 0.001 * j, 0.9 + 0.05 * j};
  std::vector<Complex> values(4);
  for (std::size_t c = 0; c < values.size(); ++c)
    for (std::size_t p = 0; p < 3; ++p)
      values[c] +=
          (1.0 + static_cast<double>(c * p) - static_cast<double>(c) * j) / (x - pole[p]);
  return values;
}

template <class Function>
RationalModel model_of(Function&& function, std::size_t samples, double fit) {
  RationalModel model(fit);
  for (std::size_t i = 0; i < samples; ++i) {
    const double x = -1 + 2 * static_cast<double>(i) / static_cast<double>(samples - 1);
    model.add(x, function(x), std::vector<double>(function(x).size(), 1));
  }
  model.fit();
  return model;
}

template <class Function>
double largest_error(const RationalModel& model, Function&& function) {
  double largest = 0;
  for (double x = -1; x <= 1; x += 1e-3) {
    const std::vector<Complex> exact = function(x), got = model.values(x);
    for (std::size_t c = 0; c < exact.size(); ++c)
      largest = std::max(largest, std::abs(got[c] - exact[c]) / std::abs(exact[c]));
  }
  return largest;
}

TEST(RationalModel, FindsPolesThatNoSampleIsNear) {
  // Three poles take four support points; samples are 0.25 apart, one pole is 0.001 wide.
  const RationalModel model = model_of(common_poles, 9, 1e-12);
  EXPECT_LE(model.support().size(), 5U);
  EXPECT_LT(largest_error(model, common_poles), 1e-9);
}

TEST(RationalModel, ConvergesOnFunctionsThatAreNotRational) {
  const auto waves = [](double x) {
    return std::vector<Complex>{std::exp(3.0 * j * x), std::exp(-5.0 * j * x),
                                std::sqrt(x + 2)};
  };
  EXPECT_GT(largest_error(model_of(waves, 6, 1e-12), waves), 1e-6);
  EXPECT_LT(largest_error(model_of(waves, 20, 1e-12), waves), 1e-9);
}

TEST(RationalModel, MeetsItsSupportPointsExactly) {
  const RationalModel model = model_of(three_resonances, 7, 1e-12);
  const double x = -1 + static_cast<double>(model.support()[0]) / 3;
  const std::vector<Complex> b = model.coefficients(x);
  EXPECT_EQ(b[0], 1.0);
  for (std::size_t i = 1; i < b.size(); ++i) EXPECT_EQ(b[i], 0.0);
}

TEST(RationalModel, TakesNoMoreSupportPointsThanTheFitAsksFor) {
  const auto waves = [](double x) {
    return std::vector<Complex>{std::exp(3.0 * j * x), std::exp(-5.0 * j * x)};
  };
  EXPECT_LT(model_of(waves, 20, 1e-3).support().size(),
            model_of(waves, 20, 1e-9).support().size());
}

TEST(RelativeDifference, KeepsWhatIsNoNumber) {
  const std::vector<Complex> a = {1.0, std::nan(""), 3.0}, b = {1.0, 1.0, 2.0};
  const std::vector<double> scale = {1, 1, 2};
  EXPECT_TRUE(std::isnan(relative_difference(a, b, scale)) ||
              relative_difference(a, b, scale) >= 0.5);
  EXPECT_DOUBLE_EQ(relative_difference(b, std::vector<Complex>{1.0, 1.0, 3.0}, scale),
                   0.5);
}

}  // namespace
}  // namespace thinwire::rational_model_test
