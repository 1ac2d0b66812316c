#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>

#include "kernels/device/check.cuh"
#include "kernels/device/cub_work.cuh"
#include "kernels/device/pass.cuh"
#include "kernels/element/pair_shape.h"
#include "kernels/fill/pair_classes.h"

namespace thinwire {
namespace {

using namespace device;

struct Pairs {
  const Element* elements;
  const std::uint32_t *p, *q;
  std::size_t count;
  Medium medium;
  int source;

  __device__ ShapedPair shape(std::uint32_t i) const {
    return shaped_pair(medium.source(elements[p[i]], source), elements[q[i]]);
  }
};

__global__ void hash_shapes(Pairs pairs, std::uint64_t* hash, std::uint32_t* number,
                            std::uint8_t* symmetry) {
  const std::size_t i = std::size_t{blockIdx.x} * pass_threads + threadIdx.x;
  if (i >= pairs.count) return;
  const ShapedPair pair = pairs.shape(i);
  hash[i] = pair.shape.hash();
  symmetry[i] = pair.symmetry.bits();
  number[i] = i;
}

/// first[n]: 1 where pair number[n] is of another class than the one before.
__global__ void mark_first(Pairs pairs, const std::uint64_t* hash,
                           const std::uint32_t* number, std::uint32_t* first) {
  const std::size_t n = std::size_t{blockIdx.x} * pass_threads + threadIdx.x;
  if (n >= pairs.count) return;
  // Shapes are compared too: hashes of different ones may be the same.
  first[n] = n == 0 || hash[n] != hash[n - 1] ||
             !(pairs.shape(number[n]).shape == pairs.shape(number[n - 1]).shape);
}

/// until[n]: classes up to and with that of pair number[n].
__global__ void write_classes(Pairs pairs, const std::uint32_t* number,
                              const std::uint32_t* until, std::uint32_t* of_pair,
                              std::uint32_t* p, std::uint32_t* q) {
  const std::size_t n = std::size_t{blockIdx.x} * pass_threads + threadIdx.x;
  if (n >= pairs.count) return;
  const std::uint32_t i = number[n], at = until[n] - 1;
  of_pair[i] = at;
  if (n > 0 && until[n - 1] == until[n]) return;
  p[at] = pairs.p[i];
  q[at] = pairs.q[i];
}

}  // namespace

DevicePairClasses classify_pairs(const Element* elements, Medium medium, int s,
                                 const DeviceBuffer<std::uint32_t>& p,
                                 const DeviceBuffer<std::uint32_t>& q,
                                 const DeviceStream& stream) {
  const char* what = "classes of near pairs";
  const std::size_t count = p.size();
  if (count == 0) return {};
  const Pairs pairs = {elements, p.data(), q.data(), count, medium, s};
  const unsigned blocks = pass_blocks(count);
  DevicePairClasses classes;
  classes.symmetry = {count, what};
  // In one piece: to get memory from the GPU takes longer than what is done with it.
  DeviceBuffer<std::uint64_t> work(3 * count, what);
  std::uint64_t *const hash = work.data(), *const sorted_hash = hash + count;
  auto* const number = reinterpret_cast<std::uint32_t*>(sorted_hash + count);
  std::uint32_t* const sorted = number + count;
  hash_shapes<<<blocks, pass_threads, 0, stream.get()>>>(pairs, hash, number,
                                                         classes.symmetry.data());
  check_launch("near pairs, shapes");
  // Radix sort keeps the order of pairs of one hash: the first of a class is its first.
  with_work(
      [&](void* own_work, std::size_t& bytes) {
        return cub::DeviceRadixSort::SortPairs(own_work, bytes, hash, sorted_hash, number,
                                               sorted, static_cast<std::int64_t>(count),
                                               0, 64, stream.get());
      },
      what);
  std::uint32_t* const until = number;
  mark_first<<<blocks, pass_threads, 0, stream.get()>>>(pairs, sorted_hash, sorted,
                                                        until);
  check_launch("near pairs, classes");
  with_work(
      [&](void* own_work, std::size_t& bytes) {
        return cub::DeviceScan::InclusiveSum(own_work, bytes, until, until,
                                             static_cast<std::int64_t>(count),
                                             stream.get());
      },
      what);
  std::uint32_t size = 0;
  copy_bytes(&size, until + count - 1, sizeof(size), stream);
  stream.synchronize();
  classes.of_pair = {count, what};
  classes.p = {size, what};
  classes.q = {size, what};
  write_classes<<<blocks, pass_threads, 0, stream.get()>>>(
      pairs, sorted, until, classes.of_pair.data(), classes.p.data(), classes.q.data());
  check_launch("near pairs, classes");
  stream.synchronize();
  return classes;
}

}  // namespace thinwire
