#include <algorithm>

#include "kernels/fill/fill.h"
#include "kernels/fill/matrix_entries.h"
#include "mom/operators/device_toeplitz.h"

namespace thinwire {
namespace {

/// Returns the place in number_of, [antennas][functions], of each of the ascending rows.
std::vector<std::size_t> places_of(const LatticeBasis& basis,
                                   std::span<const std::uint32_t> rows) {
  std::vector<std::size_t> places(rows.size());
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < basis.number_of.size(); ++i) {
    const auto at = std::lower_bound(rows.begin(), rows.end(), basis.number_of[i]);
    if (at != rows.end() && *at == basis.number_of[i]) places[at - rows.begin()] = i;
  }
  return places;
}

/// Where each antenna stands, beside antenna 0.
std::vector<Vec3> antenna_places(const LatticeBasis& basis, const FillInput& exact) {
  const auto start = [&](std::size_t antenna) {
    const BasisFunction& first = exact.basis[basis.number_of[antenna * basis.size()]];
    return exact.elements[first.element[0]].start_m;
  };
  std::vector<Vec3> places(basis.antennas());
#pragma omp parallel for schedule(static)
  for (std::size_t a = 0; a < places.size(); ++a) places[a] = start(a) - start(0);
  return places;
}

}  // namespace

/// The antenna itself and those of which an element is near one of it or an image.
std::vector<std::uint32_t> DeviceToeplitzOperator::near_antennas(
    std::size_t antenna) const {
  const auto& places = grid_.places();
  const std::uint64_t place = basis_.place_of[antenna];
  const std::int64_t at[] = {static_cast<std::int64_t>(place / places[2] / places[1]),
                             static_cast<std::int64_t>(place / places[2] % places[1]),
                             static_cast<std::int64_t>(place % places[2])};
  std::vector<std::uint64_t> wanted = {place};
  for (const std::uint32_t number : near_)
    for (const int sign : {1, -1}) {
      const std::array<std::int64_t, 3> d = grid_.displacement(number);
      std::uint64_t there = 0;
      bool inside = true;
      for (std::size_t i = 0; i < 3; ++i) {
        const std::int64_t to = at[i] + sign * d[i];
        inside = inside && to >= 0 && to < static_cast<std::int64_t>(places[i]);
        there = there * places[i] + static_cast<std::uint64_t>(to);
      }
      if (inside) wanted.push_back(there);
    }
  std::sort(wanted.begin(), wanted.end());
  std::vector<std::uint32_t> antennas;
  for (std::size_t a = 0; a < basis_.antennas(); ++a)
    if (std::binary_search(wanted.begin(), wanted.end(), basis_.place_of[a]))
      antennas.push_back(static_cast<std::uint32_t>(a));
  return antennas;
}

std::vector<Complex> DeviceToeplitzOperator::exact_rows(
    const FillInput& exact, std::span<const std::uint32_t> rows,
    std::span<const Complex> x, const Complex* x_on_device) const {
  const std::size_t n = basis_.size();
  const std::vector<std::size_t> places = places_of(basis_, rows);
  std::vector<DeviceFill::CopyRow> wanted(rows.size());
  std::vector<Complex> near_sums(rows.size());
#pragma omp parallel for schedule(dynamic)
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const std::size_t antenna = places[r] / n;
    wanted[r] = {static_cast<std::uint32_t>(places[r] % n),
                 static_cast<std::uint32_t>(antenna), near_antennas(antenna)};
    std::vector<std::uint32_t> columns;
    for (const std::uint32_t near : wanted[r].left_out)
      columns.insert(columns.end(), basis_.number_of.begin() + near * n,
                     basis_.number_of.begin() + (near + 1) * n);
    std::vector<Complex> entries(columns.size());
    read_entries(exact, rows.subspan(r, 1), columns, entries);
    for (std::size_t j = 0; j < columns.size(); ++j)
      near_sums[r] += entries[j] * x[columns[j]];
  }
  const auto copies = uploaded(antenna_places(basis_, exact), "antennas", stream());
  DeviceFill antenna(basis_.elements, basis_.functions, input_.kernel, input_.medium,
                     input_.k_rad_per_m);
  antenna.set_wavenumber(input_.k_rad_per_m);
  std::vector<Complex> sums =
      antenna.row_products(wanted, {copies.data(), numbers_.data(), basis_.antennas()},
                           x_on_device, input_.medium, stream());
  for (std::size_t r = 0; r < rows.size(); ++r) sums[r] += near_sums[r];
  return sums;
}

}  // namespace thinwire
