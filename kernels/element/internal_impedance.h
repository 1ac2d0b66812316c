#pragma once

#include <complex>

namespace thinwire {

/// Internal impedance of a round wire per metre, ohm/m, with e^{+jwt}:
///   Z' = gamma I0(gamma a) / (2 pi a sigma I1(gamma a)),   gamma = (1 + j) / delta,
/// delta = 1 / sqrt(pi f mu0 mu_r sigma) the skin depth (Ramo, Whinnery, Van Duzer,
/// Fields and Waves in Communication Electronics, section 4.9). Exact for a current that
/// is uniform around the wire: from 1 / (pi a^2 sigma) at low frequency to
/// (1 + j) / (2 pi a sigma delta) at high.
///
/// Relative error at most 1e-12 for |gamma a| from 1e-6 to 1e6. frequency_hz >= 0 (0 is
/// the direct-current resistance); radius_m, conductivity_s_per_m, relative_permeability
/// > 0 and finite. Throws Error{numeric} otherwise.
std::complex<double> internal_impedance_ohm_per_m(double frequency_hz, double radius_m,
                                                  double conductivity_s_per_m,
                                                  double relative_permeability);

}  // namespace thinwire
