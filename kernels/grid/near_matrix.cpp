#include "kernels/grid/near_matrix.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <limits>
#include <utility>

#include <omp.h>

#include "kernels/base/constants.h"
#include "kernels/base/parallel.h"
#include "kernels/fill/ground_tile.h"
#include "kernels/fill/tile_fill.h"
#include "kernels/grid/end_terms.h"
#include "kernels/grid/smooth_pair.h"
#include "kernels/ground/coefficient_ground.h"

namespace thinwire {
namespace {

constexpr std::uint32_t lanes = 64, rows_at_once = 64;

/// Both halves of the pairs: the neighbours of every element, rising.
ElementPairs both_halves(const ElementPairs& pairs) {
  const std::size_t count = pairs.row.size() - 1;
  // Row p takes q <= p while p is the item, and q > p later, in order.
  Groups all = group(count, count, [&](std::size_t p, const auto& put) {
    for (const std::uint32_t q : pairs.of(p)) {
      put(p, q);
      if (q != p) put(q, static_cast<std::uint32_t>(p));
    }
  });
  return {std::move(all.first), std::move(all.member)};
}

/// Data that all threads read.
struct NearContext {
  const FillInput& fill;
  const GridOperator& grid;
  NearRule rule;
  std::vector<ElementPairs> neighbours;
  EndTerms terms;
  std::vector<std::uint32_t> lowest;
  std::vector<TileSide> sides;
  bool reflected;  ///< what the real ground reflects, alone
  SmoothView smooth;

  NearContext(const FillInput& f, const GridOperator& g,
              const std::vector<ElementPairs>& pairs, bool of_reflections)
      : fill(f),
        grid(g),
        rule(near_rule(g)),
        terms(f.elements.size(), f.basis),
        reflected(of_reflections),
        smooth(g.smooth_view()) {
    for (const ElementPairs& p : pairs) neighbours.push_back(both_halves(p));
    const auto count = static_cast<std::uint32_t>(f.elements.size());
    lowest.resize(count);
#pragma omp parallel for schedule(static)
    for (std::uint32_t e = 0; e < count; ++e) lowest[e] = terms.lowest(e);
    sides.resize((count + lanes - 1) / lanes);
#pragma omp parallel for schedule(dynamic, 16)
    for (std::int64_t i = 0; i < static_cast<std::int64_t>(sides.size()); ++i) {
      const auto first = static_cast<std::uint32_t>(i) * lanes;
      sides[i] = make_element_side(f.elements, first, std::min(lanes, count - first),
                                   f.k_rad_per_m);
    }
  }

  bool real_part_kept(std::uint32_t p, std::uint32_t q, int s) const {
    return reflected ||
           rule.real_part_kept(fill.elements[p], fill.elements[q], p == q, s);
  }
};

/// Computes matrices of near pairs; one for each thread.
class NearRowMaker {
 public:
  explicit NearRowMaker(const NearContext& context)
      : context_(context), tile_fill_(context.fill), ground_(context.fill) {}

  /// Some rows of a matrix: columns and values, with each row's length.
  struct Rows {
    std::vector<std::uint32_t> length, column;
    std::vector<double> value;
  };
  /// Rows first .. last - 1 of X and R.
  void fill(std::uint32_t first, std::uint32_t last, Rows& x, Rows& r);

 private:
  /// Computes the remainders of the pair matrices of source s of p and its neighbours up
  /// to function `last`, ohm, [neighbours]; those beyond it are undefined.
  void pair_matrices(std::uint32_t p, int s, std::uint32_t last,
                     std::vector<ElementMatrix>& out);
  const LaneMatrices& exact_matrices(std::uint32_t p, int s, const TileSide& q,
                                     std::span<const std::uint8_t> wanted);
  ElementMatrix smooth_matrix(std::uint32_t p, std::uint32_t q, int s) const;
  template <class Take>
  void for_entries(std::uint32_t m, bool real, const Take& take) const;
  void add_rows(std::uint32_t first, std::uint32_t last, bool real, Rows& rows);

