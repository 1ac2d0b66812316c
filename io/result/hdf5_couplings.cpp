#include "io/result/hdf5_couplings.h"

#include <fmt/format.h>

#include "io/result/hdf5_axes.h"
#include "kernels/base/constants.h"

namespace thinwire {
namespace {

/// The couplings of one run at all its frequencies, along `along`.
void write_run(Hdf5Writer& out, const std::string& group, const std::string& along,
               const std::vector<const FrequencyResult*>& results) {
  const std::vector<CouplingResult>& pairs = results[0]->couplings;
  std::vector<std::int64_t> from, to;
  for (const CouplingResult& pair : pairs) {
    from.push_back(static_cast<std::int64_t>(pair.segment_index[0] + 1));
    to.push_back(static_cast<std::int64_t>(pair.segment_index[1] + 1));
  }
  std::vector<double> frequency, linville, coupling;
  std::vector<Complex> load, input;
  for (const FrequencyResult* result : results) {
    frequency.push_back(result->frequency_hz);
    for (std::size_t k = 0; k < pairs.size(); ++k) {
      const CouplingResult c = k < result->couplings.size()
                                   ? result->couplings[k]
                                   : CouplingResult{{}, nan, nan, {}, {}};
      const bool follows = c.linville >= 0 && c.linville <= 1;
      linville.push_back(c.linville);
      coupling.push_back(follows ? c.coupling_db : nan);
      load.push_back(follows ? c.load_ohm : Complex(nan, nan));
      input.push_back(follows ? c.input_ohm : Complex(nan, nan));
    }
  }
  const auto name = [&](const char* leaf) { return group + "/" + leaf; };
  out.counting_axis(name("pair_number"), pairs.size(), 1, "pair of segments");
  const Axes of_pair{name("pair_number")}, grid{along, name("pair_number")};
  out.dataset(name("frequency_hz"), frequency, {along}, {"Hz", "frequency"});
  out.dataset(name("from_segment"), from, of_pair, {"1", "first segment, from 1"});
  out.dataset(name("to_segment"), to, of_pair, {"1", "second segment, from 1"});
  out.dataset(name("linville"), linville, grid, {"1", "Linville's factor"});
  out.dataset(name("coupling_db"), coupling, grid,
              {"dB", "most power that gets across; NaN unless 0 <= linville <= 1"});
  out.dataset(name("load_ohm"), load, grid, {"ohm", "load on the second segment then"});
  out.dataset(name("input_ohm"), input, grid, {"ohm", "impedance at the first one then"});
  out.attribute(group, "run", static_cast<std::int64_t>(results[0]->run));
}

}  // namespace

void write_couplings(Hdf5Writer& out, const Solution& solution) {
  std::size_t k = 0;
  for (const auto& results : hdf5_axes::by_run(solution))
    if (!results[0]->couplings.empty())
      write_run(out, fmt::format("/coupling/{}", k++),
                hdf5_axes::of_run(out, solution, results), results);
}

}  // namespace thinwire
