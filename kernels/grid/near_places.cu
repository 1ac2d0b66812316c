#include "kernels/grid/near_places.h"

#include "kernels/grid/near_search.cuh"

namespace thinwire {
namespace {

using namespace device;

/// Beyond rounding.
constexpr double reach_of_boxes = 1 + 1e-9;

struct Search {
  DeviceNearMesh mesh;
  NearRule rule;
  bool real_part;
  BoxLevels boxes;
  NearShare rows = {};

  __device__ Box query(const Box& box) const {
    return box.grown(reach_of_boxes * rule.reach_m(real_part));
  }
  __device__ unsigned elements_near(std::uint32_t p, const Element& at,
                                    std::uint32_t q) const {
    return rule.sources(at, mesh.elements[q], p == q, real_part);
  }
};

/// Whether any elements of two functions are near.
__device__ bool functions_near(const Search& s, const BasisFunction& f,
                               const Element (&of_f)[2], const BasisFunction& g) {
  for (int u = 0; u < 2; ++u) {
    if (g.sign[u] == 0) continue;
    const Element q = s.mesh.elements[g.element[u]];
    for (int t = 0; t < 2; ++t)
      if (f.sign[t] != 0 &&
          s.rule.sources(of_f[t], q, f.element[t] == g.element[u], s.real_part))
        return true;
  }
  return false;
}

/// A warp for row m: found(first column, mask, the lane's bit), rising.
template <class Found>
__device__ void search_row(const Search& s, std::uint32_t m, const Found& found) {
  const BasisFunction f = s.mesh.basis[m];
  const Element of_f[2] = {s.mesh.elements[f.element[0]],
                           s.mesh.elements[f.sign[1] != 0 ? f.element[1] : f.element[0]]};
  search(
      s.boxes, s.rule.medium, s.query(Box::of(s.mesh.elements, f)), m + 1,
      [&](std::uint32_t n) -> unsigned {
        return functions_near(s, f, of_f, s.mesh.basis[n]);
      },
      found);
}

__global__ void __launch_bounds__(pass_threads)
    count_places(Search s, std::uint32_t* entries) {
  const std::uint32_t m = (std::size_t{blockIdx.x} * pass_threads + threadIdx.x) / 32;
  if (m >= s.mesh.functions) return;
  std::uint32_t count = 0;
  if (s.rows.has(m))
    search_row(s, m,
               [&](std::uint32_t, unsigned mask, unsigned) { count += __popc(mask); });
  if (threadIdx.x % 32 == 0) entries[m] = count;
}

__global__ void __launch_bounds__(pass_threads)
    write_places(Search s, const std::uint64_t* row, std::uint32_t* column) {
  const std::uint32_t m = (std::size_t{blockIdx.x} * pass_threads + threadIdx.x) / 32;
  if (m >= s.mesh.functions || !s.rows.has(m)) return;
  const unsigned lane = threadIdx.x % 32;
  std::uint64_t at = row[m];
  search_row(s, m, [&](std::uint32_t first, unsigned mask, unsigned bit) {
    if (bit) column[at + __popc(mask & ((1u << lane) - 1))] = first + lane;
    at += __popc(mask);
  });
}

/// A warp for element first[i]: found(first, mask, the lane's sources).
template <class Found>
__device__ void search_element(const Search& s, std::uint32_t p, std::uint32_t end,
                               const Found& found) {
  const Element at = s.mesh.elements[p];
  search(
      s.boxes, s.rule.medium, s.query(Box::of(at)), end,
      [&](std::uint32_t q) { return s.elements_near(p, at, q); }, found);
}

__global__ void __launch_bounds__(pass_threads)
    count_neighbours(Search s, const std::uint32_t* first, std::size_t elements,
                     std::uint32_t end, std::uint32_t* count) {
  const std::size_t i = (std::size_t{blockIdx.x} * pass_threads + threadIdx.x) / 32;
  if (i >= elements) return;
  std::uint32_t sum = 0;
  search_element(s, first[i], end,
                 [&](std::uint32_t, unsigned mask, unsigned) { sum += __popc(mask); });
  if (threadIdx.x % 32 == 0) count[i] = sum;
}

__global__ void __launch_bounds__(pass_threads)
    write_neighbours(Search s, const std::uint32_t* first, std::size_t elements,
                     std::uint32_t end, const std::uint64_t* row, std::uint32_t* second,
                     std::uint8_t* sources) {
  const std::size_t i = (std::size_t{blockIdx.x} * pass_threads + threadIdx.x) / 32;
  if (i >= elements) return;
  const unsigned lane = threadIdx.x % 32;
  std::uint64_t at = row[i];
  search_element(s, first[i], end, [&](std::uint32_t from, unsigned mask, unsigned bits) {
    const std::uint64_t to = at + __popc(mask & ((1u << lane) - 1));
    if (bits != 0) {
      second[to] = from + lane;
      sources[to] = static_cast<std::uint8_t>(bits);
    }
    at += __popc(mask);
  });
}

/// Sums of those before, [counts + 1].
std::vector<std::uint64_t> sums_before(const DeviceBuffer<std::uint32_t>& counts,
                                       const DeviceStream& stream) {
  std::vector<std::uint32_t> count(counts.size());
  counts.download(count, stream);
  std::vector<std::uint64_t> sum(count.size() + 1, 0);
  for (std::size_t i = 0; i < count.size(); ++i) sum[i + 1] = sum[i] + count[i];
  return sum;
}

}  // namespace

DeviceNearPlaces find_near_places(const DeviceNearMesh& mesh, const NearRule& rule,
                                  bool real_part, NearShare wanted,
                                  const DeviceStream& stream) {
  const char* what = "places of the near field";
  const std::size_t rows = mesh.functions;
  const DeviceBoxes boxes(FunctionBoxes{mesh.elements, mesh.basis}, mesh.functions,
                          stream);
  const Search search = {mesh, rule, real_part, boxes.levels(), wanted};
  DeviceBuffer<std::uint32_t> entries(rows, what);
  count_places<<<pass_blocks(32 * rows), pass_threads, 0, stream.get()>>>(search,
                                                                          entries.data());
  check_launch("places of the near field, count");
  DeviceNearPlaces places;
  places.row = sums_before(entries, stream);
  places.device_row = uploaded(places.row, what, stream);
  places.column = {places.entries(), what};
  write_places<<<pass_blocks(32 * rows), pass_threads, 0, stream.get()>>>(
      search, places.device_row.data(), places.column.data());
  check_launch("places of the near field, write");
  stream.synchronize();
  return places;
}

DeviceNearLists find_near_lists(const DeviceNearMesh& mesh, const NearRule& rule,
                                bool real_part, std::span<const std::uint32_t> elements,
                                std::uint32_t end, const DeviceStream& stream) {
  const char* what = "near pairs of elements";
  const DeviceBoxes boxes(ElementBoxes{mesh.elements}, mesh.element_count, stream);
  const Search search = {mesh, rule, real_part, boxes.levels()};
  DeviceNearLists lists;
  lists.first = uploaded(elements, what, stream);
  DeviceBuffer<std::uint32_t> count(elements.size(), what);
  const unsigned blocks = pass_blocks(32 * elements.size());
  count_neighbours<<<blocks, pass_threads, 0, stream.get()>>>(
      search, lists.first.data(), elements.size(), end, count.data());
  check_launch("near pairs of elements, count");
  const std::vector<std::uint64_t> row = sums_before(count, stream);
  lists.row = uploaded(row, what, stream);
  lists.second = {row.back(), what};
  lists.sources = {row.back(), what};
  write_neighbours<<<blocks, pass_threads, 0, stream.get()>>>(
      search, lists.first.data(), elements.size(), end, lists.row.data(),
      lists.second.data(), lists.sources.data());
  check_launch("near pairs of elements, write");
  return lists;
}

}  // namespace thinwire
