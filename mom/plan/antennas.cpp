#include "mom/plan/antennas.h"

#include <numeric>

namespace thinwire {

std::vector<Antenna> connected_antennas(const Discretisation& where) {
  const auto& functions = where.basis().functions();
  // Elements that share a basis function belong to one antenna.
  std::vector<std::uint32_t> parent(where.elements().size());
  std::iota(parent.begin(), parent.end(), 0u);
  const auto root = [&](std::uint32_t e) {
    while (parent[e] != e) e = parent[e] = parent[parent[e]];
    return e;
  };
  for (const BasisFunction& f : functions)
    if (f.sign[1] != 0) parent[root(f.element[1])] = root(f.element[0]);

  std::vector<Antenna> antennas;
  std::vector<std::int64_t> antenna_of(where.elements().size(), -1);
  for (std::size_t m = 0; m < functions.size(); ++m) {
    const std::uint32_t r = root(functions[m].element[0]);
    if (antenna_of[r] < 0) {
      antenna_of[r] = static_cast<std::int64_t>(antennas.size());
      antennas.emplace_back();
    }
    antennas[antenna_of[r]].functions.push_back(static_cast<std::uint32_t>(m));
  }
  for (std::uint32_t e = 0; e < parent.size(); ++e)
    if (const std::int64_t of = antenna_of[root(e)]; of >= 0) ++antennas[of].elements;
  return antennas;
}

}  // namespace thinwire
