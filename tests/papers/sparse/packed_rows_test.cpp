#include "papers/sparse/packed_rows.h"

#include <gtest/gtest.h>

#include "tests/kernels/spmv/sparse_samples.h"

namespace thinwire {
namespace {

using namespace testing;

/// Table 2 of Kawamura et al. 2020. Where one triangle of the matrix is stored, Nz is the
/// whole matrix's, the rest the triangle's.
struct PaperMatrix {
  const char* name;
  std::size_t N, Nz, Nnon, K, Kv, Kc;
};
constexpr PaperMatrix table_2[] = {
    {"cant", 62451, 4007383, 39097, 40, 40, 16},
    {"rma10", 46835, 2374001, 447, 145, 145, 40},
    {"consph", 83334, 6010480, 30461, 78, 78, 38},
    {"parabolic_fem", 525825, 3674625, 999115, 7, 6, 6},
    {"pwtk", 217918, 11524432, 199, 90, 90, 18},
    {"thermal2", 1228045, 8580313, 2846134, 11, 9, 8},
    {"af_shell9", 504855, 17588845, 919, 30, 30, 10},
    {"F1", 343791, 26837113, 46738, 378, 378, 150},
    {"nd24k", 72000, 28715634, 441476, 483, 472, 114},
    {"dielFilterV2real", 1157456, 48538952, 10631364, 99, 79, 48},
    {"Cube_Coup_dt0", 2164760, 124406070, 125891, 52, 52, 23},
    {"Bump_2911", 2911419, 127729899, 212859, 174, 174, 44},
    {"Queen_4147", 4147110, 316548962, 228679, 63, 63, 35},
    {"UT-Heart1", 82047, 3423519, 0, 63, 63, 40},
    {"UT-Heart2", 130595, 6954413, 969595, 124, 111, 50}};
constexpr EntrySizes papers_sizes = {8, 4, 4};

PatternCounts counts_of(const PaperMatrix& m) {
  return {m.N, m.Nz, m.Nz - m.Nnon, 0, m.Nnon, m.K, m.Kv, m.Kc};
}

TEST(PackedRows, TheFormulasGiveThePapersSavings) {
  double best = 0, mean = 0;
  std::string of;
  int smaller = 0;
  for (const PaperMatrix& m : table_2) {
    const PatternCounts counts = counts_of(m);
    const double saved = 1 - static_cast<double>(rbp_ell_bytes(counts, papers_sizes)) /
                                 static_cast<double>(ell_bytes(counts, papers_sizes));
    mean += saved / std::size(table_2);
    smaller += rbp_ell_pays(counts, papers_sizes);
    if (saved > best) {
      best = saved;
      of = m.name;
    }
    // Test (8) as printed.
    const auto n = [](std::size_t v) { return static_cast<std::int64_t>(v); };
    EXPECT_EQ(rbp_ell_pays(counts, papers_sizes),
              n(m.N) * (3 * n(m.K) - 2 * n(m.Kv) - n(m.Kc)) > 3 * n(m.Nnon) + n(m.N) + 1)
        << m.name;
  }
  // The paper: 13 of 15 are smaller, pwtk 26.3 %, UT-Heart2 20.6 %, 16.2 % on the mean
  // (16.0 from the printed integers).
  EXPECT_EQ(of, "pwtk");
  EXPECT_NEAR(100 * best, 26.3, 0.05);
  EXPECT_NEAR(100 * mean, 16.0, 0.05);
  EXPECT_EQ(smaller, 13);
  const PatternCounts heart = counts_of(table_2[14]), bump = counts_of(table_2[11]),
                      pwtk = counts_of(table_2[4]);
  EXPECT_NEAR(static_cast<double>(rbp_ell_bytes(heart, papers_sizes)) /
                  static_cast<double>(ell_bytes(heart, papers_sizes)),
              1 - 0.206, 5e-4);
  EXPECT_NEAR(static_cast<double>(ell_bytes(bump, papers_sizes)), 6.08e9, 5e6);
  EXPECT_NEAR(static_cast<double>(rbp_ell_bytes(bump, papers_sizes)), 4.58e9, 5e6);
  EXPECT_NEAR(static_cast<double>(rbp_ell_r_bytes(pwtk, papers_sizes)) /
                  static_cast<double>(ell_r_bytes(pwtk, papers_sizes)),
              1 - 0.262, 5e-4);
}

TEST(PackedRows, SevenIsTheDifferenceOfOneAndFour) {
  for (const std::size_t n : {9u, 65u, 700u}) {
    const PatternCounts c = count_pattern(uneven_matrix<double>(n));
    const auto v = [](std::size_t value) { return static_cast<std::int64_t>(value); };
    const std::int64_t difference =
        v(csr_bytes(c, papers_sizes)) - v(rbp_csr_bytes(c, papers_sizes));
    EXPECT_EQ(difference, 4 * (2 * (v(c.Nz) - v(c.Nval)) + (v(c.Nz) - v(c.Ncol)) -
                               3 * v(c.Nnon) - 2 * (v(c.N) + 1)));
    EXPECT_EQ(rbp_csr_pays(c, papers_sizes), difference > 0);
  }
}

TEST(PackedRows, PacksAsByHand) {
  // Row 0: columns 0 1 2 5; row 1: none; row 2: 3, which does not go on from row 0; row
  // 3: 1, 4 5.
  const Csr<double> matrix = with_columns<double>({{0, 1, 2, 5}, {}, {3}, {1, 4, 5}}, 6);
  const RbpCsr<double> packed = make_rbp_csr(matrix);
  EXPECT_EQ(packed.column, (std::vector<std::uint32_t>{0, 2, 4, 5}));
  EXPECT_EQ(packed.value_ptr, (std::vector<std::int64_t>{0, 3, 3, 3, 5}));
  EXPECT_EQ(packed.column_ptr, (std::vector<std::int64_t>{0, 2, 2, 2, 4}));
  EXPECT_EQ(packed.singles.column, (std::vector<std::uint32_t>{5, 3, 1}));
  EXPECT_EQ(packed.singles.row_ptr, (std::vector<std::int64_t>{0, 1, 1, 2, 3}));
  const RbpEll<double> ell = make_rbp_ell(matrix, true);
  EXPECT_EQ(ell.runs.width, 3u);
  EXPECT_EQ(ell.runs.column, (std::vector<std::uint32_t>{0, 0, 0, 4, 2, 0, 0, 5}));
  EXPECT_EQ(ell.runs.length, (std::vector<std::uint32_t>{3, 0, 0, 2}));
}

template <class A>
void expect_bytes(const Csr<A>& matrix) {
  const PatternCounts counts = count_pattern(matrix);
  const EntrySizes sizes{sizeof(A), 4, 8};
  EXPECT_EQ(matrix.bytes(), csr_bytes(counts, sizes));
  EXPECT_EQ(make_ell(matrix, false).bytes(), ell_bytes(counts, sizes));
  EXPECT_EQ(make_ell(matrix, true).bytes(), ell_r_bytes(counts, sizes));
  EXPECT_EQ(make_rbp_csr(matrix).bytes(), rbp_csr_bytes(counts, sizes));
  EXPECT_EQ(make_rbp_ell(matrix, false).bytes(), rbp_ell_bytes(counts, sizes));
  EXPECT_EQ(make_rbp_ell(matrix, true).bytes(), rbp_ell_r_bytes(counts, sizes));
}

TEST(PackedRows, FormulasAreWhatIsAllocated) {
  expect_bytes(uneven_matrix<double>());
  expect_bytes(uneven_matrix<float>());
  expect_bytes(uneven_matrix<std::complex<double>>());
  expect_bytes(uneven_matrix<std::complex<float>>(1000));
}

}  // namespace
}  // namespace thinwire
