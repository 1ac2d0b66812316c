// The cards for the ground: GN and GD.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "geometry/end_clusters.h"
#include "geometry/surface_lift.h"
#include "geometry/wires_below.h"
#include "io/deck/control.h"
#include "kernels/base/constants.h"
#include "kernels/base/error.h"

namespace thinwire {
namespace {

/// Larger relative permittivities, and smaller than that of air, are mistakes.
constexpr double largest_permittivity = 1e4;
/// Beyond, patterns over grounds that are not checked by their refractive index (GN 3,
/// GD) would overflow. S/m; negative: minus the imaginary part of the permittivity.
constexpr double largest_conductivity = 1e12;
/// Where |sqrt(eps)| is larger the ground is a perfect conductor to 1e-4.
constexpr double largest_index = 1e5;

}  // namespace

void ControlCards::ground(const CardFields& card) {
  const int type = card.integer(1, "type");
  if (type < -1 || type > 3) {
    card.refuse(1, "type", fmt::format("expected -1 to 3, got {}.", type));
  }
  second_medium_.reset();
  if (at_nodes() && (type == 0 || type == 2)) {
    ground_of_nec5(card, Ground::Kind::sommerfeld);
  } else if (type != 1 && type != -1) {
    next_.ground = real_ground(card, 5);
    const int radials = card.integer(2, "radials");
    if (radials != 0) {
      if (type != 0) {
        card.refuse(
            2, "radials",
            "a screen of radial wires is for GN 0 only, as in NEC-2. Use GN 0, or "
            "draw the radials as wires above the ground or in it.");
      }
      next_.ground.screen = radial_screen(card, radials);
      card.unused(9, 10);
    } else if (card.real(7, "second permittivity") != 0) {
      second_medium_ = read_second_medium(card, 7);
    } else {
      card.unused(8, 10);
    }
    if (type == 0) next_.ground.kind = Ground::Kind::coefficients;
    if (type == 3) next_.ground.kind = Ground::Kind::mininec;
  } else {
    if (type == 1 && card.integer(2, "radials") != 0) {
      card.refuse(2, "radials", "a screen of radial wires is for GN 0 only.");
    }
    card.unused(3, 10);
    next_.ground = type == 1 ? Ground::perfect : Ground::none;
  }
  change(Run::Start::environment);
}

/// The permittivity in `field` and the conductivity behind it.
Ground ControlCards::real_ground(const CardFields& card, std::size_t field) const {
  const double permittivity = card.real(field, "relative permittivity");
  const double conductivity = card.real(field + 1, "conductivity in S/m");
  const bool is_small = permittivity > 0 && permittivity < 1 && conductivity != 0;
  if (!(permittivity >= 1 && permittivity <= largest_permittivity) && !is_small) {
    card.refuse(field, "relative permittivity",
                fmt::format("must be between 1 and {:g} (got {:g}). Soil has 3 to 30, "
                            "water 80.",
                            largest_permittivity, permittivity));
  }
  if (is_small)
    card.warn(fmt::format(
        "field {} (relative permittivity): {:g} is less than that of air, and "
        "used as it stands. Are it and the conductivity exchanged?",
        field, permittivity));
  if (!(std::abs(conductivity) <= largest_conductivity)) {
    card.refuse(
        field + 1, "conductivity",
        fmt::format("must be within {:g} S/m (got {:g}). Sea water has 5; GN 1 is "
                    "a perfect conductor.",
                    largest_conductivity, conductivity));
  }
  return Ground::sommerfeld(permittivity, conductivity);
}

RadialScreen ControlCards::radial_screen(const CardFields& card, int radials) const {
  const RadialScreen screen = {radials, card.real(7, "screen radius"),
                               card.real(8, "radius of the screen's wires")};
  if (radials < 0 || radials > 1'000'000) {
    card.refuse(2, "radials",
                fmt::format("must be between 0 and 1000000 (got {}).", radials));
  }
  if (!(screen.radius_m > 0 && screen.radius_m <= 1e9)) {
    card.refuse(
        7, "screen radius",
        fmt::format("must be positive, at most 1e9 m (got {:g}).", screen.radius_m));
  }
  if (!(screen.wire_radius_m > 0 && radials * screen.wire_radius_m < screen.radius_m)) {
    card.refuse(8, "radius of the screen's wires",
                fmt::format("must be positive, and {} times it below the screen's radius "
                            "(got {:g} m).",
                            radials, screen.wire_radius_m));
  }
  return screen;
}

SecondMedium ControlCards::read_second_medium(const CardFields& card,
                                              std::size_t field) const {
  const SecondMedium second = {real_ground(card, field), card.real(field + 2, "edge"),
                               card.real(field + 3, "drop")};
  if (!(std::abs(second.edge_m) <= 1e9 && std::abs(second.drop_m) <= 1e9)) {
    card.refuse(fmt::format("its edge and drop must be within 1e9 m (got {:g} and {:g}).",
                            second.edge_m, second.drop_m));
  }
  return second;
}

/// NEC-5's GN 0, GN 2 and GD: one medium, with its permeability behind it.
void ControlCards::ground_of_nec5(const CardFields& card, Ground::Kind kind) {
  next_.ground = real_ground(card, 5);
  next_.ground.kind = kind;
  if (card.integer(2, "radials") != 0 && kind == Ground::Kind::sommerfeld) {
    card.refuse(2, "radials",
                "a screen of radial wires is for NEC-2's GN 0 only. Draw the radials as "
                "wires above the ground or in it.");
  }
  const double permeability = card.real(7, "relative permeability");
  if ((permeability != 0 && permeability != 1) ||
      card.real(8, "imaginary part of the permeability") != 0) {
    card.refuse(7, "relative permeability",
                fmt::format("only grounds of permeability 1 are supported (got {}).",
                            permeability));
  }
  card.unused(9, 10);
}

/// GD: ground beyond an edge, for the patterns of RP 2, 3, 5 and 6. In NEC-5 it is the
/// ground itself, perfect for currents; GD -1 cancels it.
void ControlCards::second_medium(const CardFields& card) {
  if (at_nodes()) {
    if (card.integer(1, "option") == -1)
      next_.ground = Ground::none;
    else
      ground_of_nec5(card, Ground::Kind::mininec);
    change(Run::Start::environment);
    return;
  }
  const bool blank = card.real(5, "relative permittivity") == 0 &&
                     card.real(6, "conductivity in S/m") == 0 &&
                     card.real(7, "edge") == 0 && card.real(8, "drop") == 0;
  if (blank) {
    card.warn("has only zeros: there is no second ground.");
    second_medium_.reset();
  } else {
    second_medium_ = read_second_medium(card, 5);
  }
  card.unused(9, 10);
}

/// Refuses what the ground in force does not allow, at the run that `line` starts.
void ControlCards::check_real_ground(int line) {
  for (const double frequency_hz : next_.frequency_hz) {
    const double k = wavenumber_rad_per_m(frequency_hz);
    const double index = std::sqrt(std::abs(next_.ground.permittivity(k)));
    if (index < 1) {
      messages_.refuse(line, fmt::format("the ground's permittivity is below that of air "
                                         "at {:g} MHz ({:.2g}). Soil has 3 to 30.",
                                         frequency_hz * 1e-6, index * index));
    }
    if (index > largest_index) {
      messages_.refuse(
          line,
          fmt::format("GN {}: the ground's refractive index at {:g} MHz is {:.2g} "
                      "(limit {:g}): it is practically a perfect conductor. Use GN 1.",
                      next_.ground.kind == Ground::Kind::sommerfeld ? 2 : 0,
                      frequency_hz * 1e-6, index, largest_index));
    }
  }
}

/// NEC-2 joins wires to a ground by reflection coefficients with results that depend on
/// the segments' length.
void ControlCards::check_contact(int line) {
  if (!problem_.ground_contact || next_.ground.kind != Ground::Kind::coefficients ||
      std::exchange(contact_checked_, true))
    return;
  const auto& segments = problem_.structure.segments();
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const double low = std::min(segments[i].start_m.z, segments[i].end_m.z);
    if (low > junction_tolerance * norm(segments[i].end_m - segments[i].start_m))
      continue;
    messages_.warn(
        line, fmt::format(
                  "GN 0 with GE 1: segment {} (tag {}) stands on the ground, and is not "
                  "connected: reflection coefficients mean nothing there. NEC-2's "
                  "answer tends to this one as segments get shorter. Use GN 2.",
                  i + 1, segments[i].tag));
    return;
  }
}

