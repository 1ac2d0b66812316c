#include "mom/preconditioners/device_coarse_matrix.h"

#include <algorithm>
#include <map>
#include <utility>

#include "kernels/base/constants.h"
#include "kernels/base/parallel.h"
#include "kernels/device/check.cuh"
#include "kernels/device/launch.cuh"
#include "kernels/device/pass.cuh"

namespace thinwire {
namespace {

using namespace device;
constexpr const char* coarse_matrix_purpose = "coarse matrix";
constexpr unsigned coarse_tile = PackedTiles::tile;

// -- Far: lumps, chunk by chunk -------------------------------------------------------

constexpr unsigned chunk_nodes = 32, chunk_functions = 8;

/// Some nodes near each other and what functions of one tile have there. Beyond its nodes
/// and functions moments are zero, and nodes the last one.
struct Chunk {
  float4 moment[chunk_nodes][chunk_functions] = {};  ///< LumpedCurrents::Moment
  float4 node[chunk_nodes] = {};                 ///< x, y, z, m, from the middle of all
  std::uint32_t function[chunk_functions] = {};  ///< numbers in their tile
  std::uint32_t nodes = 0, functions = 0;
};

/// The chunks of all tiles' functions.
struct Chunks {
  std::vector<Chunk> chunk;
  std::vector<std::uint32_t> first;  ///< [tiles of rows + 1] into chunk

  Chunks(const LumpedCurrents& lumps, std::size_t functions);

 private:
  struct TileLump {
    std::uint32_t node, function;
    float4 moment;
  };
  void append(std::span<const TileLump> lumps, const LumpedCurrents& of, Vec3 middle_m);
};

float4 narrow(const LumpedCurrents::Moment& m) {
  return {static_cast<float>(m[0]), static_cast<float>(m[1]), static_cast<float>(m[2]),
          static_cast<float>(m[3])};
}

Chunks::Chunks(const LumpedCurrents& lumps, std::size_t functions) : first{0} {
  std::vector<std::vector<TileLump>> of_tile(PackedTiles{functions}.rows());
  for (std::uint32_t node = 0; node < lumps.node_m.size(); ++node)
    for (std::uint64_t l = lumps.first[node]; l < lumps.first[node + 1]; ++l) {
      const auto& [f, moment] = lumps.lump[l];
      of_tile[f / coarse_tile].push_back({node, f % coarse_tile, narrow(moment)});
    }
  // Height stays: images lie below the ground at z = 0.
  Vec3 middle_m;
  for (const Vec3 at : lumps.node_m) middle_m = middle_m + Vec3{at.x, at.y, 0};
  middle_m = (1.0 / static_cast<double>(lumps.node_m.size())) * middle_m;
  for (const auto& own : of_tile) {
    append(own, lumps, middle_m);
    first.push_back(static_cast<std::uint32_t>(chunk.size()));
  }
}

/// lumps: node by node.
void Chunks::append(std::span<const TileLump> lumps, const LumpedCurrents& of,
                    Vec3 middle_m) {
  while (!lumps.empty()) {
    Chunk& own = chunk.emplace_back();
    std::uint32_t last_node = 0;
    for (; !lumps.empty(); lumps = lumps.subspan(1)) {
      const TileLump& lump = lumps.front();
      const bool new_node = own.nodes == 0 || lump.node != last_node;
      const auto column = static_cast<unsigned>(
          std::find(own.function, own.function + own.functions, lump.function) -
          own.function);
      if ((new_node && own.nodes == chunk_nodes) || column == chunk_functions) break;
      if (new_node) {
        const Vec3 at = of.node_m[lump.node] - middle_m;
        own.node[own.nodes++] = {static_cast<float>(at.x), static_cast<float>(at.y),
                                 static_cast<float>(at.z), 0};
        last_node = lump.node;
      }
      if (column == own.functions) own.function[own.functions++] = lump.function;
      own.moment[own.nodes - 1][column] = lump.moment;
    }
    std::fill(own.node + own.nodes, own.node + chunk_nodes, own.node[own.nodes - 1]);
  }
}

/// e^{-jkR} / R; R^2 has floor2 more. per_pi: k / pi.
__device__ float2 wave(float dx, float dy, float dz, float per_pi, float floor2) {
  const float r2 = dx * dx + dy * dy + dz * dz + floor2, inverse = rsqrtf(r2);
  float sine, cosine;
  sincospif(per_pi * r2 * inverse, &sine, &cosine);
  return {cosine * inverse, -sine * inverse};
}

__device__ void add_scaled(float2& sum, float factor, float2 x) {
  sum.x = fmaf(factor, x.x, sum.x);
  sum.y = fmaf(factor, x.y, sum.y);
}

// Tensor cores (PTX ISA, mma.m16n8k8 of TF32, three digits) multiply [16][8] by [8][8]
// numbers and add. Of lane 4 g + t of a warp are: of the left matrix (g, t), (g + 8, t),
// (g, t + 4), (g + 8, t + 4); of the right one (t, g), (t + 4, g); of the sums (g, 2 t),
// (g, 2 t + 1), (g + 8, 2 t), (g + 8, 2 t + 1).

__device__ std::uint32_t tf32(float x) {
  std::uint32_t rounded = 0;
#if __CUDA_ARCH__ >= 800
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(rounded) : "f"(x));
#endif
  return rounded;
}

__device__ void multiply_add(float (&sum)[4], const std::uint32_t (&left)[4],
                             std::uint32_t right_0, std::uint32_t right_1) {
#if __CUDA_ARCH__ >= 800
  asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, "
      "{%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
      : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
      : "r"(left[0]), "r"(left[1]), "r"(left[2]), "r"(left[3]), "r"(right_0),
        "r"(right_1));
#endif
}

