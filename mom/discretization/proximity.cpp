#include "mom/discretization/proximity.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "geometry/close_wires.h"
#include "geometry/structure.h"
#include "kernels/base/constants.h"
#include "kernels/base/parallel.h"
#include "kernels/base/quadrature.h"
#include "kernels/element/close_pairs.h"
#include "kernels/element/wire_harmonics.h"

namespace thinwire {
namespace {

/// Charges act up to this many distances between the wires away along them. A wire that
/// goes on after a bend is beyond it: angles have a smaller tangent.
constexpr double window = 3;
/// ... and no farther than this many radii of the thicker wire: beyond, the effect is
/// weak, and its extent along the wires does not matter.
constexpr double window_radii = 10;
constexpr double min_cosine = 0.9510565;   // 18 degrees
constexpr double full_cosine = 0.9781476;  // 12 degrees
/// Length of the legs of a bend, in radii, whose charges act on each other.
constexpr double skew_radii = 16;
/// Added to the square of their distance, in squared radii (mean of both wires). This and
/// the next two give bends the capacitance and inductance of surface meshes
/// (docs/theory/method.md).
constexpr double skew_soft = 0.28;
/// Inductance that a bend takes away, in mu / (2 pi) radii, for one radian, and the power
/// of the angle by which it grows.
constexpr double bend_inductance = 0.55, bend_power = 1.75;
constexpr double min_bend = 0.1;  ///< smaller angles (radians) are left out

/// The correction is that of statics: full up to 0.5 of k distance, none from 1 on.
double static_weight(double k_distance) {
  const double x = std::clamp(2 * (1 - k_distance), 0.0, 1.0);
  return x * x * (3 - 2 * x);
}

double angle_weight(double cosine) {
  const double x =
      std::clamp((std::fabs(cosine) - min_cosine) / (full_cosine - min_cosine), 0.0, 1.0);
  return x * x * (3 - 2 * x);
}

/// Returns the weight of the charges on the other leg of a bend: full for bends by 18 to
/// 145 degrees, none below 12 and above 160, where the legs run into each other. cosine:
/// of the angle by which the current turns.
double bend_weight(double cosine) {
  if (cosine > 0) return 1 - angle_weight(cosine);
  constexpr double sharpest = -0.9396926, full = -0.8191520;
  const double x = std::clamp((cosine - sharpest) / (full - sharpest), 0.0, 1.0);
  return x * x * (3 - 2 * x);
}

/// Returns the weight of a bend: none where a leg is two radii long, full from three on.
double leg_weight(double radii) {
  const double x = std::clamp(radii - 2, 0.0, 1.0);
  return x * x * (3 - 2 * x);
}

/// Integral of (1 - x^2)^n from 0 to x.
double kernel_integral(int n, double x) {
  const GaussRule rule = gauss_rule(n + 1);
  double sum = 0;
  for (int g = 0; g < rule.points; ++g) {
    const double at = 0.5 * x * (1 + rule.node[g]);
    sum += 0.5 * x * rule.weight[g] * std::pow(1 - at * at, n);
  }
  return sum;
}

/// Returns the weight of bends at wires that lie beside others: full from half a mean
/// radius between the surfaces, none below a fifth. In between the response of the
/// harmonics grows without limit. distance: of the axes, over the sum of the radii.
double apart_weight(double distance) {
  const double x = std::clamp((distance - 1.1) / 0.15, 0.0, 1.0);
  return x * x * (3 - 2 * x);
}

/// The part of an element beside another: distances t0 <= t1 along the other.
struct Beside {
  double t0, t1, min_distance_m;
};

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

Segment segment_of(const Element& e) {
  return {e.start_m, e.start_m + e.length_m * e.tangent};
}

/// Whether q lies beside a part of p, close enough and not on p's line.
bool lies_beside(const Element& p, const Element& q, Beside& beside) {
  if (std::fabs(dot(p.tangent, q.tangent)) <= min_cosine) return false;
  const AxisView view(p, q);
  const double end = view.t + view.cosine * q.length_m;
  beside.t0 = std::max(0.0, std::min(view.t, end));
  beside.t1 = std::min(p.length_m, std::max(view.t, end));
  if (beside.t1 - beside.t0 <= 1e-9 * p.length_m) return false;
  const double s0 = view.at(beside.t0), s1 = view.at(beside.t1),
               distances[] = {norm(view.offset(s0)), norm(view.offset(s1))};
  const double a2 = dot(view.across, view.across),
               nearest = a2 > 1e-24 ? -dot(view.start, view.across) / a2 : s0;
  beside.min_distance_m =
      norm(view.offset(std::clamp(nearest, std::min(s0, s1), std::max(s0, s1))));
  return beside.min_distance_m < proximity_radii * std::max(p.radius_m, q.radius_m) &&
         std::max(distances[0], distances[1]) > p.radius_m + q.radius_m;
}

/// The two shape functions and their derivatives (1/m) as polynomials 1, x, x^2 on an
/// element, x from -1 to 1: least squares, 1e-2 of the value at an element a fifth of a
/// wavelength long and 2e-4 at a twentieth.
struct ShapePolynomials {
  std::array<double, 3> current[2], charge[2];

