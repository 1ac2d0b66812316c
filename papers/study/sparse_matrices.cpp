#include "papers/study/sparse_matrices.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "kernels/base/error.h"
#include "papers/assembly/assembly.h"
#include "papers/study/matrix_market.h"
#include "papers/study/near_field_matrix.h"

namespace thinwire {
namespace {

/// Appends rows of (column, value) pairs.
class RowWriter {
 public:
  RowWriter(std::size_t rows, std::size_t columns) {
    matrix_.columns = columns;
    matrix_.row_ptr.reserve(rows + 1);
    matrix_.row_ptr.push_back(0);
  }
  void add(std::size_t column, double value) {
    matrix_.column.push_back(static_cast<std::uint32_t>(column));
    matrix_.value.push_back(value);
  }
  void end_row() {
    ++matrix_.rows;
    matrix_.row_ptr.push_back(static_cast<std::int64_t>(matrix_.column.size()));
  }
  Csr<double> take() { return std::move(matrix_); }

 private:
  Csr<double> matrix_;
};

/// Rows whose columns are drawn at random, distinct, the diagonal among them where asked
/// for.
class RandomRows {
 public:
  explicit RandomRows(std::size_t columns) : columns_(columns), taken_(columns, 0) {}

  void write(RowWriter& out, std::size_t row, std::size_t length, bool diagonal) {
    drawn_.clear();
    if (diagonal) take(row);
    // A row of many columns leaves some out instead.
    if (length > columns_ / 2) {
      drawn_.resize(columns_);
      std::iota(drawn_.begin(), drawn_.end(), 0u);
      std::shuffle(drawn_.begin(), drawn_.end(), generator_);
      if (diagonal) std::swap(drawn_[0], *std::find(drawn_.begin(), drawn_.end(), row));
      drawn_.resize(length);
    }
    while (drawn_.size() < length) take(generator_() % columns_);
    std::sort(drawn_.begin(), drawn_.end());
    for (const std::uint32_t column : drawn_) {
      out.add(column, column == row
                          ? 2.0 + static_cast<double>(length)
                          : 2e-3 * static_cast<double>(generator_() % 1000) - 1);
      taken_[column] = 0;
    }
    out.end_row();
  }

 private:
  void take(std::size_t column) {
    if (taken_[column]) return;
    taken_[column] = 1;
    drawn_.push_back(static_cast<std::uint32_t>(column));
  }

