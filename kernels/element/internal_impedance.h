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

/// Returns the amplitude of the first harmonic of current around a round wire in a
/// transverse field, over that around a perfect conductor: 1 for small skin depths, 0 for
/// large ones without magnetic permeability. Arguments and errors as above, frequency_hz
/// > 0.
///
/// With x = gamma a it is (1 - z) / (1 + z), z = mu_r / (x I0(x) / I1(x) - 1) being the
/// ratio of E_z to j omega mu0 a H_phi on the surface, for cos phi.
std::complex<double> harmonic_amplitude(double frequency_hz, double radius_m,
                                        double conductivity_s_per_m,
                                        double relative_permeability);

}  // namespace thinwire
