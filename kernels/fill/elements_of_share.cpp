#include "kernels/fill/elements_of_share.h"

#include <algorithm>

namespace thinwire {

// A pair stands in the tiles of rows max(i, j), where i are the rows of tiles that have
// functions of p, and j those of q: some i is before the share's last row, and some
// element up to p has a function in its first row or behind.
std::vector<std::uint8_t> elements_of_share(std::span<const BasisFunction> basis,
                                            std::size_t count, TileShare share) {
  const std::size_t first = share.first_row() * PackedTiles::tile,
                    last = share.last_row() * PackedTiles::tile;
  std::vector<std::uint8_t> needed(count);
  std::size_t first_element = count;
  for (std::size_t f = 0; f < basis.size(); ++f)
    for (const int term : {0, 1}) {
      if (basis[f].sign[term] == 0) continue;
      const std::size_t e = basis[f].element[term];
      if (f < last) needed[e] = 1;
      if (f >= first) first_element = std::min(first_element, e);
    }
  std::fill_n(needed.begin(), first_element, std::uint8_t{0});
  return needed;
}

}  // namespace thinwire
