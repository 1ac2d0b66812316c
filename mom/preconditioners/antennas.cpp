#include "mom/preconditioners/antennas.h"

#include "kernels/base/disjoint_sets.h"
#include "kernels/base/parallel.h"

namespace thinwire {

std::vector<Antenna> antennas_of_basis(const Discretization& where) {
  const auto& functions = where.basis().functions();
  // Elements that share a basis function belong to one antenna.
  DisjointSets elements(where.elements().size());
  for_each_cheap(functions.size(), [&](std::size_t m) {
    const BasisFunction& f = functions[m];
    if (f.sign[1] != 0) elements.unite(f.element[0], f.element[1]);
  });

  std::vector<Antenna> antennas;
  std::vector<std::int64_t> antenna_of(elements.size(), -1);
  for (std::size_t m = 0; m < functions.size(); ++m) {
    const std::size_t r = elements.root(functions[m].element[0]);
    if (antenna_of[r] < 0) {
      antenna_of[r] = static_cast<std::int64_t>(antennas.size());
      antennas.emplace_back();
    }
    antennas[antenna_of[r]].functions.push_back(static_cast<std::uint32_t>(m));
  }
  for (std::size_t e = 0; e < elements.size(); ++e)
    if (const std::int64_t of = antenna_of[elements.root(e)]; of >= 0)
      ++antennas[of].elements;
  return antennas;
}

}  // namespace thinwire
