#include <thinwire_version.h>

#include "python/core/core.h"

NB_MODULE(_core, m) {
  using namespace thinwire::python;
  m.doc() = "What thinwire's Python package needs of its library.";
  m.attr("version") = THINWIRE_VERSION;
  bind_errors(m);
  bind_problem(m);
  bind_solution(m);
  bind_solve(m);
  bind_fields(m);
  bind_file(m);
}
