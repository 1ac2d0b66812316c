#include "mom/preconditioners/device_coarse_matrix.h"

#include <mma.h>

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

/// Nodes and functions of a chunk at most: one thread for each pair of functions.
constexpr unsigned chunk_nodes = 32, chunk_functions = 16;
constexpr unsigned couple_threads = chunk_functions * chunk_functions;

/// Some nodes near each other and what functions of one tile have there.
struct Chunk {
  std::uint32_t first_node, nodes, first_function, functions;
  std::uint64_t first_moment;  ///< of [nodes][functions]
};

/// The chunks of all tiles' functions.
struct Chunks {
  std::vector<Chunk> chunk;
  std::vector<std::uint32_t> first;     ///< [tiles of rows + 1] into chunk
  std::vector<float4> node;             ///< x, y, z, m, from the middle of all
  std::vector<std::uint32_t> function;  ///< numbers in their tile
  std::vector<float4> moment;           ///< LumpedCurrents::Moment

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
    // As many as there is room for their nodes and functions.
    std::vector<std::uint32_t> nodes, functions;
    std::size_t count = 0;
    for (; count < lumps.size(); ++count) {
      const TileLump& lump = lumps[count];
      const bool new_node = nodes.empty() || nodes.back() != lump.node,
                 new_function =
                     std::ranges::find(functions, lump.function) == functions.end();
      if ((new_node && nodes.size() == chunk_nodes) ||
          (new_function && functions.size() == chunk_functions))
        break;
      if (new_node) nodes.push_back(lump.node);
      if (new_function) functions.push_back(lump.function);
    }
    std::ranges::sort(functions);
    chunk.push_back({static_cast<std::uint32_t>(node.size()),
                     static_cast<std::uint32_t>(nodes.size()),
                     static_cast<std::uint32_t>(function.size()),
                     static_cast<std::uint32_t>(functions.size()), moment.size()});
    moment.resize(moment.size() + nodes.size() * functions.size(), float4{});
    std::size_t row = 0;
    for (const TileLump& lump : lumps.first(count)) {
      while (nodes[row] != lump.node) ++row;
      const auto column = std::ranges::lower_bound(functions, lump.function);
      moment[chunk.back().first_moment + row * functions.size() +
             static_cast<std::size_t>(column - functions.begin())] = lump.moment;
    }
    for (const std::uint32_t n : nodes) {
      const Vec3 at = of.node_m[n] - middle_m;
      node.push_back({static_cast<float>(at.x), static_cast<float>(at.y),
                      static_cast<float>(at.z), 0});
    }
    function.insert(function.end(), functions.begin(), functions.end());
    lumps = lumps.subspan(count);
  }
}

struct ChunkView {
  const Chunk* chunk;
  const std::uint32_t* first;
  const float4* node;
  const std::uint32_t* function;
  const float4* moment;
};

/// Tensor cores multiply [16][8] by [8][16] numbers.
constexpr unsigned mma_size = 16, mma_depth = 8, components = 4;
static_assert(chunk_functions == mma_size && chunk_nodes == 2 * mma_size);

/// Rows are apart so that threads of neighbouring ones are in different banks.
constexpr unsigned node_pitch = chunk_nodes + 4,
                   moment_pitch = components * chunk_functions + 4;
using NodeMatrix = float[chunk_nodes][node_pitch];
using MomentMatrix =
    float[chunk_nodes][moment_pitch];  ///< columns: components, functions

/// A chunk in shared memory; zero beyond its nodes and functions.
struct SharedChunk {
  MomentMatrix moment;
  float4 node[chunk_nodes];
  std::uint32_t function[chunk_functions];
};

