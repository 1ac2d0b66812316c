#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "mom/solve.h"
#include "tests/mom/wire_antennas.h"
#include "tests/mom/wire_grids.h"

namespace thinwire::test {

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

inline Problem hull_with_ports() {
  Problem problem = fed(ship(12, 5, 4, 0.05));
  for (const std::size_t s : {40, 200}) problem.runs[0].sources.push_back(volt_on(s));
  return problem;
}

/// A closed box with a load of 50 - 20j ohm on one of its segments.
inline Problem loaded_box() {
  Problem problem = fed(box(8, 5, 4, 0.1));
  Load load = {
      .kind = Load::Kind::impedance, .first = 60, .last = 60, .value = {50, -20}};
  problem.runs[0].loads.push_back(load);
  return problem;
}

}  // namespace thinwire::test
