#pragma once

#include <memory>

#include "cg/device_operator.h"

namespace thinwire {

/// A matrix in tiles on the GPU, or on several, each with a share of the tiles: vectors
/// are whole on each, and what the shares give is added up at each product.
class TiledOperator final : public DeviceOperator {
 public:
  /// z and others, null where z has all tiles, must outlive this. Throws Error{memory}.
  explicit TiledOperator(const DeviceTiles& z, SymvSetting setting = {},
                         DeviceExchange* others = nullptr);
  std::size_t size() const override { return z_.layout().n; }
  /// The first product with several right-hand sides allocates memory: Error{memory}.
  void multiply(const Complex* x, Complex* y, int rhs_count,
                const DeviceStream& stream) const override;
  const SymvParts* parts(int rhs_count) const override;
  void first_pass(const Complex* x, int rhs_count, const int* skip,
                  const DeviceStream& stream) const override;

  DeviceExchange* others() const override { return others_; }
  const DeviceTiles& tiles() const { return z_; }

 private:
  DeviceSymv& symv(int rhs_count) const;

  const DeviceTiles& z_;
  SymvSetting setting_;
  DeviceExchange* others_;
  mutable DeviceSymv one_;
  mutable std::unique_ptr<DeviceSymv> four_;  ///< once wanted
};

}  // namespace thinwire