  ShapePolynomials(double length_m, double k) {
    // Legendre series of cos hx and sin hx by spherical Bessel functions.
    const double h = 0.5 * k * length_m, h2 = h * h, s = std::sin(h), c = std::cos(h);
    const double j0 = 1 - h2 / 6 * (1 - h2 / 20 * (1 - h2 / 42 * (1 - h2 / 72)));
    const double j1 = h / 3 * (1 - h2 / 10 * (1 - h2 / 28 * (1 - h2 / 54)));
    const double j2 = h2 / 15 * (1 - h2 / 14 * (1 - h2 / 36 * (1 - h2 / 66)));
    const double cosine[] = {j0 + 2.5 * j2, -7.5 * j2}, sine = 3 * j1;
    for (int end = 0; end < 2; ++end) {
      const double sign = end == 0 ? -1 : 1, odd = 0.5 * sign / s, even = 0.5 / c;
      current[end] = {even * cosine[0], odd * sine, even * cosine[1]};
      const double slope = 2 * h / length_m;
      charge[end] = {slope * odd * cosine[0], -slope * even * sine,
                     slope * odd * cosine[1]};
    }
  }
};

}  // namespace

/// Finds stations, and what acts at them.
class Proximity::Search {
 public:
  Search(Proximity& result, Medium medium) : result_(result) {
    const auto elements = result.elements_;
    for (int s = 0; s < medium.sources(); ++s)
      for (std::uint32_t e = 0; e < elements.size(); ++e) {
        if (result.basis_.at(e, 0).empty() && result.basis_.at(e, 1).empty()) continue;
        number_.push_back(e);
        factor_.push_back(medium.factor(s));
        wires_.push_back(medium.source(elements[e], s));
        if (s == 0) ++real_;
      }
  }

  void run(const Monitor& monitor) {
    find_pairs();
    find_skew();
    monitor.check();
    if (std::all_of(beside_.begin(), beside_.end(),
                    [](const auto& of) { return of.empty(); }) &&
        std::all_of(skew_.begin(), skew_.end(),
                    [](const auto& of) { return of.empty(); }))
      return;
    std::vector<Vec3> centre;
    std::vector<double> reach;
    for (const Element& e : wires_) {
      centre.push_back(centre_of(e));
      reach.push_back(0.5 * e.length_m);
    }
    const ReachIndex index(centre, reach);
    std::vector<Found> found(real_);
    for_each_parallel(real_, [&](std::size_t p) {
      if (!monitor.stopped())
        find_stations(static_cast<std::uint32_t>(p), index, found[p]);
    });
    monitor.check();
    join(found);
  }

 private:
  /// A wire of the other leg of a bend.
  struct Skew {
    std::uint32_t wire;
    double weight = 0;
    bool operator<(const Skew& other) const { return wire < other.wire; }
  };
  struct Partner {
    std::uint32_t wire;
    Beside part;
  };
  /// Forms of pairs of elements, q <= p, in any order.
  using Found = std::vector<Slot>;
  /// Wires through the plane of a station whose harmonics count there, its own first.
  struct Section {
    std::vector<std::uint32_t> wire;
    std::vector<Vec3> offset_m;  ///< of their axes from that of the station's wire
    std::vector<SectionWire> at;
    std::vector<WireHarmonics> harmonics;                        ///< one, once made
    double nearest_m = std::numeric_limits<double>::infinity();  ///< of all wires beside
    double apart = 1;  ///< weight of wires at an angle
  };

