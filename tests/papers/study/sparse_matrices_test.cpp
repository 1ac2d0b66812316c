#include "papers/study/sparse_matrices.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

#include "kernels/base/error.h"
#include "papers/sparse/packed_rows.h"
#include "papers/study/matrix_market.h"
#include "papers/study/near_field_matrix.h"
#include "tests/io/temporary_folder.h"
#include "tests/kernels/spmv/sparse_samples.h"
#include "tests/messages.h"

namespace thinwire {
namespace {

std::size_t longest_row(const Csr<double>& matrix) {
  return count_pattern(matrix).K;
}

TEST(SparseMatrices, CountsOfThePaper) {
  // Table 2 of Ohshima 2011 by its formulas, N = 2,000: 3 N - 2, 101 N - 2550, 2 N - 1.
  EXPECT_EQ(band_matrix(2000, 0).entries(), 2000u);
  EXPECT_EQ(band_matrix(2000, 1).entries(), 5998u);
  EXPECT_EQ(band_matrix(2000, 50).entries(), 101u * 2000 - 2550);
  EXPECT_EQ(diagonal_with_full_row(2000).entries(), 3999u);
  const Csr<double> random = random_matrix(2000, 100);
  EXPECT_EQ(random.entries(), 200000u);
  EXPECT_EQ(longest_row(random), 100u);
}

TEST(SparseMatrices, PowerLawHasTheCountsOfDc2) {
  const Csr<double> matrix = power_law_matrix(116835, 766396, 116835);
  EXPECT_EQ(matrix.entries(), 766396u);
  EXPECT_EQ(longest_row(matrix), 116835u);
  EXPECT_TRUE(testing::is_sound(matrix));
  // Uneven: half of the rows are of a few entries.
  std::vector<std::int64_t> lengths;
  for (std::size_t i = 0; i < matrix.rows; ++i)
    lengths.push_back(matrix.row_ptr[i + 1] - matrix.row_ptr[i]);
  std::nth_element(lengths.begin(), lengths.begin() + 58000, lengths.end());
  EXPECT_LE(lengths[58000], 8);
}

TEST(SparseMatrices, GeometricLengthsHaveTheirMean) {
  const Csr<double> matrix = geometric_matrix(20000, 16);
  // The mean of 20,000 lengths scatters by 16 / sqrt(20,000) = 0.11; a share of 1 / 16 of
  // the rows has one entry.
  EXPECT_NEAR(static_cast<double>(matrix.entries()) / 20000, 16, 0.5);
  int single = 0;
  for (std::size_t i = 0; i < matrix.rows; ++i)
    single += matrix.row_ptr[i + 1] - matrix.row_ptr[i] == 1;
  EXPECT_NEAR(single / 20000.0, 1 / 16.0, 0.008);
}

TEST(SparseMatrices, EverySampleIsSound) {
  for (const SparseSample& sample : sparse_samples()) {
    const Csr<double> matrix = sample.make(0.002, {});
    EXPECT_TRUE(testing::is_sound(matrix)) << sample.name;
    EXPECT_GE(matrix.rows, 8u) << sample.name;
    const std::string name = sample.name;
    const bool symmetric = name == "band1" || name == "band3" || name == "band101" ||
                           name == "laplace7" || name == "hexahedra" ||
                           name.starts_with("plate") || name == "ship" || name == "array";
    EXPECT_EQ(is_symmetric(matrix), symmetric) << name;
  }
}

TEST(SparseMatrices, HexahedraAreElastic) {
  const std::size_t side = 4, nodes = 5;
  const Csr<double> matrix = hexahedra_matrix(side);
  EXPECT_EQ(matrix.rows, 3 * nodes * nodes * nodes);
  EXPECT_EQ(longest_row(matrix), 81u);
  const auto product = [&](auto&& displacement) {
    std::vector<double> force(matrix.rows);
    for (std::size_t i = 0; i < matrix.rows; ++i)
      for (std::int64_t k = matrix.row_ptr[i]; k < matrix.row_ptr[i + 1]; ++k) {
        const std::size_t node = matrix.column[k] / 3;
        const double p[3] = {static_cast<double>(node % nodes),
                             static_cast<double>(node / nodes % nodes),
                             static_cast<double>(node / nodes / nodes)};
        force[i] += matrix.value[k] * displacement(p)[matrix.column[k] % 3];
      }
    return force;
  };
  using Vector = std::array<double, 3>;
  // Held nodes apart, a rotation about x, y, z makes no force; nor, inside, does uniform
  // stretching. Rows of z >= 2 do not meet the held nodes.
  const auto rotated = product([](const double* p) {
    return Vector{p[1] - 2 * p[2], -p[0] + p[2], 2 * p[0] - p[1]};
  });
  // Uniaxial stress along z: u_z = z, u_x = -nu x, u_y = -nu y; the top's nodes carry
  // E = 1 a unit of area.
  const auto pulled = product([](const double* p) {
    return Vector{-0.3 * p[0], -0.3 * p[1], p[2]};
  });
  double top = 0;
  for (std::size_t i = 0; i < matrix.rows; ++i) {
    const std::size_t z = i / 3 / nodes / nodes;
    if (z < 2) continue;
    EXPECT_NEAR(rotated[i], 0, 1e-13);
    if (z < side) {
      EXPECT_NEAR(pulled[i], 0, 1e-13);
    }
    if (z == side && i % 3 == 2) top += pulled[i];
  }
  EXPECT_NEAR(top, 16, 1e-12);
}

TEST(SparseMatrices, NearFieldsAreRunsOfNeighbours) {
  // One dipole, all within reach: 20 functions, a full matrix in one run a row.
  const PatternCounts dipole = count_pattern(array_near_field(1, 1.0));
  EXPECT_EQ(dipole.N, 20u);
  EXPECT_EQ(dipole.Nz, 400u);
  EXPECT_EQ(dipole.Ncol, 40u);
  // A grid of c x c cells: 2 c (c + 1) segments, a function for each end more than one at
  // every node: 4 c (c + 1) - (c + 1)^2.
  const PatternCounts plate = count_pattern(plate_near_field(12, 3));
  EXPECT_EQ(plate.N, 4u * 12 * 13 - 13 * 13);
  const double mean_run =
      2 * static_cast<double>(plate.Nval) / static_cast<double>(plate.Ncol);
  EXPECT_GT(mean_run, 6);
}

TEST(SparseMatrices, NearFieldsEndWhereAStopIsAskedFor) {
  const std::atomic<bool> stop = true;
  EXPECT_THROW(plate_near_field(12, 3, Monitor({}, &stop)), Error);
}

class MatrixMarket : public ::testing::Test {
 protected:
  std::string write(const std::string& text) {
    const std::string name = (folder_.path() / "m.mtx").string();
    std::ofstream(name) << text;
    return name;
  }
  std::string refusal(const std::string& text) {
    try {
      read_matrix_market<double>(write(text));
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::file);
      const std::string line = error.what();
      EXPECT_FALSE(contains(line, "\n"));
      return line;
    }
    return "";
  }

