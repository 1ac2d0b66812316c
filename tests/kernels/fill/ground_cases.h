#pragma once

#include <memory>
#include <vector>

#include "kernels/base/constants.h"
#include "kernels/fill/near_ground_pairs.h"
#include "tests/kernels/element/test_mesh.h"

namespace thinwire::testing {

/// A mesh over a real ground, wavelength 1 m, with all that a fill wants of it.
struct GroundCase {
  const char* name;
  TestMesh mesh;
  GreensKernel kernel;
  GroundTable table;
  GroundAt at;
  NearGroundPairs near;

  GroundCase(const char* what, TestMesh of, GreensKernel with, Complex eps)
      : name(what),
        mesh(std::move(of)),
        kernel(with),
        table(eps, 1e-4, 20),
        at{2 * pi, eps, table.view()},
        near(mesh.elements, at, kernel) {}
};

/// Half-wave dipoles along x at this height, one of them the other way round.
inline TestMesh flat_array(int nx, int ny, int segments, double height_m) {
  TestMesh mesh;
  for (int i = 0; i < nx; ++i)
    for (int j = 0; j < ny; ++j) {
      const Vec3 a{0.7 * i, 0.5 * j, height_m}, b{0.7 * i + 0.48, 0.5 * j, height_m};
      const bool turned = i == 0 && j == 1;
      mesh.add_wire(straight(turned ? b : a, turned ? a : b, segments), 0.001);
    }
  return mesh;
}

inline std::vector<std::unique_ptr<GroundCase>> ground_cases() {
  constexpr auto exact = GreensKernel::exact, reduced = GreensKernel::reduced;
  const Complex soil{13, -0.3}, sea{81, -300}, fresh{80, -0.06};
  std::vector<std::unique_ptr<GroundCase>> all;
  const auto add = [&](const char* name, TestMesh mesh, GreensKernel kernel,
                       Complex eps) {
    all.push_back(std::make_unique<GroundCase>(name, std::move(mesh), kernel, eps));
  };
  add("low", flat_array(3, 3, 11, 0.02), exact, soil);
  add("high, over water", flat_array(2, 3, 11, 1), exact, fresh);
  add("upright", dipole_array(3, 2, 11), exact, soil);
  add("every feature, over the sea", every_feature(), exact, sea);
  add("every feature, reduced", every_feature(), reduced, soil);
  return all;
}

}  // namespace thinwire::testing
