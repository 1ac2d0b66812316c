#pragma once

#include <span>
#include <vector>

#include "kernels/gradient/form_gradient.h"
#include "kernels/ground/ground_pair.h"
#include "kernels/ground/reflecting_surface.h"

namespace thinwire {

/// Derivatives as form_gradients has them of what a real ground reflects beside its image
/// (ground_pair.h), which has no radii: [forms][parameters], for elements above it. The
/// medium of the forms is not used. Product rules as for ground_pair, and pieces in the
/// place of its integrals over an offset, with the ends of both elements as dual numbers.
/// Same bits for any number of threads.
std::vector<std::vector<Complex>> reflection_gradients(
    const ImpedanceForms& forms, const GroundAt& ground,
    std::span<const std::vector<ElementMotion>> motions);
/// Returns likewise the derivatives over a ground by reflection coefficients
/// (coefficient_pair), at the points of its fill. No ray between elements may meet the
/// edge of a screen.
std::vector<std::vector<Complex>> reflection_gradients(
    const ImpedanceForms& forms, const ReflectingSurface& surface,
    std::span<const std::vector<ElementMotion>> motions);

}  // namespace thinwire
