#include <numeric>
#include <string>
#include <type_traits>

#include "kernels/fill/fill_parts.cuh"

namespace thinwire {
namespace device {
namespace {

/// Lists as of DeviceFill::make_function_lists.
struct GivenLists {
  const std::uint32_t* functions;
  const std::size_t* list_first;
  __device__ std::size_t begin(std::size_t list) const { return list_first[list]; }
  __device__ std::uint32_t function(std::size_t at) const { return functions[at]; }
};

/// All functions in order, those of a tile in each list.
struct TileLists {
  std::size_t count;
  __device__ std::size_t begin(std::size_t list) const {
    return min(list * fill_tile, count);
  }
  __device__ std::uint32_t function(std::size_t at) const {
    return static_cast<std::uint32_t>(at);
  }
};

/// A block for a list of functions, a thread for each term: a term's lane is the number
/// of elements that are named before its element is.
template <class Lists>
__global__ void __launch_bounds__(2 * fill_tile)
    make_function_lists(const BasisFunction* basis, Lists lists, Side* sides) {
  __shared__ std::uint32_t element[2 * fill_tile];
  __shared__ bool named_first[2 * fill_tile];
  constexpr std::uint32_t none = 0xffffffffu;
  Side& side = sides[blockIdx.x];
  const int term = threadIdx.x, row = term / 2, t = term % 2;
  const std::size_t begin = lists.begin(blockIdx.x), at = begin + row,
                    end = lists.begin(blockIdx.x + 1);
  const BasisFunction f = at < end ? basis[lists.function(at)] : BasisFunction{};
  const bool there = f.sign[t] != 0;
  element[term] = there ? f.element[t] : none;
  __syncthreads();
  int first = 0;
  while (element[first] != element[term]) ++first;
  named_first[term] = there && first == term;
  __syncthreads();
  std::uint32_t lane = 0, used = 0;
  for (int other = 0; other < 2 * fill_tile; ++other) {
    if (other < first) lane += named_first[other];
    used += named_first[other];
  }
  side.term_lane[row][t] = there ? lane : 0;
  side.term_end[row][t] = there ? f.end[t] : 0;
  side.term_sign[row][t] = there ? f.sign[t] : 0;
  if (named_first[term]) side.element[lane] = element[term];
  if (term >= used) side.element[term] = element[0];
  if (term == 0) {
    side.functions = static_cast<std::uint32_t>(end - begin);
    side.used_lanes = used;
    side.lanes = (used + lane_group - 1) / lane_group * lane_group;
  }
}

/// A block for each tile, computed in the precision of its entries. Neighbouring threads
/// write along the side with the shorter step.
template <class Entry>
__global__ void __launch_bounds__(fill_threads, sizeof(double2) / sizeof(Entry) *
                                                    tuning::fill_blocks_per_sm)
    write_entries(const __grid_constant__ Mesh mesh, const Side* sides,
                  const EntryTile* tiles, Entry* out) {
  extern __shared__ __align__(16) unsigned char memory[];
  auto& shared = *reinterpret_cast<SharedTile<Entry>*>(memory);
  const EntryTile at = tiles[blockIdx.x];
  const Side &rows = sides[at.rows], &columns = sides[at.columns];
  compute_tile<Reflection::none, Entry>(mesh, rows, columns, shared);
  const auto write = [&](std::uint64_t place, int i, int j) {
    // The upper half of a diagonal tile is the lower one's mirror image to the last bit.
    const bool mirrored = at.rows == at.columns && j > i;
    out[place] = shared.sum[mirrored ? j * fill_tile + i : i * fill_tile + j];
  };
  const bool along_columns = at.column_step <= at.row_step;
  for (int e = threadIdx.x; e < fill_tile * fill_tile; e += fill_threads) {
    const std::uint32_t slow = e / fill_tile, fast = e % fill_tile;
    const std::uint32_t i = along_columns ? slow : fast, j = along_columns ? fast : slow;
    if (i < rows.functions && j < columns.functions)
      write(
          at.offset + std::uint64_t{i} * at.row_step + std::uint64_t{j} * at.column_step,
          i, j);
    // The mirror image with its sides exchanged.
    if (at.mirror != EntryTile::none && j < rows.functions && i < columns.functions)
      write(
          at.mirror + std::uint64_t{i} * at.row_step + std::uint64_t{j} * at.column_step,
          j, i);
  }
}

/// A block for a list of rows and a tile of columns: each row's sum with x over the tile,
/// sums[list][row of the list][tile]. A warp for each row.
template <Reflection reflection>
__global__ void __launch_bounds__(fill_threads, tuning::fill_blocks_per_sm)
    sum_rows(const __grid_constant__ Mesh mesh, const Side* lists, const double2* x,
             double2* sums) {
  extern __shared__ __align__(16) unsigned char memory[];
  auto& shared = *reinterpret_cast<TileMemory<reflection>*>(memory);
  const Side &rows = lists[blockIdx.y], &columns = mesh.sides[blockIdx.x];
  compute_tile<reflection>(mesh, rows, columns, shared);
  const unsigned lane = threadIdx.x % 32;
  for (unsigned i = threadIdx.x / 32; i < rows.functions; i += fill_threads / 32) {
    double2 sum = {0, 0};
    for (unsigned j = lane; j < columns.functions; j += 32)
      add_product(sum, shared.sum[i * fill_tile + j],
                  x[std::size_t{blockIdx.x} * fill_tile + j]);
    for (int bit = 16; bit > 0; bit /= 2) {
      sum.x += __shfl_xor_sync(0xffffffffu, sum.x, bit);
      sum.y += __shfl_xor_sync(0xffffffffu, sum.y, bit);
    }
    if (lane == 0)
      sums[(std::size_t{blockIdx.y} * fill_tile + i) * gridDim.x + blockIdx.x] = sum;
  }
}

template <class Entry>
void launch_entries(const Mesh& mesh, const Side* sides, const EntryTile* tiles,
                    std::size_t count, Entry* out, const DeviceStream& stream) {
  if (count == 0) return;
  constexpr std::size_t bytes = sizeof(SharedTile<Entry>);
  allow_shared(write_entries<Entry>, bytes, "fill");
  write_entries<<<static_cast<unsigned>(count), fill_threads, bytes, stream.get()>>>(
      mesh, sides, tiles, out);
  check_launch("fill, entries");
}

}  // namespace

DeviceBuffer<Side> lists_of_tiles(const BasisFunction* basis, std::size_t count,
                                  const DeviceStream& stream) {
  DeviceBuffer<Side> sides((count + fill_tile - 1) / fill_tile, "functions of the tiles");
  if (count == 0) return sides;
  make_function_lists<<<static_cast<unsigned>(sides.size()), 2 * fill_tile, 0,
                        stream.get()>>>(basis, TileLists{count}, sides.data());
  check_launch("fill, elements of the tiles");
  return sides;
}

DeviceBuffer<Side> lists_of(const BasisFunction* basis,
                            std::span<const std::uint32_t> functions,
                            std::span<const std::size_t> first,
                            const DeviceStream& stream) {
  const char* what = "lists of functions";
  const std::size_t count = first.size() - 1;
  DeviceBuffer<Side> sides(count, what);
  if (count == 0) return sides;
  DeviceBuffer<std::uint32_t> device_functions(functions.size(), what);
  DeviceBuffer<std::size_t> device_first(first.size(), what);
  device_functions.upload(functions, stream);
  device_first.upload(first, stream);
  make_function_lists<<<static_cast<unsigned>(count), 2 * fill_tile, 0, stream.get()>>>(
      basis, GivenLists{device_functions.data(), device_first.data()}, sides.data());
  check_launch("fill, elements of the tiles");
  stream.synchronize();
  return sides;
}

}  // namespace device

DeviceFunctionLists::DeviceFunctionLists(std::unique_ptr<Parts> parts)
    : parts_(std::move(parts)) {}
DeviceFunctionLists::DeviceFunctionLists(DeviceFunctionLists&&) noexcept = default;
DeviceFunctionLists& DeviceFunctionLists::operator=(DeviceFunctionLists&&) noexcept =
    default;
DeviceFunctionLists::~DeviceFunctionLists() = default;
std::size_t DeviceFunctionLists::size() const {
  return parts_->sides.size();
}
std::size_t DeviceFunctionLists::bytes() const {
  return parts_->sides.bytes();
}

DeviceFunctionLists DeviceFill::make_function_lists(
    std::span<const std::uint32_t> functions, std::span<const std::size_t> first) const {
  for (std::size_t b = 0; b + 1 < first.size(); ++b) {
    const std::size_t size = first[b + 1] - first[b];
    if (size < 1 || size > PackedTiles::tile || first[b + 1] > functions.size())
      throw Error(ErrorKind::numeric, "fill on the GPU: list " + std::to_string(b) +
                                          " of functions must have 1 to 64 (got " +
                                          std::to_string(size) + ").");
  }
  for (const std::uint32_t function : functions)
    if (function >= parts_->layout.n)
      throw Error(ErrorKind::numeric,
                  "fill on the GPU: function " + std::to_string(function) +
                      " is not of the basis (N = " + std::to_string(parts_->layout.n) +
                      ").");
  auto sides = std::make_unique<DeviceFunctionLists::Parts>();
  sides->sides = device::lists_of(parts_->basis.data(), functions, first, parts_->stream);
  return DeviceFunctionLists(std::move(sides));
}

std::vector<Complex> DeviceFill::far_products(std::span<const std::uint32_t> rows,
                                              PairLimit limit, const Complex* x,
                                              Medium medium, const GroundTable* ground,
                                              const DeviceStream& stream) const {
  using namespace device;
  if (rows.empty()) return {};
  std::vector<std::size_t> first;
  for (std::size_t row = 0; row < rows.size(); row += fill_tile) first.push_back(row);
  first.push_back(rows.size());
  const DeviceFunctionLists lists = make_function_lists(rows, first);
  Mesh mesh = parts_->mesh(medium);
  mesh.limit = limit;
  for (DeviceNearPairs::View& near : mesh.near) near = {};
  const std::size_t tiles = parts_->sides.size();
  std::vector<Complex> sums(lists.size() * fill_tile * tiles);
  DeviceBuffer<Complex> on_device(sums.size(), "rows of the matrix");
  const auto launch = [&](auto which) {
    constexpr Reflection reflection = which();
    constexpr std::size_t bytes = sizeof(TileMemory<reflection>);
    allow_shared(sum_rows<reflection>, bytes, "fill");
    sum_rows<reflection>
        <<<dim3(static_cast<unsigned>(tiles), static_cast<unsigned>(lists.size())),
           fill_threads, bytes, stream.get()>>>(mesh, lists.parts_->sides.data(),
                                                thinwire::parts(x),
                                                thinwire::parts(on_device.data()));
    check_launch("fill, products of rows");
  };
  DeviceGround on_gpu;
  if (ground) {
    on_gpu = DeviceGround(*ground, nullptr, Storage::complex_double, parts_->k, nullptr,
                          stream);
    mesh.ground = on_gpu.view;
    launch(std::integral_constant<Reflection, Reflection::in_double>());
  } else {
    launch(std::integral_constant<Reflection, Reflection::none>());
  }
  on_device.download(sums, stream);
  std::vector<Complex> products(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i)
    products[i] = std::accumulate(
        sums.begin() + static_cast<std::ptrdiff_t>(i * tiles),
        sums.begin() + static_cast<std::ptrdiff_t>((i + 1) * tiles), Complex(0));
  return products;
}

void DeviceFill::entries(const DeviceFunctionLists& sides, const EntryTile* tiles,
                         std::size_t count, Complex* out, Medium medium,
                         const DeviceStream& stream) const {
  device::launch_entries(parts_->mesh(medium), sides.parts_->sides.data(), tiles, count,
                         reinterpret_cast<double2*>(out), stream);
}

void DeviceFill::entries(const DeviceFunctionLists& sides, const EntryTile* tiles,
                         std::size_t count, std::complex<float>* out, Medium medium,
                         const DeviceStream& stream) const {
  device::Mesh mesh = parts_->mesh(medium);
  mesh.limit = mesh.limit.loosened();
  device::launch_entries(mesh, sides.parts_->sides.data(), tiles, count,
                         reinterpret_cast<float2*>(out), stream);
}

}  // namespace thinwire