constexpr unsigned couple_warps = 8, mma_depth = 8, depths = chunk_nodes / mma_depth;

/// Moments of a column's chunk as left matrices: components x above y, z above the
/// charge, which counts negative.
struct ColumnMoments {
  std::uint32_t xy[depths][4], zq[depths][4];

  __device__ ColumnMoments(const Chunk& chunk, unsigned g, unsigned t) {
#pragma unroll
    for (unsigned d = 0; d < depths; ++d) {
      const float4 near = chunk.moment[d * mma_depth + t][g],
                   far = chunk.moment[d * mma_depth + t + 4][g];
      const float of_xy[] = {near.x, near.y, far.x, far.y},
                  of_zq[] = {near.z, -near.w, far.z, -far.w};
      for (int i = 0; i < 4; ++i) {
        xy[d][i] = tf32(of_xy[i]);
        zq[d][i] = tf32(of_zq[i]);
      }
    }
  }
};

/// Adds the products of moments and of fields at nodes 2 t and 2 t + 1, for both
/// components of `field`, a sum of ColumnMoments: those of its upper half in rows 0 to 7.
__device__ void add_products(float (&sum)[4], const float (&field)[4], float upper_0,
                             float upper_1, float lower_0, float lower_1) {
  multiply_add(sum, {tf32(field[0]), 0, tf32(field[1]), 0}, tf32(upper_0), tf32(upper_1));
  multiply_add(sum, {0, tf32(field[2]), 0, tf32(field[3])}, tf32(lower_0), tf32(lower_1));
}

/// Memory that the threads of a block of couple_lumps share.
struct CoupleMemory {
  float2 tile[coarse_tile][coarse_tile];
  /// Each warp's sums, of its column's chunk: [row of the tile][function of the chunk].
  float2 strip[couple_warps][coarse_tile][chunk_functions];
};

