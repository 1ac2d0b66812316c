#include "io/result/options_json.h"

#include <nlohmann/json.hpp>

namespace thinwire {

nlohmann::json options_json(const Options& options) {
  return {{"solver", name_of(options.solver)},
          {"precond", name_of(options.preconditioner)},
          {"boxes", name_of(options.boxes)},
          {"coarse", name_of(options.coarse)},
          {"operator", name_of(options.operator_choice)},
          {"operator_tolerance", options.operator_tolerance},
          {"tolerance", options.tolerance},
          {"max_iterations", options.max_iterations},
          {"device", name_of(options.device)},
          {"placement", name_of(options.placement)},
          {"precision", name_of(options.precision)},
          {"mesh", name_of(options.mesh)},
          {"refine", options.refinement},
          {"kernel", name_of(options.kernel)},
          {"proximity", name_of(options.proximity)},
          {"sweep", name_of(options.sweep)},
          {"threads", options.threads},
          {"z0", options.reference_ohm},
          {"save_matrix", options.save_matrix},
          {"port_matrix", options.port_matrix}};
}

}  // namespace thinwire
