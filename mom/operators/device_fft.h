#pragma once

#include <memory>
#include <vector>

#include "cg/device_operator.h"
#include "kernels/base/monitor.h"
#include "kernels/fill/fill.h"
#include "kernels/spmv/run_matrix.h"
#include "mom/operators/fft_operator.h"

namespace thinwire {

/// FftOperator on the current GPU: spectra and products there, the near field there or on
/// the CPU. Of several GPUs each has some channels of the grid and some rows of the near
/// field, and their products are added up:
///
///     GPU 0   spread, transform, interpolate J_x, J_y;    near rows 0 .. n/2 - 1   --+
///     GPU 1   spread, transform, interpolate J_z, charge; near rows n/2 .. n - 1 --+-->
///     y
class DeviceFftOperator final : public DeviceOperator {
 public:
  /// host: may go afterwards. numbers: of the grids; complex single leaves 1e-7 of the
  /// largest sums, on which residuals below 1e-6 would stagnate. others: the GPUs that
  /// share it, whose windows have window_bytes(); null: none. rough: whether there is a
  /// rough product beside one in double; without memory for it that is the other. Throws
  /// Error{memory}, Error{device} and what the monitor throws.
  DeviceFftOperator(const FftOperator& host, DeviceFft::Numbers numbers,
                    const Monitor& monitor = {}, DeviceExchange* others = nullptr,
                    bool rough = true);
  /// Takes another frequency's operator, of the same FftOperator::Order: its grid, near
  /// field and loads replace those at hand.
  void set_frequency(const FftOperator& host, const Monitor& monitor = {});
  /// Frees what only set_frequency() needs.
  void drop_places();
  ~DeviceFftOperator() override;

  std::size_t size() const override;
  DeviceExchange* others() const override { return others_; }
  /// One call at a time: grids and sums are this object's own. The same bits every time.
  void multiply(const Complex* x, Complex* y, int rhs_count,
                const DeviceStream& stream) const override;
  /// With grids in complex single, where those of multiply() are in double.
  double rough_error() const override;
  void multiply_roughly(const Complex* x, Complex* y, int rhs_count,
                        const DeviceStream& stream) const override;

  /// Returns the fill of the near field, of the functions in the host's order and without
  /// loads, for others that need entries; null where the host filled it.
  const DeviceFill* fill() const;
  /// Returns the entries of X on and below the diagonal, of the own rows.
  std::uint64_t near_entries() const;
  /// Returns the bytes of X and R as stored.
  std::size_t near_bytes() const;

  /// The near field's part of the last product once more, for measurements.
  void multiply_near(const DeviceStream& stream) const;
  std::size_t bytes() const;

 private:
  void multiply_by(const DeviceGridOperator* grid, const Complex* x, Complex* y,
                   int rhs_count, const DeviceStream& stream) const;

  struct Parts;
  std::unique_ptr<Parts> parts_;
  DeviceExchange* others_;
};

}  // namespace thinwire
