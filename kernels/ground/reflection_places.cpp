#include "kernels/ground/reflection_places.h"

#include <algorithm>
#include <cmath>

#include "kernels/ground/octaves.h"

namespace thinwire {
namespace {

std::optional<ReflectionRange> common(const ReflectionRange& a,
                                      const ReflectionRange& b) {
  const ReflectionRange c = {std::max(a.rho_0, b.rho_0), std::min(a.rho_1, b.rho_1),
                             std::max(a.zeta_0, b.zeta_0), std::min(a.zeta_1, b.zeta_1)};
  if (c.rho_0 > c.rho_1 || c.zeta_0 > c.zeta_1) return std::nullopt;
  return c;
}

ReflectionRange around(const ReflectionRange& a, const ReflectionRange& b) {
  return {std::min(a.rho_0, b.rho_0), std::max(a.rho_1, b.rho_1),
          std::min(a.zeta_0, b.zeta_0), std::max(a.zeta_1, b.zeta_1)};
}

}  // namespace

// max(rho, zeta) is R / sqrt 2 at least.
ReflectionPlaces::ReflectionPlaces(double least, double most)
    : first_octave_(octave_of(least / std::sqrt(2.0))),
      boxes_(3 * (octave_of(most * (1 + place_slack)) - first_octave_ + 1)) {}

ReflectionPlaces ReflectionPlaces::all(double least, double most) {
  ReflectionPlaces places(least, most);
  const double end = std::ldexp(1.0, places.first_octave_ + places.octaves());
  places.add({0, end, 0, end});
  return places;
}

ReflectionRange ReflectionPlaces::box(std::int32_t number) const {
  const double s = std::ldexp(1.0, number / 3 + first_octave_);
  return {number % 3 == 1 ? 0 : s, number % 3 == 1 ? s : 2 * s, number % 3 == 0 ? 0 : s,
          number % 3 == 0 ? s : 2 * s};
}

void ReflectionPlaces::add(const ReflectionRange& range) {
  const ReflectionRange wider = {
      (1 - place_slack) * range.rho_0, (1 + place_slack) * range.rho_1,
      (1 - place_slack) * range.zeta_0, (1 + place_slack) * range.zeta_1};
  // Places nearer than the first octave are evaluated there, in their own direction.
  const double start = std::ldexp(1.0, first_octave_);
  const bool nearer = std::max(wider.rho_0, wider.zeta_0) < start;
  const double nearest = std::max(wider.rho_0, wider.zeta_0),
               farthest = std::max(wider.rho_1, wider.zeta_1);
  const std::int32_t from = nearer ? 0 : octave_of(nearest) - first_octave_,
                     to = std::min(octaves(), octave_of(farthest) - first_octave_ + 1);
  for (std::int32_t number = 3 * from; number < 3 * to; ++number) {
    const ReflectionRange whole = box(number);
    const std::optional<ReflectionRange> part =
        nearer && number < 3 ? whole : common(whole, wider);
    if (!part) continue;
    Box& used = boxes_[number];
    used.range = used.used ? around(used.range, *part) : *part;
    used.used = true;
    const double rho_cell = (whole.rho_1 - whole.rho_0) / cells,
                 zeta_cell = (whole.zeta_1 - whole.zeta_0) / cells;
    const auto cell = [](double x) {
      return std::clamp(static_cast<int>(x), 0, cells - 1);
    };
    const int i0 = cell((part->rho_0 - whole.rho_0) / rho_cell),
              i1 = cell((part->rho_1 - whole.rho_0) / rho_cell);
    for (int j = cell((part->zeta_0 - whole.zeta_0) / zeta_cell);
         j <= cell((part->zeta_1 - whole.zeta_0) / zeta_cell); ++j)
      for (int i = i0; i <= i1; ++i) used.row[j] |= 1u << i;
  }
}

std::optional<ReflectionRange> ReflectionPlaces::in_use(
    std::int32_t number, const ReflectionRange& part) const {
  const Box& of = boxes_[number];
  if (!of.used) return std::nullopt;
  const ReflectionRange whole = box(number);
  const double rho_cell = (whole.rho_1 - whole.rho_0) / cells,
               zeta_cell = (whole.zeta_1 - whole.zeta_0) / cells;
  std::optional<ReflectionRange> used;
  for (int j = 0; j < cells; ++j)
    for (int i = 0; i < cells; ++i) {
      if (!(of.row[j] >> i & 1)) continue;
      const auto cell =
          common({whole.rho_0 + i * rho_cell, whole.rho_0 + (i + 1) * rho_cell,
                  whole.zeta_0 + j * zeta_cell, whole.zeta_0 + (j + 1) * zeta_cell},
                 part);
      if (cell) used = used ? around(*used, *cell) : *cell;
    }
  return used ? common(*used, of.range) : std::nullopt;
}

}  // namespace thinwire
