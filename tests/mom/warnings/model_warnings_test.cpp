#include "mom/warnings/model_warnings.h"

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
  EXPECT_TRUE(warned(problem, options_for(MeshChoice::graded, GreensKernel::reduced))
                  .starts_with("tag 1 segment 1 is 1.19 radii long"));
}

const Options& without_proximity() {
  static const Options options = [] {
    Options off;
    off.proximity = SwitchChoice::off;
    return off;
  }();
  return options;
}

TEST(ModelWarnings, WiresCloseToTheGround) {
  Problem problem;
  problem.structure.add_wire(1, 5, {0, 0, 0.0015}, {0.5, 0, 0.0015}, 0.001);
  problem.runs.emplace_back();
  EXPECT_EQ(warned(problem), "");
  problem.runs[0].ground = Ground::perfect;
  EXPECT_EQ(warned(problem), "");
  const std::string lines = warned(problem, without_proximity());
  EXPECT_TRUE(lines.starts_with("tag 1 segment 1 nearly touches the ground")) << lines;
  // ln 3 / acosh 1.5 = 1.0986 / 0.9624.
  EXPECT_NE(lines.find("14 % too high"), std::string::npos) << lines;
  // A vertical that stands on the ground does not.
  Problem vertical;
  vertical.structure.add_wire(1, 5, {0, 0, 0}, {0, 0, 0.25}, 0.001);
  vertical.runs = problem.runs;
  EXPECT_EQ(warned(vertical), "");
}

TEST(ModelWarnings, WiresThatNearlyTouch) {
  Problem problem = dipole(0.25, 0.001, 21);
  problem.structure.add_wire(2, 21, {0.0022, 0, -0.25}, {0.0022, 0, 0.25}, 0.001);
  EXPECT_EQ(warned(problem), "");
  const std::string lines = warned(problem, without_proximity());
  EXPECT_TRUE(lines.starts_with("tag 1 segment 1 and tag 2 segment 1 nearly touch"))
      << lines;
  // ln 2.2 / acosh 1.1 = 0.7885 / 0.4436.
  EXPECT_NE(lines.find("78 % too high"), std::string::npos) << lines;
  // The proximity effect fades where tubes touch.
  problem.structure = dipole(0.25, 0.001, 21).structure;
  problem.structure.add_wire(2, 21, {0.00205, 0, -0.25}, {0.00205, 0, 0.25}, 0.001);
  EXPECT_TRUE(warned(problem).starts_with("tag 1 segment 1 and tag 2 segment 1 nearly"))
      << warned(problem);
}

TEST(ModelWarnings, RadiiInOtherUnits) {
  Problem problem = dipole(0.5, 1, 21);
  problem.runs[0].frequency_hz = {1e6};
  EXPECT_TRUE(warned(problem).starts_with(
      "tag 1 segment 1 has a radius of 1 m on 1 m of wire: is it in metres?"))
      << warned(problem);
}

TEST(ModelWarnings, HalvesThatDoNotMeet) {
  Problem problem;
  problem.structure.add_wire(1, 10, {0, 0, -0.485}, {0, 0, -0.01}, 0.004);
  problem.structure.add_wire(2, 10, {0, 0, 0.01}, {0, 0, 0.485}, 0.004);
  EXPECT_EQ(warned(problem),
            "tag 1 segment 10 and tag 2 segment 1 end 0.02 m from each other and are not "
            "joined: let them meet if they are one wire\n");
}

TEST(ModelWarnings, SourcesWhereNoCurrentFlows) {
  Problem problem = dipole(0.25, 0.001, 21);
  problem.runs[0].sources = {volt_on(0)};
  EXPECT_TRUE(warned(problem).starts_with("tag 1 segment 1 is fed and has an open end"));
  // The foot of a vertical is no open end.
  Problem vertical;
  vertical.ground_contact = true;
  vertical.structure.add_wire(1, 5, {0, 0, 0}, {0, 0, 0.25}, 0.001);
  vertical.runs = problem.runs;
  vertical.runs[0].ground = Ground::perfect;
  EXPECT_EQ(warned(vertical), "");
  vertical.ground_contact = false;
  EXPECT_NE(warned(vertical), "");
}

TEST(ModelWarnings, AntennasOfFewSegments) {
  EXPECT_EQ(warned(dipole(0.25, 0.001, 3)),
            "tag 1 segment 2 feeds an antenna of 3 segments: use 5 or more\n");
  EXPECT_EQ(warned(dipole(0.25, 0.001, 5)), "");
}

TEST(ModelWarnings, WiresThickAgainstTheWavelength) {
  // k a = 2 pi 0.05 = 0.31 at one metre.
  Problem problem = dipole(1, 0.05, 41);
  EXPECT_TRUE(warned(problem).starts_with(
      "tag 1 segment 1 is 0.31 wavelengths around at 299.792 MHz"))
      << warned(problem);
  problem.runs[0].frequency_hz = {0.9 * one_metre_wave_hz};
  EXPECT_EQ(warned(problem), "");
}

