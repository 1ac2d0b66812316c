#include "mom/system/host_fill.h"

#include "kernels/base/host_memory.h"
#include "kernels/fill/fill.h"

namespace thinwire {

bool wants_host_fill(std::span<const Element> elements, const Ground& ground) {
  return ground.kind == Ground::Kind::coefficients || any_buried(ground, elements);
}

void HostFill::fill(const Environment& environment, std::size_t taken_bytes,
                    std::span<Complex> z, const Monitor& monitor) {
  const Discretisation& antenna = input_.antenna;
  const Ground& ground = environment.ground;
  const double k = environment.k_rad_per_m;
  set_near_pairs(k, taken_bytes);
  FillInput fill = {antenna.elements(), antenna.basis().functions(), k,
                    input_.kernel(),    medium_of(ground),           near_.get()};
  ReflectingSurface surface;
  bool swept = false;
  if (ground.kind == Ground::Kind::sommerfeld) {
    prepare_sweep(ground, taken_bytes, monitor);
    swept = ground_sweep_.has_value();
    if (!swept) ground_.at(ground, k, monitor).put_in(fill);
  } else if (ground.kind == Ground::Kind::coefficients) {
    surface = reflecting_surface(ground, k);
    fill.surface = &surface;
  }
  fill_impedance(fill, z, monitor);
  if (swept) ground_sweep_->add_to(z, k);
}

/// Other loads or another ground leave the pairs as they are.
void HostFill::set_near_pairs(double k, std::size_t taken_bytes) {
  if (!near_)
    near_ = std::make_unique<NearPairTable>(
        input_.antenna.elements(), input_.wavenumbers, input_.kernel(), input_.medium,
        most_near_pair_bytes(host_memory().free, taken_bytes));
  if (k != near_k_rad_per_m_) near_->set_wavenumber(k);
  near_k_rad_per_m_ = k;
}

/// Once for every ground. As much memory as near pairs may take.
void HostFill::prepare_sweep(const Ground& ground, std::size_t taken_bytes,
                             const Monitor& monitor) {
  if (swept_ground_ == ground) return;
  ground_sweep_.reset();
  ground_sweep_ =
      GroundSweep::make(input_.antenna, ground, input_.wavenumbers, input_.kernel(),
                        most_near_pair_bytes(host_memory().free, taken_bytes), monitor,
                        input_.table_error());
  swept_ground_ = ground;
}

}  // namespace thinwire
