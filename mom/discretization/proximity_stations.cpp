#include "mom/discretization/proximity_stations.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <utility>

#include "kernels/base/quadrature.h"
#include "kernels/base/simd_clones.h"
#include "mom/discretization/smooth_ramp.h"

namespace thinwire {
namespace {

/// Charges act up to this many distances between the wires away along them. A wire that
/// goes on after a bend is beyond it: angles have a smaller tangent.
constexpr double window = 3;
/// Added to the square of the distance of a bend's legs, in squared radii (mean of both
/// wires). This gives bends the capacitance of surface meshes (docs/theory/method.md).
constexpr double skew_soft = 0.28;

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
  return smooth_ramp(distance, 1.1, 1.25);
}

/// Returns the weight of ProximityForms::close at wires beside others: full up to 0.4
/// mean radii between the surfaces, none from 0.8 on, where the other forms suffice.
double close_weight(double distance) {
  return smooth_ramp(distance, 1.4, 1.2);
}

}  // namespace

/// Wires through the plane of a station whose harmonics count there, its own first.
struct ProximityStations::Section {
  std::vector<std::uint32_t> wire;
  std::vector<Vec3> offset_m;  ///< of their axes from that of the station's wire
  std::vector<SectionWire> at;
  /// Harmonics of currents, then of charges if wires have sheaths, then of D + 1 if
  /// close wires have losses; empty until made.
  std::vector<WireHarmonics> harmonics;
  double nearest_m = std::numeric_limits<double>::infinity();  ///< of all wires beside
  double apart = 1;  ///< weight of wires at an angle
  double close = 0;  ///< weight of ProximityForms::close
};

struct ProximityStations::Place {
  std::uint32_t wire;
  Vec3 x, y;  ///< unit vectors across it
  double t_m, weight_m;
  bool near_skew;  ///< whether wires at an angle are near
  bool of_losses;
};

struct ProximityStations::Stations {
  /// The effect of charges distributed as 1, x, x^2 over a wire (x from -1 to 1) at a
  /// station: harmonics of the potential on the station's own wire, and those
  /// of its current and charge, [2 or, with sheaths, 3][3][own] from `first` in
  /// Stations::values; beside close wires also both factors of ProximityForms::close.
  struct Drive {
    std::uint32_t near;  ///< index into the wires near
    bool of_currents;    ///< whether currents drive likewise
    int orders;          ///< of the potential; those of the charge are all
    std::size_t station, first;
  };
  std::vector<double> weight_m;
  std::vector<std::size_t> own;  ///< harmonics of the station's own wire
  std::vector<char> close;       ///< whether it is beside close wires
  std::vector<Drive> drives;
  std::vector<double> values;
};

ProximityStations::ProximityStations(const ProximityNeighbours& neighbours,
                                     std::vector<WireMaterial> materials)
    : neighbours_(neighbours), materials_(std::move(materials)) {
  for (std::uint32_t p = 0; p < neighbours.real(); ++p)
    sheaths_ = sheaths_ || material(p).sheath_radius_m > 0;
}

/// Calls visit(t_m, weight_m) for the stations of a wire.
template <class Visit>
void ProximityStations::for_stations(std::uint32_t p, const Visit& visit) const {
  for (const ProximityNeighbours::Panel& panel : neighbours_.panels(p)) {
    const double length = panel.t1_m - panel.t0_m;
    const GaussRule rule = gauss_rule(length < 0.2437 * panel.nearest_m  ? 1
                                      : length < 0.987 * panel.nearest_m ? 2
                                                                         : 3);
    for (int g = 0; g < rule.points; ++g)
      visit(0.5 * (panel.t0_m + panel.t1_m + rule.node[g] * length),
            0.5 * rule.weight[g] * length);
  }
}

/// Returns where q passes the plane at t along p, from p's axis.
Vec3 ProximityStations::offset_at(std::uint32_t p, std::uint32_t q, double t_m) const {
  const AxisView view(neighbours_.wire(p), neighbours_.wire(q));
  return view.offset(view.at(t_m));
}

const WireMaterial& ProximityStations::material(std::uint32_t wire) const {
  static constexpr WireMaterial perfect;
  return materials_.empty() ? perfect : materials_[neighbours_.element(wire)];
}