/// Adds what the lumps of two chunks contribute to `strip`.
template <bool image>
__device__ void couple_chunks(const Chunk& row, const Chunk& column,
                              const ColumnMoments& moments, float per_pi, float floor2,
                              float2 (&strip)[coarse_tile][chunk_functions]) {
  const unsigned g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
  float sum[2][4] = {};  // real, imaginary
  for (unsigned i = 0; i < row.nodes; i += mma_depth) {
    // Fields of the column's functions at eight nodes of the row.
    const float4 here = row.node[i + g];
    float xy[2][4] = {}, zq[2][4] = {};
#pragma unroll
    for (unsigned d = 0; d < depths; ++d) {
      if (d * mma_depth >= column.nodes) break;
      float2 level[2], up[2];
      for (int n = 0; n < 2; ++n) {
        const float4 from = column.node[d * mma_depth + t + 4 * n];
        const float dx = here.x - from.x, dy = here.y - from.y;
        level[n] = up[n] = wave(dx, dy, here.z - from.z, per_pi, floor2);
        if constexpr (image) {
          const float2 below = wave(dx, dy, here.z + from.z, per_pi, floor2);
          level[n] = {level[n].x - below.x, level[n].y - below.y};
          up[n] = {up[n].x + below.x, up[n].y + below.y};
        }
      }
      const std::uint32_t re[] = {tf32(level[0].x), tf32(level[1].x)},
                          im[] = {tf32(level[0].y), tf32(level[1].y)};
      multiply_add(xy[0], moments.xy[d], re[0], re[1]);
      multiply_add(xy[1], moments.xy[d], im[0], im[1]);
      if constexpr (image) {
        const std::uint32_t(&of)[4] = moments.zq[d];
        multiply_add(zq[0], {of[0], 0, of[2], 0}, tf32(up[0].x), tf32(up[1].x));
        multiply_add(zq[1], {of[0], 0, of[2], 0}, tf32(up[0].y), tf32(up[1].y));
        multiply_add(zq[0], {0, of[1], 0, of[3]}, re[0], re[1]);
        multiply_add(zq[1], {0, of[1], 0, of[3]}, im[0], im[1]);
      } else {
        multiply_add(zq[0], moments.zq[d], re[0], re[1]);
        multiply_add(zq[1], moments.zq[d], im[0], im[1]);
      }
    }
    const float4 m0 = row.moment[i + 2 * t][g], m1 = row.moment[i + 2 * t + 1][g];
    for (int part = 0; part < 2; ++part) {
      add_products(sum[part], xy[part], m0.x, m1.x, m0.y, m1.y);
      add_products(sum[part], zq[part], m0.z, m1.z, m0.w, m1.w);
    }
  }
  for (unsigned a = 0; a < 2; ++a) {
    if (2 * t + a >= row.functions) continue;
    float2& to = strip[row.function[2 * t + a]][g];
    to.x += sum[0][a] + sum[0][a + 2];
    to.y += sum[1][a] + sum[1][a + 2];
  }
}

/// Writes the tiles of the coarse matrix, of lumps alone: a block of threads for each
/// tile, a warp for each chunk of its columns, which goes over those of its rows. image:
/// whether each node has one below z = 0.
template <bool image>
__global__ void __launch_bounds__(32 * couple_warps, 2)
    couple_lumps(const Chunk* chunks, const std::uint32_t* first, float per_pi,
                 float floor2, float factor, float2* z) {
  extern __shared__ float4 memory[];
  CoupleMemory& own = *reinterpret_cast<CoupleMemory*>(memory);
  const auto [tile_row, tile_column] = PackedTiles::tile_at(blockIdx.x);
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  auto& strip = own.strip[warp];
  for (unsigned e = threadIdx.x; e < coarse_tile * coarse_tile; e += blockDim.x)
    own.tile[e / coarse_tile][e % coarse_tile] = {0, 0};
  const std::uint32_t end = first[tile_column + 1];
  for (std::uint32_t begin = first[tile_column]; begin < end; begin += couple_warps) {
    for (unsigned e = lane; e < coarse_tile * chunk_functions; e += 32)
      strip[e / chunk_functions][e % chunk_functions] = {0, 0};
    __syncwarp();
    if (begin + warp < end) {
      const Chunk& column = chunks[begin + warp];
      const ColumnMoments moments(column, lane / 4, lane % 4);
      for (std::uint32_t r = first[tile_row]; r < first[tile_row + 1]; ++r) {
        couple_chunks<image>(chunks[r], column, moments, per_pi, floor2, strip);
        __syncwarp();
      }
    }
    __syncthreads();
    // A thread for each row, so that sums are in one order.
    if (const unsigned row = threadIdx.x; row < coarse_tile)
      for (unsigned w = 0; w < couple_warps && begin + w < end; ++w) {
        const Chunk& column = chunks[begin + w];
        for (unsigned f = 0; f < column.functions; ++f)
          add_scaled(own.tile[row][column.function[f]], 1, own.strip[w][row][f]);
      }
    __syncthreads();
  }
  for (unsigned e = threadIdx.x; e < coarse_tile * coarse_tile; e += blockDim.x) {
    const float2 sum = own.tile[e / coarse_tile][e % coarse_tile];
    z[std::size_t{blockIdx.x} * PackedTiles::tile_entries + e] = {-factor * sum.y,
                                                                  factor * sum.x};
  }
}

