#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "io/result/result_arrays.h"
#include "io/result/write_csv.h"
#include "io/result/write_hdf5.h"
#include "io/result/write_json.h"
#include "io/result/write_touchstone.h"
#include "kernels/base/constants.h"
#include "mom/postprocess/result_fields.h"
#include "mom/problem/stages.h"
#include "python/core/core.h"

namespace thinwire::python {
namespace {

using Self = nb::pointer_and_handle<Solved>;

/// The solution at the last frequency.
nb::object coefficients(Self self) {
  const std::vector<Complex>& last = self.p->solution.frequencies.back().coefficients_a;
  return view_of(last.data(), {last.size()}, self.h);
}

/// Returns the arrays of a solution with the path `wanted`.
SolutionArrays arrays_of(Self self, const std::string& wanted) {
  return {self.p->problem(), self.p->solution, self.p->options.reference_ohm, wanted,
          self.h};
}

/// Names in a group, as File.children() has them.
std::vector<std::string> children(Self self, const std::string& group) {
  std::vector<std::string> names;
  for (const std::string& path : arrays_of(self, "").paths)
    if (path.starts_with(group + '/')) {
      const std::size_t begin = group.size() + 1;
      std::string name = path.substr(begin, path.find('/', begin) - begin);
      if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
    }
  return names;
}

nb::object matrix(Self self) {
  const std::vector<Complex>& z = self.p->solution.impedance_matrix_ohm;
  const auto size =
      static_cast<std::size_t>(std::lround(std::sqrt(static_cast<double>(z.size()))));
  return view_of(z.data(), {size, size}, self.h);
}

nb::dict timings(const Solved& self) {
  nb::dict stages;
  for (const Stage& stage : stages_of(self.solution.timings_s))
    stages[nb::str(stage.name.data(), stage.name.size())] = stage.seconds;
  return stages;
}

/// Arrays that have a name of their own in Python.
const std::map<std::string, std::string> short_names = {
    {"run_index", "/run_index"},
    {"input_power_w", "/power/input_w"},
    {"radiated_power_w", "/power/radiated_w"},
    {"loss_power_w", "/power/loss_w"},
    {"network_loss_w", "/power/network_loss_w"},
    {"efficiency", "/power/efficiency"}};

}  // namespace

void bind_solution(nb::module_& m) {
  m.attr("short_names") = nb::cast(short_names);
  nb::list fields;
  visit_fields([&fields](const Field& field, const char* type) {
    nb::dict row;
    row["path"] = field.path;
    row["unit"] = field.unit;
    row["long_name"] = field.long_name;
    row["axes"] = field.axes;
    row["type"] = type;
    fields.append(row);
  });
  m.attr("fields") = fields;
  nb::class_<Solved>(m, "Solution")
      .def_prop_ro("problem",
                   [](const Solved& self) {
                     return std::const_pointer_cast<ReadProblem>(self.input);
                   })
      .def_prop_ro("unknowns", [](const Solved& self) { return self.solution.unknowns; })
      .def_prop_ro("device", [](const Solved& self) { return self.solution.device; })
      .def_prop_ro("z0", [](const Solved& self) { return self.options.reference_ohm; })
      .def_prop_ro("warnings", [](const Solved& self) { return self.solution.warnings; })
      .def_prop_ro("timings_s", &timings)
      .def_prop_ro("has_waves",
                   [](const Solved& self) {
                     const auto& all = self.solution.frequencies;
                     return !all.empty() && all.front().wave.has_value();
                   })
      .def_prop_ro("coefficients_a", &coefficients)
      .def_prop_ro("matrix_ohm", &matrix)
      .def("__getattr__",
           [](Self self, const std::string& name) {
             if (!short_names.contains(name)) throw nb::attribute_error(name.c_str());
             return arrays_of(self, short_names.at(name)).found();
           })
      .def("find", [](Self self,
                      const std::string& path) { return arrays_of(self, path).found(); })
      .def("children", &children)
      .def("attribute_integer",
           [](Self self, const std::string& object, const std::string& name) {
             return std::get<std::int64_t>(
                 arrays_of(self, "").attributes.at(object + '/' + name));
           })
      .def(
          "json",
          [](const Solved& self, bool full) {
            return solution_json(self.problem(), self.solution,
                                 self.options.reference_ohm, full);
          },
          nb::arg("full") = false)
      .def("csv",
           [](const Solved& self) {
             return solution_csv(self.problem(), self.solution,
                                 self.options.reference_ohm);
           })
      .def("touchstone",
           [](const Solved& self, const std::string& path) {
             std::vector<std::pair<std::string, std::string>> files;
             for (const TouchstoneFile& file : touchstone_files(path, self.problem()))
               files.emplace_back(
                   file.path.string(),
                   solution_touchstone(self.problem(), self.solution, file.run,
                                       self.options.reference_ohm));
             return files;
           })
      .def("save", [](const Solved& self, const std::string& path) {
        write_hdf5(path, self.problem(), self.options, self.solution,
                   "thinwire (Python)");
      });
}

}  // namespace thinwire::python
