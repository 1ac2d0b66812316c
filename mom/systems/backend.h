#pragma once

#include <memory>
#include <span>
#include <string>

#include "kernels/fields/far_field.h"
#include "kernels/fields/near_field.h"
#include "mom/systems/system.h"

namespace thinwire {

/// Where a problem is solved: the CPU, or a GPU. Everything in mom/ that differs between
/// them is behind this.
class Backend {
 public:
  virtual ~Backend() = default;

  /// "cpu", "cuda:0 NVIDIA H200".
  virtual std::string name() const = 0;

  /// input's references must outlive the System.
  virtual std::unique_ptr<System> make_system(const SystemInput& input) const = 0;

  /// far_field.h and near_field.h, the sums taken here.
  virtual void far_field(const CurrentMoments& moments,
                         std::span<const Direction> directions, double k_rad_per_m,
                         std::span<Complex> e_theta_v,
                         std::span<Complex> e_phi_v) const = 0;
  virtual void electric_field(const NearFieldSources& sources,
                              std::span<const Vec3> points_m, double k_rad_per_m,
                              std::span<Complex> e_v_per_m) const = 0;
  virtual void magnetic_field(const NearFieldSources& sources,
                              std::span<const Vec3> points_m, double k_rad_per_m,
                              std::span<Complex> h_a_per_m) const = 0;

  /// About how many terms of a field (points times sources, directions times pieces) one
  /// call should sum: between calls the monitor is asked whether to stop.
  virtual double terms_at_once() const = 0;
  /// About how many terms the integral of the radiated power may sum.
  virtual double max_power_terms() const = 0;
};

/// The CPU with all threads of OpenMP.
const Backend& cpu_backend();

}  // namespace thinwire