void set_lumped(const LumpedCurrents& lumps, double floor_m, double k, Medium medium,
                DeviceTiles& a, const DeviceStream& stream) {
  if (current_device().compute_capability < 80)
    throw Error(ErrorKind::device,
                std::string(coarse_matrix_purpose) +
                    ": needs a GPU of compute capability 8.0 or higher. Use "
                    "--coarse off or --device cpu.");
  const Chunks chunks(lumps, a.layout().n);
  const auto chunk = uploaded(chunks.chunk, coarse_matrix_purpose, stream);
  const auto first = uploaded(chunks.first, coarse_matrix_purpose, stream);
  const auto kernel = medium.sources() > 1 ? couple_lumps<true> : couple_lumps<false>;
  allow_shared(kernel, sizeof(CoupleMemory), coarse_matrix_purpose);
  kernel<<<static_cast<unsigned>(a.layout().tiles()), 32 * couple_warps,
           sizeof(CoupleMemory), stream.get()>>>(
      chunk.data(), first.data(), static_cast<float>(k / pi),
      static_cast<float>(floor_m * floor_m), static_cast<float>(k * eta0_ohm / (4 * pi)),
      static_cast<float2*>(a.data()));
  check_launch(coarse_matrix_purpose);
  stream.synchronize();
}

// -- Near: entries of Z ---------------------------------------------------------------

/// Coefficients of each coarse function in either of its clusters, zero where it has none
/// of the cluster's functions.
struct ClusterWeights {
  std::vector<float> value;
  std::vector<std::uint64_t> first;  ///< [coarse functions][2] into value

  ClusterWeights(const CoarseSpace& space, const ClusterFunctions& functions) {
    for (std::uint32_t c = 0; c < space.size(); ++c)
      for (const std::uint32_t cluster : space.between[c]) {
        first.push_back(value.size());
        if (cluster == CoarseSpace::no_cluster) continue;
        value.resize(value.size() + functions.of_cluster.size(cluster), 0);
        const auto of = space.restriction.columns_of(c);
        const auto values = space.restriction.values_of(c);
        for (std::size_t i = 0; i < of.size(); ++i)
          if (space.cluster_of_function[of[i]] == cluster)
            value[first.back() + functions.place[of[i]]] = static_cast<float>(values[i]);
      }
  }
  std::uint64_t of(const CoarseSpace& space, std::uint32_t function,
                   std::uint32_t cluster) const {
    return first[2 * function + (space.between[function][0] == cluster ? 0 : 1)];
  }
};

/// NearTerm as the GPU takes it: sum of row[i] entry[i][j] column[j].
struct DeviceTerm {
  std::uint64_t row, column, entry;
  std::uint32_t rows, columns;
};

/// A warp for each term.
__global__ void sum_terms(const DeviceTerm* terms, std::size_t count, const float* weight,
                          const float2* entries, float2* values) {
  const std::size_t t = (std::size_t{blockIdx.x} * pass_threads + threadIdx.x) / 32;
  if (t >= count) return;
  const DeviceTerm term = terms[t];
  const float *row = weight + term.row, *column = weight + term.column;
  float2 sum = {0, 0};
  for (std::uint32_t i = 0; i < term.rows; ++i) {
    const float of_row = row[i];
    if (of_row == 0) continue;
    const float2* entry = entries + term.entry + std::size_t{i} * term.columns;
    float2 along = {0, 0};
    for (std::uint32_t j = threadIdx.x % 32; j < term.columns; j += 32)
      add_scaled(along, column[j], entry[j]);
    add_scaled(sum, of_row, along);
  }
  for (int bit = 16; bit > 0; bit /= 2) {
    sum.x += __shfl_xor_sync(0xffffffffu, sum.x, bit);
    sum.y += __shfl_xor_sync(0xffffffffu, sum.y, bit);
  }
  if (threadIdx.x % 32 == 0) values[t] = sum;
}

