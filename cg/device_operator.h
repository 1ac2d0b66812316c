#pragma once

#include <algorithm>

#include "cg/linear_operator.h"
#include "kernels/device/device.h"
#include "kernels/device/exchange.h"
#include "kernels/matrix/packed_tiles.h"
#include "kernels/matrix/symv.h"

namespace thinwire {

/// An operator with vectors on the GPU, the interface of the GPU solvers to the matrix. A
/// new one has to define size() and multiply(); the rest is for operators that can do
/// better.
///
/// Vectors are [rhs_count][padded()], 16-byte aligned and zero beyond size(). rhs_count
/// is 1 to max_rhs_count; for operators with parts() it is one of these two, and unused
/// right-hand sides hold any numbers.
class DeviceOperator : public LinearOperator {
 public:
  static constexpr int max_rhs_count = 4;

  /// Distance between the vectors of two right-hand sides.
  std::size_t padded() const { return PackedTiles{size()}.padded(); }

  /// Y = Z X; y beyond size() is left alone or zero. x, y may not alias. Gives work to
  /// the stream and neither waits nor allocates, so that a graph can hold it.
  virtual void multiply(const Complex* x, Complex* y, int rhs_count,
                        const DeviceStream& stream) const = 0;

  /// A cheaper product, for the later steps of a solver and for preconditioners.
  /// rough_error: its error relative to ||Z|| ||x||; 0: it is multiply().
  virtual double rough_error() const { return 0; }
  virtual void multiply_roughly(const Complex* x, Complex* y, int rhs_count,
                                const DeviceStream& stream) const {
    multiply(x, y, rhs_count, stream);
  }

  /// For operators whose product has a last pass that can carry what a solver makes of y
  /// (symv_second_pass.cuh): where first_pass leaves the sums of that many right-hand
  /// sides. Null: this is none of them. May allocate and wait.
  virtual const SymvParts* parts(int rhs_count) const {
    (void)rhs_count;
    return nullptr;
  }
  /// All but the last pass; only called where parts(rhs_count) is not null. Does nothing
  /// where *skip, on the GPU, is not zero.
  virtual void first_pass(const Complex* x, int rhs_count, const int* skip,
                          const DeviceStream& stream) const {
    (void)x, (void)rhs_count, (void)skip, (void)stream;
  }

  /// Returns the exchange with the other GPUs that share the operator, each with whole
  /// vectors; null where one GPU has all of it.
  virtual DeviceExchange* others() const { return nullptr; }
  int owners() const { return others() == nullptr ? 1 : others()->owners(); }
  /// Returns the least of all owners' values, for them to decide alike; waits for them.
  std::size_t min_of_owners(std::size_t value) const {
    return others() == nullptr ? value : others()->least(value);
  }
  /// Returns the bytes of an exchange's windows, of which each owner has two: the
  /// products of max_rhs_count, and pieces of panels of factors that travel at full
  /// speed.
  static std::size_t window_bytes(PackedTiles layout) {
    return std::max(std::size_t{32} << 20,
                    max_rhs_count * layout.padded() * sizeof(Complex));
  }
  /// As DeviceExchange.
  bool fits_graph() const { return others() == nullptr || others()->fits_graph(); }
  bool other_owners_failed() const {
    return others() != nullptr && others()->others_failed();
  }
  void let_other_owners_go() const {
    if (others() != nullptr) others()->let_others_go();
  }

  /// With vectors on the CPU, which travel: the placement `product`. One call at a time:
  /// the vectors on the GPU are this object's own. Throw Error{memory}.
  void apply(std::span<const Complex> x, std::span<Complex> y) const override;
  void apply_many(std::span<const Complex> x, std::span<Complex> y) const override;

  /// On which apply() works.
  const DeviceStream& stream() const { return stream_; }

 private:
  void apply_some(std::span<const Complex> x, std::span<Complex> y, int rhs_count) const;

  DeviceStream stream_;
  mutable DeviceBuffer<Complex> x_, y_;  // [rhs_count][padded]
};

}  // namespace thinwire
