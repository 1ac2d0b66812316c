#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace thinwire {

/// A round wire cut by a plane across it.
struct SectionWire {
  double x_m, y_m, radius_m;
};

/// Highest order of harmonics around any wire.
inline constexpr int max_harmonic_orders = 16;

/// Beyond this many radii of the thicker of two wires neither influences how charge and
/// current are distributed around the other.
inline constexpr double proximity_radii = 26;

/// Returns how strongly the distributions around two wires are coupled, 0 to 1: fully
/// from a twentieth of the radii between the surfaces to 18 radii between the axes, not
/// at all where the wires overlap and beyond proximity_radii.
double proximity_weight(double distance_m, double radius_m, double other_radius_m);

/// Beyond this many radii of the thicker of two wires the harmonics around them do not
/// act on each other.
inline constexpr double coupling_radii = 12;

/// Returns likewise how strongly the harmonics around two wires are coupled: fully up to
/// 9 radii, not at all beyond coupling_radii.
double harmonics_weight(double distance_m, double radius_m, double other_radius_m);

/// Returns the number of orders that leave about e^-12 of the proximity effect between
/// any two wires, from 1 to max_harmonic_orders.
int harmonic_orders(std::span<const SectionWire> wires);

/// Harmonics of charge (or axial current) around parallel wires, in two dimensions.
///
/// Wire p carries the surface density q / (2 pi a) + sum of (c_m cos m phi + s_m sin m
/// phi) / (pi a). Potentials are in units of 1 / (2 pi eps). The harmonics of the
/// potential on every wire vanish: D x + B q = 0, so that the mean potentials of the
/// wires are those of uniform charge minus B^T D^-1 B q. Rows are ordered by wire and
/// order, cos before sin.
class WireHarmonics {
 public:
  /// Wires must not overlap. self_factors, [wires][orders] or none: of the potentials
  /// that harmonics of charge cause around their own wire, 1 for a bare one.
  WireHarmonics(std::span<const SectionWire> wires, int orders,
                std::span<const double> self_factors = {});

  int orders() const { return orders_; }
  std::size_t rows() const { return rows_; }
  std::size_t row(std::size_t wire, int order) const {
    return 2 * (wire * static_cast<std::size_t>(orders_) + order - 1);
  }
  /// Adds the first rows of a column of D^-1, times a factor, to x.
  void add_response(std::size_t column, double factor, std::span<double> x) const {
    const double* const d = &inverse_[column * rows_];
    for (std::size_t i = 0; i < x.size(); ++i) x[i] += factor * d[i];
  }

 private:
  int orders_;
  std::size_t rows_;
  std::vector<double> inverse_;
};

/// Returns the factor of the potential that harmonics of that order around a wire cause
/// around it if it has a sheath: less than 1, because the sheath's polarization makes the
/// wire act on fields like a thicker one. ratio: of the sheath's radius to the wire's.
double sheath_self_factor(int order, double ratio, double relative_permittivity);

/// Adds to `drive`, [2 orders], the potential's harmonics around a wire of that radius
/// that a unit charge per metre at (x, y) from its axis causes, times factor[order - 1].
void add_harmonic_drive(double x_m, double y_m, double radius_m,
                        std::span<const double> factor, std::span<double> drive);

}  // namespace thinwire
