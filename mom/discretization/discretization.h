#pragma once

#include <complex>
#include <memory>
#include <span>
#include <vector>

#include "geometry/lattice.h"
#include "kernels/element/element.h"
#include "kernels/element/medium.h"
#include "mom/discretization/basis.h"
#include "mom/discretization/proximity.h"
#include "mom/problem/problem.h"

namespace thinwire {

/// A structure with its mesh and basis, and the functionals that tie NEC's segments to
/// the unknowns. What depends on frequency takes k as an argument.
class Discretization {
 public:
  /// lattice: of the structure, whose antennas `options` then mesh alike; null: none.
  /// Throws what WireMesh does.
  Discretization(const Structure& structure, const MeshOptions& options,
                 std::shared_ptr<const Lattice> lattice = nullptr,
                 const Monitor& monitor = {});

  const Structure& structure() const { return structure_; }
  /// Null where Z is to be made as a whole.
  const Lattice* lattice() const { return lattice_.get(); }
  const WireMesh& mesh() const { return mesh_; }
  const Basis& basis() const { return basis_; }
  const LargeVector<Element>& elements() const { return elements_; }
  std::size_t unknowns() const { return basis_.size(); }

  /// Includes the proximity effect in this medium, of elements of these materials (as
  /// Proximity takes them), from now on.
  void add_proximity(Medium medium, std::vector<WireMaterial> materials);
  /// Prepares what is included (Proximity::prepare).
  void prepare_proximity(const Monitor& monitor) const;
  /// Returns about how many multiplications that takes.
  double proximity_multiplications() const;
  /// Null if it is not included, or if no wires are close.
  const Proximity* proximity(Medium medium,
                             const std::vector<WireMaterial>& materials) const;

  /// Mean current over a NEC segment as a functional of the coefficients: the port
  /// current of NEC's EX 0, and, times the voltage, the excitation that goes with it.
  std::vector<BasisWeight> mean_current(std::size_t segment, double k_rad_per_m) const;

  /// Current at a gap, wherever on the segment, as such a functional; empty at a free
  /// end. A duplicate (wire_mesh.h) has that of the original.
  std::vector<BasisWeight> gap_current(std::size_t segment, Gap gap,
                                       double k_rad_per_m) const;

 private:
  const Structure& structure_;
  std::shared_ptr<const Lattice> lattice_;
  WireMesh mesh_;
  Basis basis_;
  LargeVector<Element> elements_;
  struct ProximityIn {
    Medium medium;
    std::vector<WireMaterial> materials;
    std::unique_ptr<Proximity> proximity;
  };
  const ProximityIn* find_proximity(Medium medium,
                                    const std::vector<WireMaterial>& materials) const;
  std::vector<ProximityIn> proximity_;
};

/// Returns NEC's segments, each as one element.
std::vector<Element> segments_of(const Structure& structure);

/// Currents and line charges at the centres of NEC's segments, at one frequency.
class SegmentCentres {
 public:
  SegmentCentres(const Discretization& where, double k_rad_per_m);

  /// Computes both from the coefficients of a solution, ampere and C/m, [segments].
  void evaluate(std::span<const Complex> coefficients, std::vector<Complex>& current_a,
                std::vector<Complex>& charge_c_per_m) const;

 private:
  /// Weights of the currents at the two ends of an element; charges by their imaginary
  /// part.
  struct Centre {
    std::size_t element;
    double current[2], charge_s_per_m[2];
  };
  const Basis& basis_;
  std::vector<Centre> centres_;
};

}  // namespace thinwire
