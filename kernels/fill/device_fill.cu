#include "kernels/fill/device_fill.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "kernels/base/constants.h"
#include "kernels/device/check.cuh"
#include "kernels/device/complex.cuh"
#include "kernels/device/pass.cuh"
#include "kernels/device/tuning.h"
#include "kernels/element/far_kernel.h"
#include "kernels/element/quadrature_order.h"
#include "kernels/element/shape_point.h"
#include "kernels/element/tube_kernel.h"
#include "kernels/fill/tile_side.h"

namespace thinwire {
namespace {

using namespace device;

constexpr int tile = PackedTiles::tile;
constexpr int lane_group = TileSide::lane_group;
constexpr int max_lanes = 2 * tile;
constexpr int threads = tuning::fill_threads;
/// Pairs of elements whose matrices stand in shared memory at a time.
constexpr int batch_pairs = 512;

/// The Gauss rules of far pairs stand one after another: 2, 3, 4 and 6 points.
constexpr int shape_points = 15;
THINWIRE_HD constexpr int first_point(int order) {
  return order == 2 ? 0 : order == 3 ? 2 : order == 4 ? 5 : 9;
}

/// TileSide of tile_side.h on the GPU: the elements ("lanes") of 64 basis functions, in
/// the order in which the functions name them, and the functions in terms of them.
struct Side {
  std::uint32_t used_lanes;
  std::uint32_t lanes;  // padded to groups with copies of the first
  std::uint32_t element[max_lanes];
  std::uint8_t term_lane[tile][2], term_end[tile][2];
  std::int8_t term_sign[tile][2];  // 0: no such term
};

struct Mesh {
  const double* geometry;  // [8][elements]: start, tangent, length, radius
  // weight u_1 and weight u_1' / k at the Gauss points, [shape_points][elements]; those
  // of u_0 follow by reflection
  const double *value, *slope;
  std::size_t elements;
  const Side* sides;
  DeviceNearPairs::View near, near_image;
  double k, sorting_k;
  bool exact, perfect_ground;

  __device__ Element element(std::uint32_t e) const {
    const double* g = geometry + e;
    const std::size_t n = elements;
    return {{g[0], g[n], g[2 * n]}, {g[3 * n], g[4 * n], g[5 * n]}, g[6 * n], g[7 * n]};
  }
};

/// A block for 64 functions, a thread for each term: a term's lane is the number of
/// elements that are named before its element is.
__global__ void __launch_bounds__(2 * tile)
    make_sides(const BasisFunction* basis, std::size_t n, Side* sides) {
  __shared__ std::uint32_t element[2 * tile];
  __shared__ bool named_first[2 * tile];
  constexpr std::uint32_t none = 0xffffffffu;
  Side& side = sides[blockIdx.x];
  const int term = threadIdx.x, row = term / 2, t = term % 2;
  const std::size_t m = std::size_t{blockIdx.x} * tile + row;
  const BasisFunction f = m < n ? basis[m] : BasisFunction{};
  const bool there = m < n && f.sign[t] != 0;
  element[term] = there ? f.element[t] : none;
  __syncthreads();
  int first = 0;
  while (element[first] != element[term]) ++first;
  named_first[term] = there && first == term;
  __syncthreads();
  std::uint32_t lane = 0, used = 0;
  for (int other = 0; other < 2 * tile; ++other) {
    if (other < first) lane += named_first[other];
    used += named_first[other];
  }
  side.term_lane[row][t] = there ? lane : 0;
  side.term_end[row][t] = there ? f.end[t] : 0;
  side.term_sign[row][t] = there ? f.sign[t] : 0;
  if (named_first[term]) side.element[lane] = element[term];
  if (term >= used) side.element[term] = element[0];
  if (term == 0) {
    side.used_lanes = used;
    side.lanes = (used + lane_group - 1) / lane_group * lane_group;
  }
}

/// The shape functions at the Gauss points of every element.
__global__ void tabulate_shapes(const Element* elements, std::size_t count, double k,
                                double* value, double* slope) {
  const std::size_t e = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (e >= count) return;
  const Element element = elements[e];
  for (const int order : {2, 3, 4, 6})
    for (int b = 0; b < order; ++b) {
      const ShapePoint point = shape_point(element, gauss_rule(order), b, k);
      value[(first_point(order) + b) * count + e] = point.value[1];
      slope[(first_point(order) + b) * count + e] = point.slope[1];
    }
}

__device__ inline Element image(Element e) {
  e.start_m.z = -e.start_m.z;
  e.tangent.z = -e.tangent.z;
  return e;
}

/// A far pair's product of two Gauss rules. What depends on a pair of points is a
/// function of the distances s and s' from the starts alone: r = D + s t_p - s' t_q.
struct FarPair {
  double d2, dp, dq;  // |D|^2, D . t_p, D . t_q
  double cosine;      // t_p . t_q
  double half_p, half_q;
  double a_p, a_q, k;
  RadiusTerms radius;

