#include <algorithm>
#include <numeric>

#include "kernels/base/constants.h"
#include "kernels/base/error.h"
#include "kernels/element/close_pairs.h"
#include "kernels/element/quadrature_order.h"
#include "kernels/fill/fill.h"
#include "kernels/fill/matrix_entries.h"
#include "tests/kernels/device/device_test_support.h"
#include "tests/kernels/element/test_mesh.h"

namespace thinwire {
namespace {

using namespace testing;

constexpr double k = 2 * pi;
const Medium ground = Medium::perfect_ground();
constexpr Complex untouched = {-7, 77};

/// Functions in random order, in lists of all sizes.
struct Lists {
  std::vector<std::uint32_t> functions;
  std::vector<std::size_t> first = {0};

  explicit Lists(std::size_t n) : functions(n) {
    std::iota(functions.begin(), functions.end(), 0u);
    std::shuffle(functions.begin(), functions.end(), std::mt19937_64(3));
    for (const std::size_t size : {1, 31, 33, 63}) first.push_back(first.back() + size);
  }
  std::size_t size(std::size_t list) const { return first[list + 1] - first[list]; }
  std::span<const std::uint32_t> of(std::size_t list) const {
    return {functions.data() + first[list], size(list)};
  }
};

template <class Value>
std::vector<Value> entries_by_gpu(const TestMesh& mesh, const Lists& lists,
                                  std::span<const EntryTile> tiles, std::size_t size) {
  DeviceFill fill(mesh.elements, mesh.basis, GreensKernel::exact, ground, k);
  fill.set_wavenumber(k);
  const DeviceStream stream;
  const DeviceFunctionLists on_gpu =
      fill.make_function_lists(lists.functions, lists.first);
  DeviceBuffer<EntryTile> device_tiles(tiles.size(), "tiles");
  device_tiles.upload(tiles, stream);
  DeviceBuffer<Value> out(size, "entries");
  out.upload(std::vector<Value>(size, Value(untouched)), stream);
  fill.entries(on_gpu, device_tiles.data(), tiles.size(), out.data(), ground, stream);
  std::vector<Value> values(size);
  out.download(values, stream);
  return values;
}

using DeviceEntries = OnDevice;

TEST_F(DeviceEntries, OfAnyListsAreThoseOfTheCpuAndNothingElseIsWritten) {
  const TestMesh mesh = every_feature();
  const Lists lists(mesh.basis.size());
  // Every pair of lists, row by row and column by column, a gap behind each row.
  std::vector<EntryTile> tiles;
  std::vector<Complex> expected;
  double largest = 0;
  for (std::uint32_t a = 0; a < 4; ++a)
    for (std::uint32_t b = 0; b < 4; ++b) {
      const bool by_rows = (a + b) % 2 == 0;
      const auto m = static_cast<std::uint32_t>(lists.size(a)),
                 n = static_cast<std::uint32_t>(lists.size(b));
      const std::uint32_t step = (by_rows ? n : m) + 2;
      tiles.push_back({a, b, expected.size(), EntryTile::none, by_rows ? step : 1,
                       by_rows ? 1 : step});
      std::vector<Complex> cpu(m * n);
      read_entries({mesh.elements, mesh.basis, k, GreensKernel::exact, ground},
                   lists.of(a), lists.of(b), cpu);
      const std::size_t start = expected.size();
      expected.resize(start + std::size_t{by_rows ? m : n} * step, untouched);
      for (std::size_t i = 0; i < m; ++i)
        for (std::size_t j = 0; j < n; ++j) {
          expected[start + i * tiles.back().row_step + j * tiles.back().column_step] =
              cpu[i + j * m];
          largest = std::max(largest, std::abs(cpu[i + j * m]));
        }
    }
  const auto in_double = entries_by_gpu<Complex>(mesh, lists, tiles, expected.size());
  const auto in_single =
      entries_by_gpu<std::complex<float>>(mesh, lists, tiles, expected.size());
  for (std::size_t e = 0; e < expected.size(); ++e) {
    EXPECT_LT(std::abs(in_double[e] - expected[e]), 1e-12 * largest) << e;
    // By loosened rules.
    EXPECT_LT(std::abs(Complex(in_single[e]) - expected[e]), 1e-4 * largest) << e;
  }
}

TEST_F(DeviceEntries, HalfOfTheTilesAndTheirMirrorImagesAreASymmetricMatrix) {
  const TestMesh mesh = every_feature();
  const Lists lists(mesh.basis.size());
  const auto n = static_cast<std::uint32_t>(lists.first.back());
  std::vector<EntryTile> tiles;
  for (std::uint32_t a = 0; a < 4; ++a)
    for (std::uint32_t b = 0; b <= a; ++b)
      tiles.push_back({a, b, lists.first[a] * n + lists.first[b],
                       a == b ? EntryTile::none : lists.first[b] * n + lists.first[a], n,
                       1});
  const auto half = entries_by_gpu<Complex>(mesh, lists, tiles, std::size_t{n} * n);
  tiles.clear();
  for (std::uint32_t a = 0; a < 4; ++a)
    for (std::uint32_t b = 0; b < 4; ++b)
      tiles.push_back({a, b, lists.first[a] * n + lists.first[b], EntryTile::none, n, 1});
  const auto all = entries_by_gpu<Complex>(mesh, lists, tiles, std::size_t{n} * n);
  double largest = 0;
  for (const Complex entry : all) largest = std::max(largest, std::abs(entry));
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      EXPECT_EQ(half[i * n + j], half[j * n + i]);
      // Orders of quadrature are chosen along the columns.
      EXPECT_LT(std::abs(half[i * n + j] - all[i * n + j]), 1e-7 * largest);
    }
}

TEST_F(DeviceEntries, FarProductsOfRowsAreThoseOfTheCpu) {
  const TestMesh mesh = dipole_array(8, 8, 10);
  const FillInput input = {mesh.elements, mesh.basis, k, GreensKernel::exact, ground};
  const std::size_t n = mesh.basis.size();
  std::vector<std::uint32_t> rows(70), all(n);  // more than a list
  std::iota(rows.begin(), rows.end(), 5u);
  std::iota(all.begin(), all.end(), 0u);
  const auto near = [&](std::uint32_t p, std::uint32_t q) {
    const Element& b = mesh.elements[q];
    for (int s = 0; s < ground.sources(); ++s) {
      const Element a = ground.source(mesh.elements[p], s);
      if (far_order(norm(centre_of(a) - centre_of(b)), std::max(a.length_m, b.length_m),
                    std::max(a.radius_m, b.radius_m), PairLimit(k)) == 0)
        return true;
    }
    return false;
  };
  std::vector<Complex> x = random_vector(n, 4);
  std::size_t left = 0;
  for (std::uint32_t m = 0; m < n; ++m) {
    const bool is_near = std::ranges::any_of(rows, [&](std::uint32_t row) {
      for (const std::uint32_t p : mesh.basis[row].element)
        for (const std::uint32_t q : mesh.basis[m].element)
          if (near(p, q)) return true;
      return false;
    });
    if (is_near)
      x[m] = 0;
    else
      ++left;
  }
  ASSERT_GT(left, n / 2);
  std::vector<Complex> entries(rows.size() * n), expected(rows.size());
  read_entries(input, rows, all, entries);
  for (std::size_t m = 0; m < n; ++m)
    for (std::size_t i = 0; i < rows.size(); ++i)
      expected[i] += entries[i + m * rows.size()] * x[m];
  // Its own near pairs are by a limit that is looser.
  DeviceFill fill(mesh.elements, mesh.basis, GreensKernel::exact, ground,
                  PairLimit(k, 12, 10.5));
  fill.set_wavenumber(k);
  const DeviceStream stream;
  const std::vector<Complex> products = fill.far_products(
      rows, PairLimit(k), uploaded(x, "x", stream).data(), ground, nullptr, stream);
  EXPECT_LT(relative_difference(products, expected), 1e-7);
}

TEST_F(DeviceEntries, OfListsThatAreNoneAreRefused) {
  const TestMesh mesh = dipole_array(1, 2, 50);
  const DeviceFill fill(mesh.elements, mesh.basis, GreensKernel::exact,
                        Medium::free_space(), k);
  std::vector<std::uint32_t> functions(65);
  std::iota(functions.begin(), functions.end(), 0u);
  const std::vector<std::size_t> empty = {0, 3, 3}, long_list = {0, 65}, beyond = {0, 66};
  EXPECT_THROW((void)fill.make_function_lists(functions, empty), Error);
  EXPECT_THROW((void)fill.make_function_lists(functions, long_list), Error);
  EXPECT_THROW((void)fill.make_function_lists(functions, beyond), Error);
  functions[7] = 98;
  const std::vector<std::size_t> good = {0, 64};
  EXPECT_THROW((void)fill.make_function_lists(functions, good), Error);
  functions[7] = 97;
  EXPECT_EQ(fill.make_function_lists(functions, good).size(), 1u);
}

}  // namespace
}  // namespace thinwire