  void find_pairs() {
    beside_.resize(real_);
    std::vector<Vec3> centre;
    std::vector<double> reach;
    for (const Element& e : wires_) {
      centre.push_back(centre_of(e));
      reach.push_back(0.5 * e.length_m + proximity_radii * e.radius_m);
    }
    Beside beside;
    const ElementPairs pairs =
        close_pairs(centre, centre, reach, [&](std::uint32_t p, std::uint32_t q) {
          Beside unused;
          return q < real_ && p != q &&
                 (lies_beside(wires_[q], wires_[p], unused) ||
                  (p < real_ && lies_beside(wires_[p], wires_[q], unused)));
        });
    for (std::uint32_t p = 0; p < wires_.size(); ++p)
      for (const std::uint32_t q : pairs.of(p)) {
        if (lies_beside(wires_[q], wires_[p], beside)) beside_[q].push_back({p, beside});
        if (p < real_ && lies_beside(wires_[p], wires_[q], beside))
          beside_[p].push_back({q, beside});
      }
  }

  /// Lists the wires at an angle that act on each: those of the two legs of a bend, on
  /// each other.
  void find_skew() {
    skew_.resize(wires_.size());
    std::vector<std::uint32_t> place(result_.elements_.size());
    for (std::uint32_t i = 0; i < real_; ++i) place[number_[i]] = i;
    for (const Bend& bend : result_.bends_) {
      const double weight = bend.weight * bend_weight(std::cos(bend.angle));
      if (weight == 0) continue;
      for (const int side : {0, 1})
        for (const std::uint32_t p : bend.leg[side])
          for (const std::uint32_t q : bend.leg[1 - side])
            for (std::uint32_t s = 0; s < wires_.size(); s += real_)
              skew_[s + place[p]].push_back({s + place[q], weight});
    }
    for (auto& of : skew_) {
      std::sort(of.begin(), of.end());
      of.erase(std::unique(of.begin(), of.end(),
                           [](const Skew& a, const Skew& b) { return a.wire == b.wire; }),
               of.end());
    }
  }

  /// Calls panel(t0, t1, distance) for pieces of wire p beside others or near `skew`
  /// ones. They are no longer than the distance of wires beside them, or that from the
  /// nearest point where one of these ends, and than the distance of skew ones.
  template <class Panel>
  void for_panels(std::uint32_t p, const std::vector<Skew>& skew,
                  const Panel& panel) const {
    std::vector<double> cuts;
    const double length = wires_[p].length_m;
    if (!skew.empty()) cuts = {0, length};
    for (const Partner& q : beside_[p]) {
      cuts.push_back(q.part.t0);
      cuts.push_back(q.part.t1);
    }
    std::sort(cuts.begin(), cuts.end());
    for (std::size_t c = 0; c + 1 < cuts.size(); ++c) {
      if (cuts[c + 1] - cuts[c] <= 1e-9 * length) continue;
      const double middle = 0.5 * (cuts[c] + cuts[c + 1]);
      double distance = std::numeric_limits<double>::infinity();
      for (const Partner& q : beside_[p])
        if (q.part.t0 < middle && middle < q.part.t1)
          distance =
              std::min(distance, std::max(q.part.min_distance_m,
                                          wires_[p].radius_m + wires_[q.wire].radius_m));
      const Interval whole = {cuts[c], cuts[c + 1]};
      bisect(
          whole, whole, distance,
          [&](Interval piece) { return skew_distance(p, skew, piece); }, panel);
    }
  }

  struct Interval {
    double t0, t1;
  };
  template <class SkewDistance, class Panel>
  static void bisect(Interval piece, Interval whole, double distance,
                     const SkewDistance& skew_distance, const Panel& panel) {
    const double length = piece.t1 - piece.t0,
                 away = std::min(piece.t0 - whole.t0, whole.t1 - piece.t1),
                 skew = skew_distance(piece), nearest = std::min(distance, skew);
    if (nearest == std::numeric_limits<double>::infinity()) return;
    // The factor is none that lengths in proportion to distances meet exactly.
    constexpr double tolerated = 1.0137;
    if (length <= tolerated * std::min(std::max(distance, away), skew))
      return panel(piece.t0, piece.t1, nearest);
    const double middle = 0.5 * (piece.t0 + piece.t1);
    bisect({piece.t0, middle}, whole, distance, skew_distance, panel);
    bisect({middle, piece.t1}, whole, distance, skew_distance, panel);
  }

  /// Least distance of a piece of wire p from skew wires, half a radius at least;
  /// infinite where none acts.
  double skew_distance(std::uint32_t p, const std::vector<Skew>& skew,
                       Interval piece) const {
    const Element& wire = wires_[p];
    const Segment part = {wire.start_m + piece.t0 * wire.tangent,
                          wire.start_m + piece.t1 * wire.tangent};
    double least = skew_radii * wire.radius_m;
    bool any = false;
    for (const Skew& q : skew) {
      const double distance = segment_distance(part, segment_of(wires_[q.wire]));
      any = any || distance < least;
      least = std::min(least, distance);
    }
    return any ? std::max(least, 0.5 * wire.radius_m)
               : std::numeric_limits<double>::infinity();
  }

