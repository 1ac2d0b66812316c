#pragma once

#include <memory>

#include "cg/device_operator.h"

namespace thinwire {

/// A matrix in tiles on the GPU.
class TiledOperator final : public DeviceOperator {
 public:
  /// z must outlive this. Throws Error{memory}.
  explicit TiledOperator(const DeviceTiles& z, SymvSetting setting = {});

  std::size_t size() const override { return z_.layout().n; }
  /// Several sides take memory at their first product: Error{memory} there.
  void multiply(const Complex* x, Complex* y, int sides,
                const DeviceStream& stream) const override;
  const SymvParts* parts(int sides) const override;
  void first_pass(const Complex* x, int sides, const int* skip,
                  const DeviceStream& stream) const override;

  const DeviceTiles& tiles() const { return z_; }

 private:
  DeviceSymv& symv(int sides) const;

  const DeviceTiles& z_;
  SymvSetting setting_;
  mutable DeviceSymv one_;
  mutable std::unique_ptr<DeviceSymv> four_;  ///< once wanted
};

}  // namespace thinwire