  __device__ FarPair(const Element& p, const Element& q, double wave_number, bool exact)
      : cosine(dot(p.tangent, q.tangent)),
        half_p(0.5 * p.length_m),
        half_q(0.5 * q.length_m),
        a_p(p.radius_m),
        a_q(q.radius_m),
        k(wave_number) {
    const Vec3 d = p.start_m - q.start_m;
    d2 = dot(d, d);
    dp = dot(d, p.tangent);
    dq = dot(d, q.tangent);
    const double a2 = a_p * a_p, b2 = a_q * a_q;
    radius =
        exact ? RadiusTerms{0.25 * a2, 0.25 * b2, 0} : RadiusTerms{0, 0, 0.5 * (a2 + b2)};
  }
  /// Green's function between points at these distances from the starts.
  template <bool series>
  __device__ HdComplex greens(double s, double t) const {
    const double dot_p = dp + s - t * cosine, dot_q = dq + s * cosine - t;
    // |r|^2 = D^2 + s (D + r) . t_p - s' (D + r) . t_q
    const double r2 = d2 + s * (dp + dot_p) - t * (dq + dot_q);
    if constexpr (series) return tube_series(r2, dot_p, dot_q, cosine, a_p, a_q, k);
    return far_greens(r2, dot_p, dot_q, k, radius);
  }
};

/// z += scale times the element matrix of elements number p and q. The short rules, which
/// most pairs take, are unrolled over the points of q: what belongs to those stays in
/// registers, and their Green's functions overlap in time.
template <int order, bool series>
__device__ inline void add_far(const Mesh& mesh, const FarPair& pair, std::uint32_t p,
                               std::uint32_t q, double scale, HdComplex (&z)[2][2]) {
  const GaussRule gauss = gauss_rule(order);
  const std::size_t n = mesh.elements;
  constexpr int from = first_point(order), unroll = order <= 3 && !series ? order : 1;
  const double *value_p = mesh.value + from * n + p, *slope_p = mesh.slope + from * n + p,
               *value_q = mesh.value + from * n + q, *slope_q = mesh.slope + from * n + q;
  const double factor = scale * pair.k * eta0_ohm / (4 * pi);
#pragma unroll 1
  for (int a = 0; a < order; ++a) {
    HdComplex value[2], slope[2];  // sums over q of G u_j and G u_j'
    const double s = pair.half_p * (1 + gauss.node[a]);
#pragma unroll unroll
    for (int b = 0; b < order; ++b) {
      const HdComplex g = pair.greens<series>(s, pair.half_q * (1 + gauss.node[b]));
      const int mirror = order - 1 - b;
      value[0] += value_q[mirror * n] * g;
      value[1] += value_q[b * n] * g;
      slope[0] += -slope_q[mirror * n] * g;
      slope[1] += slope_q[b * n] * g;
    }
    const int mirror = order - 1 - a;
    const double value_i[2] = {value_p[mirror * n], value_p[a * n]},
                 slope_i[2] = {-slope_p[mirror * n], slope_p[a * n]};
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const double v = factor * pair.cosine * value_i[i], w = factor * slope_i[i];
#pragma unroll
      for (int j = 0; j < 2; ++j) {
        z[i][j].re -= v * value[j].im - w * slope[j].im;
        z[i][j].im += v * value[j].re - w * slope[j].re;
      }
    }
  }
}

template <bool series>
__device__ inline void add_far(const Mesh& mesh, const FarPair& pair, std::uint32_t p,
                               std::uint32_t q, int order, double scale,
                               HdComplex (&z)[2][2]) {
  switch (order) {
    case 2:
      return add_far<2, series>(mesh, pair, p, q, scale, z);
    case 3:
      return add_far<3, series>(mesh, pair, p, q, scale, z);
    case 4:
      return add_far<4, series>(mesh, pair, p, q, scale, z);
    default:
      return add_far<6, series>(mesh, pair, p, q, scale, z);
  }
}

/// z += scale times the matrix of near pair (p, q), as NearPairTable::at finds it.
__device__ inline void add_near(const DeviceNearPairs::View& near, std::uint32_t p,
                                std::uint32_t q, double scale, HdComplex (&z)[2][2]) {
  const bool transposed = q > p;
  const std::uint32_t row = transposed ? q : p, column = transposed ? p : q;
  std::uint64_t low = near.row[row], high = near.row[row + 1];
  while (low + 1 < high) {
    const std::uint64_t middle = (low + high) / 2;
    if (near.second[middle] <= column)
      low = middle;
    else
      high = middle;
  }
  const ElementMatrix& m = near.matrix[low];
#pragma unroll
  for (int i = 0; i < 2; ++i)
#pragma unroll
    for (int j = 0; j < 2; ++j) z[i][j] += scale * (transposed ? m.z[j][i] : m.z[i][j]);
}

/// z += scale times the matrix of p, or its image, and q. Eight neighbouring threads hold
/// a group of lanes for one p and take the largest order among them, as fill.cpp does.
/// All threads of a warp call it; `used`: whether q is more than padding.
__device__ inline void add_pair(const Mesh& mesh, std::uint32_t p_index, bool use_image,
                                std::uint32_t q_index, bool used, double scale,
                                HdComplex (&z)[2][2]) {
  Element p = mesh.element(p_index);
  if (use_image) p = image(p);
  const Element q = mesh.element(q_index);
  const Vec3 between = (p.start_m + 0.5 * p.length_m * p.tangent) -
                       (q.start_m + 0.5 * q.length_m * q.tangent);
  const double distance = norm(between), length = fmax(p.length_m, q.length_m),
               radius = mesh.exact ? fmax(p.radius_m, q.radius_m) : 0;
  const int own = far_order(distance, length, radius, mesh.sorting_k);
  // 16: series
  int choice = own == 0 ? 2 : own;
  if (own != 0 && mesh.exact && wants_series(distance, length, radius, mesh.sorting_k))
    choice |= 16;
  int order = choice & 15;
  for (int bit = 1; bit < lane_group; bit *= 2) {
    order = max(order, __shfl_xor_sync(0xffffffffu, order, bit));
    choice |= __shfl_xor_sync(0xffffffffu, choice & 16, bit);
  }
  if (!used) return;
  if (own == 0) {
    add_near(use_image ? mesh.near_image : mesh.near, p_index, q_index, scale, z);
    return;
  }
  const FarPair pair(p, q, mesh.k, mesh.exact);
  if (choice & 16)
    add_far<true>(mesh, pair, p_index, q_index, order, scale, z);
  else
    add_far<false>(mesh, pair, p_index, q_index, order, scale, z);
}

/// Computes tile (I, J) into shared memory.
///
///     for a few elements p of the rows at a time:
///       threads: pairs (p, q), q the elements of the columns     element matrices ->
///       batch threads: columns n, rows m with a term in p:             sums of <= 4 ->
///       sum[m][n]
///
/// The element matrices of a whole tile would take four times the shared memory that
/// there is.
struct SharedTile {
  struct Term {
    std::int16_t lane;
    std::int8_t end, sign;
  };
  Term term[tile][2];  // of the rows
  double2 sum[tile * tile];
  double2 batch[4 * batch_pairs];  // [p][end of p][end of q][q]
};

__device__ inline void compute_tile(const Mesh& mesh, const Side& rows,
                                    const Side& columns, SharedTile& shared) {
  const int lanes = columns.lanes, used_p = rows.used_lanes, used_q = columns.used_lanes;
  const int batch = batch_pairs / lanes;
  for (int e = threadIdx.x; e < tile * tile; e += threads) shared.sum[e] = {0, 0};
  for (int e = threadIdx.x; e < 2 * tile; e += threads)
    shared.term[e / 2][e % 2] = {rows.term_lane[e / 2][e % 2],
                                 static_cast<std::int8_t>(rows.term_end[e / 2][e % 2]),
                                 rows.term_sign[e / 2][e % 2]};

  // The column of this thread, for the sums.
  constexpr int row_step = threads / tile;
  const int n = threadIdx.x % tile;
  const int at_0 = columns.term_end[n][0] * lanes + columns.term_lane[n][0],
            at_1 = columns.term_end[n][1] * lanes + columns.term_lane[n][1];
  const double sign_0 = columns.term_sign[n][0], sign_1 = columns.term_sign[n][1];

  for (int first = 0; first < used_p; first += batch) {
    const int end = min(first + batch, used_p);
    const int pairs = (end - first) * lanes;
    // Whole warps, for the groups.
    for (int e = threadIdx.x; e < (pairs + 31) / 32 * 32; e += threads) {
      const bool there = e < pairs;
      const int p = there ? e / lanes : 0, q = there ? e % lanes : 0;
      HdComplex z[2][2];
      const std::uint32_t p_index = rows.element[first + p], q_index = columns.element[q];
      const bool used = there && q < used_q;
      add_pair(mesh, p_index, false, q_index, used, 1.0, z);
      if (mesh.perfect_ground) add_pair(mesh, p_index, true, q_index, used, -1.0, z);
      if (there)
#pragma unroll
        for (int ends = 0; ends < 4; ++ends)
          shared.batch[(p * 4 + ends) * lanes + q] = {z[ends / 2][ends % 2].re,
                                                      z[ends / 2][ends % 2].im};
    }
    __syncthreads();
    for (int m = threadIdx.x / tile; m < tile; m += row_step)
#pragma unroll
      for (int t = 0; t < 2; ++t) {
        const SharedTile::Term term = shared.term[m][t];
        const int p = term.lane - first;
        if (term.sign == 0 || p < 0 || p >= end - first) continue;
        const double2* z = shared.batch + (p * 4 + term.end * 2) * lanes;
        const double2 value = sign_0 * z[at_0] + sign_1 * z[at_1];
        double2& sum = shared.sum[m * tile + n];
        sum = sum + static_cast<double>(term.sign) * value;
      }
    __syncthreads();
  }
}

struct TileNumber {
  std::size_t row, column;
};
__device__ inline TileNumber tile_number(std::size_t t) {
  auto row = static_cast<std::size_t>((sqrt(8.0 * static_cast<double>(t) + 1) - 1) / 2);
  while (row * (row + 1) / 2 > t) --row;
  while ((row + 1) * (row + 2) / 2 <= t) ++row;
  return {row, t - row * (row + 1) / 2};
}

template <class Entry>
__global__ void __launch_bounds__(threads, tuning::fill_blocks_per_sm)
    fill_tiles(const __grid_constant__ Mesh mesh, Entry* z) {
  extern __shared__ __align__(16) unsigned char memory[];
  auto& shared = *reinterpret_cast<SharedTile*>(memory);
  const TileNumber at = tile_number(blockIdx.x);
  compute_tile(mesh, mesh.sides[at.row], mesh.sides[at.column], shared);
  Entry* out = z + std::size_t{blockIdx.x} * (tile * tile);
  for (int e = threadIdx.x; e < tile * tile; e += threads) {
    // The upper half of a diagonal tile is the lower one's mirror image to the last bit.
    const int i = e / tile, j = e % tile;
    const bool mirrored = at.row == at.column && j > i;
    const double2 value = shared.sum[mirrored ? j * tile + i : e];
    out[e] = {static_cast<decltype(Entry::x)>(value.x),
              static_cast<decltype(Entry::x)>(value.y)};
  }
}

/// What a tile adds to y of its rows and of its columns, at part[number - first][2][64].
__global__ void __launch_bounds__(threads, tuning::fill_blocks_per_sm)
    multiply_tiles(const __grid_constant__ Mesh mesh, std::size_t first, const double2* x,
                   double2* part) {
  extern __shared__ __align__(16) unsigned char memory[];
  auto& shared = *reinterpret_cast<SharedTile*>(memory);
  const TileNumber at = tile_number(first + blockIdx.x);
  compute_tile(mesh, mesh.sides[at.row], mesh.sides[at.column], shared);
  const int i = threadIdx.x;
  if (i >= 2 * tile) return;
  const bool as_rows = i < tile, diagonal = at.row == at.column;
  const int m = i % tile;
  double2 sum = {0, 0};
  if (as_rows || !diagonal)
    for (int n = 0; n < tile; ++n) {
      const bool upper = diagonal && n > m;
      add_product(sum, shared.sum[as_rows != upper ? m * tile + n : n * tile + m],
                  x[(as_rows ? at.column : at.row) * tile + n]);
    }
  part[std::size_t{blockIdx.x} * (2 * tile) + i] = sum;
}

/// y_b += the parts of tile rows first_row .. last_row - 1, in order: what tiles (b, j)
/// give as rows, and what tiles (i, b) give as columns.
__global__ void __launch_bounds__(tile)
    add_parts(std::size_t first_row, std::size_t last_row, const double2* part,
              double2* y) {
  const std::size_t b = blockIdx.x, start = first_row * (first_row + 1) / 2;
  double2 sum = y[b * tile + threadIdx.x];
  const auto at = [&](std::size_t row, std::size_t column, int half) {
    return part[((row * (row + 1) / 2 + column - start) * 2 + half) * tile + threadIdx.x];
  };
  if (b >= first_row && b < last_row)
    for (std::size_t j = 0; j <= b; ++j) sum = sum + at(b, j, 0);
  for (std::size_t i = max(first_row, b + 1); i < last_row; ++i) sum = sum + at(i, b, 1);
  y[b * tile + threadIdx.x] = sum;
}

struct DeviceUpdate {
  std::uint32_t row, column;
  double re, im;
};
static_assert(sizeof(DeviceUpdate) == sizeof(MatrixUpdate));

template <class Entry>
__global__ void add_entries(const DeviceUpdate* updates, std::size_t count, Entry* z) {
  const std::size_t u = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (u >= count) return;
  const DeviceUpdate update = updates[u];
  const std::size_t i = update.row, j = update.column;
  Entry& entry = z[PackedTiles::offset(i, j)];
  using Real = decltype(Entry::x);
  entry = {static_cast<Real>(entry.x + update.re),
           static_cast<Real>(entry.y + update.im)};
  // Diagonal tiles are stored whole.
  if (i != j && i / tile == j / tile)
    z[PackedTiles::tile_offset(i / tile, i / tile) + j % tile * tile + i % tile] = entry;
}

/// Tiles in one go of multiply(): enough to fill any GPU several times over.
constexpr std::size_t tiles_a_go = 65536;

}  // namespace

