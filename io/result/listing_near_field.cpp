#include <fmt/format.h>

#include <cmath>
#include <iterator>

#include "io/result/listing_blocks.h"
#include "kernels/base/constants.h"
#include "mom/near_fields.h"

namespace thinwire::listing {

std::string near_field(const NearFieldResult& result) {
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
