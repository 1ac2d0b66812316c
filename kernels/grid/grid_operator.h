#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "kernels/base/monitor.h"
#include "kernels/device/exchange.h"
#include "kernels/element/medium.h"
#include "kernels/fft/fft.h"
#include "kernels/grid/grid_reflection.h"
#include "kernels/grid/grid_spectrum.h"
#include "kernels/grid/grid_transfer.h"
#include "kernels/grid/off_plane.h"
#include "kernels/grid/split_kernel.h"

namespace thinwire {

/// All that a smooth sum on a grid depends on.
struct GridInput {
  std::span<const Element> elements;
  double k_rad_per_m = 0;
  Medium medium;
  GridClass grid_class = grid_classes[0];
  double spacing_m = 0;
  // As FillInput's: a real ground beside the medium, or none.
  const GroundAt* ground = nullptr;
  const ReflectingSurface* surface = nullptr;
  bool products = true;  ///< false: no apply(), for DeviceGridOperator to be made from
};

/// The smooth part of Z as a sum over a grid: for shape functions i of element p and j of
/// element q
///     (j k eta0 / 4 pi) sum_ab [(t_p . t_q) u_i u_j - u_i' u_j' / k^2] G_s(r_a - r_b)
/// over the Gauss points of grid_points.h, images in the ground and what a real ground
/// reflects included, by spreading to a uniform grid, an FFT convolution, and
/// interpolation with the same window, so that it is symmetric to rounding (particle-mesh
/// sums: Hockney and Eastwood 1988).
class GridOperator {
 public:
  /// elements must outlive this. Throws Error{numeric} where the class's near radius is
  /// too long for the wave (SplitKernel), and Error{interrupted} where the monitor
  /// requests a stop; reports no progress.
  explicit GridOperator(const GridInput& input, const Monitor& monitor = {});

  const UniformGrid& grid() const { return grid_; }
  const SplitKernel& kernel() const { return kernel_; }
  const GridTransfer& transfer() const { return transfer_; }
  const GridInput& input() const { return input_; }
  const SpreadingWindow& window() const { return window_; }
  /// Null without a real ground.
  const GridReflection* reflection() const { return reflection_.get(); }
  /// Returns a view of the points and kernels, valid as long as this object.
  SmoothView smooth_view() const;

  /// end_field = (the smooth part) end_current, volt; both [elements][2].
  void apply(std::span<const Complex> end_current, std::span<Complex> end_field) const;

  std::size_t bytes() const;

 private:
  std::unique_ptr<const GridReflection> make_reflection(const Monitor& monitor) const;
  void convolve(GridChannel channel, Complex* data, std::vector<Complex>& box) const;

  GridInput input_;
  UniformGrid grid_;
  SplitKernel kernel_;
  SpreadingWindow window_;
  GridTransfer transfer_;
  std::optional<GridSpectrum> direct_, image_;
  std::unique_ptr<const GridReflection> reflection_;
  std::optional<OffPlane> off_plane_;
  Fft fft_;
};

/// GridOperator on the current GPU, to rounding the same in double, with any number of
/// calls the same bits: every node of the grid is summed by one thread over its points in
/// ascending order.
class DeviceGridOperator {
 public:
  /// From the host's points, spectra its own. complex_single: grids and spectra in
  /// single, for classes down to 1e-6. share: the channels whose fields it sums, one at
  /// least. Throws Error{memory}.
  DeviceGridOperator(const GridOperator& host, DeviceFft::Numbers numbers,
                     const DeviceStream& stream, OwnerShare share = {});
  /// Makes spectra in complex single and shares all else with `in_double`, the grids,
  /// too: only one of the two may be called at a time.
  DeviceGridOperator(const GridOperator& host, const DeviceGridOperator& in_double,
                     const DeviceStream& stream);
  ~DeviceGridOperator();

  /// end_field = (the smooth part) end_current; [elements][2] on the GPU, may not alias.
  /// Gives work to the stream and neither waits nor allocates. One call at a time: the
  /// grids are this object's own.
  void apply(const Complex* end_current, Complex* end_field,
             const DeviceStream& stream) const;

  /// The steps of apply, for measurements: P, F, P^T.
  void spread(const Complex* end_current, const DeviceStream& stream) const;
  void convolve(const DeviceStream& stream) const;
  void interpolate(Complex* end_field, const DeviceStream& stream) const;

  /// On the GPU, as GridPoints has them.
  const GridPoint* points() const;
  const std::size_t* first_point() const;
  std::size_t bytes() const;

 private:
  struct Grids;
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

/// The sign with which the image of a channel acts: the current across the ground turns
/// round, that towards it does not, and a mirrored charge has the opposite sign.
THINWIRE_HD inline double image_sign(GridChannel channel) {
  return channel == GridChannel::z ? 1.0 : -1.0;
}

/// Whether the wires' radii count on this grid.
bool grid_sees_tubes(std::span<const Element> elements, double spacing_m,
                     const GridClass& grid_class);

}  // namespace thinwire
