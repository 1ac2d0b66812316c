#pragma once

#include <cmath>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "kernels/base/constants.h"
#include "mom/discretization/discretization.h"
#include "tests/mom/wire_grids.h"

namespace thinwire::test {

/// A structure meshed as given, fed on its first segment; the wavelength is one metre.
struct MeshedStructure {
  std::string name;
  std::unique_ptr<Structure> structure;
  std::unique_ptr<Discretization> antenna;
  bool grounded;

  MeshedStructure(std::string what, Structure s, bool ground = false)
      : name(std::move(what)),
        structure(std::make_unique<Structure>(std::move(s))),
        grounded(ground) {
    MeshOptions options;
    options.graded = false;
    options.perfect_ground = options.ground_contact = ground;
    antenna = std::make_unique<Discretization>(*structure, options);
  }
};

inline Structure helices(int turns, int segments) {
  Structure s;
  const Vec3 axes[] = {{0, 0, 0}, {0.8, 0, 0.1}};
  int tag = 0;
  for (const Vec3& axis : axes) {
    const auto at = [&](int i) {
      const double angle = 2 * pi * turns * i / segments;
      return axis + Vec3{0.16 * std::cos(angle), 0.16 * std::sin(angle),
                         0.2 * turns * i / static_cast<double>(segments)};
    };
    for (int i = 0; i < segments; ++i) s.add_wire(++tag, 1, at(i), at(i + 1), 0.002);
  }
  return s;
}

inline Structure yagis(int count, int elements) {
  Structure s;
  int tag = 0;
  for (int y = 0; y < count; ++y)
    for (int e = 0; e < elements; ++e) {
      const double half = e == 0 ? 0.24 : e == 1 ? 0.235 : 0.215;
      const Vec3 at{0.25 * e, 0.7 * y, 0.3 * y};
      s.add_wire(++tag, 21, at - Vec3{0, 0, half}, at + Vec3{0, 0, half}, 0.003);
    }
  return s;
}

inline Structure random_dipoles(int count, double cube_m) {
  Structure s;
  std::mt19937 random(17);
  std::uniform_real_distribution<double> unit(0, 1);
  std::normal_distribution<double> normal;
  for (int i = 0; i < count; ++i) {
    const Vec3 at{cube_m * unit(random), cube_m * unit(random), cube_m * unit(random)};
    Vec3 t{normal(random), normal(random), normal(random)};
    t = (0.235 / norm(t)) * t;
    s.add_wire(i + 1, 21, at - t, at + t, 0.001);
  }
  return s;
}

inline Structure array(int nx, int ny, double height_m = 0) {
  Structure s;
  for (int i = 0; i < nx * ny; ++i) {
    const Vec3 at{0.5 * (i / ny), 0.5 * (i % ny), height_m};
    s.add_wire(i + 1, 21, at - Vec3{0, 0, 0.2375}, at + Vec3{0, 0, 0.2375}, 0.001);
  }
  return s;
}

inline Structure raised(Structure structure, double height_m) {
  structure.move(0, 0, {}, {0, 0, height_m}, 0);
  return structure;
}

/// Long elements beside short ones, steps of radius, a junction of five wires.
inline Structure uneven() {
  Structure s;
  int tag = 0;
  s.add_wire(++tag, 9, {0, 0, 0}, {0, 0, 0.3}, 0.001);
  s.add_wire(++tag, 4, {0, 0, 0.3}, {0, 0, 1.5}, 0.004);
  s.add_wire(++tag, 60, {0, 0, 0.3}, {0.6, 0, 0.3}, 0.0005);
  s.add_wire(++tag, 1, {0, 0, 0.3}, {0, 0.4, 0.3}, 0.002);
  s.add_wire(++tag, 10, {0, 0, 0.3}, {-0.3, -0.3, 0.4}, 0.001);
  for (int i = 0; i < 14; ++i) {
    const double x = 0.1 * i, y = 0.5 + 0.05 * (i % 3);
    s.add_wire(++tag, 20 + i, {x, y, 0}, {x + 0.05, y, 0.9}, i % 2 ? 0.002 : 0.0007);
  }
  return s;
}

}  // namespace thinwire::test
