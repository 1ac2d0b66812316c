#include <fmt/format.h>

#include "io/result/listing_blocks.h"

namespace thinwire::listing {
namespace {

std::string impedance_rows(const Problem& problem, const FrequencyResult& result) {
  std::string out;
  for (std::size_t p = 0; p < result.ports.size(); ++p)
    for (std::size_t v = 0; v < problem.parameters.size(); ++v) {
      const Complex derivative =
          result.impedance_derivative_ohm[v * result.ports.size() + p];
      out += fmt::format(" {:4} {:5} {:>20} {:11.4E} {:11.4E} {:11.4E}\n",
                         result.ports[p].tag, result.ports[p].segment,
                         problem.parameters[v].name, problem.parameters[v].value,
                         derivative.real(), derivative.imag());
    }
  return out;
}

std::string gain_rows(const Problem& problem, const FrequencyResult& result) {
  std::string out;
  for (const GainDerivatives& gain : result.gain_derivatives)
    for (std::size_t v = 0; v < problem.parameters.size(); ++v)
      out += fmt::format(" {:8.2f} {:9.2f} {:>12} {:11.4E} {:11.4E} {:11.4E}\n",
                         gain.theta_deg, gain.phi_deg, problem.parameters[v].name,
                         problem.parameters[v].value, gain.gain_derivative_db[v],
                         gain.front_to_back_derivative_db[v]);
  return out;
}

}  // namespace

std::string gradients(const Problem& problem, const FrequencyResult& result) {
  std::string out;
  if (!result.impedance_derivative_ohm.empty())
    out =
        "\n\n                        ------- DERIVATIVES OF THE IMPEDANCES -------\n"
        "  TAG   SEG               SYMBOL       VALUE    PER UNIT OF THE SYMBOL (OHMS)\n"
        "  No:   No:                                        REAL      IMAGINARY\n" +
        impedance_rows(problem, result);
  const std::string gains = gain_rows(problem, result);
  if (!gains.empty())
    out +=
        "\n\n                        ---- DERIVATIVES OF GAIN, FRONT TO BACK RATIO ----\n"
        "   TOWARDS THE MAXIMUM                          PER UNIT OF THE SYMBOL (DB)\n"
        "    THETA       PHI       SYMBOL       VALUE     GAIN      FRONT/BACK\n" +
        gains;
  return out;
}

}  // namespace thinwire::listing
