#include <cstring>

#include "kernels/spmv/run_matrix.h"
#include "papers/sparse/sparse_product.h"
#include "tests/kernels/device/device_test_support.h"
#include "tests/kernels/spmv/sparse_samples.h"

namespace thinwire {
namespace {

using namespace testing;
using Double = std::complex<double>;
using Single = std::complex<float>;

class SparseOnDevice : public OnDevice {
 protected:
  /// alpha A x + beta y; y as given, or poisoned where beta is zero.
  template <class A, class V>
  static std::vector<V> product(const SparseMethod& method, const Csr<A>& matrix, V alpha,
                                const std::vector<V>& x, V beta,
                                const std::vector<V>& y) {
    const auto on_device = make_device_sparse_product<A, V>(method, matrix);
    const DeviceStream stream;
    DeviceBuffer<V> device_x(x.size(), "x"), device_y(y.size(), "y");
    device_x.upload(x, stream);
    if (beta == V(0))
      set_bytes(device_y.data(), poison, device_y.bytes(), stream);
    else
      device_y.upload(y, stream);
    on_device->multiply(alpha, device_x.data(), beta, device_y.data(), stream);
    std::vector<V> result(y.size());
    device_y.download(result, stream);
    return result;
  }

  /// Against the CPU product.
  template <class A, class V>
  static void compare(const SparseMethod& method, const Csr<A>& matrix) {
    SCOPED_TRACE(method.name + ", n = " + std::to_string(matrix.rows));
    const std::vector<V> x = random_vector<V>(matrix.columns, 1),
                         y = random_vector<V>(matrix.rows, 3);
    std::mt19937_64 generator(2);
    const V alpha = random_number<V>(generator), beta = random_number<V>(generator);
    for (const V b : {beta, V(0)}) {
      std::vector<V> twin = y;
      make_sparse_product<A, V>(method, matrix)->multiply(alpha, x, b, twin);
      std::vector<std::complex<long double>> expected;
      for (const V& value : twin) expected.push_back(wide(value));
      EXPECT_LT(error_in_epsilons(matrix, product<A, V>(method, matrix, alpha, x, b, y),
                                  expected),
                2);
    }
  }

  template <class A, class V>
  static void compare_all() {
    for (const std::size_t n : {1u, 31u, 33u, 257u, 1000u, 5000u}) {
      const Csr<A> symmetric = symmetric_matrix<A>(n), uneven = uneven_matrix<A>(n);
      for (const SparseMethod& method : sparse_methods())
        compare<A, V>(method, method.format == SparseFormat::runs ? symmetric : uneven);
    }
  }
};

TEST_F(SparseOnDevice, EveryMethodInDouble) {
  compare_all<double, double>();
}
TEST_F(SparseOnDevice, EveryMethodInSingle) {
  compare_all<float, float>();
}
TEST_F(SparseOnDevice, EveryMethodInComplexDouble) {
  compare_all<Double, Double>();
}
TEST_F(SparseOnDevice, EveryMethodInComplexSingle) {
  compare_all<Single, Single>();
}
TEST_F(SparseOnDevice, EveryMethodRealOnComplexVectors) {
  compare_all<double, Double>();
  compare_all<float, Single>();
}

TEST_F(SparseOnDevice, ARowOfAMillionEntries) {
  std::vector<std::set<std::uint32_t>> rows(3);
  for (std::uint32_t column = 0; column < 1000000; ++column)
    rows[1].insert(rows[1].end(), column);
  rows[2] = {7, 999999};
  const Csr<double> matrix = with_columns<double>(rows, 1000000);
  for (const SparseMethod& method : sparse_methods())
    if (method.format != SparseFormat::runs) compare<double, double>(method, matrix);
}

TEST_F(SparseOnDevice, GivesTheSameBitsTwice) {
  const Csr<Double> matrix = symmetric_matrix<Double>(3000);
  const std::vector<Double> x = random_vector<Double>(3000, 1), y(3000);
  for (const SparseMethod& method : sparse_methods()) {
    const auto first = product<Double, Double>(method, matrix, 1, x, 0, y),
               second = product<Double, Double>(method, matrix, 1, x, 0, y);
    EXPECT_EQ(std::memcmp(first.data(), second.data(), first.size() * sizeof(first[0])),
              0)
        << method.name;
  }
}

TEST_F(SparseOnDevice, RunsOfSeveralTasksABlock) {
  // Every row has every column, so that a block's columns are many tasks.
  const std::size_t n = 2100;
  RunPattern<> pattern = make_run_pattern(n,
                                          [&](std::size_t, std::vector<ColumnRun>& runs) {
                                            runs = {{0, 2100}};
                                          },
                                          {8, 16, 3});
  RunMatrix<float> matrix(std::move(pattern));
  const RunView<float> view = matrix.view();
  std::mt19937_64 generator(4);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j <= i; ++j)
      ASSERT_TRUE(view.set(i, j, random_number<float>(generator)));
  const std::vector<Double> x = random_vector<Double>(n, 1);
  std::vector<Double> expected(n), y(n);
  run_multiply<float, Double>(matrix, Double(2, 1), x, Double(0), expected);
  DeviceRunMatrix<float, Double> on_device(matrix);
  const DeviceStream stream;
  DeviceBuffer<Double> device_x(n, "x"), device_y(n, "y");
  device_x.upload(x, stream);
  set_bytes(device_y.data(), poison, device_y.bytes(), stream);
  on_device.multiply(Double(2, 1), device_x.data(), Double(0), device_y.data(), stream);
  device_y.download(y, stream);
  EXPECT_LE(relative_difference(y, expected), sum_tolerance(n));
  EXPECT_EQ(on_device.bytes(), matrix.bytes());
}

}  // namespace
}  // namespace thinwire
