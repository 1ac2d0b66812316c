#pragma once

#include <span>
#include <string>
#include <vector>

#include "kernels/matrix/matrix_update.h"
#include "mom/discretisation.h"
#include "mom/impedance_matrix.h"

namespace thinwire {

/// A run's loads at one frequency, as they act on the matrix.
///
/// Lumped loads (LD 0, 1, 4) act through the mean current of their segment, the very
/// functional of the port, so that a load on the port segment adds its impedance to the
/// port's exactly. Loads per metre (LD 2, 3, 5) act on the current along the segment.
class LoadModel {
 public:
  /// Throws Error{numeric} for a load whose impedance is not finite at this frequency.
  LoadModel(const Discretisation& where, std::span<const Load> loads,
            double frequency_hz);

  void add_to(ImpedanceMatrix& z) const;
  /// What add_to adds, each entry once, ordered by row and column.
  std::vector<MatrixUpdate> updates() const;

  /// Power turned to heat, watt, for peak currents.
  double loss_power_w(std::span<const Complex> coefficients) const;

  /// One line that names the first load beside which the antenna's own impedances vanish
  /// in rounding, over 1e12 ohm; empty where there is none.
  std::string too_large() const;

  bool empty() const { return lumped_.empty() && distributed_.empty(); }

 private:
  struct Lumped {
    std::size_t segment;
    std::vector<BasisWeight> mean_current;
    Complex impedance_ohm;
  };
  struct Distributed {
    std::size_t element;
    Complex impedance_ohm_per_m;
  };

  const Discretisation& where_;
  double frequency_hz_, k_rad_per_m_;
  std::vector<Lumped> lumped_;
  std::vector<Distributed> distributed_;
};

}  // namespace thinwire
