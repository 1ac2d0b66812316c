#include <algorithm>
#include <map>

#include "kernels/base/constants.h"
#include "kernels/fill/fill.h"
#include "kernels/matrix/symv.h"
#include "tests/kernels/device/device_test_support.h"
#include "tests/kernels/element/test_mesh.h"

namespace thinwire {
namespace {

using namespace testing;

constexpr std::size_t tile = PackedTiles::tile;
constexpr Medium free_space = Medium::free_space();

/// Matrices too large for 32-bit indices: N^2 passes 2^31 at N = 46,341 and 2^32 at
/// 65,536; the entries stored pass 2^31 at 65,536 and 2^32 at 92,682.
struct Size {
  int nx, ny;  ///< dipoles of 20 unknowns each
  Storage storage;
};

class LargeOnDevice : public OnDevice, public ::testing::WithParamInterface<Size> {
 protected:
  /// The fill takes little beside the matrix.
  static constexpr std::size_t spare_bytes = std::size_t{2} << 30;

  void SetUp() override {
    OnDevice::SetUp();
    if (IsSkipped()) return;
    const std::size_t need = DeviceTiles::bytes(layout(), storage()) + spare_bytes;
    const std::size_t free = current_device().free_bytes;
    if (need > free)
      GTEST_SKIP() << "needs " << (need >> 30) << " GiB of the GPU's memory, which has "
                   << (free >> 30) << " GiB free";
  }
  Storage storage() const { return GetParam().storage; }
  PackedTiles layout() const {
    return {static_cast<std::size_t>(20 * GetParam().nx * GetParam().ny)};
  }
  /// Returns the effect of rounding stored entries on a sum over them.
  double rounding() const { return storage() == Storage::complex_double ? 0 : 1.2e-7; }

  /// `count` entries from `offset` on, widened.
  std::vector<Complex> download(const DeviceTiles& z, std::size_t offset,
                                std::size_t count, const DeviceStream& stream) const {
    std::vector<Complex> values(count);
    if (storage() == Storage::complex_double) {
      copy_bytes(values.data(), static_cast<const Complex*>(z.data()) + offset,
                 count * sizeof(Complex), stream);
      stream.synchronize();
      return values;
    }
    using Single = std::complex<float>;
    std::vector<Single> single(count);
    copy_bytes(single.data(), static_cast<const Single*>(z.data()) + offset,
               count * sizeof(Single), stream);
    stream.synchronize();
    std::copy(single.begin(), single.end(), values.begin());
    return values;
  }

  /// Row i of the matrix, from the tiles that hold it.
  std::vector<Complex> row(const DeviceTiles& z, std::size_t i,
                           const DeviceStream& stream) const {
    std::vector<Complex> values(layout().padded());
    const std::size_t I = i / tile;
    for (std::size_t J = 0; J < layout().rows(); ++J) {
      const std::vector<Complex> entries =
          download(z, PackedTiles::tile_offset(std::max(I, J), std::min(I, J)),
                   PackedTiles::tile_entries, stream);
      for (std::size_t c = 0; c < tile; ++c)
        values[J * tile + c] =
            entries[J <= I ? i % tile * tile + c : c * tile + i % tile];
    }
    return values;
  }

