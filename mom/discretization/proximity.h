#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "kernels/base/monitor.h"
#include "kernels/element/element.h"
#include "kernels/element/medium.h"
#include "kernels/matrix/matrix_update.h"
#include "mom/discretization/basis.h"
#include "mom/discretization/proximity_stations.h"
#include "mom/discretization/shape_polynomials.h"

namespace thinwire {

/// The proximity effect as an addition to the impedance matrix (docs/theory/method.md):
/// charge and axial current are not uniform around close, nearly parallel wires.
///
/// The harmonics around a wire are local and are eliminated in cross-sections
/// (wire_harmonics.h) at stations along every wire that lies beside another:
///
///     Z_mn -= sum over stations of w [(j k eta / 2 pi) (B f_m)^T S (B f_n)
///                                     + (eta / (2 pi j k)) (B f_m')^T S (B f_n')].
///
/// B are the harmonics of the potential around the wires there, for charges along their
/// axes up to three distances away, and S is the share of the station's own wire in D^-1.
/// Sheaths change the D of charges. In conductors of finite conductivity S of the
/// currents is f + (3 S - 2 - S^2) f^2 + (S^2 - 2 S + 1) f^3, which is right to first
/// order where the skin depth is small (f = 1) and where it is large (f = 0); f is the
/// harmonics' amplitude around a single wire, of first order, over that around a perfect
/// conductor. Between wires less than 1.4 diameters apart, N = (S - 1) (S + 1 - 4 (D +
/// 1)^-1) is added, times 3.5 f^2 (1 - f)^2 / (2.5 - 1.5 f): S is then right at f = 1/2,
/// too, for harmonics of order m of the amplitude f / (f + m (1 - f)).
/// Grids of wires are left out (ProximityNeighbours). At bends between two wires, the
/// charges of either leg drive the harmonics around the other, too, and an inductance in
/// proportion to the radius is taken away at the node. Flat end faces are included
/// (end_faces.h). Without losses the result is real but for the factor j, symmetric and
/// negative semidefinite for uniform lines, whose potentials come out as in two
/// dimensions.
class Proximity {
 public:
  /// Finds the wires that it acts on. elements, basis: of one mesh in this medium; both
  /// must outlive this. materials: of the elements, or none where all are bare and
  /// perfect conductors. Elements without a function at either end are passed over.
  Proximity(std::span<const Element> elements, const Basis& basis, Medium medium,
            std::vector<WireMaterial> materials = {});
  ~Proximity();

  bool empty() const { return empty_; }
  /// True if the addition has a real part, which turns power to heat.
  bool has_losses() const { return !conductors_.empty(); }
  /// Returns about how many multiplications prepare() takes.
  double multiplications() const { return multiplications_; }
  /// Integrates at the stations, once; else what first needs it does. Throws what the
  /// monitor does.
  void prepare(const Monitor& monitor) const;
  /// Returns the addition to Z at this wave number: each entry once, ordered by row and
  /// column.
  std::vector<MatrixUpdate> updates(double k_rad_per_m) const {
    return updates(k_rad_per_m, true);
  }
  /// The part of it that is due to currents, without charges.
  std::vector<MatrixUpdate> updates_of_currents(double k_rad_per_m) const {
    return updates(k_rad_per_m, false);
  }

 private:
  class Search;

  using Form = PowerForm;
  /// Two elements, q <= p, and what their charges and currents add at stations on wires
  /// of one conductor: -sum of w (B x^a)^T S (B x^b).
  struct Slot {
    std::uint32_t p, q;
    std::uint32_t conductor;  ///< index into conductors_; from its size on: perfect
    double distance_m;        ///< least between wires where they act
    Form charge{}, current{};
  };
  /// -sum of w (B x^a)^T (B x^b), and with S^2 and N in between, of currents.
  struct LossForms {
    Form once{}, twice{}, close{};
  };
  struct Conductor {
    double radius_m, conductivity_s_per_m, relative_permeability;
    bool operator==(const Conductor&) const = default;
  };
  /// A contribution of a slot's 2 x 2 matrix to an update.
  struct Term {
    std::uint32_t update, slot, entry;
    double weight;
  };

  /// Sums over all stations, and the matrix entries to which they belong.
  struct Sums {
    std::vector<Slot> slots{};           ///< of each conductor, ordered by p, then q
    std::vector<LossForms> losses{};     ///< of the first slots; none without conductors
    std::vector<MatrixUpdate> places{};  ///< rows and columns of the updates
    std::vector<Term> terms{};           ///< ordered by update
  };

  std::vector<MatrixUpdate> updates(double k_rad_per_m, bool of_charges) const;
  void list_terms(Sums& sums) const;

  std::span<const Element> elements_;
  const Basis& basis_;
  mutable std::mutex preparing_;
  mutable std::unique_ptr<Search> search_;  ///< until sums_ are there
  mutable Sums sums_;
  std::vector<Conductor> conductors_;  ///< those that are not perfect
  double multiplications_;
  bool empty_;
};

}  // namespace thinwire
