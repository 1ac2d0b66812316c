#include <chrono>
#include <latch>
#include <thread>

#include "kernels/base/constants.h"
#include "kernels/fill/fill.h"
#include "kernels/grid/near_matrix.h"
#include "tests/kernels/device/device_test_support.h"
#include "tests/kernels/element/test_mesh.h"

namespace thinwire {
namespace {

using namespace testing;
using NearMatrixOnDevice = OnDevice;

constexpr double k = 2 * pi;

struct Case {
  const char* name;
  TestMesh mesh;
  Medium medium;
  double spacing_m;
};

/// Squares of thick wires, which overlap at the corners.
TestMesh squares(int count) {
  TestMesh mesh;
  for (int i = 0; i < count; ++i) {
    const Vec3 corner[] = {{0.25 * i, 0, 0.1},
                           {0.25 * i + 0.2, 0, 0.1},
                           {0.25 * i + 0.2, 0.2, 0.1},
                           {0.25 * i, 0.2, 0.1}};
    std::vector<Vec3> nodes;
    for (int side = 0; side < 4; ++side)
      for (int n = 0; n < 3; ++n)
        nodes.push_back(corner[side] +
                        (n / 3.0) * (corner[(side + 1) % 4] - corner[side]));
    mesh.add_wire(nodes, 0.01);
  }
  return mesh;
}

std::vector<Case> cases() {
  const Medium ground = Medium::perfect_ground();
  return {{"array", dipole_array(7, 6, 21), {}, 0.05},
          {"array over ground", dipole_array(3, 3, 21), ground, 0.1},
          {"every feature over ground", every_feature(), ground, 0.03},
          {"squares", squares(40), {}, 0.1}};
}

/// The products of X and of R with a vector; empty where there is none.
struct Products {
  std::vector<Complex> x, r;
};

Products products(const DeviceNearMatrix& near, const std::vector<Complex>& vector) {
  const DeviceStream stream;
  const auto from = uploaded(vector, "x", stream);
  const auto product = [&](const DeviceRunMatrix<double, Complex>& matrix) {
    DeviceBuffer<Complex> to(vector.size(), "y");
    matrix.multiply(1, from.data(), 0, to.data(), stream);
    std::vector<Complex> y(vector.size());
    to.download(y, stream);
    return y;
  };
  return {near.x ? product(*near.x) : std::vector<Complex>{},
          near.r ? product(*near.r) : std::vector<Complex>{}};
}

TEST_F(NearMatrixOnDevice, AgreesWithTheCpuHoweverManyEntriesAtATime) {
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.name);
    const FillInput input = {c.mesh.elements,     c.mesh.basis, k,
                             GreensKernel::exact, c.medium,     nullptr};
    const GridOperator grid({c.mesh.elements, k, c.medium, grid_classes[1], c.spacing_m});
    const NearMatrix host =
        near_matrix(input, grid,
                    near_element_pairs(c.mesh.elements, c.medium, grid.kernel().cut_m()));
    DeviceFill fill(c.mesh.elements, c.mesh.basis, GreensKernel::exact, c.medium, k);
    fill.set_wavenumber(k);
    const auto vector = random_vector(c.mesh.basis.size(), 5);
    const DeviceNearMatrix near = device_near_matrix(fill, input, grid);
    EXPECT_EQ(near.entries, host.x.column.size());
    EXPECT_EQ(near.r != nullptr, !host.r.column.empty());
    const Products got = products(near, vector);
    // Orders of quadrature are chosen for pairs alone here, for eight at a time there.
    std::vector<Complex> right(vector.size());
    add_product(host.x, 1, vector, right);
    EXPECT_LT(relative_difference(got.x, right), 1e-6);
    if (near.r) {
      std::vector<Complex> right_r(vector.size());
      add_product(host.r, 1, vector, right_r);
      EXPECT_LT(relative_difference(got.r, right_r), 1e-6);
    }
    for (const std::uint64_t at_once : {1u, 1000u}) {
      const Products some =
          products(device_near_matrix(fill, input, grid, {}, at_once), vector);
      EXPECT_EQ(some.x, got.x);
      EXPECT_EQ(some.r, got.r);
    }
  }
}

