#include "io/result/options_json.h"

#include <nlohmann/json.hpp>

#include "mom/plan/solver_choice.h"

namespace thinwire {

const char* name_of(MeshChoice choice) {
  return choice == MeshChoice::graded ? "graded" : "as-given";
}

const char* name_of(KernelChoice choice) {
  return choice == KernelChoice::exact ? "exact" : "reduced";
}

nlohmann::json options_json(const Options& options) {
  return {
      {"solver", name_of(options.solver)}, {"precond", name_of(options.preconditioner)},
      {"tolerance", options.tolerance},    {"max_iterations", options.max_iterations},
      {"device", options.device},          {"placement", options.placement},
      {"precision", options.precision},    {"mesh", name_of(options.mesh)},
      {"kernel", name_of(options.kernel)}, {"threads", options.threads},
      {"z0", options.reference_ohm},       {"save_matrix", options.save_matrix},
      {"port_matrix", options.port_matrix}};
}

}  // namespace thinwire