/// Makes the section at a place; keeps the harmonics of the last one where it is alike.
void ProximityStations::cut(const Place& place, Section& section) const {
  const Element& wire = neighbours_.wire(place.wire);
  Section now;
  const auto add = [&](std::uint32_t q, Vec3 offset) {
    const SectionWire at = {dot(offset, place.x), dot(offset, place.y),
                            neighbours_.wire(q).radius_m};
    for (const SectionWire& other : now.at)
      if (std::hypot(at.x_m - other.x_m, at.y_m - other.y_m) <=
          at.radius_m + other.radius_m)
        return;
    now.wire.push_back(q);
    now.offset_m.push_back(offset);
    now.at.push_back(at);
  };
  add(place.wire, {0, 0, 0});
  for (const ProximityNeighbours::Beside& q : neighbours_.beside(place.wire))
    if (q.t0 <= place.t_m && place.t_m < q.t1) {
      const Vec3 offset = offset_at(place.wire, q.wire, place.t_m);
      const double distance = norm(offset), radius = neighbours_.wire(q.wire).radius_m;
      if (proximity_weight(distance, wire.radius_m, radius) == 0) continue;
      now.nearest_m = std::min(now.nearest_m, distance);
      now.apart = std::min(now.apart, apart_weight(distance / (wire.radius_m + radius)));
      if (place.of_losses)
        now.close =
            std::max(now.close, close_weight(distance / (wire.radius_m + radius)));
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

void ProximityStations::make_harmonics(Section& section) const {
  const auto sheath_of = [&](std::size_t w) -> const WireMaterial& {
    return material(section.wire[w] % neighbours_.real());
  };
  std::vector<SectionWire> hulls = section.at;
  if (sheaths_)
    for (std::size_t w = 0; w < hulls.size(); ++w)
      hulls[w].radius_m = std::max(hulls[w].radius_m, sheath_of(w).sheath_radius_m);
  const int orders = harmonic_orders(hulls);
  section.harmonics.emplace_back(section.at, orders);
  const auto add = [&](const auto& factor) {
    std::vector<double> factors;
    for (std::size_t w = 0; w < hulls.size(); ++w)
      for (int m = 1; m <= orders; ++m) factors.push_back(factor(w, m));
    section.harmonics.emplace_back(section.at, orders, factors);
  };
  if (sheaths_)
    add([&](std::size_t w, int m) {
      return sheath_self_factor(m, hulls[w].radius_m / section.at[w].radius_m,
                                sheath_of(w).sheath_permittivity);
    });
  if (section.close > 0) add([](std::size_t, int m) { return 1.0 + m; });
}

ProximityForms ProximityStations::forms(std::uint32_t p, bool of_losses) const {
  const Vec3 along = neighbours_.wire(p).tangent;
  Vec3 x = cross(along, std::fabs(along.z) < 0.5 ? Vec3{0, 0, 1} : Vec3{1, 0, 0});
  x = (1 / norm(x)) * x;
  const Vec3 y = cross(along, x);
  Section section;
  Stations stations;
  ProximityForms forms;
  for_stations(p, [&](double t_m, double weight_m) {
    add_station({p, x, y, t_m, weight_m, !neighbours_.skew(p).empty(), of_losses},
                section, forms, stations);
  });
  multiply(stations, neighbours_.near(p).size(), of_losses, forms);
  return forms;
}

double ProximityStations::multiplications(std::uint32_t p, std::size_t wires) const {
  const Element& wire = neighbours_.wire(p);
  const std::vector<std::uint32_t>& near = neighbours_.near(p);
  double stations = 0, coupled = 0, nearest_m = std::numeric_limits<double>::infinity();
  for_stations(p, [&](double t_m, double) {
    bool any = !neighbours_.skew(p).empty();
    for (const ProximityNeighbours::Beside& q : neighbours_.beside(p)) {
      if (t_m < q.t0 || q.t1 <= t_m) continue;
      const double radius = neighbours_.wire(q.wire).radius_m,
                   distance = norm(offset_at(p, q.wire, t_m));
      if (proximity_weight(distance, wire.radius_m, radius) == 0) continue;
      any = true;
      nearest_m = std::min(nearest_m, distance);
      coupled += harmonics_weight(distance, wire.radius_m, radius) > 0 ? 1 : 0;
    }
    stations += any ? 1 : 0;
  });
  if (stations == 0) return 0;
  coupled = 1 + coupled / stations;
  double parallel = 0;
  for (const std::uint32_t q : near)
    parallel += angle_weight(dot(neighbours_.wire(q).tangent, wire.tangent)) > 0 ? 1 : 0;
  const double orders = harmonic_orders(std::array<SectionWire, 2>{
                   {{0, 0, wire.radius_m}, {nearest_m, 0, wire.radius_m}}}),
               own = 2 * orders, rows = coupled * own,
               columns = 3 * static_cast<double>(near.size());
  // Products of matrices take a tenth of what others do.
  return stations * (36 * parallel * coupled * (orders + 2) * (orders + 2) +
                     columns * (rows + 0.1 * columns) * own) +
         rows * rows * rows + 7 * columns * columns * static_cast<double>(wires);
}

std::vector<std::int64_t> ProximityStations::surroundings(std::uint32_t p) const {
  const Element& wire = neighbours_.wire(p);
  const auto& beside = neighbours_.beside(p);
  std::vector<std::int64_t> numbers{p};
  // Bends are few, and their legs are not described here.
  if (beside.empty() || !neighbours_.skew(p).empty()) return numbers;
  Vec3 x = offset_at(p, beside[0].wire, 0.5 * (beside[0].t0 + beside[0].t1));
  const double distance = norm(x);
  if (distance < 1e-3 * wire.radius_m) return numbers;
  x = (1 / distance) * x;
  const Vec3 y = cross(wire.tangent, x);
  constexpr double unit = 1e-8;  // of the wire's length
  numbers = {std::llround(std::log(wire.length_m) / unit)};
  const auto add = [&](double length_m) {
    numbers.push_back(std::llround(length_m / (unit * wire.length_m)));
  };
  const auto add_wire = [&](std::uint32_t q) {
    const Element& e = neighbours_.wire(q);
    for (const double end : {0.0, e.length_m}) {
      const Vec3 point = e.start_m + end * e.tangent - wire.start_m;
      for (const Vec3 axis : {x, y, wire.tangent}) add(dot(point, axis));
    }
    add(e.radius_m);
    const WireMaterial& m = material(q % neighbours_.real());
    add(m.sheath_radius_m);
    add(m.sheath_permittivity * e.radius_m);
  };
  add(wire.radius_m);
  for (const ProximityNeighbours::Beside& q : beside) add_wire(q.wire);
  for (const std::uint32_t q : neighbours_.near(p)) add_wire(q);
  return numbers;
}

void ProximityStations::add_station(const Place& place, Section& section,
                                    ProximityForms& forms, Stations& stations) const {
  cut(place, section);
  if (section.nearest_m == std::numeric_limits<double>::infinity()) {
    if (!place.near_skew) return;
    section.nearest_m = 0;
  }
  const std::vector<WireHarmonics>& harmonics = section.harmonics;
  const std::size_t rows = harmonics[0].rows(), own = harmonics[0].row(1, 1),
                    station = stations.weight_m.size();
  const bool close = harmonics.size() > responses();
  const std::vector<std::uint32_t>& near = neighbours_.near(place.wire);
  std::vector<double> potential(3 * rows);
  const auto add = [&](std::uint32_t i, bool of_currents, int orders) {
    const std::size_t first = stations.values.size();
    stations.values.resize(first + 3 * (1 + harmonics.size() + (close ? 1 : 0)) * own,
                           0.0);
    double* value = &stations.values[first];
    for (std::size_t power = 0; power < 3; ++power, value += own)
      std::copy_n(&potential[power * rows], own, value);
    for (const WireHarmonics& response : harmonics)
      for (std::size_t power = 0; power < 3; ++power, value += own)
        for (std::size_t j = 0; j < rows; ++j)
          if (const double drive = potential[power * rows + j]; drive != 0)
            response.add_response(j, drive, {value, own});
    if (close) {
      // From S' = (D + 1)^-1: S b - b in the place of S' b, behind it b + S b - 4 S' b.
      const std::size_t block = 3 * own;
      double *const b = &stations.values[first], *const last = value - block;
      for (std::size_t j = 0; j < block; ++j) {
        const double sb = b[block + j];
        value[j] = section.close * (b[j] + sb - 4 * last[j]);
        last[j] = sb - b[j];
      }
    }
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
  stations.close.push_back(close);
  forms.nearest_m = std::min(forms.nearest_m, section.nearest_m);
}

/// Makes the forms of all stations.
void ProximityStations::multiply(const Stations& stations, std::size_t near,
                                 bool of_losses, ProximityForms& forms) const {
  // Columns that drive higher orders come first.
  std::vector<int> orders(2 * near, 0);
  const auto place_of = [](const Stations::Drive& drive) {
    return 2 * drive.near + (drive.of_currents ? 0 : 1);
  };
  for (const Stations::Drive& drive : stations.drives)
    orders[place_of(drive)] = std::max(orders[place_of(drive)], drive.orders);
  std::vector<std::size_t> column(orders.size());
  std::size_t of_higher = 0;
  for (const bool higher : {true, false}) {
    for (std::size_t i = 0; i < orders.size(); ++i)
      if (orders[i] > 0 && (orders[i] > 1) == higher) {
        column[i] = forms.columns.size();
        forms.columns.push_back({static_cast<std::uint32_t>(i / 2), i % 2 == 0});
      }
    if (higher) of_higher = 3 * forms.columns.size();
  }
  forms.stride = padded(3 * forms.columns.size());
  // Blocks of a drive's values: potential, current, charge.
  const auto add = [&](ProximityForms::Entries& entries, std::size_t first,
                       std::size_t second) {
    entries.assign(forms.stride * forms.stride, 0.0);
    for (const bool higher : {false, true}) {
      std::vector<std::size_t> row(stations.own.size());
      std::size_t rows = 0;
      for (std::size_t s = 0; s < row.size(); ++s) {
        row[s] = rows;
        rows += higher ? stations.own[s] - 2 : 2;
      }
      std::vector<double> a(rows * forms.stride, 0.0), b(a);
      for (const Stations::Drive& drive : stations.drives) {
        const std::size_t own = stations.own[drive.station];
        if (second > responses() && !stations.close[drive.station]) continue;
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
  add(forms.charge, 0, responses());
  if (sheaths_) add(forms.current, 0, 1);
  if (!of_losses) return;
  add(forms.once, 0, 0);
  add(forms.twice, 1, 1);
  if (std::ranges::find(stations.close, 1) != stations.close.end())
    add(forms.close, responses() + 1, responses() + 2);
}

/// Integrates the potential's harmonics, [3][rows], that an element causes around the
/// wires of a section, for charges as in Drive. Returns their greatest order, 0 if
/// there are none. Wires drive higher orders than the first only where they are
/// coupled.
int ProximityStations::integrate(const Place& place, const Section& section,
                                 std::uint32_t element,
                                 std::vector<double>& potential) const {
  const Element& wire = neighbours_.wire(place.wire);
  const Element& e = neighbours_.wire(element);
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
    const double radius = neighbours_.wire(section.wire[w]).radius_m,
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
bool ProximityStations::integrate_skew(const Place& place, const Section& section,
                                       std::uint32_t element,
                                       std::vector<double>& potential) const {
  const Element &wire = neighbours_.wire(place.wire), &e = neighbours_.wire(element);
  const std::size_t rows = section.harmonics.front().rows();
  if (section.apart == 0) return false;
  const Vec3 to_start = e.start_m - (wire.start_m + place.t_m * wire.tangent);
  bool any = false;
  for (std::size_t w = 0; w < section.wire.size(); ++w) {
    const std::vector<ProximityNeighbours::Skew>& skew =
        neighbours_.skew(section.wire[w]);
    const auto found =
        std::lower_bound(skew.begin(), skew.end(), ProximityNeighbours::Skew{element});
    if (found == skew.end() || found->wire != element) continue;
    // u: distance along the element from the foot of the perpendicular.
    const double radius = neighbours_.wire(section.wire[w]).radius_m,
                 limit = skew_radii * radius;
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

}  // namespace thinwire
