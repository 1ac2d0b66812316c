// Wires over real ground (GN 0, GN 2): limits, symmetry, power, and nec2c.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "geometry/surface_lift.h"
#include "kernels/base/quadrature.h"
#include "kernels/ground/half_space.h"
#include "mom/warnings/model_warnings.h"
#include "tests/messages.h"
#include "tests/mom/wire_antennas.h"

namespace thinwire::real_ground_test {
namespace {

using test::one_metre_wave_hz;
using test::options_for;
using test::volt_on;

/// A wire fed in its middle over a ground, wavelength 1 m.
Problem wire_over(const Ground& ground, Vec3 from, Vec3 to, int segments = 11) {
  Problem problem;
  problem.structure.add_wire(1, segments, from, to, 1e-3);
  test::feed(problem, segments / 2).ground = ground;
  return problem;
}

Options with_matrix() {
  Options options = options_for(MeshChoice::as_given);
  options.save_matrix = true;
  return options;
}

Complex impedance(const Problem& problem) {
  return test::port_impedance(problem, options_for(MeshChoice::as_given));
}

/// Inverted V: two bent arms that come close to the ground.
Problem bent_over(const Ground& ground) {
  Problem problem = wire_over(ground, {-0.25, 0, 0.02}, {0, 0, 0.2}, 7);
  problem.structure.add_wire(2, 7, {0, 0, 0.2}, {0.2, 0.1, 0.02}, 1e-3);
  return problem;
}

double largest_difference(const std::vector<Complex>& a, const std::vector<Complex>& b) {
  double size = 0;
  for (std::size_t i = 0; i < a.size(); ++i) size = std::max(size, std::abs(a[i] - b[i]));
  return size;
}

TEST(RealGround, OfAirIsFreeSpace) {
  const auto over = solve(bent_over(Ground::sommerfeld(1, 0)), with_matrix());
  const auto free = solve(bent_over(Ground::none), with_matrix());
  EXPECT_LT(largest_difference(over.impedance_matrix_ohm, free.impedance_matrix_ohm),
            1e-12 * std::abs(free.impedance_matrix_ohm[0]));
}

TEST(RealGround, MatrixIsSymmetricToTheLastBit) {
  const auto z =
      solve(bent_over(Ground::sommerfeld(13, 0.05)), with_matrix()).impedance_matrix_ohm;
  const auto n = static_cast<std::size_t>(std::sqrt(static_cast<double>(z.size())));
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < i; ++j) EXPECT_EQ(z[i * n + j], z[j * n + i]);
}

/// Conductivity that makes |sqrt(eps)| this at 299.8 MHz.
double conductivity_for(double index) {
  return index * index * 2 * pi / eta0_ohm;
}

// The difference falls as the inverse of the index of refraction; under a vertical that
// stands on the ground times a logarithm, for the current that spreads from its foot
// meets the surface impedance eta0 / index from about 1 / (k index) on.
TEST(RealGround, GoesOverIntoPerfectGround) {
  const auto difference = [](double index, auto&& antenna) {
    const Complex real =
        impedance(antenna(Ground::sommerfeld(1, conductivity_for(index))));
    const Complex perfect = impedance(antenna(Ground::perfect));
    return std::abs(real - perfect) / std::abs(perfect);
  };
  const auto flat = [](const Ground& ground) {
    return wire_over(ground, {-0.24, 0, 0.1}, {0.24, 0, 0.1});
  };
  const auto standing = [](const Ground& ground) {
    Problem problem = wire_over(ground, {0, 0, 0}, {0, 0, 0.24});
    problem.runs.front().sources = {volt_on(0)};
    problem.ground_contact = true;
    return problem;
  };
  EXPECT_LT(difference(1e4, flat), 1e-3);
  EXPECT_LT(difference(1e4, standing), 1.5e-3);
  EXPECT_NEAR(difference(1e4, flat) / difference(1e3, flat), 0.1, 0.02);
  EXPECT_NEAR(difference(1e4, standing) / difference(1e3, standing), 0.135, 0.02);
}

TEST(RealGround, PortsOverItAreReciprocal) {
  Problem problem =
      wire_over(Ground::sommerfeld(5, 0.01), {-0.2, 0, 0.03}, {0.2, 0, 0.1});
  problem.structure.add_wire(2, 9, {0.5, 0.3, 0.02}, {0.5, 0.3, 0.4}, 1e-3);
  problem.runs.front().sources.push_back(volt_on(11 + 4));
  Options options = options_for(MeshChoice::as_given);
  options.port_matrix = true;
  const auto z = solve(problem, options).frequencies.front().port_impedance_ohm;
  EXPECT_LT(std::abs(z[1] - z[2]), 1e-9 * std::abs(z[1]));
}

// A dipole lowered from 1 to 1e-5 wavelengths in 400 even steps of the logarithm. Where
// rules of quadrature or boxes of the table change with the height, a step would stand
// out: the second differences are as smooth as Z itself, to 1e-7 of it.
TEST(RealGround, ImpedanceIsSmoothAsTheWireComesDown) {
  constexpr std::size_t steps = 400;
  std::vector<Complex> z, second;
  for (std::size_t n = 0; n <= steps; ++n) {
    const double h = std::pow(1e-5, static_cast<double>(n) / steps);
    Problem problem = wire_over(Ground::sommerfeld(13, 0.05), {}, {1, 0, 0}, 1);
    problem.structure = Structure();
    problem.structure.add_wire(1, 11, {-0.05, 0, h}, {0.05, 0, h}, 1e-6);
    problem.runs.front().sources = {volt_on(5)};
    z.push_back(impedance(problem));
  }
  for (std::size_t n = 1; n < steps; ++n)
    second.push_back(z[n - 1] - 2.0 * z[n] + z[n + 1]);
  for (std::size_t n = 1; n + 1 < second.size(); ++n) {
    const double fourth = std::abs(second[n - 1] - 2.0 * second[n] + second[n + 1]);
    EXPECT_LT(fourth, 0.25 * std::max({std::abs(second[n - 1]), std::abs(second[n]),
                                       std::abs(second[n + 1])}) +
                          1e-7 * std::abs(z[n + 1]))
        << n;
  }
}

TEST(RealGround, WiresRaisedFromItsSurfaceAreTheLimitOfLowOnes) {
  // Thinner than a thousandth of its segments, within which ends count as on the ground.
  constexpr double radius_m = 1e-5;
  const auto at = [&](double height_m) {
    Problem problem;
    problem.structure.add_wire(1, 11, {-0.12, 0, height_m}, {0.12, 0, height_m},
                               radius_m);
    const SurfaceLift lift = find_surface_lift(problem.structure, false);
    if (lift.segments > 0) problem.structure.raise(lift.height_m, lift.rises);
    test::feed(problem, 5).ground = Ground::sommerfeld(13, 0.05);
    return impedance(problem);
  };
  const Complex lying = at(0), limit = 3.0 * at(1.01 * radius_m) -
                                       3.0 * at(1.02 * radius_m) + at(1.03 * radius_m);
  EXPECT_LT(std::abs(lying - limit), 2e-5 * std::abs(limit)) << lying << limit;
  EXPECT_GT(std::abs(at(2 * radius_m) - limit), 0.02 * std::abs(limit));
}

// Contribution of the ground between two dipoles of one piecewise-sinusoidal function
// each, from the saved matrices, against the formula of half_space.h with kernels
// computed place by place: one dipole along x, one tilted.
TEST(RealGround, SavedMatrixHoldsTheKernelsIntegrals) {
  const Ground soil = Ground::sommerfeld(13, 0.05);
  const Vec3 middle[] = {{0, 0, 0.2}, {0.1, 0.4, 0.3}},
             way[] = {{1, 0, 0}, {0.6, 0, 0.8}};
  const double half = 0.2, k = 2 * pi;
  const auto antennas = [&](const Ground& ground) {
    Problem problem = wire_over(ground, {}, {1, 0, 0}, 1);
    problem.structure = Structure();
    // Thin, for the tubes count: 2e-5 of it where the radius is 1e-3.
    for (int d = 0; d < 2; ++d)
      problem.structure.add_wire(1 + d, 2, middle[d] - half * way[d],
                                 middle[d] + half * way[d], 1e-5);
    problem.runs.front().frequency_hz = {speed_of_light_m_per_s};
    return solve(problem, with_matrix()).impedance_matrix_ohm;
  };
  const auto over = antennas(soil), free = antennas(Ground::none);
  ASSERT_EQ(over.size(), 4u);
  const GaussRule rule = gauss_rule(10);
  Complex want = 0;
  for (const double s_side : {-1.0, 1.0})
    for (const double t_side : {-1.0, 1.0})
      for (int a = 0; a < rule.points; ++a)
        for (int b = 0; b < rule.points; ++b) {
          const double s = 0.5 * half * (1 + rule.node[a]),
                       t = 0.5 * half * (1 + rule.node[b]);
          const Vec3 p = middle[0] + s_side * s * way[0],
                     q = middle[1] + t_side * t * way[1];
          const double x = p.x - q.x, y = p.y - q.y, rho = std::hypot(x, y);
          const ReflectedKernels g =
              reflected_kernels(soil.permittivity(k), k * rho, k * (p.z + q.z));
          const Complex vector = way[0].x * way[1].x * Complex(g.h) -
                                 way[0].x * x / rho * way[1].z * Complex(g.q);
          const double weight = 0.25 * half * half * rule.weight[a] * rule.weight[b] /
                                std::pow(std::sin(k * half), 2);
          want += weight * (std::sin(k * (half - s)) * std::sin(k * (half - t)) * vector -
                            s_side * t_side * std::cos(k * (half - s)) *
                                std::cos(k * (half - t)) * Complex(g.phi));
        }
  // Kernels are times 1 / k.
  want *= Complex(0, k * k * eta0_ohm / (4 * pi));
  EXPECT_LT(std::abs(over[1] - free[1] - want), 1e-7 * std::abs(want));
}

// A dipole along x, 14 MHz, over soil, whose ground part nec2c 1.3 gives as the
// difference of GN 2 and free space (segments 21, radius 1 mm, 10 m long, EX on 11); good
// to 1 % there (above 0.02 wavelengths), and the difference has little of the mesh's
// error.
TEST(RealGround, AgreesWithNec2cAboveSoil) {
  struct Case {
    double height_m;
    Complex over, free;
  };
  const Case cases[] = {
      {0.43, {81.930, -14.495}, {64.355, -55.751}},
      {1, {58.569, -43.503}, {64.355, -55.751}},
      {5, {70.886, -40.823}, {64.355, -55.751}},
      // GN 0: half a wavelength above, reflection coefficients do better than its table.
      {12, {56.689, -59.317}, {64.355, -55.751}},
  };
  for (const Case& c : cases) {
    Problem problem = wire_over(Ground::sommerfeld(13, 0.005), {-5, 0, c.height_m},
                                {5, 0, c.height_m}, 21);
    problem.runs.front().frequency_hz = {14e6};
    const Complex over = impedance(problem);
    problem.runs.front().ground = Ground::none;
    const Complex ground_part = over - impedance(problem), want = c.over - c.free;
    EXPECT_LT(std::abs(ground_part - want), 0.01 * std::abs(c.over)) << c.height_m;
  }
}

/// The sum of f over a .. b by panels of 16 Gauss points.
template <class F>
double sum_of(double a, double b, int panels, const F& f) {
  const GaussRule rule = gauss_rule(16);
  double sum = 0;
  for (int n = 0; n < panels; ++n)
    for (int i = 0; i < rule.points; ++i) {
      const double half = 0.5 * (b - a) / panels;
      sum += half * rule.weight[i] * f(a + half * (2 * n + 1 + rule.node[i]));
    }
  return sum;
}

/// Power, watt, that a current along x, wavelength 1 m, h above a ground of permittivity
/// eps without loss sends down: its spectrum of plane waves through the interface as on
/// two transmission lines for each (TE: 1 / kz, TM: kz / eps times eta0), those included
/// that die away in the air. node_current_a: at the ends of its equal segments, a sine
/// between.
double power_down(const std::vector<Complex>& node_current_a, double length_m, double h,
                  double eps) {
  const double k = 2 * pi;
  const auto moment = [&](double kx) {  // Int I(x) e^{j kx x} dx
    Complex sum = 0;
    const GaussRule rule = gauss_rule(6);
    for (std::size_t e = 0; e + 1 < node_current_a.size(); ++e)
      for (int i = 0; i < rule.points; ++i) {
        const double s = 0.5 * length_m * (1 + rule.node[i]);
        const Complex current = (node_current_a[e] * std::sin(k * (length_m - s)) +
                                 node_current_a[e + 1] * std::sin(k * s)) /
                                std::sin(k * length_m);
        sum += 0.5 * length_m * rule.weight[i] * current *
               std::polar(1.0, kx * (static_cast<double>(e) * length_m + s));
      }
    return sum;
  };
  // Power of all waves with this kr / k, over kr dkr.
  const auto at = [&](double kr, Complex kz1) {
    const double kz2 = std::sqrt(eps - kr * kr);
    const Complex te = 1.0 / kz2 / (1.0 / kz1 + 1.0 / kz2) / kz1;
    const Complex tm = kz2 / eps / (kz1 + kz2 / eps) * kz1;
    const double down = std::exp(2 * k * h * std::min(0.0, kz1.imag()));
    return sum_of(0, 0.5 * pi, 2, [&](double angle) {
      const double c = std::cos(angle), s = std::sin(angle);
      return 4 * std::norm(moment(k * kr * c)) * down *
             (s * s * std::norm(te) * kz2 + c * c * std::norm(tm) * eps / kz2);
    });
  };
  const double waves = sum_of(0, 0.5 * pi, 2, [&](double t) {
    const double kr = std::sin(t), kz = std::cos(t);
    return at(kr, kz) * kr * kz;
  });
  const double dying = sum_of(0, 0.5 * pi, 4, [&](double t) {
    const double x = std::sqrt(eps - 1) * std::sin(t);
    return at(std::sqrt(1 + x * x), Complex(0, -x)) * x * std::sqrt(eps - 1) *
           std::cos(t);
  });
  return 0.5 * eta0_ohm * (waves + dying) * k * k / (4 * pi * pi);
}

// The input power is what goes up, by the pattern, and what goes down.
TEST(RealGround, PowerGoesUpAndDown) {
  for (const double eps : {3.0, 13.0}) {
    constexpr int segments = 11;
    constexpr double h = 0.1, length = 0.48 / segments;
    Problem problem =
        wire_over(Ground::sommerfeld(eps, 0), {-0.24, 0, h}, {0.24, 0, h}, segments);
    problem.runs.front().patterns = {test::broadside()};
    const auto result =
        solve(problem, options_for(MeshChoice::as_given)).frequencies.front();
    std::vector<Complex> node = {0};
    for (const Complex centre : result.segment_current_a)
      node.push_back(2 * std::cos(pi * length) * centre - node.back());
    ASSERT_LT(std::abs(node.back()), 1e-10);
    const double down = power_down(node, length, h, eps);
    ASSERT_TRUE(result.radiated_power_w);
    EXPECT_NEAR(*result.radiated_power_w + down, result.input_power_w,
                1e-4 * result.input_power_w)
        << eps;
    EXPECT_GT(down, 0.1 * result.input_power_w);
  }
}

TEST(RealGround, TakesPowerUp) {
  Problem problem =
      wire_over(Ground::sommerfeld(13, 0.05), {-0.24, 0, 0.1}, {0.24, 0, 0.1});
  problem.runs.front().patterns = {test::broadside()};
  const auto result =
      solve(problem, options_for(MeshChoice::as_given)).frequencies.front();
  ASSERT_TRUE(result.radiated_power_w);
  EXPECT_GT(*result.radiated_power_w, 0.3 * result.input_power_w);
  EXPECT_LT(*result.radiated_power_w, 0.9 * result.input_power_w);
}

// Reflection coefficients, from half a wavelength on.
TEST(ReflectionCoefficients, AgreeWithSommerfeldHighAbove) {
  for (const auto& [from, to] : {std::pair{Vec3{-0.24, 0, 0.5}, Vec3{0.24, 0, 0.5}},
                                 {Vec3{-0.1, 0.1, 0.7}, Vec3{0.2, -0.1, 0.95}},
                                 {Vec3{0, 0, 0.5}, Vec3{0, 0, 0.97}}})
    for (const double sigma : {0.001, 0.05}) {
      const Complex sommerfeld =
          impedance(wire_over(Ground::sommerfeld(13, sigma), from, to));
      const Complex coefficients =
          impedance(wire_over(Ground::coefficients(13, sigma), from, to));
      EXPECT_LT(std::abs(coefficients - sommerfeld), 0.02 * std::abs(sommerfeld))
          << from.z;
      EXPECT_GT(std::abs(coefficients - sommerfeld), 1e-6 * std::abs(sommerfeld));
    }
}

// nec2c 1.3, GN 0, the dipole of AgreesWithNec2cAboveSoil at 5 and 12 m.
TEST(ReflectionCoefficients, AgreeWithNec2c) {
  const Complex free = {64.355, -55.751};
  for (const auto& [height_m, over] :
       {std::pair{5.0, Complex(71.116, -39.482)}, {12.0, Complex(56.689, -59.317)}}) {
    Problem problem = wire_over(Ground::coefficients(13, 0.005), {-5, 0, height_m},
                                {5, 0, height_m}, 21);
    problem.runs.front().frequency_hz = {14e6};
    const Complex with = impedance(problem);
    problem.runs.front().ground = Ground::none;
    EXPECT_LT(std::abs(with - impedance(problem) - (over - free)), 0.01 * std::abs(over))
        << height_m;
  }
}

TEST(ReflectionCoefficients, MatrixIsSymmetricToTheLastBit) {
  const auto z =
      solve(bent_over(Ground::coefficients(13, 0.05, {16, 0.3, 1e-3})), with_matrix())
          .impedance_matrix_ohm;
  const auto n = static_cast<std::size_t>(std::sqrt(static_cast<double>(z.size())));
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < i; ++j) EXPECT_EQ(z[i * n + j], z[j * n + i]);
}

