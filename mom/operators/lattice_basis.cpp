#include "mom/operators/lattice_basis.h"

#include <span>
#include <utility>

#include <fmt/format.h>

#include "kernels/base/error.h"
#include "kernels/base/grouped.h"
#include "kernels/base/parallel.h"

namespace thinwire {
namespace {

bool same(const BasisFunction& f, const BasisFunction& g) {
  for (int t = 0; t < 2; ++t)
    if (f.element[t] != g.element[t] || f.end[t] != g.end[t] || f.sign[t] != g.sign[t])
      return false;
  return true;
}

}  // namespace

LatticeBasis::LatticeBasis(const Discretization& where, const Lattice& lattice)
    : steps_m(lattice.steps_m), places(lattice.places), place_of(lattice.place_of) {
  const WireMesh& mesh = where.mesh();
  const std::size_t each = lattice.segments_each;
  // Antenna of each element, and the element's number there.
  LargeVector<std::uint32_t> antenna_of(where.elements().size()),
      within(where.elements().size());
#pragma omp parallel for schedule(static) if (within.size() >= worth_threads)
  for (std::size_t a = 0; a < antennas(); ++a) {
    std::uint32_t next = 0;
    for (std::size_t i = 0; i < each; ++i) {
      const std::size_t segment = lattice.segments[a * each + i];
      for (std::size_t e = mesh.first_element(segment);
           e < mesh.first_element(segment + 1); ++e) {
        antenna_of[e] = static_cast<std::uint32_t>(a);
        within[e] = next++;
      }
    }
  }
  for (std::size_t i = 0; i < each; ++i)
    for (std::size_t e = mesh.first_element(lattice.segments[i]);
         e < mesh.first_element(lattice.segments[i] + 1); ++e)
      elements.push_back(where.elements()[e]);
  const auto& all = where.basis().functions();
  LargeVector<std::uint32_t> antenna_of_function(all.size());
#pragma omp parallel for schedule(static) if (all.size() >= worth_threads)
  for (std::size_t m = 0; m < all.size(); ++m)
    antenna_of_function[m] = antenna_of[all[m].element[0]];
  Grouped by_antenna(antenna_of_function, antennas());
  // Antenna 0's first, whatever the order of the cards.
  const auto local = [&](BasisFunction f) {
    f.element[0] = within[f.element[0]];
    f.element[1] = f.sign[1] == 0 ? 0 : within[f.element[1]];
    return f;
  };
  for (const std::uint32_t m : by_antenna.of(0)) functions.push_back(local(all[m]));
  const auto is_right = [&](std::size_t a) {
    const std::span<const std::uint32_t> here = by_antenna.of(a);
    if (here.size() != functions.size()) return false;
    for (std::size_t i = 0; i < here.size(); ++i) {
      const BasisFunction& f = all[here[i]];
      if (f.sign[1] != 0 && antenna_of[f.element[1]] != a) return false;
      if (!same(local(f), functions[i])) return false;
    }
    return true;
  };
  std::size_t wrong = antennas();
  const bool many = within.size() >= worth_threads;
#pragma omp parallel for schedule(static) if (many) reduction(min : wrong)
  for (std::size_t a = 0; a < antennas(); ++a)
    if (a < wrong && !is_right(a)) wrong = a;
  if (wrong < antennas())
    throw Error(ErrorKind::geometry,
                fmt::format("lattice: antenna {} is connected in another way than "
                            "antenna 1. Use --operator dense.",
                            wrong + 1));
  number_of = std::move(by_antenna.members);
}

}  // namespace thinwire
