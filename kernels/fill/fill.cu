#include "kernels/fill/fill.h"

#include <algorithm>
#include <vector>

#include "kernels/device/pass.cuh"
#include "kernels/element/shape_point.h"
#include "kernels/fill/alike_pairs.h"
#include "kernels/fill/elements_of_share.h"
#include "kernels/fill/fill_parts.cuh"

namespace thinwire {
namespace {

using namespace device;

constexpr const char* real_ground = "real ground";

/// geometry: as Mesh has it.
__global__ void lay_out_geometry(const Element* elements, std::size_t count,
                                 double* geometry) {
  const std::size_t e = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (e >= count) return;
  const Element x = elements[e];
  const double all[] = {x.start_m.x, x.start_m.y, x.start_m.z, x.tangent.x,
                        x.tangent.y, x.tangent.z, x.length_m,  x.radius_m};
  for (int i = 0; i < 8; ++i) geometry[i * count + e] = all[i];
}

/// The shape functions at the Gauss points of every element.
__global__ void tabulate_shapes(const Element* elements, std::size_t count, double k,
                                double* value, double* derivative) {
  const std::size_t e = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (e >= count) return;
  const Element element = elements[e];
  for (const int order : {2, 3, 4, 6})
    for (int b = 0; b < order; ++b) {
      const ShapePoint point = shape_point(element, gauss_rule(order), b, k);
      value[(first_point(order) + b) * count + e] = point.value[1];
      derivative[(first_point(order) + b) * count + e] = point.derivative[1];
    }
}

/// Tiles from number `first` on, to z.
template <class Entry, Reflection reflection>
__global__ void __launch_bounds__(fill_threads, tuning::fill_blocks_per_sm)
    fill_tiles(const __grid_constant__ Mesh mesh, std::size_t first, Entry* z) {
  extern __shared__ __align__(16) unsigned char memory[];
  auto& shared = *reinterpret_cast<TileMemory<reflection>*>(memory);
  const PackedTiles::TileAt at = PackedTiles::tile_at(first + blockIdx.x);
  compute_tile<reflection>(mesh, mesh.sides[at.row], mesh.sides[at.column], shared);
  Entry* out = z + std::size_t{blockIdx.x} * (fill_tile * fill_tile);
  for (int e = threadIdx.x; e < fill_tile * fill_tile; e += fill_threads) {
    // The upper half of a diagonal tile is the lower one's mirror image to the last bit.
    const int i = e / fill_tile, j = e % fill_tile;
    const bool mirrored = at.row == at.column && j > i;
    const double2 value = shared.sum[mirrored ? j * fill_tile + i : e];
    out[e] = {static_cast<decltype(Entry::x)>(value.x),
              static_cast<decltype(Entry::x)>(value.y)};
  }
}

/// Computes the contribution of a tile to y for its rows and its columns, at part[number
/// - first][2][64].
template <Reflection reflection>
__global__ void __launch_bounds__(fill_threads, tuning::fill_blocks_per_sm)
    multiply_tiles(const __grid_constant__ Mesh mesh, std::size_t first, const double2* x,
                   double2* part) {
  extern __shared__ __align__(16) unsigned char memory[];
  auto& shared = *reinterpret_cast<TileMemory<reflection>*>(memory);
  const PackedTiles::TileAt at = PackedTiles::tile_at(first + blockIdx.x);
  compute_tile<reflection>(mesh, mesh.sides[at.row], mesh.sides[at.column], shared);
  const int i = threadIdx.x;
  if (i >= 2 * fill_tile) return;
  const bool as_rows = i < fill_tile, diagonal = at.row == at.column;
  const int m = i % fill_tile;
  double2 sum = {0, 0};
  if (as_rows || !diagonal)
    for (int n = 0; n < fill_tile; ++n) {
      const bool upper = diagonal && n > m;
      add_product(sum,
                  shared.sum[as_rows != upper ? m * fill_tile + n : n * fill_tile + m],
                  x[(as_rows ? at.column : at.row) * fill_tile + n]);
    }
  part[std::size_t{blockIdx.x} * (2 * fill_tile) + i] = sum;
}

/// y_b += the parts of tile rows first_row .. last_row - 1, in order: what tiles (b, j)
/// give as rows, and what tiles (i, b) give as columns.
__global__ void __launch_bounds__(fill_tile)
    add_parts(std::size_t first_row, std::size_t last_row, const double2* part,
              double2* y) {
  const std::size_t b = blockIdx.x, start = first_row * (first_row + 1) / 2;
  double2 sum = y[b * fill_tile + threadIdx.x];
  const auto at = [&](std::size_t row, std::size_t column, int half) {
    return part[((row * (row + 1) / 2 + column - start) * 2 + half) * fill_tile +
                threadIdx.x];
  };
  if (b >= first_row && b < last_row)
    for (std::size_t j = 0; j <= b; ++j) sum = sum + at(b, j, 0);
  for (std::size_t i = max(first_row, b + 1); i < last_row; ++i) sum = sum + at(i, b, 1);
  y[b * fill_tile + threadIdx.x] = sum;
}

template <Reflection reflection>
void fill_entries(const Mesh& mesh, DeviceTiles& z, const DeviceStream& stream) {
  const auto blocks = static_cast<unsigned>(z.share().size());
  if (blocks == 0) return;  // a share of no tiles
  const auto launch = [&](auto kernel, auto* out) {
    constexpr std::size_t bytes = sizeof(TileMemory<reflection>);
    allow_shared(kernel, bytes, "fill");
    kernel<<<blocks, fill_threads, bytes, stream.get()>>>(mesh, z.share().first, out);
  };
  if (z.storage() == Storage::complex_double)
    launch(fill_tiles<double2, reflection>, static_cast<double2*>(z.data()));
  else
    launch(fill_tiles<float2, reflection>, static_cast<float2*>(z.data()));
  check_launch("fill");
}

/// For each of `count` elements the first one of its mesh.
std::vector<std::uint32_t> first_partners(std::size_t count,
                                          std::span<const std::uint32_t> mesh_first) {
  std::vector<std::uint32_t> first(count);
  for (std::size_t m = 0; m < mesh_first.size(); ++m)
    std::fill(first.begin() + mesh_first[m],
              m + 1 < mesh_first.size() ? first.begin() + mesh_first[m + 1] : first.end(),
              mesh_first[m]);
  return first;
}

/// Tiles in one go of multiply(): enough to fill any GPU several times over.
constexpr std::size_t tiles_a_go = 65536;

/// y = Z x, or what the share adds to it; entries computed on the way.
template <Reflection reflection>
void multiply_entries(const Mesh& mesh, const PackedTiles& layout, TileShare share,
                      const Complex* x, Complex* y, const DeviceStream& stream) {
  const std::size_t rows = layout.rows(), end_row = share.last_row();
  const std::size_t most = std::min(share.size(), tiles_a_go + rows);
  DeviceBuffer<Complex> part(most * 2 * fill_tile, "parts of the product");
  constexpr std::size_t bytes = sizeof(TileMemory<reflection>);
  allow_shared(multiply_tiles<reflection>, bytes, "fill");
  set_bytes(y, 0, rows * fill_tile * sizeof(Complex), stream);
  for (std::size_t first_row = share.first_row(), last_row; first_row < end_row;
       first_row = last_row) {
    const std::size_t first = first_row * (first_row + 1) / 2;
    last_row = first_row;
    while (last_row < end_row && (last_row + 1) * (last_row + 2) / 2 - first <= most)
      ++last_row;
    const std::size_t count = last_row * (last_row + 1) / 2 - first;
    multiply_tiles<reflection>
        <<<static_cast<unsigned>(count), fill_threads, bytes, stream.get()>>>(
            mesh, first, parts(x), parts(part.data()));
    check_launch("product without a matrix");
    add_parts<<<static_cast<unsigned>(last_row), fill_tile, 0, stream.get()>>>(
        first_row, last_row, parts(part.data()), parts(y));
    check_launch("product without a matrix, sums");
  }
  stream.synchronize();
}

}  // namespace

DeviceFill::DeviceFill(std::span<const Element> elements,
                       std::span<const BasisFunction> basis, GreensKernel kernel,
                       Medium medium, PairLimit limit,
                       std::span<const std::uint32_t> mesh_first,
                       std::optional<TileShare> share)
    : parts_(new Parts{PackedTiles{basis.size()}, kernel, limit}) {
  const char* what = "mesh";
  Parts& p = *parts_;
  p.count = elements.size();
  p.elements = {p.count, what};
  p.geometry = {8 * p.count, what};
  p.shapes = {2 * shape_points * p.count, what};
  p.basis = {basis.size(), what};
  p.elements.upload(elements, p.stream);
  p.basis.upload(basis, p.stream);
  lay_out_geometry<<<pass_blocks(p.count), pass_threads, 0, p.stream.get()>>>(
      p.elements.data(), p.count, p.geometry.data());
  check_launch("fill, geometry");
  p.sides = lists_of_tiles(p.basis.data(), basis.size(), p.stream);
  DeviceBuffer<std::uint32_t> first_partner;
  if (mesh_first.size() > 1)
    first_partner = uploaded(first_partners(elements.size(), mesh_first), what, p.stream);
  DeviceBuffer<std::uint8_t> needed;
  if (share) {
    needed = {p.count, what};
    needed.upload(elements_of_share(basis, p.count, *share), p.stream);
  }
  for (int s = 0; s < medium.sources(); ++s)
    p.near.emplace_back(p.elements.data(), p.count, kernel, medium, s, limit, p.stream,
                        OmittedPairs{first_partner.data(), needed.data()});
  p.stream.synchronize();
}

DeviceFill::~DeviceFill() = default;

bool DeviceFill::tabulate_near_pairs(WavenumberRange range, std::size_t max_bytes) {
  Parts& p = *parts_;
  double reach_m = 0;
  for (const DeviceNearPairs& pairs : p.near)
    reach_m = std::max(reach_m, pairs.reach_m());
  const WavenumberNodes nodes(range, reach_m);
  std::size_t bytes = 0;
  for (const DeviceNearPairs& pairs : p.near) bytes += pairs.table_bytes(nodes);
  if (nodes.empty() || bytes > max_bytes) return false;
  for (DeviceNearPairs& pairs : p.near) pairs.tabulate(nodes, p.stream);
  return true;
}

void DeviceFill::set_wavenumber(double k, const Monitor& monitor) {
  Parts& p = *parts_;
  p.k = k;
  p.ground.view = {};
  tabulate_shapes<<<pass_blocks(p.count), pass_threads, 0, p.stream.get()>>>(
      p.elements.data(), p.count, k, p.value(), p.derivative());
  check_launch("fill, shape functions");
  for (DeviceNearPairs& pairs : p.near) pairs.set_wavenumber(k, p.stream, monitor);
  p.stream.synchronize();
}

void DeviceFill::fill(DeviceTiles& z, Medium medium, const DeviceStream& stream) const {
  fill_entries<Reflection::none>(parts_->mesh(medium), z, stream);
}

void DeviceFill::fill_over_ground(DeviceTiles& z, const DeviceStream& stream) const {
  const Mesh mesh = parts_->mesh_over_ground();
  if (mesh.ground.single != nullptr)
    fill_entries<Reflection::in_single>(mesh, z, stream);
  else
    fill_entries<Reflection::in_double>(mesh, z, stream);
}

DeviceGround::DeviceGround(const GroundTable& table, const NearGroundPairs* near,
                           Storage storage, double k, const std::uint32_t* run,
                           const DeviceStream& stream)
    : boxes(uploaded(table.boxes(), real_ground, stream)) {
  if (storage == Storage::complex_double)
    coefficients = uploaded(table.coefficients(), real_ground, stream);
  else
    single = uploaded(
        std::vector<float>(table.coefficients().begin(), table.coefficients().end()),
        real_ground, stream);
  if (near) {
    row = uploaded(near->pairs().row, real_ground, stream);
    second = uploaded(near->pairs().second, real_ground, stream);
    of_pair = uploaded(near->class_of_pair(), real_ground, stream);
    matrix = uploaded(near->matrices(), real_ground, stream);
  }
  const Complex c0 = image_strength(table.eps());
  GroundTableView on_gpu = table.view();
  on_gpu.boxes = boxes.data();
  on_gpu.coefficients = coefficients.data();
  view = {on_gpu,
          single.data(),
          GroundWaves::of(k, table.eps()),
          {c0.real(), c0.imag()},
          row.data(),
          second.data(),
          of_pair.data(),
          matrix.data(),
          run};
  stream.synchronize();
}

void DeviceFill::set_ground(const GroundTable& table, const NearGroundPairs& near,
                            Storage storage) {
  Parts& p = *parts_;
  if (p.run.size() == 0) {
    std::vector<Element> elements(p.count);
    p.elements.download(elements, p.stream);
    p.run = uploaded(straight_runs(elements), real_ground, p.stream);
  }
  p.ground = DeviceGround(table, &near, storage, p.k, p.run.data(), p.stream);
}

void DeviceFill::multiply(const Complex* x, Complex* y, Medium medium,
                          const DeviceStream& stream) const {
  multiply(TileShare::whole(parts_->layout), x, y, medium, stream);
}

void DeviceFill::multiply(TileShare share, const Complex* x, Complex* y, Medium medium,
                          const DeviceStream& stream) const {
  multiply_entries<Reflection::none>(parts_->mesh(medium), parts_->layout, share, x, y,
                                     stream);
}

void DeviceFill::multiply_over_ground(const Complex* x, Complex* y,
                                      const DeviceStream& stream) const {
  multiply_over_ground(TileShare::whole(parts_->layout), x, y, stream);
}

void DeviceFill::multiply_over_ground(TileShare share, const Complex* x, Complex* y,
                                      const DeviceStream& stream) const {
  const Mesh mesh = parts_->mesh_over_ground();
  const PackedTiles layout = parts_->layout;
  if (mesh.ground.single != nullptr)
    multiply_entries<Reflection::in_single>(mesh, layout, share, x, y, stream);
  else
    multiply_entries<Reflection::in_double>(mesh, layout, share, x, y, stream);
}

std::size_t DeviceFill::unknowns() const {
  return parts_->layout.n;
}
const Element* DeviceFill::elements() const {
  return parts_->elements.data();
}
const BasisFunction* DeviceFill::basis() const {
  return parts_->basis.data();
}
std::size_t DeviceFill::near_pairs() const {
  std::size_t pairs = 0;
  for (const DeviceNearPairs& of_source : parts_->near) pairs += of_source.pairs();
  return pairs;
}
std::size_t DeviceFill::bytes() const {
  const Parts& p = *parts_;
  std::size_t bytes = p.elements.bytes() + p.geometry.bytes() + p.shapes.bytes() +
                      p.sides.bytes() + p.basis.bytes() + p.run.bytes();
  for (const DeviceNearPairs& pairs : p.near) bytes += pairs.bytes();
  return bytes + p.ground.bytes() +
         std::min(p.layout.tiles(), tiles_a_go + p.layout.rows()) * 2 * fill_tile *
             sizeof(Complex);
}

}  // namespace thinwire
