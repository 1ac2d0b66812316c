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

/// The products of X and of R with a vector; R's is empty where there is none.
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
  return {product(*near.x), near.r ? product(*near.r) : std::vector<Complex>{}};
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
    const auto vector = random_values(c.mesh.basis.size(), 5);
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
