#include "mom/schedule/frequency_results.h"

#include <algorithm>
#include <cmath>
#include <future>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "kernels/base/constants.h"
#include "kernels/base/error.h"
#include "kernels/base/started.h"
#include "kernels/base/stopwatch.h"
#include "mom/excitation/excitation.h"
#include "mom/excitation/incident_field.h"
#include "mom/excitation/port_solution.h"
#include "mom/gradients/run_gradients.h"
#include "mom/postprocess/cavity.h"
#include "mom/postprocess/near_fields.h"
#include "mom/postprocess/polarization.h"
#include "mom/postprocess/power.h"
#include "mom/postprocess/radiation.h"
#include "mom/schedule/received_waves.h"

namespace thinwire {
namespace {

/// Where no pattern is asked for, the power balance may take so many terms of the far
/// field, and as many more as there are entries of the matrix: 20 ms or a fifth of the
/// solve.
constexpr double few_terms = 1e6;
/// Terms for each unknown where Z is never formed.
constexpr double few_terms_an_unknown = 200;
/// Input, radiated and lost power that differ by more than this fraction are warned of.
constexpr double largest_imbalance = 1e-3;
/// Energy in a closed grid, over that fed in per radian, that is warned of.
constexpr double max_stored_radians = 1;
/// Efficiency from which the radiated power may follow from the power balance.
constexpr double min_efficiency = 0.1;

/// Relative error of impedances by rounding from which on it is warned of.
constexpr double max_rounding = 1e-3;

/// Resistance over reactance below which rounding decides. A dipole of 1 m is right to 1
/// % at 4e-20 and wrong at 2e-23 (100 and 10 Hz). Around a loop the charges' part of the
/// voltage cancels: one of 4 m is right to 0.1 % at 1e-10 and wrong at 8e-13 (100 and
/// 10 kHz).
constexpr double min_capacitive = 1e-20, min_inductive = 1e-11;

/// Returns the index of a direction, which is added where it is not yet there.
std::size_t index_in(std::vector<Direction>& directions, Direction wanted) {
  const auto same = [&wanted](Direction d) {
    return d.theta == wanted.theta && std::remainder(d.phi - wanted.phi, 2 * pi) == 0;
  };
  const auto known = std::ranges::find_if(directions, same);
  const auto index = static_cast<std::size_t>(known - directions.begin());
  if (known == directions.end()) directions.push_back(wanted);
  return index;
}

class PostProcessor {
 public:
  PostProcessor(const SolveContext& context, const ReadyFrequency& ready,
                const Monitor& monitor, FrequencyOutcome& outcome)
      : context_(context),
        ready_(ready),
        run_(context.run(ready.run)),
        antenna_(context.discretization(ready.run)),
        k_rad_per_m_(wavenumber_rad_per_m(ready.frequency_hz)),
        monitor_(monitor),
        outcome_(outcome) {}

  void add_all() {
    const Ports ports(antenna_, run_.sources, run_.networks, k_rad_per_m_);
    FrequencyResult result;
    result.run = ready_.run;
    result.frequency_hz = ready_.frequency_hz;
    if (run_.waves)
      receive(*run_.waves, ports, result);
    else
      transmit(ports, std::move(result));
  }

 private:
  /// For a run's sources and networks.
  void transmit(const Ports& ports, FrequencyResult result) {
    constexpr std::size_t many_unknowns = 10'000;
    if (may_enclose_space() && antenna_.unknowns() > many_unknowns)
      cavity_ = started([this] { return cavity(); });  // beside the solve
    const bool wants_matrix = context_.options().port_matrix;
    const VariedStructures& varied = context_.varied();
    PortSolution solution;
    const bool by_voltages = driven_by_voltages(ports) && !wants_matrix && varied.empty();
    if (ports.count() == 1 && ports.networks().empty())
      ready_.currents.feeds(by_voltages ? ports.sources().front().voltage_v : 1);
    if (by_voltages) {
      solution = solve_voltages(ports, solve_rhs());
    } else {
      const PortSolver solver(ports, solve_rhs());
      solution = solver.transmitting();
      if (wants_matrix) result.port_impedance_ohm = solver.impedance_matrix();
      if (!varied.empty()) {
        const PortSolution kept = solution;
        add_transmitted(std::move(solution), std::move(result));
        add_gradients(ports, solver, kept);
        return;
      }
    }
    add_transmitted(std::move(solution), std::move(result));
  }

