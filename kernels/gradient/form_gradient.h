#pragma once

#include <span>
#include <vector>

#include "kernels/base/complex.h"
#include "kernels/element/element.h"
#include "kernels/element/medium.h"

namespace thinwire {

/// Factors of the two shape functions of an element, ampere: the current at its start and
/// at its end.
struct EndCurrents {
  Complex at[2];
};

/// How an element changes as a parameter grows: derivatives of its ends and its radius,
/// in metres for each unit of the parameter.
struct ElementMotion {
  Vec3 start_m, end_m;
  double radius_m = 0;

  bool operator==(const ElementMotion&) const = default;
};

/// Bilinear forms I^T Z J of the impedance matrix without loads, for some I and one J on
/// the same elements, as functions of where the elements are.
struct ImpedanceForms {
  std::span<const Element> elements;
  std::span<const std::vector<EndCurrents>> i;  ///< [forms][elements]
  std::span<const EndCurrents> j;               ///< [elements]
  double k_rad_per_m = 0;
  GreensKernel kernel = GreensKernel::exact;
  Medium medium;
};

/// Derivatives of the forms with respect to parameters at fixed currents, ohm A^2 for
/// each unit of a parameter: [forms][parameters], of motions [parameters][elements].
///
/// The element integrals themselves are differentiated, as they are computed, with
/// respect to the ends and the radii of both elements: near pairs with dual numbers, once
/// for all that lie alike, far pairs in closed form. The derivatives of all pairs, added
/// up for each element, serve all parameters: time does not grow with their number. For
/// the adjoint method see Director and Rohrer 1969; that of a complex-symmetric matrix is
/// the solution itself. Same bits for any number of threads.
std::vector<std::vector<Complex>> form_gradients(
    const ImpedanceForms& forms, std::span<const std::vector<ElementMotion>> motions);

}  // namespace thinwire
