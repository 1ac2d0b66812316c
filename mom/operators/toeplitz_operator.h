#pragma once

#include <span>
#include <vector>

#include "kernels/base/monitor.h"
#include "kernels/element/medium.h"
#include "kernels/fft/fft.h"
#include "kernels/fill/fill_input.h"
#include "kernels/matrix/matrix_update.h"
#include "mom/operators/operator.h"
#include "mom/operators/toeplitz_grid.h"

namespace thinwire {

/// Parameters that the entries of Z depend on besides the geometry.
struct ToeplitzInput {
  double k_rad_per_m = 0;
  GreensKernel kernel = GreensKernel::exact;
  Medium medium;
  // As FillInput's: a real ground, or none.
  const GroundAt* ground = nullptr;
  const ReflectingSurface* surface = nullptr;

  /// The parameters of a fill.
  static ToeplitzInput of(const FillInput& fill) {
    return {fill.k_rad_per_m, fill.kernel, fill.medium, fill.ground, fill.surface};
  }
  bool over_real_ground() const { return ground != nullptr || surface != nullptr; }
};

/// Z of equal antennas on a lattice, without loads, each distinct block computed once:
/// the block of antenna 0 with antenna 0 displaced by d, for all displacements in the
/// half of ToeplitzGrid, by the rules of the fill (matrix_entries.h).
/// entries: [functions][functions][stride], entry [i][j] of displacement n at [i][j][n].
void fill_toeplitz_blocks(const LatticeBasis& basis, const ToeplitzGrid& grid,
                          const ToeplitzInput& input, std::size_t stride,
                          std::span<Complex> entries, const Monitor& monitor);

/// The block of antenna 0 with itself, [functions][functions], symmetric to the last bit;
/// on all threads.
std::vector<Complex> own_toeplitz_block(const LatticeBasis& basis,
                                        const ToeplitzInput& input);

/// The block of one displacement, not 0, [functions][functions]; on the calling thread.
std::vector<Complex> toeplitz_block(const LatticeBasis& basis, const ToeplitzInput& input,
                                    Vec3 displacement_m);

/// Numbers, ascending, of the displacements in ToeplitzGrid's half, without 0, at which
/// some element is near one of the displaced antenna or its image (quadrature_order.h).
std::vector<std::uint32_t> near_displacements(const LatticeBasis& basis,
                                              const ToeplitzGrid& grid,
                                              const ToeplitzInput& input);

/// Replaces the blocks, stride = grid.half().count(), by their spectra over the number of
/// points, as multiply_spectra takes them.
void transform_toeplitz_blocks(const ToeplitzGrid& grid, std::size_t functions,
                               std::span<Complex> entries, const Monitor& monitor);

/// The impedance matrix of equal antennas on a lattice, block Toeplitz: a product is a
/// convolution over the places, for each pair of functions, and is taken by Fourier
/// transforms over an array of twice the places (Barrowes, Teixeira and Kong 2001). To
/// rounding it is the product with the matrix of the same entries. Loads are sparse and
/// are added to it.
///
/// Over ground the steps have to be horizontal, so that what it reflects depends on the
/// displacement alone.
class ToeplitzOperator final : public Operator {
 public:
  /// loads: as LoadModel::updates(). Throws Error{geometry} for steps that are not
  /// horizontal over ground, Error{memory}, and what the monitor throws.
  ToeplitzOperator(LatticeBasis basis, const ToeplitzInput& input,
                   std::vector<MatrixUpdate> loads, const Monitor& monitor = {});

  std::size_t size() const override { return basis_.unknowns(); }
  /// One call at a time: the arrays are this object's own.
  void apply(std::span<const Complex> x, std::span<Complex> y) const override;

  std::string_view name() const override { return "toeplitz"; }
  std::unique_ptr<Preconditioner> make_preconditioner(
      PreconditionerChoice choice, const Monitor& monitor) const override;

  const LatticeBasis& basis() const { return basis_; }
  const ToeplitzGrid& grid() const { return grid_; }
  const std::vector<MatrixUpdate>& loads() const { return loads_; }
  /// As transform_toeplitz_blocks leaves them.
  std::span<const Complex> spectra() const { return spectra_; }
  /// The block of an antenna with itself, without loads, [functions * functions].
  std::span<const Complex> own_block() const { return own_block_; }

  /// Returns the bytes of spectra and arrays; loads are not counted.
  static std::size_t bytes(std::size_t functions, std::array<std::size_t, 3> places,
                           std::size_t antennas);

 private:
  LatticeBasis basis_;
  ToeplitzGrid grid_;
  Fft fft_;
  std::vector<MatrixUpdate> loads_;
  std::vector<Complex> spectra_;        // [functions][functions][half]
  std::vector<Complex> own_block_;      // [functions][functions]
  mutable std::vector<Complex> array_;  // [functions][points]
};

/// Throws Error{geometry} where an operator cannot be made over this ground.
void check_toeplitz_ground(const LatticeBasis& basis, const ToeplitzInput& input);

}  // namespace thinwire
