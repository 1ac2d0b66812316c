#include "kernels/fields/medium_field.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

#include "kernels/base/constants.h"
#include "kernels/fields/near_field_terms.h"

namespace thinwire {
namespace {

constexpr double k = 2 * pi;

/// By the integrals that hold at any distance.
template <class Terms>
FieldVector exact_field(Complex eps, const Element& e, Complex start_a, Complex end_a,
                        Vec3 at) {
  FieldVector sum;
  add_close_element<Terms>(e, to_hd(start_a), to_hd(end_a), at, k,
                           to_hd(k * std::sqrt(eps)), to_hd(1.0 / eps),
                           GreensKernel::exact, sum);
  for (HdComplex* part : {&sum.x, &sum.y, &sum.z}) *part = Terms::factor() * *part;
  return sum;
}

double size_of(const FieldVector& v) {
  return std::sqrt(std::norm(Complex(v.x)) + std::norm(Complex(v.y)) +
                   std::norm(Complex(v.z)));
}

// A few Gauss points and the ring's series serve from 3 lengths and 50 radii on.
TEST(MediumField, OfFarElementsIsThatOfTheirIntegrals) {
  std::mt19937 generator(3);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (const Complex eps :
       {Complex(1), Complex(13, -6.4), Complex(80, -0.6), Complex(81, -900)}) {
    const double length = 0.5 / (k * std::abs(std::sqrt(eps)));
    const Element element = {{0.1, 0.2, -0.3}, {0.6, 0, 0.8}, length, 0.02 * length};
    const std::array<Complex, 2> ends = {{{1, 0.3}, {0.4, -0.2}}};
    for (int i = 0; i < 40; ++i) {
      const Vec3 way = {uniform(generator), uniform(generator), uniform(generator)};
      const double distance = length * (3.6 + 10 * std::fabs(uniform(generator)));
      const Vec3 at = element.start_m + (0.5 * length) * element.tangent +
                      (distance / norm(way)) * way;
      for (const bool electric : {true, false}) {
        std::vector<Complex> got(3);
        (electric ? add_electric_field_in : add_magnetic_field_in)(
            eps, {&element, 1}, ends, k, GreensKernel::exact, {&at, 1}, got);
        const FieldVector want =
            electric ? exact_field<ElectricTerms>(eps, element, ends[0], ends[1], at)
                     : exact_field<MagneticTerms>(eps, element, ends[0], ends[1], at);
        const double size = size_of(want);
        EXPECT_LT(std::abs(got[0] - Complex(want.x)), 3e-7 * size) << eps << ' ' << i;
        EXPECT_LT(std::abs(got[1] - Complex(want.y)), 3e-7 * size) << eps << ' ' << i;
        EXPECT_LT(std::abs(got[2] - Complex(want.z)), 3e-7 * size) << eps << ' ' << i;
      }
    }
  }
}

}  // namespace
}  // namespace thinwire
