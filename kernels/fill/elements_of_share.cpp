#include "kernels/fill/elements_of_share.h"

#include <algorithm>
#include <limits>

namespace thinwire {

// A pair stands in the tiles of rows max(i, j), where i are the rows of tiles that have
// functions of p, and j those of q.
std::vector<std::uint8_t> elements_of_share(std::span<const BasisFunction> basis,
                                            std::size_t count, TileShare share) {
  constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
  std::vector<std::size_t> lowest(count, none), end(count, 0);
  for (std::size_t f = 0; f < basis.size(); ++f)
    for (const int term : {0, 1}) {
      if (basis[f].sign[term] == 0) continue;
      const std::uint32_t e = basis[f].element[term];
      const std::size_t row = f / PackedTiles::tile;
      lowest[e] = std::min(lowest[e], row);
      end[e] = std::max(end[e], row + 1);
    }
  std::vector<std::uint8_t> needed(count);
  std::size_t end_so_far = 0;  // of elements up to p
  for (std::size_t p = 0; p < count; ++p) {
    end_so_far = std::max(end_so_far, end[p]);
    needed[p] = lowest[p] < share.last_row() && end_so_far > share.first_row();
  }
  return needed;
}

}  // namespace thinwire