  const NearContext& context_;
  TileFill tile_fill_;
  GroundTile ground_;
  LaneMatrices reflected_;
  std::vector<std::uint32_t> elements_;           ///< of the rows at hand
  std::vector<std::vector<ElementMatrix>> pair_;  ///< [elements_][sources]
  std::vector<std::uint32_t> place_;              ///< of a column in its row, [functions]
  std::vector<std::uint64_t> stamp_;              ///< in which row it was last met
};

/// Computes the fill's matrices of source s of p, or of its reflection, with the wanted
/// lanes of q.
const LaneMatrices& NearRowMaker::exact_matrices(std::uint32_t p, int s,
                                                 const TileSide& q,
                                                 std::span<const std::uint8_t> wanted) {
  const FillInput& fill = context_.fill;
  if (!context_.reflected) return tile_fill_.element_matrices(p, s, q, wanted);
  reflected_.reset(q.lanes);
  if (fill.ground) {
    const std::size_t all[] = {q.lanes};
    ground_.compute(make_element_side(fill.elements, p, 1, fill.k_rad_per_m), q, all,
                    wanted);
    ground_.add_to(0, reflected_);
    return reflected_;
  }
  for (std::size_t l = 0; l < wanted.size(); ++l) {
    if (!wanted[l]) continue;
    const ElementMatrix m =
        coefficient_pair(fill.elements[p], q.elements[l], *fill.surface);
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 2; ++j) {
        reflected_.re[i][j * q.lanes + l] = m.z[i][j].re;
        reflected_.im[i][j * q.lanes + l] = m.z[i][j].im;
      }
  }
  return reflected_;
}

/// Returns the matrix of the pair that the grid has; its real part where the rule wants
/// it.
ElementMatrix NearRowMaker::smooth_matrix(std::uint32_t p, std::uint32_t q, int s) const {
  const SmoothView& view = context_.smooth;
  ElementMatrix out;
  if (context_.reflected) {
    view.add_reflection(p, q, out);
    return out;
  }
  const double factor = view.medium.factor(s) * view.factor;
  const SmoothPair smooth = view.pair(view.kernel, p, q, s);
  SmoothPair wave{};
  if (context_.real_part_kept(p, q, s))
    wave = view.pair(BoundedWave{view.kernel.k}, p, q, s);
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j)
      out.z[i][j] = {factor * wave.sum[i][j], factor * smooth.sum[i][j]};
  return out;
}

void NearRowMaker::pair_matrices(std::uint32_t p, int s, std::uint32_t last,
                                 std::vector<ElementMatrix>& out) {
  const std::span<const std::uint32_t> near = context_.neighbours[s].of(p);
  out.assign(near.size(), {});
  for (std::size_t from = 0; from < near.size();) {
    const std::uint32_t side = near[from] / lanes;
    std::size_t to = from;
    std::uint8_t wanted[lanes] = {};
    bool any = false;
    for (; to < near.size() && near[to] / lanes == side; ++to)
      if (context_.lowest[near[to]] <= last) {
        wanted[near[to] % lanes] = 1;
        any = true;
      }
    if (any) {
      const TileSide& lane_side = context_.sides[side];
      const LaneMatrices& exact = exact_matrices(
          p, s, lane_side, {wanted, std::min<std::size_t>(lanes, lane_side.lanes)});
      for (std::size_t n = from; n < to; ++n) {
        const std::uint32_t lane = near[n] % lanes;
        if (!wanted[lane]) continue;
        const ElementMatrix smooth = smooth_matrix(p, near[n], s);
        for (int i = 0; i < 2; ++i)
          for (int j = 0; j < 2; ++j) {
            const std::size_t at = j * lane_side.lanes + lane;
            out[n].z[i][j] = {exact.re[i][at] - smooth.z[i][j].re,
                              exact.im[i][at] - smooth.z[i][j].im};
          }
      }
    }
    from = to;
  }
}

