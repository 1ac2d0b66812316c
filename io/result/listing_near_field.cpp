#include <fmt/format.h>

#include <cmath>
#include <iterator>

#include "io/result/listing_blocks.h"
#include "kernels/base/constants.h"
#include "mom/problem/near_field_request.h"

namespace thinwire::listing {

namespace {

/// RP 1: the components along theta, phi and r at each point, as nec2c prints them.
std::string near_ground(const NearFieldResult& result) {
  std::string out =
      "\n\n                             ------- RADIATED FIELDS NEAR GROUND --------\n\n"
      "    ------- LOCATION -------     --- E(THETA) ---     ---- E(PHI) ----    --- "
      "E(RADIAL) ---\n"
      "      RHO    PHI        Z           MAG    PHASE         MAG    PHASE        MAG "
      "    PHASE\n"
      "    METERS DEGREES    METERS      VOLTS/M DEGREES      VOLTS/M DEGREES     "
      "VOLTS/M "
      " DEGREES\n";
  const NearFieldRequest& request = result.request;
  const std::vector<Vec3> points = near_field_points(request);
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double phi_deg =
        request.start[1] +
        request.step[1] * static_cast<double>(static_cast<std::int64_t>(i) /
                                              request.count[0] % request.count[1]);
    const double phi = phi_deg * (pi / 180), rho = request.start[2];
    const double theta = std::atan2(rho, points[i].z);
    const Complex* e = &result.field[3 * i];
    const Complex e_rho = std::cos(phi) * e[0] + std::sin(phi) * e[1];
    const Complex components[] = {std::cos(theta) * e_rho - std::sin(theta) * e[2],
                                  std::cos(phi) * e[1] - std::sin(phi) * e[0],
                                  std::sin(theta) * e_rho + std::cos(theta) * e[2]};
    fmt::format_to(std::back_inserter(out), " {:9.2f} {:7.2f} {:9.2f}", rho, phi_deg,
                   points[i].z);
    for (const Complex value : components)
      fmt::format_to(std::back_inserter(out), "  {:11.4E} {:7.2f}", std::abs(value),
                     value == 0.0 ? 0.0 : std::arg(value) * (180 / pi));
    out += '\n';
  }
  return out;
}

}  // namespace

std::string near_field(const NearFieldResult& result) {
  if (result.request.grid == NearFieldRequest::Grid::near_ground)
    return near_ground(result);
  const bool electric = result.request.field == NearFieldRequest::Field::electric;
  std::string out =
      electric
          ? "\n\n                             -------- NEAR ELECTRIC FIELDS --------\n"
          : "\n\n                                   -------- NEAR MAGNETIC FIELDS "
            "---------\n\n";
  out += fmt::format(
      "     ------- LOCATION -------     ------- {0}X ------    ------- {0}Y ------    "
      "------- {0}Z ------\n"
      "      X         Y         Z       MAGNITUDE   PHASE    MAGNITUDE   PHASE    "
      "MAGNITUDE   PHASE\n",
      electric ? 'E' : 'H');
  out += electric ? "    METERS    METERS    METERS     VOLTS/M  DEGREES    VOLTS/M   "
                    "DEGREES     VOLTS/M  DEGREES\n"
                  : "    METERS    METERS    METERS      AMPS/M  DEGREES      AMPS/M  "
                    "DEGREES      AMPS/M  DEGREES\n";
  const std::vector<Vec3> points = near_field_points(result.request);
  for (std::size_t i = 0; i < points.size(); ++i) {
    fmt::format_to(std::back_inserter(out), " {:9.4f} {:9.4f} {:9.4f}", points[i].x,
                   points[i].y, points[i].z);
    for (int c = 0; c < 3; ++c) {
      const Complex value = result.field[3 * i + c];
      fmt::format_to(std::back_inserter(out), "  {:11.4E} {:7.2f}", std::abs(value),
                     value == 0.0 ? 0.0 : std::arg(value) * (180 / pi));
    }
    out += '\n';
  }
  return out;
}

}  // namespace thinwire::listing