  void find_stations(std::uint32_t p, const ReachIndex& index, Found& found) const {
    const Element& wire = wires_[p];
    double farthest = 0;
    for (const Partner& q : beside_[p])
      farthest = std::max(
          farthest, proximity_radii * std::max(wire.radius_m, wires_[q.wire].radius_m));
    const std::vector<Skew>& skew = skew_[p];
    if (beside_[p].empty() && skew.empty()) return;
    std::vector<std::uint32_t> near;
    index.visit_reaching(
        0, centre_of(wire), 0.5 * wire.length_m + std::hypot(1.0, window) * farthest,
        [&](std::uint32_t q) {
          if (std::fabs(dot(wires_[q].tangent, wire.tangent)) > min_cosine)
            near.push_back(q);
        });
    const auto add_skew = [&](std::uint32_t q) {
      for (const Skew& other : skew_[q]) near.push_back(other.wire);
    };
    add_skew(p);
    if (!skew.empty())
      for (const Partner& q : beside_[p]) add_skew(q.wire);
    std::sort(near.begin(), near.end());
    near.erase(std::unique(near.begin(), near.end()), near.end());
    Vec3 x = cross(wire.tangent,
                   std::fabs(wire.tangent.z) < 0.5 ? Vec3{0, 0, 1} : Vec3{1, 0, 0});
    x = (1 / norm(x)) * x;
    const Vec3 y = cross(wire.tangent, x);
    Section section;
    Forms forms(near.size());
    for_panels(p, skew, [&](double t0, double t1, double distance) {
      const double length = t1 - t0;
      const GaussRule rule = gauss_rule(length < 0.2437 * distance  ? 1
                                        : length < 0.987 * distance ? 2
                                                                    : 3);
      for (int g = 0; g < rule.points; ++g)
        add_station({p, x, y, 0.5 * (t0 + t1 + rule.node[g] * length),
                     0.5 * rule.weight[g] * length, !skew.empty()},
                    near, section, forms);
    });
    found = std::move(forms.slots);
  }

  /// Forms of pairs of the elements near a wire.
  struct Forms {
    explicit Forms(std::size_t count) : near(count), number(count * count, -1) {}

    Slot& of(std::size_t i, std::size_t j) {
      std::int32_t& at = number[i * near + j];
      if (at < 0) {
        at = static_cast<std::int32_t>(slots.size());
        slots.push_back({0, 0, std::numeric_limits<double>::infinity(), {}, {}});
      }
      return slots[at];
    }

    std::size_t near;
    std::vector<std::int32_t> number;
    Found slots;
  };

  struct Place {
    std::uint32_t wire;
    Vec3 x, y;  ///< unit vectors across it
    double t_m, weight_m;
    bool near_skew;  ///< whether wires at an angle are near
  };

  /// Makes the section at a place; keeps the harmonics of the last one where it is alike.
  void cut(const Place& place, Section& section) const {
    const Element& wire = wires_[place.wire];
    Section now;
    const auto add = [&](std::uint32_t q, Vec3 offset) {
      const SectionWire at = {dot(offset, place.x), dot(offset, place.y),
                              wires_[q].radius_m};
      for (const SectionWire& other : now.at)
        if (std::hypot(at.x_m - other.x_m, at.y_m - other.y_m) <=
            at.radius_m + other.radius_m)
          return;
      now.wire.push_back(q);
      now.offset_m.push_back(offset);
      now.at.push_back(at);
    };
    add(place.wire, {0, 0, 0});
    for (const Partner& q : beside_[place.wire])
      if (q.part.t0 <= place.t_m && place.t_m < q.part.t1) {
        const AxisView view(wire, wires_[q.wire]);
        const Vec3 offset = view.offset(view.at(place.t_m));
        const double distance = norm(offset), radius = wires_[q.wire].radius_m;
        if (proximity_weight(distance, wire.radius_m, radius) == 0) continue;
        now.nearest_m = std::min(now.nearest_m, distance);
        now.apart =
            std::min(now.apart, apart_weight(distance / (wire.radius_m + radius)));
        if (harmonics_weight(distance, wire.radius_m, radius) > 0) add(q.wire, offset);
      }
    const bool alike =
        !section.harmonics.empty() &&
        std::equal(now.at.begin(), now.at.end(), section.at.begin(), section.at.end(),
                   [](const SectionWire& a, const SectionWire& b) {
                     return a.radius_m == b.radius_m &&
                            std::hypot(a.x_m - b.x_m, a.y_m - b.y_m) < 1e-9 * a.radius_m;
                   });
    if (alike)
      now.harmonics = std::move(section.harmonics);
    else
      now.harmonics.emplace_back(now.at, harmonic_orders(now.at));
    section = std::move(now);
  }

