#pragma once

#include <algorithm>
#include <memory>

#include "cg/device_operator.h"
#include "kernels/device/exchange.h"

namespace thinwire {

/// A matrix in tiles on the GPU, or on several, each with a share of the tiles: vectors
/// are whole on each, and what the shares give is added up at each product.
class TiledOperator final : public DeviceOperator {
 public:
  /// z and others, null where z has all tiles, must outlive this. Throws Error{memory}.
  explicit TiledOperator(const DeviceTiles& z, SymvSetting setting = {},
                         DeviceExchange* others = nullptr);
  /// Bytes of an exchange's windows, of which each owner has two: the products of
  /// max_rhs_count, and pieces of panels of factors that travel at full speed.
  static std::size_t window_bytes(PackedTiles layout) {
    return std::max(std::size_t{32} << 20,
                    max_rhs_count * layout.padded() * sizeof(Complex));
  }

  std::size_t size() const override { return z_.layout().n; }
  /// The first product with several right-hand sides allocates memory: Error{memory}.
  void multiply(const Complex* x, Complex* y, int rhs_count,
                const DeviceStream& stream) const override;
  const SymvParts* parts(int rhs_count) const override;
  void first_pass(const Complex* x, int rhs_count, const int* skip,
                  const DeviceStream& stream) const override;

  int owners() const override { return others_ == nullptr ? 1 : others_->owners(); }
  std::size_t min_of_owners(std::size_t value) const override;
  bool fits_graph() const override { return others_ == nullptr || others_->fits_graph(); }
  bool other_owners_failed() const override {
    return others_ != nullptr && others_->others_failed();
  }
  void let_other_owners_go() const override {
    if (others_ != nullptr) others_->let_others_go();
  }

  const DeviceTiles& tiles() const { return z_; }
  DeviceExchange* others() const { return others_; }

 private:
  DeviceSymv& symv(int rhs_count) const;

  const DeviceTiles& z_;
  SymvSetting setting_;
  DeviceExchange* others_;
  mutable DeviceSymv one_;
  mutable std::unique_ptr<DeviceSymv> four_;  ///< once wanted
};

}  // namespace thinwire