/// The functions of all clusters as lists for DeviceFill::entries.
struct ClusterLists {
  std::vector<std::uint32_t> of_cluster;  ///< [clusters + 1]: first list
  DeviceFunctionLists lists;

  ClusterLists(const ClusterFunctions& functions, const DeviceCoarseInput& input)
      : of_cluster{0}, lists(make(functions, input, of_cluster)) {}

 private:
  static DeviceFunctionLists make(const ClusterFunctions& functions,
                                  const DeviceCoarseInput& input,
                                  std::vector<std::uint32_t>& of_cluster) {
    std::vector<std::uint32_t> numbers;
    std::vector<std::size_t> first = {0};
    for (std::size_t g = 0; g < functions.of_cluster.groups(); ++g) {
      const auto own = functions.of_cluster.of(g);
      for (std::size_t i = 0; i < own.size(); ++i) {
        numbers.push_back(input.place.empty() ? own[i] : input.place[own[i]]);
        if ((i + 1) % coarse_tile == 0 || i + 1 == own.size())
          first.push_back(numbers.size());
      }
      of_cluster.push_back(static_cast<std::uint32_t>(first.size() - 1));
    }
    return input.fill.make_function_lists(numbers, first);
  }
};

/// Computes the terms, batch of blocks after batch.
std::vector<std::complex<float>> near_values(const CoarseSpace& space,
                                             const NearFunctions& near,
                                             const DeviceCoarseInput& input,
                                             const Monitor& monitor,
                                             const DeviceStream& stream) {
  constexpr std::size_t batch_entries = std::size_t{1} << 27;
  const ClusterFunctions functions(space);
  const ClusterWeights weights(space, functions);
  const ClusterLists lists(functions, input);
  const auto device_weights = uploaded(weights.value, coarse_matrix_purpose, stream);
  std::vector<std::complex<float>> values(near.terms.size());
  DeviceBuffer<std::complex<float>> device_values(values.size(), coarse_matrix_purpose),
      entries;
  for (std::size_t block = 0; block < near.blocks();) {
    std::vector<EntryTile> tiles;
    std::vector<DeviceTerm> terms;
    const std::size_t first_term = near.block[block];
    std::size_t used = 0;
    for (; block < near.blocks(); ++block) {
      const NearTerm& first = near.terms[near.block[block]];
      const std::size_t rows = functions.of_cluster.size(first.row_cluster),
                        columns = functions.of_cluster.size(first.column_cluster);
      if (used > 0 && used + rows * columns > batch_entries) break;
      const std::uint32_t row_list = lists.of_cluster[first.row_cluster],
                          column_list = lists.of_cluster[first.column_cluster];
      for (std::uint32_t i = row_list; i < lists.of_cluster[first.row_cluster + 1]; ++i)
        for (std::uint32_t j = column_list;
             j < lists.of_cluster[first.column_cluster + 1]; ++j)
          tiles.push_back({i, j,
                           used + std::size_t{i - row_list} * coarse_tile * columns +
                               (j - column_list) * coarse_tile,
                           EntryTile::none, static_cast<std::uint32_t>(columns), 1});
      for (std::size_t t = near.block[block]; t < near.block[block + 1]; ++t) {
        const NearTerm& term = near.terms[t];
        terms.push_back({weights.of(space, term.row, term.row_cluster),
                         weights.of(space, term.column, term.column_cluster), used,
                         static_cast<std::uint32_t>(rows),
                         static_cast<std::uint32_t>(columns)});
      }
      used += rows * columns;
    }
    monitor.check();
    if (entries.size() < used) entries = {used, coarse_matrix_purpose};
    const auto device_tiles = uploaded(tiles, coarse_matrix_purpose, stream);
    const auto device_terms = uploaded(terms, coarse_matrix_purpose, stream);
    input.fill.entries(lists.lists, device_tiles.data(), tiles.size(), entries.data(),
                       input.medium, stream);
    sum_terms<<<pass_blocks(32 * terms.size()), pass_threads, 0, stream.get()>>>(
        device_terms.data(), terms.size(), device_weights.data(),
        reinterpret_cast<const float2*>(entries.data()),
        reinterpret_cast<float2*>(device_values.data()) + first_term);
    check_launch(coarse_matrix_purpose);
    stream.synchronize();  // tiles and terms end here
  }
  device_values.download(values, stream);
  return values;
}

