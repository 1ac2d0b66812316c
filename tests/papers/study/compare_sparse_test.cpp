#include "papers/study/compare_sparse.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "kernels/base/error.h"
#include "tests/messages.h"

namespace thinwire {
namespace {

SparseBenchOptions small(std::vector<std::string> matrices,
                         std::vector<std::string> formats = {}) {
  SparseBenchOptions options;
  options.matrices = std::move(matrices);
  options.formats = std::move(formats);
  options.scale = 0.002;
  options.repeats = 1;
  return options;
}

TEST(CompareSparse, EveryFormatGivesTheSameProduct) {
  for (const SparseType type : {SparseType::real_double, SparseType::complex_double,
                                SparseType::real_single, SparseType::complex_single}) {
    SparseBenchOptions options = small({"plate"});
    options.type = type;
    const SparseReport report = compare_sparse(options);
    const bool is_double =
        type == SparseType::real_double || type == SparseType::complex_double;
    // crs-vector, rows-blocks, rows-cyclic and in-row-cc are csr's product on the CPU.
    EXPECT_EQ(report.rows.size(), default_sparse_formats(type, false).size() - 4);
    EXPECT_TRUE(report.gaps.empty());
    for (const SparseRow& row : report.rows) {
      // The rounding of sums of up to 300 numbers shows, csr's own, too.
      EXPECT_LT(row.error, is_double ? 1e-15 : 5e-7) << row.matrix << ", " << row.format;
      EXPECT_GT(row.error, is_double ? 1e-17 : 1e-8) << row.matrix << ", " << row.format;
      EXPECT_GT(row.times.median_s, 0);
      // The paper's equations are what is allocated, to the byte, but for pointers to
      // rows: 8 bytes here, 4 there.
      if (!std::isnan(row.formula_bytes)) {
        const auto pointers =
            static_cast<double>(row.rows + 1) * (row.format == "rbp-csr"         ? 3
                                                 : row.format.starts_with("ell") ? 0
                                                                                 : 1);
        EXPECT_EQ(row.bytes, row.formula_bytes + 4 * pointers) << row.format;
      }
    }
  }
}

// Kawamura et al. 2020, equations (1) and (4), on a tridiagonal matrix: all entries lie
// in runs, one a row.
TEST(CompareSparse, FormulasHaveThePapersPointers) {
  const SparseReport report = compare_sparse(small({"band3"}, {"csr", "rbp-csr"}));
  const double n = 4000, nz = 3 * n - 2;
  ASSERT_EQ(report.rows.size(), 2U);
  EXPECT_EQ(report.rows[0].formula_bytes, 12 * nz + 4 * (n + 1));
  EXPECT_EQ(report.rows[1].formula_bytes, 12 * (n + 1) + 4 * 2 * n + 8 * nz);
  EXPECT_EQ(report.rows[0].bytes, 12 * nz + 8 * (n + 1));
}

TEST(CompareSparse, OnTheCpuMeasuresASharedProductOnce) {
  const SparseReport report =
      compare_sparse(small({"laplace7", "hexahedra"},
                           {"crs-vector", "csr", "in-row-bb", "ell", "rbp-ell-auto"}));
  std::vector<std::string> measured;
  for (const SparseRow& row : report.rows)
    measured.push_back(row.matrix + " " + row.format);
  EXPECT_EQ(measured,
            (std::vector<std::string>{"laplace7 csr", "laplace7 ell", "hexahedra csr",
                                      "hexahedra ell", "hexahedra rbp-ell"}));
  const std::vector<std::string> findings = sparse_findings(report);
  const auto has = [&](const char* text) {
    return std::any_of(findings.begin(), findings.end(), [&](const std::string& finding) {
      return finding.find(text) != std::string::npos;
    });
  };
  EXPECT_TRUE(has(
      "csr: on the CPU also the product of crs-vector and in-row-bb; measured once."));
  EXPECT_TRUE(has("ell: on the CPU also the product of rbp-ell-auto (on laplace7);"));
  EXPECT_TRUE(
      has("rbp-ell: on the CPU also the product of rbp-ell-auto (on hexahedra);"));
  for (const char* none : {"fastest", "The paper", "as fast as"})
    EXPECT_FALSE(has(none)) << none;
}

TEST(CompareSparse, FindingsOfAGpuStandBesideThePapers) {
  SparseReport report =
      compare_sparse(small({"band3", "rand1"}, {"csr", "segmented-scan"}));
  EXPECT_TRUE(report.shared.empty());
  report.gpu = true;  // as if
  const std::vector<std::string> findings = sparse_findings(report);
  ASSERT_GE(findings.size(), 2u);
  EXPECT_EQ(findings[0].find("band3: fastest is "), 0u) << findings[0];
  EXPECT_TRUE(contains(findings[0], "The paper: rows in turns are best."));
}

TEST(CompareSparse, TheStandardIsOneOfItself) {
  SparseBenchOptions options =
      small({"band1", "band3"}, {"segmented-scan", "csr", "ell", "in-row-cc"});
  options.scale = 0.001;
  for (const SparseRow& row : compare_sparse(options).rows)
    if (row.format == "csr") {
      EXPECT_EQ(row.ratio, 1) << row.matrix;
    }
}

TEST(CompareSparse, NearFieldsTakeAQuarterAsRealHalves) {
  SparseBenchOptions options = small({"plate-wide"}, {"runs", "runs-real", "rbp-csr"});
  options.type = SparseType::complex_double;
  options.scale = 0.02;
  const SparseReport report = compare_sparse(options);
  ASSERT_EQ(report.rows.size(), 3u);
  const auto saved = [&](std::size_t k) {
    return 1 - report.rows[k].bytes / report.rows[k].csr_bytes;
  };
  EXPECT_GT(saved(0), 0.5);
  EXPECT_GT(saved(1), 0.75);
  EXPECT_GT(saved(2), 0.16);
  EXPECT_LT(saved(2), 0.20);  // 4 of 20 bytes are a column number
}

TEST(CompareSparse, GmresTakesAsManyIterationsInEveryFormat) {
  SparseBenchOptions options =
      small({"band3"}, {"csr", "rbp-ell", "segmented-scan", "runs"});
  options.gmres = 200;
  const SparseReport report = compare_sparse(options);
  ASSERT_EQ(report.gmres.size(), 4u);
  for (const SparseGmresRow& row : report.gmres) {
    EXPECT_EQ(row.iterations, report.gmres[0].iterations) << row.format;
    EXPECT_LE(row.residual, 1e-6) << row.format;
  }
  EXPECT_EQ(sparse_tables(report).at(1).name(), "gmres");
  options.type = SparseType::real_single;
  EXPECT_THROW(compare_sparse(options), Error);
}

TEST(CompareSparse, PlotsRatesInTheOrderOfEntriesARow) {
  const SparseReport report =
      compare_sparse(small({"ladder16", "ladder1", "ladder4"}, {"csr", "ell"}));
  const std::vector<LinePlot> plots = sparse_plots(report);
  ASSERT_EQ(plots.size(), 1u);
  ASSERT_EQ(plots[0].series.size(), 2u);
  for (const PlotSeries& series : plots[0].series)
    EXPECT_EQ(series.x, (std::vector<double>{1, 4, 16})) << series.name;
  EXPECT_TRUE(sparse_plots(compare_sparse(small({"ladder1"}, {"csr"}))).empty());
}

TEST(CompareSparse, SaysWhatHasNoMeaning) {
  const SparseReport report = compare_sparse(small({"band1x"}, {"ell", "runs", "csr"}));
  ASSERT_EQ(report.gaps.size(), 2u);
  EXPECT_TRUE(contains(report.gaps[0].why, "padding to the longest row, 4000 entries"));
  EXPECT_TRUE(contains(report.gaps[1].why, "not symmetric"));
  EXPECT_EQ(report.rows.size(), 1u);
  const std::vector<Table> tables = sparse_tables(report);
  ASSERT_EQ(tables.size(), 2u);
  EXPECT_EQ(tables[1].rows(), 2u);
}

TEST(CompareSparse, RefusesNamesBeforeItMeasures) {
  const auto refusal = [](const SparseBenchOptions& options) -> std::string {
    return test::error_message([&] { compare_sparse(options); });
  };
  EXPECT_TRUE(contains(refusal(small({"band1", "bandx"})), "band101"));
  EXPECT_TRUE(contains(refusal(small({"nowhere.mtx"})), "no such file"));
  const std::string format = refusal(small({"band1"}, {"jds"}));
  for (const char* text : {"'jds'", "rbp-ell", "cusparse-sell"})
    EXPECT_TRUE(contains(format, text));
  EXPECT_TRUE(contains(refusal(small({"band1"}, {"cusparse-csr"})), "needs a GPU"));
  EXPECT_TRUE(contains(refusal(small({"band1"}, {"runs-real"})), "--type z"));
}

}  // namespace
}  // namespace thinwire
