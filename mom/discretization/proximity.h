#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/element/element.h"
#include "kernels/element/medium.h"
#include "kernels/matrix/matrix_update.h"
#include "mom/discretization/basis.h"

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
/// At bends between two wires, the charges of either leg drive the harmonics around the
/// other, too, and an inductance in proportion to the radius is taken away at the node.
/// The result is real but for the factor j, symmetric and negative semidefinite for
/// uniform lines, whose potentials come out as in two dimensions.
class Proximity {
 public:
  /// Finds the stations. elements, basis: of one mesh in this medium; both must outlive
  /// this. Elements without a function at either end are passed over. Throws what the
  /// monitor does.
  Proximity(std::span<const Element> elements, const Basis& basis, Medium medium,
            const Monitor& monitor = {});

  bool empty() const { return slots_.empty(); }
  /// Returns the addition to Z at this wave number: each entry once, ordered by row and
  /// column.
  std::vector<MatrixUpdate> updates(double k_rad_per_m) const;
  /// The part of it that is due to currents, without charges.
  std::vector<MatrixUpdate> updates_of_currents(double k_rad_per_m) const;

 private:
  class Search;

  /// Two elements, q <= p: what their charges and currents, distributed as x^a on p and
  /// x^b on q (x from -1 to 1), add, [a][b]: -sum of w (B x^a)^T S (B x^b).
  struct Slot {
    std::uint32_t p, q;
    double distance_m;  ///< least between wires where they act
    std::array<double, 9> charge, current;
  };
  /// A contribution of a slot's 2 x 2 matrix to an update.
  struct Term {
    std::uint32_t update, slot, entry;
    double weight;
  };

  /// A bend, and the elements of its straight legs for some radii from it.
  struct Bend {
    const BasisFunction* function;
    double angle;  ///< by which the current turns
    double radius_m;
    double weight = 1;
    std::vector<std::uint32_t> leg[2] = {};
  };

  std::vector<MatrixUpdate> updates(double k_rad_per_m, bool of_charges) const;
  /// Finds the bends between two wires whose legs are long enough.
  void find_bends();
  /// Lists the elements of a leg, and returns its length in radii.
  double find_leg(Bend& bend, int side) const;
  /// True if a function joins two ends that meet no others.
  bool joins_two(const BasisFunction& f) const;
  /// Adds the inductance of bends.
  void add_bends();
  void list_terms();

  std::span<const Element> elements_;
  const Basis& basis_;
  std::vector<Bend> bends_;           ///< empty once the slots are filled
  std::vector<Slot> slots_;           ///< ordered by p, then q
  std::vector<MatrixUpdate> places_;  ///< rows and columns of the updates
  std::vector<Term> terms_;           ///< ordered by update
};

}  // namespace thinwire
