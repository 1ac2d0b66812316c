#pragma once

#include <span>
#include <string>
#include <vector>

#include "cg/impedance_matrix.h"
#include "kernels/matrix/matrix_update.h"
#include "mom/discretization/discretization.h"

namespace thinwire {

/// Returns the materials of the elements, as loads LD 5, LD 7 and IS give them; empty
/// without any.
std::vector<WireMaterial> wire_materials(const Discretization& discretization,
                                         std::span<const Load> loads);

/// A run's loads at one frequency, as they act on the matrix.
///
/// Lumped loads (LD 0, 1, 4) and traps (LD 6) act through the current of their gap (the
/// mean over the segment, or that in one end), the very functional of the port, so that a
/// load in the port's gap adds its impedance to the port's exactly. Loads per metre (LD
/// 2, 3, 5) act on the current along the segment.
///
/// Insulation (LD 7, IS) acts on the charge. In a sheath of permittivity eps the radial
/// field of the charge q per metre is q / (2 pi eps rho) instead of q / (2 pi eps0 rho),
/// outside it is what it was, so that the potential of the wire changes by
///
///     q ln(b / a) (1 / eps - 1 / eps0) / (2 pi),   q = -I' / (j omega)
///
/// (the polarisation currents of a thin sheath, Richmond and Newman 1976, Radio Science
/// 11, 13-20). It holds for b small beside the wavelength in the sheath. On wires in the
/// ground its complex permittivity stands in the place of eps0: what flows off through
/// the sheath, -I' a metre, is conduction and displacement together, and the sheath is in
/// series with the soil as in the coaxial line of an insulated antenna (King and Smith
/// 1981, Antennas in Matter). That holds for b small beside 1 / |k2|, too.
/// spread_sheaths (sheaths.h) lets it extend along the wire.
///
/// The proximity effect of the discretization (proximity.h) is among the updates.
class LoadModel {
 public:
  /// Throws Error{numeric} for a load whose impedance is not finite at this frequency.
  /// ground: what lies around elements below z = 0, where it takes wires.
  LoadModel(const Discretization& discretization, std::span<const Load> loads,
            double frequency_hz, const Ground& ground = Ground::none);

  void add_to(ImpedanceMatrix& z) const;
  /// Returns what add_to adds, each entry once, ordered by row and column.
  std::vector<MatrixUpdate> updates() const { return updates(true); }
  /// Returns the updates without those that act on charges.
  std::vector<MatrixUpdate> updates_of_currents() const { return updates(false); }

  /// True if there are loads.
  bool any() const { return !lumped_.empty() || !distributed_.empty(); }

  /// Power turned to heat, watt, for peak currents.
  double loss_power_w(std::span<const Complex> coefficients) const;

  /// One line that names the first load beside which the antenna's own impedances vanish
  /// in rounding, over 1e12 ohm; empty where there is none.
  std::string too_large() const;

 private:
  struct Lumped {
    std::size_t segment;
    std::vector<BasisWeight> current;
    Complex impedance_ohm;
  };
  struct Distributed {
    std::size_t element;
    Complex impedance_ohm_per_m;  ///< voltage per metre and ampere
    Complex elastance_ohm_m;      ///< voltage per ampere per metre that flows off
  };

  std::vector<MatrixUpdate> updates(bool of_charges) const;

  const Discretization& discretization_;
  double frequency_hz_, k_rad_per_m_;
  const Proximity* proximity_;         ///< null: none
  std::vector<MatrixUpdate> lossy_;    ///< of the proximity effect, if it has losses
  std::vector<MatrixUpdate> sheaths_;  ///< spread_sheaths
  std::vector<Lumped> lumped_;
  std::vector<Distributed> distributed_;
};

}  // namespace thinwire
