#include "io/options_json.h"

#include <nlohmann/json.hpp>

namespace thinwire {

std::string_view name_of(SolverChoice choice) {
  switch (choice) {
    case SolverChoice::automatic:
      return "auto";
    case SolverChoice::direct:
      return "direct";
    case SolverChoice::cg:
      return "cg";
    case SolverChoice::cocg:
      return "cocg";
    case SolverChoice::cocr:
      return "cocr";
    case SolverChoice::gmres:
      return "gmres";
  }
  return "";
}

std::string_view name_of(PreconditionerChoice choice) {
  switch (choice) {
    case PreconditionerChoice::automatic:
      return "auto";
    case PreconditionerChoice::none:
      return "none";
    case PreconditionerChoice::block:
      return "block";
  }
  return "";
}

std::string_view name_of(MeshChoice choice) {
  return choice == MeshChoice::graded ? "graded" : "as-given";
}

std::string_view name_of(KernelChoice choice) {
  return choice == KernelChoice::exact ? "exact" : "reduced";
}

nlohmann::json options_json(const Options& options) {
  return {
      {"solver", name_of(options.solver)}, {"precond", name_of(options.preconditioner)},
      {"tolerance", options.tolerance},    {"max_iterations", options.max_iterations},
      {"device", options.device},          {"placement", options.placement},
      {"precision", options.precision},    {"mesh", name_of(options.mesh)},
      {"kernel", name_of(options.kernel)}, {"threads", options.threads},
      {"save_matrix", options.save_matrix}};
}

}  // namespace thinwire
