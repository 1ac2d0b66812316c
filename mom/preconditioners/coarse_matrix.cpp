#include "mom/preconditioners/coarse_matrix.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <tuple>
#include <utility>

#include <omp.h>

#include "kernels/base/constants.h"
#include "kernels/base/grouped.h"
#include "kernels/base/parallel.h"
#include "kernels/base/point_index.h"
#include "kernels/base/simd_clones.h"
#include "kernels/base/sincos.h"

namespace thinwire {
namespace {

std::span<const std::uint32_t> columns_of(const Csr<double>& matrix, std::size_t row) {
  return {matrix.column.data() + matrix.row_ptr[row],
          matrix.column.data() + matrix.row_ptr[row + 1]};
}
std::span<const double> values_of(const Csr<double>& matrix, std::size_t row) {
  return {matrix.value.data() + matrix.row_ptr[row],
          matrix.value.data() + matrix.row_ptr[row + 1]};
}

// -- Far: lumps on a lattice ----------------------------------------------------------

/// A node of the lattice as one number; neighbours in x, y and z are `step` apart. The
/// blocks of 4 x 4 x 4 nodes come first in the order, so that nodes that follow each
/// other are near.
struct LatticeKey {
  std::uint64_t block, within;
  auto operator<=>(const LatticeKey&) const = default;
};
LatticeKey key_of(const std::array<std::int64_t, 3>& node) {
  LatticeKey key{0, 0};
  for (const std::int64_t i : node) {
    key.block = key.block << 20 | static_cast<std::uint64_t>(i >> 2);
    key.within = key.within << 2 | static_cast<std::uint64_t>(i & 3);
  }
  return key;
}

struct NodeLump {
  LatticeKey key;
  std::array<std::int64_t, 3> node;
  LumpedCurrents::Lump lump;
};

class LumpLattice {
 public:
  LumpLattice(std::span<const Element> elements, double spacing_m)
      : spacing_m_(spacing_m), low_m_{0, 0, 0} {
    if (elements.empty()) return;
    low_m_ = elements.front().start_m;
    for (const Element& e : elements)
      for (const Vec3 at : {e.start_m, e.start_m + e.length_m * e.tangent})
        low_m_ = {std::min(low_m_.x, at.x), std::min(low_m_.y, at.y),
                  std::min(low_m_.z, at.z)};
  }

  Vec3 place_m(const std::array<std::int64_t, 3>& node) const {
    return low_m_ + spacing_m_ * Vec3{static_cast<double>(node[0]),
                                      static_cast<double>(node[1]),
                                      static_cast<double>(node[2])};
  }

  /// put(node, weight) for the nodes around a place, with trilinear weights.
  template <class Put>
  void around(Vec3 at_m, const Put& put) const {
    // Places on nodes take one of them, whatever their rounding.
    constexpr double rounding = 1e-6;
    const Vec3 from = (1 / spacing_m_) * (at_m - low_m_);
    const double along[3] = {from.x, from.y, from.z};
    std::array<std::int64_t, 3> node;
    double share[3];
    for (int axis = 0; axis < 3; ++axis) {
      const double whole = std::floor(along[axis] + rounding);
      node[axis] = static_cast<std::int64_t>(whole);
      share[axis] = along[axis] - whole < rounding ? 0 : along[axis] - whole;
    }
    for (int corner = 0; corner < 8; ++corner) {
      std::array<std::int64_t, 3> at = node;
      double weight = 1;
      for (int axis = 0; axis < 3; ++axis) {
        const int up = corner >> axis & 1;
        at[axis] += up;
        weight *= up == 1 ? share[axis] : 1 - share[axis];
      }
      if (weight > 0) put(at, weight);
    }
  }

