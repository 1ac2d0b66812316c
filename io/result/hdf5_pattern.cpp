#include "io/result/hdf5_pattern.h"

#include <fmt/format.h>

#include <limits>

#include "io/result/hdf5_axes.h"
#include "kernels/base/constants.h"

namespace thinwire {
namespace {

const GainDerivatives* derivatives_of(const FrequencyResult& result,
                                      std::size_t request) {
  for (const GainDerivatives& derivatives : result.gain_derivatives)
    if (derivatives.pattern == request) return &derivatives;
  return nullptr;
}

/// Writes the derivatives of a pattern by Problem::parameters, [F, V] along /parameter.
void write_derivatives(Hdf5Writer& out, const std::string& group,
                       const std::string& along,
                       const std::vector<const FrequencyResult*>& results,
                       std::size_t request) {
  std::size_t parameters = 0;
  for (const FrequencyResult* result : results)
    if (const GainDerivatives* derivatives = derivatives_of(*result, request))
      parameters = derivatives->gain_derivative_db.size();
  if (parameters == 0) return;
  GainDerivatives none;
  none.theta_deg = none.phi_deg = nan;
  none.gain_derivative_db = none.front_to_back_derivative_db =
      std::vector<double>(parameters, nan);
  std::vector<double> theta, phi, gain, ratio;
  for (const FrequencyResult* result : results) {
    const GainDerivatives* known = derivatives_of(*result, request);
    const GainDerivatives& derivatives = known ? *known : none;
    theta.push_back(derivatives.theta_deg);
    phi.push_back(derivatives.phi_deg);
    gain.insert(gain.end(), derivatives.gain_derivative_db.begin(),
                derivatives.gain_derivative_db.end());
    ratio.insert(ratio.end(), derivatives.front_to_back_derivative_db.begin(),
                 derivatives.front_to_back_derivative_db.end());
  }
  const auto name = [&](const char* leaf) { return group + "/" + leaf; };
  const Axes grid{along, "/parameter"};
  out.dataset(name("gain_derivative_theta_deg"), theta, {along},
              {"deg", "theta of the maximum, where derivatives are taken"});
  out.dataset(name("gain_derivative_phi_deg"), phi, {along},
              {"deg", "phi of the maximum, where derivatives are taken"});
  out.dataset(name("gain_derivative_db"), gain, grid,
              {"dB", "derivative of the power gain, for each unit of the symbol"});
  out.dataset(name("front_to_back_derivative_db"), ratio, grid,
              {"dB", "the same of its ratio to that backwards"});
}

/// One pattern request of one run at all frequencies of that run, along `along`.
void write_pattern(Hdf5Writer& out, const std::string& group, const std::string& along,
                   const std::vector<const FrequencyResult*>& results,
                   std::size_t request) {
  const PatternResult& first = results[0]->patterns[request];
  std::vector<Complex> e_theta, e_phi;
  std::vector<double> gain, frequency, reference, average;
  for (const FrequencyResult* result : results) {
    const PatternResult& p = result->patterns[request];
    e_theta.insert(e_theta.end(), p.e_theta_v.begin(), p.e_theta_v.end());
    e_phi.insert(e_phi.end(), p.e_phi_v.begin(), p.e_phi_v.end());
    gain.insert(gain.end(), p.gain_dbi.begin(), p.gain_dbi.end());
    frequency.push_back(result->frequency_hz);
    reference.push_back(p.reference_power_w);
    average.push_back(p.average_gain.value_or(std::numeric_limits<double>::quiet_NaN()));
  }
  const auto name = [&](const char* leaf) { return group + "/" + leaf; };
  out.axis(name("theta_deg"), first.theta_deg, {"deg", "angle from +z"});
  out.axis(name("phi_deg"), first.phi_deg, {"deg", "azimuth from +x"});
  const Axes grid{along, name("theta_deg"), name("phi_deg")};
  out.dataset(name("e_theta_v"), e_theta, grid, {"V", "r E_theta exp(jkr), peak"});
  out.dataset(name("e_phi_v"), e_phi, grid, {"V", "r E_phi exp(jkr), peak"});
  out.dataset(name("gain_dbi"), gain, grid,
              results[0]->wave
                  ? Quantity{"dB", "scattering cross section over wavelength squared"}
                  : Quantity{"dBi", first.request.directive ? "directivity, total"
                                                            : "gain, total"});
  out.dataset(name("frequency_hz"), frequency, {along}, {"Hz", "frequency"});
  out.dataset(name("reference_power_w"), reference, {along},
              {"W", "power that the gains are relative to"});
  out.dataset(name("average_gain"), average, {along},
              {"1", "average gain over the grid; NaN where there is none"});
  write_derivatives(out, group, along, results, request);
  out.attribute(group, "run", static_cast<std::int64_t>(results[0]->run));
  out.attribute(group, "mode", static_cast<std::int64_t>(first.request.mode));
}

}  // namespace

void write_patterns(Hdf5Writer& out, const Solution& solution) {
  std::size_t k = 0;
  for (const auto& results : hdf5_axes::by_run(solution))
    for (std::size_t request = 0; request < results[0]->patterns.size(); ++request)
      write_pattern(out, fmt::format("/pattern/{}", k++),
                    hdf5_axes::of_run(out, solution, results), results, request);
}

}  // namespace thinwire
