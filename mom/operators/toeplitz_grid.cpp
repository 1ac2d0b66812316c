#include "mom/operators/toeplitz_grid.h"

#include "kernels/fft/fft.h"

namespace thinwire {

std::array<std::size_t, 3> ToeplitzGrid::lengths_for(std::array<std::size_t, 3> places) {
  for (std::size_t& n : places) n = good_fft_size(2 * n - 1);
  return places;
}

ToeplitzGrid::ToeplitzGrid(const LatticeBasis& basis)
    : steps_m_(basis.steps_m),
      places_(basis.places),
      half_(lengths_for(basis.places)),
      displacements_(
          ((2 * places_[0] - 1) * (2 * places_[1] - 1) * (2 * places_[2] - 1) + 1) / 2) {
  const auto& n = half_.lengths;
  for (const std::uint64_t place : basis.place_of) {
    const std::uint64_t k = place % places_[2], rest = place / places_[2];
    antenna_points_.push_back(static_cast<std::uint32_t>(
        (rest / places_[1] * n[1] + rest % places_[1]) * n[2] + k));
  }
}

std::array<std::int64_t, 3> ToeplitzGrid::displacement(std::size_t number) const {
  // The middle of the array [2 places - 1] in each direction is no displacement, and what
  // follows it is the half that is wanted.
  std::size_t at = displacements_ - 1 + number;
  std::array<std::int64_t, 3> d{};
  for (std::size_t i = 3; i-- > 0;) {
    const std::size_t span = 2 * places_[i] - 1;
    d[i] =
        static_cast<std::int64_t>(at % span) - static_cast<std::int64_t>(places_[i]) + 1;
    at /= span;
  }
  return d;
}

Vec3 ToeplitzGrid::displacement_m(std::size_t number) const {
  const std::array<std::int64_t, 3> d = displacement(number);
  Vec3 sum;
  for (std::size_t i = 0; i < steps_m_.size(); ++i)
    sum = sum + static_cast<double>(d[i]) * steps_m_[i];
  return sum;
}

std::size_t ToeplitzGrid::point_of(std::size_t number, int sign) const {
  const std::array<std::int64_t, 3> d = displacement(number);
  std::size_t point = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    const auto length = static_cast<std::int64_t>(half_.lengths[i]);
    point = point * half_.lengths[i] +
            static_cast<std::size_t>((sign * d[i] + length) % length);
  }
  return point;
}

}  // namespace thinwire