struct DeviceFill::Parts {
  PackedTiles layout;
  GreensKernel kernel;
  DeviceStream stream;
  double k = 0, sorting_k;
  std::size_t count;
  DeviceBuffer<Element> elements;
  DeviceBuffer<double> geometry, value, slope;
  DeviceBuffer<Side> sides;
  std::optional<DeviceNearPairs> near, near_image;

  Mesh mesh(bool perfect_ground) const {
    if (k == 0 || (perfect_ground && !near_image))
      throw Error(ErrorKind::device,
                  "fill on the GPU: set_wavenumber has not been called, or images were "
                  "not asked for.");
    return {geometry.data(),
            value.data(),
            slope.data(),
            count,
            sides.data(),
            near->view(),
            perfect_ground ? near_image->view() : DeviceNearPairs::View{},
            k,
            sorting_k,
            kernel == GreensKernel::exact,
            perfect_ground};
  }
};

DeviceFill::DeviceFill(std::span<const Element> elements,
                       std::span<const BasisFunction> basis, GreensKernel kernel,
                       bool perfect_ground, double sorting_k)
    : parts_(new Parts{PackedTiles{basis.size()}, kernel}) {
  const char* what = "mesh";
  Parts& p = *parts_;
  p.sorting_k = sorting_k;
  p.count = elements.size();
  p.elements = {p.count, what};
  p.geometry = {8 * p.count, what};
  p.value = {shape_points * p.count, what};
  p.slope = {shape_points * p.count, what};
  p.sides = {p.layout.rows(), what};
  p.elements.upload(elements, p.stream);
  std::vector<double> geometry(8 * p.count);
  for (std::size_t e = 0; e < p.count; ++e) {
    const Element& x = elements[e];
    const double all[] = {x.start_m.x, x.start_m.y, x.start_m.z, x.tangent.x,
                          x.tangent.y, x.tangent.z, x.length_m,  x.radius_m};
    for (int i = 0; i < 8; ++i) geometry[i * p.count + e] = all[i];
  }
  p.geometry.upload(geometry, p.stream);
  DeviceBuffer<BasisFunction> functions(basis.size(), what);
  functions.upload(basis, p.stream);
  make_sides<<<static_cast<unsigned>(p.layout.rows()), 2 * tile, 0, p.stream.get()>>>(
      functions.data(), basis.size(), p.sides.data());
  check_launch("fill, elements of the tiles");
  p.near.emplace(p.elements.data(), elements, kernel, false, sorting_k, p.stream);
  if (perfect_ground)
    p.near_image.emplace(p.elements.data(), elements, kernel, true, sorting_k, p.stream);
  p.stream.synchronize();
}

