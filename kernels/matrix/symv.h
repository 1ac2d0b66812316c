#pragma once

#include <cstdint>
#include <span>

#include "kernels/base/complex.h"
#include "kernels/matrix/packed_tiles.h"
#include "kernels/matrix/symv_shapes.h"
#include "kernels/matrix/tile_share.h"
#include "kernels/matrix/tiles.h"

namespace thinwire {

/// y = Z x, Z complex symmetric (Z = Z^T, NOT Hermitian): nothing is conjugated.
/// z: lower triangle in 64 x 64 tiles, see packed_tiles.h. x, y: [rhs_count][n], may not
/// alias. 8 n^2 flop per right-hand side; reads z once for all of them: 8 n (n + 64)
/// bytes in complex double. The order of the sums depends on n alone, so that the bits
/// depend neither on the number of threads nor on the other right-hand sides.
void symv(PackedTiles layout, std::span<const Complex> z, std::span<const Complex> x,
          std::span<Complex> y);

/// Multiplies by a share of the tiles and adds the result to y. z: [share.entries()].
void symv(PackedTiles layout, TileShare share, std::span<const Complex> z,
          std::span<const Complex> x, std::span<Complex> y);

/// The first and the last of some runs; none where first > last.
struct RunRange {
  std::uint32_t first, last;
};

/// Partial sums that the product's first pass leaves for the second, on the GPU. The
/// tiles are cut into runs, visited by squares of `super` x `super` tiles, "super-tiles"
/// (symv_second_pass.cuh); where run r leaves super-tile number k, at
/// [k + r][2][super][rhs_count][64] is what it adds to y of the square's rows [0], those
/// that it has tiles of, and columns [1]. Of a share of the matrix, the super-tiles
/// before its first have no memory: `values` is where they would be.
struct SymvParts {
  Complex* values = nullptr;
  /// [super-tiles][super + 1]: the runs that have tiles of each row, and those that have
  /// tiles of the super-tile.
  const RunRange* ranges = nullptr;
  std::size_t tile_rows = 0;
  std::size_t super = 0;
  std::size_t runs = 0;
  int rhs_count = 1;
};

struct FirstPassKernel;

/// The product on the current GPU, for one or four right-hand sides. No atomics: the same
/// input gives the same bits on the same model of GPU.
class DeviceSymv {
 public:
  /// rhs_count: 1 or 4. setting: checked by check(). stages: false makes threads read the
  /// tiles where they lie, for one right-hand side at a time, as on GPUs older than
  /// Hopper. Throws Error{memory} when the partial sums do not fit: below 1 % of the
  /// matrix for each right-hand side.
  DeviceSymv(PackedTiles layout, Storage storage, int rhs_count = 1,
             SymvSetting setting = {}, bool stages = true)
      : DeviceSymv(layout, TileShare::whole(layout), storage, rhs_count, setting,
                   stages) {}
  /// For a share of the tiles, which must be whole rows of them: Error{numeric}.
  DeviceSymv(PackedTiles layout, TileShare share, Storage storage, int rhs_count = 1,
             SymvSetting setting = {}, bool stages = true);

  /// Y = Z X, or what the share adds to it. x, y: on the GPU,
  /// [rhs_count][layout.padded()], 16-byte aligned, may not alias; x zero beyond n, and y
  /// will be. z: of the layout, share and storage given above. Throws Error{device}.
  void multiply(const DeviceTiles& z, const Complex* x, Complex* y,
                const DeviceStream& stream);

  /// The first of its two passes alone, for callers that make something of y while the
  /// second pass computes it (symv_second_pass.cuh). Does nothing where *skip, on the
  /// GPU, is not zero; skip may be null. It overlaps with the kernel given to the stream
  /// just before (launch.cuh), which may write x but not z.
  void first_pass(const DeviceTiles& z, const Complex* x, const int* skip,
                  const DeviceStream& stream);
  const SymvParts& parts() const { return parts_; }

  std::size_t bytes() const { return values_.bytes() + ranges_.bytes(); }
  /// Predicts the bytes before anything is allocated, for a GPU with so many
  /// multiprocessors.
  static std::size_t bytes(PackedTiles layout, Storage storage, int rhs_count,
                           int multiprocessors, SymvSetting setting = {});

 private:
  struct Launch;
  Launch prepare(const DeviceTiles& z, const Complex* x, const int* skip) const;

  PackedTiles layout_;
  TileShare share_;
  int rhs_count_;
  const FirstPassKernel* kernel_ = nullptr;
  SymvParts parts_;
  DeviceBuffer<Complex> values_;
  DeviceBuffer<RunRange> ranges_;
};

}  // namespace thinwire
