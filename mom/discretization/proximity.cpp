#include "mom/discretization/proximity.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "geometry/close_wires.h"
#include "geometry/structure.h"
#include "kernels/base/constants.h"
#include "kernels/base/disjoint_sets.h"
#include "kernels/base/grouping.h"
#include "kernels/base/parallel.h"
#include "kernels/base/quadrature.h"
#include "kernels/base/simd_clones.h"
#include "kernels/element/close_pairs.h"
#include "kernels/element/internal_impedance.h"
#include "kernels/element/wire_harmonics.h"
#include "mom/discretization/end_faces.h"

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

/// Returns the weight of the charges on the other leg of a bend: full for bends by 18
/// degrees or more, none below 12. cosine: of the angle by which the current turns.
double bend_weight(double cosine) {
  return cosine > 0 ? 1 - angle_weight(cosine) : 1;
}

/// Returns the weight of a bend by its angle: full up to 125 degrees, as far as surface
/// meshes confirm it, none from 140 on, where the legs run into each other.
double sharpness_weight(double cosine) {
  constexpr double sharpest = -0.7660444, full = -0.5735764;
  const double x = std::clamp((cosine - sharpest) / (full - sharpest), 0.0, 1.0);
  return x * x * (3 - 2 * x);
}

/// Returns the weight of a bend: none where a leg is two radii long, full from three on.
double leg_weight(double radii) {
  const double x = std::clamp(radii - 2, 0.0, 1.0);
  return x * x * (3 - 2 * x);
}

/// Lanes of the product below, whose matrices have rows of a multiple of them.
constexpr std::size_t lanes = 8;
std::size_t padded(std::size_t columns) {
  return (columns + lanes - 1) / lanes * lanes;
}

