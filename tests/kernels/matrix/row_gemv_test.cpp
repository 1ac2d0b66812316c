#include "kernels/matrix/row_gemv.h"

#include <cstring>

#include "kernels/base/error.h"
#include "tests/kernels/device/device_test_support.h"

namespace thinwire {
namespace {

using namespace testing;

TEST(RowGemvByHand, NormalAndTransposedReadAsNamed) {
  // A = [1, 2i; 3, 4] with one dummy a column.
  const std::vector<Complex> a = {1, 3, 99, {0, 2}, 4, 99}, x = {1, {0, 1}};
  std::vector<Complex> y(2);
  row_gemv({2, 3, false, 64}, a, x, y);
  EXPECT_EQ(y[0], Complex(-1, 0));
  EXPECT_EQ(y[1], Complex(3, 4));
  row_gemv({2, 3, true, 64}, a, x, y);
  EXPECT_EQ(y[0], Complex(1, 3));
  EXPECT_EQ(y[1], Complex(0, 6));
}

#if defined(THINWIRE_WITH_CUDA)
using RowGemvOnDevice = OnDevice;

TEST_F(RowGemvOnDevice, AgreesWithTheCpuForAnyBlockAndPadding) {
  const DeviceStream stream;
  for (const std::size_t n : test_sizes)
    for (const int threads : {1, 8, 64, 100, 1024})
      for (const bool transposed : {false, true}) {
        const RowGemv shape = {n, (n + 7) / 8 * 8, transposed, threads};
        const std::vector<Complex> a = random_vector(shape.leading * n, 3),
                                   x = random_vector(n, 4);
        std::vector<Complex> expected(n), y(n);
        row_gemv(shape, a, x, expected);
        DeviceBuffer<Complex> device_a(a.size(), "a"), device_x(n, "x"), device_y(n, "y");
        device_a.upload(a, stream);
        device_x.upload(x, stream);
        set_bytes(device_y.data(), poison, device_y.bytes(), stream);
        device_row_gemv(shape, device_a.data(), device_x.data(), device_y.data(), stream);
        device_y.download(y, stream);
        EXPECT_LE(relative_difference(y, expected), sum_tolerance(n))
            << "n = " << n << ", " << threads << " threads, transposed " << transposed;
      }
}

TEST_F(RowGemvOnDevice, RefusesBlocksThatNoGpuHas) {
  const DeviceStream stream;
  EXPECT_THROW(device_row_gemv({8, 8, false, 1025}, nullptr, nullptr, nullptr, stream),
               Error);
  EXPECT_THROW(device_row_gemv({8, 8, false, 0}, nullptr, nullptr, nullptr, stream),
               Error);
}
#endif

}  // namespace
}  // namespace thinwire
