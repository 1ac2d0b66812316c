#pragma once

#include <cstddef>
#include <span>

#include "kernels/element/element.h"
#include "mom/problem/cpu_rates.h"
#include "mom/problem/ground.h"

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

// A real ground's costs are those of one thread of the CPU that CpuRates() describes.

/// Cost of a real ground's table (ground_table.h) at one wave number.
struct GroundCost {
  std::size_t table_bytes = 0;
  double table_s = 0;
};

/// Predicted, of GN 2 and of currents above the surface, for most antennas within a
/// factor of 1.5; of arrays low over water the bytes are up to three times as many.
/// Nothing where no element is above.
GroundCost ground_cost(std::span<const Element> elements, const Ground& ground,
                       double k_rad_per_m);

/// Cost of wires in the ground beside that at one wave number, on the CPU whatever
/// solves: the tables below the surface and across it, and the matrix's entries, near
/// pairs and far ones.
struct BuriedCost {
  std::size_t table_bytes = 0;
  double table_s = 0, fill_s = 0;
};

/// Predicted, of GN 2: for most antennas within a factor of two; of rods in sea water
/// fill_s is too small. Nothing where no element is below.
BuriedCost buried_cost(std::span<const Element> elements, const Ground& ground,
                       double k_rad_per_m);

/// Seconds on so many threads of this CPU over those of one thread of CpuRates().
double share_of_one_thread(const CpuRates& rates, int threads);

/// Predicts the seconds of a table of this size made on an H200 and copied to the host;
/// from five grounds (`gpu_solve table`).
double table_seconds_on_gpu(std::size_t bytes);

/// Points of near fields over GN 2, of all solutions.
struct GroundPoints {
  std::size_t in_air = 0;   ///< of wires in the air (ground_field.h)
  std::size_t through = 0;  ///< that the ground's inside has a part in (buried_field.h)
  bool in_volumes = false;  ///< at several heights
};

/// Predicted seconds of what the ground adds to the near fields of so many solutions, on
/// the CPU whatever solves: for most within a factor of 2; too many for lines of points
/// and small volumes.
double ground_field_seconds(std::size_t elements, const GroundPoints& points,
                            std::size_t solutions);

}  // namespace thinwire