TEST(ModelWarnings, SharpBendsOfThickWires) {
  EXPECT_EQ(warned(quadrifilar()),
            "tag 1 segment 52 (geometry) bends by 92 degrees: bends of wires this thick "
            "(radius 0.02 m on 2.81 m of wire) act as if 3 % of the wire were missing, "
            "which is left out; expect errors of about that size\n");
  EXPECT_EQ(warned(quadrifilar(0.3)), "");
  // Four right angles lose two radii.
  const auto loop = [](int sides, double around_m, double radius_m,
                       const Options& options = without_proximity()) {
    Problem problem = dipole(0.25, 0.001, 21);
    problem.structure = Structure();
    const double across = 0.5 * around_m / sides / std::sin(pi / sides);
    const auto corner = [&](int i) {
      const double angle = 2 * pi * i / sides;
      return Vec3{across * std::cos(angle), across * std::sin(angle), 0};
    };
    for (int i = 0; i < sides; ++i)
      problem.structure.add_wire(i + 1, 5, corner(i), corner(i + 1), radius_m);
    problem.runs[0].sources = {volt_on(2)};
    return warned(problem, options);
  };
  EXPECT_EQ(loop(4, 1, 0.0049), "");
  const std::string lines = loop(4, 1, 0.0051);
  EXPECT_TRUE(lines.starts_with("tag ")) << lines;
  EXPECT_NE(lines.find("bends by 90 degrees"), std::string::npos) << lines;
  EXPECT_NE(lines.find("1 % of the wire"), std::string::npos) << lines;
  EXPECT_TRUE(lines.ends_with("size, or leave out --proximity off\n")) << lines;
  EXPECT_EQ(loop(4, 1, 0.02, {}), "");
  EXPECT_EQ(loop(24, 1, 0.012), "");
  EXPECT_EQ(loop(3, 1, 0.003), "");
}

/// A square loop of `segments`, one wavelength around at one_metre_wave_hz.
Problem square_loop(int segments, double frequency_hz) {
  Problem problem;
  const Vec3 corner[] = {{0, 0, 0}, {0.25, 0, 0}, {0.25, 0.25, 0}, {0, 0.25, 0}};
  for (int side = 0; side < 4; ++side)
    problem.structure.add_wire(1 + side, segments / 4, corner[side],
                               corner[(side + 1) % 4], 0.001);
  problem.structure.add_wire(5, 5, {0, 0, 0}, {0, 0, 0.1}, 0.001);
  feed(problem, 1, frequency_hz);
  return problem;
}

TEST(ModelWarnings, LoopsSoSmallThatRoundingDecides) {
  const std::string loop = "the closed loop of tag 1 segment 1 is ";
  Options iterative;
  iterative.solver = SolverChoice::cocg;
  EXPECT_EQ(warned(square_loop(12, 1e-4 * one_metre_wave_hz), iterative), "");
  iterative.preconditioner = PreconditionerChoice::none;
  EXPECT_EQ(warned(square_loop(12, 1e-3 * one_metre_wave_hz), iterative), "");
  EXPECT_EQ(warned(square_loop(12, 1e-4 * one_metre_wave_hz), iterative),
            loop +
                "0.0001 wavelengths around at 0.0299792 MHz: rounding decides its "
                "resistance, power and gain\n");
  // The reactance is kept (LowFrequency.AllSolversGiveStaticInductance..).
  EXPECT_EQ(warned(square_loop(96, 1e-6 * one_metre_wave_hz), iterative),
            loop +
                "1e-06 wavelengths around at 0.000299792 MHz: rounding decides its "
                "resistance, power and gain\n");
  iterative.operator_choice = OperatorChoice::fft;
  EXPECT_EQ(warned(square_loop(96, 1e-6 * one_metre_wave_hz), iterative),
            loop +
                "1e-06 wavelengths around at 0.000299792 MHz: rounding decides its "
                "impedance and its currents\n");
  // Solved apart it loses nothing, above real ground neither; but with wires in it.
  Problem apart = square_loop(12, 1e-6 * one_metre_wave_hz);
  EXPECT_EQ(warned(apart), "");
  const auto is_warned_of = [&] {
    return warned(apart).find("around at 0.000299792 MHz: rounding decides") !=
           std::string::npos;
  };
  apart.structure.move(0, 0, {}, {0, 0, 1}, 0);
  apart.runs[0].ground = Ground::sommerfeld(13, 0.005);
  EXPECT_FALSE(is_warned_of());
  apart.runs[0].ground = Ground::coefficients(13, 0.005);
  EXPECT_FALSE(is_warned_of());
  apart.runs[0].ground = Ground::sommerfeld(13, 0.005);
  apart.structure.add_wire(9, 3, {1, 0, -0.2}, {1, 0, -0.1}, 0.001);
  EXPECT_TRUE(is_warned_of());
  // Small and open: no loop.
  Problem open = dipole(0.25, 0.001, 21);
  open.runs[0].frequency_hz = {1};
  EXPECT_EQ(warned(open), "");
}

