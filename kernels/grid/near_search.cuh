#pragma once

#include <cstdint>

#include "kernels/base/vec3.h"
#include "kernels/device/check.cuh"
#include "kernels/device/device.h"
#include "kernels/device/pass.cuh"
#include "kernels/element/basis_function.h"
#include "kernels/element/element.h"
#include "kernels/element/medium.h"

namespace thinwire::device {

/// Search for neighbours among items in the order of a space-filling curve.
///
///     items        0 .. 31   32 .. 63  ...
///     fine boxes   [   0   ] [   1   ] ...   around 32 items each
///     coarse boxes [ 0 of 32 fine ones ] ...
///
/// A warp looks for one item: its lanes at 32 coarse boxes, then at the 32 fine boxes of
/// each that is near, then at the items of those: found in rising order, without lists.

struct Box {
  Vec3 low, high;

  __device__ static Box of(const Element& e) {
    const Vec3 end = e.start_m + e.length_m * e.tangent,
               a = {e.radius_m, e.radius_m, e.radius_m};
    Box box = {e.start_m - a, e.start_m + a};
    box.add({end - a, end + a});
    return box;
  }
  __device__ static Box of(const Element* elements, const BasisFunction& f) {
    Box box = of(elements[f.element[0]]);
    if (f.sign[1] != 0) box.add(of(elements[f.element[1]]));
    return box;
  }
  __device__ void add(const Box& b) {
    low = {fmin(low.x, b.low.x), fmin(low.y, b.low.y), fmin(low.z, b.low.z)};
    high = {fmax(high.x, b.high.x), fmax(high.y, b.high.y), fmax(high.z, b.high.z)};
  }
  __device__ Box grown(double by) const {
    const Vec3 all = {by, by, by};
    return {low - all, high + all};
  }
  __device__ Box mirrored() const {
    return {{low.x, low.y, -high.z}, {high.x, high.y, -low.z}};
  }
  __device__ bool touches(const Box& b) const {
    return low.x <= b.high.x && low.y <= b.high.y && low.z <= b.high.z &&
           high.x >= b.low.x && high.y >= b.low.y && high.z >= b.low.z;
  }
};

/// The box of an element, or of a function, by its number.
struct ElementBoxes {
  const Element* elements;
  __device__ Box operator()(std::uint32_t i) const { return Box::of(elements[i]); }
};
struct FunctionBoxes {
  const Element* elements;
  const BasisFunction* basis;
  __device__ Box operator()(std::uint32_t i) const { return Box::of(elements, basis[i]); }
};
struct FineBoxes {
  const Box* box;
  __device__ Box operator()(std::uint32_t i) const { return box[i]; }
};

/// around[i]: the box around 32 of `count` things.
template <class Boxes>
__global__ void box_around(Boxes boxes, std::uint32_t count, Box* around) {
  const std::uint32_t i = blockIdx.x * pass_threads + threadIdx.x;
  if (32 * i >= count) return;
  Box all = boxes(32 * i);
  for (std::uint32_t j = 32 * i + 1; j < min(32 * i + 32, count); ++j) all.add(boxes(j));
  around[i] = all;
}

/// Boxes that search() reads.
struct BoxLevels {
  const Box *fine, *coarse;
};

/// Boxes around items on the GPU.
class DeviceBoxes {
 public:
  template <class Boxes>
  DeviceBoxes(const Boxes& boxes, std::uint32_t count, const DeviceStream& stream)
      : fine_((count + 31) / 32, "near field"),
        coarse_((fine_.size() + 31) / 32, "near field") {
    const auto fine = static_cast<std::uint32_t>(fine_.size());
    if (fine == 0) return;
    box_around<<<pass_blocks(fine), pass_threads, 0, stream.get()>>>(boxes, count,
                                                                     fine_.data());
    box_around<<<pass_blocks(coarse_.size()), pass_threads, 0, stream.get()>>>(
        FineBoxes{fine_.data()}, fine, coarse_.data());
    check_launch("near field, boxes");
  }
  BoxLevels levels() const { return {fine_.data(), coarse_.data()}; }

 private:
  DeviceBuffer<Box> fine_, coarse_;
};

/// For all lanes of a warp alike: calls found(first, mask, bits) for 32 items from number
/// `first` on, rising, of which near(item), a lane's own `bits`, is not 0 for those in
/// `mask`. Only items before `end`. query: that of the item, as each source has it.
template <class Near, class Found>
__device__ void search(const BoxLevels& boxes, const Medium& medium, const Box& query,
                       std::uint32_t end, const Near& near, const Found& found) {
  constexpr unsigned all = 0xffffffffu;
  const unsigned lane = threadIdx.x % 32;
  const Box mirrored = query.mirrored();
  const auto near_box = [&](const Box& box) {
    return query.touches(box) || (medium.sources() > 1 && mirrored.touches(box));
  };
  const std::uint32_t fine_end = (end + 31) / 32, coarse_end = (fine_end + 31) / 32;
  for (std::uint32_t from = 0; from < coarse_end; from += 32) {
    const std::uint32_t mine = from + lane;
    unsigned coarse =
        __ballot_sync(all, mine < coarse_end && near_box(boxes.coarse[mine]));
    for (; coarse != 0; coarse &= coarse - 1) {
      const std::uint32_t group = 32 * (from + __ffs(coarse) - 1);
      unsigned fine = __ballot_sync(
          all, group + lane < fine_end && near_box(boxes.fine[group + lane]));
      for (; fine != 0; fine &= fine - 1) {
        const std::uint32_t first = 32 * (group + __ffs(fine) - 1);
        const unsigned bits = first + lane < end ? near(first + lane) : 0u;
        if (const unsigned mask = __ballot_sync(all, bits != 0); mask != 0)
          found(first, mask, bits);
      }
    }
  }
}

}  // namespace thinwire::device
