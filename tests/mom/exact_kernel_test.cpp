#include <gtest/gtest.h>

#include "tests/mom/wire_antennas.h"

namespace thinwire {
namespace {

using test::dipole;
using test::options_for;
using test::relative_error;
using test::series_impedance;
using test::volt_on;

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

/// A dipole of 21 segments, fed in its middle or on its first segment, and its impedance
/// by tests/golden/tube_impedance.py. Lengths in wavelengths.
struct Reference {
  double length, radius;
  bool fed_at_end;
  Complex impedance_ohm;
};
const Reference references[] = {
    {0.02, 1e-6, false, {0.08162768, -16243.1}},
    {0.02, 0.005, false, {0.03870024, -666.4403}},
    {0.1, 0.01, false, {1.260519, -291.952}},
    {0.1, 0.02, false, {1.077186, -158.6653}},
    {0.35, 0.005, false, {31.79875, -131.6478}},
    {0.5, 1e-4, false, {79.87911, 46.63285}},
    {0.5, 0.001, false, {85.02035, 49.38155}},
    {0.5, 0.005, false, {95.16088, 48.51754}},
    {0.5, 0.02, false, {113.5536, 19.52895}},
    {1.0, 1e-6, false, {10958.78, 932.1044}},
    {1.0, 0.001, false, {1598.275, -1021.712}},
    {1.3, 0.01, false, {79.10712, -148.4886}},
    {2.0, 1e-6, false, {6006.943, 4093.599}},
    {2.0, 0.02, false, {250.1945, -241.5681}},
    {0.5, 0.005, true, {299.1562, -1336.114}},
    {0.1, 1e-5, true, {3.350579, -33049.35}},
    {1.3, 1e-4, true, {125.0183, -2398.023}},
};

TEST(ExactKernel, GradedMeshIsWithinHalfAPercentWith21Segments) {
  for (const Reference& reference : references) {
    Problem problem = dipole(0.5 * reference.length, reference.radius, 21);
    if (reference.fed_at_end) problem.runs[0].sources = {volt_on(0)};
    const Solution s = solve(problem, options_for(MeshChoice::graded));
    const Complex z = series_impedance(s.frequencies.at(0));
    EXPECT_LT(relative_error(z, reference.impedance_ohm), 0.005)
        << "length " << reference.length << ", radius " << reference.radius << ": " << z;
    EXPECT_LE(s.unknowns, 3u * 20u);
  }
}

/// A dipole `refinement` times as fine as 21 segments, the same gap fed, and a parasite
/// of `length` beside it.
Solution close_pair(double radius_m, double distance_m, double length_m, int refinement) {
  Problem problem = dipole(0.235, radius_m, 21 * refinement, refinement);
  problem.structure.add_wire(2, 21 * refinement, {distance_m, 0, -0.5 * length_m},
                             {distance_m, 0, 0.5 * length_m}, radius_m);
  return solve(problem, options_for(MeshChoice::graded));
}

TEST(ExactKernel, GradedMeshResolvesCloseWires) {
  struct Pair {
    double radius_m, distance_m, length_m;
  };
  // 3 to 20 radii apart; before wires beside an end or a gap were refined, 0.3 to 2.6 %
  // off.
  for (const Pair& pair :
       {Pair{1e-3, 3e-3, 0.47}, Pair{1e-3, 0.02, 0.37}, Pair{1e-4, 3e-4, 0.37},
        Pair{1e-4, 5e-4, 0.37}, Pair{5e-3, 0.025, 0.47}, Pair{5e-3, 0.1, 0.47}}) {
    const Solution coarse = close_pair(pair.radius_m, pair.distance_m, pair.length_m, 1);
    const Solution fine = close_pair(pair.radius_m, pair.distance_m, pair.length_m, 3);
    EXPECT_LT(relative_error(series_impedance(coarse.frequencies.at(0)),
                             series_impedance(fine.frequencies.at(0))),
              0.0025)
        << pair.radius_m << " " << pair.distance_m << " " << pair.length_m;
    EXPECT_LE(coarse.unknowns, 3.2 * 40);
  }
}

TEST(ExactKernel, GradedMeshResolvesTheEndsOfAThinFoldedDipole) {
  const auto impedance = [](int refinement) {
    Problem problem = dipole(0.235, 1e-4, 21 * refinement, refinement);
    problem.structure.add_wire(2, 21 * refinement, {1e-3, 0, -0.235}, {1e-3, 0, 0.235},
                               1e-4);
    problem.structure.add_wire(3, 1, {0, 0, -0.235}, {1e-3, 0, -0.235}, 1e-4);
    problem.structure.add_wire(4, 1, {0, 0, 0.235}, {1e-3, 0, 0.235}, 1e-4);
    return series_impedance(
        solve(problem, options_for(MeshChoice::graded)).frequencies.at(0));
  };
  // 0.7 % before segments were refined where they meet much shorter ones.
  EXPECT_LT(relative_error(impedance(1), impedance(5)), 0.001);
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
    Options options = options_for(MeshChoice::as_given, GreensKernel::reduced);
    options.save_matrix = true;
    return solve(p, options).impedance_matrix_ohm;
  };
  EXPECT_LT(relative_error(matrix_of(0).at(0), {73.079, 42.515}), 1e-4);
  EXPECT_LT(relative_error(matrix_of(0.5).at(1), {-12.523, -29.908}), 1e-4);
  EXPECT_LT(relative_error(matrix_of(0.25).at(1), {40.758, -28.329}), 1e-4);
}

}  // namespace
}  // namespace thinwire
