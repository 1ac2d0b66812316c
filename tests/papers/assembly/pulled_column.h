#pragma once

#include <gtest/gtest.h>

#include "papers/assembly/elastic_solve.h"

namespace thinwire::testing {

/// A column of E = 2 without Poisson's ratio, held at the bottom and pulled with 1 a unit
/// area at the top: strained by 1 / 2 along z, and not at all across.
struct PulledColumn {
  ElasticBody body = {cube_mesh(6), isotropic(2, 0)};
  Connectivity connectivity = connect(body.mesh);
  ElasticLoad load = {held_at_bottom(body.mesh), pull_on_top(body.mesh, 6)};

  static SolverControl control() {
    SolverControl control;
    control.tolerance = 1e-12;
    return control;
  }
  void expect_strain(const ElasticSolve& solve) const {
    EXPECT_EQ(solve.result.status, SolveStatus::converged);
    ASSERT_EQ(solve.displacement.size(), body.mesh.nodes());
    for (std::size_t i = 0; i < body.mesh.nodes(); ++i)
      EXPECT_LT(norm(solve.displacement[i] - Vec3{0, 0, 0.5 * body.mesh.node[i].z}),
                1e-10);
  }
};

}  // namespace thinwire::testing
