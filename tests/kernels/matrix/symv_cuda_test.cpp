#include <cstring>

#include "kernels/base/error.h"
#include "kernels/matrix/symv.h"
#include "kernels/matrix/symv_shapes.h"
#include "tests/kernels/device/device_test_support.h"
#include "tests/messages.h"

namespace thinwire {
namespace {

using namespace testing;

class SymvOnDevice : public OnDevice {
 protected:
  /// y = Z x for `sides` random x, on the GPU, from a poisoned y.
  std::vector<Complex> product(PackedTiles layout, const std::vector<Complex>& z,
                               const std::vector<Complex>& x, Storage storage,
                               int rhs_count, bool stages = true,
                               SymvSetting setting = {}) {
    return product(layout, TileShare::whole(layout), z, x, storage, rhs_count, stages,
                   setting);
  }
  std::vector<Complex> product(PackedTiles layout, TileShare share,
                               std::span<const Complex> z, const std::vector<Complex>& x,
                               Storage storage, int rhs_count, bool stages,
                               SymvSetting setting) {
    const DeviceStream stream;
    DeviceTiles tiles(layout, storage, share);
    tiles.upload(z, stream);
    DeviceSymv symv(layout, share, storage, rhs_count, setting, stages);
    DeviceBuffer<Complex> device_x(x.size(), "x"), device_y(x.size(), "y");
    device_x.upload(x, stream);
    set_bytes(device_y.data(), poison, device_y.bytes(), stream);
    symv.multiply(tiles, device_x.data(), device_y.data(), stream);
    std::vector<Complex> y(x.size());
    device_y.download(y, stream);
    return y;
  }

  /// `sides` vectors of padded length, zero beyond n.
  static std::vector<Complex> padded_vectors(PackedTiles layout, int rhs_count) {
    std::vector<Complex> x(layout.padded() * rhs_count);
    for (int s = 0; s < rhs_count; ++s) {
      const std::vector<Complex> values = random_vector(layout.n, 70 + s);
      std::copy(values.begin(), values.end(), x.begin() + s * layout.padded());
    }
    return x;
  }

