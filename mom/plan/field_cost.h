#pragma once

#include <cstddef>
#include <span>

#include "kernels/element/element.h"
#include "mom/cpu_rates.h"

namespace thinwire {

/// What patterns and near fields are sums over.
struct FieldTerms {
  double far = 0;   ///< pieces of wire (kernels/fields/far_field.h) times directions
  double near = 0;  ///< elements times points
};
/// Of so many directions and points in all, at wave numbers up to k_rad_per_m.
FieldTerms field_terms(std::span<const Element> elements, double k_rad_per_m,
                       std::size_t directions, std::size_t points);

/// Predicted seconds.
double field_seconds_on_cpu(FieldTerms terms, const CpuRates& rates, int threads);
double field_seconds_on_gpu(FieldTerms terms, double share);

}  // namespace thinwire
