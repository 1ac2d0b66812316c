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

/// What the proximity effect adds to the impedance matrix (docs/theory/method.md): charge
/// and axial current that are not uniform around close, nearly parallel wires.
///
/// The harmonics around a wire are local and are eliminated in cross-sections
/// (wire_harmonics.h) at stations along every wire that lies beside another:
///
///     Z_mn -= sum over stations of w [(j k eta / 2 pi) (B f_m)^T S (B f_n)
///                                     + (eta / (2 pi j k)) (B f_m')^T S (B f_n')].
///
/// B are the harmonics of the potential around the wires there, for charges along their
/// axes up to three distances away, and S is the share of the station's own wire in D^-1.
/// The result is real but for the factor j, symmetric and negative semidefinite for
/// uniform lines, whose potentials come out as in two dimensions.
class Proximity {
 public:
  /// Finds the stations. elements, basis: of one mesh; both must outlive this. Elements
  /// without a function at either end are passed over, and so are those below z = 0
  /// without an image there. Throws what the monitor does.
  Proximity(std::span<const Element> elements, const Basis& basis, Medium medium,
            const Monitor& monitor = {});

  bool empty() const { return stations_.empty(); }
  std::size_t stations() const { return stations_.size(); }
  /// What is added to Z at this wave number, each entry once, ordered by row and column.
  std::vector<MatrixUpdate> updates(double k_rad_per_m) const;
  /// The part of it that is due to currents, without charges.
  std::vector<MatrixUpdate> updates_of_currents(double k_rad_per_m) const;

 private:
  class Search;

  struct Station {
    double weight_m;    ///< of the quadrature along the wire
    double distance_m;  ///< of the nearest other wire
  };
  /// An element as it acts at a station. Moments refer to the point `at_m` from its
  /// start.
  struct Source {
    std::uint32_t element;
    double at_m;
    double charge, current;  ///< signs and cosine that its charge and current act with
  };
  /// Two sources of one station, q <= p of the elements.
  struct Pair {
    std::uint32_t station, p, q;
    std::uint32_t slot;
    /// -mu_a(p)^T S mu_b(q) of the moments a, b = 0, 1, 2 about those points.
    std::array<double, 9> form;
  };
  /// A contribution of a slot's 2 x 2 matrix to an update.
  struct Term {
    std::uint32_t update, slot, entry;
    double weight;
  };

  std::vector<MatrixUpdate> updates(double k_rad_per_m, bool of_charges) const;
  void order_pairs();
  void list_terms();

  std::span<const Element> elements_;
  const Basis& basis_;
  std::vector<Station> stations_;
  std::vector<Source> sources_;
  std::vector<Pair> pairs_;              ///< ordered by slot
  std::vector<std::size_t> slot_first_;  ///< [slots + 1] into pairs_
  std::vector<MatrixUpdate> places_;     ///< rows and columns of the updates
  std::vector<Term> terms_;              ///< ordered by update
};

}  // namespace thinwire
