#include "kernels/fill/fill.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <vector>

#include <omp.h>

#include "kernels/element/quadrature_order.h"
#include "kernels/fill/far_pair.h"
#include "kernels/fill/tile_side.h"

namespace thinwire {
namespace {

constexpr std::size_t tile = PackedTiles::tile;

/// What one thread needs to fill tiles.
struct TileWorker {
  const FillInput& input;
  LaneMatrices lane_matrices;
  std::vector<FarRuleChoice> rules;      ///< of each group of lanes
  std::vector<std::int32_t> near_lanes;  ///< lanes that want the near-pair table

  void choose_rules(const Element& p, const TileSide& q) {
    const Vec3 c = p.start_m + 0.5 * p.length_m * p.tangent;
    const bool exact = input.kernel == GreensKernel::exact;
    const double k = input.near.sorting_wavenumber();
    near_lanes.clear();
    rules.assign(q.lanes / TileSide::lane_group, {2, false});
    for (std::size_t l = 0; l < q.lanes; ++l) {
      FarRuleChoice& rule = rules[l / TileSide::lane_group];
      const double distance = norm(c - Vec3{q.centre_x[l], q.centre_y[l], q.centre_z[l]});
      const double length = std::max(p.length_m, q.length_m[l]);
      const double radius = exact ? std::max(p.radius_m, q.radius_m[l]) : 0;
      const int order = far_order(distance, length, radius, k);
      if (order == 0) {
        if (l < q.used_lanes) near_lanes.push_back(static_cast<std::int32_t>(l));
        continue;
      }
      rule.order = std::max(rule.order, order);
      rule.series |= exact && wants_series(distance, length, radius, k);
    }
  }

  /// Adds what source s of p (medium.h) and every lane of q give to lane_matrices.
  void add_element(std::uint32_t p_index, int s, const TileSide& q) {
    const Element p = input.medium.source(input.elements[p_index], s);
    const double scale = input.medium.factor(s);
    choose_rules(p, q);
    // The far rule also runs over lanes that are near, so what stood there is put back
    // below.
    ElementMatrix before[2 * tile];
    for (std::size_t i = 0; i < near_lanes.size(); ++i)
      for (int e = 0; e < 2; ++e)
        for (int f = 0; f < 2; ++f) {
          const std::size_t at = f * q.lanes + near_lanes[i];
          before[i].z[e][f] = {lane_matrices.re[e][at], lane_matrices.im[e][at]};
        }
    for (std::size_t group = 0; group < rules.size();) {
      std::size_t end = group + 1;
      while (end < rules.size() && rules[end] == rules[group]) ++end;
      add_far_lanes(rules[group], p, q, group * TileSide::lane_group,
                    end * TileSide::lane_group, input.k_rad_per_m, input.kernel, scale,
                    lane_matrices);
      group = end;
    }
    for (std::size_t i = 0; i < near_lanes.size(); ++i) {
      const auto lane = static_cast<std::size_t>(near_lanes[i]);
      const ElementMatrix m = input.near.at(p_index, q.element_index[lane], s);
      for (int e = 0; e < 2; ++e)
        for (int f = 0; f < 2; ++f) {
          const HdComplex sum = before[i].z[e][f] + scale * m.z[e][f];
          lane_matrices.re[e][f * q.lanes + lane] = sum.re;
          lane_matrices.im[e][f * q.lanes + lane] = sum.im;
        }
    }
  }

  void fill(const TileSide& rows, const TileSide& columns, bool diagonal, Complex* out) {
    std::fill_n(out, PackedTiles::tile_entries, Complex{});
    for (std::size_t p = 0; p < rows.used_lanes; ++p) {
      lane_matrices.reset(columns.lanes);
      for (int s = 0; s < input.medium.sources(); ++s)
        add_element(rows.element_index[p], s, columns);
      for (int end = 0; end < 2; ++end) add_rows(rows, 2 * p + end, end, columns, out);
    }
    if (diagonal)
      for (std::size_t i = 0; i < tile; ++i)
        for (std::size_t j = i + 1; j < tile; ++j) out[i * tile + j] = out[j * tile + i];
  }

  /// Adds the lane matrices' row `end` to the rows of the tile whose functions have that
  /// term.
  void add_rows(const TileSide& rows, std::size_t group, int end, const TileSide& columns,
                Complex* out) const {
    const std::int32_t first = rows.row_first[group], last = rows.row_first[group + 1];
    if (first == last) return;
    double re[tile], im[tile];
    const double *z_re = lane_matrices.re[end].data(),
                 *z_im = lane_matrices.im[end].data();
    for (std::size_t n = 0; n < tile; ++n) {
      const std::int32_t i = columns.term_index[0][n], j = columns.term_index[1][n];
      const double s = columns.term_sign[0][n], t = columns.term_sign[1][n];
      re[n] = s * z_re[i] + t * z_re[j];
      im[n] = s * z_im[i] + t * z_im[j];
    }
    for (std::int32_t term = first; term < last; ++term) {
      const TileSide::RowTerm& row = rows.row_terms[term];
      auto* line = reinterpret_cast<double*>(out + row.row * tile);
      for (std::size_t n = 0; n < tile; ++n) {
        line[2 * n] += row.sign * re[n];
        line[2 * n + 1] += row.sign * im[n];
      }
    }
  }
};

}  // namespace

void fill_impedance(const FillInput& input, std::span<Complex> z,
                    const Monitor& monitor) {
  fill_impedance(input, TileShare::whole({input.basis.size()}), z, monitor);
}

void fill_impedance(const FillInput& input, TileShare share, std::span<Complex> z,
                    const Monitor& monitor) {
  const PackedTiles layout{input.basis.size()};
  const std::size_t rows = layout.rows(), count = share.size();
  std::vector<TileSide> sides(rows);
#pragma omp parallel for schedule(dynamic)
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(rows); ++i)
    sides[i] = make_tile_side(input.elements, input.basis, i, input.k_rad_per_m);

  // A region of threads must not be left by an exception: what the listener throws waits.
  std::exception_ptr thrown;
  std::atomic<bool> go_on{true};
  std::atomic<std::size_t> done{0};
#pragma omp parallel
  {
    TileWorker worker{input, {}, {}, {}};
#pragma omp for schedule(dynamic, 4)
    for (std::int64_t t = 0; t < static_cast<std::int64_t>(count); ++t) {
      if (!go_on.load(std::memory_order_relaxed) || monitor.stopped()) continue;
      const auto number = share.first + static_cast<std::size_t>(t);
      const auto [i, j] = PackedTiles::tile_at(number);
      worker.fill(sides[i], sides[j], i == j, z.data() + share.offset(number));
      const std::size_t so_far = done.fetch_add(1) + 1;
      if (omp_get_thread_num() != 0) continue;
      try {
        monitor.tell("fill", static_cast<double>(so_far) / static_cast<double>(count));
      } catch (...) {
        thrown = std::current_exception();
        go_on = false;
      }
    }
  }
  if (thrown) std::rethrow_exception(thrown);
  // The calling thread may have had no tile to fill, and so not have asked.
  monitor.tell("fill", 1);
}

}  // namespace thinwire