  /// Harmonics driven by a charge distributed as 1, x, x^2 over an element, x from -1
  /// to 1.
  struct Drive {
    std::uint32_t near;             ///< index into the elements near
    std::vector<double> potential;  ///< [3][rows]
    bool of_currents;               ///< whether currents drive likewise
  };

  void add_station(const Place& place, const std::vector<std::uint32_t>& near,
                   Section& section, Forms& forms) const {
    cut(place, section);
    if (section.nearest_m == std::numeric_limits<double>::infinity()) {
      if (!place.near_skew) return;
      section.nearest_m = 0;
    }
    const WireHarmonics& harmonics = section.harmonics.front();
    const Element& wire = wires_[place.wire];
    const std::size_t rows = harmonics.rows(), own = harmonics.row(1, 1);
    std::vector<Drive> drives;
    std::vector<double> potential;
    for (std::uint32_t i = 0; i < near.size(); ++i) {
      if (integrate(place, section, near[i], potential))
        drives.push_back({i, std::move(potential), true});
      if (place.near_skew && integrate_skew(place, section, near[i], potential))
        drives.push_back({i, std::move(potential), false});
    }
    // Harmonics of the station's own wire, whose rows come first.
    std::vector<double> response(drives.size() * 3 * own, 0.0);
    for (std::size_t q = 0; q < drives.size(); ++q)
      for (std::size_t b = 0; b < 3; ++b)
        for (std::size_t j = 0; j < rows; ++j)
          if (const double drive = drives[q].potential[b * rows + j]; drive != 0)
            for (std::size_t i = 0; i < own; ++i)
              response[(3 * q + b) * own + i] += harmonics.inverse(i, j) * drive;
    for (std::size_t p = 0; p < drives.size(); ++p)
      for (std::size_t q = 0; q < drives.size(); ++q) {
        const std::uint32_t first = near[drives[p].near], second = near[drives[q].near];
        // Each pair of elements once; an element and its image both ways.
        if (number_[first] < number_[second]) continue;
        Slot& slot = forms.of(drives[p].near, drives[q].near);
        slot.p = number_[first];
        slot.q = number_[second];
        slot.distance_m = std::min(slot.distance_m, section.nearest_m);
        const double charge = factor_[first] * factor_[second],
                     current = drives[p].of_currents && drives[q].of_currents
                                   ? charge * dot(wires_[first].tangent, wire.tangent) *
                                         dot(wires_[second].tangent, wire.tangent)
                                   : 0;
        for (std::size_t a = 0; a < 3; ++a)
          for (std::size_t b = 0; b < 3; ++b) {
            const double* const drive_p = &drives[p].potential[a * rows];
            const double* const drive_q = &drives[q].potential[b * rows];
            const double* const response_p = &response[(3 * p + a) * own];
            const double* const response_q = &response[(3 * q + b) * own];
            double sum = 0;
            for (std::size_t i = 0; i < own; ++i)
              sum -= drive_p[i] * response_q[i] + response_p[i] * drive_q[i];
            sum *= 0.5 * place.weight_m;
            slot.charge[3 * a + b] += charge * sum;
            slot.current[3 * a + b] += current * sum;
          }
      }
  }

