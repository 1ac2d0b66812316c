// Segments longer than half a wavelength.
#include <gtest/gtest.h>

#include "kernels/base/error.h"
#include "tests/mom/wire_antennas.h"

namespace thinwire::test {
namespace {

Problem wire_of(int segments, double length_m) {
  Problem problem = dipole(0.5 * length_m, 0.002, segments);
  problem.structure.add_wire(2, 9, {0.3, 0, -0.2}, {0.3, 0, 0.2}, 0.002);
  problem.runs[0].sources[0].segment = static_cast<std::size_t>(segments + 4);
  return problem;
}

TEST(LongSegments, AreCutWhateverTheMesh) {
  // A parasitic wire of 1.8 wavelengths, in 3 segments of 0.6 and in 45.
  for (const MeshChoice mesh : {MeshChoice::graded, MeshChoice::as_given}) {
    const Solution few = solve(wire_of(3, 1.8), options_for(mesh)),
                   many = solve(wire_of(45, 1.8), options_for(mesh));
    const FrequencyResult &a = few.frequencies.at(0), &b = many.frequencies.at(0);
    EXPECT_EQ(a.segment_current_a.size(), 12u);
    EXPECT_LT(relative_error(a.ports.at(0).impedance_ohm, b.ports.at(0).impedance_ohm),
              mesh == MeshChoice::graded ? 0.01 : 0.05);
    // Results are at the centres of the deck's segments: the middle of the wire.
    EXPECT_LT(relative_error(a.segment_current_a[1], b.segment_current_a[22]),
              mesh == MeshChoice::graded ? 0.05 : 0.1);
    ASSERT_FALSE(few.warnings.empty());
    EXPECT_NE(
        few.warnings[0].find("is 0.6 wavelengths long at 299.792 MHz: it is cut for "
                             "the solution; use more segments"),
        std::string::npos)
        << few.warnings[0];
  }
}

TEST(LongSegments, OfManyWavelengthsAreMistakes) {
  EXPECT_THROW(solve(wire_of(3, 400), options_for(MeshChoice::graded)), Error);
}

}  // namespace
}  // namespace thinwire::test
