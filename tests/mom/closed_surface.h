#pragma once

#include <cmath>
#include <vector>

#include "kernels/base/constants.h"
#include "kernels/base/quadrature.h"
#include "mom/solve.h"

namespace thinwire::test {

/// A surface of rotation around the z axis, through which near fields carry power.
class SurfaceOfRotation {
 public:
  /// around: points on each ring; of fields that are symmetric in x and in y only a
  /// quarter of them, between the axes, are computed.
  explicit SurfaceOfRotation(int around, bool symmetric = false)
      : around_(around), count_(symmetric ? around / 4 : around) {}

  /// A ring at rho and z, of a normal in the plane of rho and z; band_m: what the surface
  /// is wide there.
  void add_ring(double rho_m, double z_m, double normal_rho, double normal_z,
                double band_m) {
    rings_.push_back({rho_m, z_m, normal_rho, normal_z, band_m});
  }
  /// Rings at Gauss nodes of a straight line from one (rho, z) to another. Power counts
  /// to the right of it, where rho points to the right and z up.
  void add_line(int order, double rho_0, double z_0, double rho_1, double z_1) {
    const GaussRule rule = gauss_rule(order);
    const double rho = rho_1 - rho_0, z = z_1 - z_0, length = std::hypot(rho, z);
    for (int i = 0; i < rule.points; ++i) {
      const double t = 0.5 * (1 + rule.node[i]);
      add_ring(rho_0 + t * rho, z_0 + t * z, z / length, -rho / length,
               0.5 * rule.weight[i] * length);
    }
  }

  /// Power, W, of the first frequency, whose result it returns too.
  double power_through(Problem problem, const Options& options,
                       FrequencyResult& result) const {
    std::vector<NearFieldRequest>& fields = problem.runs[0].near_fields;
    for (const Ring& ring : rings_)
      for (const auto field :
           {NearFieldRequest::Field::electric, NearFieldRequest::Field::magnetic})
        fields.push_back(request(ring, field));
    result = solve(problem, options).frequencies.at(0);
    double power = 0;
    for (std::size_t r = 0; r < rings_.size(); ++r) {
      const Ring& ring = rings_[r];
      double mean = 0;
      for (int i = 0; i < count_; ++i) {
        const double phi = step() * (i + 0.5);
        mean += density(&result.near_fields[2 * r].field[3 * i],
                        &result.near_fields[2 * r + 1].field[3 * i],
                        {ring.normal_rho * std::cos(phi), ring.normal_rho * std::sin(phi),
                         ring.normal_z}) /
                count_;
      }
      power += 2 * pi * ring.rho_m * ring.band_m * mean;
    }
    return power;
  }

 private:
  struct Ring {
    double rho_m, z_m, normal_rho, normal_z, band_m;
  };

  double step() const { return 2 * pi / around_; }

  NearFieldRequest request(const Ring& ring, NearFieldRequest::Field field) const {
    NearFieldRequest request = {.field = field,
                                .grid = NearFieldRequest::Grid::near_ground};
    request.count[1] = count_;
    request.start[0] = ring.z_m;
    request.start[1] = 0.5 * step() * 180 / pi;
    request.start[2] = ring.rho_m;
    request.step[1] = step() * 180 / pi;
    return request;
  }

  /// Along the unit vector n, W/m^2, of peak fields.
  static double density(const Complex* e, const Complex* h, Vec3 n) {
    const Complex flux = n.x * (e[1] * std::conj(h[2]) - e[2] * std::conj(h[1])) +
                         n.y * (e[2] * std::conj(h[0]) - e[0] * std::conj(h[2])) +
                         n.z * (e[0] * std::conj(h[1]) - e[1] * std::conj(h[0]));
    return 0.5 * flux.real();
  }

  int around_, count_;
  std::vector<Ring> rings_;
};

}  // namespace thinwire::test
