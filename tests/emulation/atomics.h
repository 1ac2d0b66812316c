#pragma once

#include <atomic>

/// Atomic operations and fences of kernels. All are sequentially consistent, which a
/// GPU's are not.
namespace emulation {

/// Puts change(old) in place of the old value, which it returns.
template <class T, class Change>
T exchange_by(T* at, Change change) {
  const std::atomic_ref<T> value(*at);
  T old = value.load();
  while (!value.compare_exchange_weak(old, change(old))) {
  }
  return old;
}

}  // namespace emulation

template <class T, class U>
T atomicAdd(T* at, U by) {
  return emulation::exchange_by(at, [=](T old) { return static_cast<T>(old + by); });
}
template <class T, class U>
T atomicSub(T* at, U by) {
  return emulation::exchange_by(at, [=](T old) { return static_cast<T>(old - by); });
}
template <class T, class U>
T atomicOr(T* at, U bits) {
  return emulation::exchange_by(at, [=](T old) { return static_cast<T>(old | bits); });
}
template <class T, class U>
T atomicAnd(T* at, U bits) {
  return emulation::exchange_by(at, [=](T old) { return static_cast<T>(old & bits); });
}
template <class T, class U>
T atomicMin(T* at, U value) {
  const T other = static_cast<T>(value);
  return emulation::exchange_by(at, [=](T old) { return other < old ? other : old; });
}
template <class T, class U>
T atomicMax(T* at, U value) {
  const T other = static_cast<T>(value);
  return emulation::exchange_by(at, [=](T old) { return old < other ? other : old; });
}
template <class T, class U>
T atomicExch(T* at, U value) {
  return std::atomic_ref<T>(*at).exchange(static_cast<T>(value));
}
template <class T, class U, class V>
T atomicCAS(T* at, U expected, V value) {
  T old = static_cast<T>(expected);
  std::atomic_ref<T>(*at).compare_exchange_strong(old, static_cast<T>(value));
  return old;
}
inline unsigned atomicInc(unsigned* at, unsigned most) {
  return emulation::exchange_by(at,
                                [=](unsigned old) { return old >= most ? 0 : old + 1; });
}

inline void __threadfence() {
  std::atomic_thread_fence(std::memory_order_seq_cst);
}
inline void __threadfence_block() {
  __threadfence();
}
inline void __threadfence_system() {
  __threadfence();
}