  /// To the last result: towards the maxima of its plain patterns, and backwards where
  /// that is wanted. Patterns may share directions: each is solved for once.
  void add_gradients(const Ports& ports, const PortSolver& solver,
                     const PortSolution& solution) {
    const Stopwatch watch(outcome_.timings_s.post);
    FrequencyResult& result = outcome_.results.back();
    const bool wants_ratio =
        context_.derivatives_of() == GainDerivativesOf::gain_and_ratio;
    std::vector<Direction> directions;
    std::vector<std::size_t> fronts,
        backs;  // of result.gain_derivatives, into directions
    for (std::size_t p = 0; p < result.patterns.size(); ++p) {
      const PatternResult& pattern = result.patterns[p];
      const PatternPeak peak = pattern_peak(pattern);
      if (pattern.request.mode != PatternRequest::Mode::plain ||
          peak.gain_dbi == gain_floor_db)
        continue;
      GainDerivatives derivatives;
      derivatives.pattern = p;
      derivatives.theta_deg = peak.theta_deg;
      derivatives.phi_deg = peak.phi_deg;
      const double theta = peak.theta_deg * (pi / 180), phi = peak.phi_deg * (pi / 180);
      fronts.push_back(index_in(directions, {theta, phi}));
      if (wants_ratio)
        backs.push_back(index_in(
            directions, {run_.ground == Ground::none ? pi - theta : theta, phi + pi}));
      result.gain_derivatives.push_back(std::move(derivatives));
    }
    ready_.currents.watch(field_monitor(run_.patterns.size() + run_.near_fields.size()));
    RunGradients gradients =
        run_gradients({antenna_, run_, context_.options().kernel, ready_.frequency_hz,
                       ready_.run, context_.varied(), ports, solver, solution},
                      directions, solve_rhs());
    result.impedance_derivative_ohm = std::move(gradients.impedance_ohm);
    for (std::size_t i = 0; i < result.gain_derivatives.size(); ++i) {
      GainDerivatives& derivatives = result.gain_derivatives[i];
      const GainGradient& front = gradients.gain[fronts[i]];
      derivatives.gain_dbi = front.gain_dbi;
      derivatives.gain_derivative_db = front.derivative_db;
      if (!wants_ratio) continue;
      const GainGradient& back = gradients.gain[backs[i]];
      derivatives.front_to_back_db = front.gain_dbi - back.gain_dbi;
      for (std::size_t v = 0; v < front.derivative_db.size(); ++v)
        derivatives.front_to_back_derivative_db.push_back(front.derivative_db[v] -
                                                          back.derivative_db[v]);
    }
  }

  /// For incident waves: a result for each. The currents of waves in shorted ports are
  /// superposed with those of the circuit at the ports, and their fields likewise.
  void receive(const IncidentWaves& waves, const Ports& ports,
               const FrequencyResult& result) {
    const IncidentField field(antenna_, k_rad_per_m_, context_.options().kernel,
                              run_.ground);
    const PortSolver circuit(ports, solve_rhs());
    const WaveRecords records(context_, ready_.run, ready_.frequency_hz, ports,
                              ready_.loads);
    const std::size_t before = outcome_.results.size();
    const double solved_before_s = outcome_.timings_s.solve;
    double solve_s = 0, all_s = 0;
    {
      const Stopwatch watch(all_s);
      std::vector<Complex> for_one_volt(ports.count() * records.size());
      for (std::size_t p = 0; p < ports.count(); ++p)
        records.compute(
            circuit.for_one_volt()[p],
            std::span(for_one_volt).subspan(p * records.size(), records.size()),
            monitor_.silent());
      outcome_.results.resize(before + waves.count(), result);
      ReceivedWaves received(waves, field, antenna_, k_rad_per_m_, records,
                             ready_.currents, context_.options(), solve_s);
      received.compute(
          [&](const ReceivedWaves::Received& wave) {
            FrequencyResult& to = outcome_.results[before + wave.wave];
            to.wave = waves.at(wave.wave);
            add_received(circuit, records, for_one_volt, wave, to);
          },
          monitor_);
    }
    outcome_.timings_s.post += all_s - solve_s;
    // In the place of what the system has added.
    outcome_.timings_s.solve = solved_before_s + solve_s;
    for (std::size_t i = before; i < outcome_.results.size(); ++i)
      check_ports(outcome_.results[i]);
  }

  /// Completes the result of a wave from its record with all ports shorted. for_one_volt:
  /// records for one volt at each port.
  void add_received(const PortSolver& circuit, const WaveRecords& records,
                    std::span<const Complex> for_one_volt,
                    const ReceivedWaves::Received& wave, FrequencyResult& result) const {
    const std::span<Complex> record = wave.record;
    const auto current_a = record.first(records.ports());
    Circuit::State state = circuit.receiving(current_a);
    for (std::size_t p = 0; p < records.ports(); ++p)
      for (std::size_t i = 0; i < record.size(); ++i)
        record[i] += state.voltage_v[p] * for_one_volt[p * record.size() + i];
    records.add_to(result, record);
    result.solver = ready_.currents.report();
    if (wave.residual >= 0) {
      result.solver.relative_residual = wave.residual;
      result.solver.converged = wave.residual <= context_.options().tolerance;
      result.solver.residual_history.clear();  // those of another right-hand side
      result.solver.impedance_history_ohm.clear();
    }
    add_ports(circuit.received(std::move(state), current_a), result);
  }

