#pragma once

#include <cstddef>
#include <vector>

#include "geometry/wire_mesh.h"
#include "mom/problem/options.h"
#include "mom/problem/problem.h"

namespace thinwire {

/// A bend, or a junction of three wires and more, of a mesh as given. Each wire counts by
/// half, and bends towards the one that it goes on to best.
struct ModelBend {
  std::size_t node = 0;
  double angle = 0;       ///< largest, in right angles
  double missing_m = 0;   ///< it acts as if so much wire were missing
  double radius_m = 0;    ///< of the thickest wire
  bool included = false;  ///< whether it is one that the proximity effect corrects
};

/// Lists the bends of a mesh as given, in the order of its nodes.
std::vector<ModelBend> model_bends(const WireMesh& mesh);

/// Returns, for each segment, the estimated error of its potential for 1 C/m on it, in
/// units of 1 / (2 pi eps), integrated along it (m); that of its vector potential for 1 A
/// is the same in units of mu / (2 pi). Causes are bends and junctions that the proximity
/// effect leaves out, 0.3 of those that it corrects, wires that nearly touch, overlap or
/// cross, wires close to a ground, open ends beside other wires, and the end faces of
/// thick wires that are not in line with thinner ones. Zero where the model holds. The
/// problem has one run.
std::vector<double> model_errors_m(const Problem& problem, const Options& options);

}  // namespace thinwire
