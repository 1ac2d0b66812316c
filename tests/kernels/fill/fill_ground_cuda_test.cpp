#include <algorithm>
#include <numeric>

#include "kernels/element/quadrature_order.h"
#include "kernels/fill/fill.h"
#include "kernels/fill/matrix_entries.h"
#include "tests/kernels/device/device_test_support.h"
#include "tests/kernels/fill/ground_cases.h"

namespace thinwire {
namespace {

using namespace testing;

using DeviceFillOverGround = OnDevice;

std::vector<Complex> filled_by_cpu(const GroundCase& c) {
  const double k = c.at.k_rad_per_m;
  NearPairTable near(c.mesh.elements, {k, k, 1}, c.kernel, Medium::free_space());
  near.set_wavenumber(k);
  std::vector<Complex> z(PackedTiles{c.mesh.basis.size()}.entries());
  fill_impedance({c.mesh.elements, c.mesh.basis, k, c.kernel, Medium::free_space(), &near,
                  &c.at, &c.near},
                 z);
  return z;
}

std::vector<Complex> filled_by_gpu(const GroundCase& c, Storage table) {
  DeviceFill fill(c.mesh.elements, c.mesh.basis, c.kernel, Medium::free_space(),
                  c.at.k_rad_per_m);
  fill.set_wavenumber(c.at.k_rad_per_m);
  fill.set_ground(c.table, c.near, table);
  const DeviceStream stream;
  DeviceTiles z(PackedTiles{c.mesh.basis.size()}, Storage::complex_double);
  set_bytes(z.data(), poison, z.bytes(), stream);
  fill.fill_over_ground(z, stream);
  std::vector<Complex> values(z.bytes() / sizeof(Complex));
  copy_bytes(values.data(), z.data(), z.bytes(), stream);
  stream.synchronize();
  return values;
}

TEST_F(DeviceFillOverGround, EntriesAreThoseOfTheCpu) {
  for (const auto& c : ground_cases())
    for (const Storage table : {Storage::complex_double, Storage::complex_single}) {
      const std::vector<Complex> cpu = filled_by_cpu(*c), gpu = filled_by_gpu(*c, table);
      double largest = 0, difference = 0;
      for (std::size_t i = 0; i < cpu.size(); ++i) {
        largest = std::max(largest, std::abs(cpu[i]));
        const double here = std::abs(gpu[i] - cpu[i]);
        // Written so that NaN shows.
        if (!(here <= difference)) difference = here;
      }
      EXPECT_LT(difference, (table == Storage::complex_double ? 1e-12 : 1e-7) * largest)
          << c->name;
      EXPECT_EQ(gpu, filled_by_gpu(*c, table)) << c->name << ": not the same bits twice";
    }
}

TEST_F(DeviceFillOverGround, TheProductWithoutAMatrixIsThatWithIt) {
  for (const auto& c : ground_cases())
    for (const Storage table : {Storage::complex_double, Storage::complex_single}) {
      const PackedTiles layout{c->mesh.basis.size()};
      const std::vector<Complex> z = filled_by_gpu(*c, table),
                                 x = random_vector(layout.n, 7);
      std::vector<Complex> right(layout.n);
      for (std::size_t i = 0; i < layout.n; ++i)
        for (std::size_t j = 0; j < layout.n; ++j)
          right[i] += z[PackedTiles::offset(i, j)] * x[j];
      DeviceFill fill(c->mesh.elements, c->mesh.basis, c->kernel, Medium::free_space(),
                      c->at.k_rad_per_m);
      fill.set_wavenumber(c->at.k_rad_per_m);
      fill.set_ground(c->table, c->near, table);
      const DeviceStream stream;
      DeviceBuffer<Complex> device_x(layout.padded(), "x"),
          device_y(layout.padded(), "y");
      device_x.clear(stream);
      device_x.upload(x, stream);
      set_bytes(device_y.data(), poison, device_y.bytes(), stream);
      fill.multiply_over_ground(device_x.data(), device_y.data(), stream);
      std::vector<Complex> y(layout.n);
      copy_bytes(y.data(), device_y.data(), layout.n * sizeof(Complex), stream);
      stream.synchronize();
      EXPECT_LT(relative_difference(y, right), sum_tolerance(layout.n) + 1e-12)
          << c->name;
    }
}

TEST_F(DeviceFillOverGround, WantsAGroundOfTheWaveNumberSet) {
  const auto cases = ground_cases();
  const GroundCase& c = *cases.front();
  DeviceFill fill(c.mesh.elements, c.mesh.basis, c.kernel, Medium::free_space(), 7);
  fill.set_wavenumber(c.at.k_rad_per_m);
  fill.set_ground(c.table, c.near, Storage::complex_double);
  fill.set_wavenumber(7);
  DeviceTiles z(PackedTiles{c.mesh.basis.size()}, Storage::complex_double);
  EXPECT_THROW(fill.fill_over_ground(z, DeviceStream()), Error);
}

TEST_F(DeviceFillOverGround, FarProductsOfRowsAreThoseOfTheCpu) {
  int compared = 0;
  for (const auto& c : ground_cases()) {
    const auto& elements = c->mesh.elements;
    const auto& basis = c->mesh.basis;
    const double k = c->at.k_rad_per_m;
    const bool exact = c->kernel == GreensKernel::exact;
    const std::size_t n = basis.size();
    const std::vector<std::uint32_t> rows = {0, static_cast<std::uint32_t>(n / 2)};
    const auto near = [&](std::uint32_t p, std::uint32_t q) {
      const Element &a = elements[p], &b = elements[q];
      return far_order(norm(centre_of(a) - centre_of(b)),
                       std::max(a.length_m, b.length_m),
                       exact ? std::max(a.radius_m, b.radius_m) : 0, PairLimit(k)) == 0 ||
             reflection_order(a, b, waves_of(c->at), exact) == 0;
    };
    std::vector<Complex> x = random_vector(n, 4);
    for (std::uint32_t m = 0; m < n; ++m)
      for (const std::uint32_t row : rows)
        for (const std::uint32_t p : basis[row].element)
          for (const std::uint32_t q : basis[m].element)
            if (near(p, q)) x[m] = 0;
    std::vector<std::uint32_t> all(n);
    std::iota(all.begin(), all.end(), 0u);
    std::vector<Complex> entries(rows.size() * n), expected(rows.size());
    read_entries(
        {elements, basis, k, c->kernel, Medium::free_space(), nullptr, &c->at, &c->near},
        rows, all, entries);
    for (std::size_t m = 0; m < n; ++m)
      for (std::size_t i = 0; i < rows.size(); ++i)
        expected[i] += entries[i + m * rows.size()] * x[m];
    if (std::ranges::count(x, Complex(0)) == static_cast<std::ptrdiff_t>(n)) continue;
    ++compared;
    DeviceFill fill(elements, basis, c->kernel, Medium::free_space(), k);
    fill.set_wavenumber(k);
    const DeviceStream stream;
    const std::vector<Complex> products =
        fill.far_products(rows, PairLimit(k), uploaded(x, "x", stream).data(),
                          Medium::free_space(), &c->table, stream);
    EXPECT_LT(relative_difference(products, expected), 1e-7) << c->name;
  }
  EXPECT_GT(compared, 1);
}

}  // namespace
}  // namespace thinwire
