#include "kernels/element/internal_impedance.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "kernels/base/constants.h"
#include "kernels/base/error.h"

namespace thinwire {
namespace {

using Complex = std::complex<double>;

struct Reference {
  double size;    // |gamma a|
  Complex ratio;  // z I0(z) / (2 I1(z)), z = size e^{j pi / 4}: Z' over its dc value
};

// Made with Python's mpmath 1.3.0, for each size x as a string:
//   mp.mp.dps = 60; z = mp.mpf(x) * mp.expjpi(mp.mpf(1) / 4)
//   r = mp.besseli(0, z) / mp.besseli(1, z)            # x < 2000
//   r = mp.hyp2f0(.5, .5, 1/(2*z)) / mp.hyp2f0(-.5, 1.5, 1/(2*z))  # x > 2000
//   v = z * r / 2; print(mp.nstr(v.real, 20), mp.nstr(v.imag, 20))
const Reference references[] = {
    {1e-6, {1.0, 1.25e-13}},
    {1e-3, {1.0000000000000052083, 1.2499999999999967448e-7}},
    {0.1, {1.0000005208331163195, 0.0012499996744793136031}},
    {0.5, {1.0003254360866677023, 0.031244915171490793065}},
    {1, {1.0051867313921381781, 0.12467594176149290378}},
    {2, {1.0781587461306227583, 0.48056755967388844701}},
    {3.4, {1.4557037518051500212, 1.1296266961272495491}},
    {5, {2.042725062456288214, 1.7374003746597376909}},
    {8, {3.0944456685854092482, 2.8085757829962702122}},
    {12, {4.5035655301536481069, 4.2301925093872048803}},
    {16, {5.9150911411532154832, 5.6477937294241441507}},
    {20, {7.3276723505031662651, 7.0639484327238731226}},
    {21, {7.6809135402504575955, 7.4178639820852138589}},
    {22, {8.0341828037005677522, 7.7717445274348176092}},
    {25, {9.0941257828114872404, 8.8332204054760988207}},
    {30, {10.861014142702791061, 10.601967552814881405}},
    {100, {35.606664706243287267, 35.353994310166247996}},
    {1e3, {353.80352317562079759, 353.55325782307827582}},
    {1e4, {3535.7839191909895952, 3535.5338926726103007}},
    {1e6, {353553.64059340634472, 353553.39059314117949}},
};

constexpr double radius_m = 1e-3, frequency_hz = 1e6;

double conductivity_for(double size, double relative_permeability) {
  const double inverse_skin_depth = size / std::sqrt(2.0) / radius_m;
  return inverse_skin_depth * inverse_skin_depth /
         (pi * frequency_hz * mu0_h_per_m * relative_permeability);
}

TEST(InternalImpedance, AgreesWithMpmath) {
  for (const auto& [size, ratio] : references)
    for (const double permeability : {1.0, 250.0}) {
      const double conductivity = conductivity_for(size, permeability);
      const Complex got = internal_impedance_ohm_per_m(frequency_hz, radius_m,
                                                       conductivity, permeability) *
                          (pi * radius_m * radius_m * conductivity);
      // Part by part: the inductance is to be right even where resistance hides it.
      EXPECT_NEAR(got.real(), ratio.real(), 1e-12 * ratio.real()) << size;
      EXPECT_NEAR(got.imag(), ratio.imag(), 1e-12 * ratio.imag()) << size;
    }
}

TEST(InternalImpedance, SeriesAndAsymptoticsMeet) {
  const auto at = [](double size) {
    return internal_impedance_ohm_per_m(frequency_hz, radius_m, conductivity_for(size, 1),
                                        1);
  };
  const Complex below = at(30 * (1 - 1e-13)), above = at(30 * (1 + 1e-13));
  EXPECT_LE(std::abs(above - below), 1e-12 * std::abs(above));
}

TEST(InternalImpedance, CopperWireAtRadioFrequency) {
  // delta = 66.1 um at 1 MHz; R' a little above 1 / (2 pi a sigma delta) = 41.6 mohm/m.
  const Complex z = internal_impedance_ohm_per_m(1e6, 1e-3, 5.8e7, 1);
  const double delta_m = 1 / std::sqrt(pi * 1e6 * mu0_h_per_m * 5.8e7);
  const double surface_ohm_per_m = 1 / (2 * pi * 1e-3 * 5.8e7 * delta_m);
  EXPECT_NEAR(surface_ohm_per_m, 41.5e-3, 0.2e-3);
  // Next term of the expansion in delta / a: + 1 / (4 pi a^2 sigma).
  EXPECT_NEAR(z.real(), surface_ohm_per_m + 1 / (4 * pi * 1e-6 * 5.8e7), 1e-4);
  EXPECT_NEAR(z.imag(), surface_ohm_per_m, 1e-4);
}

TEST(InternalImpedance, DirectCurrentIsTheResistance) {
  const Complex z = internal_impedance_ohm_per_m(0, 1e-3, 5.8e7, 1);
  EXPECT_DOUBLE_EQ(z.real(), 1 / (pi * 1e-6 * 5.8e7));
  EXPECT_EQ(z.imag(), 0);
}

TEST(InternalImpedance, HarmonicAmplitudeIsThatOfBesselFunctions) {
  // (1 - z) / (1 + z), z = mu_r I1(x) / (x I1'(x)), x = (1 + j) a / delta, by scipy.
  struct Case {
    double frequency_hz, sigma, mu_r;
    Complex amplitude;
  };
  for (const Case& c :
       {Case{1091.8230995941572, 5.8e7, 1, {0.005169964468619716, 0.06205572545624522}},
        {109182.3099594157, 5.8e7, 1, {0.7993628475826329, 0.17951722999070743}},
        {43672923.98376627, 5.8e7, 1, {0.9899999368701184, 0.009949937504985686}},
        {1013.2118364233779, 1e7, 100, {-0.9692959414734452, 0.03376834238372566}}})
    EXPECT_LT(
        std::abs(harmonic_amplitude(c.frequency_hz, 1e-3, c.sigma, c.mu_r) - c.amplitude),
        1e-8)
        << c.frequency_hz;
}

TEST(InternalImpedance, RefusesWhatIsNotAWire) {
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_THROW(internal_impedance_ohm_per_m(-1, 1e-3, 1e7, 1), Error);
  EXPECT_THROW(internal_impedance_ohm_per_m(1e6, 0, 1e7, 1), Error);
  EXPECT_THROW(internal_impedance_ohm_per_m(1e6, 1e-3, inf, 1), Error);
  EXPECT_THROW(internal_impedance_ohm_per_m(1e6, 1e-3, 0, 1), Error);
  EXPECT_THROW(internal_impedance_ohm_per_m(1e6, 1e-3, 1e7, NAN), Error);
}

}  // namespace
}  // namespace thinwire
