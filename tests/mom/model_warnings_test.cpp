#include "mom/model_warnings.h"

#include <gtest/gtest.h>

#include "tests/mom/wire_antennas.h"

namespace thinwire::test {
namespace {

/// The lines of all warnings.
std::string warned(const Problem& problem, const Options& options = {}) {
  std::string lines;
  for (const std::string& line : model_warnings(problem, options)) lines += line + "\n";
  return lines;
}

TEST(ModelWarnings, NoneForASoundModel) {
  EXPECT_EQ(warned(dipole(0.25, 0.001, 21)), "");
}

TEST(ModelWarnings, CrossingWiresThatAreNotJoined) {
  Problem problem = dipole(0.25, 0.001, 21);
  problem.structure.add_wire(2, 21, {-0.2, 0, 0}, {0.2, 0, 0}, 0.001);
  EXPECT_TRUE(warned(problem).starts_with(
      "tag 1 segment 11 and tag 2 segment 11 overlap without being joined"));
}

TEST(ModelWarnings, SegmentsTooShortForTheReducedKernel) {
  const Problem problem = dipole(0.25, 0.02, 21);
  EXPECT_EQ(warned(problem), "");
  EXPECT_TRUE(warned(problem, options_for(MeshChoice::graded, KernelChoice::reduced))
                  .starts_with("tag 1 segment 1 is 1.19 radii long"));
}

TEST(ModelWarnings, WiresThatDipIntoTheGround) {
  Problem problem;
  problem.structure.add_wire(1, 5, {0, 0, 0.0005}, {0.5, 0, 0.0005}, 0.001);
  problem.runs.emplace_back();
  EXPECT_EQ(warned(problem), "");
  problem.runs[0].ground = Ground::perfect;
  EXPECT_TRUE(warned(problem).starts_with("tag 1 segment 1 dips into the ground"));
  // A vertical that stands on the ground does not.
  Problem vertical;
  vertical.structure.add_wire(1, 5, {0, 0, 0}, {0, 0, 0.25}, 0.001);
  vertical.runs = problem.runs;
  EXPECT_EQ(warned(vertical), "");
}

}  // namespace
}  // namespace thinwire::test
