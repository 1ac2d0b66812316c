#include "geometry/lattice.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <numeric>
#include <random>
#include <set>

#include "geometry/wire_mesh.h"
#include "kernels/base/error.h"
#include "kernels/base/vec3.h"
#include "tests/messages.h"

namespace thinwire {
namespace {

using testing::Test;

/// A dipole of five segments of 0.1 m along z.
void add_dipole(Structure& s, Vec3 at, int tag = 1, double radius_m = 1e-3) {
  s.add_wire(tag, 5, at, at + Vec3{0, 0, 0.5}, radius_m);
}

Structure dipoles(const std::vector<Vec3>& at) {
  Structure s;
  for (const Vec3 place : at) add_dipole(s, place);
  return s;
}

/// Places i a + j b + k c for which `wanted`, in random order.
std::vector<Vec3> places(std::array<int, 3> counts, Vec3 a, Vec3 b, Vec3 c,
                         const std::function<bool(int, int, int)>& wanted = {}) {
  std::vector<Vec3> at;
  for (int i = 0; i < counts[0]; ++i)
    for (int j = 0; j < counts[1]; ++j)
      for (int k = 0; k < counts[2]; ++k)
        if (!wanted || wanted(i, j, k))
          at.push_back(Vec3{7, -3, 2} + i * a + j * b + k * c);
  std::shuffle(at.begin(), at.end(), std::mt19937(1));
  return at;
}

std::size_t place_count(const Lattice& lattice) {
  return lattice.places[0] * lattice.places[1] * lattice.places[2];
}

/// Each antenna lies on its place, and no two on one.
void expect_places_right(const Structure& structure, const Lattice& lattice) {
  const auto first = [&](std::size_t a) {
    return structure.segments()[lattice.segments[a * lattice.segments_each]].start_m;
  };
  const auto at = [&](std::size_t a) {
    std::uint64_t place = lattice.place_of[a];
    Vec3 sum;
    for (std::size_t i = 3; i-- > 0;) {
      const auto n = static_cast<double>(place % lattice.places[i]);
      place /= lattice.places[i];
      if (i < lattice.steps_m.size()) sum = sum + n * lattice.steps_m[i];
    }
    return sum;
  };
  std::set<std::uint64_t> seen;
  for (std::size_t a = 0; a < lattice.antennas(); ++a) {
    EXPECT_TRUE(seen.insert(lattice.place_of[a]).second);
    EXPECT_LE(norm((first(a) - first(0)) - (at(a) - at(0))), 1e-7);
    EXPECT_LT(lattice.place_of[a], place_count(lattice));
  }
}

/// The lattice of these places, which must be there and have so many.
void expect_lattice(const std::vector<Vec3>& at, std::size_t dimensions,
                    std::size_t count) {
  const Structure structure = dipoles(at);
  const LatticeSearch search = find_lattice(structure);
  ASSERT_TRUE(search.lattice) << search.reason;
  EXPECT_EQ(search.lattice->steps_m.size(), dimensions);
  EXPECT_EQ(place_count(*search.lattice), count);
  EXPECT_EQ(search.lattice->antennas(), at.size());
  EXPECT_EQ(search.lattice->segments_each, 5u);
  expect_places_right(structure, *search.lattice);
}

TEST(Lattice, OfOneTwoAndThreeDimensions) {
  expect_lattice(places({9, 1, 1}, {0.4, 0.3, 0}, {}, {}), 1, 9);
  expect_lattice(places({5, 7, 1}, {0.5, 0, 0}, {0, 0.6, 0}, {}), 2, 35);
  expect_lattice(places({3, 4, 5}, {0.5, 0, 0}, {0, 0.6, 0}, {0, 0, 1}), 3, 60);
}

TEST(Lattice, ObliqueOnesSpanTheBoxThatTheyWereBuiltIn) {
  expect_lattice(places({6, 8, 1}, {0.5, 0, 0}, {0.25, 0.433, 0}, {}), 2, 48);
  // Shorter steps there are, but with these the box is full.
  expect_lattice(places({6, 8, 1}, {0.5, 0, 0}, {0.9, 0.3, 0}, {}), 2, 48);
  expect_lattice(places({4, 4, 3}, {0.5, 0, 0}, {0.2, 0.4, 0}, {0.1, 0.1, 0.7}), 3, 48);
}

TEST(Lattice, MayHaveGaps) {
  expect_lattice(places({9, 9, 1}, {0.5, 0, 0}, {0, 0.5, 0}, {},
                        [](int i, int j, int) { return (i * 9 + j) % 3 != 1; }),
                 2, 81);
  // A disc; places 2 and 3 steps apart have the step between them.
  expect_lattice(places({11, 11, 1}, {0.5, 0, 0}, {0, 0.5, 0}, {},
                        [](int i, int j, int) {
                          return (i - 5) * (i - 5) + (j - 5) * (j - 5) <= 25;
                        }),
                 2, 121);
  expect_lattice({{0, 0, 0}, {1, 0, 0}, {2.5, 0, 0}}, 1, 6);
}

TEST(Lattice, OfConnectedAntennasInWhateverCards) {
  // A tee: two cards per antenna, one after the other.
  Structure s;
  for (int i = 0; i < 6; ++i) s.add_wire(i, 4, {0.5 * i, 0, 0}, {0.5 * i, 0, 0.4}, 1e-3);
  for (int i = 0; i < 6; ++i)
    s.add_wire(9 - i, 3, {0.5 * i, 0, 0.2}, {0.5 * i, 0.3, 0.2}, 1e-3);
  const LatticeSearch search = find_lattice(s);
  ASSERT_TRUE(search.lattice) << search.reason;
  EXPECT_EQ(search.lattice->antennas(), 6u);
  EXPECT_EQ(search.lattice->segments_each, 7u);
  expect_places_right(s, *search.lattice);
  const std::vector<std::uint32_t> within = search.lattice->within_antenna();
  EXPECT_EQ(within[5], 1u);   // the second segment of the second card
  EXPECT_EQ(within[24], 4u);  // the first of the first tee's second card
}

std::string reason_of(const Structure& s) {
  const LatticeSearch search = find_lattice(s);
  EXPECT_FALSE(search.lattice);
  return search.reason;
}

TEST(Lattice, SaysWhichAntennaBreaksItAndHow) {
  const std::vector<Vec3> at = places({4, 5, 1}, {0.5, 0, 0}, {0, 0.5, 0}, {});
  Structure radius = dipoles(at);
  add_dipole(radius, {30, 0, 2}, 9, 2e-3);
  EXPECT_EQ(reason_of(radius),
            "antenna 21 (tag 9, from segment 101 on) has a radius of 0.002 m at its "
            "segment 1, antenna 1 0.001 m");
  Structure turned = dipoles(at);
  turned.add_wire(9, 5, {30, 0, 2}, {30.5, 0, 2}, 1e-3);
  EXPECT_EQ(reason_of(turned),
            "antenna 21 (tag 9, from segment 101 on) is not a shifted copy of antenna 1: "
            "its segment "
            "1 is off by 0.141 m, turned, of another length, or in another order");
  Structure foreign = dipoles(at);
  foreign.add_wire(9, 6, {30, 0, 2}, {30, 0, 2.5}, 1e-3);
  EXPECT_EQ(reason_of(foreign),
            "antenna 21 (tag 9, from segment 101 on) has 6 segments, antenna 1 has 5");
  Structure off = dipoles(at);
  add_dipole(off, {9.1234567, 0.314159, 2}, 9);
  add_dipole(off, {10.5, 1, 2}, 10);
  EXPECT_EQ(reason_of(off),
            "antenna 21 (tag 9, from segment 101 on) stands off the places of the "
            "others: with it there are millions of places for 22 antennas, "
            "more than 8 each");
  EXPECT_EQ(reason_of(dipoles({{0, 0, 0}})), "there is one connected antenna alone");
}

// A point near its place is taken into the fit of the places and draws them along: no
// other is to be named. (Where antenna 1 is off, all places are counted from there, and
// those of a plane are no longer near enough.)
TEST(Lattice, NamesTheOneAntennaThatIsSlightlyOff) {
  const auto expect_named = [](std::vector<Vec3> at, std::size_t which, Vec3 by) {
    at[which] = at[which] + by;
    EXPECT_EQ(reason_of(dipoles(at)),
              fmt::format("antenna {} (tag 1, from segment {} on) is 0.0003 m off the "
                          "lattice of the others",
                          which + 1, 5 * which + 1));
  };
  std::vector<Vec3> plane;
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 3; ++j) plane.push_back({0.5 * i, 0.6 * j, 0});
  for (std::size_t which = 1; which < plane.size(); ++which)
    expect_named(plane, which, {0, 3e-4, 0});
  // The ends of a row draw it more than they stay off it themselves.
  std::vector<Vec3> row;
  for (int i = 0; i < 4; ++i) row.push_back({0.5 * i, 0, 0});
  for (std::size_t which = 0; which < row.size(); ++which)
    expect_named(row, which, {3e-4, 0, 0});
  // Each of three may be the one.
  row.pop_back();
  row[1].x += 1e-4;
  EXPECT_TRUE(contains(reason_of(dipoles(row)), "antenna 3 "));
}

TEST(Lattice, NamesTheFirstOfSeveralThatAreOff) {
  std::vector<Vec3> plane;
  for (int i = 0; i < 20; ++i)
    for (int j = 0; j < 20; ++j) plane.push_back({0.5 * i, 0.6 * j, 0});
  const auto expect_named = [](const std::vector<Vec3>& at, std::size_t which) {
    EXPECT_TRUE(contains(reason_of(dipoles(at)), fmt::format("antenna {} (", which + 1)));
  };
  // Slightly, the later one more; then by parts of a step, wherever the lattice begins.
  std::vector<Vec3> slightly = plane;
  slightly[150].y += 3e-4;
  slightly[300].x += 5e-4;
  expect_named(slightly, 150);
  for (const std::size_t first : {2u, 10u, 25u, 150u, 399u}) {
    std::vector<Vec3> one = plane, two = plane;
    one[first] = two[first] = plane[first] + Vec3{0.1234, 0.0217, 0};
    two[399] = two[399] + Vec3{0.0371, 0.1711, 0};
    expect_named(one, first);
    expect_named(two, first);
  }
}

TEST(Lattice, SearchAndMeshStopWhereAsked) {
  const Structure s = dipoles({{0, 0, 0}, {0.5, 0, 0}});
  const std::atomic<bool> stop = true;
  const Monitor monitor({}, &stop);
  EXPECT_THROW((void)find_lattice(s, monitor), Error);
  EXPECT_THROW(WireMesh(s, MeshOptions(), monitor), Error);
}

TEST(Lattice, NamesAntennaOneWhereTheOthersAreEqual) {
  Structure s;
  s.add_wire(7, 6, {0, 0, 0}, {0, 0, 0.5}, 1e-3);
  for (int i = 1; i < 5; ++i) add_dipole(s, {0.5 * i, 0, 0});
  EXPECT_EQ(reason_of(s),
            "antenna 1 (tag 7, from segment 1 on) has 6 segments, antenna 2 has 5");
}

TEST(Lattice, SaysHowEmptyItWouldBe) {
  const std::vector<Vec3> at = {
      {0, 0, 0}, {1.5, 1.2, 0}, {0.6, 0.4, 0}, {0.9, 2.8, 0}, {0.3, 0.4, 0}};
  EXPECT_EQ(reason_of(dipoles(at)),
            "it would be too empty: 42 places for 5 antennas, more than 8 each");
  // Here the last one makes it finer.
  EXPECT_EQ(reason_of(dipoles({{0, 0, 0}, {10, 0, 0}, {20, 0, 0}, {20.5, 0, 0}})),
            "antenna 4 (tag 1, from segment 16 on) stands off the places of the others: "
            "with it there are 42 places for 4 antennas, more than 8 each");
}

// Their distance from a place counts, not that from what it was computed from.
TEST(Lattice, TakesRoundedCoordinatesToAMillionthOfASegment) {
  std::vector<Vec3> at = places({30, 30, 1}, {1.0 / 3, 0, 0}, {0, 1.0 / 7, 0}, {});
  std::mt19937 random(2);
  std::uniform_real_distribution<double> rounding(-4e-8, 4e-8);
  for (Vec3& place : at) place = place + Vec3{rounding(random), rounding(random), 0};
  // Antennas that are shifted as wholes are equal.
  expect_lattice(at, 2, 900);
  at[17].x += 5e-6;
  EXPECT_TRUE(contains(reason_of(dipoles(at)), "antenna 18 "));
}

TEST(Lattice, NoneAmongAntennasAtRandom) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> anywhere(0, 50);
  std::vector<Vec3> at;
  for (int i = 0; i < 1000; ++i) at.push_back({anywhere(random), anywhere(random), 0});
  EXPECT_TRUE(contains(reason_of(dipoles(at)), "stands off"));
}

