#include "mom/preconditioners/coarse_matrix.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include <omp.h>

#include "kernels/base/constants.h"
#include "kernels/base/parallel.h"
#include "kernels/base/simd_clones.h"
#include "kernels/base/sincos.h"
#include "mom/preconditioners/near_functions.h"

namespace thinwire {
namespace {

/// e^{-jkR} / R of some nodes with one of them, real and imaginary parts apart; its image
/// is subtracted in `difference`, added in `sum`. R^2 has floor2 more.
struct NodeWaves {
  std::vector<double> difference_re, difference_im, sum_re, sum_im;

  explicit NodeWaves(std::size_t rows)
      : difference_re(rows), difference_im(rows), sum_re(rows), sum_im(rows) {}
};

THINWIRE_SIMD_CLONES
void add_waves(const double* x, const double* y, const double* z, std::size_t count,
               Vec3 at, double k, double floor2, double factor, double* re, double* im) {
#pragma omp simd
  for (std::size_t i = 0; i < count; ++i) {
    const double dx = x[i] - at.x, dy = y[i] - at.y, dz = z[i] - at.z;
    const double r2 = dx * dx + dy * dy + dz * dz + floor2, inverse = inverse_sqrt(r2);
    double sine, cosine;
    sincos_simd(k * r2 * inverse, sine, cosine);
    re[i] += factor * cosine * inverse;
    im[i] -= factor * sine * inverse;
  }
}

THINWIRE_SIMD_CLONES
void add_scaled(double factor, const double* __restrict__ x_re,
                const double* __restrict__ x_im, std::size_t count,
                double* __restrict__ y_re, double* __restrict__ y_im) {
#pragma omp simd
  for (std::size_t i = 0; i < count; ++i) {
    y_re[i] += factor * x_re[i];
    y_im[i] += factor * x_im[i];
  }
}

/// The lumps' part of the coarse matrix: for some nodes ("sources") the sum over all
/// nodes from them on of
///     moment(row) . moment(source) G - charge(row) charge(source) G.
class LumpedMatrix {
 public:
  static constexpr std::size_t sources = 64, rows = 256;

  LumpedMatrix(const LumpedCurrents& lumps, double k, double floor_m, Medium medium)
      : lumps_(lumps), k_(k), floor2_(floor_m * floor_m), medium_(medium) {
    for (const Vec3 at : lumps.node_m) {
      x_.push_back(at.x);
      y_.push_back(at.y);
      z_.push_back(at.z);
    }
  }

  std::size_t blocks() const { return (x_.size() + sources - 1) / sources; }

  /// Columns of the matrix, of the functions at the sources of a block. Entries of rows
  /// within the block count half, as their transpose is there, too.
  struct Columns {
    std::vector<std::uint32_t> function;
    std::vector<Complex> value;  ///< [function][coarse functions]
  };
  Columns columns_of(std::size_t block, std::size_t coarse) const {
    const std::size_t first = block * sources,
                      last = std::min(x_.size(), first + sources);
    Columns out;
    for (std::size_t l = lumps_.first[first]; l < lumps_.first[last]; ++l)
      out.function.push_back(lumps_.lump[l].function);
    std::sort(out.function.begin(), out.function.end());
    out.function.erase(std::unique(out.function.begin(), out.function.end()),
                       out.function.end());
    out.value.assign(out.function.size() * coarse, 0);
    add_rows(first, last, first, last, 0.5, coarse, out);
    for (std::size_t row = last; row < x_.size(); row += rows)
      add_rows(first, last, row, std::min(x_.size(), row + rows), 1, coarse, out);
    return out;
  }

