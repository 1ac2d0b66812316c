#pragma once

#include <compare>
#include <span>
#include <string>

#include "kernels/element/basis_function.h"
#include "kernels/element/element.h"
#include "kernels/element/medium.h"
#include "kernels/fill/fill_input.h"
#include "kernels/grid/grid_class.h"
#include "kernels/grid/uniform_grid.h"
#include "mom/problem/cpu_rates.h"

namespace thinwire {

/// Work of an FftOperator, predicted as counts of what CpuRates and GpuRates have rates
/// of.
struct GridWork {
  double product_bytes = 0;  ///< of a product
  double fill_bytes = 0;     ///< of the spectra
  double fill_entries = 0;   ///< of the near field and a ground's kernels
  double image_entries = 0;  ///< of the near field of a real ground's images
};

/// Rates that its work is divided by; the default is one thread of a CPU.
struct GridRates {
  double bytes_per_s = CpuRates().product_bytes_per_s;
  double entries_per_s = CpuRates().fill_entries_per_s;
  /// Those of a real ground's images, which CPU threads fill for a GPU, too.
  double image_entries_per_s = CpuRates().fill_entries_per_s;

  double seconds_of_product(const GridWork& work) const {
    return work.product_bytes / bytes_per_s;
  }
  double seconds_of_fill(const GridWork& work) const {
    return work.fill_bytes / bytes_per_s + work.fill_entries / entries_per_s +
           work.image_entries / image_entries_per_s;
  }
  auto operator<=>(const GridRates&) const = default;
};

/// Plan of an FftOperator, before any of it exists.
struct FftPlan {
  GridClass grid_class = grid_classes[0];
  double spacing_m = 0;
  UniformGrid grid;
  std::size_t channels = 0;
  double near_radius_m = 0;
  double near_entries_per_row = 0;  ///< of both halves; predicted from a sample
  double bytes = 0;                 ///< at most, set-up included
  double reflection_bytes = 0;      ///< of a real ground's layers and spectra on a GPU
  GridWork work;
  double seconds_per_product = 0;  ///< in a Plan, on its device
  // The input that it was made for.
  std::size_t elements = 0;
  double k_rad_per_m = 0;
  Medium medium;
  Complex ground_eps;
  GridRates rates;

  /// Whether it was made for so many elements, this medium and ground, and this wave
  /// number or one that is up to 5 % larger, so that the frequencies of a band have one
  /// grid. A real ground's permittivity changes with the frequency: it has a grid for
  /// each.
  bool serves(std::size_t count, double k, Medium around, Complex eps) const {
    return elements == count && k <= k_rad_per_m && k >= 0.95 * k_rad_per_m &&
           medium == around && ground_eps == eps;
  }

  /// "736 x 736 x 32 grid, spacing 0.2 m, near radius 1 m, 976 near entries a row".
  std::string text() const;
};

/// Input of the choice of the operator's grid.
struct FftPlanInput {
  std::span<const Element> elements;
  std::span<const BasisFunction> basis;
  double k_rad_per_m = 0;
  Medium medium;
  double tolerance = 1e-5;  ///< of Z, relative; its class, or the next one at resonance
  double free_bytes = 0;
  Complex ground_eps = 0;  ///< relative permittivity of a real ground; 0: none
  GridRates rates;         ///< that spacings are compared by
};

/// The permittivity of the real ground of a fill; 0: none.
Complex ground_eps_of(const FillInput& fill);

/// The cheapest spacing whose memory fits. Throws Error{usage} for a tolerance below
/// 1e-9 or for wires too thick for it, Error{memory} with need, free, and the spacing and
/// class that would fit, or the wire that makes the grid as large as it is and the cells
/// that it costs.
FftPlan plan_fft(const FftPlanInput& input);

/// Whether most antennas are about half a wave long, and most of these stand within 0.6
/// wavelengths of another: their resonance magnifies errors of Z, in large arrays some
/// thirty times, in the port impedances. A few of them before a large structure do not
/// count.
bool resonant_array(std::span<const Element> elements,
                    std::span<const BasisFunction> basis, double k_rad_per_m);

/// Returns the plan of one class and spacing, whether it fits in memory or not.
FftPlan plan_fft(const FftPlanInput& input, const GridClass& grid_class,
                 double spacing_m);

}  // namespace thinwire
