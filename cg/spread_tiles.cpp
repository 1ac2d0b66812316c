#include "cg/spread_tiles.h"

#include <algorithm>

namespace thinwire {
namespace {

constexpr std::size_t tile_entries = PackedTiles::tile_entries;

}  // namespace

/// This rank's tiles of a band, one after the other.
void SpreadTiles::read_own(std::size_t band, std::vector<Complex>& part) const {
  part.clear();
  for (std::size_t k = 0, count = 1; k < layout.rows(); k += count) {
    const std::size_t number = tile_of_band(band, k);
    count = 1;
    if (!share.holds(number)) continue;
    // Consecutive tiles of a row are contiguous and are read together.
    while (k + count <= band && share.holds(number + count)) ++count;
    part.resize(part.size() + count * tile_entries);
    read(number, std::span(part).last(count * tile_entries));
  }
}

/// Bands to the first `takers` ranks in turn. Each has its next one before any takes it,
/// so that nobody waits for what another does with its rows.
void SpreadTiles::hand_bands(int takers, const TakeRows& take) const {
  const std::size_t count = layout.rows();
  const bool takes = comm.rank() < takers;
  std::vector<Complex> part, rows, gathered(takes ? count * tile_entries : 0);
  std::vector<const Complex*> of_band;
  for (std::size_t at = 0; at < gathered.size(); at += tile_entries)
    of_band.push_back(&gathered[at]);
  for (std::size_t first = 0; first < count; first += takers) {
    const int now = static_cast<int>(std::min<std::size_t>(takers, count - first));
    for (int taker = 0; taker < now; ++taker) {
      // Numbers rise along a band, so that the parts follow each other as the ranks do.
      read_own(first + taker, part);
      comm.gather(std::span<const Complex>(part), gathered, taker);
    }
    if (comm.rank() >= now) continue;
    const std::size_t band = first + comm.rank();
    write_band(layout, band, of_band, rows);
    take(layout.n, band * PackedTiles::tile, rows);
  }
}

}  // namespace thinwire