  std::size_t columns_;
  std::vector<char> taken_;
  std::vector<std::uint32_t> drawn_;
  std::mt19937_64 generator_{2011};
};

/// Lengths that fall as a power of the rank from `longest` to 1 and sum up to `entries`.
std::vector<std::size_t> power_law_lengths(std::size_t rows, std::size_t entries,
                                           std::size_t longest) {
  const auto length = [&](std::size_t rank, double power) {
    const double of_rank =
        static_cast<double>(longest) * std::pow(static_cast<double>(rank + 1), -power);
    return std::max<std::size_t>(1, static_cast<std::size_t>(of_rank));
  };
  const auto total = [&](double power) {
    std::size_t sum = 0;
    for (std::size_t rank = 0; rank < rows; ++rank) sum += length(rank, power);
    return sum;
  };
  double low = 0, high = 20;
  for (int step = 0; step < 60; ++step) {
    const double middle = 0.5 * (low + high);
    (total(middle) > entries ? low : high) = middle;
  }
  std::vector<std::size_t> lengths(rows);
  std::size_t sum = 0;
  for (std::size_t rank = 0; rank < rows; ++rank)
    sum += lengths[rank] = length(rank, high);
  // Rounding has left some out: one each to the rows after the longest.
  for (std::size_t rank = 1; sum < entries; rank = rank % (rows - 1) + 1)
    if (lengths[rank] < longest) {
      ++lengths[rank];
      ++sum;
    }
  std::shuffle(lengths.begin(), lengths.end(), std::mt19937_64(2));
  return lengths;
}

std::size_t scaled(double rows, double scale) {
  return std::max<std::size_t>(8, static_cast<std::size_t>(std::llround(rows * scale)));
}
std::size_t scaled_side(double side, double scale, double dimensions) {
  return std::max<std::size_t>(
      3, static_cast<std::size_t>(std::llround(side * std::pow(scale, 1 / dimensions))));
}

/// A step of the ladder of row lengths: 20 million entries, a million rows at most.
template <std::size_t a_row>
Csr<double> ladder(double scale, const Monitor&) {
  return random_matrix(scaled(std::min(1e6, 2e7 / a_row), scale), a_row);
}
constexpr const char* rises = "CRS-vector's rate rises with the entries a row";

}  // namespace

Csr<double> band_matrix(std::size_t rows, std::size_t half_width) {
  RowWriter out(rows, rows);
  for (std::size_t i = 0; i < rows; ++i) {
    const std::size_t last = std::min(rows - 1, i + half_width);
    for (std::size_t j = i - std::min(i, half_width); j <= last; ++j)
      out.add(j, i == j ? 2.0 + static_cast<double>(half_width)
                        : -1.0 / (1.0 + static_cast<double>(i > j ? i - j : j - i)));
    out.end_row();
  }
  return out.take();
}

Csr<double> random_matrix(std::size_t rows, std::size_t a_row) {
  RowWriter out(rows, rows);
  RandomRows random(rows);
  for (std::size_t i = 0; i < rows; ++i)
    random.write(out, i, std::min(a_row, rows), false);
  return out.take();
}

Csr<double> diagonal_with_full_row(std::size_t rows) {
  RowWriter out(rows, rows);
  for (std::size_t j = 0; j < rows; ++j)
    out.add(j, j == 0 ? 2 : 1.0 / static_cast<double>(j + 1));
  out.end_row();
  for (std::size_t i = 1; i < rows; ++i) {
    out.add(i, 2);
    out.end_row();
  }
  return out.take();
}

Csr<double> power_law_matrix(std::size_t rows, std::size_t entries, std::size_t longest) {
  RowWriter out(rows, rows);
  RandomRows random(rows);
  const std::vector<std::size_t> lengths = power_law_lengths(rows, entries, longest);
  for (std::size_t i = 0; i < rows; ++i) random.write(out, i, lengths[i], true);
  return out.take();
}

Csr<double> geometric_matrix(std::size_t rows, std::size_t mean) {
  RowWriter out(rows, rows);
  RandomRows random(rows);
  std::mt19937_64 generator(3);
  // Failures before a success of probability 1 / mean, by inversion: the standard's
  // distributions differ from library to library.
  const double scale = 1 / std::log1p(-1 / static_cast<double>(mean));
  for (std::size_t i = 0; i < rows; ++i) {
    const double uniform = (static_cast<double>(generator() >> 11) + 0.5) * 0x1p-53;
    const auto length = 1 + static_cast<std::size_t>(std::log(uniform) * scale);
    random.write(out, i, std::min(length, rows), true);
  }
  return out.take();
}

Csr<double> laplacian_7(std::size_t side) {
  const std::size_t n = side * side * side;
  RowWriter out(n, n);
  for (std::size_t z = 0; z < side; ++z)
    for (std::size_t y = 0; y < side; ++y)
      for (std::size_t x = 0; x < side; ++x) {
        const std::size_t i = (z * side + y) * side + x;
        if (z > 0) out.add(i - side * side, -1);
        if (y > 0) out.add(i - side, -1);
        if (x > 0) out.add(i - 1, -1);
        out.add(i, 6);
        if (x + 1 < side) out.add(i + 1, -1);
        if (y + 1 < side) out.add(i + side, -1);
        if (z + 1 < side) out.add(i + side * side, -1);
        out.end_row();
      }
  return out.take();
}

Csr<double> hexahedra_matrix(std::size_t side) {
  const ElasticBody body = elastic_cube(side);
  const Connectivity connectivity = connect(body.mesh);
  std::vector<double> value(block_values * connectivity.pattern.blocks());
  assemble_rows(body, connectivity, 0, body.mesh.nodes(), value);
  hold_nodes(connectivity.pattern, held_at_bottom(body.mesh), value);
  return to_csr(connectivity.pattern, value);
}

const std::vector<SparseSample>& sparse_samples() {
  static const std::vector<SparseSample> samples = {
      {"band1", "2,000,000 rows, diagonal", "rows in turns are best",
       [](double s, const Monitor&) { return band_matrix(scaled(2e6, s), 0); }},
      {"band3", "2,000,000 rows, tridiagonal", "rows in turns are best",
       [](double s, const Monitor&) { return band_matrix(scaled(2e6, s), 1); }},
      {"band101", "200,000 rows, band of 101", "a block of threads a row is best",
       [](double s, const Monitor&) { return band_matrix(scaled(2e5, s), 50); }},
      {"rand1", "2,000,000 rows of one random column", "slow in all ways",
       [](double s, const Monitor&) { return random_matrix(scaled(2e6, s), 1); }},
      {"rand100", "200,000 rows of 100 random columns",
       "a block of threads a row is best",
       [](double s, const Monitor&) { return random_matrix(scaled(2e5, s), 100); }},
      {"band1x", "2,000,000 rows, diagonal with a full first row",
       "by rows or in rows it collapses, the segmented scan stays level",
       [](double s, const Monitor&) { return diagonal_with_full_row(scaled(2e6, s)); }},
      {"hcircuit-like",
       "105,676 rows, 513,072 entries, the longest row 1 % of them: a stand-in",
       "some gain by parallel rows, the segmented scan ahead of CUDPP",
       [](double s, const Monitor&) {
         const std::size_t n = scaled(105676, s);
         return power_law_matrix(n, scaled(513072, s), std::max<std::size_t>(5, n / 100));
       }},
      {"dc2-like", "116,835 rows, 766,396 entries, the longest row full: a stand-in",
       "poor in all but the segmented scan",
       [](double s, const Monitor&) {
         const std::size_t n = scaled(116835, s);
         return power_law_matrix(n, scaled(766396, s), n);
       }},
      {"laplace7", "7-point Laplacian of 128^3 points",
       "RBP grows on such rows of one run of 3 and singles (thermal2, parabolic_fem)",
       [](double s, const Monitor&) { return laplacian_7(scaled_side(128, s, 3)); }},
      {"hexahedra", "elasticity on 50^3 hexahedra, 81 entries a row in runs of 9",
       "RBP saves 20 % and more on such rows (cant, consph)",
       [](double s, const Monitor&) { return hexahedra_matrix(scaled_side(50, s, 3)); }},
      {"plate", "near field of a wire grid of 300 x 300 cells, within 5 cells", "",
       [](double s, const Monitor& m) {
         return plate_near_field(scaled_side(300, s, 2), 5, m);
       }},
      {"plate-wide", "near field of a wire grid of 200 x 200 cells, within 10 cells", "",
       [](double s, const Monitor& m) {
         return plate_near_field(scaled_side(200, s, 2), 10, m);
       }},
      {"ship", "near field of a closed hull of 240 x 48 x 48 cells, within 5 cells", "",
       [](double s, const Monitor& m) {
         return hull_near_field(scaled_side(48, s, 2), 5, m);
       }},
      {"array", "near field of 100 x 100 half-wave dipoles, within 1 wavelength", "",
       [](double s, const Monitor& m) {
         return array_near_field(scaled_side(100, s, 2), 1.0, m);
       }},
      {"ladder1", "1,000,000 rows of 1 random column", rises, ladder<1>},
      {"ladder2", "1,000,000 rows of 2 random columns", rises, ladder<2>},
      {"ladder4", "1,000,000 rows of 4 random columns", rises, ladder<4>},
      {"ladder8", "1,000,000 rows of 8 random columns", rises, ladder<8>},
      {"ladder16", "1,000,000 rows of 16 random columns", rises, ladder<16>},
      {"ladder32", "625,000 rows of 32 random columns", rises, ladder<32>},
      {"ladder64", "312,500 rows of 64 random columns", rises, ladder<64>},
      {"ladder128", "156,250 rows of 128 random columns", rises, ladder<128>},
      {"ladder256", "78,125 rows of 256 random columns", rises, ladder<256>},
      {"ladder512", "39,062 rows of 512 random columns", rises, ladder<512>},
      {"ladder16-geometric", "500,000 rows of 16 on the mean, geometric lengths",
       "slow where rows differ in length: NT is that of the mean",
       [](double s, const Monitor&) { return geometric_matrix(scaled(5e5, s), 16); }},
      {"ladder16-uneven", "500,000 rows of 16 on the mean, lengths by a power law",
       "slow where rows differ in length: NT is that of the mean",
       [](double s, const Monitor&) {
         const std::size_t n = scaled(5e5, s);
         return power_law_matrix(n, 16 * n, std::min<std::size_t>(n, 1024));
       }}};
  return samples;
}

Csr<double> sparse_matrix_named(const std::string& name, double scale,
                                const Monitor& monitor) {
  if (name.ends_with(".mtx")) return read_matrix_market<double>(name);
  std::string known;
  for (const SparseSample& sample : sparse_samples()) {
    if (sample.name == name) return sample.make(scale, monitor);
    known += std::string(known.empty() ? "" : ", ") + sample.name;
  }
  throw Error(ErrorKind::usage, "unknown matrix '" + name + "'. There are: " + known +
                                    ", and Matrix Market files, FILE.mtx.");
}

}  // namespace thinwire
