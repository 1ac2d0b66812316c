#pragma once

#include <array>
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
///     items            0 .. 31   32 .. 63  ...
///     boxes, level 0   [   0   ] [   1   ] ...   around 32 items each
///            level 1   [ 0 of 32 of level 0  ] ...
///            level 2   ..
///
/// A warp looks for one item: its lanes at 32 boxes of the last level, then at the 32
/// boxes in each that is near, and so on down to the items: found in rising order,
/// without lists.

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
struct BoxesOfBoxes {
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
  static constexpr int count = 3;
  const Box* of[count];
};

/// Boxes around items on the GPU.
class DeviceBoxes {
 public:
  template <class Boxes>
  DeviceBoxes(const Boxes& boxes, std::uint32_t count, const DeviceStream& stream) {
    make_level(0, boxes, count, stream);
    for (int level = 1; level < BoxLevels::count; ++level)
      make_level(level, BoxesOfBoxes{box_[level - 1].data()},
                 static_cast<std::uint32_t>(box_[level - 1].size()), stream);
  }
  BoxLevels levels() const { return {{box_[0].data(), box_[1].data(), box_[2].data()}}; }

 private:
  template <class Boxes>
  void make_level(int level, const Boxes& boxes, std::uint32_t count,
                  const DeviceStream& stream) {
    box_[level] = {(count + 31) / 32, "near field"};
    if (count == 0) return;
    box_around<<<pass_blocks(box_[level].size()), pass_threads, 0, stream.get()>>>(
        boxes, count, box_[level].data());
    check_launch("near field, boxes");
  }

  std::array<DeviceBuffer<Box>, BoxLevels::count> box_;
};

/// visit(i) for the boxes first .. first + 31 of a level, before `end`, that are near, by
/// all lanes of a warp alike, rising.
template <class Near, class Visit>
__device__ void for_near_boxes(const Box* boxes, std::uint32_t first, std::uint32_t end,
                               const Near& near, const Visit& visit) {
  const std::uint32_t mine = first + threadIdx.x % 32;
  for (unsigned left = __ballot_sync(0xffffffffu, mine < end && near(boxes[mine]));
       left != 0; left &= left - 1)
    visit(first + __ffs(left) - 1);
}

/// For all lanes of a warp alike: calls found(first, mask, bits) for 32 items from number
/// `first` on, rising, of which near(item), a lane's own `bits`, is not 0 for those in
/// `mask`. Only items before `end`. query: that of the item, as each source has it.
template <class Near, class Found>
__device__ void search(const BoxLevels& boxes, const Medium& medium, const Box& query,
                       std::uint32_t end, const Near& near, const Found& found) {
  const unsigned lane = threadIdx.x % 32;
  const Box mirrored = query.mirrored();
  const auto near_box = [&](const Box& box) {
    return query.touches(box) || (medium.sources() > 1 && mirrored.touches(box));
  };
  const std::uint32_t end_0 = (end + 31) / 32, end_1 = (end_0 + 31) / 32,
                      end_2 = (end_1 + 31) / 32;
  const auto items = [&](std::uint32_t box) {
    const std::uint32_t first = 32 * box;
    const unsigned bits = first + lane < end ? near(first + lane) : 0u;
    if (const unsigned mask = __ballot_sync(0xffffffffu, bits != 0); mask != 0)
      found(first, mask, bits);
  };
  for (std::uint32_t from = 0; from < end_2; from += 32)
    for_near_boxes(boxes.of[2], from, end_2, near_box, [&](std::uint32_t b) {
      for_near_boxes(boxes.of[1], 32 * b, end_1, near_box, [&](std::uint32_t a) {
        for_near_boxes(boxes.of[0], 32 * a, end_0, near_box, items);
      });
    });
}

}  // namespace thinwire::device
