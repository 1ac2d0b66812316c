#include "kernels/base/error.h"
#include "kernels/fft/fft.h"
#include "tests/kernels/device/device_test_support.h"

namespace thinwire {
namespace {

using namespace testing;
using FftOnDevice = OnDevice;

TEST_F(FftOnDevice, AgreesWithTheCpuInBothPrecisions) {
  const DeviceStream stream;
  for (const std::array<std::size_t, 3> lengths : {std::array<std::size_t, 3>{1, 1, 1},
                                                   {1, 1, 60},
                                                   {45, 1, 1},
                                                   {1, 27, 32},
                                                   {20, 1, 18},
                                                   {135, 135, 1},
                                                   {24, 25, 27}}) {
    const FftShape shape{lengths, {}};
    const std::size_t count = 5;
    const std::vector<Complex> x = random_vector(count * shape.size(), 4);
    const std::vector<std::complex<float>> x_single(x.begin(), x.end());
    const Fft cpu(shape);
    const DeviceFft fft(shape, count),
        single(shape, count, DeviceFft::Numbers::complex_single);
    DeviceBuffer<Complex> values(x.size(), "values");
    DeviceBuffer<std::complex<float>> singles(x.size(), "values");
    std::vector<Complex> y(x.size());
    std::vector<std::complex<float>> y_single(x.size());
    for (const bool forward : {true, false}) {
      std::vector<Complex> expected = x;
      values.upload(x, stream);
      singles.upload(x_single, stream);
      if (forward) {
        cpu.forward(expected.data(), count);
        fft.forward(values.data(), stream);
        single.forward(singles.data(), stream);
      } else {
        cpu.backward(expected.data(), count);
        fft.backward(values.data(), stream);
        single.backward(singles.data(), stream);
      }
      values.download(y, stream);
      singles.download(y_single, stream);
      EXPECT_LE(relative_difference(y, expected), sum_tolerance(shape.size()));
      EXPECT_LE(relative_difference(
                    std::vector<Complex>(y_single.begin(), y_single.end()), expected),
                1e-6);
    }
  }
}

TEST_F(FftOnDevice, SkipsPlanesThatAreZeroOrNotNeeded) {
  const DeviceStream stream;
  for (const FftShape& shape :
       {FftShape{{24, 25, 27}, {10, 0, 0}}, FftShape{{60, 45, 1}, {31, 0, 0}},
        FftShape{{30, 1, 18}, {1, 0, 0}}, FftShape{{32, 1, 1}, {9, 0, 0}}}) {
    const std::size_t count = 3, kept = shape.size() / shape.lengths[0] * shape.used[0];
    std::vector<Complex> x = random_vector(count * shape.size(), 4);
    for (std::size_t i = 0; i < x.size(); ++i)
      if (i % shape.size() >= kept) x[i] = 0;
    const Fft cpu({shape.lengths, {}});
    const DeviceFft fft(shape, count);
    DeviceBuffer<Complex> values(x.size(), "values");
    std::vector<Complex> y(x.size()), expected = x;
    values.upload(x, stream);
    cpu.forward(expected.data(), count);
    fft.forward(values.data(), stream);
    values.download(y, stream);
    EXPECT_LE(relative_difference(y, expected), sum_tolerance(shape.size()));
    cpu.backward(expected.data(), count);
    fft.backward(values.data(), stream);
    values.download(y, stream);
    for (std::vector<Complex>* all : {&y, &expected})
      for (std::size_t i = 0; i < all->size(); ++i)
        if (i % shape.size() >= kept) (*all)[i] = 0;
    EXPECT_LE(relative_difference(y, expected), sum_tolerance(shape.size()));
  }
}

TEST_F(FftOnDevice, GivesTheSameBitsTwice) {
  const DeviceStream stream;
  const FftShape shape{{24, 25, 27}, {}};
  const DeviceFft fft(shape, 2);
  const std::vector<Complex> x = random_vector(2 * shape.size(), 5);
  std::vector<Complex> first(x.size()), second(x.size());
  DeviceBuffer<Complex> values(x.size(), "values");
  for (std::vector<Complex>* y : {&first, &second}) {
    values.upload(x, stream);
    fft.forward(values.data(), stream);
    values.download(*y, stream);
  }
  EXPECT_EQ(first, second);
}

}  // namespace
}  // namespace thinwire
