#pragma once

#include <cstdint>

#include "kernels/device/tuning.h"
#include "kernels/fill/near_pair_table.h"
#include "kernels/fill/tile_side.h"
#include "kernels/ground/ground_order.h"
#include "kernels/ground/ground_table.h"

namespace thinwire::device {

/// The mesh as the fill reads it on the GPU.

inline constexpr int fill_tile = PackedTiles::tile;
inline constexpr int lane_group = TileSide::lane_group;
inline constexpr int max_lanes = 2 * fill_tile;
inline constexpr int fill_threads = tuning::fill_threads;
inline constexpr int batch_pairs = tuning::fill_batch_pairs;

/// The Gauss rules of far pairs stand one after another: 2, 3, 4 and 6 points.
inline constexpr int shape_points = 15;
THINWIRE_HD constexpr int first_point(int order) {
  return order == 2 ? 0 : order == 3 ? 2 : order == 4 ? 5 : 9;
}

/// TileSide of tile_side.h on the GPU: the elements ("lanes") of at most 64 functions, in
/// the order in which the functions name them, and the functions in terms of them.
struct Side {
  std::uint32_t functions;
  std::uint32_t used_lanes;
  std::uint32_t lanes;  // padded to groups with copies of the first
  std::uint32_t element[max_lanes];
  std::uint8_t term_lane[fill_tile][2], term_end[fill_tile][2];
  std::int8_t term_sign[fill_tile][2];  // 0: no such term
};

/// Contribution of a real ground that a kernel adds, by its table in double or in single
/// precision.
enum class Reflection { none, in_double, in_single };

/// A real ground as the fill reads it on the GPU: its table and the pairs near each
/// other's image (near_ground_pairs.h).
struct GroundMesh {
  GroundTableView table;  // without coefficients where they are in single precision
  const float* single = nullptr;
  GroundWaves waves;
  HdComplex c0;                        // strength of the image
  const std::uint64_t* row = nullptr;  // null: near pairs give nothing
  const std::uint32_t *second = nullptr, *of_pair = nullptr;
  const ElementMatrix* matrix = nullptr;
  const std::uint32_t* run = nullptr;  // straight_runs of the elements; null: none alike
};

/// Place of near pair (row, column), column <= row, in lists by row as NearPairTable and
/// NearGroundPairs have them.
__device__ inline std::uint64_t place_of_pair(const std::uint64_t* rows,
                                              const std::uint32_t* second,
                                              std::uint32_t row, std::uint32_t column) {
  std::uint64_t low = rows[row], high = rows[row + 1];
  while (low + 1 < high) {
    const std::uint64_t middle = (low + high) / 2;
    if (second[middle] <= column)
      low = middle;
    else
      high = middle;
  }
  return low;
}

struct Mesh {
  const double* geometry;  // [8][elements]: start, tangent, length, radius
  // weight u_1 and weight u_1' / k at the Gauss points, [shape_points][elements]; those
  // of u_0 follow by reflection
  const double *value, *derivative;
  std::size_t elements;
  const Side* sides;
  DeviceNearPairs::View near[Medium::max_sources];
  double k;
  PairLimit limit;
  bool exact;
  Medium medium;
  GroundMesh ground;  // for kernels over real ground

  __device__ Element element(std::uint32_t e) const {
    const double* g = geometry + e;
    const std::size_t n = elements;
    return {{g[0], g[n], g[2 * n]}, {g[3 * n], g[4 * n], g[5 * n]}, g[6 * n], g[7 * n]};
  }
};

}  // namespace thinwire::device
