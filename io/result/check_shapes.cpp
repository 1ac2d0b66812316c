#include "io/result/check_shapes.h"

#include <fmt/format.h>

#include <map>
#include <string_view>
#include <utility>

#include "io/deck/formula.h"
#include "io/result/result_arrays.h"
#include "io/result/write_hdf5.h"
#include "kernels/base/counted.h"
#include "mom/postprocess/result_fields.h"

namespace thinwire {
namespace {

/// A dataset and its axes, as in Field::axes.
using Dataset = std::pair<const char*, const char*>;

/// Holds datasets against each other.
class Shapes {
 public:
  explicit Shapes(const Hdf5Reader& in) : in_(in) {}

  /// Holds a dataset against those before it. Does nothing where there is none.
  void check(const std::string& path, std::string_view axes) {
    if (!in_.exists(path)) return;
    const Shape shape = in_.shape(path);
    const std::vector<std::string_view> names = words_of(axes);
    if (shape.size() != names.size())
      in_.refuse_changed(fmt::format("{} has {} instead of {}", path,
                                     counted(shape.size(), "dimension"), names.size()));
    for (std::size_t i = 0; i < names.size(); ++i) {
      const auto [known, is_new] =
          lengths_.try_emplace(std::string(names[i]), path, shape[i]);
      const auto& [first, length] = known->second;
      if (length != shape[i])
        in_.refuse_changed(fmt::format("{} has {} along an axis along which {} has {}",
                                       path, counted(shape[i], "value"), first, length));
    }
  }
  void check(std::initializer_list<Dataset> all) {
    for (const auto& [path, axes] : all) check(path, axes);
  }
  /// Forgets an axis: the next datasets have their own.
  void forget(const std::string& axis) { lengths_.erase(axis); }

 private:
  const Hdf5Reader& in_;
  /// Path and length of the first dataset along each axis.
  std::map<std::string, std::pair<std::string, std::size_t>> lengths_;
};

void check_solution(const Hdf5Reader& in) {
  Shapes shapes(in);
  shapes.check({{"/frequency_hz", "F"},
                {"/xyz", "xyz"},
                {"/warnings", "warning"},
                {"/parameter", "V"},
                {"/port/parameter_value", "V"},
                {"/matrix/impedance_ohm", "row column"}});
  const auto check_group = [&](const std::string& group, const std::string& index) {
    visit_fields([&](const Field& field, const char*) {
      std::string path = field.path;
      if (const std::size_t at = path.find('<'); at != path.npos)
        path.replace(at, 3, index);
      if (path.starts_with(group)) shapes.check(path, field.axes);
    });
  };
  visit_fields([&](const Field& field, const char*) {
    if (std::string_view(field.path).find('<') == std::string_view::npos)
      shapes.check(field.path, field.axes);
  });
  for (const std::string group : {"/pattern/", "/near_field/", "/coupling/"}) {
    if (!in.exists(group.substr(0, group.size() - 1))) continue;
    for (const std::string& k : in.children(group)) {
      for (const char* own : {"f", "T", "A", "n1", "n2", "n3", "K"}) shapes.forget(own);
      shapes.check(group + k + "/frequency_hz", "f");
      check_group(group + k + "/", k);
    }
  }
  const std::string history = "/solver/residual_history";
  if (in.exists(history))
    for (const std::string& f : in.children(history)) {
      shapes.forget("I");
      shapes.check("/solver/iteration_" + f, "I");
      for (const std::string& of :
           {history, std::string("/solver/impedance_history_ohm")})
        shapes.check(of + "/" + f, "I");
    }
  if (in.exists("/timing"))
    for (const std::string& stage : in.children("/timing"))
      shapes.check("/timing/" + stage, "");
}

void check_sweep(const Hdf5Reader& in) {
  Shapes shapes(in);
  for (const std::string& name : in.children("/"))
    if (name.starts_with("symbol_")) (void)in.length("/" + name);
  std::string variants;
  for (const std::string& symbol : symbol_axes(in)) {
    shapes.check(symbol, symbol);
    variants += symbol + ' ';
  }
  shapes.check("/unknowns", variants);
  shapes.check(
      {{"/result_number", "R"}, {"/port_number", "P"}, {"/segment_number", "S"}});
  for (const Dataset& dataset :
       std::initializer_list<Dataset>{{"/frequency_hz", ""},
                                      {"/run_index", ""},
                                      {"/solver/converged", ""},
                                      {"/solver/model_error", ""},
                                      {"/pattern/gain_max_dbi", ""},
                                      {"/port/tag", " P"},
                                      {"/port/segment", " P"},
                                      {"/port/gap", " P"},
                                      {"/port/voltage_v", " P"},
                                      {"/port/current_a", " P"},
                                      {"/port/impedance_ohm", " P"},
                                      {"/current/segment_current_a", " S"}})
    shapes.check(dataset.first, variants + "R" + dataset.second);
}

void check_optimization(const Hdf5Reader& in) {
  Shapes shapes(in);
  shapes.check({{"/variable", "variable"},
                {"/lower", "variable"},
                {"/upper", "variable"},
                {"/goal", "goal"},
                {"/objective", "evaluation"},
                {"/miss", "evaluation"},
                {"/search", "evaluation"},
                {"/variable_value", "evaluation variable"},
                {"/goal_value", "evaluation goal"},
                {"/warnings", "warning"}});
  const std::int64_t best = in.attribute_integer("/", "best_evaluation");
  if (best < 1 || best > static_cast<std::int64_t>(in.length("/objective")))
    in.refuse_changed(
        fmt::format("has no evaluation {}, which is called the best", best));
}

/// Tables of columns.
void check_tables(const Hdf5Reader& in) {
  for (const std::string& table : in.children("/")) {
    Shapes shapes(in);
    for (const std::string& column : in.children("/" + table))
      shapes.check(fmt::format("/{}/{}", table, column), "row");
  }
}

}  // namespace

std::vector<std::string> symbol_axes(const Hdf5Reader& in) {
  std::vector<std::string> axes;
  const std::string command = in.attribute_text("/", "command_line");
  constexpr std::string_view option = "--vary";
  // --vary NAME=..., --vary=NAME=..., the value in quotes or not.
  for (std::size_t at = command.find(option); at != command.npos;
       at = command.find(option, at)) {
    at = command.find_first_not_of(" ='\"", at + option.size());
    if (at == command.npos) break;
    const std::string name = command.substr(at, command.find('=', at) - at);
    if (std::string axis = "/symbol_" + lower_name(name); in.exists(axis))
      axes.push_back(std::move(axis));
  }
  return axes;
}

void check_shapes(const Hdf5Reader& in) {
  if (!in.has_attribute("/", "format") || in.attribute_text("/", "format") != "thinwire")
    return;
  // Callers refuse files of newer versions, whose shapes may be others.
  if (in.has_attribute("/", "format_version") &&
      in.attribute_integer("/", "format_version") > hdf5_format_version)
    return;
  const std::string content =
      in.has_attribute("/", "content") ? in.attribute_text("/", "content") : "";
  if (content.empty())
    check_solution(in);
  else if (content == "sweep")
    check_sweep(in);
  else if (content == "optimization")
    check_optimization(in);
  else if (content == "matrix")
    Shapes(in).check({{"/structure/radius_m", "segment"}, {"/matrix_ohm", "row column"}});
  else
    check_tables(in);
}

}  // namespace thinwire
