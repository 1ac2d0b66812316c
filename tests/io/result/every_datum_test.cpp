#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>

#include "io/result/hdf5_file.h"
#include "io/result/write_csv.h"
#include "io/result/write_hdf5.h"
#include "io/result/write_json.h"
#include "io/result/write_listing.h"
#include "io/result/write_touchstone.h"
#include "tests/io/result/sample_solution.h"
#include "tests/io/temporary_folder.h"

namespace thinwire {
namespace {

/// A kind of number that a run may have, and the object of an HDF5 file that it becomes.
struct Datum {
  const char* name;
  const char* object;
  std::function<void(Problem&, FrequencyResult&)> add;
};

const Datum data[] = {
    {"nothing", "/frequency_hz", [](Problem&, FrequencyResult&) {}},
    {"ports", "/port/impedance_ohm",
     [](Problem&, FrequencyResult& r) {
       r.ports = {test::sample_port(1, 2, 1, 1.0, {0.01, 0.01})};
     }},
    {"port matrix", "/port/impedance_matrix_ohm",
     [](Problem&, FrequencyResult& r) {
       r.ports = {test::sample_port(1, 2, 1, 1.0, {0.01, 0.01}),
                  test::sample_port(7, 2, 4, 2.0, {0.01, 0.02})};
       r.port_impedance_ohm = {{50, 1}, {20, 2}, {20, 2}, {50, 3}};
     }},
    {"impedance derivatives", "/port/impedance_derivative_ohm",
     [](Problem& problem, FrequencyResult& r) {
       r.ports = {test::sample_port(1, 2, 1, 1.0, {0.01, 0.01})};
       problem.parameters.resize(1);
       problem.parameters[0].name = "h";
       r.impedance_derivative_ohm = {{1, 2}};
     }},
    {"network connections", "/network/voltage_v",
     [](Problem&, FrequencyResult& r) {
       r.network_ports = {test::sample_port(1, 2, 1, 1.0, {0.01, 0.01})};
     }},
    {"incident wave", "/incident/theta_deg",
     [](Problem& problem, FrequencyResult& r) {
       problem.runs[r.run].waves.emplace();
       r.wave = IncidentWave{};
     }},
    {"currents", "/current/segment_current_a",
     [](Problem&, FrequencyResult& r) {
       r.segment_current_a.resize(6, {1e-3, 2e-3});
     }},
    {"charges", "/current/segment_charge_c_per_m",
     [](Problem&, FrequencyResult& r) { r.segment_charge_c_per_m.resize(6, 1e-12); }},
    {"patterns", "/pattern/0/gain_dbi",
     [](Problem&, FrequencyResult& r) { r.patterns = {test::sample_pattern(1)}; }},
    {"gain derivatives", "/pattern/0/gain_derivative_db",
     [](Problem& problem, FrequencyResult& r) {
       problem.parameters.resize(1);
       problem.parameters[0].name = "h";
       r.patterns = {test::sample_pattern(1)};
       r.gain_derivatives = {{0, 90, 0, 2, 1, {0.5}, {0.25}}};
     }},
    {"near fields", "/near_field/0/e_v_per_m",
     [](Problem&, FrequencyResult& r) {
       r.near_fields.resize(1);
       r.near_fields[0].field = {1, 2, 3};
     }},
    {"couplings", "/coupling/0/linville",
     [](Problem&, FrequencyResult& r) {
       r.couplings = {{{1, 4}, 0.5, -12, {50, 1}, {60, 2}}};
     }},
    {"radiated power", "/power/radiated_w",
     [](Problem&, FrequencyResult& r) { r.radiated_power_w = 0.5; }},
    {"missed tolerance", "/solver/converged",
     [](Problem&, FrequencyResult& r) { r.solver.converged = false; }},
    {"operator error", "/solver/operator_error",
     [](Problem&, FrequencyResult& r) { r.solver.operator_error = 1e-6; }},
    {"spread of the operator error", "/solver/operator_error_spread",
     [](Problem&, FrequencyResult& r) { r.solver.operator_error_spread = 1e-6; }},
    {"model error", "/solver/model_error",
     [](Problem&, FrequencyResult& r) { r.solver.model_error = 1e-6; }},
    {"residual history", "/solver/residual_history",
     [](Problem&, FrequencyResult& r) {
       r.solver.residual_history = {1, 0.1};
     }},
};

/// Runs of so many frequencies each, of which those in `with` have the datum.
test::Sample sample_with(const Datum& datum, std::size_t frequencies,
                         const std::vector<bool>& with) {
  test::Sample sample = test::make_sample();
  for (Run& run : sample.problem.runs) run.patterns.clear();
  sample.problem.runs.resize(with.size(), sample.problem.runs.back());
  sample.solution.frequencies.clear();
  for (std::size_t run = 0; run < with.size(); ++run)
    for (std::size_t f = 0; f < frequencies; ++f) {
      FrequencyResult result;
      result.run = run;
      result.frequency_hz = 3e8 + 1e6 * static_cast<double>(f);
      if (with[run]) datum.add(sample.problem, result);
      sample.solution.frequencies.push_back(std::move(result));
    }
  return sample;
}

TEST(EveryDatum, AloneInAnyRunReachesEveryFormat) {
  const test::TemporaryFolder folder;
  for (const Datum& datum : data)
    for (const std::size_t frequencies : {1u, 2u})
      for (const std::vector<bool>& with :
           {std::vector<bool>{true, false}, {false, true}}) {
        SCOPED_TRACE(testing::Message()
                     << datum.name << ", " << with.size() << " runs of " << frequencies
                     << ", first " << with[0]);
        const auto [problem, solution] = sample_with(datum, frequencies, with);
        ASSERT_NO_THROW(write_hdf5(folder / "r.h5", problem, {}, solution, ""));
        EXPECT_TRUE(Hdf5Reader(folder / "r.h5").exists(datum.object));
        EXPECT_NO_THROW(EXPECT_FALSE(solution_csv(problem, solution, 50).empty()));
        EXPECT_NO_THROW(
            EXPECT_TRUE(nlohmann::json::accept(solution_json(problem, solution, 50))));
        EXPECT_NO_THROW(EXPECT_FALSE(solution_listing(problem, solution).empty()));
        for (std::size_t run = 0; run < with.size(); ++run)
          EXPECT_NO_THROW(
              EXPECT_FALSE(solution_touchstone(problem, solution, run).empty()));
      }
}

}  // namespace
}  // namespace thinwire
