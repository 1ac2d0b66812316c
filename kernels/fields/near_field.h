#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "kernels/base/complex.h"
#include "kernels/base/large_vector.h"
#include "kernels/element/element.h"
#include "kernels/element/medium.h"

namespace thinwire {

/// Gauss points on an element at most.
inline constexpr int near_field_max_points = 10;

/// A sphere around an element; an observer inside of it is close to the element.
struct CloseSphere {
  Vec3 centre_m;
  double radius2_m2;
};

/// Rounds in one way only on a GPU, where it decides between two kernels.
THINWIRE_HD inline bool is_close(const CloseSphere& sphere, Vec3 at) {
  const Vec3 d = at - sphere.centre_m;
#if defined(__CUDA_ARCH__)
  return fma(d.x, d.x, fma(d.y, d.y, __dmul_rn(d.z, d.z))) < sphere.radius2_m2;
#else
  return dot(d, d) < sphere.radius2_m2;
#endif
}

/// The currents of a near field: elements (with their images in the medium) that carry a
/// piecewise-sinusoidal current, and Gauss points on each for observers that are not
/// close to it. An array for each number of the points, so that sums over points
/// vectorise.
struct NearFieldSources {
  LargeVector<Element> elements;
  LargeVector<Complex> end_current_a;        ///< [2 elements], at the start and the end
  LargeVector<CloseSphere> close;            ///< [elements]
  LargeVector<std::size_t> first;            ///< [elements + 1], into the points
  LargeVector<double> x, y, z;               ///< positions, m
  LargeVector<double> tx, ty, tz;            ///< tangents
  LargeVector<double> moment_re, moment_im;  ///< weight times current, A m
  LargeVector<double> derivative_re,
      derivative_im;       ///< weight times derivative of the current / k
  LargeVector<double> a2;  ///< squared radius, m^2; 0 for a filament
  GreensKernel kernel = GreensKernel::exact;
};

/// Sources from the current at the two ends of every element (end_current_a: [2
/// elements]), and from their images in the medium, times image_strength. With the exact
/// kernel the current flows on the wire's circumference; with the reduced one in its
/// axis. eps: relative permittivity of the medium that they fill (medium_field.h).
NearFieldSources near_field_sources(std::span<const Element> elements,
                                    std::span<const Complex> end_current_a,
                                    double k_rad_per_m, GreensKernel kernel,
                                    Medium medium, Complex image_strength = 1,
                                    Complex eps = 1);

/// Electric field, V/m, at every point (metres), x y z: [3 points].
///
///   E = -(j eta / 4 pi) sum over elements of integral of (k I t G + (I'/k) grad G) ds,
///
/// the mixed-potential form (Balanis 2016, eqs. 3-15 and 3-36, with the charge from
/// continuity). Each element's charge is spread along it and no point charges appear at
/// element ends, unlike in Schelkunoff's closed form, where those of neighbours cancel
/// only after they were computed (by 1/(kL)^2 at low frequency) and where the radial
/// field is a difference divided by the distance from the axis. G is e^{-jkR}/R, its
/// mean over the circumference with the exact kernel.
///
/// Relative error about 1e-6 of the sum of the elements' magnitudes, for the current as
/// given. That current has steps of charge where elements meet, so that close to a wire,
/// within a small part of the elements' lengths, the field along it is right in its mean
/// over an element and not at every point. Points closer to a tube's surface than 1/1000
/// of its radius are taken to lie that far outside of it; inside, the field is that
/// within a tube: no H. With the reduced kernel the distance from a wire's centre line
/// has a^2 added within its radius. Every result is finite. Over perfect ground, the
/// field below it is that of the currents and their images, as in NEC-2.
void electric_field(const NearFieldSources& sources, std::span<const Vec3> points_m,
                    double k_rad_per_m, std::span<Complex> e_v_per_m);

/// Magnetic field, A/m, likewise: H = (1 / 4 pi) sum of integral of I grad G x t ds.
void magnetic_field(const NearFieldSources& sources, std::span<const Vec3> points_m,
                    double k_rad_per_m, std::span<Complex> h_a_per_m);

/// electric_field and magnetic_field on the current GPU: the same terms, to rounding in
/// each; the same bits every time. points_in_all: where several GPUs share them, so that
/// the bits are those of one (device_far_field). Take 100 to 500 bytes a point of the
/// GPU's memory. Throw Error{device}, Error{memory}.
void device_electric_field(const NearFieldSources& sources,
                           std::span<const Vec3> points_m, double k_rad_per_m,
                           std::span<Complex> e_v_per_m, std::size_t points_in_all = 0);
void device_magnetic_field(const NearFieldSources& sources,
                           std::span<const Vec3> points_m, double k_rad_per_m,
                           std::span<Complex> h_a_per_m, std::size_t points_in_all = 0);

}  // namespace thinwire
