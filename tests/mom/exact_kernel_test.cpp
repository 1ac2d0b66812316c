#include <gtest/gtest.h>

#include "tests/mom/wire_antennas.h"

namespace thinwire {
namespace {

using test::dipole;
using test::options_for;
using test::relative_error;
using test::series_impedance;

/// A tube of half length 0.25 wavelengths with a uniform field over a gap of 2h/21:
/// Hallen's equation with the exact kernel, graded high-order collocation, stable to 7
/// digits.
struct Tube {
  double radius_m;
  Complex impedance_ohm;
};
const Tube thin{0.001, {85.02035, 49.38155}}, thick{0.005, {95.16088, 48.51754}};

double error_of(const Tube& tube, int segments, int gap, MeshChoice mesh) {
  const Solution s = solve(dipole(0.25, tube.radius_m, segments, gap), options_for(mesh));
  return relative_error(series_impedance(s.frequencies.at(0)), tube.impedance_ohm);
}

TEST(ExactKernel, UniformMeshConvergesToTheTube) {
  for (const Tube& tube : {thin, thick}) {
    double last = 1;
    // 1701 segments are 0.06 (thick) and 0.29 (thin) radii long: no breakdown, error
    // still falling.
    for (const auto& [segments, gap, bound] : {std::tuple{21, 1, 0.055},
                                               {63, 3, 0.025},
                                               {189, 9, 0.012},
                                               {567, 27, 0.005},
                                               {1701, 81, 0.002}}) {
      const double error = error_of(tube, segments, gap, MeshChoice::as_given);
      EXPECT_LT(error, bound) << "radius " << tube.radius_m << ", " << segments
                              << " segments";
      EXPECT_LT(error, last) << "radius " << tube.radius_m << ", " << segments
                             << " segments";
      last = error;
    }
  }
}

TEST(ExactKernel, GradedMeshIsRightWith21Segments) {
  for (const Tube& tube : {thin, thick}) {
    EXPECT_LT(error_of(tube, 21, 1, MeshChoice::graded), 0.005);
    const Plan p = plan(dipole(0.25, tube.radius_m, 21), options_for(MeshChoice::graded));
    EXPECT_LE(p.unknowns, 3u * 20u);
  }
}

TEST(ExactKernel, GradedMeshOfVeryThinWireAgreesWithItsRefinement) {
  const auto impedance = [](int segments, int gap) {
    return series_impedance(
        solve(dipole(0.25, 1e-5, segments, gap), options_for(MeshChoice::graded))
            .frequencies.at(0));
  };
  EXPECT_LT(relative_error(impedance(21, 1), impedance(189, 9)), 0.002);
}

/// Induced EMF method, one sinusoid on a half-wave filament (Balanis 2016, section 8.5,
/// with CODATA eta0).
TEST(ReducedKernel, GivesTheInducedEmfImpedances) {
  const auto matrix_of = [](double distance_m) {
    Problem p = dipole(0.25, 1e-6, 2);
    if (distance_m > 0)
      p.structure.add_wire(2, 2, {distance_m, 0, -0.25}, {distance_m, 0, 0.25}, 1e-6);
    Options options = options_for(MeshChoice::as_given, KernelChoice::reduced);
    options.save_matrix = true;
    return solve(p, options).impedance_matrix_ohm;
  };
  EXPECT_LT(relative_error(matrix_of(0).at(0), {73.079, 42.515}), 1e-4);
  EXPECT_LT(relative_error(matrix_of(0.5).at(1), {-12.523, -29.908}), 1e-4);
  EXPECT_LT(relative_error(matrix_of(0.25).at(1), {40.758, -28.329}), 1e-4);
}

}  // namespace
}  // namespace thinwire