  /// Integrates the potential's harmonics, [3][rows], that an element causes around the
  /// wires of a section, for charges as in Drive. False if there are none.
  bool integrate(const Place& place, const Section& section, std::uint32_t element,
                 std::vector<double>& potential) const {
    const Element& wire = wires_[place.wire];
    const Element& e = wires_[element];
    const WireHarmonics& harmonics = section.harmonics.front();
    const auto orders = static_cast<std::size_t>(harmonics.orders());
    const AxisView view(wire, e);
    const double of_angle = angle_weight(view.cosine),
                 skew2 = dot(view.across, view.across);
    bool any = false;
    for (std::size_t w = 0; w < section.wire.size(); ++w) {
      const double radius = wires_[section.wire[w]].radius_m,
                   limit = window_radii * std::max(radius, e.radius_m);
      // The piece of the element with |t| <= window times the distance across.
      const Vec3 from = view.start - section.offset_m[w];
      const double t = view.t - place.t_m, window2 = window * window;
      const double a = view.cosine * view.cosine - window2 * skew2,
                   b = t * view.cosine - window2 * dot(from, view.across),
                   c = t * t - window2 * dot(from, from), root2 = b * b - a * c;
      if (root2 <= 0) continue;
      const double root = std::sqrt(root2), sign = view.cosine < 0 ? -1 : 1,
                   at0 = (-sign * limit - t) / view.cosine,
                   at1 = (sign * limit - t) / view.cosine,
                   s0 = std::max({0.0, (-b - root) / a, at0}),
                   s1 = std::min({e.length_m, (-b + root) / a, at1});
      if (s1 <= s0) continue;
      const double rho = norm(from + (0.5 * (s0 + s1)) * view.across);
      if (rho == 0) continue;
      double weight = of_angle * proximity_weight(rho, radius, e.radius_m);
      if (weight == 0 && skew2 == 0) continue;
      // Points in x = t / sqrt(t^2 + rho^2), in which the kernels are polynomials.
      const auto to_x = [rho](double along) { return along / std::hypot(along, rho); };
      const double x0 = to_x(t + view.cosine * s0), x1 = to_x(t + view.cosine * s1),
                   end = to_x(std::min(window * rho, limit));
      std::array<double, max_harmonic_orders> scale;
      for (std::size_t m = 0; m < orders; ++m)
        scale[m] = 0.5 / kernel_integral(static_cast<int>(m), end);
      const GaussRule rule = gauss_rule(harmonics.orders() + 2);
      for (int g = 0; g < rule.points; ++g) {
        const double x = 0.5 * (x0 + x1 + (x1 - x0) * rule.node[g]),
                     along = rho * x / std::sqrt(1 - x * x),
                     s = (along - t) / view.cosine;
        const Vec3 at = from + s * view.across;
        const double rho2 = dot(at, at), ratio = rho2 / (rho2 + along * along);
        if (skew2 > 0)
          weight = of_angle * proximity_weight(std::sqrt(rho2), radius, e.radius_m);
        if (weight == 0) continue;
        const double ds = 0.5 * std::fabs(x1 - x0) * rule.weight[g] * rho /
                          ((1 - x * x) * std::sqrt(1 - x * x) * std::fabs(view.cosine));
        if (!any) potential.assign(3 * harmonics.rows(), 0.0);
        any = true;
        // The first order's kernel is rho^2 / (rho^2 + t^2)^(3/2); others have a power of
        // the ratio more.
        std::array<double, max_harmonic_orders> factor;
        double kernel = std::sqrt(ratio / rho2) * ratio * ds * weight;
        for (std::size_t m = 0; m < orders; ++m) {
          factor[m] = kernel * scale[m];
          kernel *= ratio;
        }
        const double place_on = 2 * s / e.length_m - 1;
        for (std::size_t power = 0; power < 3; ++power) {
          add_harmonic_drive(
              dot(at, place.x), dot(at, place.y), radius, {factor.data(), orders},
              {&potential[power * harmonics.rows() + harmonics.row(w, 1)], 2 * orders});
          for (std::size_t m = 0; m < orders; ++m) factor[m] *= place_on;
        }
      }
    }
    return any;
  }

