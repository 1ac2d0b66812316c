#include "mom/plan/field_cost.h"

#include "kernels/fields/far_field.h"

namespace thinwire {
namespace {

/// A term of a near field in those of the far field: NE and NH at 16,384 points of 201
/// segments took 0.18 and 0.15 s on one thread, where the far field does 1.5e8 a second.
constexpr double cpu_near_in_far = 7.5;

constexpr double gpu_far_s = 1.7e-11, gpu_near_s = 6.1e-11;

}  // namespace

FieldTerms field_terms(std::span<const Element> elements, double k_rad_per_m,
                       std::size_t directions, std::size_t points) {
  FieldTerms terms;
  if (directions > 0)
    terms.far = static_cast<double>(piece_count(elements, k_rad_per_m)) *
                static_cast<double>(directions);
  terms.near = static_cast<double>(elements.size()) * static_cast<double>(points);
  return terms;
}

double field_seconds_on_cpu(FieldTerms terms, const CpuRates& rates, int threads) {
  return (terms.far + cpu_near_in_far * terms.near) /
         (rates.field_terms_per_s * rates.computing_of(threads));
}

double field_seconds_on_gpu(FieldTerms terms, double share) {
  return (gpu_far_s * terms.far + gpu_near_s * terms.near) / share;
}

}  // namespace thinwire
