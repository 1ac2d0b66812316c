#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cg/precondition/box_size.h"
#include "mom/problem/problem.h"

namespace thinwire {

/// Voltage, current and impedance at one source, peak values. The current includes that
/// into networks on the same segment. power_w = Re(V conj(I)) / 2.
struct PortResult {
  int tag = 0;
  std::int64_t segment = 0;       ///< counted within the tag from 1, as in NEC
  std::size_t segment_index = 0;  ///< into Structure::segments()
  Gap gap = Gap::segment;         ///< place on the segment
  Complex voltage_v, current_a, impedance_ohm;
  double power_w = 0;

  bool same_place(const PortResult& other) const {
    return gap == other.gap && segment_index == other.segment_index;
  }
};

/// Returns "start" or "end", or "" for a whole segment.
std::string_view gap_name(Gap gap);

/// Returns "tag 1 segment 6", or "tag 1 segment 6, end" for a gap at that end.
std::string place_name(int tag, std::int64_t segment, Gap gap);

/// Returns the name of a port: "1/6" for tag and segment, or "1/6 end" for a gap at that
/// end.
std::string port_name(const PortResult& port);

/// Far field of one PatternRequest. e_theta_v and e_phi_v are r E e^{+jkr} in volt,
/// [theta][phi] with phi fastest; gains are in dBi, of the power gain or, on request, the
/// directive gain. With an incident wave the field is the scattered field, and gain_dbi
/// is 10 log10 of the scattering cross section over the square of the wavelength.
struct PatternResult {
  PatternRequest request;
  std::vector<double> theta_deg, phi_deg;
  std::vector<Complex> e_theta_v, e_phi_v;
  std::vector<double> gain_dbi;  ///< total; -999.99 where nothing is radiated
  /// Power that gains refer to: the input power, the radiated power (directive gain) or,
  /// of an incident wave, the normalisation of the cross section.
  double reference_power_w = 0;
  /// Average gain over the region of the grid, if request.average asks for it or the grid
  /// covers the sphere (over ground, its upper half) once.
  std::optional<double> average_gain;
  double average_solid_angle_pi =
      0;  ///< solid angle of the region of the grid, in units of pi steradian
};

/// Derivatives, per unit of each parameter, of the maximum gain of a pattern and of its
/// front-to-back ratio, the maximum gain over the gain at theta and phi + 180 degrees.
/// The gain is the power gain, also where the pattern has the directive gain.
struct GainDerivatives {
  std::size_t pattern = 0;  ///< index into Run::patterns
  double theta_deg = 0, phi_deg = 0;
  double gain_dbi = 0;
  double front_to_back_db = 0;
  std::vector<double> gain_derivative_db, front_to_back_derivative_db;  ///< [parameters]
};

/// Near field of one NearFieldRequest: V/m or A/m, peak, x y z of every point, [3 points]
/// in the order of near_field_points() (near_field_request.h).
struct NearFieldResult {
  NearFieldRequest request;
  std::vector<Complex> field;
};

/// Maximum power transfer between two segments with simultaneous conjugate match.
struct CouplingResult {
  std::size_t segment_index[2] = {0, 0};  ///< into Structure::segments()
  /// Linville's stability factor; the coupling is defined only between 0 and 1.
  double linville = 0;
  double coupling_db = 0;
  Complex load_ohm;   ///< load on the second segment for maximum power transfer
  Complex input_ohm;  ///< input impedance at the first segment with that load
};

/// Report of a linear solver, one for each frequency.
struct SolverReport {
  std::string name;  ///< "direct", "cg", "cocg", "cocr", "gmres"
  std::string preconditioner;
  std::optional<BoxSize> boxes;         ///< size of overlapping blocks
  bool boxes_asked = false;             ///< whether Options::boxes gave that size
  std::size_t coarse_functions = 0;     ///< size of the coarse level; 0: none
  std::string operator_name = "dense";  ///< representation of Z
  /// Relative error of impedances because of a matrix-free operator Z', |I^T (Z - Z') I|
  /// / |V^T I|, estimated from rows of Z, and the standard error of that estimate; the
  /// largest of the first four right-hand sides. None for a dense matrix.
  std::optional<double> operator_error, operator_error_spread;
  std::string why;  ///< reason for the choice of `auto`; empty when the user chose
  int iterations = 0;
  double relative_residual =
      0;  ///< true residual, recomputed at the end; the largest of all right-hand sides
  bool converged = true;
  std::vector<double> residual_history;
  /// Input impedance of a single port at the same iterations; otherwise empty.
  std::vector<Complex> impedance_history_ohm;
  /// Estimated relative error of the currents at a frequency that a fast sweep modelled
  /// instead of solving. There is no residual then.
  std::optional<double> model_error;
};

struct FrequencyResult {
  std::size_t run = 0;  ///< index into Problem::runs
  double frequency_hz = 0;
  /// Incident wave of this result; none for runs with sources.
  std::optional<IncidentWave> wave;
  std::vector<PortResult> ports;
  /// The antenna's own voltage and current where networks connect: segments without a
  /// source first, as NEC lists them.
  std::vector<PortResult> network_ports;
  /// Open-circuit impedance matrix between the ports, V = Z I, [P][P] row-major in the
  /// order of `ports`; may be empty.
  std::vector<Complex> port_impedance_ohm;
  /// Derivatives of the impedances of `ports`, [parameters][P], ohm for each unit of the
  /// parameter; empty if Problem::parameters is empty.
  std::vector<Complex> impedance_derivative_ohm;
  std::vector<GainDerivatives>
      gain_derivatives;  ///< for each pattern of Mode::plain; empty as above
  /// Solution of Z I = V, [unknowns]; only with Options::keep_coefficients.
  std::vector<Complex> coefficients_a;
  std::vector<Complex> segment_current_a;       ///< at the NEC segment centres
  std::vector<Complex> segment_charge_c_per_m;  ///< at the same places
  std::vector<PatternResult> patterns;          ///< one for each request of the run
  std::vector<NearFieldResult> near_fields;     ///< one for each request of the run
  /// Coupling of the pairs of Run::coupling_segments, in the last of the runs that excite
  /// these segments.
  std::vector<CouplingResult> couplings;
  double input_power_w = 0;
  double loss_power_w = 0;  ///< in loads and conductors
  double network_loss_w = 0;
  /// Power through the far sphere; over ground, through its upper half. Empty if the
  /// integral would take too long.
  std::optional<double> radiated_power_w;
  SolverReport solver;
};

/// Returns a line with the residual at which the solver ended if the result missed the
/// tolerance, otherwise "". solve() adds it to the warnings, and every file format
/// contains it.
std::string missed_tolerance(const FrequencyResult& result);

/// Wall-clock seconds of each stage. read and write are filled in by the caller of
/// solve().
struct Timings {
  double read = 0, mesh = 0, fill = 0, factor = 0, solve = 0, post = 0, write = 0,
         total = 0;
};

/// All results of a Problem: frequencies in the order the deck runs them.
struct Solution {
  std::size_t segments = 0;
  std::size_t unknowns = 0;
  std::string device = "cpu";
  std::vector<std::string> warnings;
  std::vector<FrequencyResult> frequencies;
  Timings timings_s;
  /// Matrix of the run with a Run::matrix_file, for the caller to write; null: none.
  std::shared_ptr<const StoredMatrix> stored;
  /// Z of the last frequency, [unknowns][unknowns]; only with Options::save_matrix and
  /// without Options::matrix_sink.
  std::vector<Complex> impedance_matrix_ohm;
};

/// Returns "23 of 1000 frequencies were solved, the others are modelled within 3e-06", or
/// "" if all were solved.
std::string modelled_summary(const Solution& solution);

}  // namespace thinwire
