#pragma once

#include <complex>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "cg/device_preconditioner.h"
#include "cg/precondition/overlap.h"
#include "kernels/base/monitor.h"
#include "kernels/device/exchange.h"
#include "kernels/fill/fill.h"
#include "kernels/matrix/matrix_update.h"
#include "kernels/matrix/tiles.h"

namespace thinwire {

/// Blocks of Z that are to be written side by side: that of functions[b][i] and
/// functions[b][j] goes to entries[b][i][j] (b < count; i, j < leading). `none` stands
/// where there is no function; entries there are left alone.
struct DeviceBlocks {
  static constexpr std::uint32_t none = 0xffffffffu;
  std::size_t count = 0, leading = 0;               ///< leading: a multiple of 64
  std::span<const std::uint32_t> functions;         ///< [count][leading], on the host
  const std::uint32_t* device_functions = nullptr;  ///< the same on the GPU
  std::complex<float>* entries = nullptr;           ///< [count][leading][leading], there
};

/// Where the preconditioner has its entries from, whether Z is stored or not: writes
/// those, ohm, loads included. Gives work to the stream; may wait.
using DeviceBlockReader =
    std::function<void(const DeviceBlocks& blocks, const DeviceStream& stream)>;

/// From the matrix on the GPU, which must outlive the reader. others: of those that share
/// it; null where it has all tiles.
DeviceBlockReader block_reader(const DeviceTiles& z, DeviceExchange* others = nullptr);

/// Computed for the purpose by the rules of the fill, without loads, whose wave number
/// has been set; `fill` must outlive the reader. place: of each function among the
/// fill's; empty: the same.
DeviceBlockReader block_reader(const DeviceFill& fill, Medium medium,
                               std::vector<std::uint32_t> place = {});

/// Adds loads to a reader without them; loads: as LoadModel::updates() returns them.
DeviceBlockReader with_loads(DeviceBlockReader read, std::vector<MatrixUpdate> loads);

/// Exchanges between GPUs that each make a preconditioner; null: none.
struct OverlapOwners {
  /// Every GPU inverts all sets, and they read the blocks together.
  DeviceExchange* reading = nullptr;
  /// Each GPU inverts and applies its share of the sets, and they add up M r, in windows
  /// of DeviceOperator::window_bytes().
  DeviceExchange* sharing = nullptr;
};

/// OverlapPreconditioner on the GPU: blocks of one size are inverted together, in complex
/// single, and their own rows kept.
class DeviceOverlapPreconditioner final : public DevicePreconditioner {
 public:
  /// Whether sets that share an inverse, if there are several, are multiplied together.
  enum class Sharing { where_faster, always, never };

  /// sets: of all owners. Throws what OverlapPreconditioner does.
  DeviceOverlapPreconditioner(std::span<const OverlappingSet> sets,
                              const DeviceBlockReader& read, const Monitor& monitor = {},
                              Sharing sharing = Sharing::where_faster,
                              OverlapOwners owners = {});

  std::size_t size() const override { return size_; }
  bool symmetric() const override { return false; }
  void multiply(const Complex* r, Complex* z, const DeviceStream& stream) const override;
  std::size_t bytes() const override;
  /// Neighbouring rows of an inverse as the kernels take them: for one set, and for
  /// several that share it.
  struct Rows {
    std::size_t entry;            ///< where they start in rows_
    std::size_t position;         ///< where the first set's functions start
    std::uint32_t first, length;  ///< number of the first; functions of a set, padded
    std::uint32_t rows, sets;
  };
  struct Tile : Rows {};

 private:
  std::size_t size_ = 0;
  DeviceExchange* others_;  ///< OverlapOwners::sharing
  std::size_t positions_ = 0;
  DeviceBuffer<std::uint32_t> functions_;  // [positions_], set by set, padded
  DeviceBuffer<Rows> groups_;
  DeviceBuffer<Tile> tiles_;
  DeviceBuffer<std::complex<float>> rows_;              // own rows of the inverses
  mutable DeviceBuffer<std::complex<float>> gathered_;  // [positions_]
};

/// Inverts a block of its own on the current GPU, so that cuBLAS and the kernels are
/// loaded before a preconditioner needs them: 0.09 s on an H200, to be spent beside other
/// work.
void load_inversion();

}  // namespace thinwire
