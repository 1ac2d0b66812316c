#pragma once

#include <memory>
#include <span>
#include <vector>

#include "cg/linear_operator.h"
#include "kernels/matrix/packed_tiles.h"

namespace thinwire {

/// The dense complex-symmetric impedance matrix, ohm: its lower triangle in tiles.
class ImpedanceMatrix : public LinearOperator {
 public:
  /// Throws Error{memory} when the tiles do not fit in the machine's free memory.
  explicit ImpedanceMatrix(std::size_t n);

  std::size_t size() const override { return layout_.n; }
  void apply(std::span<const Complex> x, std::span<Complex> y) const override;
  void apply_many(std::span<const Complex> x, std::span<Complex> y) const override;

  Complex at(std::size_t i, std::size_t j) const {
    return tiles()[PackedTiles::offset(i, j)];
  }
  /// Adds to Z_ij = Z_ji.
  void add(std::size_t i, std::size_t j, Complex value);

  /// The whole matrix, column-major [n][n].
  std::vector<Complex> dense() const;

  PackedTiles layout() const { return layout_; }
  /// The entries in tiles, not initialised before something fills them.
  std::span<Complex> tiles() {
    return {reinterpret_cast<Complex*>(storage_.get()), layout_.entries()};
  }
  std::span<const Complex> tiles() const {
    return {reinterpret_cast<const Complex*>(storage_.get()), layout_.entries()};
  }

  static std::size_t bytes(std::size_t n) {
    return PackedTiles{n}.entries() * sizeof(Complex);
  }

 private:
  PackedTiles layout_;
  // Plain doubles: std::complex would set every entry to zero first, on one thread.
  std::unique_ptr<double[]> storage_;
};

}  // namespace thinwire