/// Adds A^T B + B^T A to the lower triangle of C, [stride][stride]. a, b: [rows][stride],
/// zero beyond the columns, those of a also from `columns` on.
THINWIRE_SIMD_CLONES
void add_symmetric_product(std::size_t rows, std::size_t stride, std::size_t columns,
                           const double* a, const double* b, double* c) {
  using Eight = double __attribute__((vector_size(8 * lanes)));
  constexpr std::size_t height = 4;
  for (std::size_t i = 0; i < stride; i += height)
    for (std::size_t j = 0; j < std::min(columns, i + height); j += lanes) {
      Eight sum[height] = {};
      for (std::size_t k = 0; k < rows; ++k) {
        Eight of_a, of_b;
        std::memcpy(&of_a, a + k * stride + j, sizeof of_a);
        std::memcpy(&of_b, b + k * stride + j, sizeof of_b);
        for (std::size_t r = 0; r < height; ++r)
          sum[r] += a[k * stride + i + r] * of_b + b[k * stride + i + r] * of_a;
      }
      for (std::size_t r = 0; r < height; ++r)
        for (std::size_t l = 0; l < lanes; ++l) c[(i + r) * stride + j + l] += sum[r][l];
    }
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

/// Whether q lies beside a part of p, closer than reach_m and not on p's line.
bool lies_beside(const Element& p, const Element& q, double reach_m, Beside& beside) {
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
  return beside.min_distance_m < reach_m &&
         std::max(distances[0], distances[1]) > p.radius_m + q.radius_m;
}

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
    find_conductors();
    for (std::uint32_t c = 0; c <= result_.conductors_.size(); ++c) {
      find_near(c);
      list_slots(c);
      add_forms(monitor);
    }
    drop_empty_slots();
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
  /// Wires through the plane of a station whose harmonics count there, its own first.
  struct Section {
    std::vector<std::uint32_t> wire;
    std::vector<Vec3> offset_m;  ///< of their axes from that of the station's wire
    std::vector<SectionWire> at;
    /// Harmonics of currents and, if wires have sheaths, of charges; empty until made.
    std::vector<WireHarmonics> harmonics;
    double nearest_m = std::numeric_limits<double>::infinity();  ///< of all wires beside
    double apart = 1;  ///< weight of wires at an angle
  };

  /// Distance up to which two wires influence each other.
  double reach_m(std::uint32_t p, std::uint32_t q) const {
    return std::min({proximity_radii * std::max(wires_[p].radius_m, wires_[q].radius_m),
                     result_.run_reach_m_[number_[p]], result_.run_reach_m_[number_[q]]});
  }
  bool lies_beside(std::uint32_t p, std::uint32_t q, Beside& beside) const {
    return thinwire::lies_beside(wires_[p], wires_[q], reach_m(p, q), beside);
  }

  void find_pairs() {
    beside_.resize(real_);
    std::vector<Vec3> centre;
    std::vector<double> reach;
    for (std::uint32_t e = 0; e < wires_.size(); ++e) {
      centre.push_back(centre_of(wires_[e]));
      reach.push_back(0.5 * wires_[e].length_m + reach_m(e, e));
    }
    Beside beside;
    const ElementPairs pairs =
        close_pairs(centre, centre, reach, [&](std::uint32_t p, std::uint32_t q) {
          Beside unused;
          return q < real_ && p != q &&
                 (lies_beside(q, p, unused) || (p < real_ && lies_beside(p, q, unused)));
        });
    for (std::uint32_t p = 0; p < wires_.size(); ++p)
      for (const std::uint32_t q : pairs.of(p)) {
        if (lies_beside(q, p, beside)) beside_[q].push_back({p, beside});
        if (p < real_ && lies_beside(p, q, beside)) beside_[p].push_back({q, beside});
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

  /// Lists the conductors of wires that have stations.
  void find_conductors() {
    std::vector<Conductor>& conductors = result_.conductors_;
    conductor_.assign(real_, 0);
    std::vector<char> is_perfect(real_, 1);
    for (std::uint32_t p = 0; p < real_; ++p) {
      const WireMaterial& m = result_.material(number_[p]);
      sheaths_ = sheaths_ || m.sheath_radius_m > 0;
      if (m.conductivity_s_per_m == 0 || !has_stations(p)) continue;
      const Conductor wanted = {wires_[p].radius_m, m.conductivity_s_per_m,
                                m.relative_permeability};
      const auto found = std::find(conductors.begin(), conductors.end(), wanted);
      conductor_[p] = static_cast<std::uint32_t>(found - conductors.begin());
      is_perfect[p] = 0;
      if (found == conductors.end()) conductors.push_back(wanted);
    }
    for (std::uint32_t p = 0; p < real_; ++p)
      if (is_perfect[p]) conductor_[p] = static_cast<std::uint32_t>(conductors.size());
  }

  bool has_stations(std::uint32_t p) const {
    return !beside_[p].empty() || !skew_[p].empty();
  }

  /// Lists the wires whose charges may act at the stations of each of a conductor.
  void find_near(std::uint32_t conductor) {
    near_.assign(real_, {});
    std::vector<Vec3> centre;
    std::vector<double> reach;
    for (const Element& e : wires_) {
      centre.push_back(centre_of(e));
      reach.push_back(0.5 * e.length_m);
    }
    const ReachIndex index(centre, reach);
    for_each_parallel(real_, [&](std::size_t i) {
      const auto p = static_cast<std::uint32_t>(i);
      if (conductor_[p] != conductor || !has_stations(p)) return;
      const Element& wire = wires_[p];
      double thickest = wire.radius_m;
      for (const Partner& q : beside_[p])
        thickest = std::max(thickest, wires_[q.wire].radius_m);
      std::vector<std::uint32_t>& near = near_[p];
      if (!beside_[p].empty())
        index.visit_reaching(
            0, centre[p],
            0.5 * wire.length_m + std::hypot(proximity_radii, window_radii) * thickest,
            [&](std::uint32_t q) {
              const Element& e = wires_[q];
              const AxisView view(wire, e);
              if (std::fabs(view.cosine) <= min_cosine) return;
              const double end = view.t + view.cosine * e.length_m,
                           limit = window_radii * std::max(thickest, e.radius_m);
              if (std::max(view.t, end) > -limit &&
                  std::min(view.t, end) < wire.length_m + limit &&
                  norm(view.start + (0.5 * e.length_m) * view.across) < reach_m(p, q))
                near.push_back(q);
            });
      const auto add_skew = [&](std::uint32_t q) {
        for (const Skew& other : skew_[q]) near.push_back(other.wire);
      };
      add_skew(p);
      if (!skew_[p].empty())
        for (const Partner& q : beside_[p]) add_skew(q.wire);
      std::sort(near.begin(), near.end());
      near.erase(std::unique(near.begin(), near.end()), near.end());
    });
  }

  /// Lists the pairs of elements that act together anywhere, with empty forms.
  void list_slots(std::uint32_t conductor) {
    const std::size_t elements = result_.elements_.size();
    const Groups stations = group(real_, elements, [&](std::size_t p, const auto& put) {
      for (const std::uint32_t q : near_[p])
        put(number_[q], static_cast<std::uint32_t>(p));
    });
    const std::size_t rows_at_once = std::max<std::size_t>(256, elements / 64),
                      parts = (elements + rows_at_once - 1) / rows_at_once;
    std::vector<std::vector<Slot>> slots(parts);
    first_slot_.assign(elements + 1, 0);
    first_slot_[0] = result_.slots_.size();
    for_each_parallel(parts, [&](std::size_t part) {
      std::vector<std::size_t> seen(elements, elements);
      std::vector<std::uint32_t> others;
      for (std::size_t e = part * rows_at_once;
           e < std::min(elements, (part + 1) * rows_at_once); ++e) {
        others.clear();
        for (std::uint64_t i = stations.first[e]; i < stations.first[e + 1]; ++i)
          for (const std::uint32_t wire : near_[stations.member[i]])
            if (const std::uint32_t q = number_[wire]; q <= e && seen[q] != e) {
              seen[q] = e;
              others.push_back(q);
            }
        std::sort(others.begin(), others.end());
        first_slot_[e + 1] = others.size();
        for (const std::uint32_t q : others)
          slots[part].push_back({static_cast<std::uint32_t>(e), q, conductor,
                                 std::numeric_limits<double>::infinity()});
      }
    });
    for (std::size_t e = 0; e < elements; ++e) first_slot_[e + 1] += first_slot_[e];
    for (std::vector<Slot>& of : slots) {
      result_.slots_.insert(result_.slots_.end(), of.begin(), of.end());
      of = {};
    }
    if (result_.has_losses()) result_.losses_.resize(result_.slots_.size());
  }

  /// Leaves out pairs that act together nowhere.
  void drop_empty_slots() {
    std::size_t kept = 0;
    for (std::size_t s = 0; s < result_.slots_.size(); ++s) {
      if (result_.slots_[s].distance_m == std::numeric_limits<double>::infinity())
        continue;
      result_.slots_[kept] = result_.slots_[s];
      if (result_.has_losses()) result_.losses_[kept] = result_.losses_[s];
      ++kept;
    }
    result_.slots_.erase(result_.slots_.begin() + static_cast<std::ptrdiff_t>(kept),
                         result_.slots_.end());
    if (result_.has_losses()) result_.losses_.resize(kept);
  }

  /// A wire that drives harmonics at stations, and whether its currents do, too.
  struct Column {
    std::uint32_t wire;
    bool of_currents;
  };
  /// Sums over the stations of a wire for charges or currents on pairs of `columns`, of
  /// the forms of Slot and LossForms: entries (3 i + a, 3 j + b) of symmetric matrices
  /// whose lower triangles are kept, by rows.
  struct Forms {
    std::uint32_t wire;
    double nearest_m = std::numeric_limits<double>::infinity();
    std::vector<Column> columns{};
    std::size_t stride = 0;
    using Entries = std::vector<double>;
    Entries charge{}, current{};  ///< current: empty where it equals that of charges
    Entries once{}, twice{};      ///< of a lossy conductor
  };

  /// Adds the forms of all wires to the slots, in the order of the wires.
  void add_forms(const Monitor& monitor) {
    constexpr std::size_t entries_at_once = std::size_t{1} << 23;
    for (std::uint32_t first = 0; first < real_;) {
      std::vector<Forms> forms;
      std::size_t entries = 0;
      for (; first < real_ && entries < entries_at_once; ++first)
        if (const std::size_t near = near_[first].size(); near > 0) {
          forms.push_back({first});
          entries += 9 * near * near;
        }
      for_each_parallel(forms.size(), [&](std::size_t i) {
        if (!monitor.stopped()) add_stations(forms[i]);
      });
      monitor.check();
      add_to_slots(forms);
    }
  }

  void add_to_slots(const std::vector<Forms>& all) {
    struct Row {
      std::uint32_t element, forms, column;
    };
    std::vector<Row> rows;
    for (std::uint32_t f = 0; f < all.size(); ++f)
      for (std::uint32_t c = 0; c < all[f].columns.size(); ++c)
        rows.push_back({number_[all[f].columns[c].wire], f, c});
    std::stable_sort(rows.begin(), rows.end(),
                     [](const Row& a, const Row& b) { return a.element < b.element; });
    std::vector<std::size_t> begin;
    for (std::size_t i = 0; i < rows.size(); ++i)
      if (i == 0 || rows[i].element != rows[i - 1].element) begin.push_back(i);
    begin.push_back(rows.size());
    for_each_parallel(begin.size() - 1, [&](std::size_t i) {
      for (std::size_t row = begin[i]; row < begin[i + 1]; ++row)
        add_row(all[rows[row].forms], rows[row].column);
    });
  }

  /// Adds the pairs of a column with those of lower or equal elements.
  void add_row(const Forms& forms, std::size_t column) {
    const auto along = [&](const Column& c) {
      return c.of_currents ? dot(wires_[c.wire].tangent, wires_[forms.wire].tangent) : 0;
    };
    const Column& first = forms.columns[column];
    const std::uint32_t p = number_[first.wire];
    const auto begin =
                   result_.slots_.begin() + static_cast<std::ptrdiff_t>(first_slot_[p]),
               end = result_.slots_.begin() +
                     static_cast<std::ptrdiff_t>(first_slot_[p + 1]);
    const double first_along = along(first);
    for (std::size_t other = 0; other < forms.columns.size(); ++other) {
      const Column& second = forms.columns[other];
      const std::uint32_t q = number_[second.wire];
      if (q > p) continue;
      Slot& slot = *std::lower_bound(
          begin, end, q,
          [](const Slot& s, std::uint32_t wanted) { return s.q < wanted; });
      slot.distance_m = std::min(slot.distance_m, forms.nearest_m);
      const double charge = factor_[first.wire] * factor_[second.wire],
                   current = charge * first_along * along(second);
      // Entry (a, b) of the pair: lower triangles alone are there.
      const std::size_t step_a = column >= other ? forms.stride : 1,
                        step_b = column >= other ? 1 : forms.stride,
                        at = 3 * (column * step_a + other * step_b);
      const auto add = [&](Form& sum, const Forms::Entries& entries, double factor) {
        for (std::size_t a = 0; a < 3; ++a)
          for (std::size_t b = 0; b < 3; ++b)
            sum[3 * a + b] += factor * (column == other && a < b
                                            ? entries[at + b * step_a + a * step_b]
                                            : entries[at + a * step_a + b * step_b]);
      };
      add(slot.charge, forms.charge, charge);
      if (current == 0) continue;
      add(slot.current, forms.current.empty() ? forms.charge : forms.current, current);
      if (forms.once.empty()) continue;
      LossForms& losses = result_.losses_[&slot - result_.slots_.data()];
      add(losses.once, forms.once, current);
      add(losses.twice, forms.twice, current);
    }
  }

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
        !section.harmonics.empty() && (!sheaths_ || now.wire == section.wire) &&
        std::equal(now.at.begin(), now.at.end(), section.at.begin(), section.at.end(),
                   [](const SectionWire& a, const SectionWire& b) {
                     return a.radius_m == b.radius_m &&
                            std::hypot(a.x_m - b.x_m, a.y_m - b.y_m) < 1e-9 * a.radius_m;
                   });
    if (alike)
      now.harmonics = std::move(section.harmonics);
    else
      make_harmonics(now);
    section = std::move(now);
  }

  void make_harmonics(Section& section) const {
    std::vector<SectionWire> hulls = section.at;
    if (sheaths_)
      for (std::size_t w = 0; w < hulls.size(); ++w)
        hulls[w].radius_m =
            std::max(hulls[w].radius_m, sheath_of(section, w).sheath_radius_m);
    const int orders = harmonic_orders(hulls);
    section.harmonics.emplace_back(section.at, orders);
    if (!sheaths_) return;
    std::vector<double> factors;
    for (std::size_t w = 0; w < hulls.size(); ++w)
      for (int m = 1; m <= orders; ++m)
        factors.push_back(sheath_self_factor(m,
                                             hulls[w].radius_m / section.at[w].radius_m,
                                             sheath_of(section, w).sheath_permittivity));
    section.harmonics.emplace_back(section.at, orders, factors);
  }

  const WireMaterial& sheath_of(const Section& section, std::size_t wire) const {
    return result_.material(number_[section.wire[wire] % real_]);
  }

  /// The effect of charges distributed as 1, x, x^2 over a wire (x from -1 to 1) at a
  /// station: harmonics of the potential on the station's own wire, and those
  /// of its current and charge, [2 or, with sheaths, 3][3][own] from `first` in
  /// Stations::values.
  struct Drive {
    std::uint32_t near;  ///< index into the wires near
    bool of_currents;    ///< whether currents drive likewise
    int orders;          ///< of the potential; those of the charge are all
    std::size_t station, first;
  };
  struct Stations {
    std::vector<double> weight_m;
    std::vector<std::size_t> own;  ///< harmonics of the station's own wire
    std::vector<Drive> drives;
    std::vector<double> values;
  };

  void add_stations(Forms& forms) const {
    const std::uint32_t p = forms.wire;
    const Element& wire = wires_[p];
    const std::vector<Skew>& skew = skew_[p];
    Vec3 x = cross(wire.tangent,
                   std::fabs(wire.tangent.z) < 0.5 ? Vec3{0, 0, 1} : Vec3{1, 0, 0});
    x = (1 / norm(x)) * x;
    const Vec3 y = cross(wire.tangent, x);
    Section section;
    Stations stations;
    for_panels(p, skew, [&](double t0, double t1, double distance) {
      const double length = t1 - t0;
      const GaussRule rule = gauss_rule(length < 0.2437 * distance  ? 1
                                        : length < 0.987 * distance ? 2
                                                                    : 3);
      for (int g = 0; g < rule.points; ++g)
        add_station({p, x, y, 0.5 * (t0 + t1 + rule.node[g] * length),
                     0.5 * rule.weight[g] * length, !skew.empty()},
                    section, forms, stations);
    });
    multiply(stations, forms);
  }

  void add_station(const Place& place, Section& section, Forms& forms,
                   Stations& stations) const {
    cut(place, section);
    if (section.nearest_m == std::numeric_limits<double>::infinity()) {
      if (!place.near_skew) return;
      section.nearest_m = 0;
    }
    const std::vector<WireHarmonics>& harmonics = section.harmonics;
    const std::size_t rows = harmonics[0].rows(), own = harmonics[0].row(1, 1),
                      station = stations.weight_m.size();
    const std::vector<std::uint32_t>& near = near_[place.wire];
    std::vector<double> potential(3 * rows);
    const auto add = [&](std::uint32_t i, bool of_currents, int orders) {
      const std::size_t first = stations.values.size();
      stations.values.resize(first + 3 * (1 + harmonics.size()) * own, 0.0);
      double* value = &stations.values[first];
      for (std::size_t power = 0; power < 3; ++power, value += own)
        std::copy_n(&potential[power * rows], own, value);
      for (const WireHarmonics& response : harmonics)
        for (std::size_t power = 0; power < 3; ++power, value += own)
          for (std::size_t j = 0; j < rows; ++j)
            if (const double drive = potential[power * rows + j]; drive != 0)
              response.add_response(j, drive, {value, own});
      stations.drives.push_back({i, of_currents, orders, station, first});
    };
    for (std::uint32_t i = 0; i < near.size(); ++i) {
      if (const int orders = integrate(place, section, near[i], potential))
        add(i, true, orders);
      if (place.near_skew && integrate_skew(place, section, near[i], potential))
        add(i, false, 1);
    }
    if (stations.drives.empty() || stations.drives.back().station != station) return;
    stations.weight_m.push_back(place.weight_m);
    stations.own.push_back(own);
    forms.nearest_m = std::min(forms.nearest_m, section.nearest_m);
  }

  /// Makes the forms of all stations.
  void multiply(const Stations& stations, Forms& forms) const {
    const std::vector<std::uint32_t>& near = near_[forms.wire];
    // Columns that drive higher orders come first.
    std::vector<int> orders(2 * near.size(), 0);
    const auto place_of = [](const Drive& drive) {
      return 2 * drive.near + (drive.of_currents ? 0 : 1);
    };
    for (const Drive& drive : stations.drives)
      orders[place_of(drive)] = std::max(orders[place_of(drive)], drive.orders);
    std::vector<std::size_t> column(orders.size());
    std::size_t of_higher = 0;
    for (const bool higher : {true, false}) {
      for (std::size_t i = 0; i < orders.size(); ++i)
        if (orders[i] > 0 && (orders[i] > 1) == higher) {
          column[i] = forms.columns.size();
          forms.columns.push_back({near[i / 2], i % 2 == 0});
        }
      if (higher) of_higher = 3 * forms.columns.size();
    }
    forms.stride = padded(3 * forms.columns.size());
    // Blocks of a drive's values: potential, current, charge.
    const auto add = [&](Forms::Entries& entries, int first, int second) {
      entries.assign(forms.stride * forms.stride, 0.0);
      for (const bool higher : {false, true}) {
        std::vector<std::size_t> row(stations.own.size());
        std::size_t rows = 0;
        for (std::size_t s = 0; s < row.size(); ++s) {
          row[s] = rows;
          rows += higher ? stations.own[s] - 2 : 2;
        }
        std::vector<double> a(rows * forms.stride, 0.0), b(a);
        for (const Drive& drive : stations.drives) {
          const std::size_t own = stations.own[drive.station];
          const double weight = -0.5 * stations.weight_m[drive.station];
          for (std::size_t power = 0; power < 3; ++power) {
            const double *const
                of_a = &stations.values[drive.first + (3 * first + power) * own],
                *const of_b = &stations.values[drive.first + (3 * second + power) * own];
            std::size_t at =
                row[drive.station] * forms.stride + 3 * column[place_of(drive)] + power;
            for (std::size_t i = higher ? 2 : 0; i < (higher ? own : 2);
                 ++i, at += forms.stride) {
              a[at] = of_a[i];
              b[at] = weight * of_b[i];
            }
          }
        }
        // Few wires drive higher orders; the current has them of all.
        const std::size_t columns = higher && first == 0 ? of_higher : forms.stride;
        add_symmetric_product(rows, forms.stride, columns, a.data(), b.data(),
                              entries.data());
      }
    };
    add(forms.charge, 0, sheaths_ ? 2 : 1);
    if (sheaths_) add(forms.current, 0, 1);
    if (conductor_[forms.wire] == result_.conductors_.size()) return;
    add(forms.once, 0, 0);
    add(forms.twice, 1, 1);
  }

  /// Integrates the potential's harmonics, [3][rows], that an element causes around the
  /// wires of a section, for charges as in Drive. Returns their greatest order, 0 if
  /// there are none. Wires drive higher orders than the first only where they are
  /// coupled.
  int integrate(const Place& place, const Section& section, std::uint32_t element,
                std::vector<double>& potential) const {
    const Element& wire = wires_[place.wire];
    const Element& e = wires_[element];
    const WireHarmonics& harmonics = section.harmonics.front();
    const AxisView view(wire, e);
    const double skew2 = dot(view.across, view.across);
    // Wires too far from the station's own have no effect there.
    const double own_distance = norm(view.start + (0.5 * e.length_m) * view.across),
                 own_radii = wire.radius_m + e.radius_m;
    const double reach = own_distance < 2 * own_radii
                             ? 1
                             : proximity_weight(own_distance, wire.radius_m, e.radius_m);
    if (reach == 0 && skew2 == 0) return 0;
    int most = 0;
    for (std::size_t w = 0; w < section.wire.size(); ++w) {
      const double radius = wires_[section.wire[w]].radius_m,
                   thicker = std::max(radius, e.radius_m), limit = window_radii * thicker;
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
      struct Weights {
        double first, higher;
      };
      const auto weights_at = [&](double distance) -> Weights {
        const double first =
            (w == 0 ? 1 : reach) * proximity_weight(distance, radius, e.radius_m);
        return {first,
                first == 0 ? 0 : first * harmonics_weight(distance, radius, e.radius_m)};
      };
      Weights weights = weights_at(rho);
      if (weights.first == 0 && skew2 == 0) continue;
      const int orders = harmonics.orders() > 1 && (skew2 > 0 || weights.higher > 0)
                             ? harmonics.orders()
                             : 1;
      // Points in x = t / sqrt(t^2 + rho^2), in which the kernels are polynomials.
      const auto to_x = [rho](double along) {
        return along / std::sqrt(along * along + rho * rho);
      };
      const double x0 = to_x(t + view.cosine * s0), x1 = to_x(t + view.cosine * s1),
                   end = to_x(std::min(window * rho, limit));
      // Half the integral from 0 to `end` of each order's kernel in two dimensions, that
      // of (1 - x^2)^m.
      std::array<double, max_harmonic_orders> scale;
      double integral = end, power_end = end;
      for (int m = 0; m < orders; ++m) {
        scale[m] = 0.5 / integral;
        power_end *= 1 - end * end;
        integral = (power_end + 2 * (m + 1) * integral) / (2 * m + 3);
      }
      const GaussRule rule = gauss_rule(orders + 2);
      for (int g = 0; g < rule.points; ++g) {
        const double x = 0.5 * (x0 + x1 + (x1 - x0) * rule.node[g]), cosine2 = 1 - x * x,
                     along = rho * x / std::sqrt(cosine2), s = (along - t) / view.cosine;
        const Vec3 at = from + s * view.across;
        const double rho2 = dot(at, at), ratio = rho2 / (rho2 + along * along);
        if (skew2 > 0) weights = weights_at(std::sqrt(rho2));
        if (weights.first == 0) continue;
        const double ds = 0.5 * std::fabs(x1 - x0) * rule.weight[g] * rho /
                          (cosine2 * std::sqrt(cosine2) * std::fabs(view.cosine));
        if (most == 0) std::fill(potential.begin(), potential.end(), 0.0);
        most = std::max(most, orders);
        // The first order's kernel is rho^2 / (rho^2 + t^2)^(3/2); others have a power of
        // the ratio more.
        std::array<double, max_harmonic_orders> factor;
        double kernel = std::sqrt(ratio / rho2) * ratio * ds * angle_weight(view.cosine);
        for (int m = 0; m < orders; ++m) {
          factor[m] = kernel * scale[m] * (m == 0 ? weights.first : weights.higher);
          kernel *= ratio;
        }
        const auto harmonics_here = static_cast<std::size_t>(2 * orders);
        std::array<double, 2 * max_harmonic_orders> drive{};
        add_harmonic_drive(dot(at, place.x), dot(at, place.y), radius,
                           {factor.data(), static_cast<std::size_t>(orders)},
                           {drive.data(), harmonics_here});
        const double place_on = 2 * s / e.length_m - 1;
        double of_power = 1;
        for (std::size_t power = 0; power < 3; ++power, of_power *= place_on) {
          double* const sum = &potential[power * harmonics.rows() + harmonics.row(w, 1)];
          for (std::size_t i = 0; i < harmonics_here; ++i) sum[i] += of_power * drive[i];
        }
      }
    }
    return most;
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
      if (!any) std::fill(potential.begin(), potential.end(), 0.0);
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

  Proximity& result_;
  std::vector<std::uint32_t> number_;  ///< of the element
  std::vector<double> factor_;         ///< of the source
  std::vector<Element> wires_;         ///< elements, then their images
  std::uint32_t real_ = 0;
  bool sheaths_ = false;                  ///< whether any wire has one
  std::vector<std::uint32_t> conductor_;  ///< of each real wire, as in Slot
  std::vector<std::vector<Skew>> skew_;   ///< of each wire, ascending
  std::vector<std::vector<Partner>> beside_;
  /// Wires whose charges act at the stations of each real one, ascending.
  std::vector<std::vector<std::uint32_t>> near_;
  std::vector<std::size_t> first_slot_;  ///< [elements + 1]
};

void Proximity::find_bends() {
  for (const BasisFunction& f : basis_.functions()) {
    const Element& first = elements_[f.element[0]];
    if (!joins_two(f) ||
        run_reach_m_[f.element[0]] < 0.5 * proximity_radii * first.radius_m)
      continue;
    const Element& second = elements_[f.element[1]];
    // The current's directions are the tangents times the signs.
    const double cosine = f.sign[0] * f.sign[1] * dot(first.tangent, second.tangent);
    Bend bend{&f, std::acos(std::clamp(cosine, -1.0, 1.0)),
              std::max(first.radius_m, second.radius_m)};
    if (bend.angle < min_bend) continue;
    bend.weight = sharpness_weight(cosine);
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

void Proximity::find_runs() {
  DisjointSets runs(elements_.size());
  for (const BasisFunction& f : basis_.functions())
    if (joins_two(f)) runs.unite(f.element[0], f.element[1]);
  std::vector<char> junctions(elements_.size(), 0);
  std::vector<double> length_m(elements_.size(), 0.0);
  for (std::uint32_t e = 0; e < elements_.size(); ++e) {
    const std::size_t run = runs.root(e);
    length_m[run] += elements_[e].length_m;
    for (const int end : {0, 1})
      if (is_junction(e, end)) ++junctions[run];
  }
  constexpr double reach_of_length = 0.5;
  for (std::uint32_t e = 0; e < elements_.size(); ++e) {
    const std::size_t run = runs.root(e);
    run_reach_m_.push_back(junctions[run] == 2 ? reach_of_length * length_m[run]
                                               : std::numeric_limits<double>::infinity());
  }
}

bool Proximity::is_junction(std::uint32_t element, int end) const {
  const auto at = basis_.at(element, end);
  if (at.size() != 1) return at.size() > 1;
  const BasisFunction& f = basis_.functions()[at[0].function];
  return f.sign[1] != 0 && !joins_two(f);
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
      Slot slot{f.element[one], f.element[two],
                static_cast<std::uint32_t>(conductors_.size()), 0};
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
          slot.current[3 * i + j] = -inductance * power(one, i) * power(two, j);
      slots_.push_back(slot);
    }
  }
}

void Proximity::add_end_faces(Medium medium) {
  for (const EndFaceForm& form : end_face_forms(elements_, basis_, medium)) {
    Slot slot{form.p, form.q, static_cast<std::uint32_t>(conductors_.size()),
              form.radius_m};
    slot.charge[0] = form.value_m;
    slots_.push_back(slot);
  }
}

Proximity::Proximity(std::span<const Element> elements, const Basis& basis, Medium medium,
                     std::span<const WireMaterial> materials, const Monitor& monitor)
    : elements_(elements), basis_(basis), materials_(materials) {
  find_runs();
  find_bends();
  Search(*this, medium).run(monitor);
  add_bends();
  add_end_faces(medium);
  bends_.clear();
  run_reach_m_.clear();
  materials_ = {};
  list_terms();
}

const WireMaterial& Proximity::material(std::size_t element) const {
  static constexpr WireMaterial perfect;
  return materials_.empty() ? perfect : materials_[element];
}

void Proximity::list_terms() {
  // add(m, n, entry, weight), n <= m, for what a slot adds.
  const auto for_terms = [this](const Slot& slot, const auto& add) {
    for (std::uint32_t i = 0; i < 2; ++i)
      for (std::uint32_t j = 0; j < 2; ++j)
        for (const BasisWeight& m : basis_.at(slot.p, static_cast<int>(i)))
          for (const BasisWeight& n : basis_.at(slot.q, static_cast<int>(j))) {
            const double weight = m.weight * n.weight;
            if (n.function <= m.function) add(m.function, n.function, 2 * i + j, weight);
            if (slot.p != slot.q && m.function <= n.function)
              add(n.function, m.function, 2 * i + j, weight);
          }
  };
  const Groups rows =
      group(slots_.size(), basis_.size(), [&](std::size_t s, const auto& put) {
        for_terms(slots_[s], [&](std::size_t m, std::size_t, std::uint32_t, double) {
          put(m, static_cast<std::uint32_t>(s));
        });
      });
  struct Row {
    std::vector<std::uint32_t> column;
    std::vector<Term> terms;  ///< updates counted in the row
  };
  std::vector<Row> found(basis_.size());
  for_each_parallel(
      found.size(),
      [&](std::size_t row) {
        std::vector<std::pair<std::uint32_t, Term>> terms;
        for (std::uint64_t i = rows.first[row]; i < rows.first[row + 1]; ++i) {
          const std::uint32_t s = rows.member[i];
          if (i > rows.first[row] && rows.member[i - 1] == s) continue;
          for_terms(slots_[s], [&](std::size_t m, std::size_t n, std::uint32_t entry,
                                   double weight) {
            if (m == row)
              terms.push_back({static_cast<std::uint32_t>(n), {0, s, entry, weight}});
          });
        }
        std::stable_sort(terms.begin(), terms.end(),
                         [](const auto& a, const auto& b) { return a.first < b.first; });
        Row& result = found[row];
        for (auto& [n, term] : terms) {
          if (result.column.empty() || result.column.back() != n)
            result.column.push_back(n);
          term.update = static_cast<std::uint32_t>(result.column.size() - 1);
          result.terms.push_back(term);
        }
      },
      16);
  for (std::size_t row = 0; row < found.size(); ++row) {
    const auto first = static_cast<std::uint32_t>(places_.size());
    for (const std::uint32_t n : found[row].column)
      places_.push_back({static_cast<std::uint32_t>(row), n, 0});
    for (Term term : found[row].terms) {
      term.update += first;
      terms_.push_back(term);
    }
    found[row] = {};
  }
}

std::vector<MatrixUpdate> Proximity::updates(double k) const {
  return updates(k, true);
}

std::vector<MatrixUpdate> Proximity::updates_of_currents(double k) const {
  return updates(k, false);
}

std::vector<MatrixUpdate> Proximity::updates(double k, bool of_charges) const {
  std::vector<Complex> amplitude;
  for (const Conductor& c : conductors_)
    amplitude.push_back(harmonic_amplitude(k * speed_of_light_m_per_s / (2 * pi),
                                           c.radius_m, c.conductivity_s_per_m,
                                           c.relative_permeability));
  // Impedances, ohm, of the four pairs of shape functions.
  std::vector<std::array<Complex, 4>> impedance(slots_.size());
  for_each_cheap(slots_.size(), [&](std::size_t i) {
    const Slot& slot = slots_[i];
    const double weight = static_weight(k * slot.distance_m) * eta0_ohm / (2 * pi);
    const ShapePolynomials p(elements_[slot.p].length_m, k),
        q(elements_[slot.q].length_m, k);
    for (int e = 0; e < 4; ++e) {
      const auto of_currents = [&](const Form& form) {
        return product(p.current[e / 2], form, q.current[e % 2]);
      };
      Complex x = of_currents(slot.current);
      if (slot.conductor < conductors_.size()) {
        const Complex f = amplitude[slot.conductor];
        const double s = x.real(), once = of_currents(losses_[i].once),
                     twice = of_currents(losses_[i].twice);
        x = f * (once + f * (3 * s - 2 * once - twice + f * (twice - 2 * s + once)));
      }
      x *= k;
      if (of_charges) x -= product(p.charge[e / 2], slot.charge, q.charge[e % 2]) / k;
      impedance[i][e] = Complex(-x.imag(), x.real()) * weight;
    }
  });
  std::vector<MatrixUpdate> list = places_;
  for (const Term& term : terms_)
    list[term.update].value += term.weight * impedance[term.slot][term.entry];
  return list;
}

}  // namespace thinwire
