// The cards for fields close to the structure: NE and NH.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "io/deck/control.h"
#include "kernels/base/constants.h"

namespace thinwire {

namespace {

/// Over real ground a point that far takes a minute.
constexpr double largest_wavelengths = 2e4;

struct AxisFields {
  const char* count;
  const char* start;
  const char* step;
};

constexpr AxisFields axes[2][3] = {
    {{"points along x", "first x", "x step"},
     {"points along y", "first y", "y step"},
     {"points along z", "first z", "z step"}},
    {{"points along r", "first r", "r step"},
     {"points along phi", "first phi", "phi step"},
     {"points along theta", "first theta", "theta step"}},
};

std::int64_t points_of(const NearFieldRequest& request) {
  return request.count[0] * request.count[1] * request.count[2];
}

double last_of(const NearFieldRequest& request, int axis) {
  return request.start[axis] +
         request.step[axis] * static_cast<double>(request.count[axis] - 1);
}

/// The lowest z of the grid, a hair of rounding forgiven.
double lowest_of(const NearFieldRequest& request) {
  constexpr double hair = 1e-9;
  if (request.grid != NearFieldRequest::Grid::spherical) {
    const int axis = request.grid == NearFieldRequest::Grid::rectangular ? 2 : 0;
    return std::min(request.start[axis], last_of(request, axis)) + hair;
  }
  double lowest = std::numeric_limits<double>::infinity();
  for (std::int64_t i = 0; i < request.count[2]; ++i) {
    const double theta_deg = request.start[2] + request.step[2] * static_cast<double>(i);
    for (const double r : {request.start[0], last_of(request, 0)})
      lowest = std::min(lowest,
                        r * std::cos(theta_deg * (pi / 180)) + hair * (1 + std::abs(r)));
  }
  return lowest;
}

/// The largest distance from the origin, or more.
double farthest_of(const NearFieldRequest& request) {
  double largest[3];
  for (int axis = 0; axis < 3; ++axis)
    largest[axis] =
        std::max(std::abs(request.start[axis]), std::abs(last_of(request, axis)));
  switch (request.grid) {
    case NearFieldRequest::Grid::rectangular:
      return std::hypot(largest[0], largest[1], largest[2]);
    case NearFieldRequest::Grid::spherical:
      return largest[0];
    default:
      return std::hypot(largest[0], largest[2]);
  }
}

}  // namespace

/// NE or NH runs what is in force at once, as RP does; where that is a loop over several
/// frequencies it waits for XQ or RP instead, and a further NE or NH takes its place.
void ControlCards::near_field(const CardFields& card) {
  const int grid = card.integer(1, "coordinates");
  if (grid != 0 && grid != 1) {
    card.refuse(1, "coordinates",
                fmt::format("expected 0 (rectangular) or 1 (spherical), got {}.", grid));
  }
  NearFieldRequest request;
  if (card.card().mnemonic == "NH") request.field = NearFieldRequest::Field::magnetic;
  if (grid == 1) request.grid = NearFieldRequest::Grid::spherical;
  double points = 1;
  for (std::size_t i = 0; i < 3; ++i) {
    const AxisFields& axis = axes[grid][i];
    request.count[i] = card.count(2 + i, axis.count);
    request.start[i] = card.real(5 + i, axis.start);
    request.step[i] = card.real(8 + i, axis.step);
    points *= static_cast<double>(request.count[i]);
    const double end =
        request.start[i] + request.step[i] * static_cast<double>(request.count[i] - 1);
    if (!(std::abs(request.start[i]) <= largest_coordinate) ||
        (request.count[i] > 0 && !(std::abs(end) <= largest_coordinate))) {
      card.refuse(5 + i, axis.start,
                  fmt::format("coordinates must be within {:g} (got {:g} to {:g}).",
                              largest_coordinate, request.start[i], end));
    }
  }
  card.unused(11, 10);
  if (points > static_cast<double>(limits_.pattern_points)) {
    card.refuse(fmt::format("asks for {} x {} x {} points (limit {}). Use fewer.",
                            request.count[0], request.count[1], request.count[2],
                            limits_.pattern_points));
  }
  if (points == 0 && request.count[0] + request.count[1] + request.count[2] > 0) {
    card.warn("asks for no points: one of its counts (fields 2 to 4) is 0.");
  }
  // Programs write NE 0 0 0 0 for "none".
  if (points == 0 && !is_excited()) return;
  drop_waiting(
      fmt::format("is dropped: before a loop over frequencies only the last NE or NH "
                  "counts (line {}), as in NEC-2. Repeat the loop for the other.",
                  card.line()));
  if (next_.frequency_hz.size() > 1) {
    waiting_ = Waiting{request, card.card().mnemonic, card.line()};
    return;
  }
  add_near_field(request, start_run(card.line()), card.line());
}

void ControlCards::add_near_field(const NearFieldRequest& request, bool new_run,
                                  int line) {
  count_items(1, line);
  check_near_field(request, line);
  Run& run = problem_.runs.back();
  run.near_fields.push_back(request);
  run.near_fields.back().patterns_before = run.patterns.size();
  run.near_fields.back().last_frequency_only = !new_run && run.frequency_hz.size() > 1;
}

/// Over reflection coefficients fields are those in the air; over real ground the work
/// grows with the distance.
void ControlCards::check_near_field(const NearFieldRequest& request, int line) const {
  if (!next_.ground.is_real() || points_of(request) == 0) return;
  const double lowest_m = lowest_of(request);
  if (lowest_m < 0 && next_.ground.kind == Ground::Kind::coefficients) {
    messages_.refuse(line, fmt::format("asks for a field in the ground (z = {:g} m), "
                                       "which GN 0 does not model. Use GN 2.",
                                       lowest_m));
  }
  const double shortest_wave_m =
      speed_of_light_m_per_s /
      *std::max_element(next_.frequency_hz.begin(), next_.frequency_hz.end());
  const double wavelengths = farthest_of(request) / shortest_wave_m;
  if (wavelengths > largest_wavelengths) {
    messages_.refuse(line, fmt::format("asks for a field {:.3g} wavelengths away (limit "
                                       "{:g} over real ground). Use RP 0, the far field.",
                                       wavelengths, largest_wavelengths));
  }
}

/// Forgets the near field that waits, with a warning unless it has no points.
void ControlCards::drop_waiting(const std::string& why) {
  if (waiting_ && points_of(waiting_->request) > 0)
    messages_.warn(waiting_->line, waiting_->mnemonic.text() + ' ' + why);
  waiting_.reset();
}

}  // namespace thinwire
