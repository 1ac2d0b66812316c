#include <algorithm>

#include "kernels/base/constants.h"
#include "kernels/base/error.h"
#include "kernels/fill/fill.h"
#include "tests/kernels/device/device_test_support.h"
#include "tests/kernels/element/test_mesh.h"

namespace thinwire {
namespace {

using namespace testing;

constexpr Medium free_space = Medium::free_space(), ground = Medium::perfect_ground();

struct Case {
  const char* name;
  TestMesh mesh;
  GreensKernel kernel;
  Medium medium;
  double k = 2 * pi;
  double sorting_k = 2 * pi;
  std::size_t frequencies = 1;  ///< of a sweep from 0.4 sorting_k to sorting_k

  WavenumberRange range() const {
    return {frequencies > 1 ? 0.4 * sorting_k : k, sorting_k, frequencies};
  }
};

std::vector<Complex> filled_by_cpu(const Case& c) {
  NearPairTable near(c.mesh.elements, c.range(), c.kernel, c.medium);
  near.set_wavenumber(c.k);
  std::vector<Complex> z(PackedTiles{c.mesh.basis.size()}.entries());
  fill_impedance({c.mesh.elements, c.mesh.basis, c.k, c.kernel, c.medium, &near}, z);
  return z;
}

template <class Value>
std::vector<Value> filled_by_gpu(const Case& c, Storage storage) {
  DeviceFill fill(c.mesh.elements, c.mesh.basis, c.kernel, c.medium, c.sorting_k);
  EXPECT_EQ(fill.tabulate_near_pairs(c.range(), 1u << 30), c.frequencies > 1);
  fill.set_wavenumber(c.k);
  const DeviceStream stream;
  DeviceTiles z(PackedTiles{c.mesh.basis.size()}, storage);
  set_bytes(z.data(), poison, z.bytes(), stream);
  fill.fill(z, c.medium, stream);
  std::vector<Value> values(z.bytes() / sizeof(Value));
  copy_bytes(values.data(), z.data(), z.bytes(), stream);
  stream.synchronize();
  return values;
}

template <class Value>
double largest_difference(const std::vector<Value>& a, const std::vector<Complex>& b) {
  double largest = 0, difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    largest = std::max(largest, std::abs(b[i]));
    const double here = std::abs(Complex(a[i]) - b[i]);
    // Written so that NaN shows.
    if (!(here <= difference)) difference = here;
  }
  return difference / largest;
}

std::vector<Case> cases() {
  constexpr auto exact = GreensKernel::exact, reduced = GreensKernel::reduced;
  std::vector<Case> all;
  all.push_back({"array", dipole_array(4, 3, 21), exact, free_space});
  all.push_back({"array, reduced", dipole_array(4, 3, 21), reduced, free_space});
  all.push_back({"array over ground", dipole_array(3, 3, 20), exact, ground});
  all.push_back({"long elements", dipole_array(3, 3, 3), exact, free_space});
  all.push_back({"every feature", every_feature(), exact, free_space});
  all.push_back({"every feature, reduced", every_feature(), reduced, ground});
  all.push_back({"every feature over ground", every_feature(), exact, ground});
  all.push_back({"sweep", every_feature(), exact, ground, 4.0, 7.0});
  all.push_back({"one function", dipole_array(1, 1, 2), exact, free_space});
  return all;
}

using DeviceFillTest = OnDevice;

TEST_F(DeviceFillTest, EntriesAreThoseOfTheCpu) {
  for (const Case& c : cases()) {
    const std::vector<Complex> cpu = filled_by_cpu(c);
    EXPECT_LT(largest_difference(filled_by_gpu<Complex>(c, Storage::complex_double), cpu),
              1e-12)
        << c.name;
    // Rounding to single, of the largest entry.
    EXPECT_LT(largest_difference(
                  filled_by_gpu<std::complex<float>>(c, Storage::complex_single), cpu),
              1.2e-7)
        << c.name;
  }
}

/// Several GPUs each fill a share of the tiles: the same bits as one that fills all.
TEST_F(DeviceFillTest, SharesOfTheTilesAreThoseOfTheWhole) {
  const Case c = {"", every_feature(), GreensKernel::exact, ground};
  const PackedTiles layout{c.mesh.basis.size()};
  DeviceFill fill(c.mesh.elements, c.mesh.basis, c.kernel, c.medium, c.sorting_k);
  fill.set_wavenumber(c.k);
  const DeviceStream stream;
  std::vector<Complex> joined;
  for (const TileShare share :
       {TileShare::part(layout, 0, 2), TileShare::part(layout, 1, 2)}) {
    DeviceTiles z(layout, Storage::complex_double, share);
    set_bytes(z.data(), poison, z.bytes(), stream);
    fill.fill(z, c.medium, stream);
    std::vector<Complex> part(share.entries());
    copy_bytes(part.data(), z.data(), z.bytes(), stream);
    stream.synchronize();
    joined.insert(joined.end(), part.begin(), part.end());
  }
  EXPECT_EQ(joined, filled_by_gpu<Complex>(c, Storage::complex_double));
}

/// Each has the near pairs of its own tiles only. Pairs that lie alike are integrated
/// once, in the place of the first of them, which is another one here.
TEST_F(DeviceFillTest, ASharesOwnNearPairsAreEnoughForItsTiles) {
  for (const Case& c :
       {Case{"every feature", every_feature(), GreensKernel::exact, ground},
        Case{"array", dipole_array(3, 3, 21), GreensKernel::exact, free_space}}) {
    const PackedTiles layout{c.mesh.basis.size()};
    const auto whole = filled_by_gpu<Complex>(c, Storage::complex_double);
    const DeviceStream stream;
    std::vector<std::size_t> pairs;
    for (std::size_t row = 0; row < layout.rows(); ++row) {
      const TileShare share = TileShare::of_rows(row, row + 1);
      DeviceFill fill(c.mesh.elements, c.mesh.basis, c.kernel, c.medium, c.sorting_k, {},
                      share);
      pairs.push_back(fill.near_pairs());
      fill.set_wavenumber(c.k);
      DeviceTiles z(layout, Storage::complex_double, share);
      fill.fill(z, c.medium, stream);
      std::vector<Complex> part(share.entries());
      copy_bytes(part.data(), z.data(), z.bytes(), stream);
      stream.synchronize();
      const auto first = whole.begin() + static_cast<std::ptrdiff_t>(
                                             share.first * PackedTiles::tile_entries);
      EXPECT_LT(largest_difference(part, {first, first + std::ssize(part)}), 1e-14)
          << c.name << " " << row;
    }
    const DeviceFill all(c.mesh.elements, c.mesh.basis, c.kernel, c.medium, c.sorting_k);
    EXPECT_LT(*std::max_element(pairs.begin(), pairs.end()), all.near_pairs()) << c.name;
  }
}

/// Interpolated from the same nodes as on the CPU, and to the bound of wavenumber_nodes.h
/// what a fill of one frequency gives.
TEST_F(DeviceFillTest, SweepsInterpolateNearPairsAsTheCpuDoes) {
  constexpr auto exact = GreensKernel::exact, reduced = GreensKernel::reduced;
  for (const double k : {4.0, 6.28, 10.0})
    for (Case c :
         {Case{"array", dipole_array(3, 2, 21), exact, ground, k, 10.0},
          Case{"array, reduced", dipole_array(3, 2, 21), reduced, free_space, k, 10},
          Case{"every feature", every_feature(), exact, ground, k, 10.0}}) {
      const std::vector<Complex> single = filled_by_cpu(c);
      c.frequencies = 200;
      const std::vector<Complex> cpu = filled_by_cpu(c);
      const auto gpu = filled_by_gpu<Complex>(c, Storage::complex_double);
      EXPECT_LT(largest_difference(gpu, cpu), 1e-11) << c.name << " " << k;
      EXPECT_LT(largest_difference(gpu, single), 1e-9) << c.name << " " << k;
    }
}

TEST_F(DeviceFillTest, ATableThatIsTooLargeIsLeftOut) {
  const TestMesh mesh = dipole_array(3, 2, 21);
  DeviceFill fill(mesh.elements, mesh.basis, GreensKernel::exact, free_space, 10.0);
  const WavenumberRange sweep = {4.0, 10.0, 200};
  const std::size_t before = fill.bytes();
  EXPECT_FALSE(fill.tabulate_near_pairs(sweep, 1000));
  EXPECT_FALSE(fill.tabulate_near_pairs({4.0, 10.0, 3}, 1u << 30));
  EXPECT_EQ(fill.bytes(), before);
  EXPECT_TRUE(fill.tabulate_near_pairs(sweep, 1u << 30));
  EXPECT_GT(fill.bytes(), before);
}

TEST_F(DeviceFillTest, TheSameBitsEveryTime) {
  const Case c = {"", every_feature(), GreensKernel::exact, ground};
  const auto once = filled_by_gpu<Complex>(c, Storage::complex_double),
             again = filled_by_gpu<Complex>(c, Storage::complex_double);
  EXPECT_EQ(once, again);
}

TEST_F(DeviceFillTest, TheProductWithoutAMatrixIsThatWithIt) {
  for (const Case& c : cases()) {
    const PackedTiles layout{c.mesh.basis.size()};
    const std::vector<Complex> z = filled_by_cpu(c), x = random_vector(layout.n, 7);
    std::vector<Complex> right(layout.n);
    for (std::size_t i = 0; i < layout.n; ++i)
      for (std::size_t j = 0; j < layout.n; ++j)
        right[i] += z[PackedTiles::offset(i, j)] * x[j];

    DeviceFill fill(c.mesh.elements, c.mesh.basis, c.kernel, c.medium, c.sorting_k);
    fill.set_wavenumber(c.k);
    const DeviceStream stream;
    DeviceBuffer<Complex> device_x(layout.padded(), "x"), device_y(layout.padded(), "y");
    device_x.clear(stream);
    device_x.upload(x, stream);
    set_bytes(device_y.data(), poison, device_y.bytes(), stream);
    fill.multiply(device_x.data(), device_y.data(), c.medium, stream);
    std::vector<Complex> y(layout.n);
    copy_bytes(y.data(), device_y.data(), layout.n * sizeof(Complex), stream);
    stream.synchronize();
    EXPECT_LT(relative_difference(y, right), sum_tolerance(layout.n) + 1e-12) << c.name;
  }
}

TEST_F(DeviceFillTest, UpdatesLandOnBothHalves) {
  const PackedTiles layout{130};
  const std::vector<MatrixUpdate> updates = {{0, 0, {1, 2}},
                                             {5, 3, {3, -1}},
                                             {64, 63, {2, 2}},
                                             {129, 0, {1, 1}},
                                             {129, 128, {4, 0}}};
  const DeviceStream stream;
  for (const Storage storage : {Storage::complex_double, Storage::complex_single}) {
    DeviceTiles tiles(layout, storage);
    tiles.upload(std::vector<Complex>(layout.entries()), stream);
    add_updates(tiles, updates, stream);
    std::vector<std::byte> bytes(tiles.bytes());
    copy_bytes(bytes.data(), tiles.data(), tiles.bytes(), stream);
    stream.synchronize();
    const auto at = [&](std::size_t offset) {
      return storage == Storage::complex_double
                 ? reinterpret_cast<const Complex*>(bytes.data())[offset]
                 : Complex(reinterpret_cast<const std::complex<float>*>(
                       bytes.data())[offset]);
    };
    Complex total = 0;
    for (const MatrixUpdate& u : updates) {
      EXPECT_EQ(at(PackedTiles::offset(u.row, u.column)), u.value);
      total += u.value;
    }
    // The mirror images in diagonal tiles.
    EXPECT_EQ(at(PackedTiles::tile_offset(0, 0) + 3 * 64 + 5), Complex(3, -1));
    EXPECT_EQ(at(PackedTiles::tile_offset(2, 2) + 0 * 64 + 1), Complex(4, 0));
    total += Complex(7, -1);
    Complex sum = 0;
    for (std::size_t i = 0; i < layout.entries(); ++i) sum += at(i);
    EXPECT_EQ(sum, total);
  }
}

}  // namespace
}  // namespace thinwire
