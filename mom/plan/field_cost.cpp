#include "mom/plan/field_cost.h"

#include "kernels/fields/far_field.h"
#include "mom/media/cliff.h"
#include "mom/plan/cost_model.h"

namespace thinwire {
namespace {

/// A term of a near field in those of the far field: NE and NH at 16,384 points of 201
/// segments took 0.18 and 0.15 s on one thread, where the far field does 1.5e8 a second.
constexpr double cpu_near_in_far = 7.5;

/// A reflected term of a pattern in parts likewise: 12 over an edge, 21 over a radial
/// screen too, 40 wires of 147 pieces and 16,200 directions on one thread.
constexpr double cpu_reflected_in_far = 15;

/// Work beside the terms, in terms of the far field: for a wave, for each element of a
/// wave, of a pattern and of a near field, for a direction. Dipoles and arrays, one
/// thread.
constexpr double wave_in_far = 1000, wave_element_in_far = 6, pattern_element_in_far = 75,
                 near_element_in_far = 100, direction_in_far = 25;

constexpr double gpu_far_field_s = 1.7e-11, gpu_near_field_s = 6.1e-11;

}  // namespace

FieldTerms field_terms(std::span<const Element> elements, double k_rad_per_m,
                       const FieldPlaces& places) {
  const auto pieces_times = [&](std::size_t directions, double longest_rad) {
    if (directions == 0) return 0.0;
    return static_cast<double>(piece_count(elements, k_rad_per_m, longest_rad)) *
           static_cast<double>(directions);
  };
  FieldTerms terms;
  terms.reflected = pieces_times(places.directions_in_parts, piece_in_parts_rad);
  terms.far = pieces_times(places.directions, 1) + terms.reflected;
  const auto count = static_cast<double>(elements.size());
  terms.near = count * static_cast<double>(places.points);
  terms.beside = wave_in_far * static_cast<double>(places.waves) +
                 wave_element_in_far * count * static_cast<double>(places.formed_waves) +
                 pattern_element_in_far * count * static_cast<double>(places.patterns) +
                 near_element_in_far * count * static_cast<double>(places.near_fields) +
                 direction_in_far *
                     static_cast<double>(places.directions + places.directions_in_parts);
  terms.sum_flops = places.sum_flops;
  terms.beside += direction_in_far * 0.5 * static_cast<double>(places.summed);
  return terms;
}

double field_seconds_on_cpu(FieldTerms terms, const CpuRates& rates, int threads) {
  return (terms.far + cpu_near_in_far * terms.near + terms.beside) /
             (rates.field_terms_per_s * rates.computing_of(threads)) +
         sum_seconds(terms, rates, threads) + reflected_seconds(terms, rates, threads);
}

double sum_seconds(FieldTerms terms, const CpuRates& rates, int threads) {
  return terms.sum_flops /
         (cpu_many_rhs_share * rates.factor_flops_per_s * rates.computing_of(threads));
}

double reflected_seconds(FieldTerms terms, const CpuRates& rates, int threads) {
  return cpu_reflected_in_far * terms.reflected /
         (rates.field_terms_per_s * rates.computing_of(threads));
}

double field_seconds_on_gpu(FieldTerms terms, double share) {
  return (gpu_far_field_s * terms.far + gpu_near_field_s * terms.near) / share;
}

}  // namespace thinwire
