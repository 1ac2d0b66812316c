#include <thinwire_version.h>

#include "python/core/core.h"

NB_MODULE(_core, m) {
  using namespace thinwire::python;
  // Objects that an interactive session still holds when it ends are no leak.
  nanobind::set_leak_warnings(false);
  m.doc() = "What thinwire's Python package needs of its library.";
  m.attr("version") = THINWIRE_VERSION;
  bind_errors(m);
  bind_problem(m);
  bind_solution(m);
  bind_solve(m);
  bind_many(m);
  bind_optimize(m);
  bind_fields(m);
  bind_file(m);
  bind_report(m);
  bind_export(m);
}