  /// Tile rows around which an index that is too short would go wrong, and the ends.
  std::vector<std::size_t> watched_tile_rows() const {
    std::vector<std::size_t> rows = {0, layout().rows() / 2, 46341 / tile,
                                     layout().rows() - 1};
    if (layout().n > 92682)
      rows = {0, 46341 / tile, 65536 / tile, 92682 / tile, layout().rows() - 1};
    std::sort(rows.begin(), rows.end());
    return rows;
  }
};

/// The functions of some tile rows alone, whole rows, so that elements stand in groups as
/// they do in the whole; elements in the order of the whole.
TestMesh only_tile_rows(const TestMesh& whole, const std::vector<std::size_t>& rows) {
  TestMesh part;
  std::map<std::uint32_t, std::uint32_t> number;
  for (const std::size_t I : rows)
    for (std::size_t m = I * tile; m < std::min((I + 1) * tile, whole.basis.size());
         ++m) {
      part.basis.push_back(whole.basis[m]);
      for (const std::uint32_t e : whole.basis[m].element) number[e] = 0;
    }
  for (auto& [from, to] : number) {
    to = static_cast<std::uint32_t>(part.elements.size());
    part.elements.push_back(whole.elements[from]);
  }
  for (BasisFunction& f : part.basis)
    for (std::uint32_t& e : f.element) e = number[e];
  return part;
}

TEST_P(LargeOnDevice, FillAndProductsAreRightFarOut) {
  constexpr double k = 2 * pi;
  const TestMesh mesh = dipole_array(GetParam().nx, GetParam().ny, 21);
  ASSERT_EQ(mesh.basis.size(), layout().n);
  const DeviceStream stream;
  DeviceTiles z(layout(), storage());
  set_bytes(z.data(), poison, z.bytes(), stream);
  DeviceFill fill(mesh.elements, mesh.basis, GreensKernel::exact, free_space, k);
  fill.set_wavenumber(k);
  fill.fill(z, free_space, stream);

  // Entries are those of the CPU.
  const std::vector<std::size_t> rows = watched_tile_rows();
  const TestMesh part = only_tile_rows(mesh, rows);
  NearPairTable near(part.elements, {k, k, 1}, GreensKernel::exact, free_space);
  near.set_wavenumber(k);
  std::vector<Complex> right(PackedTiles{part.basis.size()}.entries());
  fill_impedance({part.elements, part.basis, k, GreensKernel::exact, free_space, &near},
                 right);
  double largest = 0, worst = 0;
  for (const Complex value : right) largest = std::max(largest, std::abs(value));
  for (std::size_t a = 0; a < rows.size(); ++a)
    for (std::size_t b = 0; b <= a; ++b) {
      const std::vector<Complex> got =
          download(z, PackedTiles::tile_offset(rows[a], rows[b]),
                   PackedTiles::tile_entries, stream);
      for (std::size_t e = 0; e < got.size(); ++e) {
        const double here = std::abs(got[e] - right[PackedTiles::tile_offset(a, b) + e]);
        // Written so that NaN shows.
        if (!(here <= worst)) worst = here;
      }
    }
  EXPECT_LT(worst, (1e-12 + rounding()) * largest);

  // Some rows of the product are those of the matrix as stored, summed on the CPU.
  std::vector<Complex> x = random_vector(layout().n, 9), y(layout().padded());
  x.resize(layout().padded());
  DeviceBuffer<Complex> device_x(x.size(), "x"), device_y(x.size(), "y");
  device_x.upload(x, stream);
  for (const int sides : {1, 4}) {
    if (sides == 4) {
      std::vector<Complex> four;
      for (int s = 0; s < 4; ++s) four.insert(four.end(), x.begin(), x.end());
      device_x = {four.size(), "x"};
      device_y = {four.size(), "y"};
      device_x.upload(four, stream);
      y.resize(four.size());
    }
    set_bytes(device_y.data(), poison, device_y.bytes(), stream);
    DeviceSymv(layout(), storage(), sides)
        .multiply(z, device_x.data(), device_y.data(), stream);
    device_y.download(y, stream);
    for (const std::size_t I : rows)
      for (const std::size_t i : {I * tile, std::min(I * tile + 37, layout().n - 1)}) {
        const std::vector<Complex> z_i = row(z, i, stream);
        Complex sum = 0;
        double squares = 0;
        for (std::size_t j = 0; j < layout().n; ++j) {
          sum += z_i[j] * x[j];
          squares += std::norm(z_i[j] * x[j]);
        }
        for (int s = 0; s < sides; ++s)
          EXPECT_LT(std::abs(y[s * layout().padded() + i] - sum),
                    sum_tolerance(layout().n) * std::sqrt(squares))
              << "row " << i << ", side " << s << " of " << sides;
      }
  }

  // And all rows are those of the matrix that is never stored.
  const std::vector<Complex> stored(y.begin(), y.begin() + layout().n);
  fill.multiply(device_x.data(), device_y.data(), free_space, stream);
  std::vector<Complex> computed(layout().n);
  copy_bytes(computed.data(), device_y.data(), computed.size() * sizeof(Complex), stream);
  stream.synchronize();
  EXPECT_LT(relative_difference(stored, computed), 1e-12 + rounding());
}

std::string name_of(const ::testing::TestParamInfo<Size>& test) {
  const Size& size = test.param;
  std::string name = std::to_string(20 * size.nx * size.ny);
  name += size.storage == Storage::complex_double ? "InDouble" : "InSingle";
  return name;
}
INSTANTIATE_TEST_SUITE_P(Sizes, LargeOnDevice,
                         ::testing::Values(Size{47, 50, Storage::complex_single},
                                           Size{47, 50, Storage::complex_double},
                                           Size{62, 75, Storage::complex_single}),
                         name_of);

}  // namespace
}  // namespace thinwire