  RhsSolver solve_rhs() const {
    return [this](const std::vector<std::vector<Complex>>& excitations) {
      return ready_.currents.solve(excitations);
    };
  }

  void warn(Warning warning) { outcome_.warnings.push_back(std::move(warning)); }

  /// Adds to the outcome what follows from the currents.
  void add_transmitted(PortSolution&& solution, FrequencyResult&& result) {
    const Stopwatch watch(outcome_.timings_s.post);
    result.solver = ready_.currents.report();
    std::vector<Complex> coefficients = std::move(solution.coefficients);
    check_finite(coefficients, result.frequency_hz);
    result.loss_power_w = ready_.loads.loss_power_w(coefficients);
    SegmentCentres(antenna_, k_rad_per_m_)
        .evaluate(coefficients, result.segment_current_a, result.segment_charge_c_per_m);
    check_cancellation(solution);
    add_ports(std::move(solution), result);
    check_ports(result);
    add_far_fields(coefficients, result);
    add_near_fields(coefficients, result);
    check_cavity(coefficients, result);
    if (context_.options().keep_coefficients)
      result.coefficients_a = std::move(coefficients);
    outcome_.results.push_back(std::move(result));
  }

  void add_ports(PortSolution&& solution, FrequencyResult& result) const {
    result.ports = std::move(solution.ports);
    result.network_ports = std::move(solution.network_ports);
    result.network_loss_w = solution.network_loss_w;
    for (const PortResult& port : result.ports) result.input_power_w += port.power_w;
  }

  /// Warns of what is wrong with a result that has its ports and the solver's report.
  void check_ports(const FrequencyResult& result) {
    if (!result.solver.converged) {
      Warning missed{missed_tolerance(result)};
      if (result.wave)  // one line for all of them
        missed.about =
            fmt::format("waves of run {} at {} Hz", result.run, result.frequency_hz);
      warn(std::move(missed));
    }
    for (const PortResult& port : result.ports) check_resistance(port);
  }

  /// Warns where little is left of a port's current.
  void check_cancellation(const PortSolution& solution) {
    for (std::size_t p = 0; p < solution.rounding.size(); ++p)
      if (const PortResult& port = solution.ports[p];
          solution.rounding[p] > max_rounding && port.voltage_v != 0.0)
        warn({fmt::format("{}: currents of antenna and networks cancel at {:g} MHz, so "
                          "that rounding {}",
                          place_name(port.tag, port.segment, port.gap),
                          ready_.frequency_hz * 1e-6,
                          solution.rounding[p] < 1
                              ? fmt::format("makes its impedance wrong by about {:.1g} %",
                                            100 * solution.rounding[p])
                              : "decides its impedance"),
              "cancellation"});
  }

  /// Warns where a port's resistance is lost beside its reactance.
  void check_resistance(const PortResult& port) {
    const double r = port.impedance_ohm.real(), x = port.impedance_ohm.imag();
    if (x > 0 && ready_.currents.keeps_small_loops()) return;
    const double least = x > 0 ? min_inductive : min_capacitive;
    if (!(std::abs(r) < least * std::abs(x))) return;
    warn({fmt::format(
              "{}: the resistance at {:g} MHz, {:.2g} ohm beside a "
              "reactance of {:.2g} ohm, is dominated by rounding: the frequency is too "
              "low for an antenna of this size, and R, power and gain are unreliable",
              place_name(port.tag, port.segment, port.gap), ready_.frequency_hz * 1e-6, r,
              x),
          "resistance"});
  }

  void add_far_fields(std::span<const Complex> coefficients, FrequencyResult& result) {
    const Radiation radiation(antenna_, coefficients, result.frequency_hz,
                              context_.options().kernel, run_.ground, context_.backend());
    const double loss_w = result.loss_power_w + result.network_loss_w;
    for (std::size_t p = 0; p < run_.patterns.size(); ++p)
      result.patterns.push_back(radiation.pattern(run_.patterns[p], result.input_power_w,
                                                  loss_w, field_monitor(p)));
    // Where most is lost, the difference would be errors.
    if (const double radiated =
            ready_.power_balance.value_or(0) * result.input_power_w - loss_w;
        ready_.power_balance && radiated > min_efficiency * result.input_power_w)
      result.radiated_power_w = radiated;
    else
      result.radiated_power_w = radiation.radiated_power_w(
          max_power_terms(), context_.options().monitor.silent());
    check_power(result);
  }

