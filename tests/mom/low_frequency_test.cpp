// Antennas far smaller than the wavelength: static capacitance and inductance, and what
// resistance is left.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "tests/mom/wire_antennas.h"

namespace thinwire::low_frequency_test {
namespace {

using test::dipole;

/// Impedance of the first port where the structure is 1 m long and so many wavelengths.
Complex impedance(Problem problem, double wavelengths, double conductivity = 0,
                  const Options& options = {}) {
  problem.runs[0].frequency_hz = {wavelengths * speed_of_light_m_per_s};
  if (conductivity > 0)
    problem.runs[0].loads = {{Load::Kind::conductivity,
                              0,
                              problem.structure.segments().size() - 1,
                              {conductivity, 0, 0}}};
  return test::port_impedance(problem, options);
}

double omega(double wavelengths) {
  return 2 * pi * wavelengths * speed_of_light_m_per_s;
}

/// Against itself at a thousandth of a wavelength, where k^2 is 1e-5 of anything.
TEST(LowFrequency, CapacitanceOfADipoleStaysToAMillionthOfAWavelength) {
  const Problem problem = dipole(0.5, 0.001, 21);
  const auto farad = [&](double size) {
    return -1 / (omega(size) * impedance(problem, size).imag());
  };
  const double reference = farad(1e-3);
  for (const double size : {1e-4, 1e-5, 1e-6})
    EXPECT_NEAR(farad(size) / reference, 1, 1e-5) << size;
}

/// Short dipole: 20 (pi L / wavelength)^2 ohm where the current is a triangle; its charge
/// crowds at the ends of a tube, so that it is a little more. It falls as the square.
TEST(LowFrequency, RadiationResistanceOfADipoleIsKept) {
  const Problem problem = dipole(0.5, 0.001, 21);
  for (const double size : {1e-3, 1e-5, 1e-6}) {
    const double ideal = 20 * std::pow(pi * size, 2);
    EXPECT_NEAR(impedance(problem, size).real() / ideal, 1.01, 0.02) << size;
  }
}

/// A triangular current loses a third of the wire's resistance to direct current.
TEST(LowFrequency, LossResistanceOfADipoleIsKept) {
  const Problem problem = dipole(0.5, 0.001, 21);
  const double direct = 1 / (5.8e7 * pi * 1e-6);
  EXPECT_NEAR(impedance(problem, 1e-6, 5.8e7).real() / (direct / 3), 1, 0.01);
}

Problem square_loop(double radius_m) {
  Problem problem;
  const double s = 0.25;
  const Vec3 corner[] = {{0, 0, 0}, {s, 0, 0}, {s, s, 0}, {0, s, 0}};
  for (int side = 0; side < 4; ++side)
    problem.structure.add_wire(side + 1, 9, corner[side], corner[(side + 1) % 4],
                               radius_m);
  Run fed;
  fed.sources = {test::volt_on(4)};
  problem.runs.push_back(fed);
  return problem;
}

double henry(const Problem& problem, double size) {
  return impedance(problem, size).imag() / omega(size);
}

/// 2 mu0 s / pi (ln(s / a) - 0.77401) of a square with its current on the surface (Grover
/// 1946, chapter 8).
TEST(LowFrequency, InductanceOfALoop) {
  for (const double radius_m : {1e-3, 1e-5}) {
    const double static_h =
        2 * mu0_h_per_m * 0.25 / pi * (std::log(0.25 / radius_m) - 0.77401);
    for (const double size : {1e-3, 1e-6, 1e-9})
      EXPECT_NEAR(henry(square_loop(radius_m), size) / static_h, 1,
                  radius_m == 1e-3 ? 2e-3 : 2e-4)
          << size;
  }
}

/// It differs by terms of (k size)^2 only.
TEST(LowFrequency, InductanceOfALoopIsThatOfALargerOne) {
  const double at_rest = henry(square_loop(1e-3), 1e-3);
  for (const double size : {1e-4, 1e-5, 1e-6, 1e-7})
    EXPECT_NEAR(henry(square_loop(1e-3), size) / at_rest, 1, 5e-6) << size;
}

/// Where loops begin to be solved apart: at a hundredth of a wavelength from corner to
/// corner.
TEST(LowFrequency, InductanceOfALoopHasNoStep) {
  const double border = 1e-2 / (0.25 * std::sqrt(2.0));
  EXPECT_NEAR(henry(square_loop(1e-3), border * (1 - 1e-6)) /
                  henry(square_loop(1e-3), border * (1 + 1e-6)),
              1, 1e-6);
}

/// eta k^4 A^2 / (6 pi) of a magnetic dipole.
TEST(LowFrequency, RadiationResistanceOfALoopIsKept) {
  for (const double size : {1e-4, 1e-6, 1e-8}) {
    const double dipole_ohm =
        eta0_ohm * std::pow(2 * pi * size, 4) * std::pow(0.0625, 2) / (6 * pi);
    EXPECT_NEAR(impedance(square_loop(1e-3), size).real() / dipole_ohm, 1, 1e-5) << size;
  }
}

/// 3 x 3 cells of 0.1 m, fed in a corner: partial inductances of their sides, tubes and
/// filaments in closed form, in the nine loops of Kirchhoff's law, with uniform currents
/// around the wires in the corners.
TEST(LowFrequency, InductanceOfAGrid) {
  Problem problem;
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 3; ++j) {
      problem.structure.add_wire(1, 3, {0.1 * i, 0.1 * j, 0}, {0.1 * i, 0.1 * (j + 1), 0},
                                 1e-5);
      problem.structure.add_wire(1, 3, {0.1 * j, 0.1 * i, 0}, {0.1 * (j + 1), 0.1 * i, 0},
                                 1e-5);
    }
  problem.runs.emplace_back();
  problem.runs[0].sources = {test::volt_on(1)};
  Options options;
  options.proximity = SwitchChoice::off;
  for (const double size : {1e-3, 1e-6})
    EXPECT_NEAR(
        impedance(problem, size, 0, options).imag() / omega(size) / 5.866725085849274e-07,
        1, 2e-6)
        << size;
}

/// Two squares one over the other, the second shorted: L - M^2 / L, with Neumann's
/// integral (Grover 1946, chapter 8).
TEST(LowFrequency, MutualInductanceOfTwoLoops) {
  const Problem alone = square_loop(1e-5);
  Problem both = alone;
  const double s = 0.25, d = 0.1;
  const Vec3 corner[] = {{0, 0, d}, {s, 0, d}, {s, s, d}, {0, s, d}};
  for (int side = 0; side < 4; ++side)
    both.structure.add_wire(side + 5, 9, corner[side], corner[(side + 1) % 4], 1e-5);
  const double near = std::sqrt(s * s + d * d), across = std::sqrt(2 * s * s + d * d);
  const double neumann_h =
      2 * mu0_h_per_m / pi *
      (s * std::log((s + near) / (s + across) * near / d) + across - 2 * near + d);
  for (const double size : {1e-4, 1e-6}) {
    const double self_h = henry(alone, size);
    const double mutual_h = std::sqrt(self_h * (self_h - henry(both, size)));
    EXPECT_NEAR(mutual_h / neumann_h, 1, 1e-5) << size;
  }
}

/// A dipole's own capacitance beside a loop, which charge moves on.
TEST(LowFrequency, CapacitanceOfADipoleBesideALoopIsKept) {
  Problem problem = dipole(0.5, 0.001, 21);
  const double s = 0.25, x = 0.05;
  const Vec3 corner[] = {{x, 0, 0}, {x, 0, s}, {x + s, 0, s}, {x + s, 0, 0}};
  for (int side = 0; side < 4; ++side)
    problem.structure.add_wire(side + 2, 9, corner[side], corner[(side + 1) % 4], 1e-3);
  const auto farad = [&](double size) {
    return -1 / (omega(size) * impedance(problem, size).imag());
  };
  // From where loops are not solved apart, but for the square of the frequency.
  const double reference = (4 * farad(1.1e-2) - farad(2.2e-2)) / 3;
  for (const double size : {1e-4, 1e-5, 1e-6})
    EXPECT_NEAR(farad(size) / reference, 1, 1e-5) << size;
}

/// Half a square that ends on perfect ground is half the whole one.
TEST(LowFrequency, LoopThroughPerfectGround) {
  const double s = 0.25;
  Problem half, whole;
  half.ground_contact = true;
  half.structure.add_wire(1, 9, {0, 0, 0}, {0, 0, s}, 1e-3);
  half.structure.add_wire(2, 9, {0, 0, s}, {s, 0, s}, 1e-3);
  half.structure.add_wire(3, 9, {s, 0, s}, {s, 0, 0}, 1e-3);
  half.runs.emplace_back();
  half.runs[0].sources = {test::volt_on(4)};
  half.runs[0].ground = Ground::perfect;
  whole.structure.add_wire(1, 18, {0, 0, -s}, {0, 0, s}, 1e-3);
  whole.structure.add_wire(2, 9, {0, 0, s}, {s, 0, s}, 1e-3);
  whole.structure.add_wire(3, 18, {s, 0, s}, {s, 0, -s}, 1e-3);
  whole.structure.add_wire(4, 9, {s, 0, -s}, {0, 0, -s}, 1e-3);
  whole.runs.emplace_back();
  whole.runs[0].sources = {test::volt_on(4), test::volt_on(13)};
  for (const double size : {1e-4, 1e-6})
    EXPECT_LT(test::relative_error(impedance(half, size), impedance(whole, size)), 1e-9)
        << size;
}

/// On the port's segment a load adds to its impedance, insulation is nothing.
TEST(LowFrequency, LoadsInALoop) {
  Problem problem = square_loop(1e-3);
  problem.runs[0].frequency_hz = {1e-6 * speed_of_light_m_per_s};
  const auto solved = [&] { return test::port_impedance(problem, Options{}); };
  const Complex bare = solved();
  problem.runs[0].loads = {{Load::Kind::insulation, 0, 35, {2.3, 0, 0.002}}};
  EXPECT_LT(test::relative_error(solved(), bare), 1e-9);
  problem.runs[0].loads = {{Load::Kind::impedance, 4, 4, {50, -7, 0}}};
  EXPECT_LT(test::relative_error(solved(), bare + Complex(50, -7)), 1e-9);
}

/// The current is the same everywhere: the wire's resistance to direct current, exactly.
TEST(LowFrequency, LossResistanceOfALoopIsKept) {
  const double direct = 1 / (5.8e7 * pi * 1e-6);
  for (const double size : {1e-7, 1e-9})
    EXPECT_NEAR(impedance(square_loop(1e-3), size, 5.8e7).real() / direct, 1, 1e-5)
        << size;
}

/// A straight wire along an axis, and its share of the port's current.
struct Piece {
  Vec3 from, to;
  double share = 1;
};

std::vector<Piece> closed(const std::vector<Vec3>& corners) {
  std::vector<Piece> pieces;
  for (std::size_t i = 0; i < corners.size(); ++i)
    pieces.push_back({corners[i], corners[(i + 1) % corners.size()]});
  return pieces;
}

struct Sample {
  std::string name;
  std::vector<Piece> pieces;  ///< fed in the first
};

/// A square, three turns, a folded dipole, and a wire in the middle of a cage of four.
std::vector<Sample> samples() {
  const double s = 0.25, low = 0.1, high = low + s, step = 0.02;
  std::vector<Vec3> coil;
  double y = 0;
  for (int turn = 0; turn < 3; ++turn, y += step) {
    const double z = low + turn * step;
    coil.insert(coil.end(), {Vec3{0, y, z}, Vec3{s, y, z}, Vec3{s, y, high},
                             Vec3{0, y, high}, Vec3{0, y, z + step}});
  }
  const double z = low + y;
  coil.insert(coil.end(),
              {Vec3{0, y, z}, Vec3{-step, y, z}, Vec3{-step, 0, z}, Vec3{-step, 0, low}});
  std::vector<Piece> cage = {{{0, 0, low}, {0, 0, high}}};
  for (const Vec3 out :
       {Vec3{step, 0, 0}, Vec3{-step, 0, 0}, Vec3{0, step, 0}, Vec3{0, -step, 0}}) {
    const Vec3 foot = out + Vec3{0, 0, low}, head = out + Vec3{0, 0, high};
    cage.push_back({{0, 0, high}, head, 0.25});
    cage.push_back({head, foot, 0.25});
    cage.push_back({foot, {0, 0, low}, 0.25});
  }
  return {
      {"square", closed({{0, 0, low}, {s, 0, low}, {s, 0, high}, {0, 0, high}})},
      {"coil", closed(coil)},
      {"folded dipole",
       closed(
           {{0, 0, low}, {2 * s, 0, low}, {2 * s, 0, low + step}, {0, 0, low + step}})},
      {"cage", cage}};
}

constexpr double thin_m = 1e-5;

Problem problem_of(const Sample& sample, const Ground& ground) {
  Problem problem;
  Run& run = problem.runs.emplace_back();
  run.ground = ground;
  for (const Piece& piece : sample.pieces) {
    const int segments = static_cast<int>(norm(piece.to - piece.from) / 0.03) | 1;
    if (run.sources.empty())
      run.sources.push_back(test::volt_on(static_cast<std::size_t>(segments / 2)));
    problem.structure.add_wire(1, segments, piece.from, piece.to, thin_m);
  }
  return problem;
}

/// Neumann's integral of two straight tubes, henry, that are parallel, or on one axis
/// without overlapping, or the same (Grover 1946, chapters 5 and 7).
double partial_inductance_h(const Piece& p, const Piece& q) {
  const Vec3 a = p.to - p.from, b = q.to - q.from, along = (1 / norm(a)) * a;
  const double cosine = dot(along, b) / norm(b);
  if (std::abs(cosine) < 0.5) return 0;
  const auto at = [&](const Vec3& v) { return dot(v - p.from, along); };
  const double apart = norm(q.from - p.from - at(q.from) * along);
  const auto f = [apart](double x) {
    if (apart > 0) return x * std::asinh(x / apart) - std::hypot(x, apart);
    const double length = std::abs(x);  // the mean over both circumferences
    return length > 1e-9 ? length * (std::log(2 * length / thin_m) - 1)
                         : -4 * thin_m / pi;
  };
  const double end = norm(a), first = std::min(at(q.from), at(q.to)),
               last = std::max(at(q.from), at(q.to));
  return cosine * mu0_h_per_m / (4 * pi) *
         (f(last) - f(last - end) - f(first) + f(first - end));
}

struct Static {
  double inductance_h, radiation_ohm_m4;
};

Static static_values(const Sample& sample, bool over_ground) {
  std::vector<Piece> all = sample.pieces;
  if (over_ground)
    for (const Piece& p : sample.pieces)
      all.push_back(
          {{p.from.x, p.from.y, -p.from.z}, {p.to.x, p.to.y, -p.to.z}, -p.share});
  Static values{};
  Vec3 moment;
  for (const Piece& p : all) {
    moment = moment + (0.5 * p.share) * cross(p.from, p.to);
    for (const Piece& q : sample.pieces)
      values.inductance_h += p.share * q.share * partial_inductance_h(p, q);
  }
  values.radiation_ohm_m4 =
      eta0_ohm * dot(moment, moment) / (6 * pi) / (over_ground ? 2 : 1);
  return values;
}

Options by(SolverChoice solver,
           PreconditionerChoice preconditioner = PreconditionerChoice::automatic) {
  Options options = test::options_for(MeshChoice::as_given);
  options.proximity = SwitchChoice::off;
  options.solver = solver;
  options.preconditioner = preconditioner;
  return options;
}

constexpr double sizes[] = {1e-4, 1e-6, 1e-8};

std::vector<Complex> impedances(Problem problem, const Options& options) {
  std::vector<Complex> z;
  for (const double size : sizes)
    problem.runs[0].frequency_hz.push_back(size * speed_of_light_m_per_s);
  for (const FrequencyResult& result : solve(problem, options).frequencies)
    z.push_back(result.ports.at(0).impedance_ohm);
  return z;
}

/// By any solver inductance is that of Neumann's integrals, and radiation resistance that
/// of the magnetic dipole, of which the cage has none.
TEST(LowFrequency, AllSolversGiveStaticInductanceAndRadiationOfADipole) {
  for (const Sample& sample : samples())
    for (const Ground& ground : {Ground::none, Ground::perfect}) {
      const Static expected = static_values(sample, ground == Ground::perfect);
      for (const Options& options :
           {by(SolverChoice::automatic), by(SolverChoice::cocg), by(SolverChoice::gmres),
            by(SolverChoice::cocg, PreconditionerChoice::none),
            by(SolverChoice::gmres, PreconditionerChoice::none)}) {
        const std::vector<Complex> z = impedances(problem_of(sample, ground), options);
        for (std::size_t i = 0; i < z.size(); ++i) {
          const auto trace = [&] {
            return testing::Message() << sample.name << ' ' << sizes[i] << ' '
                                      << static_cast<int>(options.solver);
          };
          EXPECT_NEAR(z[i].imag() / omega(sizes[i]) / expected.inductance_h, 1, 1e-6)
              << trace();
          if (sample.name == "cage" ||
              options.preconditioner == PreconditionerChoice::none)
            continue;
          const double radiation_ohm =
              std::pow(2 * pi * sizes[i], 4) * expected.radiation_ohm_m4;
          EXPECT_NEAR(z[i].real() / radiation_ohm, 1, 4e-6) << trace();
        }
      }
    }
}

/// Over real ground, by integrals and by reflection coefficients, whose charges do not
/// cancel around loops.
TEST(LowFrequency, AllSolversAgreeOverRealGround) {
  for (const Sample& sample : {samples().front(), samples().back()})
    for (const Ground& ground :
         {Ground::sommerfeld(13, 0.005), Ground::coefficients(13, 0.005)}) {
      const Problem problem = problem_of(sample, ground);
      const std::vector<Complex> direct = impedances(problem, by(SolverChoice::direct));
      for (const SolverChoice solver : {SolverChoice::cocg, SolverChoice::gmres}) {
        const std::vector<Complex> z = impedances(problem, by(solver));
        for (std::size_t i = 0; i < z.size(); ++i) {
          EXPECT_NEAR(z[i].imag() / direct[i].imag(), 1, 1e-8) << sample.name << sizes[i];
          EXPECT_NEAR(z[i].real() / direct[i].real(), 1, 1e-6) << sample.name << sizes[i];
        }
      }
    }
}

/// Resistance to direct current: the wires of the cage share it equally.
TEST(LowFrequency, LossResistanceOfACageIsKept) {
  const Sample cage = samples().back();
  double expected = 0;
  for (const Piece& piece : cage.pieces)
    expected += piece.share * piece.share * norm(piece.to - piece.from) /
                (5.8e7 * pi * thin_m * thin_m);
  for (const SolverChoice solver :
       {SolverChoice::automatic, SolverChoice::cocg, SolverChoice::gmres})
    EXPECT_NEAR(
        impedance(problem_of(cage, Ground::none), 1e-8, 5.8e7, by(solver)).real() /
            expected,
        1, 1e-6);
}

}  // namespace
}  // namespace thinwire::low_frequency_test
