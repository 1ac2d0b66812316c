#include "kernels/fields/medium_field.h"

#include <cstdint>

#include "kernels/fields/near_field_terms.h"

namespace thinwire {
namespace {

template <class Terms>
void add_field(Complex eps, std::span<const Element> elements,
               std::span<const Complex> end_current_a, double k, GreensKernel kernel,
               std::span<const Vec3> points_m, std::span<Complex> field) {
  const HdComplex wave = to_hd(k * std::sqrt(eps)), over_eps = to_hd(1.0 / eps);
#pragma omp parallel for schedule(dynamic, 4)
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(points_m.size()); ++i) {
    FieldVector sum;
    for (std::size_t e = 0; e < elements.size(); ++e) {
      const Element& element = elements[e];
      Cylindrical place(element, points_m[i]);
      if (kernel == GreensKernel::exact && on_sheet(element, place))
        place = Cylindrical(element, points_m[i] + way_off_sheet(element, place));
      ElementField f = element_field(element, to_hd(end_current_a[2 * e]),
                                     to_hd(end_current_a[2 * e + 1]), place.rho_m,
                                     place.foot_m, k, wave, kernel);
      f.radial_charge = over_eps * f.radial_charge;
      f.axial_charge = over_eps * f.axial_charge;
      Terms::add_element(element, f, place.outward, k, sum);
    }
    const HdComplex of[] = {sum.x, sum.y, sum.z};
    for (int c = 0; c < 3; ++c) field[3 * i + c] += Complex(Terms::factor() * of[c]);
  }
}

}  // namespace

void add_electric_field_in(Complex eps, std::span<const Element> elements,
                           std::span<const Complex> end_current_a, double k,
                           GreensKernel kernel, std::span<const Vec3> points_m,
                           std::span<Complex> e_v_per_m) {
  add_field<ElectricTerms>(eps, elements, end_current_a, k, kernel, points_m, e_v_per_m);
}

void add_magnetic_field_in(Complex eps, std::span<const Element> elements,
                           std::span<const Complex> end_current_a, double k,
                           GreensKernel kernel, std::span<const Vec3> points_m,
                           std::span<Complex> h_a_per_m) {
  add_field<MagneticTerms>(eps, elements, end_current_a, k, kernel, points_m, h_a_per_m);
}

}  // namespace thinwire
