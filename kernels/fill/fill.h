#pragma once

#include <complex>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "kernels/base/monitor.h"
#include "kernels/element/basis_function.h"
#include "kernels/element/element.h"
#include "kernels/fill/fill_input.h"
#include "kernels/matrix/tile_share.h"
#include "kernels/matrix/tiles.h"

namespace thinwire {

class GroundTable;  // kernels/ground/ground_table.h

/// Fills z (packed_tiles.h, [layout.entries()], ohm) with Z_mn = <f_m, E(f_n)>, without
/// loads. Far pairs of elements by products of Gauss points, near pairs from the table.
/// Padding is zero. Calls the monitor from the calling thread; throws what the monitor
/// throws.
void fill_impedance(const FillInput& input, std::span<Complex> z,
                    const Monitor& monitor = {});

/// Fills a share of the tiles; z: [share.entries()].
void fill_impedance(const FillInput& input, TileShare share, std::span<Complex> z,
                    const Monitor& monitor = {});

/// Lists of at most 64 basis functions each, on the GPU: the rows or the columns of tiles
/// that DeviceFill::entries computes.
class DeviceFunctionLists {
 public:
  DeviceFunctionLists(DeviceFunctionLists&&) noexcept;
  DeviceFunctionLists& operator=(DeviceFunctionLists&&) noexcept;
  ~DeviceFunctionLists();
  std::size_t size() const;
  std::size_t bytes() const;

