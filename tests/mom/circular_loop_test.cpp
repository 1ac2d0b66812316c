// The circular loop against its Fourier series.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/mom/wire_antennas.h"

namespace thinwire {
namespace {

/// Conductance of a gap without width in a loop of radius b and wire radius a, by the
/// series of Storer (1956) with Wu's coefficients (1962).
struct LoopConductance {
  double thickness;  ///< 2 ln(2 pi b / a)
  double kb;
  double conductance_ms;
};

/// Made by tests/golden/circular_loop.py. The series is for thin wires: at a thickness of
/// 10 and kb = 2.5 both differ by 0.6 %, at 8 by up to 4 %.
constexpr LoopConductance loops[] = {
    {10, 0.3, 0.016232}, {10, 0.6, 0.172878}, {10, 1.0, 5.226300}, {10, 1.4, 2.264271},
    {10, 2.0, 4.620277}, {12, 0.3, 0.009554}, {12, 0.6, 0.103346}, {12, 1.0, 5.178318},
    {12, 1.4, 1.226813}, {12, 2.0, 4.318307}, {12, 2.5, 1.534818}, {15, 0.3, 0.005242},
    {15, 0.6, 0.057453}, {15, 1.0, 5.151109}, {15, 1.4, 0.602037}, {15, 2.0, 4.142222},
    {15, 2.5, 0.739199},
};

TEST(CircularLoop, HasTheConductanceOfItsFourierSeries) {
  constexpr int count = 160;
  for (const LoopConductance& loop : loops) {
    const double b = loop.kb / (2 * pi);  // at a wavelength of 1 m
    const double a = 2 * pi * b / std::exp(loop.thickness / 2);
    Problem problem;
    // The polygon has the circle's circumference.
    problem.structure.add_arc(1, count, b * (pi / count) / std::sin(pi / count), 0, 360,
                              a);
    test::feed(problem, 0);
    const Complex z =
        test::port_impedance(problem, test::options_for(MeshChoice::graded));
    // How much of the gap's field a mesh takes as source moves the susceptance only.
    EXPECT_NEAR(1e3 * (1.0 / z).real() / loop.conductance_ms, 1, 0.005)
        << loop.thickness << ", kb " << loop.kb;
  }
}

}  // namespace
}  // namespace thinwire
