#pragma once

#include <span>
#include <vector>

#include "kernels/base/complex.h"
#include "kernels/element/element.h"
#include "kernels/element/medium.h"

namespace thinwire {

/// What the two shape functions of an element are multiplied with, ampere: the current at
/// its start and at its end.
struct EndCurrents {
  Complex at[2];
};

/// How an element changes as a parameter grows: derivatives of its ends and its radius,
/// in metres for each unit of the parameter.
struct ElementMotion {
  Vec3 start_m, end_m;
  double radius_m = 0;

  bool rests() const { return start_m == Vec3{} && end_m == Vec3{} && radius_m == 0; }
};

/// The bilinear form I^T Z J of the impedance matrix without loads, I and J on the same
/// elements, as a function of where the elements are.
struct ImpedanceForm {
  std::span<const Element> elements;
  std::span<const EndCurrents> i, j;  ///< [elements]
  double k_rad_per_m = 0;
  GreensKernel kernel = GreensKernel::exact;
  Medium medium;
};

/// Derivatives of the form with respect to parameters at fixed currents, ohm A^2 for each
/// unit of a parameter: [parameters], of motions [parameters][elements].
///
/// The element integrals themselves are differentiated, as they are computed: near pairs
/// with dual numbers along each parameter that changes how the two lie to each other, far
/// pairs once with respect to their ends and radii, which serves all parameters. For the
/// adjoint method see Director and Rohrer 1969; that of a complex-symmetric matrix is the
/// solution itself. Same bits for any number of threads.
std::vector<Complex> form_gradient(const ImpedanceForm& form,
                                   std::span<const std::vector<ElementMotion>> motions);

}  // namespace thinwire
