#include <utility>
#include <vector>

#include "cg/precondition/device_overlap.h"

namespace thinwire {
namespace {

constexpr std::size_t tile = PackedTiles::tile;

/// Lists of the functions of 64 rows each, and where they stand in their block.
struct Lists {
  std::vector<std::uint32_t> functions;
  std::vector<std::size_t> first = {0};
  struct Place {
    std::size_t block, row;
  };
  std::vector<Place> places;

  explicit Lists(const DeviceBlocks& blocks) {
    for (std::size_t b = 0; b < blocks.count; ++b)
      for (std::size_t row = 0; row < blocks.leading; row += tile) {
        for (const std::uint32_t function :
             blocks.functions.subspan(b * blocks.leading + row, tile))
          if (function != DeviceBlocks::none) functions.push_back(function);
        if (functions.size() == first.back()) continue;
        first.push_back(functions.size());
        places.push_back({b, row});
      }
  }
};

/// The lower half of each block, with its mirror image.
std::vector<EntryTile> tiles_of(const Lists& lists, std::size_t leading) {
  std::vector<EntryTile> tiles;
  const auto step = static_cast<std::uint32_t>(leading);
  for (std::uint32_t i = 0; i < lists.places.size(); ++i)
    for (std::uint32_t j = i + 1; j-- > 0;) {
      const auto [block, row] = lists.places[i];
      if (lists.places[j].block != block) break;
      const std::size_t column = lists.places[j].row, start = block * leading * leading;
      EntryTile entries = {i,    j, start + row * leading + column, EntryTile::none,
                           step, 1};
      if (i != j) entries.mirror = start + column * leading + row;
      tiles.push_back(entries);
    }
  return tiles;
}

}  // namespace

DeviceBlockReader block_reader(const DeviceFill& fill, Medium medium,
                               std::vector<std::uint32_t> place) {
  return [&fill, medium, place = std::move(place)](const DeviceBlocks& blocks,
                                                   const DeviceStream& stream) {
    Lists lists(blocks);
    if (!place.empty())
      for (std::uint32_t& function : lists.functions) function = place[function];
    const std::vector<EntryTile> tiles = tiles_of(lists, blocks.leading);
    const DeviceFunctionLists on_gpu =
        fill.make_function_lists(lists.functions, lists.first);
    DeviceBuffer<EntryTile> device_tiles(tiles.size(), "overlapping blocks");
    device_tiles.upload(tiles, stream);
    fill.entries(on_gpu, device_tiles.data(), tiles.size(), blocks.entries, medium,
                 stream);
    stream.synchronize();  // lists and tiles end here
  };
}

}  // namespace thinwire