/// Raises wires that lie in the surface of a real ground onto it. Throws Error{geometry}
/// where much of the structure lies below.
void ControlCards::lift_onto_surface(int line) {
  Structure& structure = problem_.structure;
  const SurfaceLift lift = find_surface_lift(structure, problem_.ground_contact);
  if (lift.segments == 0) return;
  const std::string first = fmt::format(
      "segment {} (tag {}, segment {} of it)", lift.segment + 1,
      structure.segments()[lift.segment].tag, index_.within_tag(lift.segment));
  // Rods and radials that are much deeper than this keep their shape.
  constexpr double depth_per_height = 10;
  if (lift.depth_m > 0 && lift.depth_m < depth_per_height * lift.height_m)
    throw Error(
        ErrorKind::geometry,
        fmt::format("{}: {} lies in the surface of the real ground that line {} runs "
                    "over, and the structure reaches {:g} m below it. To stand it on the "
                    "ground, add GM 0 0 0 0 0 0 0 {:g} before GE (or more, as high as it "
                    "is); for free space, remove GN.",
                    structure.origin(lift.segment), first, line, lift.depth_m,
                    std::ceil(lift.clearance_m * (1e6 - 1e-3)) * 1e-6));
  const std::string more =
      lift.segments > 1 ? fmt::format(" and {} more of {} segments lie",
                                      lift.segments - 1, structure.segments().size())
                        : " lies";
  messages_.warn(
      line, fmt::format(
                "{}{} in the surface of the ground, where NEC-2's answer has no meaning. "
                "What is not below it is raised by {:g} m ({:.2g} wavelengths), so that "
                "wires lie on the ground. Twice as high, Z differs by 33 % (dipoles), "
                "43 % (4 radials) or 9 % (16): where wires are higher, move them (GM).",
                first, more, lift.height_m,
                lift.height_m * next_.frequency_hz.back() / speed_of_light_m_per_s));
  structure.raise(lift.height_m, lift.rises);
}