DeviceFill::~DeviceFill() = default;

bool DeviceFill::tabulate_near_pairs(WavenumberRange range, std::size_t most_bytes) {
  Parts& p = *parts_;
  const WavenumberNodes nodes(
      range, std::max(p.near->reach_m(), p.near_image ? p.near_image->reach_m() : 0.0));
  const std::size_t bytes =
      p.near->table_bytes(nodes) + (p.near_image ? p.near_image->table_bytes(nodes) : 0);
  if (nodes.empty() || bytes > most_bytes) return false;
  p.near->tabulate(nodes, p.stream);
  if (p.near_image) p.near_image->tabulate(nodes, p.stream);
  return true;
}

void DeviceFill::set_wavenumber(double k) {
  Parts& p = *parts_;
  p.k = k;
  tabulate_shapes<<<pass_blocks(p.count), pass_threads, 0, p.stream.get()>>>(
      p.elements.data(), p.count, k, p.value.data(), p.slope.data());
  check_launch("fill, shape functions");
  p.near->set_wavenumber(k, p.stream);
  if (p.near_image) p.near_image->set_wavenumber(k, p.stream);
  p.stream.synchronize();
}

namespace {
template <class Kernel>
void allow_shared(Kernel kernel) {
  check_cuda(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                  sizeof(SharedTile)),
             "fill", "cudaFuncSetAttribute");
}
}  // namespace

