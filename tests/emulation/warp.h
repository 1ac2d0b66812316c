#pragma once

#include <cstdint>
#include <cstring>

#include "tests/emulation/block.h"

/// Collective operations of the lanes of a block or a warp.
namespace emulation {

template <class T>
std::uint64_t to_bits(T value) {
  static_assert(sizeof(T) <= sizeof(std::uint64_t));
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof value);
  return bits;
}

inline int lane_of_warp() {
  return static_cast<int>(lane().number % 32);
}

/// The value of lane `from`; the lane's own if that one gave none.
template <class T>
T shuffle(unsigned mask, T value, int from) {
  const WarpValues all = exchange(mask, to_bits(value));
  if ((all.arrived >> from & 1) == 0) return value;
  std::memcpy(&value, all.of_lane + from, sizeof value);
  return value;
}

/// A bit for each lane that gave the value `bits`.
inline unsigned lanes_with(WarpValues all, std::uint64_t bits) {
  unsigned with = 0;
  for (unsigned l = 0; l < 32; ++l)
    if ((all.arrived >> l & 1) != 0 && all.of_lane[l] == bits) with |= 1u << l;
  return with;
}

}  // namespace emulation

inline void __syncthreads() {
  emulation::sync_block(false);
}
inline int __syncthreads_or(int mine) {
  return emulation::sync_block(mine != 0).any;
}
inline int __syncthreads_and(int mine) {
  return emulation::sync_block(mine != 0).all;
}
inline int __syncthreads_count(int mine) {
  return emulation::sync_block(mine != 0).count;
}
inline void __syncwarp(unsigned mask = ~0u) {
  emulation::exchange(mask, 0);
}

template <class T>
T __shfl_sync(unsigned mask, T value, int from, int width = 32) {
  const int first = emulation::lane_of_warp() / width * width;
  return emulation::shuffle(mask, value, first + (from & (width - 1)));
}
template <class T>
T __shfl_xor_sync(unsigned mask, T value, int bits, int width = 32) {
  const int me = emulation::lane_of_warp(), from = me ^ bits;
  return emulation::shuffle(mask, value, from / width == me / width ? from : me);
}
template <class T>
T __shfl_down_sync(unsigned mask, T value, unsigned by, int width = 32) {
  const int me = emulation::lane_of_warp(), from = me + static_cast<int>(by);
  return emulation::shuffle(mask, value, from / width == me / width ? from : me);
}
template <class T>
T __shfl_up_sync(unsigned mask, T value, unsigned by, int width = 32) {
  const int me = emulation::lane_of_warp(), from = me - static_cast<int>(by);
  return emulation::shuffle(mask, value, from >= me / width * width ? from : me);
}

inline unsigned __ballot_sync(unsigned mask, int mine) {
  return emulation::lanes_with(emulation::exchange(mask, mine != 0), 1);
}
inline int __any_sync(unsigned mask, int mine) {
  return __ballot_sync(mask, mine) != 0;
}
inline int __all_sync(unsigned mask, int mine) {
  return __ballot_sync(mask, mine == 0) == 0;
}
template <class T>
unsigned __match_any_sync(unsigned mask, T mine) {
  const std::uint64_t bits = emulation::to_bits(mine);
  return emulation::lanes_with(emulation::exchange(mask, bits), bits);
}