TEST(ReflectionCoefficients, SayHowFarTheyReach) {
  const Problem problem =
      wire_over(Ground::coefficients(13, 0.05), {-0.2, 0, 0.3}, {0.2, 0, 0.6}, 7);
  const auto warnings = model_warnings(problem, {});
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_EQ(warnings[0],
            "tag 1 segment 1 is 0.3 wavelengths above ground at 299.792 MHz: GN 0 is "
            "accurate to 2 % from 0.5 wavelengths on, and wrong close to the ground; use "
            "GN 2 (and 4 more)");
}

TEST(RealGround, SaysThatContactIsNoStake) {
  Problem problem = wire_over(Ground::sommerfeld(13, 0.05), {0, 0, 0}, {0, 0, 0.24}, 7);
  problem.ground_contact = true;
  EXPECT_EQ(model_warnings(problem, {}),
            (std::vector<std::string>{
                "tag 1 segment 1 stands on real ground: GE 1 connects it without the "
                "resistance of a ground stake; add a measured resistance as LD 4, or "
                "draw the stake as a wire below (GN 2)"}));
}

/// 2 x 4 inverted Vs, one fed.
Problem lattice_over(const Ground& ground) {
  Problem problem = bent_over(ground);
  for (int i = 1; i < 8; ++i) {
    const Vec3 at{0.7 * (i / 4), 0.4 * (i % 4), 0};
    problem.structure.add_wire(1, 7, at + Vec3{-0.25, 0, 0.02}, at + Vec3{0, 0, 0.2},
                               1e-3);
    problem.structure.add_wire(2, 7, at + Vec3{0, 0, 0.2}, at + Vec3{0.2, 0.1, 0.02},
                               1e-3);
  }
  return problem;
}

