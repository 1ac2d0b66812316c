// Traps (LD 6) and dielectric sheaths (LD 7, IS).
#include <gtest/gtest.h>

#include <cmath>

#include "kernels/base/error.h"
#include "mom/loads/loads.h"
#include "tests/mom/wire_antennas.h"

namespace thinwire {
namespace {

using test::dipole;
using test::one_metre_wave_hz;
using test::options_for;

Load load_on_all(const Problem& problem, Load::Kind kind, double a, double b, double c) {
  return {kind, 0, problem.structure.segments().size() - 1, {a, b, c}};
}

/// Goubau's surface wave: wave number over that of free space along a wire of radius a in
/// a sheath of outer radius b (TM0 of the three regions, exact).
double surface_wave_slowness(double k0, double a, double b, double eps) {
  const auto mismatch = [&](double beta) {
    const double inside = std::sqrt(eps * k0 * k0 - beta * beta),
                 outside = std::sqrt(beta * beta - k0 * k0);
    const auto j = [](int n, double x) { return std::cyl_bessel_j(n, x); };
    const auto y = [](int n, double x) { return std::cyl_neumann(n, x); };
    const double e =
        j(0, inside * b) * y(0, inside * a) - y(0, inside * b) * j(0, inside * a);
    const double h =
        y(1, inside * b) * j(0, inside * a) - j(1, inside * b) * y(0, inside * a);
    return eps / inside * h / e - std::cyl_bessel_k(1, outside * b) /
                                      (outside * std::cyl_bessel_k(0, outside * b));
  };
  double low = k0 * (1 + 1e-9), high = k0 * std::sqrt(eps) * (1 - 1e-9);
  const bool rising = mismatch(high) > mismatch(low);
  for (int i = 0; i < 100; ++i) {
    const double middle = 0.5 * (low + high);
    ((mismatch(middle) < 0) == rising ? low : high) = middle;
  }
  return 0.5 * (low + high) / k0;
}

/// Slowness of the standing wave on the outer part of a long dipole: I(z + d) + I(z - d)
/// is 2 cos(beta d) I(z).
double current_slowness(const Problem& problem) {
  const FrequencyResult result =
      solve(problem, options_for(MeshChoice::as_given)).frequencies.at(0);
  const std::vector<Complex>& current = result.segment_current_a;
  const std::size_t step = 8, n = current.size();
  Complex mixed = 0;
  double power = 0;
  for (std::size_t i = 3 * n / 4; i + step < n; ++i) {
    mixed += std::conj(current[i]) * (current[i + step] + current[i - step]);
    power += std::norm(current[i]);
  }
  const Segment& s = problem.structure.segments()[0];
  const double d = static_cast<double>(step) * norm(s.end_m - s.start_m);
  return std::acos((mixed / power).real() / 2) / (2 * pi * d);
}

TEST(Insulation, SlowsTheCurrentAsASurfaceWave) {
  Problem problem = dipole(8, 0.001, 641);
  const double bare = current_slowness(problem);
  EXPECT_NEAR(bare, 1, 0.005);
  for (const auto& [radius_m, eps] :
       {std::pair{0.002, 2.3}, std::pair{0.004, 2.3}, std::pair{0.004, 4.0}}) {
    problem.runs[0].loads = {
        load_on_all(problem, Load::Kind::insulation, eps, 0, radius_m)};
    const double right = surface_wave_slowness(2 * pi, 0.001, radius_m, eps);
    const double got = current_slowness(problem);
    EXPECT_GT(right, 1.01);
    EXPECT_NEAR(got, right, 0.1 * (right - 1)) << radius_m << " " << eps;
  }
}

/// The series of cells of L' = mu0 / (2 pi) (1 - 1 / eps) ln(b / a) that programs without
/// insulation are given instead, where the current is a sine of free space;
/// towards the ends, where the charge is, it is not.
TEST(Insulation, ActsAsASeriesInductanceOnAShortenedDipole) {
  Problem problem = dipole(0.23, 0.0005, 41);
  const double b = 0.00052, eps = 2;
  problem.runs[0].loads = {load_on_all(problem, Load::Kind::insulation, eps, 0, b)};
  const Complex sheath = test::port_impedance(problem, options_for(MeshChoice::as_given));
  problem.runs[0].loads.clear();
  const Complex bare = test::port_impedance(problem, options_for(MeshChoice::as_given));
  problem.runs[0].loads = {
      load_on_all(problem, Load::Kind::series_rlc_per_metre, 0,
                  mu0_h_per_m / (2 * pi) * (1 - 1 / eps) * std::log(b / 0.0005), 0)};
  const Complex inductive =
      test::port_impedance(problem, options_for(MeshChoice::as_given));
  EXPECT_GT((sheath - bare).imag(), 0.1);
  EXPECT_LT(std::abs(sheath - inductive), 0.2 * std::abs(sheath - bare));
}

/// Elements shorter than the sheath must not see a negative potential of their charge.
TEST(Insulation, DoesNotDependOnTheMesh) {
  for (const double b : {0.0015, 0.002}) {
    Problem problem = dipole(0.02, 0.001, 11);
    problem.runs[0].frequency_hz = {1e5};
    problem.runs[0].loads = {load_on_all(problem, Load::Kind::insulation, 2.3, 0, b)};
    const auto impedance = [&](int refinement) {
      Options options = options_for(MeshChoice::graded);
      options.refinement = refinement;
      return test::port_impedance(problem, options);
    };
    EXPECT_LT(test::relative_error(impedance(1), impedance(4)), 5e-4) << b;
  }
}

TEST(Insulation, ItsHeatIsWhatIsNotRadiated) {
  Problem problem = dipole(0.25, 0.001, 41);
  problem.runs[0].patterns = {test::broadside()};
  problem.runs[0].loads = {load_on_all(problem, Load::Kind::insulation, 4, 0.05, 0.004)};
  const FrequencyResult f =
      solve(problem, options_for(MeshChoice::as_given)).frequencies.at(0);
  EXPECT_GT(f.loss_power_w, 0.02 * f.input_power_w);
  EXPECT_NEAR((*f.radiated_power_w + f.loss_power_w) / f.input_power_w, 1, 1e-6);
}

/// Contribution of a sheath to Z over a wire of two segments in a ground: its one
/// diagonal entry, from the derivatives of the shape functions.
Complex entry_of_sheath(double eps, double sigma, const Ground& ground) {
  Structure structure;
  structure.add_wire(1, 2, {0, 0, -1}, {0.2, 0, -1}, 0.001);
  MeshOptions mesh;
  mesh.graded = false;
  mesh.perfect_ground = mesh.wires_below = true;
  const Discretization antenna(structure, mesh);
  const Load sheath = {Load::Kind::insulation, 0, 1, {eps, sigma, 0.003}};
  return LoadModel(antenna, std::span(&sheath, 1), 10e6, ground).updates().at(0).value;
}

TEST(Insulation, InTheGroundIsThatBesideTheSoil) {
  const Ground soil = Ground::sommerfeld(13, 0.005);
  const Complex in_air = entry_of_sheath(2.3, 0, Ground::none);
  // A sheath of soil is no sheath.
  EXPECT_LT(std::abs(entry_of_sheath(13, 0.005, soil)), 1e-12 * std::abs(in_air));
  // Two in series: 1 / eps of the sheath less that of what it takes the place of.
  const Complex eps = soil.permittivity(wavenumber_rad_per_m(10e6));
  const Complex right = in_air * (1.0 / eps - 1 / 2.3) / (1 - 1 / 2.3);
  EXPECT_LT(std::abs(entry_of_sheath(2.3, 0, soil) - right), 1e-12 * std::abs(right));
  // Perfect ground holds no wires: what is below it is air.
  EXPECT_EQ(entry_of_sheath(2.3, 0, Ground::perfect), in_air);
}

/// At a wavelength of 1 m and a permittivity of 4: |k| b = 4 pi b / m.
TEST(Insulation, WideSheathsAreWarnedOfAndRefused) {
  Problem problem = dipole(0.25, 0.001, 21);
  const auto warnings = [&](double b) {
    problem.runs[0].loads = {load_on_all(problem, Load::Kind::insulation, 4, 0, b)};
    return solve(problem, options_for(MeshChoice::as_given)).warnings;
  };
  EXPECT_TRUE(warnings(0.02).empty());
  ASSERT_EQ(warnings(0.03).size(), 1u);
  EXPECT_EQ(warnings(0.03)[0].find("geometry: the sheath of tag 1 segment 1 is 0.377 of"),
            0u)
      << warnings(0.03)[0];
  EXPECT_THROW(warnings(0.2), Error);
}

/// 4nec2 turns LD 6 with Q = 100, 73.639 uH and 7 pF at 1.91 MHz into LD 1 with 88382.1
/// ohm, 73.6464 uH and 7 pF.
TEST(Trap, IsTheParallelCircuitThat4nec2MakesOfIt) {
  Problem problem = dipole(40, 0.001, 41);
  problem.runs[0].frequency_hz = {1.91e6};
  const auto impedance = [&](const Load& load) {
    problem.runs[0].loads = {load};
    return test::port_impedance(problem, options_for(MeshChoice::as_given));
  };
  const Complex trap = impedance({Load::Kind::trap, 10, 10, {100, 73.639e-6, 7e-12}});
  const Complex parallel =
      impedance({Load::Kind::parallel_rlc, 10, 10, {88382.1, 73.6464e-6, 7e-12}});
  const Complex without =
      impedance({Load::Kind::parallel_rlc, 10, 10, {0, 73.6464e-6, 7e-12}});
  EXPECT_LT(test::relative_error(trap, parallel), 1e-5);     // six digits are known
  EXPECT_GT(test::relative_error(without, parallel), 1e-4);  // the coil's loss counts
}

}  // namespace
}  // namespace thinwire
