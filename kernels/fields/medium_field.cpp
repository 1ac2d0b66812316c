#include "kernels/fields/medium_field.h"

#include "kernels/fields/near_field_sum.h"

namespace thinwire {
namespace {

THINWIRE_SIMD_CLONES
void sum_electric(const NearFieldSources& m, std::size_t first, std::size_t last, Vec3 at,
                  double k, HdComplex wave, FieldVector& sum) {
  sum_points<ElectricTerms>(m, first, last, at, k, wave, sum);
}

THINWIRE_SIMD_CLONES
void sum_magnetic(const NearFieldSources& m, std::size_t first, std::size_t last, Vec3 at,
                  double k, HdComplex wave, FieldVector& sum) {
  sum_points<MagneticTerms>(m, first, last, at, k, wave, sum);
}

/// far: the sum of these terms.
template <class Terms, class Far>
void add_field(Complex eps, std::span<const Element> elements,
               std::span<const Complex> end_current_a, double k, GreensKernel kernel,
               std::span<const Vec3> points_m, std::span<Complex> field, Far far) {
  const NearFieldSources sources = near_field_sources(elements, end_current_a, k, kernel,
                                                      Medium::free_space(), 1, eps);
  sum_everywhere<Terms>(sources, points_m, k, to_hd(k * std::sqrt(eps)), to_hd(1.0 / eps),
                        field, far);
}

}  // namespace

void add_electric_field_in(Complex eps, std::span<const Element> elements,
                           std::span<const Complex> end_current_a, double k,
                           GreensKernel kernel, std::span<const Vec3> points_m,
                           std::span<Complex> e_v_per_m) {
  add_field<ElectricTerms>(eps, elements, end_current_a, k, kernel, points_m, e_v_per_m,
                           sum_electric);
}

void add_magnetic_field_in(Complex eps, std::span<const Element> elements,
                           std::span<const Complex> end_current_a, double k,
                           GreensKernel kernel, std::span<const Vec3> points_m,
                           std::span<Complex> h_a_per_m) {
  add_field<MagneticTerms>(eps, elements, end_current_a, k, kernel, points_m, h_a_per_m,
                           sum_magnetic);
}

}  // namespace thinwire
