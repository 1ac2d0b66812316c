#include "mom/systems/host_fill.h"

#include <algorithm>

#include "kernels/base/host_memory.h"
#include "kernels/fill/fill.h"

namespace thinwire {
namespace {

/// Share of the first fill's progress that sampling the matrix over frequency takes.
constexpr double sweep_share = 0.9;

}  // namespace

bool wants_host_fill(std::span<const Element> elements, const Ground& ground) {
  return ground.kind == Ground::Kind::coefficients || any_buried(ground, elements);
}

void HostFill::fill(const FillParameters& parameters, std::size_t taken_bytes,
                    std::span<Complex> z, const Monitor& monitor) {
  const Ground& ground = parameters.ground;
  const double k = parameters.k_rad_per_m;
  const bool sampled = prepare_sweeps(ground, taken_bytes, monitor.part(0, sweep_share));
  const Monitor filling = monitor.part(sampled ? sweep_share : 0, 1);
  by_sweep_ = matrix_sweep_ != nullptr;
  if (by_sweep_)
    interpolate(k, z);
  else
    fill_impedance(rules(parameters, taken_bytes, filling.part(0, rules_share)), z,
                   filling.part(rules_share, 1));
  if (ground_sweep_) ground_sweep_->add_to(z, k);
}

void HostFill::expect(std::span<const double> k) {
  ahead_filled_ = false;
  expected_k_.clear();
  if (k.size() == LineTable::at_once) expected_k_.assign(k.begin(), k.end());
}

void HostFill::interpolate(double k, std::span<Complex> z) {
  const auto found = std::find(expected_k_.begin(), expected_k_.end(), k);
  if (found == expected_k_.end()) return matrix_sweep_->fill(k, z);
  if (!ahead_filled_) {
    ahead_.resize(expected_k_.size() * z.size());
    matrix_sweep_->fill_at_once(expected_k_, ahead_);
    ahead_filled_ = true;
  }
  const auto at = static_cast<std::size_t>(found - expected_k_.begin());
  std::copy_n(&ahead_[at * z.size()], z.size(), z.begin());
}

HostFill HostFill::clone() const {
  HostFill other(input_);
  other.swept_ground_ = swept_ground_;
  other.ground_sweep_ = ground_sweep_;
  other.matrix_sweep_ = matrix_sweep_;
  return other;
}

/// All but what ground_sweep_ has.
FillInput HostFill::rules(const FillParameters& parameters, std::size_t taken_bytes,
                          const Monitor& monitor) {
  const Discretization& discretization = input_.discretization;
  const Ground& ground = parameters.ground;
  const double k = parameters.k_rad_per_m;
  set_near_pairs(k, taken_bytes, monitor);
  FillInput fill = {discretization.elements(),
                    discretization.basis().functions(),
                    k,
                    input_.options.kernel,
                    medium_of(ground),
                    near_.get()};
  if (!ground_sweep_) ground_.put_in(fill, ground, monitor);
  return fill;
}

/// Other loads or another ground leave the pairs as they are.
void HostFill::set_near_pairs(double k, std::size_t taken_bytes, const Monitor& monitor) {
  if (!near_)
    near_ = std::make_unique<NearPairTable>(
        input_.discretization.elements(), input_.wavenumbers, input_.options.kernel,
        input_.medium, max_near_pair_bytes(host_memory().free, taken_bytes), monitor);
  if (k != near_k_rad_per_m_) near_->set_wavenumber(k, monitor);
  near_k_rad_per_m_ = k;
}

/// Once for every ground. Each as much memory as near pairs may take.
bool HostFill::prepare_sweeps(const Ground& ground, std::size_t taken_bytes,
                              const Monitor& monitor) {
  if (swept_ground_ == ground) return false;
  const Discretization& discretization = input_.discretization;
  const auto max_bytes = [&] {
    return max_near_pair_bytes(host_memory().free, taken_bytes);
  };
  ground_sweep_.reset();
  matrix_sweep_.reset();
  ahead_filled_ = false;
  if (ground.kind == Ground::Kind::sommerfeld)
    ground_sweep_ = GroundSweep::make(discretization, ground, input_.wavenumbers,
                                      input_.options.kernel, max_bytes(),
                                      monitor.part(0, 0.5), input_.table_error());
  if (!ground.is_real() || ground_sweep_)
    matrix_sweep_ =
        MatrixSweep::make(discretization.elements(), discretization.basis().functions(),
                          input_.wavenumbers, input_.options.kernel, medium_of(ground),
                          max_bytes(), monitor.part(ground_sweep_ ? 0.5 : 0, 1));
  swept_ground_ = ground;
  // A GroundSweep that did not hold was sampled too.
  return matrix_sweep_ ||
         (ground.kind == Ground::Kind::sommerfeld && input_.wavenumbers.count > 1);
}

}  // namespace thinwire
