#include "mom/systems/system.h"

namespace thinwire {

Recurrence recurrence_of(SolverChoice solver) {
  switch (solver) {
    case SolverChoice::cg:
      return Recurrence::cg;
    case SolverChoice::cocr:
      return Recurrence::cocr;
    case SolverChoice::gmres:
      return Recurrence::gmres;
    default:
      return Recurrence::cocg;
  }
}

SolverControl control_for(const Method& method, SolverControl control) {
  control.flexible = method.preconditioner == PreconditionerChoice::overlap;
  return control;
}

}  // namespace thinwire
