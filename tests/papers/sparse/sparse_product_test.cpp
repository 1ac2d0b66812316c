#include "papers/sparse/sparse_product.h"

#include <gtest/gtest.h>
#include <omp.h>

#include <cstring>

#include "kernels/spmv/run_matrix.h"
#include "tests/kernels/spmv/sparse_samples.h"
#include "tests/messages.h"

namespace thinwire {
namespace {

using namespace testing;
using Double = std::complex<double>;
using Single = std::complex<float>;

/// Errors stay below this many epsilons times the terms: every format adds in another
/// order.
constexpr double bound = 2;

template <class A, class V>
void compare(const SparseMethod& method, const Csr<A>& matrix) {
  SCOPED_TRACE(method.name);
  const auto product = make_sparse_product<A, V>(method, matrix);
  const std::vector<V> x = random_vector<V>(matrix.columns, 1);
  std::mt19937_64 generator(2);
  const V alpha = random_number<V>(generator), beta = random_number<V>(generator);
  for (const V b : {beta, V(0)}) {
    std::vector<V> y = random_vector<V>(matrix.rows, 3);
    const auto expected = exact_product(matrix, alpha, x, b, y);
    // With beta = 0 nothing of y may come through.
    if (b == V(0))
      std::fill(y.begin(), y.end(), std::numeric_limits<RealOf<V>>::quiet_NaN());
    product->multiply(alpha, x, b, y);
    EXPECT_LT(error_in_epsilons(matrix, y, expected), bound);
  }
}

/// The others are another's product on the CPU.
template <class A>
bool has_own_clone(const SparseMethod& method, const Csr<A>& matrix) {
  return product_on_cpu(method, matrix).name == method.name;
}

template <class A, class V>
void compare_all() {
  for (const std::size_t n : {9u, 65u, 700u}) {
    const Csr<A> symmetric = symmetric_matrix<A>(n), uneven = uneven_matrix<A>(n);
    for (const SparseMethod& method : sparse_methods())
      if (has_own_clone(method, uneven))
        compare<A, V>(method, method.format == SparseFormat::runs ? symmetric : uneven);
  }
}

TEST(SparseProduct, EveryMethodInDouble) {
  compare_all<double, double>();
}
TEST(SparseProduct, EveryMethodInSingle) {
  compare_all<float, float>();
}
TEST(SparseProduct, EveryMethodInComplexDouble) {
  compare_all<Double, Double>();
}
TEST(SparseProduct, EveryMethodInComplexSingle) {
  compare_all<Single, Single>();
}
TEST(SparseProduct, EveryMethodRealOnComplexVectors) {
  compare_all<double, Double>();
  compare_all<float, Single>();
}

TEST(SparseProduct, ARowOfAMillionEntries) {
  std::vector<std::set<std::uint32_t>> rows(3);
  for (std::uint32_t column = 0; column < 1000000; ++column)
    rows[1].insert(rows[1].end(), column);
  rows[2] = {7, 999999};
  const Csr<double> matrix = with_columns<double>(rows, 1000000);
  for (const char* name : {"csr", "ell", "ell-r", "rbp-csr", "rbp-ell", "rbp-ell-r",
                           "segmented-scan", "segmented-scan-4"})
    compare<double, double>(sparse_method_named(name), matrix);
}

TEST(SparseProduct, AnEmptyMatrix) {
  const Csr<double> matrix{0, 0, {0}, {}, {}};
  std::vector<double> none;
  for (const SparseMethod& method : sparse_methods()) {
    const auto product = make_sparse_product<double, double>(method, matrix);
    product->multiply(1, none, 0, none);
  }
  const Csr<double> zeros{5, 5, {0, 0, 0, 0, 0, 0}, {}, {}};
  for (const SparseMethod& method : sparse_methods()) {
    std::vector<double> y(5, 3.0);
    make_sparse_product<double, double>(method, zeros)
        ->multiply(1, random_vector<double>(5, 1), 2, y);
    for (const double value : y) EXPECT_EQ(value, 6.0) << method.name;
  }
}

TEST(SparseProduct, TheSameBitsWithAnyNumberOfThreads) {
  const Csr<Double> matrix = symmetric_matrix<Double>(900);
  const std::vector<Double> x = random_vector<Double>(900, 1);
  const int threads = omp_get_max_threads();
  for (const char* name : {"csr", "segmented-scan", "rbp-ell", "runs"}) {
    const auto product =
        make_sparse_product<Double, Double>(sparse_method_named(name), matrix);
    std::vector<Double> one(900), three(900);
    omp_set_num_threads(1);
    product->multiply(1, x, 0, one);
    omp_set_num_threads(3);
    product->multiply(1, x, 0, three);
    EXPECT_EQ(std::memcmp(one.data(), three.data(), 900 * sizeof(one[0])), 0) << name;
  }
  omp_set_num_threads(threads);
}

TEST(SparseProduct, PacksOnlyWhereItPays) {
  // A diagonal has no runs; full rows are one run each.
  std::vector<std::set<std::uint32_t>> diagonal(40), full(40);
  for (std::uint32_t i = 0; i < 40; ++i) {
    diagonal[i] = {i};
    for (std::uint32_t j = 0; j < 40; ++j) full[i].insert(j);
  }
  const SparseMethod &csr = sparse_method_named("rbp-csr-auto"),
                     &ell = sparse_method_named("rbp-ell-auto");
  EXPECT_EQ(chosen_format(csr, with_columns<double>(diagonal, 40)), SparseFormat::csr);
  EXPECT_EQ(chosen_format(csr, with_columns<double>(full, 40)), SparseFormat::rbp_csr);
  EXPECT_EQ(chosen_format(ell, with_columns<double>(diagonal, 40)), SparseFormat::ell);
  EXPECT_EQ(chosen_format(ell, with_columns<double>(full, 40)), SparseFormat::rbp_ell);
}

TEST(SparseProduct, MethodsThatShareATwin) {
  const Csr<double> matrix = symmetric_matrix<double>(65);
  std::vector<double> x = random_vector<double>(65, 1), own(65), shared(65);
  int sharing = 0;
  for (const SparseMethod& method : sparse_methods()) {
    const SparseMethod& twin = product_on_cpu(method, matrix);
    sharing += twin.name != method.name;
    EXPECT_EQ(product_on_cpu(twin, matrix).name, twin.name) << method.name;
    const auto product = make_sparse_product<double, double>(method, matrix);
    const auto other = make_sparse_product<double, double>(twin, matrix);
    EXPECT_EQ(product->bytes(), other->bytes()) << method.name;
    product->multiply(1, x, 0, own);
    other->multiply(1, x, 0, shared);
    EXPECT_EQ(own, shared) << method.name;
  }
  // crs-vector, with 6 numbers of threads and 4 versions; 2 of rows, 4 of in-row; 2 auto.
  EXPECT_EQ(sharing, 11 + 6 + 2);
  for (const char* name : {"crs-vector-8", "rows-blocks", "in-row-bc"})
    EXPECT_EQ(product_on_cpu(sparse_method_named(name), matrix).name, "csr");
  for (const char* name : {"segmented-scan-4", "ell-r", "rbp-ell-r", "runs-16"})
    EXPECT_EQ(product_on_cpu(sparse_method_named(name), matrix).name, name);
}

TEST(SparseProduct, ThreadsARowByThePapersFormula) {
  EXPECT_EQ(threads_per_row(0, 10), 1);
  EXPECT_EQ(threads_per_row(10, 10), 1);
  EXPECT_EQ(threads_per_row(11, 10), 2);
  EXPECT_EQ(threads_per_row(20, 10), 2);
  EXPECT_EQ(threads_per_row(161, 10), 32);
  EXPECT_EQ(threads_per_row(1000000, 10), 32);
}

TEST(SparseProduct, RefusesInOneLine) {
  const std::string unknown = test::error_message([] { sparse_method_named("jds"); });
  for (const char* text : {"'jds'", "crs-vector-8", "rbp-ell-r", "runs"})
    EXPECT_TRUE(contains(unknown, text));
  EXPECT_FALSE(contains(unknown, "\n"));
  const std::string uneven = test::error_message([] {
    make_sparse_product<double, double>(sparse_method_named("runs"),
                                        uneven_matrix<double>(65));
  });
  EXPECT_TRUE(contains(uneven, "not symmetric"));
  SparseMethod odd = sparse_method_named("segmented-scan");
  odd.segment = 48;
  EXPECT_TRUE(contains(test::error_message([&] {
                         make_sparse_product<double, double>(odd,
                                                             uneven_matrix<double>(65));
                       }),
                       "got 48"));
}

}  // namespace
}  // namespace thinwire