/// take(column, sign, pair, e, f) for every term of row m up to the diagonal, in a fixed
/// order: sign times entry (e, f) of pair_[pair.first][pair.second]; of X, or of R.
template <class Take>
void NearRowMaker::for_entries(std::uint32_t m, bool real, const Take& take) const {
  const BasisFunction& f = context_.fill.basis[m];
  const auto sources = static_cast<int>(context_.neighbours.size());
  for (int t = 0; t < 2; ++t) {
    if (f.sign[t] == 0) continue;
    const auto place = static_cast<std::size_t>(
        std::find(elements_.begin(), elements_.end(), f.element[t]) - elements_.begin());
    for (int s = 0; s < sources; ++s) {
      const auto near = context_.neighbours[s].of(f.element[t]);
      for (std::size_t n = 0; n < near.size(); ++n) {
        if (context_.lowest[near[n]] > m) continue;
        if (real && !context_.real_part_kept(f.element[t], near[n], s)) continue;
        for (int end = 0; end < 2; ++end)
          for (const EndTerm& g : context_.terms.of(near[n], end)) {
            if (g.function > m) break;
            take(g.function, f.sign[t] * g.sign, std::pair(place * sources + s, n),
                 f.end[t], end);
          }
      }
    }
  }
}

void NearRowMaker::fill(std::uint32_t first, std::uint32_t last, Rows& x, Rows& r) {
  elements_.clear();
  for (std::uint32_t m = first; m < last; ++m)
    for (int t = 0; t < 2; ++t)
      if (const BasisFunction& f = context_.fill.basis[m];
          f.sign[t] != 0 &&
          std::find(elements_.begin(), elements_.end(), f.element[t]) == elements_.end())
        elements_.push_back(f.element[t]);
  const auto sources = static_cast<int>(context_.neighbours.size());
  pair_.resize(elements_.size() * sources);
  for (std::size_t e = 0; e < elements_.size(); ++e)
    for (int s = 0; s < sources; ++s)
      pair_matrices(elements_[e], s, last - 1, pair_[e * sources + s]);
  add_rows(first, last, false, x);
  add_rows(first, last, true, r);
}

void NearRowMaker::add_rows(std::uint32_t first, std::uint32_t last, bool real,
                            Rows& rows) {
  place_.resize(context_.fill.basis.size());
  stamp_.resize(context_.fill.basis.size());
  for (std::uint32_t m = first; m < last; ++m) {
    const std::size_t start = rows.column.size();
    const std::uint64_t stamp = 2 * std::uint64_t{m} + (real ? 2 : 1);
    for_entries(m, real, [&](std::uint32_t n, auto&&...) {
      if (stamp_[n] == stamp) return;
      stamp_[n] = stamp;
      rows.column.push_back(n);
    });
    std::sort(rows.column.begin() + start, rows.column.end());
    rows.length.push_back(static_cast<std::uint32_t>(rows.column.size() - start));
    for (std::size_t i = start; i < rows.column.size(); ++i)
      place_[rows.column[i]] = static_cast<std::uint32_t>(i);
    rows.value.resize(rows.column.size(), 0.0);
    for_entries(m, real, [&](std::uint32_t n, double sign, auto pair, int e, int f) {
      const HdComplex z = pair_[pair.first][pair.second].z[e][f];
      rows.value[place_[n]] += sign * (real ? z.re : z.im);
    });
  }
}

HalfSparse put_together(std::vector<NearRowMaker::Rows>& part) {
  HalfSparse x;
  std::vector<std::uint64_t> start;
  for (const auto& rows : part) {
    start.push_back(x.row.back());
    for (const std::uint32_t length : rows.length) x.row.push_back(x.row.back() + length);
  }
  x.column.resize(x.row.back());
  x.value.resize(x.row.back());
#pragma omp parallel for schedule(dynamic)
  for (std::size_t i = 0; i < part.size(); ++i) {
    std::copy(part[i].column.begin(), part[i].column.end(), x.column.begin() + start[i]);
    std::copy(part[i].value.begin(), part[i].value.end(), x.value.begin() + start[i]);
    part[i] = {};
  }
  return x;
}

}  // namespace

