#pragma once

#include <memory>
#include <vector>

#include "cg/device_operator.h"
#include "cg/device_preconditioner.h"
#include "kernels/fft/fft.h"
#include "kernels/fft/half_spectra.h"
#include "kernels/fill/fill_input.h"
#include "mom/operators/device_loads.h"
#include "mom/operators/toeplitz_levels.h"
#include "mom/operators/toeplitz_operator.h"

namespace thinwire {

/// ToeplitzOperator on the current GPU. Displacements at which antennas are near are
/// computed on the CPU, and all of them over a real ground; others there, where spectra
/// and arrays are.
class DeviceToeplitzOperator final : public DeviceOperator {
 public:
  /// Throws what ToeplitzOperator does, Error{memory} and Error{device}.
  DeviceToeplitzOperator(LatticeBasis basis, const ToeplitzInput& input,
                         std::vector<MatrixUpdate> loads, const Monitor& monitor = {});

  std::size_t size() const override { return basis_.unknowns(); }
  /// One call at a time: the arrays are this object's own. Where there is no memory for
  /// arrays of several right-hand sides, each is multiplied alone.
  void multiply(const Complex* x, Complex* y, int rhs_count,
                const DeviceStream& stream) const override;
  /// Allocates the arrays: a graph holds no allocation.
  const SymvParts* parts(int rhs_count) const override {
    (void)rhs_at_once(rhs_count);
    return nullptr;
  }

  const LatticeBasis& basis() const { return basis_; }
  const ToeplitzGrid& grid() const { return grid_; }
  const std::vector<MatrixUpdate>& loads() const { return loads_; }
  std::span<const Complex> own_block() const { return own_block_; }
  /// LatticeBasis::number_of, on the GPU.
  const std::uint32_t* numbers() const { return numbers_.data(); }
  /// c of circulant_correction, from the spectra.
  std::vector<Complex> coarse_matrix(std::span<const Complex> mode) const;

  /// Rows of the product of Z, without loads, with x, [size()], on the GPU: by the rules
  /// of Z, `exact`, with each antenna where it is. What is near is computed on the CPU.
  /// Not over a real ground.
  std::vector<Complex> exact_rows(const FillInput& exact,
                                  std::span<const std::uint32_t> rows,
                                  std::span<const Complex> x,
                                  const Complex* x_on_device) const;

  /// On the GPU, the FFT's workspace included.
  std::size_t bytes() const;

 private:
  int rhs_at_once(int rhs_count) const;
  std::vector<std::uint32_t> near_antennas(std::size_t antenna) const;
  void fill_on_host(const ToeplitzInput& input, const Monitor& monitor);
  void fill(const ToeplitzInput& input, const Monitor& monitor);
  void fill_near(const ToeplitzInput& input, const Monitor& monitor);
  void transform(const Monitor& monitor);

  LatticeBasis basis_;
  ToeplitzGrid grid_;
  ToeplitzInput input_;
  std::vector<MatrixUpdate> loads_;
  std::vector<Complex> own_block_;
  std::vector<std::uint32_t> near_;  // displacements
  DeviceHalfSpectra half_;
  DeviceFft fft_;
  DeviceBuffer<Complex> spectra_;          // [functions][functions][half]
  mutable DeviceBuffer<Complex> array_;    // [right-hand sides][functions][points]
  mutable bool one_by_one_ = false;        // for want of memory
  DeviceBuffer<std::uint32_t> numbers_;    // [antennas][functions]
  DeviceBuffer<std::uint32_t> points_of_;  // of each antenna
  DeviceLoads device_loads_;
};

/// ToeplitzPreconditioner on the current GPU.
class DeviceToeplitzPreconditioner final : public DevicePreconditioner {
 public:
  /// z must outlive this. Throws what ToeplitzBlocks does, and Error{memory}.
  DeviceToeplitzPreconditioner(const DeviceToeplitzOperator& z, bool two_level);

  std::size_t size() const override { return z_.size(); }
  void multiply(const Complex* r, Complex* z, const DeviceStream& stream) const override;
  std::size_t bytes() const override;

 private:
  const DeviceToeplitzOperator& z_;
  bool two_level_;
  std::unique_ptr<DeviceFft> fft_;          // of the places; null without modes
  DeviceBuffer<Complex> inverses_;          // [kinds][functions][functions]
  DeviceBuffer<std::uint32_t> inverse_of_;  // of each antenna
  DeviceBuffer<std::uint32_t> place_of_;    // of each antenna
  DeviceBuffer<Complex> mode_, correction_, moments_;
};

}  // namespace thinwire