TEST(ModelWarnings, StakesAreWiresBelow) {
  Problem problem;
  problem.ground_contact = true;
  problem.structure.add_wire(1, 5, {0, 0, 0}, {0, 0, 5}, 0.001);
  problem.runs.emplace_back().frequency_hz = {10e6};
  problem.runs[0].ground = Ground::sommerfeld(13, 0.005);
  EXPECT_EQ(warned(problem),
            "tag 1 segment 1 stands on real ground: GE 1 connects it without the "
            "resistance of a ground stake; add a measured resistance as LD 4, or draw "
            "the stake as a wire below (GN 2)\n");
  problem.structure.add_wire(2, 2, {0, 0, 0}, {0, 0, -1}, 0.001);
  EXPECT_EQ(warned(problem), "");
  // The upper end of one by itself is open.
  problem.structure.add_wire(3, 5, {9, 0, 0}, {9, 0, -1}, 0.001);
  problem.runs[0].sources = {volt_on(7)};
  EXPECT_TRUE(warned(problem).starts_with("tag 3 segment 1 is fed and has an open end"))
      << warned(problem);
}

TEST(ModelWarnings, SegmentsThatPassThroughTheSurfaceKeepTheirNumbers) {
  Problem problem;
  problem.structure.add_wire(1, 5, {0, 0, -1.1}, {0, 0, 3.9}, 0.001);
  problem.runs.emplace_back().frequency_hz = {10e6};
  problem.runs[0].ground = Ground::sommerfeld(13, 0.005);
  problem.runs[0].sources = {volt_on(4)};
  EXPECT_TRUE(warned(problem).starts_with("tag 1 segment 5 is fed and has an open end"))
      << warned(problem);
}

TEST(ModelWarnings, WiresCloseBelowTheSurface) {
  Problem problem;
  problem.structure.add_wire(1, 9, {-1, 0, -0.0015}, {1, 0, -0.0015}, 0.001);
  problem.runs.emplace_back().frequency_hz = {10e6};
  problem.runs[0].ground = Ground::sommerfeld(13, 0.005);
  EXPECT_TRUE(
      warned(problem).starts_with("tag 1 segment 1 nearly touches the ground (axis "
                                  "0.0015 m below it, radius 0.001 m)"))
      << warned(problem);
}

TEST(ModelWarnings, LoopsCloseThroughTheGround) {
  Problem problem;
  problem.ground_contact = true;
  problem.structure.add_wire(1, 5, {0, 0, 0}, {0, 0, 0.25}, 0.001);
  problem.structure.add_wire(2, 5, {0, 0, 0.25}, {0.25, 0, 0}, 0.001);
  problem.runs.emplace_back().frequency_hz = {1e3};
  EXPECT_EQ(warned(problem), "");
  problem.runs[0].ground = Ground::perfect;
  EXPECT_EQ(warned(problem), "");
  Options iterative;
  iterative.solver = SolverChoice::cocg;
  iterative.preconditioner = PreconditionerChoice::none;
  EXPECT_TRUE(
      warned(problem, iterative).starts_with("the closed loop of tag 1 segment 1 is "))
      << warned(problem, iterative);
}

TEST(ModelWarnings, WhereALoopIsNotNamedItIsRight) {
  // 320 pi^4 (A / lambda^2)^2 and an inductance that does not depend on frequency
  // (Balanis 2016, section 5.2).
  Options options = options_for(MeshChoice::as_given);
  options.device = device_named("device", "cpu");
  const auto impedance = [&](int segments, double around) {
    const Problem p = square_loop(segments, around * one_metre_wave_hz);
    return port_impedance(p, options);
  };
  for (const int segments : {12, 96}) {
    const double around = 1.05 * 1.5e-4 * std::sqrt(segments + 5 + 12.0);
    const double area = around * around / 16;
    EXPECT_NEAR(
        impedance(segments, around).real() / (320 * std::pow(pi, 4) * area * area), 1,
        0.03)
        << segments;
    const double tiny = 1.05 * 5e-8 * std::pow(segments + 12.0, 0.75);
    EXPECT_NEAR(impedance(segments, tiny).imag() / tiny /
                    (impedance(segments, 1e-3).imag() / 1e-3),
                1, 0.05)
        << segments;
  }
}

}  // namespace
}  // namespace thinwire::test