 private:
  double spacing_m_;
  Vec3 low_m_;
};

/// Appends the lumps of one coarse function, one for each node.
void append_lumps(const Discretization& where, const CoarseSpace& space,
                  const LumpLattice& lattice, double spacing_m, double k, std::uint32_t c,
                  std::vector<NodeLump>& lumps) {
  const std::size_t begin = lumps.size();
  const auto functions = columns_of(space.restriction, c);
  const auto values = values_of(space.restriction, c);
  for (std::size_t i = 0; i < functions.size(); ++i) {
    const BasisFunction& f = where.basis().functions()[functions[i]];
    for (int t = 0; t < 2; ++t) {
      if (f.sign[t] == 0) continue;
      const Element& element = where.elements()[f.element[t]];
      const bool rises = f.end[t] == 1;
      const double kl = k * element.length_m, at_node = f.sign[t] * values[i],
                   scale = at_node / std::sin(kl);
      // Pieces, so that what a sinusoid and its charge have at either end is told apart.
      const auto pieces =
          static_cast<int>(std::max(2.0, std::ceil(element.length_m / spacing_m - 1e-6)));
      for (int piece = 0; piece < pieces; ++piece) {
        // In radians from the end where the current is zero.
        const double near = kl * (rises ? piece : pieces - piece - 1) / pieces,
                     far = near + kl / pieces,
                     integral = scale * (std::cos(near) - std::cos(far)) / k,
                     gain = scale * (std::sin(far) - std::sin(near)) / k;
        const Vec3 m = integral * element.tangent;
        const double s = (piece + 0.5) / pieces * element.length_m;
        lattice.around(element.start_m + s * element.tangent,
                       [&](const std::array<std::int64_t, 3>& node, double weight) {
                         lumps.push_back({key_of(node),
                                          node,
                                          {c,
                                           {weight * m.x, weight * m.y, weight * m.z,
                                            weight * (rises ? gain : -gain)}}});
                       });
      }
    }
  }
  const auto own = lumps.begin() + static_cast<std::ptrdiff_t>(begin);
  std::sort(own, lumps.end(),
            [](const NodeLump& a, const NodeLump& b) { return a.key < b.key; });
  // Adds up the lumps of each node.
  auto last = own;
  for (auto next = own; next != lumps.end(); ++next) {
    if (next == own) continue;
    if (next->key == last->key)
      for (std::size_t i = 0; i < 4; ++i) last->lump.moment[i] += next->lump.moment[i];
    else
      *++last = *next;
  }
  if (own != lumps.end()) lumps.erase(last + 1, lumps.end());
}

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

using FunctionPair = std::array<std::uint32_t, 2>;

/// Pairs of coarse functions, the first not above the second, that are near each other.
std::vector<FunctionPair> near_functions(const Discretization& where,
                                         const CoarseSpace& space, double near_m) {
  const auto n = static_cast<std::uint32_t>(space.size());
  std::vector<Vec3> middle;
  std::vector<std::uint32_t> cluster, function;
  for (std::uint32_t c = 0; c < n; ++c) {
    Vec3 sum;
    double all = 0;
    const auto functions = columns_of(space.restriction, c);
    const auto values = values_of(space.restriction, c);
    for (std::size_t i = 0; i < functions.size(); ++i) {
      const double weight = std::abs(values[i]);
      all += weight;
      sum = sum +
            weight * place_of(where.basis().functions()[functions[i]], where.elements());
    }
    middle.push_back(all > 0 ? (1 / all) * sum : sum);
    for (const std::uint32_t of : space.between[c])
      if (of != CoarseSpace::no_cluster) {
        cluster.push_back(of);
        function.push_back(c);
      }
  }
  std::vector<FunctionPair> pairs;
  const PointIndex index(middle);
  const Vec3 reach = {near_m, near_m, near_m};
  for (std::uint32_t c = 0; c < n; ++c)
    index.visit(middle[c] - reach, middle[c] + reach, [&](std::size_t other) {
      if (other <= c && norm(middle[c] - middle[other]) <= near_m)
        pairs.push_back({static_cast<std::uint32_t>(other), c});
    });
  const Grouped by_cluster(
      cluster,
      cluster.empty() ? 0 : *std::max_element(cluster.begin(), cluster.end()) + 1);
  for (std::size_t g = 0; g < by_cluster.groups(); ++g)
    for (const std::uint32_t a : by_cluster.of(g))
      for (const std::uint32_t b : by_cluster.of(g))
        if (function[a] <= function[b]) pairs.push_back({function[a], function[b]});
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  return pairs;
}

/// A part of the entry of two coarse functions: what one has in a cluster with what the
/// other has in a second one, whose number is not above.
struct NearTerm {
  std::uint32_t row_cluster, column_cluster, column, row;  ///< of coarse functions
  std::uint32_t pair;  ///< of near functions that it is a part of

  auto block() const { return std::tuple(row_cluster, column_cluster); }
  auto order() const {
    return std::tuple(row_cluster, column_cluster, column, row, pair);
  }
};

std::vector<NearTerm> near_terms(const CoarseSpace& space,
                                 std::span<const FunctionPair> pairs) {
  std::vector<NearTerm> terms;
  for (std::uint32_t i = 0; i < pairs.size(); ++i) {
    const auto [p, q] = pairs[i];
    for (const std::uint32_t a : space.between[p])
      for (const std::uint32_t b : space.between[q]) {
        if (a == CoarseSpace::no_cluster || b == CoarseSpace::no_cluster) continue;
        if (a >= b)
          terms.push_back({a, b, q, p, i});
        else
          terms.push_back({b, a, p, q, i});
      }
  }
  std::sort(terms.begin(), terms.end(),
            [](const NearTerm& x, const NearTerm& y) { return x.order() < y.order(); });
  return terms;
}

/// Computes the terms of one pair of clusters from the entries of Z between them.
class ClusterBlock {
 public:
  ClusterBlock(const CoarseSpace& space, const Grouped& functions,
               const std::vector<std::uint32_t>& place, const EntryReader& read)
      : space_(space), functions_(functions), place_(place), read_(read) {}