  /// Returns how many terms the power balance may sum.
  double max_power_terms() const {
    const auto unknowns = static_cast<double>(antenna_.unknowns());
    if (!run_.patterns.empty()) return 1e300;
    return context_.plan_for(ready_.run).operator_choice != OperatorChoice::dense
               ? few_terms + few_terms_an_unknown * unknowns
               : few_terms + unknowns * unknowns;
  }

  /// Warns of powers that no passive antenna has.
  void check_power(const FrequencyResult& result) {
    // A real ground takes up some.
    const bool ground_takes = run_.ground.is_dielectric();
    // An active network (NT) may give power back.
    if (result.input_power_w < 0 && !(result.network_loss_w < 0)) {
      warn({fmt::format("the input power at {:g} MHz is negative, {:.2g} W: R, power and "
                        "gain are wrong there",
                        result.frequency_hz * 1e-6, result.input_power_w),
            "power"});
    } else if (const std::optional<double> balance = power_balance(result);
               balance && !(std::abs(*balance - 1) <= largest_imbalance ||
                            (ground_takes && *balance < 1))) {
      warn({fmt::format("power balance at {:g} MHz is off by {:.2g} % (radiated + lost = "
                        "{:.6g} of input): expect errors of that size in R and gain",
                        result.frequency_hz * 1e-6, 100 * std::abs(*balance - 1),
                        *balance),
            "power"});
    }
  }

  void add_near_fields(std::span<const Complex> coefficients, FrequencyResult& result) {
    if (run_.near_fields.empty()) return;
    const NearFields fields(antenna_, coefficients, result.frequency_hz,
                            context_.options().kernel, run_.ground, context_.backend());
    for (std::size_t n = 0; n < run_.near_fields.size(); ++n)
      result.near_fields.push_back(
          fields.field(run_.near_fields[n], field_monitor(run_.patterns.size() + n)));
  }

  /// Whether wires form loops, fewer nodes than elements, and are not over real ground.
  bool may_enclose_space() const {
    return antenna_.unknowns() > antenna_.elements().size() && !run_.ground.is_real();
  }
  std::optional<Cavity> cavity() const {
    return find_cavity(antenna_.structure(), 2 * pi / k_rad_per_m_);
  }

  /// Warns where much of the energy is inside a closed grid, above ground or without.
  void check_cavity(std::span<const Complex> coefficients,
                    const FrequencyResult& result) {
    if (!may_enclose_space() || !(result.input_power_w > 0)) return;
    const std::optional<Cavity> inside = cavity_.valid() ? cavity_.get() : cavity();
    if (!inside) return;
    // So few points that a GPU would take longer to be given the sources.
    const NearFields fields(antenna_, coefficients, result.frequency_hz,
                            context_.options().kernel, run_.ground);
    const double radians =
        stored_radians(*inside,
                       fields.field(NearFieldRequest::Field::electric, inside->samples_m,
                                    monitor_.silent()),
                       result.input_power_w, 2 * pi / k_rad_per_m_);
    if (radians < max_stored_radians) return;
    warn(
        {fmt::format(
             "near a resonance of the space that the wires enclose at {:g} MHz: it "
             "stores {:.2g} times the energy that is fed in per radian, and small errors "
             "of the model shift the resonance. Check with finer cells or a loss on the "
             "walls (LD 5)",
             result.frequency_hz * 1e-6, radians),
         "resonance of a cavity"});
  }

  /// For one pattern or near field, patterns first; for the solutions of gradients last.
  Monitor field_monitor(std::size_t index) const {
    const auto all = static_cast<double>(run_.patterns.size() + run_.near_fields.size() +
                                         (context_.varied().empty() ? 0 : 1));
    const auto here = static_cast<double>(index);
    return monitor_.part(here / all, (here + 1) / all);
  }

  const SolveContext& context_;
  const ReadyFrequency& ready_;
  const Run& run_;
  const Discretization& antenna_;
  double k_rad_per_m_;
  Monitor monitor_;
  FrequencyOutcome& outcome_;
  std::future<std::optional<Cavity>>
      cavity_;  ///< where it is looked for beside the solve
};

}  // namespace

void add_results(const SolveContext& context, const ReadyFrequency& ready,
                 const Monitor& monitor, FrequencyOutcome& outcome) {
  PostProcessor(context, ready, monitor, outcome).add_all();
}

}  // namespace thinwire
