#include "kernels/fft/fft.h"

#include <gtest/gtest.h>

#include <numbers>

#include "kernels/base/error.h"
#include "tests/kernels/device/device_test_support.h"

namespace thinwire {
namespace {

using namespace testing;

/// One value of the transform, summed as its definition stands.
Complex direct_sum(const FftShape& shape, const Complex* x, std::array<std::size_t, 3> q,
                   double sign) {
  const auto& n = shape.lengths;
  std::complex<long double> sum = 0;
  for (std::size_t i = 0; i < n[0]; ++i)
    for (std::size_t j = 0; j < n[1]; ++j)
      for (std::size_t k = 0; k < n[2]; ++k) {
        const long double turns = static_cast<long double>(q[0] * i % n[0]) / n[0] +
                                  static_cast<long double>(q[1] * j % n[1]) / n[1] +
                                  static_cast<long double>(q[2] * k % n[2]) / n[2];
        sum += std::complex<long double>(x[(i * n[1] + j) * n[2] + k]) *
               std::polar(1.0L, sign * 2 * std::numbers::pi_v<long double> * turns);
      }
  return Complex(sum);
}

TEST(GoodFftSize, IsTheNextThatBothLibrariesAreFastAt) {
  EXPECT_EQ(good_fft_size(0), 1u);
  EXPECT_EQ(good_fft_size(1), 1u);
  EXPECT_EQ(good_fft_size(7), 8u);
  EXPECT_EQ(good_fft_size(11), 12u);
  EXPECT_EQ(good_fft_size(135), 135u);
  EXPECT_EQ(good_fft_size(217), 225u);
  EXPECT_EQ(good_fft_size(513), 576u);  // 540 takes three passes
  EXPECT_EQ(good_fft_size(725), 750u);
  EXPECT_EQ(good_fft_size(751), 768u);
  EXPECT_EQ(good_fft_size(1999), 2000u);
  EXPECT_EQ(good_fft_size(2049), 2304u);
}

TEST(Fft, IsTheDirectSumOfOneTwoAndThreeAxes) {
  for (const std::array<std::size_t, 3> lengths : {std::array<std::size_t, 3>{1, 1, 1},
                                                   {1, 1, 30},
                                                   {9, 1, 1},
                                                   {1, 12, 5},
                                                   {6, 1, 10},
                                                   {18, 10, 1},
                                                   {4, 5, 12},
                                                   {3, 18, 2},
                                                   {7, 26, 1},
                                                   {1, 1, 67}}) {
    const FftShape shape{lengths, {}};
    const Fft fft(shape);
    const std::size_t count = 3, size = shape.size();
    const std::vector<Complex> x = random_vector(count * size, 1);
    for (const double sign : {-1.0, 1.0}) {
      std::vector<Complex> y = x, expected(y.size());
      if (sign < 0)
        fft.forward(y.data(), count);
      else
        fft.backward(y.data(), count);
      for (std::size_t c = 0; c < count; ++c)
        for (std::size_t q = 0; q < size; ++q)
          expected[c * size + q] =
              direct_sum(shape, x.data() + c * size,
                         {q / (lengths[1] * lengths[2]), q / lengths[2] % lengths[1],
                          q % lengths[2]},
                         sign);
      EXPECT_LE(relative_difference(y, expected), sum_tolerance(size))
          << lengths[0] << " x " << lengths[1] << " x " << lengths[2];
    }
  }
}

// A convolution with padding, by its definition.
TEST(Fft, SkipsWhatIsPaddingAlone) {
  FftShape shape{{12, 10, 18}, {5, 4, 7}};
  const Fft fft(shape), whole(FftShape{shape.lengths, {}});
  const std::size_t size = shape.size();
  const std::vector<Complex> kernel = random_vector(size, 2);
  std::vector<Complex> x(size), spectrum = kernel;
  const std::vector<Complex> values = random_vector(5 * 4 * 7, 3);
  const auto at = [&](std::size_t i, std::size_t j, std::size_t k) {
    return (i * 10 + j) * 18 + k;
  };
  for (std::size_t v = 0; v < values.size(); ++v)
    x[at(v / 28, v / 7 % 4, v % 7)] = values[v];
  whole.forward(spectrum.data(), 1);
  std::vector<Complex> y = x;
  fft.forward(y.data(), 1);
  for (std::size_t q = 0; q < size; ++q) y[q] *= spectrum[q] / static_cast<double>(size);
  fft.backward(y.data(), 1);
  std::vector<Complex> got, expected;
  for (std::size_t i = 0; i < 5; ++i)
    for (std::size_t j = 0; j < 4; ++j)
      for (std::size_t k = 0; k < 7; ++k) {
        Complex sum = 0;
        for (std::size_t v = 0; v < values.size(); ++v)
          sum += values[v] * kernel[at((i + 12 - v / 28) % 12, (j + 10 - v / 7 % 4) % 10,
                                       (k + 18 - v % 7) % 18)];
        expected.push_back(sum);
        got.push_back(y[at(i, j, k)]);
      }
  EXPECT_LE(relative_difference(got, expected), sum_tolerance(size));
}

TEST(Fft, RefusesLengthsThatItsPlansAreNotFor) {
  EXPECT_THROW(Fft(FftShape{{1, 8, 4}, {1, 9, 4}}), Error);
  EXPECT_THROW(Fft(FftShape{{0, 8, 4}, {}}), Error);
}

}  // namespace
}  // namespace thinwire
