// Wires in the ground send and receive: given currents, no solve.
#include <array>
#include <cmath>

#include <gtest/gtest.h>

#include "kernels/base/constants.h"
#include "mom/excitation/incident_field.h"
#include "mom/postprocess/near_fields.h"
#include "mom/postprocess/radiation.h"
#include "tests/mom/wire_antennas.h"

namespace thinwire {
namespace {

constexpr double k = 2 * pi;

/// A bent wire through the surface and one that lies in the ground, wavelength 1 m.
struct Buried {
  Structure structure;
  Discretization where;
  std::vector<Complex> coefficients;

  Buried() : structure(wires()), where(structure, options()) {
    for (std::size_t n = 0; n < where.unknowns(); ++n) {
      const double x = static_cast<double>(n);
      coefficients.emplace_back(std::cos(0.7 * x), std::sin(1.3 * x + 0.2));
    }
  }

 private:
  static Structure wires() {
    Structure s;
    s.add_wire(1, 5, {0.02, 0, 0.2}, {0, 0, 0}, 1e-3);
    s.add_wire(2, 5, {0, 0, 0}, {0, 0.01, -0.1}, 1e-3);
    s.add_wire(3, 7, {0, 0.01, -0.1}, {0.15, 0.05, -0.1}, 1e-3);
    return s;
  }
  static MeshOptions options() {
    MeshOptions mesh;
    mesh.wires_below = true;
    return mesh;
  }
};

TEST(BuriedWaves, AreReceivedAsTheyAreSent) {
  // Reciprocity, as IncidentField.ReceivesWhatItTransmits.
  const Buried wires;
  for (const Ground& ground : {Ground::sommerfeld(13, 0.05), Ground::sommerfeld(4, 0)}) {
    const Radiation radiation(wires.where, wires.coefficients, test::one_metre_wave_hz,
                              GreensKernel::exact, ground);
    const IncidentField incident(wires.where, k, GreensKernel::exact, ground);
    for (const double theta_deg : {0.0, 35.0, 70.0, 88.0}) {
      PatternRequest request = {.theta_start_deg = theta_deg, .phi_start_deg = 50};
      const PatternResult sent = radiation.pattern(request, 1, 0);
      for (const double eta_deg : {0.0, 90.0}) {
        IncidentWave wave;
        wave.theta_deg = theta_deg;
        wave.phi_deg = 50;
        wave.eta_deg = eta_deg;
        const std::vector<Complex> v = incident.excitation(wave);
        Complex received = 0;
        for (std::size_t n = 0; n < v.size(); ++n)
          received += wires.coefficients[n] * v[n];
        const Complex field = eta_deg == 0 ? sent.e_theta_v[0] : sent.e_phi_v[0];
        EXPECT_LT(std::abs(received - field * 4.0 * pi / Complex(0, -k * eta0_ohm)),
                  1e-9 * std::abs(received))
            << theta_deg << ' ' << eta_deg;
      }
    }
  }
}

/// The field at r from the origin as a pattern has it: E_theta, E_phi, volt. n: the
/// refractive index where it is.
std::array<Complex, 2> as_pattern(const NearFields& near, double r, double theta,
                                  double phi, double n) {
  const double st = std::sin(theta), ct = std::cos(theta), sp = std::sin(phi),
               cp = std::cos(phi);
  NearFieldRequest at;
  at.field = NearFieldRequest::Field::electric;
  at.start[0] = r * st * cp;
  at.start[1] = r * st * sp;
  at.start[2] = r * ct;
  const std::vector<Complex> e = near.field(at).field;
  const Complex back = r * std::sqrt(n) * std::polar(1.0, n * k * r);
  return {back * (ct * cp * e[0] + ct * sp * e[1] - st * e[2]),
          back * (cp * e[1] - sp * e[0])};
}

TEST(BuriedWaves, AreTheNearFieldFarAway) {
  const Buried wires;
  const Ground ground = Ground::sommerfeld(4, 0);
  const Radiation radiation(wires.where, wires.coefficients, test::one_metre_wave_hz,
                            GreensKernel::exact, ground);
  const NearFields near(wires.where, wires.coefficients, test::one_metre_wave_hz,
                        GreensKernel::exact, ground);
  for (const double theta_deg : {60.0, 160.0}) {
    PatternRequest request = {.theta_start_deg = theta_deg, .phi_start_deg = 40};
    const PatternResult far = radiation.pattern(request, 1, 0);
    const double theta = theta_deg * pi / 180, phi = 40 * pi / 180;
    const double n = theta_deg > 90 ? 2 : 1;
    // The remainder falls as 1/r: 2e-3 at 1,000 wavelengths.
    const auto nearer = as_pattern(near, 250, theta, phi, n),
               farther = as_pattern(near, 1000, theta, phi, n);
    const double size = std::hypot(std::abs(far.e_theta_v[0]), std::abs(far.e_phi_v[0]));
    const auto limit = [&](int c) { return (4.0 * farther[c] - nearer[c]) / 3.0; };
    EXPECT_LT(std::abs(limit(0) - far.e_theta_v[0]), 1e-4 * size) << theta_deg;
    EXPECT_LT(std::abs(limit(1) - far.e_phi_v[0]), 1e-4 * size) << theta_deg;
  }
}

TEST(BuriedWaves, NearFieldsOfSeveralSolutionsAreThoseOfEachAlone) {
  const Buried wires;
  const std::size_t n = wires.where.unknowns();
  std::vector<Complex> coefficients;
  for (int s = 0; s < 3; ++s)
    for (std::size_t i = 0; i < n; ++i)
      coefficients.push_back(wires.coefficients[(i + 5 * s) % n] * Complex(1, s));
  const std::vector<Vec3> points = {
      {0.3, 0.1, 0.2}, {0.05, -0.1, -0.2}, {0.1, 0.2, 0}, {-0.4, 0, -0.02}};
  for (const Ground& ground :
       {Ground::none, Ground::sommerfeld(13, 0.05), Ground::sommerfeld(4, 0)}) {
    const auto near = [&](std::span<const Complex> of) {
      return NearFields(wires.where, of, test::one_metre_wave_hz, GreensKernel::exact,
                        ground);
    };
    for (const auto which :
         {NearFieldRequest::Field::electric, NearFieldRequest::Field::magnetic}) {
      const std::vector<Complex> all = near(coefficients).field(which, points);
      ASSERT_EQ(all.size(), 3 * 3 * points.size());
      for (std::size_t s = 0; s < 3; ++s) {
        const std::vector<Complex> alone =
            near(std::span(coefficients).subspan(s * n, n)).field(which, points);
        for (std::size_t p = 0; p < points.size(); ++p) {
          double size = 0, error = 0;
          for (std::size_t c = 3 * p; c < 3 * p + 3; ++c) {
            size += std::norm(alone[c]);
            error += std::norm(all[s * alone.size() + c] - alone[c]);
          }
          EXPECT_LT(error, 1e-24 * size) << s << ' ' << p;
        }
      }
    }
  }
}

}  // namespace
}  // namespace thinwire
