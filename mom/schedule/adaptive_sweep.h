#pragma once

#include <complex>
#include <cstddef>
#include <vector>

#include "mom/schedule/rational_model.h"

namespace thinwire {

/// Solution at one frequency: for each right-hand side, [rhs_count], the currents'
/// coefficients, [unknowns], and the currents of the ports, [ports].
struct SweepSample {
  using Complex = std::complex<double>;
  std::vector<std::vector<Complex>> rhs;
  std::vector<std::vector<Complex>> port_current_a;
};

struct SweepControl {
  /// Largest relative error of a port's current and of the vector of coefficients with
  /// which fresh solutions are predicted when the sweep ends.
  double tolerance = 1e-5;
  double fit = 1e-10;  ///< of RationalModel, above the errors of the solutions
  /// Whether solutions are right to rounding, so that conductances can be watched too.
  bool to_rounding = true;
  double widest_gap_hz =
      0;  ///< between frequencies solved, where the list allows; 0: any
};

/// A frequency sweep that is solved at some of its frequencies and modelled at all others
/// by a RationalModel of the currents: those are analytic in the frequency but for the
/// poles that the antenna's resonances are.
///
/// The caller solves what next() asks for and hands it to add(), until nothing is asked.
/// After some spread over the range, the next two are where the last two models disagree
/// most, and the middle of the widest gap. The sweep ends when so many solutions in
/// a row were predicted within the tolerance, each by a model that did not know it, and
/// the last two models agree as well at all other frequencies. Where that does not come
/// before half of the frequencies are solved, all are asked for.
class AdaptiveSweep {
 public:
  using Complex = std::complex<double>;

  /// Sweeps of fewer have no model: all are solved.
  static constexpr std::size_t fewest_frequencies = 12;

  /// frequency_hz: ascending, none twice.
  AdaptiveSweep(std::vector<double> frequency_hz, SweepControl control);

  /// Indices into the frequencies; any order will do, and any number at a time.
  std::vector<std::size_t> next();
  /// A frequency that next() asked for. All samples have the same number of right-hand
  /// sides, ports and unknowns.
  void add(std::size_t index, SweepSample sample);

  bool solved(std::size_t index) const { return solved_[index] != 0; }
  std::size_t solved_count() const { return index_.size(); }
  /// Returns the coefficients of each right-hand side at a frequency that was not solved,
  /// [rhs_count][unknowns].
  std::vector<std::vector<Complex>> modelled(std::size_t index) const;
  /// Estimate of their relative error, that of the ports' currents included: how far the
  /// last two models are apart there, and at least how far the last solutions were off.
  double error(std::size_t index) const;

 private:
  double place(std::size_t index) const;
  double misprediction(std::size_t index, const SweepSample& sample) const;
  void update();
  std::vector<std::size_t> spread() const;
  std::size_t widest_gap(const std::vector<char>& taken) const;

  std::vector<double> frequency_hz_;
  SweepControl control_;
  RationalModel model_;
  std::vector<std::size_t> index_;    ///< of the samples
  std::vector<SweepSample> samples_;  ///< in the order of index_
  std::vector<char> solved_;          ///< [frequencies]
  std::vector<double> check_;         ///< mispredictions, one for each later sample
  /// Watched numbers at each frequency by the latest model, and the disagreement of the
  /// model before it.
  std::vector<std::vector<Complex>> watched_;
  std::vector<double> disagreement_;
  std::size_t known_ = 0;  ///< samples in the last model
};

}  // namespace thinwire
