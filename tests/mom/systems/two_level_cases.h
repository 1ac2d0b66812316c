#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "mom/solve.h"
#include "tests/mom/wire_antennas.h"
#include "tests/mom/wire_grids.h"

namespace thinwire::test {

inline Problem fed(Structure structure, std::vector<std::size_t> segments = {0},
                   Ground ground = Ground::none) {
  Problem problem;
  problem.structure = std::move(structure);
  Run run;
  run.frequency_hz = {one_metre_wave_hz};
  run.ground = ground;
  for (const std::size_t s : segments) run.sources.push_back(volt_on(s));
  problem.runs.push_back(run);
  return problem;
}

inline Options two_levels(OperatorChoice choice) {
  Options options = options_for(MeshChoice::as_given);
  options.device.kind = DeviceRequest::Kind::cpu;
  options.operator_choice = choice;
  options.solver = SolverChoice::gmres;
  options.preconditioner = PreconditionerChoice::overlap;
  options.coarse = SwitchChoice::on;
  options.boxes = {6, 1};
  options.tolerance = 1e-9;
  return options;
}

inline Structure box(int x, int y, int z, double cell_m) {
  WireGrid grid(cell_m);
  grid.add_whip({x / 3, y / 2, z}, 0.25, 5, 0.003);
  grid.add_box({0, 0, 0}, {x, y, z}, true);
  return std::move(grid.structure);
}

/// A closed box with a load of 50 - 20j ohm on one of its segments.
inline Problem loaded_box() {
  Problem problem = fed(box(8, 5, 4, 0.1));
  Load load;
  load.kind = Load::Kind::impedance;
  load.first = load.last = 60;
  load.value[0] = 50;
  load.value[1] = -20;
  problem.runs[0].loads.push_back(load);
  return problem;
}

}  // namespace thinwire::test
