#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/element/element.h"
#include "kernels/element/medium.h"
#include "mom/discretization/basis.h"

namespace thinwire {

/// Charges act up to this many radii of the thicker wire away along wires: beyond, the
/// proximity effect is weak, and its extent along the wires does not matter.
inline constexpr double window_radii = 10;
/// Length of the legs of a bend, in radii, whose charges act on each other.
inline constexpr double skew_radii = 16;

/// Returns 0 to 1 for two wires by the cosine of their angle: nearly parallel ones alone
/// have a proximity effect.
double angle_weight(double cosine);

/// The axis of an element seen along another: t along it, and across it.
struct AxisView {
  Vec3 start;  ///< of the axis, from the other's start
  double t;    ///< of the start
  double cosine;
  Vec3 across;  ///< change of the offset for each metre of the element

  AxisView(const Element& along, const Element& e)
      : start(e.start_m - along.start_m),
        t(dot(start, along.tangent)),
        cosine(dot(e.tangent, along.tangent)),
        across(e.tangent - cosine * along.tangent) {
    start = start - t * along.tangent;
  }
  /// Offset at distance s from the element's start.
  Vec3 offset(double s) const { return start + s * across; }
  /// Distance from the element's start at which it is t along the other.
  double at(double along) const { return (along - t) / cosine; }
};

/// A bend, and the elements of its straight legs for some radii from it.
struct Bend {
  const BasisFunction* function;
  double angle;  ///< by which the current turns
  double radius_m;
  double weight = 1;
  std::vector<std::uint32_t> leg[2] = {};
};

/// Which wires influence how charge and current are distributed around which, in a mesh
/// and a medium. Wires are elements with a function at either end, followed by their
/// images. Grids of wires, whose radii stand for a surface, are left out.
class ProximityNeighbours {
 public:
  /// The part of a wire beside another: distances t0 <= t1 along it.
  struct Beside {
    std::uint32_t wire;  ///< the other
    double t0, t1, min_distance_m;
  };
  /// A wire of the other leg of a bend.
  struct Skew {
    std::uint32_t wire;
    double weight = 0;
    bool operator<(const Skew& other) const { return wire < other.wire; }
  };

  ProximityNeighbours(std::span<const Element> elements, const Basis& basis,
                      Medium medium);

  /// Number of those that are no images.
  std::uint32_t real() const { return real_; }
  const Element& wire(std::uint32_t p) const { return wires_[p]; }
  std::uint32_t element(std::uint32_t p) const { return number_[p]; }
  /// Factor of the charges of an image, 1 of others.
  double factor(std::uint32_t p) const { return factor_[p]; }
  const std::vector<Bend>& bends() const { return bends_; }

  const std::vector<Beside>& beside(std::uint32_t p) const { return beside_[p]; }
  /// Ascending by wire.
  const std::vector<Skew>& skew(std::uint32_t p) const { return skew_[p]; }
  /// Wires whose charges may act on the harmonics around a real wire or those beside it,
  /// ascending; none where it has no proximity effect.
  const std::vector<std::uint32_t>& near(std::uint32_t p) const { return near_[p]; }

  /// A piece of a wire, t0_m to t1_m along it, and the distance of the nearest other.
  struct Panel {
    double t0_m, t1_m, nearest_m;
  };
  /// Returns pieces of a real wire beside others or near skew ones. They are no longer
  /// than the distance of wires beside them, or that from the nearest point where one of
  /// these ends, and than the distance of skew ones.
  std::vector<Panel> panels(std::uint32_t p) const;

 private:
  bool has_effect(std::uint32_t p) const {
    return !beside_[p].empty() || !skew_[p].empty();
  }
  double reach_m(std::uint32_t p, std::uint32_t q) const;
  double skew_distance(std::uint32_t p, double t0, double t1) const;
  bool joins_two(const BasisFunction& f) const;
  bool is_junction(std::uint32_t element, int end) const;
  void find_runs();
  void find_bends();
  double find_leg(Bend& bend, int side) const;
  void find_beside();
  void find_skew();
  void find_near();

  std::span<const Element> elements_;
  const Basis& basis_;
  std::vector<std::uint32_t> number_;  ///< of the element
  std::vector<double> factor_;
  std::vector<Element> wires_;
  std::uint32_t real_ = 0;
  std::vector<double> run_reach_m_;  ///< of the elements
  std::vector<Bend> bends_;
  std::vector<std::vector<Beside>> beside_;
  std::vector<std::vector<Skew>> skew_;
  std::vector<std::vector<std::uint32_t>> near_;
};

}  // namespace thinwire