  test::TemporaryFolder folder_;
};

TEST_F(MatrixMarket, ReadsWhatItShould) {
  const Csr<double> general = read_matrix_market<double>(
      write("%%MatrixMarket matrix coordinate real general\n% a comment\n\n3 3 4\n"
            "3 1 2.5\n1 1 -1e3\n1 3 4\n1 1 1000.5\n"));
  EXPECT_EQ(general.row_ptr, (std::vector<std::int64_t>{0, 2, 2, 3}));
  EXPECT_EQ(general.column, (std::vector<std::uint32_t>{0, 2, 0}));
  EXPECT_EQ(general.value, (std::vector<double>{0.5, 4, 2.5}));
  const Csr<double> symmetric = read_matrix_market<double>(
      write("%%MatrixMarket matrix coordinate pattern symmetric\n2 2 2\n1 1\n2 1\n"));
  EXPECT_EQ(symmetric.column, (std::vector<std::uint32_t>{0, 1, 0}));
  EXPECT_EQ(symmetric.value, (std::vector<double>{1, 1, 1}));
  const Csr<double> skew = read_matrix_market<double>(
      write("%%MatrixMarket matrix coordinate integer skew-symmetric\n2 2 1\n2 1 7\n"));
  EXPECT_EQ(skew.value, (std::vector<double>{-7, 7}));
}

TEST_F(MatrixMarket, RefusesInOneLine) {
  const std::string banner = "%%MatrixMarket matrix coordinate real general\n";
  const auto expect = [&](const std::string& text, const char* why) {
    const std::string line = refusal(text);
    EXPECT_TRUE(contains(line, why)) << line << " for " << why;
  };
  expect("hello\n", "no Matrix Market file");
  expect("", "no Matrix Market file");
  expect("%%MatrixMarket matrix array real general\n", "'matrix array' is not read");
  expect("%%MatrixMarket matrix coordinate quaternion general\n",
         "unknown field 'quaternion'");
  expect("%%MatrixMarket matrix coordinate real odd\n", "unknown symmetry 'odd'");
  expect(banner, "ends before its size line");
  expect(banner + "3 3\n1 1 1\n", "'3 3' is no size line (rows, columns, entries)");
  expect(banner + "3 3 1 7\n1 1 1\n", "no size line");
  expect(banner + "3 x 1\n1 1 1\n", "no size line");
  expect(banner + "3 3 -1\n1 1 1\n", "negative size");
  expect(banner + "0 0 0\n", "line 2: the matrix is empty (0 x 0)");
  expect(banner + "2 3 1\n1 1 1\n", "not square (2 x 3)");
  expect(banner + "2 2 2\n1 1 1\n", "line 3: the file ends after 1 of 2 entries");
  expect(banner + "2 2 1\n1 1 1\n2 2 1\n", "more entries than the size line says");
  expect(banner + "2 2 1\n3 1 1\n", "line 3: entry (3, 1) is out of range (1 .. 2)");
  expect(banner + "2 2 1\n0 1 1\n", "out of range");
  expect(banner + "2 2 1\n1 1\n", "is no entry");
  expect(banner + "2 2 1\n1 1 1 7 8\n", "line 3: '7' comes after row, column and value");
  expect(banner + "2 2 1\n1 1 abc\n", "'abc' is no number");
  expect(banner + "2 2 1\n1 1 1.0D+00\n", "'1.0D+00' is no number");
  expect(banner + "2 2 1\n1.5 1 1\n", "is no entry of row, column and value");
  for (const char* value : {"inf", "-nan", "1e999"})
    expect(banner + "2 2 1\n1 1 " + value + "\n", "is not finite");
  const std::string integers =
      "%%MatrixMarket matrix coordinate integer general\n2 2 1\n";
  expect(integers + "1 1 1.7\n", "line 3: '1.7' is no integer");
  expect(integers + "1 1 1e3\n", "'1e3' is no integer");
  expect("%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 1 5\n",
         "'5' comes after row and column");
  expect("%%MatrixMarket matrix coordinate real hermitian\n2 2 1\n1 1 5\n",
         "hermitian are complex ones");
  EXPECT_THROW(read_matrix_market<double>("/nowhere.mtx"), Error);
}

TEST_F(MatrixMarket, SaysThatAFolderIsOne) {
  EXPECT_TRUE(
      contains(test::error_message([&] { read_matrix_market<double>(folder_.path()); }),
               "is a folder"));
}

TEST_F(MatrixMarket, ComplexFilesAreReadAsComplexNumbersOnly) {
  using Values = std::vector<std::complex<double>>;
  const auto values = [&](const std::string& symmetry) {
    const std::string file = write("%%MatrixMarket matrix coordinate complex " +
                                   symmetry + "\n2 2 2\n1 1 1 0\n2 1 3 -4\n");
    EXPECT_TRUE(matrix_market_is_complex(file));
    EXPECT_THROW(read_matrix_market<double>(file), Error);
    return read_matrix_market<std::complex<double>>(file).value;
  };
  EXPECT_EQ(values("general"), (Values{1.0, {3, -4}}));
  EXPECT_EQ(values("symmetric"), (Values{1.0, {3, -4}, {3, -4}}));
  EXPECT_EQ(values("skew-symmetric"), (Values{1.0, {-3, 4}, {3, -4}}));
  EXPECT_EQ(values("hermitian"), (Values{1.0, {3, 4}, {3, -4}}));
  const std::string complex = "%%MatrixMarket matrix coordinate complex general\n";
  const std::string line = refusal(complex + "1 1 1\n1 1 1 1\n");
  EXPECT_TRUE(contains(line, "line 1: the values are complex"));
  EXPECT_TRUE(contains(line, "--type z"));
  for (const char* entry : {"1 1 1\n", "1 1 1 inf\n", "1 1 1 2 3\n"})
    EXPECT_THROW(
        read_matrix_market<std::complex<double>>(write(complex + "1 1 1\n" + entry)),
        Error)
        << entry;
  const std::string real =
      write("%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 5\n");
  EXPECT_FALSE(matrix_market_is_complex(real));
  EXPECT_EQ(read_matrix_market<std::complex<double>>(real).value, (Values{5.0}));
}

}  // namespace
}  // namespace thinwire