  /// Integrates what the charges of an element of the other leg of a bend cause around
  /// the wires of a section, as integrate() does: the first order, from their transverse
  /// field. False if there is nothing.
  bool integrate_skew(const Place& place, const Section& section, std::uint32_t element,
                      std::vector<double>& potential) const {
    const Element &wire = wires_[place.wire], &e = wires_[element];
    const std::size_t rows = section.harmonics.front().rows();
    if (section.apart == 0) return false;
    const Vec3 to_start = e.start_m - (wire.start_m + place.t_m * wire.tangent);
    bool any = false;
    for (std::size_t w = 0; w < section.wire.size(); ++w) {
      const std::vector<Skew>& skew = skew_[section.wire[w]];
      const auto found = std::lower_bound(skew.begin(), skew.end(), Skew{element});
      if (found == skew.end() || found->wire != element) continue;
      // u: distance along the element from the foot of the perpendicular.
      const double radius = wires_[section.wire[w]].radius_m, limit = skew_radii * radius;
      const Vec3 from = to_start - section.offset_m[w];
      const double start = dot(from, e.tangent);
      const Vec3 foot = from - start * e.tangent;
      const double off2 = dot(foot, foot);
      if (off2 >= limit * limit) continue;
      const double half = std::sqrt(limit * limit - off2), u0 = std::max(start, -half),
                   u1 = std::min(start + e.length_m, half);
      if (u1 <= u0) continue;
      if (!any) potential.assign(3 * rows, 0.0);
      any = true;
      // Points in v, u = b sinh v, in pieces in which the integrand is smooth.
      const double b = std::sqrt(off2 + 0.5 * skew_soft *
                                            (radius * radius + e.radius_m * e.radius_m)),
                   v0 = std::asinh(u0 / b), v1 = std::asinh(u1 / b);
      constexpr double longest = 1.5;
      const int pieces = 1 + static_cast<int>((v1 - v0) / longest);
      const double width = (v1 - v0) / pieces;
      const GaussRule rule = gauss_rule(4);
      for (int piece = 0; piece < pieces; ++piece)
        for (int g = 0; g < rule.points; ++g) {
          const double u = b * std::sinh(v0 + width * (piece + 0.5 * (1 + rule.node[g]))),
                       r2 = u * u + b * b,
                       du = 0.5 * width * rule.weight[g] * std::sqrt(r2);
          const Vec3 at = foot + u * e.tangent;
          double factor =
              section.apart * found->weight * 0.5 * radius * du / (r2 * std::sqrt(r2));
          for (std::size_t power = 0; power < 3; ++power) {
            double* const drive =
                &potential[power * rows + section.harmonics.front().row(w, 1)];
            drive[0] += factor * dot(at, place.x);
            drive[1] += factor * dot(at, place.y);
            factor *= 2 * (u - start) / e.length_m - 1;
          }
        }
    }
    return any;
  }

  /// Adds up what different wires found for the same elements.
  void join(std::vector<Found>& found) {
    Found all;
    for (Found& of : found) {
      all.insert(all.end(), of.begin(), of.end());
      of = {};
    }
    const auto pair_of = [](const Slot& slot) { return std::pair(slot.p, slot.q); };
    std::stable_sort(all.begin(), all.end(), [&](const Slot& a, const Slot& b) {
      return pair_of(a) < pair_of(b);
    });
    for (const Slot& slot : all) {
      if (result_.slots_.empty() || pair_of(result_.slots_.back()) != pair_of(slot)) {
        result_.slots_.push_back(slot);
        continue;
      }
      Slot& sum = result_.slots_.back();
      sum.distance_m = std::min(sum.distance_m, slot.distance_m);
      for (std::size_t i = 0; i < 9; ++i) {
        sum.charge[i] += slot.charge[i];
        sum.current[i] += slot.current[i];
      }
    }
  }

