#include <complex>
#include <vector>

#include "mom/preconditioners/boxes.h"
#include "mom/preconditioners/device_coarse_matrix.h"
#include "tests/kernels/device/device_test_support.h"
#include "tests/mom/preconditioners/coarse_samples.h"

namespace thinwire {
namespace {

using CoarseMatrixOnDevice = testing::OnDevice;

std::vector<std::complex<float>> tiles_of(const DeviceTiles& tiles) {
  const DeviceStream stream;
  std::vector<std::complex<float>> entries(tiles.layout().entries());
  copy_bytes(entries.data(), tiles.data(), tiles.bytes(), stream);
  stream.synchronize();
  return entries;
}

/// Compares with the CPU's, diagonal tiles on both sides of the diagonal; the padding is
/// zero.
void expect_the_cpu_s(const test::MeshedStructure& structure, double cell_m) {
  SCOPED_TRACE(structure.name);
  constexpr double k = test::CoarseCase::k;
  const double edge_m = cluster_edge_m(k, cell_m);
  const test::CoarseCase of(structure, edge_m);
  const Discretization& where = *structure.antenna;
  const CoarseMatrixRule rule = CoarseMatrixRule::of(edge_m, cell_m);
  // Loads on a function and between two that are far apart.
  const auto last = static_cast<std::uint32_t>(where.unknowns() - 1);
  const std::vector<MatrixUpdate> loads = {{0, 0, {50, -20}}, {last, 3, {5, 7}}};
  const std::size_t n = of.space.size();
  std::vector<Complex> expected = of.lumped(rule);
  const Csr<double>& p = of.space.prolongation;
  const auto add = [&](std::uint32_t i, std::uint32_t j, Complex value) {
    for (std::size_t a = 0; a < p.columns_of(i).size(); ++a)
      for (std::size_t b = 0; b < p.columns_of(j).size(); ++b)
        expected[p.columns_of(i)[a] + n * p.columns_of(j)[b]] +=
            p.values_of(i)[a] * p.values_of(j)[b] * value;
  };
  add(0, 0, loads[0].value);
  add(last, 3, loads[1].value);
  add(3, last, loads[1].value);

  DeviceFill fill(where.elements(), where.basis().functions(), GreensKernel::exact,
                  of.medium, k);
  fill.set_wavenumber(k);
  const DeviceCoarseInput input = {fill, k, of.medium, {}, loads};
  const CoarseCouplings couplings(where, of.space, rule, k);
  const auto got = tiles_of(device_coarse_matrix(of.space, couplings, input));
  EXPECT_EQ(got, tiles_of(device_coarse_matrix(of.space, couplings, input)));
  constexpr std::size_t tile = PackedTiles::tile;
  std::vector<Complex> whole(n * n);
  for (std::size_t e = 0; e < got.size(); ++e) {
    const auto [row_tile, column_tile] = PackedTiles::tile_at(e / (tile * tile));
    const std::size_t i = row_tile * tile + e / tile % tile,
                      j = column_tile * tile + e % tile;
    if (i >= n || j >= n) {
      EXPECT_EQ(got[e], std::complex<float>());
      continue;
    }
    whole[i + j * n] = got[e];
    if (row_tile != column_tile) whole[j + i * n] = got[e];
  }
  // Tensor cores round lumps and fields to 2^-11.
  EXPECT_LT(testing::relative_difference(whole, expected), 2e-4);
  // Far entries are small beside those on the diagonal, and differences of larger sums:
  // each by itself, to what lumps themselves leave.
  double largest = 0;
  for (std::size_t i = 0; i < n * n; ++i)
    largest =
        std::max(largest, std::abs(whole[i] - expected[i]) /
                              (std::abs(expected[i]) + 1e-3 * std::abs(expected[0])));
  EXPECT_LT(largest, 0.03);
}

TEST_F(CoarseMatrixOnDevice, IsThatOfTheCpu) {
  expect_the_cpu_s({"plate", test::plate(14, 0.1)}, 0.1);
  expect_the_cpu_s({"fine plate", test::plate(18, 0.05)}, 0.05);
  expect_the_cpu_s({"plate of many cells a cluster", test::plate(40, 0.02)}, 0.02);
  expect_the_cpu_s({"ship", test::ship(10, 5, 4, 0.1)}, 0.1);
  expect_the_cpu_s({"helices", test::helices(6, 120)}, 0.03);
  expect_the_cpu_s({"over ground", test::raised(test::plate(10, 0.1), 0.15), true}, 0.1);
}

}  // namespace
}  // namespace thinwire
