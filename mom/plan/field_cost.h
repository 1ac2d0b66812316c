#pragma once

#include <cstddef>
#include <span>

#include "kernels/element/element.h"
#include "mom/problem/cpu_rates.h"

namespace thinwire {

/// Where fields are wanted, of all frequencies.
struct FieldPlaces {
  std::size_t directions = 0;  ///< of patterns over one ground, or none
  std::size_t directions_in_parts =
      0;                   ///< over a ground that changes from place to place (cliff.h)
  std::size_t points = 0;  ///< of near fields
  /// Solutions: of incident waves; with patterns; with near fields.
  std::size_t waves = 0, patterns = 0, near_fields = 0;
  /// Waves whose right-hand sides are formed; all, where none are interpolated.
  std::size_t formed_waves = 0;
  /// Vectors that the waves of a frequency are sums of, and complex numbers of fields
  /// that are such sums.
  std::size_t wave_rank = 0, summed = 0;
  double sum_flops = 0;  ///< of all sums, and of interpolation between waves
};

/// Number of terms in the sums of patterns and near fields.
struct FieldTerms {
  double far = 0;        ///< pieces of wire (kernels/fields/far_field.h) times directions
  double near = 0;       ///< elements times points
  double reflected = 0;  ///< pieces times directions of those in parts, on the CPU alone
  /// On the CPU, in `far`: excitations and currents of waves, moments and sources of
  /// fields, directions whatever the pieces.
  double beside = 0;
  double sum_flops = 0;  ///< as in FieldPlaces, on the CPU alone
};
/// At wave numbers up to k_rad_per_m.
FieldTerms field_terms(std::span<const Element> elements, double k_rad_per_m,
                       const FieldPlaces& places);

/// Predicted seconds; on a GPU without sums and what is reflected in parts.
double field_seconds_on_cpu(FieldTerms terms, const CpuRates& rates, int threads);
double sum_seconds(FieldTerms terms, const CpuRates& rates, int threads);
double reflected_seconds(FieldTerms terms, const CpuRates& rates, int threads);
double field_seconds_on_gpu(FieldTerms terms, double share);

}  // namespace thinwire