  Proximity& result_;
  std::vector<std::uint32_t> number_;  ///< of the element
  std::vector<double> factor_;         ///< of the source
  std::vector<Element> wires_;         ///< elements, then their images
  std::uint32_t real_ = 0;
  std::vector<std::vector<Skew>> skew_;  ///< of each wire, ascending
  std::vector<std::vector<Partner>> beside_;
};

void Proximity::find_bends() {
  for (const BasisFunction& f : basis_.functions()) {
    if (!joins_two(f)) continue;
    const Element& first = elements_[f.element[0]];
    const Element& second = elements_[f.element[1]];
    // The current's directions are the tangents times the signs.
    const double cosine = f.sign[0] * f.sign[1] * dot(first.tangent, second.tangent);
    Bend bend{&f, std::acos(std::clamp(cosine, -1.0, 1.0)),
              std::max(first.radius_m, second.radius_m)};
    if (bend.angle < min_bend) continue;
    for (const int side : {0, 1})
      bend.weight = std::min(bend.weight, leg_weight(find_leg(bend, side)));
    if (bend.weight > 0) bends_.push_back(std::move(bend));
  }
}

double Proximity::find_leg(Bend& bend, int side) const {
  std::uint32_t e = bend.function->element[side];
  int end = bend.function->end[side];
  const Vec3 direction = (end == 0 ? 1.0 : -1.0) * elements_[e].tangent;
  double along_m = 0;
  while (true) {
    bend.leg[side].push_back(e);
    along_m += elements_[e].length_m;
    const auto at = basis_.at(e, 1 - end);
    if (along_m >= skew_radii * bend.radius_m || at.size() != 1) break;
    const BasisFunction& next = basis_.functions()[at[0].function];
    if (!joins_two(next)) break;
    const int other = next.element[0] == e && next.end[0] == 1 - end ? 1 : 0;
    e = next.element[other];
    end = next.end[other];
    if ((end == 0 ? 1 : -1) * dot(elements_[e].tangent, direction) < full_cosine) break;
  }
  return along_m / bend.radius_m;
}

bool Proximity::joins_two(const BasisFunction& f) const {
  return f.sign[1] != 0 && basis_.at(f.element[0], f.end[0]).size() == 1 &&
         basis_.at(f.element[1], f.end[1]).size() == 1;
}

void Proximity::add_bends() {
  for (const Bend& bend : bends_) {
    const BasisFunction& f = *bend.function;
    const double inductance =
        bend.weight * bend_inductance * std::pow(bend.angle, bend_power) * bend.radius_m;
    // The current at the bend, the mean of its two sides.
    const auto power = [&](int side, int n) {
      return 0.5 * f.sign[side] * (f.end[side] == 0 && n == 1 ? -1 : 1);
    };
    for (const auto& [one, two] : {std::pair(0, 0), std::pair(0, 1), std::pair(1, 1)}) {
      Slot slot{f.element[one], f.element[two], 0, {}, {}};
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
          slot.current[3 * i + j] = -inductance * power(one, i) * power(two, j);
      slots_.push_back(slot);
    }
  }
}

Proximity::Proximity(std::span<const Element> elements, const Basis& basis, Medium medium,
                     const Monitor& monitor)
    : elements_(elements), basis_(basis) {
  find_bends();
  Search(*this, medium).run(monitor);
  add_bends();
  bends_.clear();
  list_terms();
}

void Proximity::list_terms() {
  std::map<std::pair<std::size_t, std::size_t>, std::vector<Term>> terms;
  for (std::size_t slot = 0; slot < slots_.size(); ++slot) {
    const std::uint32_t p = slots_[slot].p, q = slots_[slot].q;
    const auto add = [&](std::size_t m, std::size_t n, std::uint32_t entry,
                         double weight) {
      if (n <= m)
        terms[{m, n}].push_back({0, static_cast<std::uint32_t>(slot), entry, weight});
    };
    for (std::uint32_t i = 0; i < 2; ++i)
      for (std::uint32_t j = 0; j < 2; ++j)
        for (const BasisWeight& m : basis_.at(p, static_cast<int>(i)))
          for (const BasisWeight& n : basis_.at(q, static_cast<int>(j))) {
            add(m.function, n.function, 2 * i + j, m.weight * n.weight);
            if (p != q) add(n.function, m.function, 2 * i + j, m.weight * n.weight);
          }
  }
  for (const auto& [at, of] : terms) {
    places_.push_back(
        {static_cast<std::uint32_t>(at.first), static_cast<std::uint32_t>(at.second), 0});
    for (Term term : of) {
      term.update = static_cast<std::uint32_t>(places_.size() - 1);
      terms_.push_back(term);
    }
  }
}

std::vector<MatrixUpdate> Proximity::updates(double k) const {
  return updates(k, true);
}

std::vector<MatrixUpdate> Proximity::updates_of_currents(double k) const {
  return updates(k, false);
}

std::vector<MatrixUpdate> Proximity::updates(double k, bool of_charges) const {
  const auto product = [](const std::array<double, 3>& a,
                          const std::array<double, 9>& form,
                          const std::array<double, 3>& b) {
    double sum = 0;
    for (int i = 0; i < 3; ++i)
      sum +=
          a[i] * (form[3 * i] * b[0] + form[3 * i + 1] * b[1] + form[3 * i + 2] * b[2]);
    return sum;
  };
  // Reactances, ohm, of the four pairs of shape functions.
  std::vector<std::array<double, 4>> reactance(slots_.size());
  for_each_cheap(slots_.size(), [&](std::size_t i) {
    const Slot& slot = slots_[i];
    const double weight = static_weight(k * slot.distance_m) * eta0_ohm / (2 * pi);
    const ShapePolynomials p(elements_[slot.p].length_m, k),
        q(elements_[slot.q].length_m, k);
    for (int e = 0; e < 4; ++e) {
      double x = k * product(p.current[e / 2], slot.current, q.current[e % 2]);
      if (of_charges) x -= product(p.charge[e / 2], slot.charge, q.charge[e % 2]) / k;
      reactance[i][e] = weight * x;
    }
  });
  std::vector<MatrixUpdate> list = places_;
  for (const Term& term : terms_)
    list[term.update].value += Complex(0, term.weight * reactance[term.slot][term.entry]);
  return list;
}

}  // namespace thinwire
