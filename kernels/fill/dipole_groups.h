#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/base/complex.h"
#include "kernels/base/constants.h"
#include "kernels/base/host_device.h"
#include "kernels/base/vec3.h"
#include "kernels/element/medium.h"
#include "kernels/matrix/tiles.h"

namespace thinwire {

/// A Hertzian dipole; Real: what it is kept and computed in.
template <class Real>
struct PointDipole {
  Real at_m[3];
  Real moment_re[3], moment_im[3];  ///< A m
};

/// Currents seen from afar: groups of a few dipoles each.
struct DipoleGroups {
  std::vector<PointDipole<double>> dipole;  ///< group by group
  std::vector<std::uint32_t> first = {0};   ///< [groups + 1]
  /// Dipoles that are closer count as if they were so far apart, so that groups that
  /// share a place have a coupling, of no meaning, that is finite.
  double min_distance_m = 0;

  std::size_t size() const { return first.size() - 1; }
};

/// Quantities that groups of dipoles share while they are coupled.
template <class Real>
struct DipoleCoupling {
  Real k_rad_per_m, min_distance2_m2;
  Medium medium;
};

/// Adds to (re, im) the reaction of two dipoles, -E(b) . a, without the factor
/// jk eta / 4 pi:
///
///   e^{-jkR} / R [(1 - ju - u^2) a . b - (1 - 3ju - 3u^2) (a . r)(b . r)],  u = 1 / kR,
///
/// r the unit vector between them (Harrington, Time-Harmonic Electromagnetic Fields,
/// 1961, section 2-9); and that of b's image.
template <class Real>
THINWIRE_HD inline void add_reaction(const DipoleCoupling<Real>& of,
                                     const PointDipole<Real>& a,
                                     const PointDipole<Real>& b, Real& re, Real& im) {
  for (int s = 0; s < of.medium.sources(); ++s) {
    const Real up = s == 0 ? Real(1) : Real(-1),
               factor = static_cast<Real>(of.medium.factor(s));
    const Real d[3] = {a.at_m[0] - b.at_m[0], a.at_m[1] - b.at_m[1],
                       a.at_m[2] - up * b.at_m[2]};
    const Real from_b[3] = {factor, factor, factor * up};
    Real distance2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    if (distance2 < of.min_distance2_m2) distance2 = of.min_distance2_m2;
    const Real distance = std::sqrt(distance2), kr = of.k_rad_per_m * distance,
               u = 1 / kr;
    // a . b, a . d, b . d
    Real ab_re = 0, ab_im = 0, ad_re = 0, ad_im = 0, bd_re = 0, bd_im = 0;
    for (int c = 0; c < 3; ++c) {
      const Real b_re = from_b[c] * b.moment_re[c], b_im = from_b[c] * b.moment_im[c];
      ab_re += a.moment_re[c] * b_re - a.moment_im[c] * b_im;
      ab_im += a.moment_re[c] * b_im + a.moment_im[c] * b_re;
      ad_re += a.moment_re[c] * d[c];
      ad_im += a.moment_im[c] * d[c];
      bd_re += b_re * d[c];
      bd_im += b_im * d[c];
    }
    const Real per_distance2 = 1 / distance2,
               along_re = (ad_re * bd_re - ad_im * bd_im) * per_distance2,
               along_im = (ad_re * bd_im + ad_im * bd_re) * per_distance2;
    const Real p = 1 - u * u, q = 1 - 3 * u * u;
    const Real sum_re = p * ab_re + u * ab_im - q * along_re - 3 * u * along_im,
               sum_im = p * ab_im - u * ab_re - q * along_im + 3 * u * along_re;
    const Real cosine = std::cos(kr) / distance, sine = std::sin(kr) / distance;
    re += cosine * sum_re + sine * sum_im;
    im += cosine * sum_im - sine * sum_re;
  }
}

/// The coupling of two groups, ohm: the sum of their dipoles' reactions.
Complex group_coupling(const DipoleGroups& groups, std::size_t a, std::size_t b,
                       double k_rad_per_m, Medium medium);

/// Returns the couplings of all pairs, [size][size], with zeros on the diagonal.
std::vector<Complex> group_couplings(const DipoleGroups& groups, double k_rad_per_m,
                                     Medium medium);

/// Computes the couplings on the GPU, in single precision: into z, which has
/// groups.size() rows and is stored in complex single.
void group_couplings(const DipoleGroups& groups, double k_rad_per_m, Medium medium,
                     DeviceTiles& z, const DeviceStream& stream);

}  // namespace thinwire
