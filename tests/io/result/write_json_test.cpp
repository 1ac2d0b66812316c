#include "io/result/write_json.h"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "mom/plan/planner.h"
#include "tests/io/result/sample_solution.h"

namespace thinwire {
namespace {

using nlohmann::json;

TEST(SolutionJson, HasTheKeysOfTheContract) {
  const test::Sample sample = test::make_sample();
  const json document = json::parse(solution_json(sample.problem, sample.solution));
  EXPECT_EQ(document["format"], "thinwire-solution");
  EXPECT_EQ(document["version"], 1);
  EXPECT_EQ(document["deck"], "sample.nec");
  EXPECT_EQ(document["segments"], 6);
  EXPECT_EQ(document["unknowns"], 4);
  EXPECT_EQ(document["device"], "cpu");
  EXPECT_EQ(document["warnings"], json::array({"sample.nec: no EN card"}));
  ASSERT_EQ(document["frequencies"].size(), 3u);

  const json& last = document["frequencies"][2];
  EXPECT_EQ(last["frequency_hz"], 310e6);
  ASSERT_EQ(last["ports"].size(), 2u);
  const json& port = last["ports"][1];
  const PortResult& expected = sample.solution.frequencies[2].ports[1];
  EXPECT_EQ(port["tag"], 7);
  EXPECT_EQ(port["segment"], 2);
  EXPECT_EQ(port["voltage_v"], json::array({0.0, 2.0}));
  EXPECT_EQ(port["current_a"], json::array({0.003, 0.03}));
  EXPECT_EQ(port["impedance_ohm"],
            json::array({expected.impedance_ohm.real(), expected.impedance_ohm.imag()}));
  EXPECT_EQ(port["power_w"], expected.power_w);
  EXPECT_EQ(last["input_power_w"], sample.solution.frequencies[2].input_power_w);
  EXPECT_EQ(last["loss_power_w"], sample.solution.frequencies[2].loss_power_w);
  EXPECT_EQ(last["solver"]["name"], "cocg");
  EXPECT_EQ(last["solver"]["iterations"], 7);
  EXPECT_EQ(last["solver"]["relative_residual"], 3e-7);
  EXPECT_EQ(last["solver"]["converged"], true);
  for (const char* stage :
       {"read", "mesh", "fill", "factor", "solve", "post", "write", "total"})
    EXPECT_TRUE(document["timings_s"][stage].is_number()) << stage;
}

TEST(SolutionJson, PortsAtNodesNameTheEndOfTheSegment) {
  test::Sample sample = test::make_sample();
  FrequencyResult& result = sample.solution.frequencies[2];
  result.ports[0].gap = Gap::start;
  result.ports[1].gap = Gap::end;
  EXPECT_EQ(port_name(result.ports[0]), "1/2 start");
  EXPECT_EQ(port_name(result.ports[1]), "7/2 end");
  result.network_ports = {result.ports[1]};
  const json all = json::parse(solution_json(sample.problem, sample.solution));
  const json& frequencies = all["frequencies"];
  EXPECT_EQ(frequencies[2]["ports"][0]["gap"], "start");
  EXPECT_EQ(frequencies[2]["ports"][1]["gap"], "end");
  EXPECT_EQ(frequencies[2]["network_connections"][0]["gap"], "end");
  EXPECT_FALSE(frequencies[0]["ports"][0].contains("gap"));
}

TEST(SolutionJson, NetworksAndWaves) {
  test::Sample sample = test::make_sample();
  FrequencyResult& result = sample.solution.frequencies[0];
  result.network_ports = {test::sample_port(7, 2, 4, {1, 2}, {0.02, 0.03})};
  result.network_loss_w = 0.125;
  result.wave = IncidentWave{IncidentWave::Kind::linear, 60, 30, 20, 0};
  const json all = json::parse(solution_json(sample.problem, sample.solution));
  const json& first = all["frequencies"][0];
  const json connection = {
      {"tag", 7}, {"segment", 2}, {"voltage_v", {1.0, 2.0}}, {"current_a", {0.02, 0.03}}};
  EXPECT_EQ(first["network_connections"], json::array({connection}));
  EXPECT_EQ(first["network_loss_w"], 0.125);
  EXPECT_EQ(first["wave"],
            (json{{"theta_deg", 60.0}, {"phi_deg", 30.0}, {"eta_deg", 20.0}}));
  EXPECT_FALSE(all["frequencies"][1].contains("wave"));
  EXPECT_FALSE(all["frequencies"][1].contains("network_connections"));
}

TEST(SolutionJson, RadiatedPowerOnlyWhereThereIsOne) {
  const test::Sample sample = test::make_sample();
  const json document = json::parse(solution_json(sample.problem, sample.solution));
  EXPECT_FALSE(document["frequencies"][0].contains("radiated_power_w"));
  EXPECT_EQ(document["frequencies"][1]["radiated_power_w"], 0.0035);
  EXPECT_FALSE(document["frequencies"][0].contains("efficiency"));
  // Input is Re(1 conj(0.008 - 0.006j)) / 2 = 4 mW, a tenth of it lost.
  EXPECT_EQ(document["frequencies"][1]["efficiency"], 0.875);
  EXPECT_NEAR(document["frequencies"][1]["power_balance"].get<double>(), 0.975, 1e-15);
}

TEST(SolutionJson, OverRealGroundTheRestGoesIntoIt) {
  test::Sample sample = test::make_sample();
  const auto last = [&] {
    return json::parse(solution_json(sample.problem, sample.solution))["frequencies"][1];
  };
  EXPECT_FALSE(last().contains("ground_power_w"));
  sample.problem.runs[sample.solution.frequencies[1].run].ground =
      Ground::sommerfeld(13, 0);
  // 4 mW, of which 3.5 are radiated and 0.4 lost.
  EXPECT_NEAR(last()["ground_power_w"].get<double>(), 1e-4, 1e-15);
}

TEST(SolutionJson, SummarisesEveryPattern) {
  test::Sample sample = test::make_sample();
  sample.solution.frequencies[2].patterns[1].theta_deg = {0, 180};
  sample.solution.frequencies[2].patterns[1].average_gain = 0.5;
  sample.solution.frequencies[1].patterns[0].gain_dbi.assign(6, -999.99);
  const json frequencies =
      json::parse(solution_json(sample.problem, sample.solution))["frequencies"];
  // Gains fall from 3 and 4 dBi at the first direction, theta = phi = 0, by 1 dB each.
  const json expected = {{"gain_max_dbi", 3},
                         {"theta_deg", 0},
                         {"phi_deg", 0},
                         {"front_to_back_db", nullptr},
                         {"average_gain", nullptr}};
  EXPECT_EQ(frequencies[2]["patterns"][0], expected);
  EXPECT_EQ(frequencies[2]["patterns"][1]["front_to_back_db"], 3);
  EXPECT_EQ(frequencies[2]["patterns"][1]["average_gain"], 0.5);
  for (const auto& [key, value] : frequencies[1]["patterns"][0].items())
    EXPECT_TRUE(value.is_null()) << key;
  sample.solution.frequencies[0].patterns.clear();
  EXPECT_FALSE(
      json::parse(solution_json(sample.problem, sample.solution))["frequencies"][0]
          .contains("patterns"));
}

TEST(SolutionJson, FullDocumentHasListsOfNumbers) {
  test::Sample sample = test::make_sample();
  NearFieldResult& near = sample.solution.frequencies[0].near_fields.emplace_back();
  near.request.field = NearFieldRequest::Field::magnetic;
  near.request.start[2] = 5;
  near.field = {1, {0, 2}, 3};
  const json all = json::parse(solution_json(sample.problem, sample.solution, 50, true));
  EXPECT_EQ(all["mesh"].size(), 6u);
  EXPECT_EQ(all["mesh"][3]["start_m"], (json{0.5, 0.0, -0.25}));
  EXPECT_EQ(all["mesh"][3]["tag"], 7);
  const json &first = all["frequencies"][0], &pattern = first["patterns"][0];
  EXPECT_EQ(first["segment_current_a"][2], (json{2e-3, 299.8e6 * 1e-12}));
  // Rows of phi for each theta.
  EXPECT_EQ(pattern["gain_dbi"], (json{{1.0, 0.0, -1.0}, {-2.0, -3.0, -4.0}}));
  EXPECT_EQ(pattern["e_theta_v"][1][0], (json{4.0, 1.5}));
  EXPECT_EQ(pattern["grid_phi_deg"], (json{0.0, 120.0, 240.0}));
  EXPECT_EQ(first["near_fields"][0]["position_m"], (json{{0.0, 0.0, 5.0}}));
  EXPECT_EQ(first["near_fields"][0]["h_a_per_m"][0][1], (json{0.0, 2.0}));
  EXPECT_EQ(all["frequencies"][2]["port_impedance_ohm"][1][0], (json{20.0, -5.0}));
  EXPECT_EQ(first["solver"]["residual_history"].size(), 3u);
}

TEST(SolutionJson, NumbersThatAreNotFiniteBecomeNull) {
  test::Sample sample = test::make_sample();
  PortResult& port = sample.solution.frequencies[0].ports[0];
  port.impedance_ohm = {std::numeric_limits<double>::infinity(), std::nan("")};
  sample.solution.frequencies[0].solver.relative_residual = std::nan("");
  const json document = json::parse(solution_json(sample.problem, sample.solution));
  EXPECT_TRUE(document["frequencies"][0]["ports"][0]["impedance_ohm"][0].is_null());
  EXPECT_TRUE(document["frequencies"][0]["ports"][0]["impedance_ohm"][1].is_null());
  EXPECT_TRUE(document["frequencies"][0]["solver"]["relative_residual"].is_null());
}

TEST(SolutionJson, NamesInOtherEncodingsDoNotBreakIt) {
  test::Sample sample = test::make_sample();
  sample.problem.name = "d\xefpole.nec";  // Latin-1
  EXPECT_TRUE(json::accept(solution_json(sample.problem, sample.solution)));
}

TEST(PlanJson, SaysWhatIsNeeded) {
  Plan plan;
  plan.unknowns = 12;
  plan.matrix_bytes = 4096;
  plan.solver.solver = SolverChoice::direct;
  const json document = json::parse(plan_json(test::make_sample().problem, plan));
  EXPECT_EQ(document["format"], "thinwire-plan");
  EXPECT_EQ(document["unknowns"], 12);
  EXPECT_EQ(document["matrix_bytes"], 4096);
  EXPECT_EQ(document["solver"], "direct");
}

}  // namespace
}  // namespace thinwire