/// Memory that the threads of a block of couple_lumps share: numbers that tensor cores
/// load are on boundaries of 32 bytes.
struct CoupleMemory {
  SharedChunk row, column;
  /// [column's node][row's node] e^{-jkR} / R minus and plus that of the image, real and
  /// imaginary.
  NodeMatrix difference[2], total[2];
  /// Field of a column's function at a row's node, by component, real and imaginary.
  MomentMatrix field[2];
  /// Products of rows and columns by component, real and imaginary.
  float product[components][2][chunk_functions][chunk_functions];
  float2 sum[coarse_tile][coarse_tile];  ///< the tile
};

__device__ void load_chunk(const ChunkView& chunks, const Chunk& chunk, SharedChunk& to) {
  for (unsigned i = threadIdx.x; i < chunk_nodes * chunk_functions; i += couple_threads) {
    const unsigned node = i / chunk_functions, f = i % chunk_functions;
    const bool there = node < chunk.nodes && f < chunk.functions;
    const float4 m = there
                         ? chunks.moment[chunk.first_moment + node * chunk.functions + f]
                         : float4{0, 0, 0, 0};
    unsigned column = f;
    for (const float value : {m.x, m.y, m.z, m.w}) {
      to.moment[node][column] = value;
      column += chunk_functions;
    }
  }
  for (unsigned i = threadIdx.x; i < chunk_nodes; i += couple_threads)
    to.node[i] = chunks.node[chunk.first_node + min(i, chunk.nodes - 1)];
  for (unsigned i = threadIdx.x; i < chunk.functions; i += couple_threads)
    to.function[i] = chunks.function[chunk.first_function + i];
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

/// Writes the sums over k < depth of sign left[k][i] right[k][j] to to[i][j], i and j
/// below 16, by tensor cores: of numbers with three digits (TF32), which is more than
/// lumps ask for. Rows are as far apart as the pitches say. Compiled for compute
/// capability 8.0 and higher; lower ones lack the shared memory of CoupleMemory, too.
__device__ void multiply(const float* left, unsigned left_pitch, const float* right,
                         unsigned right_pitch, unsigned depth, float sign, float* to,
                         unsigned to_pitch) {
#if __CUDA_ARCH__ >= 800
  using namespace nvcuda::wmma;
  fragment<matrix_a, 16, 16, 8, precision::tf32, col_major> a;
  fragment<matrix_b, 16, 16, 8, precision::tf32, row_major> b;
  fragment<accumulator, 16, 16, 8, float> sum;
  fill_fragment(sum, 0);
  for (unsigned k = 0; k < depth; k += mma_depth) {
    load_matrix_sync(a, left + k * left_pitch, left_pitch);
    load_matrix_sync(b, right + k * right_pitch, right_pitch);
    for (float& x : a.x) x = __float_to_tf32(sign * x);
    for (float& x : b.x) x = __float_to_tf32(x);
    mma_sync(sum, a, b, sum);
  }
  store_matrix_sync(to, sum, to_pitch, mem_row_major);
#endif
}

/// Writes the tiles of the coarse matrix, of lumps alone: a block of threads for each
/// tile, which goes over all pairs of chunks of its rows and columns. image: whether each
/// node has one below z = 0.
template <bool image>
__global__ void __launch_bounds__(couple_threads)
    couple_lumps(ChunkView chunks, float per_pi, float floor2, float factor, float2* z) {
  extern __shared__ __align__(128) float4 memory[];
  CoupleMemory& own = *reinterpret_cast<CoupleMemory*>(memory);
  const auto [tile_row, tile_column] = PackedTiles::tile_at(blockIdx.x);
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, half = warp % 2,
                 component = warp / 2, first = component * chunk_functions;
  constexpr unsigned warps = couple_threads / 32;
  static_assert(warps == 2 * components);
  for (unsigned e = threadIdx.x; e < coarse_tile * coarse_tile; e += couple_threads)
    own.sum[e / coarse_tile][e % coarse_tile] = {0, 0};
  for (std::uint32_t c = chunks.first[tile_column]; c < chunks.first[tile_column + 1];
       ++c) {
    const Chunk column = chunks.chunk[c];
    __syncthreads();
    load_chunk(chunks, column, own.column);
    for (std::uint32_t r = chunks.first[tile_row]; r < chunks.first[tile_row + 1]; ++r) {
      const Chunk row = chunks.chunk[r];
      __syncthreads();
      load_chunk(chunks, row, own.row);
      __syncthreads();
      // All that products of mma_depth nodes read is there; moments beyond are zero.
      const unsigned nodes = (column.nodes + mma_depth - 1) / mma_depth * mma_depth;
      for (unsigned j = warp; j < nodes; j += warps) {
        const float4 a = own.row.node[lane], b = own.column.node[j];
        float2 level = wave(a.x - b.x, a.y - b.y, a.z - b.z, per_pi, floor2);
        if constexpr (image) {
          const float2 below = wave(a.x - b.x, a.y - b.y, a.z + b.z, per_pi, floor2);
          own.total[0][j][lane] = level.x + below.x;
          own.total[1][j][lane] = level.y + below.y;
          level = {level.x - below.x, level.y - below.y};
        }
        own.difference[0][j][lane] = level.x;
        own.difference[1][j][lane] = level.y;
      }
      __syncthreads();
      // Half of the row's nodes for each warp, and a component.
      for (int part = 0; part < 2; ++part) {
        const NodeMatrix& of_nodes =
            image && component == 2 ? own.total[part] : own.difference[part];
        multiply(&of_nodes[0][half * mma_size], node_pitch, &own.column.moment[0][first],
                 moment_pitch, column.nodes, 1, &own.field[part][half * mma_size][first],
                 moment_pitch);
      }
      __syncthreads();
      // The real or the imaginary part for each warp, and a component; charges count
      // negative.
      multiply(&own.row.moment[0][first], moment_pitch, &own.field[half][0][first],
               moment_pitch, row.nodes, component == 3 ? -1.f : 1.f,
               &own.product[component][half][0][0], chunk_functions);
      __syncthreads();
      const unsigned a = threadIdx.x / chunk_functions, b = threadIdx.x % chunk_functions;
      if (a < row.functions && b < column.functions) {
        float2& sum = own.sum[own.row.function[a]][own.column.function[b]];
        for (unsigned i = 0; i < components; ++i) {
          sum.x += own.product[i][0][a][b];
          sum.y += own.product[i][1][a][b];
        }
      }
    }
  }
  __syncthreads();
  for (unsigned e = threadIdx.x; e < coarse_tile * coarse_tile; e += couple_threads) {
    const float2 sum = own.sum[e / coarse_tile][e % coarse_tile];
    z[std::size_t{blockIdx.x} * PackedTiles::tile_entries + e] = {-factor * sum.y,
                                                                  factor * sum.x};
  }
}

void set_lumped(const LumpedCurrents& lumps, double floor_m, double k, Medium medium,
                DeviceTiles& a, const DeviceStream& stream) {
  const Chunks chunks(lumps, a.layout().n);
  const auto chunk = uploaded(chunks.chunk, coarse_matrix_purpose, stream);
  const auto first = uploaded(chunks.first, coarse_matrix_purpose, stream);
  const auto node = uploaded(chunks.node, coarse_matrix_purpose, stream);
  const auto function = uploaded(chunks.function, coarse_matrix_purpose, stream);
  const auto moment = uploaded(chunks.moment, coarse_matrix_purpose, stream);
  const auto kernel = medium.sources() > 1 ? couple_lumps<true> : couple_lumps<false>;
  allow_shared(kernel, sizeof(CoupleMemory), coarse_matrix_purpose);
  kernel<<<static_cast<unsigned>(a.layout().tiles()), couple_threads,
           sizeof(CoupleMemory), stream.get()>>>(
      {chunk.data(), first.data(), node.data(), function.data(), moment.data()},
      static_cast<float>(k / pi), static_cast<float>(floor_m * floor_m),
      static_cast<float>(k * eta0_ohm / (4 * pi)), static_cast<float2*>(a.data()));
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
