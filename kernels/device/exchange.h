#pragma once

#include <algorithm>
#include <complex>
#include <cstddef>
#include <string>

#include "kernels/base/complex.h"
#include "kernels/device/device.h"

namespace thinwire {

/// One of several owners: of `count` things in a row, those from first() to last() - 1
/// are its share.
struct OwnerShare {
  std::size_t owner = 0, owners = 1;
  std::size_t first(std::size_t count) const { return count * owner / owners; }
  std::size_t last(std::size_t count) const { return count * (owner + 1) / owners; }
};

/// How the GPUs that share a matrix add up what each has of a vector and hand each other
/// panels of factors. Each belongs to an owner, a thread (MultiGpu) or a rank
/// (cg/rank_link.h) with a GPU of its own. All owners make the same calls in the same
/// order, with the same counts; a call gives work to the stream, and may wait for the
/// calls of the others. Sums are taken in the order of the owners: all get the same bits.
///
/// What is given stands in a window:
///
///     owner 0   window 0 --+--> sum --> total
///     owner 1   window 1 --+--> sum --> total
///
/// All calls are to be given to one stream, or to streams that wait for one another.
/// Everything throws Error{device}, also where another owner has failed.
class DeviceExchange {
 public:
  virtual ~DeviceExchange() = default;
  virtual int owner() const = 0;
  virtual int owners() const = 0;
  OwnerShare share() const {
    return {static_cast<std::size_t>(owner()), static_cast<std::size_t>(owners())};
  }

  virtual std::size_t window_bytes() const = 0;
  /// Where this owner is to write what it gives with the next call, by work on that
  /// call's stream. Another one after each call.
  virtual void* window() const = 0;
  /// total[i], i < count: the sum over the owners of what is in their windows.
  virtual void sum_windows(Complex* total, std::size_t count,
                           const DeviceStream& stream) = 0;
  virtual void sum_windows(std::complex<float>* total, std::size_t count,
                           const DeviceStream& stream) = 0;
  static constexpr int all = -1;
  /// Copies the window of owner `root` to `to` on owner `taker`, or on all but root.
  virtual void broadcast_window(int root, int taker, void* to, std::size_t bytes,
                                const DeviceStream& stream) = 0;
  /// The least of the values of all owners. Waits for their calls.
  virtual std::size_t least(std::size_t value) = 0;
  /// Forgets calls that a failure left half done. Waits for the own GPU and for the
  /// others' calls.
  virtual void start_anew() = 0;

  /// Whether a graph may hold sums and broadcasts: an even number of them, for each
  /// window to be the next again when it runs anew. Then the GPUs wait for each other,
  /// not the threads; all owners run the same graph as often, and call least() before and
  /// after.
  virtual bool fits_graph() const { return false; }
  /// Whether another owner has failed, while a graph runs.
  virtual bool others_failed() const { return false; }
  /// This owner has failed: what waits for it on the others' GPUs goes on, with anything
  /// in its window. To be called before it frees memory, which may wait for all GPUs.
  virtual void let_others_go() {}

  /// Why what the GPUs exchange goes through their hosts' memory, a clause; empty where
  /// it does not.
  virtual const std::string& detour() const = 0;

  /// Replaces each value by its sum over the owners; by way of the windows, in pieces.
  template <class T>
  void sum(std::complex<T>* values, std::size_t count, const DeviceStream& stream) {
    const std::size_t most = window_bytes() / sizeof(std::complex<T>);
    for (std::size_t first = 0; first < count; first += most) {
      const std::size_t some = std::min(most, count - first);
      copy_bytes(window(), values + first, some * sizeof(std::complex<T>), stream);
      sum_windows(values + first, some, stream);
    }
  }
  /// Copies the values of owner `root` to all owners, or only to `taker`.
  void broadcast(int root, void* values, std::size_t bytes, const DeviceStream& stream,
                 int taker = all) {
    auto* at = static_cast<std::byte*>(values);
    for (std::size_t first = 0; first < bytes; first += window_bytes()) {
      const std::size_t some = std::min(window_bytes(), bytes - first);
      if (owner() == root) copy_bytes(window(), at + first, some, stream);
      broadcast_window(root, taker, at + first, some, stream);
    }
  }

 protected:
  /// Whether broadcast_window() brings this owner anything.
  bool takes(int root, int taker) const {
    return owner() != root && (taker == all || taker == owner());
  }
};

}  // namespace thinwire