void DeviceFill::fill(DeviceTiles& z, bool perfect_ground,
                      const DeviceStream& stream) const {
  const Mesh mesh = parts_->mesh(perfect_ground);
  const auto blocks = static_cast<unsigned>(parts_->layout.tiles());
  if (z.storage() == Storage::complex_double) {
    allow_shared(fill_tiles<double2>);
    fill_tiles<<<blocks, threads, sizeof(SharedTile), stream.get()>>>(
        mesh, static_cast<double2*>(z.data()));
  } else {
    allow_shared(fill_tiles<float2>);
    fill_tiles<<<blocks, threads, sizeof(SharedTile), stream.get()>>>(
        mesh, static_cast<float2*>(z.data()));
  }
  check_launch("fill");
}

void DeviceFill::multiply(const Complex* x, Complex* y, bool perfect_ground,
                          const DeviceStream& stream) const {
  const Mesh mesh = parts_->mesh(perfect_ground);
  const std::size_t rows = parts_->layout.rows();
  const std::size_t most = std::min(parts_->layout.tiles(), tiles_a_go + rows);
  DeviceBuffer<Complex> part(most * 2 * tile, "parts of the product");
  allow_shared(multiply_tiles);
  set_bytes(y, 0, rows * tile * sizeof(Complex), stream);
  for (std::size_t first_row = 0, last_row; first_row < rows; first_row = last_row) {
    const std::size_t first = first_row * (first_row + 1) / 2;
    last_row = first_row;
    while (last_row < rows && (last_row + 1) * (last_row + 2) / 2 - first <= most)
      ++last_row;
    const std::size_t count = last_row * (last_row + 1) / 2 - first;
    multiply_tiles<<<static_cast<unsigned>(count), threads, sizeof(SharedTile),
                     stream.get()>>>(mesh, first, parts(x), parts(part.data()));
    check_launch("product without a matrix");
    add_parts<<<static_cast<unsigned>(last_row), tile, 0, stream.get()>>>(
        first_row, last_row, parts(part.data()), parts(y));
    check_launch("product without a matrix, sums");
  }
  stream.synchronize();
}