/// Loads between coarse functions, P^T L P, on and below the diagonal.
std::vector<MatrixUpdate> coarse_loads(const CoarseSpace& space,
                                       std::span<const MatrixUpdate> loads) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, Complex> sums;
  const Csr<double>& p = space.prolongation;
  for (const MatrixUpdate& load : loads)
    for (int mirrored = 0; mirrored < (load.row == load.column ? 1 : 2); ++mirrored) {
      const std::uint32_t i = mirrored ? load.column : load.row,
                          j = mirrored ? load.row : load.column;
      for (std::size_t a = 0; a < p.columns_of(i).size(); ++a)
        for (std::size_t b = 0; b < p.columns_of(j).size(); ++b)
          if (p.columns_of(i)[a] >= p.columns_of(j)[b])
            sums[{p.columns_of(i)[a], p.columns_of(j)[b]}] +=
                p.values_of(i)[a] * p.values_of(j)[b] * load.value;
    }
  std::vector<MatrixUpdate> updates;
  for (const auto& [at, value] : sums) updates.push_back({at.first, at.second, value});
  return updates;
}

/// An entry that replaces what is there, and where its mirror image on a diagonal tile
/// is.
struct Replacement {
  std::uint64_t at, mirror;
  float2 value;
};

__global__ void replace(const Replacement* replacements, std::size_t count, float2* z) {
  const std::size_t i = std::size_t{blockIdx.x} * pass_threads + threadIdx.x;
  if (i >= count) return;
  z[replacements[i].at] = z[replacements[i].mirror] = replacements[i].value;
}

void set_near(const CoarseSpace& space, const NearFunctions& near,
              const DeviceCoarseInput& input, const Monitor& monitor, DeviceTiles& a,
              const DeviceStream& stream) {
  const auto values = near_values(space, near, input, monitor, stream);
  std::vector<Complex> exact(near.pairs.size());
  for (std::size_t t = 0; t < values.size(); ++t)
    exact[near.terms[t].pair] += Complex(values[t]);
  std::vector<Replacement> replacements;
  for (std::size_t i = 0; i < exact.size(); ++i) {
    const auto [p, q] = near.pairs[i];
    const std::size_t at = PackedTiles::offset(q, p);
    replacements.push_back(
        {at,
         p / coarse_tile == q / coarse_tile
             ? PackedTiles::tile_offset(p / coarse_tile, p / coarse_tile) +
                   p % coarse_tile * coarse_tile + q % coarse_tile
             : at,
         {static_cast<float>(exact[i].real()), static_cast<float>(exact[i].imag())}});
  }
  const auto list = uploaded(replacements, coarse_matrix_purpose, stream);
  replace<<<pass_blocks(list.size()), pass_threads, 0, stream.get()>>>(
      list.data(), list.size(), static_cast<float2*>(a.data()));
  check_launch(coarse_matrix_purpose);
  stream.synchronize();
}

}  // namespace

DeviceTiles device_coarse_matrix(const CoarseSpace& space,
                                 const CoarseCouplings& couplings,
                                 const DeviceCoarseInput& input, const Monitor& monitor) {
  const DeviceStream stream;
  DeviceTiles a({space.size()}, Storage::complex_single);
  set_lumped(couplings.lumps, couplings.floor_m, input.k_rad_per_m, input.medium, a,
             stream);
  monitor.check();
  set_near(space, couplings.near, input, monitor, a, stream);
  add_updates(a, coarse_loads(space, input.loads), stream);
  return a;
}

}  // namespace thinwire