 private:
  void add_rows(std::size_t first, std::size_t last, std::size_t row, std::size_t end,
                double factor, std::size_t coarse, Columns& out) const {
    const std::size_t count = end - row;
    // Fields of each function and component at the rows.
    std::vector<double> re(out.function.size() * 4 * count), im(re.size());
    NodeWaves wave(count);
    for (std::size_t j = first; j < last; ++j) {
      const Vec3 at = lumps_.node_m[j];
      std::fill(wave.difference_re.begin(), wave.difference_re.end(), 0);
      std::fill(wave.difference_im.begin(), wave.difference_im.end(), 0);
      waves(row, count, at, 1, wave.difference_re, wave.difference_im);
      const bool image = medium_.sources() > 1;
      if (image) {
        wave.sum_re = wave.difference_re;
        wave.sum_im = wave.difference_im;
        const Vec3 below = {at.x, at.y, -at.z};
        waves(row, count, below, -1, wave.difference_re, wave.difference_im);
        waves(row, count, below, 1, wave.sum_re, wave.sum_im);
      }
      for (std::size_t l = lumps_.first[j]; l < lumps_.first[j + 1]; ++l) {
        const auto& [function, moment] = lumps_.lump[l];
        const auto f = static_cast<std::size_t>(
            std::lower_bound(out.function.begin(), out.function.end(), function) -
            out.function.begin());
        for (std::size_t c = 0; c < 4; ++c) {
          if (moment[c] == 0) continue;
          const bool towards_ground = image && c == 2;
          add_scaled(moment[c],
                     (towards_ground ? wave.sum_re : wave.difference_re).data(),
                     (towards_ground ? wave.sum_im : wave.difference_im).data(), count,
                     re.data() + (4 * f + c) * count, im.data() + (4 * f + c) * count);
        }
      }
    }
    for (std::size_t f = 0; f < out.function.size(); ++f) {
      Complex* column = out.value.data() + f * coarse;
      for (std::size_t i = 0; i < count; ++i)
        for (std::size_t l = lumps_.first[row + i]; l < lumps_.first[row + i + 1]; ++l) {
          const auto& [function, moment] = lumps_.lump[l];
          double sum_re = 0, sum_im = 0;
          for (std::size_t c = 0; c < 4; ++c) {
            const double m = (c == 3 ? -factor : factor) * moment[c];
            sum_re += m * re[(4 * f + c) * count + i];
            sum_im += m * im[(4 * f + c) * count + i];
          }
          column[function] += Complex(sum_re, sum_im);
        }
    }
  }
  void waves(std::size_t row, std::size_t count, Vec3 at, double factor,
             std::vector<double>& re, std::vector<double>& im) const {
    add_waves(x_.data() + row, y_.data() + row, z_.data() + row, count, at, k_, floor2_,
              factor, re.data(), im.data());
  }

  const LumpedCurrents& lumps_;
  double k_, floor2_;
  Medium medium_;
  std::vector<double> x_, y_, z_;
};

/// Adds the lumps' part and its transpose.
void add_lumped(const LumpedMatrix& lumped, double k, std::size_t n,
                const Monitor& monitor, std::vector<Complex>& a) {
  const Complex jk_eta(0, k * eta0_ohm / (4 * pi));
  // Some blocks at a time, so that sums do not depend on the threads.
  const auto at_once = static_cast<std::size_t>(4 * omp_get_max_threads());
  std::vector<LumpedMatrix::Columns> columns(at_once);
  for (std::size_t first = 0; first < lumped.blocks(); first += at_once) {
    monitor.check();
    const std::size_t count = std::min(at_once, lumped.blocks() - first);
    for_each_parallel(
        count, [&](std::size_t b) { columns[b] = lumped.columns_of(first + b, n); });
    for (std::size_t b = 0; b < count; ++b)
      for (std::size_t f = 0; f < columns[b].function.size(); ++f) {
        const std::size_t q = columns[b].function[f];
        const Complex* value = columns[b].value.data() + f * n;
        for (std::size_t p = 0; p < n; ++p) a[p + q * n] += jk_eta * value[p];
      }
  }
  for (std::size_t q = 0; q < n; ++q)
    for (std::size_t p = q; p < n; ++p)
      a[p + q * n] = a[q + p * n] = a[p + q * n] + a[q + p * n];
}

// -- Near: entries of Z ---------------------------------------------------------------

/// Computes the terms of one pair of clusters from the entries of Z between them.
class ClusterBlock {
 public:
  ClusterBlock(const CoarseSpace& space, const ClusterFunctions& functions,
               const EntryReader& read)
      : space_(space), functions_(functions), read_(read) {}