std::size_t DeviceFill::unknowns() const {
  return parts_->layout.n;
}
std::size_t DeviceFill::near_pairs() const {
  return parts_->near->pairs() + (parts_->near_image ? parts_->near_image->pairs() : 0);
}
std::size_t DeviceFill::bytes() const {
  const Parts& p = *parts_;
  return p.elements.bytes() + p.geometry.bytes() + p.value.bytes() + p.slope.bytes() +
         p.sides.bytes() + p.near->bytes() + (p.near_image ? p.near_image->bytes() : 0) +
         std::min(p.layout.tiles(), tiles_a_go + p.layout.rows()) * 2 * tile *
             sizeof(Complex);
}

void add_updates(DeviceTiles& z, std::span<const MatrixUpdate> updates,
                 const DeviceStream& stream) {
  if (updates.empty()) return;
  DeviceBuffer<MatrixUpdate> list(updates.size(), "loads");
  list.upload(updates, stream);
  const auto* from = reinterpret_cast<const DeviceUpdate*>(list.data());
  const unsigned blocks = pass_blocks(updates.size());
  if (z.storage() == Storage::complex_double)
    add_entries<<<blocks, pass_threads, 0, stream.get()>>>(
        from, updates.size(), static_cast<double2*>(z.data()));
  else
    add_entries<<<blocks, pass_threads, 0, stream.get()>>>(
        from, updates.size(), static_cast<float2*>(z.data()));
  check_launch("loads");
  stream.synchronize();
}

}  // namespace thinwire