  void evaluate(std::span<const NearTerm> terms, std::span<Complex> values) const {
    constexpr std::size_t at_once = 256;
    const NearTerm& first = terms.front();
    const auto rows = functions_.of(first.row_cluster),
               columns = functions_.of(first.column_cluster);
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
    const auto functions = columns_of(space_.restriction, coarse);
    const auto values = values_of(space_.restriction, coarse);
    for (std::size_t i = 0; i < functions.size(); ++i)
      if (space_.cluster_of_function[functions[i]] == cluster)
        use(place_[functions[i]], values[i]);
  }

  const CoarseSpace& space_;
  const Grouped& functions_;
  const std::vector<std::uint32_t>& place_;  ///< of each function in its cluster
  const EntryReader& read_;
};

/// Replaces the entries of near functions by exact ones.
void set_near(const Discretization& where, const CoarseSpace& space, double near_m,
              const EntryReader& read, const Monitor& monitor, std::vector<Complex>& a) {
  const std::vector<FunctionPair> pairs = near_functions(where, space, near_m);
  const std::vector<NearTerm> terms = near_terms(space, pairs);
  const auto& cluster = space.cluster_of_function;
  const Grouped functions(cluster, *std::max_element(cluster.begin(), cluster.end()) + 1);
  std::vector<std::uint32_t> place(cluster.size());
  for (std::size_t g = 0; g < functions.groups(); ++g)
    for (std::uint32_t i = 0; i < functions.size(g); ++i) place[functions.of(g)[i]] = i;
  std::vector<std::size_t> block = {0};
  for (std::size_t t = 1; t < terms.size(); ++t)
    if (terms[t].block() != terms[t - 1].block()) block.push_back(t);
  block.push_back(terms.size());
  const ClusterBlock of(space, functions, place, read);
  std::vector<Complex> values(terms.size());
  for_each_parallel(block.size() - 1, [&](std::size_t b) {
    monitor.check();
    const std::size_t first = block[b], count = block[b + 1] - first;
    of.evaluate(std::span(terms).subspan(first, count),
                std::span(values).subspan(first, count));
  });
  const std::size_t n = space.size();
  std::vector<Complex> exact(pairs.size());
  for (std::size_t t = 0; t < terms.size(); ++t) exact[terms[t].pair] += values[t];
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const std::size_t p = pairs[i][0], q = pairs[i][1];
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

LumpedCurrents lumped_currents(const Discretization& where, const CoarseSpace& space,
                               double spacing_m, double k_rad_per_m) {
  const LumpLattice lattice(where.elements(), spacing_m);
  constexpr std::size_t together = 64;
  const std::size_t n = space.size(), chunks = (n + together - 1) / together;
  std::vector<std::vector<NodeLump>> parts(chunks);
  for_each_parallel(chunks, [&](std::size_t c) {
    for (std::size_t f = c * together; f < std::min(n, (c + 1) * together); ++f)
      append_lumps(where, space, lattice, spacing_m, k_rad_per_m,
                   static_cast<std::uint32_t>(f), parts[c]);
  });
  std::vector<NodeLump> all;
  for (const auto& part : parts) all.insert(all.end(), part.begin(), part.end());
  std::stable_sort(all.begin(), all.end(),
                   [](const NodeLump& a, const NodeLump& b) { return a.key < b.key; });
  LumpedCurrents lumps;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i == 0 || all[i].key != all[i - 1].key) {
      lumps.node_m.push_back(lattice.place_m(all[i].node));
      lumps.first.push_back(i);
    }
    lumps.lump.push_back(all[i].lump);
  }
  lumps.first.push_back(all.size());
  return lumps;
}

std::vector<Complex> coarse_matrix(const Discretization& where, const CoarseSpace& space,
                                   const CoarseMatrixRule& rule, double k_rad_per_m,
                                   Medium medium, const EntryReader& read,
                                   const Monitor& monitor) {
  const std::size_t n = space.size();
  std::vector<Complex> a(n * n);
  if (n == 0) return a;
  {
    const LumpedCurrents lumps =
        lumped_currents(where, space, rule.spacing_m, k_rad_per_m);
    // Lumps at one node are wires about so far apart.
    add_lumped({lumps, k_rad_per_m, rule.spacing_m / 3, medium}, k_rad_per_m, n, monitor,
               a);
  }
  set_near(where, space, rule.near_m, read, monitor, a);
  return a;
}

}  // namespace thinwire