TEST_F(NearMatrixOnDevice, SharesOfTheRowsAddUp) {
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.name);
    const FillInput input = {c.mesh.elements,     c.mesh.basis, k,
                             GreensKernel::exact, c.medium,     nullptr};
    const GridOperator grid({c.mesh.elements, k, c.medium, grid_classes[1], c.spacing_m});
    DeviceFill fill(c.mesh.elements, c.mesh.basis, GreensKernel::exact, c.medium, k);
    fill.set_wavenumber(k);
    const auto vector = random_vector(c.mesh.basis.size(), 5);
    const DeviceNearMatrix whole = device_near_matrix(fill, input, grid);
    const Products expected = products(whole, vector);
    std::vector<Complex> x(vector.size()), r(vector.size());
    std::uint64_t entries = 0;
    const std::size_t n = c.mesh.basis.size(), bounds[] = {0, n / 3, n / 3 + 1, n};
    for (int share = 0; share < 3; ++share) {
      const DeviceNearMatrix some =
          device_near_matrix(fill, input, grid, {}, near_entries_at_once,
                             {bounds[share], bounds[share + 1]});
      entries += some.entries;
      const Products part = products(some, vector);
      for (std::size_t i = 0; i < n; ++i) {
        if (some.x) x[i] += part.x[i];
        if (some.r) r[i] += part.r[i];
      }
    }
    EXPECT_EQ(entries, whole.entries);
    EXPECT_LT(relative_difference(x, expected.x), sum_tolerance(n));
    if (whole.r) {
      EXPECT_LT(relative_difference(r, expected.r), sum_tolerance(n));
    }
  }
}

/// Seconds in which the GPUs fill equal shares of the rows, all at once, made ready
/// before; the slowest.
double seconds_to_fill(const TestMesh& mesh, const GridOperator& grid,
                       const std::vector<int>& gpus) {
  const FillInput input = {mesh.elements,       mesh.basis, k,
                           GreensKernel::exact, {},         nullptr};
  std::latch ready(static_cast<std::ptrdiff_t>(gpus.size()));
  std::vector<double> seconds(gpus.size());
  std::vector<std::jthread> threads;
  for (std::size_t g = 0; g < gpus.size(); ++g)
    threads.emplace_back([&, g] {
      use_device(gpus[g]);
      DeviceFill fill(mesh.elements, mesh.basis, GreensKernel::exact, {}, k);
      fill.set_wavenumber(k);
      const std::size_t n = mesh.basis.size();
      const NearShare rows = {n * g / gpus.size(), n * (g + 1) / gpus.size()};
      ready.arrive_and_wait();
      const auto start = std::chrono::steady_clock::now();
      device_near_matrix(fill, input, grid, {}, near_entries_at_once, rows);
      const std::chrono::duration<double> taken =
          std::chrono::steady_clock::now() - start;
      seconds[g] = taken.count();
    });
  threads.clear();
  return *std::max_element(seconds.begin(), seconds.end());
}

// The shares of a near field by several GPUs in docs/measurements/sparse.md.
TEST_F(NearMatrixOnDevice, DISABLED_SpeedOfShares) {
  const TestMesh mesh = dipole_array(150, 150, 21);
  const GridOperator grid({mesh.elements, k, {}, grid_classes[1], 0.1});
  const int there = static_cast<int>(device_report().devices.size());
  for (int gpus = 1; gpus <= there; gpus *= 2)
    for (int run = 0; run < 2; ++run) {
      std::vector<int> workers;
      for (int g = 0; g < gpus; ++g) workers.push_back(g);
      std::printf("%zu functions, %d GPUs: %.3f s\n", mesh.basis.size(), gpus,
                  seconds_to_fill(mesh, grid, workers));
    }
}

TEST_F(NearMatrixOnDevice, Stops) {
  const TestMesh mesh = dipole_array(4, 4, 21);
  const FillInput input = {mesh.elements,       mesh.basis, k,
                           GreensKernel::exact, {},         nullptr};
  const GridOperator grid({mesh.elements, k, {}, grid_classes[0], 0.1});
  DeviceFill fill(mesh.elements, mesh.basis, GreensKernel::exact, {}, k);
  fill.set_wavenumber(k);
  const std::atomic<bool> stop{true};
  EXPECT_THROW(device_near_matrix(fill, input, grid, Monitor({}, &stop)), Error);
}

}  // namespace
}  // namespace thinwire
