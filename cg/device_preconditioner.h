#pragma once

#include "cg/preconditioner.h"
#include "kernels/device/device.h"

namespace thinwire {

struct PreconditionerBlocks;

/// A preconditioner whose vectors are on the GPU. To write one, give size(), multiply()
/// and bytes().
class DevicePreconditioner : public Preconditioner {
 public:
  /// z = M r; r, z: [size()], on the GPU, 16-byte aligned, may not alias. Gives work to
  /// the stream and neither waits nor allocates, so that a graph can hold it. One call at
  /// a time.
  virtual void multiply(const Complex* r, Complex* z,
                        const DeviceStream& stream) const = 0;
  /// The blocks of which M is made, where it is: kernels that apply them carry what a
  /// solver makes of z. Null: multiply() and kernels around it.
  virtual const PreconditionerBlocks* blocks() const { return nullptr; }
  /// On the GPU.
  virtual std::size_t bytes() const = 0;

  /// With vectors on the CPU, which travel: the placement `product`. One call at a time.
  void apply(std::span<const Complex> r, std::span<Complex> z) const override;

 private:
  DeviceStream stream_;
  mutable DeviceBuffer<Complex> r_, z_;
};

}  // namespace thinwire
