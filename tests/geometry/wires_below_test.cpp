// Meshes of wires that lie below a ground's surface, z = 0, or pass through it.
#include "geometry/wires_below.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "geometry/wire_mesh.h"
#include "tests/messages.h"

namespace thinwire {
namespace {

MeshOptions over_ground(bool graded = true) {
  MeshOptions options;
  options.graded = graded;
  options.perfect_ground = options.wires_below = true;
  return options;
}

Structure wire(Vec3 start, Vec3 end, int segments = 1) {
  Structure s;
  s.add_wire(1, segments, start, end, 0.001);
  return s;
}

/// Returns the error's text; empty if the structure is accepted.
std::string refusal(const Structure& structure, const MeshOptions& options) {
  return test::error_message([&] { const WireMesh mesh(structure, options); });
}

TEST(WiresBelow, AnAsGivenSegmentThatPassesThroughIsTwoElements) {
  const WireMesh mesh(wire({0, 0, 0.3}, {0.1, 0, -0.7}), over_ground(false));
  ASSERT_EQ(mesh.elements().size(), 2u);
  const MeshElement& above = mesh.elements()[0];
  const MeshElement& below = mesh.elements()[1];
  EXPECT_EQ(above.end_m.z, 0);
  EXPECT_EQ(below.start_m.z, 0);
  EXPECT_NEAR(above.end_m.x, 0.03, 1e-15);
  EXPECT_EQ(below.segment, 0u);
  EXPECT_EQ(below.end_m.z, -0.7);
  // The node on the surface is like any other.
  const Node node = mesh.node(mesh.node_of(0, 1));
  EXPECT_EQ(node.ends.size(), 2u);
  EXPECT_FALSE(node.grounded);
  // Where there is no ground it is one wire.
  MeshOptions free_space;
  free_space.graded = false;
  EXPECT_EQ(WireMesh(wire({0, 0, 0.3}, {0.1, 0, -0.7}), free_space).elements().size(),
            1u);
}

TEST(WiresBelow, NoElementLiesOnBothSides) {
  for (const int refinement : {1, 2, 4})
    for (const bool graded : {false, true}) {
      MeshOptions options = over_ground(graded);
      options.refinement = refinement;
      options.gap_segments = {3};
      const WireMesh mesh(wire({0.2, 0, -0.71}, {0, 0.1, 1.3}, 9), options);
      double length_m = 0;
      int on_surface = 0;
      for (const MeshElement& e : mesh.elements()) {
        EXPECT_GE(e.start_m.z * e.end_m.z, 0);
        on_surface += e.start_m.z == 0 ? 1 : 0;
        length_m += norm(e.end_m - e.start_m);
      }
      EXPECT_EQ(on_surface, 1);
      EXPECT_NEAR(length_m, norm(Vec3{0.2, 0.1, 2.01}), 1e-14);
    }
}

TEST(WiresBelow, AGradedMeshIsFineAtTheSurfaceOnBothSides) {
  // Wherever the surface lies in the segment.
  for (const double low : {-0.02, -0.5, -0.98}) {
    Structure s = wire({0, 0, low - 2}, {0, 0, low + 3}, 5);
    const WireMesh mesh(s, over_ground());
    double above_m = 1, below_m = 1;
    for (std::size_t e = mesh.first_element(2); e < mesh.first_element(3); ++e) {
      const MeshElement& element = mesh.elements()[e];
      if (element.end_m.z == 0) below_m = norm(element.end_m - element.start_m);
      if (element.start_m.z == 0) above_m = norm(element.end_m - element.start_m);
    }
    EXPECT_NEAR(below_m, -low / 32, 1e-12) << low;
    EXPECT_NEAR(above_m, (1 + low) / 32, 1e-12) << low;
  }
}

TEST(WiresBelow, ElementsBelowAreNoLongerThanTheLimit) {
  MeshOptions options = over_ground();
  options.longest_below_m = 0.3;
  const WireMesh mesh(wire({0, 0, -3}, {0, 0, 2}, 5), options);
  double below_m = 0, above_m = 0;
  for (const MeshElement& e : mesh.elements()) {
    double& longest_m = e.start_m.z < 0 ? below_m : above_m;
    longest_m = std::max(longest_m, norm(e.end_m - e.start_m));
  }
  EXPECT_NEAR(below_m, 0.25, 1e-12);
  EXPECT_NEAR(above_m, 0.5, 1e-12);
}

TEST(WiresBelow, ContactIsWhereNothingGoesOnBelow) {
  Structure s;
  s.add_wire(1, 3, {0, 0, 0}, {0, 0, 3}, 0.001);   // a monopole
  s.add_wire(2, 3, {0, 0, -3}, {0, 0, 0}, 0.001);  // and its rod
  s.add_wire(3, 3, {5, 0, 0}, {5, 0, 3}, 0.001);   // one without
  s.add_wire(4, 3, {9, 0, -3}, {9, 0, 0}, 0.001);  // a rod without a monopole
  MeshOptions options = over_ground(false);
  options.ground_contact = true;
  const WireMesh mesh(s, options);
  const auto node = [&](std::size_t segment, int end) {
    return mesh.node(mesh.node_of(segment, end));
  };
  EXPECT_EQ(node(0, 0).ends.size(), 2u);
  EXPECT_FALSE(node(0, 0).grounded);
  EXPECT_TRUE(node(6, 0).grounded);
  EXPECT_EQ(node(11, 1).ends.size(), 1u);
  EXPECT_FALSE(node(11, 1).grounded);
}

TEST(WiresBelow, WiresInTheSurfaceAreRefused) {
  const auto level = [](double z) { return wire({0, 0, z}, {0.5, 0, z}); };
  EXPECT_EQ(
      refusal(level(0.0006), over_ground()),
      "geometry: segment 1 (tag 1, its segment 1) dips into the ground (its axis is "
      "0.0006 m above it, its radius 0.001 m). Raise the wire or end it at z = 0, "
      "or bury it.");
  EXPECT_EQ(
      refusal(level(-0.0006), over_ground()),
      "geometry: segment 1 (tag 1, its segment 1) dips into the ground (its axis is "
      "0.0006 m below it, its radius 0.001 m). Raise the wire or end it at z = 0, "
      "or bury it.");
  EXPECT_EQ(refusal(level(-0.0004), over_ground()),
            "geometry: segment 1 (tag 1, its segment 1) lies in the ground plane, where "
            "its image cancels it. Raise it above z = 0, or bury it.");
  EXPECT_EQ(refusal(level(-0.001), over_ground()), "");
  EXPECT_EQ(
      refusal(wire({0, 0, -0.0008}, {0.5, 0, 0.0009}), over_ground()),
      "geometry: segment 1 (tag 1, its segment 1) dips into the ground (its axis is "
      "0.0009 m above it, its radius 0.001 m). Raise the wire or end it at z = 0, "
      "or bury it.");
  EXPECT_EQ(refusal(wire({0, 0, -0.1}, {0, 0, 0.1}), over_ground()), "");
  MeshOptions above_only = over_ground();
  above_only.wires_below = false;
  EXPECT_EQ(refusal(level(-1), above_only),
            "geometry: segment 1 (tag 1, its segment 1) reaches below the ground (z = -1 "
            "m). Raise the wire to z >= 0.");
}

TEST(WiresBelow, AreFoundInAStructure) {
  EXPECT_TRUE(has_wires_below(wire({0, 0, -1}, {0, 0, 1}, 3)));
  EXPECT_FALSE(has_wires_below(wire({0, 0, -0.0009}, {0, 0, 1})));
  EXPECT_FALSE(has_wires_below(wire({0, 0, 1}, {1, 0, 1})));
}

}  // namespace
}  // namespace thinwire