  void compare(Storage storage, int rhs_count, bool stages = true,
               SymvSetting setting = {}) {
    std::vector<std::size_t> sizes(std::begin(test_sizes), std::end(test_sizes));
    // More than one super-tile, the last of them cut short.
    sizes.push_back(1100);
    sizes.push_back(2500);
    for (const std::size_t n : sizes) {
      const PackedTiles layout{n};
      std::vector<Complex> z = random_tiles(layout, 5);
      const std::vector<Complex> x = padded_vectors(layout, rhs_count);
      const std::vector<Complex> y =
          product(layout, z, x, storage, rhs_count, stages, setting);
      if (storage == Storage::complex_single) z = rounded_to_single(z);
      for (int s = 0; s < rhs_count; ++s) {
        const std::size_t at = s * layout.padded();
        std::vector<Complex> expected(n);
        symv(layout, z, std::span(x).subspan(at, n), expected);
        EXPECT_LE(relative_difference(std::span(y).subspan(at, n), expected),
                  sum_tolerance(n))
            << "n = " << n << ", side " << s;
        for (std::size_t i = n; i < layout.padded(); ++i)
          EXPECT_EQ(y[at + i], Complex(0)) << "padding " << i << " of n = " << n;
      }
    }
  }
};

TEST_F(SymvOnDevice, AgreesWithTheCpu) {
  compare(Storage::complex_double, 1);
}
TEST_F(SymvOnDevice, AgreesWithTheCpuInSingleStorage) {
  compare(Storage::complex_single, 1);
}
TEST_F(SymvOnDevice, AgreesWithTheCpuForFourSides) {
  compare(Storage::complex_double, 4);
}
TEST_F(SymvOnDevice, AgreesWithTheCpuForFourSidesInSingleStorage) {
  compare(Storage::complex_single, 4);
}

TEST_F(SymvOnDevice, AgreesWithTheCpuInEveryCompiledShape) {
  for (int shape = 0; shape < static_cast<int>(symv_shapes.size()); ++shape) {
    const SymvSetting setting = {shape, 1};
    SCOPED_TRACE(name_of(symv_shapes[static_cast<std::size_t>(shape)]));
    compare(Storage::complex_double, 1, true, setting);
    compare(Storage::complex_double, 1, false, setting);
    // Other cases do not depend on the shape.
    compare(Storage::complex_single, 1, true, setting);
    compare(Storage::complex_double, 4, true, setting);
  }
}

TEST_F(SymvOnDevice, AgreesWithTheCpuAsOlderGpusComputeIt) {
  for (const Storage storage : {Storage::complex_double, Storage::complex_single})
    for (const int rhs_count : {1, 4}) compare(storage, rhs_count, false);
}

TEST_F(SymvOnDevice, GivesTheSameBitsTwice) {
  const PackedTiles layout{1500};
  const std::vector<Complex> z = random_tiles(layout, 6);
  for (const Storage storage : {Storage::complex_double, Storage::complex_single})
    for (const int rhs_count : {1, 4}) {
      const std::vector<Complex> x = padded_vectors(layout, rhs_count);
      const std::vector<Complex> first = product(layout, z, x, storage, rhs_count),
                                 second = product(layout, z, x, storage, rhs_count);
      EXPECT_EQ(std::memcmp(first.data(), second.data(), first.size() * sizeof(first[0])),
                0);
    }
}

TEST_F(SymvOnDevice, ANumberThatIsNotOneStaysInItsRowAndColumn) {
  // Z_{70,3} = NaN must reach y_70 and y_3 and nothing else, for x without zeros.
  const PackedTiles layout{200};
  std::vector<Complex> z = random_tiles(layout, 7);
  z[PackedTiles::offset(70, 3)] = std::numeric_limits<double>::quiet_NaN();
  const std::vector<Complex> x = padded_vectors(layout, 1);
  const std::vector<Complex> y = product(layout, z, x, Storage::complex_double, 1);
  for (std::size_t i = 0; i < layout.n; ++i)
    EXPECT_EQ(std::isnan(y[i].real()), i == 70 || i == 3) << i;
}

TEST_F(SymvOnDevice, AgreesWithTheCpuInSeveralRunsABlock) {
  for (const int runs : {2, 16}) compare(Storage::complex_double, 1, true, {0, runs});
}

TEST_F(SymvOnDevice, SharesOfWholeRowsAddUpToTheProduct) {
  // Cuts inside of super-tiles and at their edges, and a share of nothing.
  const PackedTiles layout{2500};
  const std::vector<std::size_t> cuts = {0, 1, 9, 16, 16, 31, layout.rows()};
  for (const Storage storage : {Storage::complex_double, Storage::complex_single})
    for (const int rhs_count : {1, 4})
      for (const bool stages : {true, false}) {
        std::vector<Complex> z = random_tiles(layout, 8);
        if (storage == Storage::complex_single) z = rounded_to_single(z);
        const std::vector<Complex> x = padded_vectors(layout, rhs_count);
        for (std::size_t s = 0; s + 1 < cuts.size(); ++s) {
          const TileShare share = TileShare::of_rows(cuts[s], cuts[s + 1]);
          const auto part = std::span(z).subspan(share.first * PackedTiles::tile_entries,
                                                 share.entries());
          const std::vector<Complex> y =
              product(layout, share, part, x, storage, rhs_count, stages, {});
          for (int rhs = 0; rhs < rhs_count; ++rhs) {
            const std::size_t at = rhs * layout.padded();
            if (share.size() == 0) {
              EXPECT_EQ(y, std::vector<Complex>(y.size()));
              continue;
            }
            std::vector<Complex> expected(layout.n);
            symv(layout, share, part, std::span(x).subspan(at, layout.n), expected);
            EXPECT_LE(relative_difference(std::span(y).subspan(at, layout.n), expected),
                      sum_tolerance(layout.n))
                << "share " << s << ", side " << rhs;
          }
        }
      }
}

TEST_F(SymvOnDevice, RefusesAShareThatIsNotOfWholeRowsOrNotItsOwn) {
  const PackedTiles layout{300};
  EXPECT_THROW(DeviceSymv(layout, {0, 2}, Storage::complex_double), Error);
  const DeviceTiles part(layout, Storage::complex_double, TileShare::of_rows(0, 2));
  DeviceSymv symv(layout, Storage::complex_double);
  DeviceBuffer<Complex> x(layout.padded(), "x"), y(layout.padded(), "y");
  const DeviceStream stream;
  EXPECT_THROW(symv.multiply(part, x.data(), y.data(), stream), Error);
}

TEST_F(SymvOnDevice, RefusesOtherNumbersOfSides) {
  EXPECT_THROW(DeviceSymv(PackedTiles{10}, Storage::complex_double, 3), Error);
}

TEST_F(SymvOnDevice, AMatrixTooLargeNamesNeedFreeAndUnknowns) {
  const std::string text = test::error_message(ErrorKind::memory, [&] {
    const DeviceTiles tiles(PackedTiles{2'000'000}, Storage::complex_double);
  });
  EXPECT_TRUE(contains(text, "N = 2000000"));
  EXPECT_TRUE(contains(text, "B free"));
  EXPECT_TRUE(contains(text, "--precision mixed"));
}

}  // namespace
}  // namespace thinwire