  void evaluate(std::span<const NearTerm> terms, std::span<Complex> values) const {
    constexpr std::size_t at_once = 256;
    const NearTerm& first = terms.front();
    const auto rows = functions_.of_cluster.of(first.row_cluster),
               columns = functions_.of_cluster.of(first.column_cluster);
    // Z P, for the columns of each coarse function that there is.
    std::vector<std::uint32_t> coarse;
    for (const NearTerm& term : terms)
      if (coarse.empty() || coarse.back() != term.column) coarse.push_back(term.column);
    std::vector<Complex> product(coarse.size() * rows.size()), entries;
    for (std::size_t from = 0; from < columns.size(); from += at_once) {
      const auto some = columns.subspan(from, std::min(at_once, columns.size() - from));
      entries.resize(rows.size() * some.size());
      read_(rows, some, entries);
      for (std::size_t c = 0; c < coarse.size(); ++c)
        visit(coarse[c], first.column_cluster, [&](std::uint32_t place, double value) {
          if (place < from || place >= from + some.size()) return;
          const Complex* entry = entries.data() + (place - from) * rows.size();
          Complex* sum = product.data() + c * rows.size();
          for (std::size_t i = 0; i < rows.size(); ++i) sum[i] += value * entry[i];
        });
    }
    std::size_t c = 0;
    for (std::size_t t = 0; t < terms.size(); ++t) {
      while (coarse[c] != terms[t].column) ++c;
      const Complex* field = product.data() + c * rows.size();
      Complex sum = 0;
      visit(terms[t].row, first.row_cluster,
            [&](std::uint32_t place, double value) { sum += value * field[place]; });
      values[t] = sum;
    }
  }

 private:
  /// use(place, value) for the coefficients of a coarse function in a cluster.
  template <class Use>
  void visit(std::uint32_t coarse, std::uint32_t cluster, const Use& use) const {
    const auto functions = space_.restriction.columns_of(coarse);
    const auto values = space_.restriction.values_of(coarse);
    for (std::size_t i = 0; i < functions.size(); ++i)
      if (space_.cluster_of_function[functions[i]] == cluster)
        use(functions_.place[functions[i]], values[i]);
  }

  const CoarseSpace& space_;
  const ClusterFunctions& functions_;
  const EntryReader& read_;
};

/// Replaces the entries of near functions by exact ones.
void set_near(const CoarseSpace& space, const NearFunctions& near,
              const EntryReader& read, const Monitor& monitor, std::vector<Complex>& a) {
  const ClusterFunctions functions(space);
  const ClusterBlock of(space, functions, read);
  std::vector<Complex> values(near.terms.size());
  for_each_parallel(near.blocks(), [&](std::size_t b) {
    monitor.check();
    const std::size_t first = near.block[b], count = near.block[b + 1] - first;
    of.evaluate(std::span(near.terms).subspan(first, count),
                std::span(values).subspan(first, count));
  });
  const std::size_t n = space.size();
  std::vector<Complex> exact(near.pairs.size());
  for (std::size_t t = 0; t < near.terms.size(); ++t)
    exact[near.terms[t].pair] += values[t];
  for (std::size_t i = 0; i < near.pairs.size(); ++i) {
    const std::size_t p = near.pairs[i][0], q = near.pairs[i][1];
    a[p + q * n] = a[q + p * n] = exact[i];
  }
}

}  // namespace

CoarseMatrixRule CoarseMatrixRule::of(double cluster_edge_m, double cell_m) {
  // Whole cells, so that lattices of wires have few nodes.
  const double cells = std::max(1.0, std::floor(cluster_edge_m / (4 * cell_m) + 0.25)),
               spacing_m = cells * cell_m;
  // A little more than one or two, whatever the rounding of clusters side by side.
  return {spacing_m, (3 * spacing_m > cluster_edge_m ? 2.1 : 1.1) * cluster_edge_m};
}

std::vector<Complex> coarse_matrix(const CoarseSpace& space,
                                   const CoarseCouplings& couplings, double k_rad_per_m,
                                   Medium medium, const EntryReader& read,
                                   const Monitor& monitor) {
  const std::size_t n = space.size();
  std::vector<Complex> a(n * n);
  if (n == 0) return a;
  add_lumped({couplings.lumps, k_rad_per_m, couplings.floor_m, medium}, k_rad_per_m, n,
             monitor, a);
  set_near(space, couplings.near, read, monitor, a);
  return a;
}

}  // namespace thinwire
