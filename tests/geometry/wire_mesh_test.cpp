#include "geometry/wire_mesh.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <random>
#include <string>
#include <vector>

#include "geometry/advice.h"
#include "kernels/base/error.h"
#include "tests/messages.h"

namespace thinwire {
namespace {

/// Lengths of the elements of a segment, in its direction.
std::vector<double> lengths(const WireMesh& mesh, std::size_t segment) {
  std::vector<double> of;
  for (std::size_t e = mesh.first_element(segment); e < mesh.first_element(segment + 1);
       ++e)
    of.push_back(norm(mesh.elements()[e].end_m - mesh.elements()[e].start_m));
  return of;
}

/// Five segments of 1 m along z, the middle one fed.
Structure dipole(double radius_m) {
  Structure s;
  s.add_wire(1, 5, {0, 0, 0}, {0, 0, 5}, radius_m);
  return s;
}

MeshOptions fed(std::size_t segment) {
  MeshOptions options;
  options.gap_segments = {segment};
  return options;
}

/// Fractions that `work` tells a monitor; stopped at each of them but the last, it throws
/// before it tells the next.
template <class Work>
std::vector<double> told_and_stopped(const Work& work) {
  std::vector<double> fractions;
  work(Monitor([&](const Progress& p) { fractions.push_back(p.fraction); }));
  for (std::size_t last = 0; last + 1 < fractions.size(); ++last) {
    std::atomic<bool> stop = false;
    std::size_t count = 0;
    const Monitor monitor([&](const Progress&) { stop = count++ == last; }, &stop);
    EXPECT_THROW(work(monitor), Error);
    EXPECT_EQ(count, last + 1);
  }
  return fractions;
}

void expect_lengths(const std::vector<double>& got, const std::vector<double>& right) {
  ASSERT_EQ(got.size(), right.size());
  for (std::size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], right[i], 1e-12) << i;
}

TEST(WireMesh, HalvesTowardsEndsAndGapEdgesWhateverTheRadius) {
  for (const double radius_m : {1e-6, 0.01, 1.0, 10.0}) {
    const WireMesh mesh(dipole(radius_m), fed(2));
    expect_lengths(lengths(mesh, 0), {1.0 / 256, 1.0 / 256, 1.0 / 128, 1.0 / 64, 1.0 / 32,
                                      1.0 / 16, 1.0 / 8, 1.0 / 4, 1.0 / 2});
    expect_lengths(lengths(mesh, 1),
                   {1.0 / 2, 1.0 / 4, 1.0 / 8, 1.0 / 16, 1.0 / 32, 1.0 / 32});
    expect_lengths(lengths(mesh, 2),
                   {1.0 / 32, 1.0 / 32, 1.0 / 16, 1.0 / 8, 1.0 / 8, 1.0 / 8, 1.0 / 8,
                    1.0 / 8, 1.0 / 8, 1.0 / 16, 1.0 / 32, 1.0 / 32});
  }
}

TEST(WireMesh, AsGivenIsOneElementASegment) {
  MeshOptions options = fed(2);
  options.graded = false;
  EXPECT_EQ(WireMesh(dipole(0.01), options).elements().size(), 5u);
}

TEST(WireMesh, ElementsOfTheReducedKernelStayLong) {
  MeshOptions options = fed(2);
  options.finest_per_radius = 4;
  const WireMesh mesh(dipole(0.02), options);
  // Halved while they are 0.08 m long or longer.
  const std::vector<double> end = lengths(mesh, 0);
  EXPECT_NEAR(*std::min_element(end.begin(), end.end()), 1.0 / 16, 1e-12);
}

TEST(WireMesh, WiresBesideAnEndAreCutToItsDistance) {
  Structure s = dipole(0.001);
  // Begins 2.5 m below the dipole's upper end and runs 0.3 m beside it.
  s.add_wire(2, 5, {0.3, 0, 2.5}, {0.3, 0, 7.5}, 0.001);
  const WireMesh mesh(s, MeshOptions{});
  // Its third segment, from z = 4.5 to 5.5, has the end of the dipole in its middle.
  expect_lengths(lengths(mesh, 7), {0.25, 0.25, 0.25, 0.25});
  // Its neighbours are 0.58 m away and halved once.
  expect_lengths(lengths(mesh, 6), {0.5, 0.5});
  expect_lengths(lengths(mesh, 8), {0.5, 0.5});
  // At the same distance of 0.01 m: three halvings and no more.
  Structure close = dipole(0.001);
  close.add_wire(2, 5, {0.01, 0, 2.5}, {0.01, 0, 7.5}, 0.001);
  const std::vector<double> cut = lengths(WireMesh(close, MeshOptions{}), 7);
  EXPECT_NEAR(*std::min_element(cut.begin(), cut.end()), 0.125, 1e-12);
}

TEST(WireMesh, FarWiresAreNotCut) {
  Structure s = dipole(0.001);
  s.add_wire(2, 5, {1.1, 0, 0}, {1.1, 0, 5}, 0.001);
  const WireMesh alone(dipole(0.001), fed(2)), both(s, fed(2));
  EXPECT_EQ(lengths(both, 7).size(), 1u);
  EXPECT_EQ(both.first_element(5), alone.first_element(5));
}

TEST(WireMesh, ALongSegmentIsHalvedTowardsAMuchShorterOne) {
  Structure s;
  s.add_wire(1, 3, {0, 0, 0}, {0, 0, 3}, 0.001);
  s.add_wire(2, 1, {0, 0, 3}, {0.1, 0, 3}, 0.001);
  s.add_wire(3, 3, {0.1, 0, 3}, {0.1, 0, 0}, 0.001);
  const WireMesh mesh(s, MeshOptions{});
  expect_lengths(lengths(mesh, 2), {0.5, 0.25, 0.125, 0.125});
  EXPECT_EQ(lengths(mesh, 3).size(), 1u);
}

/// A wire of radius 0.1 m along z from z = 1, and another at its start.
std::vector<double> lengths_at_a_thick_wire(Vec3 other_end, double other_radius_m,
                                            bool goes_on = false) {
  Structure s;
  s.add_wire(1, 3, {0, 0, 1}, {0, 0, 4}, 0.1);
  s.add_wire(2, 3, {0, 0, 1}, other_end, other_radius_m);
  if (goes_on) s.add_wire(3, 3, {0, 0, 1}, {0, 0, -2}, 0.1);
  return lengths(WireMesh(s, MeshOptions{}), 0);
}

TEST(WireMesh, SegmentsAreHalvedTowardsTheRimOfAThickWire) {
  const std::vector<double> halved = {1.0 / 32, 1.0 / 32, 1.0 / 16, 0.125, 0.25, 0.5};
  expect_lengths(lengths_at_a_thick_wire({3, 0, 1}, 0.09), halved);
  expect_lengths(lengths_at_a_thick_wire({0, 0, -2}, 0.05), halved);
  // No rim: radii hardly differ, or the thick wire goes on.
  for (const std::vector<double>& whole :
       {lengths_at_a_thick_wire({3, 0, 1}, 0.1),
        lengths_at_a_thick_wire({0, 0, -2}, 0.06),
        lengths_at_a_thick_wire({3, 0, 1}, 0.01, true)})
    EXPECT_EQ(whole.size(), 1u);
  // Thin against its segments.
  Structure s;
  s.add_wire(1, 3, {0, 0, 1}, {0, 0, 4}, 0.03);
  s.add_wire(2, 3, {0, 0, 1}, {3, 0, 1}, 0.01);
  EXPECT_EQ(lengths(WireMesh(s, MeshOptions{}), 0).size(), 1u);
}

TEST(WireMesh, AWireOnTheGroundShowsNoRim) {
  Structure s;
  s.add_wire(1, 3, {0, 0, 0}, {0, 0, 3}, 0.1);
  MeshOptions options;
  options.perfect_ground = options.ground_contact = true;
  EXPECT_EQ(lengths(WireMesh(s, options), 0).size(), 1u);
}

TEST(WireMesh, SurfacesInPerfectGroundAreRefused) {
  MeshOptions options;
  options.perfect_ground = true;
  const auto refused = [&](Vec3 start, Vec3 end) {
    Structure s;
    s.add_wire(1, 3, start, end, 0.001);
    return test::error_message([&] { const WireMesh mesh(s, options); });
  };
  EXPECT_TRUE(refused({0, 0, 0.0005}, {0.5, 0, 0.0005})
                  .starts_with("geometry: segment 1 (tag 1, its segment 1) dips into "
                               "the ground"));
  EXPECT_EQ(refused({0, 0, 0.001}, {0.5, 0, 0.001}), "") << "lies on it";
  EXPECT_EQ(refused({0, 0, 0.0005}, {0, 0, 0.5}), "") << "a tube ends above it";
  EXPECT_EQ(refused({0, 0, 0}, {0.5, 0, 0.5}), "") << "ends on it";
  options.perfect_ground = false;
  EXPECT_EQ(refused({0, 0, 0.0005}, {0.5, 0, 0.0005}), "");
}

TEST(WireMesh, EndsWithinTheToleranceMeetWhereverTheyLie) {
  // Pairs of wires of 1 m whose ends are a little less or a little more than a thousandth
  // of that apart, in any direction: each joins its partner or nothing.
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  const auto direction = [&] {
    const Vec3 v = {normal(random), normal(random), normal(random)};
    return (1 / norm(v)) * v;
  };
  constexpr std::size_t pairs = 2000;
  const auto meet = [](std::size_t p) { return p % 2 == 0; };
  Structure s;
  for (std::size_t p = 0; p < pairs; ++p) {
    const Vec3 start = 1000 * direction(), middle = start + direction(),
               beside = middle + (meet(p) ? 0.999e-3 : 1.001e-3) * direction();
    s.add_wire(1, 1, start, middle, 1e-4);
    s.add_wire(1, 1, beside, beside + direction(), 1e-4);
  }
  MeshOptions as_given;
  as_given.graded = false;
  const WireMesh mesh(s, as_given);
  EXPECT_EQ(mesh.node_count(), pairs / 2 * 3 + pairs / 2 * 4);
  for (std::size_t p = 0; p < pairs; ++p)
    ASSERT_EQ(mesh.node_of(2 * p, 1) == mesh.node_of(2 * p + 1, 0), meet(p)) << p;
}

TEST(WireMesh, SegmentsInOnePlaceAreOneWire) {
  // A bent wire; its middle once more, and once more in the other direction, to 1e-7.
  Structure once, thrice;
  for (Structure* s : {&once, &thrice}) {
    s->add_wire(1, 2, {0, 0, 0}, {0, 0, 2}, 1e-3);
    s->add_wire(2, 3, {0, 0, 2}, {0, 3, 2}, 1e-3);
  }
  thrice.add_wire(3, 1, {0, 1, 2}, {0, 2, 2}, 2e-3);
  thrice.add_wire(4, 1, {0, 2, 2 + 1e-7}, {0, 1, 2}, 1e-3);
  MeshOptions options;
  options.gap_segments = {1};
  for (const int refinement : {1, 2}) {
    options.refinement = refinement;
    const WireMesh a(once, options), b(thrice, options);
    ASSERT_EQ(b.elements().size(), a.elements().size() + 2);
    for (std::size_t e = 0; e < a.elements().size(); ++e) {
      EXPECT_EQ(b.elements()[e].start_m, a.elements()[e].start_m);
      for (int end = 0; end < 2; ++end)
        EXPECT_EQ(b.node(b.node_of(e, end)).ends.size(),
                  a.node(a.node_of(e, end)).ends.size());
    }
    ASSERT_EQ(b.duplicates().size(), 2u);
    EXPECT_EQ(b.original(5), 3u);
    EXPECT_FALSE(b.duplicate(5)->reversed);
    EXPECT_EQ(b.original(6), 3u);
    EXPECT_TRUE(b.duplicate(6)->reversed);
    EXPECT_EQ(b.duplicate(3), nullptr);
    // No current can flow into what is left out.
    for (std::size_t e = a.elements().size(); e < b.elements().size(); ++e)
      for (int end = 0; end < 2; ++end)
        EXPECT_EQ(b.node(b.node_of(e, end)).ends.size(), 1u);
  }
  EXPECT_EQ(serious_advice(thrice, 5),
            (std::vector<std::string>{
                "tag 3 segment 1 (geometry) is the same piece of wire as tag 2 segment 2 "
                "(geometry): it is left out, and shown with the other's current",
                "tag 4 segment 1 (geometry) is the same piece of wire as tag 2 segment 2 "
                "(geometry): it is left out, and shown with the other's current"}));
}

TEST(WireMesh, NearlyTheSamePieceOfWireTwiceIsRefused) {
  Structure s;
  s.add_wire(1, 2, {0, 0, 0}, {0, 0, 2}, 1e-3);
  s.add_wire(2, 2, {0, 0, 2}, {0, 1e-5, 0}, 1e-3);
  EXPECT_TRUE(
      contains(test::error_message([&] { const WireMesh mesh(s, MeshOptions{}); }),
               "segment 2 (tag 1, its segment 2) and segment 3 (tag 2, its "
               "segment 1) are the same piece of wire"));
}

TEST(WireMesh, RefusesWiresInTheGroundTooLongForMemoryBeforeCuttingThem) {
  Structure s;
  s.add_wire(1, 3, {0, 0, -1e9}, {0, 0, 1}, 0.001);
  MeshOptions options;
  options.wires_below = true;
  options.longest_below_m = 1e-4;
  EXPECT_EQ(test::error_kind([&] { const WireMesh mesh(s, options); }),
            ErrorKind::memory);
}

TEST(WireMesh, TellsHowFarItIsAndStopsThere) {
  const Structure structure = dipole(0.01);
  for (const bool graded : {false, true}) {
    MeshOptions options = fed(2);
    options.graded = graded;
    const std::vector<double> fractions = told_and_stopped(
        [&](const Monitor& monitor) { WireMesh(structure, options, monitor); });
    EXPECT_GE(fractions.size(), 8U);
    EXPECT_TRUE(std::is_sorted(fractions.begin(), fractions.end()));
  }
  const std::vector<double> fractions = told_and_stopped(
      [&](const Monitor& monitor) { (void)geometry_advice(structure, 5, monitor); });
  EXPECT_GE(fractions.size(), 12U);
  EXPECT_TRUE(std::is_sorted(fractions.begin(), fractions.end()));
}

}  // namespace
}  // namespace thinwire
