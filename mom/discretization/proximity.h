#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/element/element.h"
#include "kernels/element/medium.h"
#include "kernels/matrix/matrix_update.h"
#include "mom/discretization/basis.h"
#include "mom/discretization/shape_polynomials.h"

namespace thinwire {

/// Properties of a wire that the proximity effect depends on.
struct WireMaterial {
  double conductivity_s_per_m = 0;  ///< 0: perfect
  double relative_permeability = 1;
  double sheath_radius_m = 0;  ///< 0: none
  double sheath_permittivity = 1;

  bool operator==(const WireMaterial&) const = default;
};

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
/// conductor.
/// Grids of wires are left out (find_runs). At bends between two wires, the charges of
/// either leg drive the harmonics around the other, too, and an inductance in proportion
/// to the radius is taken away at the node. Flat end faces are included (end_faces.h).
/// Without losses the result is real but for the factor j, symmetric and negative
/// semidefinite for uniform lines, whose potentials come out as in two dimensions.
class Proximity {
 public:
  /// Finds the stations. elements, basis: of one mesh in this medium; both must outlive
  /// this. materials: of the elements, or none where all are bare and perfect conductors.
  /// Elements without a function at either end are passed over. Throws what the
  /// monitor does.
  Proximity(std::span<const Element> elements, const Basis& basis, Medium medium,
            std::span<const WireMaterial> materials = {}, const Monitor& monitor = {});

  bool empty() const { return slots_.empty(); }
  /// True if the addition has a real part, which turns power to heat.
  bool has_losses() const { return !conductors_.empty(); }
  /// Returns the addition to Z at this wave number: each entry once, ordered by row and
  /// column.
  std::vector<MatrixUpdate> updates(double k_rad_per_m) const;
  /// The part of it that is due to currents, without charges.
  std::vector<MatrixUpdate> updates_of_currents(double k_rad_per_m) const;

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
  /// -sum of w (B x^a)^T (B x^b), and with S^2 in between, of currents.
  struct LossForms {
    Form once{}, twice{};
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
  /// True if the end of an element meets two others or more.
  bool is_junction(std::uint32_t element, int end) const;
  /// Finds how far wires influence others: between junctions no farther than half their
  /// length. So the cells of wire grids, whose radii stand for a surface, do not.
  void find_runs();
  /// Adds the inductance of bends.
  void add_bends();
  /// Adds the charge of flat end faces (end_faces.h).
  void add_end_faces(Medium medium);
  void list_terms();

  const WireMaterial& material(std::size_t element) const;

  std::span<const Element> elements_;
  const Basis& basis_;
  std::span<const WireMaterial> materials_;
  std::vector<double> run_reach_m_;    ///< of the elements; empty once slots are filled
  std::vector<Bend> bends_;            ///< likewise
  std::vector<Conductor> conductors_;  ///< those that are not perfect
  std::vector<Slot> slots_;            ///< of each conductor, ordered by p, then q
  std::vector<LossForms> losses_;      ///< of the first slots; none without conductors
  std::vector<MatrixUpdate> places_;   ///< rows and columns of the updates
  std::vector<Term> terms_;            ///< ordered by update
};

}  // namespace thinwire