/// No wire may lie in the surface of a perfect ground; the tolerance is that of
/// junctions, 1e-3 of the segment's length. Below z = 0 wires may lie with GN 2 only.
void ControlCards::check_ground(int line) {
  ground_checked_ = true;
  const bool takes_wires = next_.ground.takes_wires();
  const bool is_real = next_.ground.is_real();
  if (std::exchange(takes_wires ? surface_checked_ : above_checked_, true)) return;
  const auto& segments = problem_.structure.segments();
  for (std::size_t i = 0; i < segments.size() && !takes_wires; ++i) {
    const bool below = reaches_below(segments[i]);
    if (!below && (is_real || !lies_on_surface(segments[i]))) continue;
    throw Error(
        ErrorKind::geometry,
        fmt::format("{}: segment {} (tag {}, segment {} of it) {} the {} "
                    "ground that line {} runs over (z = {:g} and {:g} m at its ends). {}",
                    problem_.structure.origin(i), i + 1, segments[i].tag,
                    index_.within_tag(i), below ? "extends below" : "lies in",
                    is_real ? "real" : "perfect", line, segments[i].start_m.z,
                    segments[i].end_m.z,
                    below ? "Raise the structure, or take GN 2 for wires in the ground."
                          : "Raise the structure."));
  }
  if (is_real) lift_onto_surface(line);
}

}  // namespace thinwire