namespace {

ElementPairs near_pairs_of(std::span<const Element> elements, Medium medium, int s,
                           double cut, const Monitor& monitor) {
  std::vector<Vec3> centre, source_centre;
  std::vector<double> reach;
  for (const Element& e : elements) {
    centre.push_back(centre_of(e));
    source_centre.push_back(centre_of(medium.source(e, s)));
    // A hair more: what is near is decided by the axes' distance.
    reach.push_back(1.0001 * (0.5 * cut + e.radius_m + 0.5 * e.length_m));
  }
  ElementPairs pairs =
      close_pairs(source_centre, centre, reach, [&](std::uint32_t p, std::uint32_t q) {
        return !monitor.stopped() && elements_close(medium.source(elements[p], s),
                                                    elements[q], cut, p == q && s == 0);
      });
  monitor.check();
  return pairs;
}

}  // namespace

NearRule near_rule(const GridOperator& grid) {
  NearRule rule = {grid.input().medium,      grid.kernel().cut_m(),
                   grid.input().k_rad_per_m, grid.input().grid_class.tolerance,
                   grid.transfer().tubes(),  std::numeric_limits<double>::infinity()};
  const std::span<const Element> elements = grid.transfer().elements();
  const auto larger = [](double a, double b) { return std::max(a, b); };
  const double thickest_m =
                   joined_cheap(elements.size(), 0.0, larger,
                                [&](std::size_t e) { return elements[e].radius_m; }),
               longest_m = joined_cheap(elements.size(), 0.0, larger, [&](std::size_t e) {
                 return elements[e].length_m;
               });
  if (!rule.is_thick(thickest_m))
    rule.real_reach_m = longest_m + 2 * blend_reach * thickest_m;
  return rule;
}

std::vector<ElementPairs> near_element_pairs(std::span<const Element> elements,
                                             Medium medium, double cut,
                                             const Monitor& monitor) {
  std::vector<ElementPairs> pairs;
  for (int s = 0; s < medium.sources(); ++s)
    pairs.push_back(near_pairs_of(elements, medium, s, cut, monitor));
  return pairs;
}

namespace {

NearMatrix matrix_of(const NearContext& context, const Monitor& monitor) {
  const auto count = static_cast<std::uint32_t>(context.fill.basis.size());
  const std::size_t parts = (count + rows_at_once - 1) / rows_at_once;
  std::vector<NearRowMaker::Rows> x(parts), r(parts);
  // A region of threads must not be left by an exception: what the listener throws waits.
  std::exception_ptr thrown;
  std::atomic<bool> go_on{true};
  std::atomic<std::size_t> done{0};
#pragma omp parallel
  {
    NearRowMaker worker(context);
#pragma omp for schedule(dynamic, 1)
    for (std::size_t i = 0; i < parts; ++i) {
      if (!go_on.load(std::memory_order_relaxed) || monitor.stopped()) continue;
      const auto first = static_cast<std::uint32_t>(i) * rows_at_once;
      worker.fill(first, std::min(first + rows_at_once, count), x[i], r[i]);
      const std::size_t so_far = done.fetch_add(1) + 1;
      if (omp_get_thread_num() != 0) continue;
      try {
        monitor.report("fill", static_cast<double>(so_far) / static_cast<double>(parts));
      } catch (...) {
        thrown = std::current_exception();
        go_on = false;
      }
    }
  }
  if (thrown) std::rethrow_exception(thrown);
  monitor.report("fill", 1);
  return {put_together(x), put_together(r)};
}

}  // namespace

NearMatrix near_matrix(const FillInput& fill, const GridOperator& grid,
                       const std::vector<ElementPairs>& pairs, const Monitor& monitor) {
  return matrix_of({fill, grid, pairs, false}, monitor);
}

ElementPairs near_image_pairs(std::span<const Element> elements, const GridOperator& grid,
                              const Monitor& monitor) {
  return near_pairs_of(elements, Medium::perfect_ground(), 1,
                       grid.reflection()->kernel().near_m(), monitor);
}

NearMatrix near_reflections(const FillInput& fill, const GridOperator& grid,
                            const ElementPairs& pairs, const Monitor& monitor) {
  return matrix_of({fill, grid, {pairs}, true}, monitor);
}

}  // namespace thinwire