TEST(Lattice, HasImagesOnALatticeWhereNoStepRises) {
  const std::vector<Vec3> steps = {{0.5, 0, 0}, {0.1, 0.4, 1e-9}, {0, 0, 0.7}};
  EXPECT_EQ(why_no_images(steps, {4, 5, 1}, 0.1), "");
  EXPECT_EQ(why_no_images(steps, {4, 5, 2}, 0.1),
            "antennas stand at different heights over the ground, a step of the lattice "
            "rising by 0.7 m, so that their images form no lattice");
  // The rise of a step adds up over the places.
  EXPECT_NE(why_no_images(steps, {4, 500, 1}, 0.1), "");
}

// Antennas at the edge have no neighbour that their mesh would be graded towards.
TEST(Lattice, MeshesThatAreCutAlikeAreEqual) {
  const Structure s = dipoles(places({3, 3, 1}, {0.06, 0, 0}, {0, 0.06, 0}, {}));
  const LatticeSearch search = find_lattice(s);
  ASSERT_TRUE(search.lattice) << search.reason;
  MeshOptions options;
  options.gap_segments = {2};
  const WireMesh alone(s, options);
  options.cut_alike = search.lattice->within_antenna();
  const WireMesh alike(s, options);
  const auto sizes = [&](const WireMesh& mesh) {
    std::set<std::vector<std::size_t>> different;
    for (std::size_t a = 0; a < 9; ++a) {
      std::vector<std::size_t> of;
      for (std::size_t i = 0; i < 5; ++i)
        of.push_back(mesh.first_element(5 * a + i + 1) - mesh.first_element(5 * a + i));
      different.insert(of);
    }
    return different.size();
  };
  EXPECT_GT(sizes(alone), 1u);
  EXPECT_EQ(sizes(alike), 1u);
}

}  // namespace
}  // namespace thinwire
