// The card for the ground: GN.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "geometry/end_clusters.h"
#include "io/deck/control.h"
#include "io/deck/unsupported.h"
#include "kernels/base/error.h"

namespace thinwire {
namespace {

/// Larger relative permittivities, and smaller than that of air, are mistakes.
constexpr double largest_permittivity = 1e4;
/// Where |sqrt(eps)| is larger the ground is a perfect conductor to 1e-4.
constexpr double largest_index = 1e5;

}  // namespace

void ControlCards::ground(const CardFields& card) {
  const int type = card.integer(1, "type");
  if (const std::string what = unsupported_type("GN", type); !what.empty()) {
    messages_.refuse(card.line(),
                     what +
                         " is not supported. GN 2 (real ground by Sommerfeld's method), "
                         "GN 1 (perfect ground) and GN -1 (free space) are.");
  }
  if (type != 2 && type != 1 && type != -1) {
    card.refuse(1, "type", fmt::format("expected -1 to 2, got {}.", type));
  }
  if (type >= 1 && card.integer(2, "radials") != 0) {
    card.refuse(2, "radials", "a radial wire ground screen is not supported.");
  }
  if (type == 2) {
    next_.ground = real_ground(card);
  } else {
    card.unused(3, 10);
    next_.ground = type == 1 ? Ground::perfect : Ground::none;
  }
  change(Run::Start::environment);
}

Ground ControlCards::real_ground(const CardFields& card) {
  const double permittivity = card.real(5, "relative permittivity");
  const double conductivity = card.real(6, "conductivity in S/m");
  if (!(permittivity >= 1 && permittivity <= largest_permittivity)) {
    card.refuse(5, "relative permittivity",
                fmt::format("must be between 1 and {:g} (got {:g}). Soil has 3 to 30, "
                            "water 80.",
                            largest_permittivity, permittivity));
  }
  for (std::size_t field = 7; field <= 10; ++field) {
    if (card.real(field, "second medium") != 0) {
      card.refuse(field, "second medium",
                  "a second ground medium is not supported. Leave fields 7 to 10 empty "
                  "for one ground everywhere.");
    }
  }
  card.unused(11, 10);
  return Ground::sommerfeld(permittivity, conductivity);
}

/// What the ground in force is not for, at the run that `line` starts.
void ControlCards::check_real_ground(int line) {
  for (const double frequency_hz : next_.frequency_hz) {
    const double k = 2 * pi * frequency_hz / speed_of_light_m_per_s;
    const double index = std::sqrt(std::abs(next_.ground.permittivity(k)));
    if (index > largest_index) {
      messages_.refuse(
          line, fmt::format("GN 2: the ground's refractive index at {:g} MHz is {:.2g} "
                            "(limit {:g}): it is a perfect conductor. Use GN 1.",
                            frequency_hz * 1e-6, index, largest_index));
    }
  }
}

/// Over ground nothing may lie below it or in it; the tolerance is that of junctions,
/// 1e-3 of the segment's length.
void ControlCards::check_ground(int line) {
  if (std::exchange(ground_checked_, true)) return;
  const auto& segments = problem_.structure.segments();
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const double z1 = segments[i].start_m.z, z2 = segments[i].end_m.z;
    const double tolerance_m =
        junction_tolerance * norm(segments[i].end_m - segments[i].start_m);
    const bool below = std::min(z1, z2) < -tolerance_m;
    if (!below && std::max(z1, z2) > tolerance_m) continue;
    throw Error(
        ErrorKind::geometry,
        fmt::format("{}: segment {} (tag {}, segment {} of it) {} the {} "
                    "ground that line {} runs over (z = {:g} and {:g} m at its ends). "
                    "Raise the structure.",
                    problem_.structure.origin(i), i + 1, segments[i].tag,
                    index_.within_tag(i), below ? "extends below" : "lies in",
                    next_.ground.is_real() ? "real" : "perfect", line, z1, z2));
  }
}

}  // namespace thinwire
