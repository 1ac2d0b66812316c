#include "cg/vector_ops.h"

#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <cmath>

#include "tests/cg/dense_system.h"

namespace thinwire {
namespace {

using testing::random_vector;
using ::testing::TestWithParam;
using ::testing::Values;

using Wide = std::complex<long double>;

class VectorOps : public TestWithParam<std::size_t> {
 protected:
  std::size_t n = GetParam();
  std::vector<Complex> x = random_vector(n, 1), y = random_vector(n, 2);
  // C sqrt(n) eps, times the size of the terms.
  double tolerance = 8 * std::sqrt(double(n)) * 2.3e-16 * std::sqrt(double(n));
};

// Lengths about the chunk of 1024 and the threshold of parallel loops too.
INSTANTIATE_TEST_SUITE_P(Lengths, VectorOps,
                         Values(1, 31, 33, 63, 65, 257, 1000, 1023, 1025, 16384, 20001));

TEST_P(VectorOps, SumsAgreeWithExtendedPrecision) {
  Wide products = 0;
  long double square = 0;
  for (std::size_t i = 0; i < n; ++i) {
    products += std::conj(Wide(x[i])) * Wide(y[i]);
    square += std::norm(Wide(x[i]));
  }
  std::vector<Complex> h(1);
  dotc_all({x.data()}, y, h);
  EXPECT_LE(std::abs(Wide(h[0]) - products), tolerance);
  const double norm = norm2(x);
  EXPECT_LE(std::abs(norm * norm - square), tolerance * 4);
}

TEST_P(VectorOps, UpdatesAgreeWithTheirFormulas) {
  const Complex a(0.3, -1.7);
  std::vector<Complex> plus = y, scaled_plus = y;
  axpy(a, x, plus);
  xpay(x, a, scaled_plus);
  for (std::size_t i = 0; i < n; ++i) {
    EXPECT_LE(std::abs(plus[i] - (y[i] + a * x[i])), 1e-14);
    EXPECT_LE(std::abs(scaled_plus[i] - (x[i] + a * y[i])), 1e-14);
  }
}

TEST_P(VectorOps, BasisOperationsAgreeWithSingleOnes) {
  std::vector<std::vector<Complex>> vectors;
  KrylovBasis basis;
  for (unsigned j = 0; j < 5; ++j) {
    vectors.push_back(random_vector(n, 10 + j));
    basis.push_back(vectors.back().data());
  }
  // Fewer coefficients than vectors: the rest must not be touched.
  std::vector<Complex> h(4), by_all = y, one_by_one = y;
  dotc_all(basis, x, h);
  for (std::size_t j = 0; j < h.size(); ++j) {
    std::vector<Complex> alone(1);
    dotc_all({vectors[j].data()}, x, alone);
    EXPECT_EQ(h[j], alone[0]);
    add_multiple(h[j], vectors[j], by_all);
    axpy(h[j], vectors[j], one_by_one);
  }
  EXPECT_LE(testing::relative_difference(by_all, one_by_one), 1e-15);
}

TEST_P(VectorOps, SumsHaveTheSameBitsForAnyNumberOfThreads) {
  const int before = omp_get_max_threads();
  const KrylovBasis basis = {x.data(), y.data()};
  std::vector<std::vector<Complex>> results;
  for (const int threads : {1, 2, 3, 7}) {
    omp_set_num_threads(threads);
    std::vector<Complex> h(2);
    dotc_all(basis, y, h);
    results.push_back({norm2(x), h[0], h[1]});
  }
  omp_set_num_threads(before);
  for (const auto& result : results) EXPECT_EQ(result, results[0]);
}

TEST(VectorOpsByHand, ProductsConjugateTheBasis) {
  const std::vector<Complex> x = {{1, 2}, {0, 1}}, y = {{3, -1}, {0, 1}};
  std::vector<Complex> h(1);
  dotc_all({x.data()}, y, h);
  EXPECT_EQ(h[0], Complex(1 + 1, -7));  // (1-2i)(3-i) + (-i) i
  EXPECT_DOUBLE_EQ(norm2(x), std::sqrt(6));
}

// As if three ranks held the same part each: every reduction has to pass through.
class ThreeRanks final : public Comm {
 public:
  using Comm::sum;
  int rank() const override { return 0; }
  int ranks() const override { return 3; }
  void sum(std::span<double> values) const override {
    for (double& value : values) value *= 3;
  }
  void gather(std::span<const double>, std::span<double>) const override {
    ADD_FAILURE() << "sums gather nothing";
  }
  void gather(std::span<const double>, std::span<double>, int) const override {
    ADD_FAILURE() << "sums gather nothing";
  }
  void broadcast(std::span<double>, int) const override {
    ADD_FAILURE() << "sums broadcast nothing";
  }
};

TEST(VectorOpsByHand, EverySumGoesThroughTheComm) {
  const ThreeRanks comm;
  const std::vector<Complex> x = {{1, 2}, {0, 1}}, y = {{3, -1}, {0, 1}};
  EXPECT_DOUBLE_EQ(norm2(x, comm), std::sqrt(18));
  std::vector<Complex> h(1);
  dotc_all({x.data()}, y, h, comm);
  EXPECT_EQ(h[0], 3.0 * Complex(2, -7));
}

}  // namespace
}  // namespace thinwire
