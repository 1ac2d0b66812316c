#include <filesystem>
#include <nlohmann/json.hpp>
#include <span>

#include "io/page/page.h"
#include "io/page/results_page.h"
#include "io/result/output_file.h"
#include "io/result/output_guard.h"
#include "python/core/core.h"

namespace thinwire::python {
namespace {

using AngleArray = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Gains = nb::ndarray<const double, nb::ndim<3>, nb::c_contig, nb::device::cpu>;
using Pattern = std::tuple<AngleArray, AngleArray, Gains, std::vector<std::size_t>>;
using ShownResult = std::tuple<std::string, std::string, std::optional<std::size_t>,
                               std::vector<Pattern>>;

template <class Array>
std::vector<double> values_of(const Array& array) {
  return {array.data(), array.data() + array.size()};
}

std::string report_page(const std::vector<ShownResult>& results,
                        const std::string& title) {
  ChosenResults chosen{title, {}};
  std::map<std::size_t, std::vector<GridPattern>> more;
  for (const auto& [name, path, variant, patterns] : results) {
    for (const auto& [theta, phi, gain, index] : patterns)
      more[chosen.results.size()].push_back(
          {values_of(theta), values_of(phi), values_of(gain), index});
    chosen.results.push_back({name, path, variant});
  }
  return results_page(chosen, more);
}

void check_page(const std::string& path, bool force,
                const std::vector<std::string>& inputs) {
  const PlannedOutput planned[] = {
      {path, std::string(file_kind::page), force ? Overwrite::any : Overwrite::own}};
  check_outputs("report", planned,
                std::vector<std::filesystem::path>(inputs.begin(), inputs.end()));
}

}  // namespace

void bind_report(nb::module_& m) {
  m.def("page_plotly",
        [] { return nb::bytes(page_plotly().data(), page_plotly().size()); });
  m.def(
      "circuit_json",
      [](const ReadProblem& input) { return circuit_json(input.problem).dump(); },
      nb::arg("problem"));
  m.def("report_page", report_page, nb::arg("results"), nb::arg("title"));
  m.def("check_page", check_page, nb::arg("path"), nb::arg("force"), nb::arg("inputs"));
  m.def(
      "write_page",
      [](const std::string& path, const std::string& page) {
        write_result_file(path, page);
      },
      nb::arg("path"), nb::arg("page"));
}

}  // namespace thinwire::python
