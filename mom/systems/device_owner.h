#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "cg/comm.h"
#include "kernels/device/multi_gpu.h"
#include "kernels/matrix/tile_share.h"

namespace thinwire {

/// One of several GPUs that share a matrix: what it has to do with the others.
struct DeviceOwner {
  std::shared_ptr<MultiGpu> peers;           ///< null: it is alone
  std::unique_ptr<DeviceExchange> exchange;  ///< of these
  std::vector<TileShare> shares;  ///< of a stored matrix, of all owners: rows of tiles
  const Comm* owners = nullptr;   ///< in the order of their shares

  DeviceExchange* others() const { return exchange.get(); }
  TileShare share(PackedTiles layout) const {
    return exchange ? shares[static_cast<std::size_t>(exchange->owner())]
                    : TileShare::whole(layout);
  }
};

}  // namespace thinwire
