#include "papers/study/sparse_reference.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "papers/study/sparse_matrices.h"

namespace thinwire {
namespace {

constexpr SparseType all_types[] = {SparseType::real_double, SparseType::complex_double,
                                    SparseType::real_single, SparseType::complex_single};

bool is_double(SparseType type) {
  return type == SparseType::real_double || type == SparseType::complex_double;
}

TEST(SparseReference, IsTheProductByHand) {
  const std::vector<double> x = sparse_vector<double>(2);
  const Csr<double> matrix{2, 2, {0, 1, 3}, {1, 0, 1}, {3, -2, 5}};
  const auto y = exact_product(matrix, {}, SparseType::real_double);
  ASSERT_EQ(y.size(), 2u);
  EXPECT_EQ(y[0], std::complex<long double>(3.0L * x[1]));
  EXPECT_EQ(y[1], std::complex<long double>(-2.0L * x[0] + 5.0L * x[1]));
  // Complex values of a file instead: (1 + 2 j) x.
  const std::vector<std::complex<double>> values = {{1, 2}, 0.0, {0, 1}};
  const std::vector<std::complex<double>> z = sparse_vector<std::complex<double>>(2);
  const auto w = exact_product(matrix, values, SparseType::complex_double);
  EXPECT_NEAR(std::abs(std::complex<double>(w[0]) - values[0] * z[1]), 0, 1e-15);
  EXPECT_NEAR(std::abs(std::complex<double>(w[1]) - values[2] * z[1]), 0, 1e-15);
}

TEST(SparseReference, KeepsWhatDoubleLoses) {
  // 2^60 x + x - 2^60 x of one x: double gives 0, or too much by far.
  const double huge = std::ldexp(1.0, 60);
  Csr<double> matrix{3, 3, {0, 3, 3, 3}, {0, 1, 2}, {huge, 1, -huge}};
  const std::vector<double> x = sparse_vector<double>(3);
  const auto y = exact_product(matrix, {}, SparseType::real_double);
  const long double by_hand = static_cast<long double>(huge) * x[0] +
                              static_cast<long double>(x[1]) -
                              static_cast<long double>(huge) * x[2];
  EXPECT_EQ(y[0].real(), by_hand);
}

/// The error of csr made from `made` where `matrix` was meant.
double error_of(const Csr<double>& made, const Csr<double>& matrix, SparseType type) {
  return relative_error(make_host_sparse_bench(made, type, 1)->measure("csr").y,
                        exact_product(matrix, {}, type));
}

TEST(SparseReference, AWrongFormatShowsAndRoundingToo) {
  const Csr<double> matrix = random_matrix(400, 20);
  Csr<double> wrong = matrix;  // one entry in another place
  std::uint32_t& column = wrong.column[19];
  ASSERT_LT(column, 399u);
  ++column;
  Csr<double> single = matrix;  // values that were rounded to single on their way
  for (double& value : single.value) value = static_cast<float>(value);
  for (const SparseType type : all_types) {
    const double right = error_of(matrix, matrix, type);
    EXPECT_GT(right, is_double(type) ? 1e-17 : 1e-8);
    EXPECT_LT(right, is_double(type) ? 1e-15 : 5e-7);
    EXPECT_GT(error_of(wrong, matrix, type), 5e-6);  // one of 8,000 entries
  }
  EXPECT_GT(error_of(single, matrix, SparseType::real_double), 1e-9);
}

TEST(SparseReference, ErrorsOfZeroAndOfNaN) {
  EXPECT_EQ(relative_error({0.0, 0.0}, {0.0L, 0.0L}), 0);
  EXPECT_EQ(relative_error({0.0, 3.0}, {0.0L, 0.0L}), 3);
  EXPECT_DOUBLE_EQ(relative_error({1.0, 1.0}, {1.0L, 0.0L}), 1);
  EXPECT_TRUE(std::isnan(
      relative_error({std::numeric_limits<double>::quiet_NaN(), 1.0}, {1.0L, 1.0L})));
}

}  // namespace
}  // namespace thinwire
