#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "kernels/fill/matrix_sweep.h"
#include "kernels/fill/near_pair_table.h"
#include "mom/media/ground_cache.h"
#include "mom/media/ground_sweep.h"
#include "mom/systems/system.h"

namespace thinwire {

/// Whether CPU cores compute the matrix wherever it is solved: over a ground by
/// reflection coefficients, and with wires in the ground.
bool wants_host_fill(std::span<const Element> elements, const Ground& ground);

/// The whole matrix as CPU cores compute it, over any ground; keeps from frequency to
/// frequency what they share.
class HostFill {
 public:
  /// make_fitter: where tables of the ground are made.
  explicit HostFill(const SystemInput& input, MakeBoxFitter make_fitter = cpu_box_fitter)
      : input_(input),
        ground_(input.discretization.elements(), input.wavenumbers, input.options.kernel,
                {input.table_error(), make_fitter}) {}

  /// Fills z (packed_tiles.h, ohm), without loads. taken_bytes: of the host's free memory
  /// will be wanted by others. Throws what the monitor does.
  void fill(const FillParameters& parameters, std::size_t taken_bytes,
            std::span<Complex> z, const Monitor& monitor);

  /// Share of the progress of a fill by rules() that rules() takes.
  static constexpr double rules_share = 0.5;
  /// Returns the input of fill_impedance and read_entries for any part of the matrix;
  /// valid until the next call and the next fill. It interpolates nothing over frequency.
  FillInput rules(const FillParameters& parameters, std::size_t taken_bytes,
                  const Monitor& monitor);

  /// Fills at these wave numbers come next: LineTable::at_once are interpolated together.
  void expect(std::span<const double> k_rad_per_m);

  /// Another one that shares the tables which interpolate over frequency.
  HostFill clone() const;
  /// Whether the last fill was interpolated altogether.
  bool interpolates() const { return by_sweep_; }

 private:
  void interpolate(double k_rad_per_m, std::span<Complex> z);
  void set_near_pairs(double k_rad_per_m, std::size_t taken_bytes,
                      const Monitor& monitor);
  /// Returns whether it may have sampled the matrix.
  bool prepare_sweeps(const Ground& ground, std::size_t taken_bytes,
                      const Monitor& monitor);

  SystemInput input_;
  std::unique_ptr<NearPairTable> near_;  ///< of all frequencies
  double near_k_rad_per_m_ = 0;          ///< the one that it is set to
  GroundCache ground_;
  bool by_sweep_ = false;
  /// The ground that the sweeps were tried for; each sweep is null where it does not pay.
  std::optional<Ground> swept_ground_;
  std::shared_ptr<const GroundSweep> ground_sweep_;
  std::shared_ptr<const MatrixSweep> matrix_sweep_;
  std::vector<double> expected_k_;  ///< at_once of them, or none
  std::vector<Complex> ahead_;      ///< their matrices, once filled
  bool ahead_filled_ = false;
};

}  // namespace thinwire