TEST(RealGround, OperatorsWithoutTheMatrixGiveItsImpedances) {
  for (const Ground& ground :
       {Ground::sommerfeld(13, 0.05), Ground::coefficients(13, 0.05)}) {
    const Complex right = impedance(lattice_over(ground));
    for (const OperatorChoice choice : {OperatorChoice::toeplitz, OperatorChoice::fft}) {
      Options options = options_for(MeshChoice::as_given);
      options.operator_choice = choice;
      options.operator_tolerance = 1e-6;
      options.tolerance = 1e-8;
      const Solution solution = solve(lattice_over(ground), options);
      const FrequencyResult& at = solution.frequencies.front();
      EXPECT_EQ(at.solver.operator_name, name_of(choice));
      EXPECT_LT(std::abs(at.ports.front().impedance_ohm - right),
                (choice == OperatorChoice::fft ? 1e-4 : 1e-6) * std::abs(right));
    }
  }
}

TEST(RealGround, RefusesWhatIsNotBuilt) {
  const auto refusal = [](const Problem& asked, const Options& options) {
    return test::error_message([&] { (void)solve(asked, options); });
  };
  Options options;
  options.operator_choice = OperatorChoice::fft;
  EXPECT_EQ(refusal(bent_over(Ground::coefficients(13, 0.05, {12, 3, 1e-3})), options),
            "--operator fft: the radial screen of GN 0 does not lie under all wires. Use "
            "--operator dense.");
  Problem buried = bent_over(Ground::sommerfeld(13, 0.05));
  buried.structure.add_wire(3, 3, {0, 1, -0.2}, {0, 1.1, -0.2}, 1e-3);
  EXPECT_EQ(refusal(buried, options),
            "--operator fft: wires in the ground need the whole matrix. Use --operator "
            "dense.");
  options = {};
  options.precision = PrecisionChoice::in_single;
  EXPECT_EQ(refusal(bent_over(Ground::coefficients(13, 0.05)), options),
            "--precision single: over GN 0, and with wires in the ground, Z is filled by "
            "the CPU, in double. Use --precision double, or GN 2 with wires above.");
}

}  // namespace
}  // namespace thinwire::real_ground_test
