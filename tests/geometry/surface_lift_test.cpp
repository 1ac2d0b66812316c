// Wires in the surface of a ground come to lie on it.
#include "geometry/surface_lift.h"

#include <gtest/gtest.h>

#include "geometry/wire_mesh.h"

namespace thinwire::surface_lift_test {
namespace {

/// A vertical over two radials of other radii in the surface.
Structure vertical(double base_z_m = 0) {
  Structure s;
  s.add_wire(1, 5, {0, 0, base_z_m}, {0, 0, 10}, 0.02);
  s.add_wire(2, 5, {0, 0, 0}, {10, 0, 0}, 0.0005);
  s.add_wire(2, 5, {0, 0, 0}, {-10, 0, 0}, 0.001);
  return s;
}

MeshOptions over_ground(bool contact = false) {
  MeshOptions options;
  options.perfect_ground = options.wires_below = true;
  options.ground_contact = contact;
  return options;
}

TEST(SurfaceLift, RaisesTheStructureUntilTheThickestTouches) {
  for (const bool contact : {false, true}) {
    Structure s = vertical();
    const SurfaceLift lift = find_surface_lift(s, contact);
    EXPECT_EQ(lift.segment, 5u);
    EXPECT_EQ(lift.segments, 10u);
    EXPECT_DOUBLE_EQ(lift.height_m, 0.001);
    EXPECT_EQ(lift.depth_m, 0);
    s.raise(lift.height_m, lift.rises);
    EXPECT_DOUBLE_EQ(s.segments()[4].end_m.z, 10.001);
    // Lower than a thousandth of a segment, within which ends are put on the ground.
    const WireMesh mesh(s, over_ground(contact));
    for (const MeshElement& e : mesh.elements()) {
      EXPECT_GE(std::min(e.start_m.z, e.end_m.z), 0.001);
      EXPECT_TRUE(e.segment < 5 || e.start_m.z == 0.001);
    }
    EXPECT_FALSE(mesh.node(mesh.node_of(0, 0)).grounded);
    EXPECT_EQ(find_surface_lift(s, contact).segments, 0u);
  }
}

TEST(SurfaceLift, LeavesWhatReachesOrJoinsTheGround) {
  Structure s = vertical();
  s.add_wire(3, 2, {0, 0, 0}, {0, 0, -1}, 0.01);
  s.add_wire(4, 2, {5, 5, 0}, {5, 5, 2}, 0.01);
  const SurfaceLift lift = find_surface_lift(s, true);
  EXPECT_EQ(lift.depth_m, 1);
  s.raise(lift.height_m, lift.rises);
  const auto& segments = s.segments();
  EXPECT_DOUBLE_EQ(segments[15].start_m.z, 0.001);
  EXPECT_DOUBLE_EQ(segments[16].end_m.z, -1);
  EXPECT_EQ(segments[17].start_m.z, 0);
  EXPECT_DOUBLE_EQ(segments[18].end_m.z, 2.001);
  const WireMesh mesh(s, over_ground(true));
  EXPECT_TRUE(mesh.node(mesh.node_of(mesh.first_element(17), 0)).grounded);
}

TEST(SurfaceLift, CountsWiresThatDipOnly) {
  const auto of = [](Vec3 start, Vec3 end) {
    Structure s;
    s.add_wire(1, 1, start, end, 0.01);
    return find_surface_lift(s, false);
  };
  EXPECT_NEAR(of({0, 0, 0.004}, {1, 0, 0.004}).height_m, 0.006, 1e-15);
  EXPECT_NEAR(of({0, 0, -0.0004}, {1, 0, 0.0004}).height_m, 0.0104, 1e-8);
  EXPECT_EQ(of({0, 0, 0.01}, {1, 0, 0.01}).segments, 0u);
  EXPECT_EQ(of({0, 0, -0.02}, {1, 0, -0.02}).segments, 0u);
  EXPECT_EQ(of({0, 0, 0}, {1, 0, 0.5}).segments, 0u);  // a sloping wire that ends there
  EXPECT_EQ(of({0, 0, 0}, {0, 0, 1}).segments, 0u);
}

}  // namespace
}  // namespace thinwire::surface_lift_test