 private:
  friend class DeviceFill;
  struct Parts;
  explicit DeviceFunctionLists(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

/// Where the entries of two lists of functions go: that of function i of the rows and
/// function j of the columns to
///     out[offset + i * row_step + j * column_step],
/// and where `mirror` is not `none`, the same value to
///     out[mirror + j * row_step + i * column_step],
/// for a symmetric matrix of which half of the tiles are computed.
struct EntryTile {
  static constexpr std::uint64_t none = ~std::uint64_t{0};
  std::uint32_t rows, columns;  ///< numbers of lists in DeviceFunctionLists
  std::uint64_t offset;
  std::uint64_t mirror = none;
  std::uint32_t row_step, column_step;
};

/// One part, real or imaginary, of an ElementMatrix.
struct PartMatrix {
  double z[2][2];
};

/// fill_impedance on the current GPU: the same formulas, orders of quadrature
/// and element matrices, to 1e-12 of the largest entry. Keeps the mesh and the near pairs
/// on the GPU from one wave number to the next. No atomics in the sums: the same bits
/// every time.
class DeviceFill {
 public:
  /// elements, basis: copied. limit: distinguishes near and far pairs. medium: of those
  /// to come, one with the most sources. mesh_first: where several meshes stand one
  /// behind the other, the first element of each; then only entries of functions of one
  /// mesh are to be asked for, by entries(). share: only its tiles, whole rows of them,
  /// are to be asked for; none: all. Throws Error{memory}.
  DeviceFill(std::span<const Element> elements, std::span<const BasisFunction> basis,
             GreensKernel kernel, Medium medium, PairLimit limit,
             std::span<const std::uint32_t> mesh_first = {},
             std::optional<TileShare> share = {});
  ~DeviceFill();

  /// For a sweep: integrates the near pairs at the nodes of wavenumber_nodes.h, between
  /// which set_wavenumber then interpolates. Returns false and does nothing where there
  /// are none, or their table takes more than `max_bytes`. Waits.
  bool tabulate_near_pairs(WavenumberRange range, std::size_t max_bytes);

  /// Integrates or interpolates the near pairs. To be called before what follows. Waits.
  /// Throws Error{interrupted} where the monitor requests a stop; reports no progress.
  void set_wavenumber(double k_rad_per_m, const Monitor& monitor = {});

  /// Fills the tiles in the share of z, sums in double whatever its storage, without
  /// loads; padding is zero.
  void fill(DeviceTiles& z, Medium medium, const DeviceStream& stream) const;

  /// A real ground at the wave number set. near: of these elements and this kernel.
  /// storage: of the table; in single precision entries differ by 1e-7 of the image's,
  /// and what is beside the image is computed in single too. Waits. Throws Error{memory}.
  void set_ground(const GroundTable& table, const NearGroundPairs& near, Storage storage);
  /// Fills as fill() does, over that ground.
  void fill_over_ground(DeviceTiles& z, const DeviceStream& stream) const;

  /// Lists of functions as sides of tiles: list b is functions[first[b]] ..
  /// functions[first[b + 1] - 1], 1 to 64 numbers into the basis in any order. first:
  /// [lists + 1]. Throws Error{numeric} where a list is empty or longer, or a number is
  /// not of the basis; Error{memory}. Waits.
  DeviceFunctionLists make_function_lists(std::span<const std::uint32_t> functions,
                                          std::span<const std::size_t> first) const;

  /// Writes the entries of `count` tiles, on the GPU, ohm, without loads: any part of Z
  /// by the rules of fill(), to 1e-7 of the largest entry nearby (elements that are
  /// integrated side by side share an order of quadrature); where rows and columns are
  /// the same list, symmetric to the last bit. Sums in double; a tile's part outside its
  /// lists is left alone. No two tiles may write to one place.
  void entries(const DeviceFunctionLists& sides, const EntryTile* tiles,
               std::size_t count, Complex* out, Medium medium,
               const DeviceStream& stream) const;
  /// In single, by PairLimit::loosened, several times faster.
  void entries(const DeviceFunctionLists& sides, const EntryTile* tiles,
               std::size_t count, std::complex<float>* out, Medium medium,
               const DeviceStream& stream) const;

  /// y = Z x in double, with the entries computed and not stored: 4 to 9 times as long as
  /// filling. x, y: on the GPU, [PackedTiles{n}.padded()], x zero beyond n.
  void multiply(const Complex* x, Complex* y, Medium medium,
                const DeviceStream& stream) const;
  /// Multiplies by a share of the tiles, whole rows of them, and adds the result to y.
  void multiply(TileShare share, const Complex* x, Complex* y, Medium medium,
                const DeviceStream& stream) const;
  /// Multiplies over the ground of set_ground.
  void multiply_over_ground(const Complex* x, Complex* y,
                            const DeviceStream& stream) const;
  void multiply_over_ground(TileShare share, const Complex* x, Complex* y,
                            const DeviceStream& stream) const;

  /// Some elements, each with others, on the GPU: first[i], i < count, with
  /// second[row[i]]
  /// .. second[row[i + 1] - 1]. sources: bit s of each pair says whether source s of the
  /// first (medium.h) counts.
  struct PairRows {
    const std::uint64_t* row;
    const std::uint32_t *first, *second;
    const std::uint8_t* sources;
    std::size_t count;
  };
  /// The real or the imaginary part of each pair's element matrix, ohm, with the factors
  /// of the sources, by the rules of its own distance.
  void fill_pairs(const PairRows& pairs, bool imaginary, PartMatrix* part, Medium medium,
                  const DeviceStream& stream) const;

  /// Entries of each function i with each function j displaced by displacements_m[d], on
  /// the GPU, [count]: ohm, to entries[(i * unknowns() + j) * stride + d], each by the
  /// rules of its own distance. Pairs of elements that are near (quadrature_order.h) give
  /// nothing: such displacements are to be overwritten.
  void fill_displaced(const Vec3* displacements_m, std::size_t count, std::size_t stride,
                      Complex* entries, Medium medium, const DeviceStream& stream) const;

  /// Displaced copies of this mesh, on the GPU: place_m, [count], of each; numbers,
  /// [count][unknowns()], of their functions in a vector.
  struct Copies {
    const Vec3* place_m;
    const std::uint32_t* numbers;
    std::size_t count;
  };
  /// A function of one of the copies, and those copies that are not to count.
  struct CopyRow {
    std::uint32_t function, copy;
    std::vector<std::uint32_t> left_out;
  };
  /// For each of the rows the sum over all functions of the copies that count, of their
  /// entry with the row's function, as of fill_displaced, times x of their number. Waits.
  std::vector<Complex> row_products(std::span<const CopyRow> rows, const Copies& copies,
                                    const Complex* x, Medium medium,
                                    const DeviceStream& stream) const;

  /// For each of these rows of Z its sum with x, on the GPU, [unknowns()], in double and
  /// by the rules of `limit`, whose near pairs, near images among them, give nothing:
  /// where they are, x is to be zero. ground: null: none beside the medium. Waits.
  std::vector<Complex> far_products(std::span<const std::uint32_t> rows, PairLimit limit,
                                    const Complex* x, Medium medium,
                                    const GroundTable* ground,
                                    const DeviceStream& stream) const;

  std::size_t unknowns() const;
  /// On the GPU.
  const Element* elements() const;
  const BasisFunction* basis() const;
  std::size_t near_pairs() const;
  /// On the GPU, with what multiply() takes for itself.
  std::size_t bytes() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace thinwire
