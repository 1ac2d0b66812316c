#pragma once

#include <span>

#include "kernels/element/element.h"
#include "kernels/ground/coefficient_kernels.h"
#include "kernels/ground/field_kernels.h"
#include "kernels/ground/reflecting_surface.h"
#include "kernels/ground/source_points.h"

namespace thinwire {

/// Computes the reflection of a ground by the reflection coefficients of plane waves, as
/// NEC-2 does (Burke and Poggio 1981, part I, section IV), but for every pair of points
/// with that pair's own angle, so that Z stays symmetric: in the perfect image's field,
/// the component in the plane of incidence is multiplied by Rv and the one normal to it
/// by Rh,
///   E = Rv E_image + (Rh - Rv) (E_image . p) p,
///   H = Rh H_image + (Rv - Rh) (H_image . p) p,
///
/// p being the horizontal normal to the plane. Good to about 2 % from 0.5 wavelengths
/// above the ground on; wrong near it.
///
/// The element matrix of p (z >= 0) with q: point dipoles at Gauss points of pieces,
/// which are halved until they are short against their distance from the image. Error
/// 1e-6 of the largest entry that elements of these lengths at this distance have in any
/// direction; more where the edge of a screen lies between points of a piece.
ElementMatrix coefficient_pair(const Element& p, const Element& q,
                               const ReflectingSurface& surface);

/// Adds the reflected field at every point (z >= 0, metres), x y z: [3 points], V/m or
/// A/m.
void add_coefficient_field(FieldKind kind, const CurrentSources& sources,
                           const ReflectingSurface& surface,
                           std::span<const Vec3> points_m, std::span<Complex> field);

}  // namespace thinwire
