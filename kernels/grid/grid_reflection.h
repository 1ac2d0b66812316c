#pragma once

#include <array>
#include <memory>
#include <span>
#include <vector>

#include "kernels/base/monitor.h"
#include "kernels/fft/fft.h"
#include "kernels/grid/grid_spectrum.h"
#include "kernels/grid/grid_transfer.h"
#include "kernels/grid/smooth_reflection.h"
#include "kernels/grid/uniform_grid.h"
#include "kernels/grid/window.h"

namespace thinwire {

/// Heights between the lowest and the highest wire at which a grid's reflection is
/// computed. What is reflected is a smooth function f of the height in between, which the
/// grid's windows w along z represent there:
///     f(z) = sum_l w(z - z_l) sum_m weight[m][l] f(z_m),
/// and nothing is asked below the lowest wire, where kernels may be singular.
struct ReflectionLayers {
  double first_m, step_m;      ///< z_m = first + m step
  std::size_t count;           ///< of layers: 1 where all wires lie at one height
  std::vector<double> weight;  ///< [layers][nodes along z]

  ReflectionLayers(double low_m, double high_m, double wavelength_m,
                   const UniformGrid& grid, const SpreadingWindow& window);
  /// Returns `count` where the grid is not flat in z, without the rest.
  static std::size_t count_for(double low_m, double high_m, double wavelength_m,
                               double spacing_m);
  double last_m() const { return first_m + static_cast<double>(count - 1) * step_m; }
};

/// The reflection of a real ground between the currents and charges of a grid's data
/// nodes: for layers m and n a convolution in x and y with K(x, y, z_m + z_n), by
/// transforms in these two directions.
///
///     data nodes          --weights-->  layers                   --FFT-->  sum over n
///     [channel][x][y][z]                [channel][layer][x][y]             and back
class GridReflection {
 public:
  /// products: whether reflect() is wanted, or only a DeviceGridReflection. Throws
  /// Error{interrupted} where the monitor requests a stop; reports no progress.
  GridReflection(SmoothReflection kernel, const UniformGrid& grid,
                 const SplitKernel& split, const SpreadingWindow& window,
                 ReflectionLayers layers, std::vector<GridChannel> channels,
                 bool products, const Monitor& monitor);

  const SmoothReflection& kernel() const { return kernel_; }
  const ReflectionLayers& layers() const { return layers_; }

  /// Returns the layers' reflected potentials of `data`, [channels][data nodes].
  std::vector<Complex> reflect(std::span<const Complex> data) const;
  /// Adds these to data nodes.
  void add(std::span<const Complex> reflected, std::span<Complex> data) const;

  /// Kernels between channels: xx, yy, xy, zx, zy, zz, of charges.
  static constexpr int kinds = 7;
  static constexpr bool odd_in_x(int kind) { return kind == 2 || kind == 3; }
  static constexpr bool odd_in_y(int kind) { return kind == 2 || kind == 4; }
  /// The kind of kernel from channel `source` to channel `field`, and its sign; -1: none.
  struct Coupling {
    int kind = -1;
    double sign = 1;
  };
  Coupling coupling(GridChannel field, GridChannel source) const;
  const UniformGrid& grid() const { return grid_; }
  const std::vector<GridChannel>& channels() const { return channels_; }
  const SpectrumAxes& axes() const { return axes_; }
  /// The kinds that couple channels, ascending.
  const std::vector<int>& used() const { return used_; }
  /// The sums of two layers' heights, m.
  std::vector<double> heights() const;
  /// Indices of a half of each axis: the kernel is even or odd there.
  std::array<std::size_t, 2> stored() const { return stored_; }

  std::size_t bytes() const;

 private:
  void sample(std::size_t sum, double zeta_m);
  std::size_t box() const { return grid_.size[0] * grid_.size[1]; }

  SmoothReflection kernel_;
  UniformGrid grid_;
  ReflectionLayers layers_;
  std::vector<GridChannel> channels_;
  SpectrumAxes axes_;
  Fft fft_;
  std::array<std::size_t, 2> stored_{};
  std::vector<int> used_;
  /// [sums of two layers][stored x][stored y] of each kind; empty where not in use.
  std::array<std::vector<Complex>, kinds> spectrum_;
};

/// The kernels of all kinds at a node, of the samples along both axes.
struct ReflectionKinds {
  HdComplex of[GridReflection::kinds];
};
THINWIRE_HD inline ReflectionKinds blended_reflection(const SmoothReflectionView& kernel,
                                                      const SpectrumAxes::Sample& x,
                                                      const SpectrumAxes::Sample& y,
                                                      double zeta_m) {
  ReflectionKinds sum{};
  for (int corner = 0; corner < 4; ++corner) {
    const int a = corner & 1, b = corner >> 1;
    const double weight = x.weight[a] * y.weight[b];
    if (weight == 0) continue;
    const ReflectionTensor k = kernel.at(x.at_m[a], y.at_m[b], zeta_m);
    const HdComplex at[] = {k.xx, k.yy, k.xy, k.zx, k.zy, k.zz, k.phi};
    for (int kind = 0; kind < GridReflection::kinds; ++kind)
      sum.of[kind] += weight * at[kind];
  }
  return sum;
}

/// GridReflection on the current GPU, for the boxes of DeviceGridOperator: [channels][box
/// nodes] of complex doubles or singles. One call at a time: the layers are this object's
/// own.
class DeviceGridReflection {
 public:
  /// Makes spectra of its own. Throws Error{memory}.
  DeviceGridReflection(const GridReflection& host, DeviceFft::Numbers numbers,
                       const DeviceStream& stream);
  ~DeviceGridReflection();

  /// Takes the layers from the data nodes of `box`; convolves them; adds them to `box`.
  /// Each gives work to the stream and neither waits nor allocates.
  void gather(const void* box, const DeviceStream& stream) const;
  void convolve(const DeviceStream& stream) const;
  void add(void* box, const DeviceStream& stream) const;

  std::size_t bytes() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace thinwire
