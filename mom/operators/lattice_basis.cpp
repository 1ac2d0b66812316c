#include "mom/operators/lattice_basis.h"

#include <fmt/format.h>

#include "kernels/base/error.h"

namespace thinwire {
namespace {

bool same(const BasisFunction& f, const BasisFunction& g) {
  for (int t = 0; t < 2; ++t)
    if (f.element[t] != g.element[t] || f.end[t] != g.end[t] || f.sign[t] != g.sign[t])
      return false;
  return true;
}

}  // namespace

LatticeBasis::LatticeBasis(const Discretisation& where, const Lattice& lattice)
    : steps_m(lattice.steps_m), places(lattice.places), place_of(lattice.place_of) {
  const WireMesh& mesh = where.mesh();
  const std::size_t each = lattice.segments_each;
  // Of each element its antenna and its number there.
  std::vector<std::uint32_t> antenna_of(where.elements().size()),
      within(where.elements().size());
  for (std::size_t a = 0; a < antennas(); ++a) {
    std::uint32_t next = 0;
    for (std::size_t i = 0; i < each; ++i) {
      const std::size_t segment = lattice.segments[a * each + i];
      for (std::size_t e = mesh.first_element(segment);
           e < mesh.first_element(segment + 1); ++e) {
        antenna_of[e] = static_cast<std::uint32_t>(a);
        within[e] = next++;
        if (a == 0) elements.push_back(where.elements()[e]);
      }
    }
  }
  const std::vector<BasisFunction>& all = where.basis().functions();
  // Antenna 0's first, whatever the order of the cards.
  const auto local = [&](BasisFunction f) {
    f.element[0] = within[f.element[0]];
    f.element[1] = f.sign[1] == 0 ? 0 : within[f.element[1]];
    return f;
  };
  for (const BasisFunction& f : all)
    if (antenna_of[f.element[0]] == 0) functions.push_back(local(f));
  number_of.resize(antennas() * functions.size());
  std::vector<std::size_t> found(antennas(), 0);
  for (std::size_t m = 0; m < all.size(); ++m) {
    const std::uint32_t a = antenna_of[all[m].element[0]];
    const bool right = (all[m].sign[1] == 0 || antenna_of[all[m].element[1]] == a) &&
                       found[a] < functions.size() &&
                       same(local(all[m]), functions[found[a]]);
    if (!right)
      throw Error(ErrorKind::geometry,
                  fmt::format("lattice: antenna {} is connected in another way than "
                              "antenna 1. Use --operator dense.",
                              a + 1));
    number_of[a * functions.size() + found[a]++] = static_cast<std::uint32_t>(m);
  }
}

}  // namespace thinwire
