#include "io/result/result_arrays.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "io/result/field_values.h"

namespace thinwire {
namespace {

/// Calls `body` with each field of a record that becomes an array, those of records in it
/// included. `is_absent` tells of records and numbers that are optional.
template <class Body>
class Fields {
 public:
  /// path: of the one field that is wanted; empty: all, derived ones without their
  /// values.
  Fields(const FieldContext* context, std::string_view path, const Body& body)
      : context_(context), path_(path), body_(body) {}

  template <class T>
  void operator()(const T& value, const Field& field = {}) {
    pass(value, field, true);
  }
  template <class Function>
  void derived(const Function& value, const Field& field) {
    using T = std::decay_t<std::invoke_result_t<Function, const FieldContext&>>;
    if (path_.empty())
      pass(T(), field, false);
    else if (Record<T> || is_optional<T> || (field.path && path_ == field.path))
      pass(value(*context_), field, false);
  }
  bool is_absent = false;

 private:
  template <class T>
  void pass(const T& value, const Field& field, bool is_member) {
    if constexpr (is_optional<T>) {
      const bool before = std::exchange(is_absent, is_absent || !value);
      const typename T::value_type none{};
      pass(value ? *value : none, field, false);
      is_absent = before;
    } else if constexpr (is_scalar<T> || is_numbers<T>) {
      if (field.path && (path_.empty() || path_ == field.path))
        body_(value, field, is_absent, is_member);
    } else if constexpr (Record<T>)
      if (field.name) describe_const(value, *this);
  }

  const FieldContext* context_;
  std::string_view path_;
  const Body& body_;
};

/// Returns an empty list for a field's values.
template <class T>
auto list_for(const T&) {
  if constexpr (is_numbers<T>)
    return list_for(typename T::value_type());
  else if constexpr (std::is_integral_v<T>)
    return std::vector<std::int64_t>();
  else
    return std::vector<T>();
}

template <class T>
const char* python_type(const T&) {
  if constexpr (is_numbers<T>)
    return python_type(typename T::value_type());
  else if constexpr (std::is_same_v<T, bool>)
    return "bool";
  else if constexpr (std::is_integral_v<T>)
    return "int";
  else if constexpr (std::is_floating_point_v<T>)
    return "float";
  else
    return std::is_same_v<T, Complex> ? "complex" : "str";
}

template <class T>
const T missing{};
template <>
const double missing<double> = nan;
template <>
const Complex missing<Complex> = {nan, nan};

struct Listed {
  Field field;
  ArrayValues empty;  ///< of its type
};

template <Record T>
std::vector<Listed> fields_of(const T& record) {
  std::vector<Listed> all;
  const auto add = [&](const auto& value, const Field& field, bool, bool) {
    all.push_back({field, list_for(value)});
  };
  Fields list(nullptr, "", add);
  describe_const(record, list);
  return all;
}

/// Appends a value, or `width` places where it is absent or was not computed.
template <class T>
void append(ArrayValues& to, const T& value, bool is_absent, std::size_t width) {
  auto& list = std::get<decltype(list_for(value))>(to);
  using Element = typename std::remove_reference_t<decltype(list)>::value_type;
  if constexpr (is_numbers<T>) {
    is_absent = is_absent || value.empty();
    if (!is_absent) list.insert(list.end(), value.begin(), value.end());
  } else if (!is_absent)
    list.push_back(static_cast<Element>(value));
  if (!is_absent) return;
  list.resize(list.size() + width, missing<Element>);
}

using RunResults = std::vector<const FrequencyResult*>;

std::vector<RunResults> by_run(const Solution& solution) {
  std::vector<RunResults> runs;
  for (const FrequencyResult& result : solution.frequencies) {
    if (runs.empty() || runs.back().front()->run != result.run) runs.emplace_back();
    runs.back().push_back(&result);
  }
  return runs;
}

template <class Records>
auto pointers(const Records& records) {
  std::vector<const typename Records::value_type*> all;
  for (const auto& record : records) all.push_back(&record);
  return all;
}

class Arrays {
 public:
  Arrays(const Problem& problem, const Solution& solution, double reference_ohm,
         ArrayVisitor& visitor)
      : context_{problem, reference_ohm},
        solution_(solution),
        visitor_(visitor),
        has_waves_(std::ranges::any_of(solution.frequencies,
                                       [](auto& r) { return r.wave.has_value(); })) {}

  void visit_all();

 private:
  static std::pair<std::size_t, Gap> place_of(const PortResult& port) {
    return {port.segment_index, port.gap};
  }
  struct Axis {
    std::string path;
    std::size_t length = 0;
  };

  /// Passes an axis, called `name` in Field::axes from now on.
  void axis(const std::string& name, const std::string& path, ArrayValues values,
            const std::string& units, const std::string& long_name) {
    const std::size_t length = std::visit([](auto& v) { return v.size(); }, values);
    axes_[name] = {path, length};
    if (visitor_.wants(path))
      visitor_.array({path, units, long_name, {path}, {length}, std::move(values)});
  }
  void counting_axis(const std::string& name, const std::string& path, std::size_t count,
                     std::int64_t first, const std::string& long_name) {
    std::vector<std::int64_t> values(count);
    std::iota(values.begin(), values.end(), first);
    axis(name, path, std::move(values), "1", long_name);
  }
  /// Sets an array up; false where it is not wanted or an axis is not known.
  bool begin(ResultArray& array, const Field& field, std::string_view index) {
    std::vector<const Axis*> along;
    for (const std::string_view word : words_of(field.axes)) {
      const auto found = axes_.find(word);
      if (found == axes_.end()) return false;
      along.push_back(&found->second);
    }
    array.path = field.path;
    if (array.path.starts_with("/incident/") && !has_waves_) return false;
    if (const std::size_t at = array.path.find('<'); at != std::string::npos)
      array.path.replace(at, 3, index);
    if (!visitor_.wants(array.path)) return false;
    for (const Axis* each : along) {
      array.axes.push_back(each->path);
      array.shape.push_back(each->length);
    }
    array.units = field.unit;
    array.long_name = field.long_name;
    return true;
  }
  /// Passes the fields of records that run along the axes `along`, nullptr where there
  /// is none. index: in the place of <k> or <f>.
  template <class Row>
  void add(const std::vector<const Row*>& rows, std::string_view along,
           std::string_view index = "", const std::function<void(Field&)>& change = {}) {
    const auto first = std::ranges::find_if(rows, [](const Row* row) { return row; });
    const Row none{};
    for (auto& [field, values] : fields_of(first == rows.end() ? none : **first)) {
      if (!std::string_view(field.axes).starts_with(along)) continue;
      if (change) change(field);
      ResultArray array;
      if (!begin(array, field, index)) continue;
      array.values = std::move(values);
      std::size_t width = 1;  // places of a row
      for (const std::size_t length : array.shape) width *= length;
      width /= std::max<std::size_t>(1, rows.size());
      const auto take = [&]<class T>(const T& value, const Field&, bool is_absent,
                                     bool is_member) {
        if constexpr (std::is_same_v<T, std::vector<double>> ||
                      std::is_same_v<T, std::vector<Complex>>)
          if (rows.size() == 1 && is_member && !value.empty())
            return void(array.values = std::span(value));
        append(array.values, value, is_absent, width);
      };
      Fields column(&context_, field.path, take);
      for (const Row* row : rows) {
        column.is_absent = row == nullptr;
        describe_const(row ? *row : none, column);
      }
      visitor_.array(std::move(array));
    }
  }
  /// Passes ports, or places like them, of each frequency: those of all runs along the
  /// axis `name`.
  template <class Port>
  void add_ports(const std::string& name, const std::string& path,
                 const std::string& long_name,
                 const std::vector<const std::vector<Port>*>& of_results) {
    std::vector<const Port*> columns;
    const auto column_of = [&columns](const Port& port) {
      return std::ranges::find_if(columns,
                                  [&](const Port* of) { return of->same_place(port); }) -
             columns.begin();
    };
    for (const auto* ports : of_results)
      for (const Port& port : *ports)
        if (column_of(port) == std::ssize(columns)) columns.push_back(&port);
    if (columns.empty()) return;
    if constexpr (std::is_same_v<Port, PortResult>)
      for (std::size_t p = 0; p < columns.size(); ++p)
        port_columns_[place_of(*columns[p])] = p;
    counting_axis(name, path, columns.size(), 1, long_name);
    std::vector<const Port*> rows(of_results.size() * columns.size());
    for (std::size_t f = 0; f < of_results.size(); ++f)
      for (const Port& port : *of_results[f])
        rows[f * columns.size() + static_cast<std::size_t>(column_of(port))] = &port;
    add(columns, name);
    add(rows, "F " + name);
  }

  /// Passes a matrix of each frequency that has a column for each port of its run.
  /// place: where row and column are in a block of all ports.
  template <class Place>
  void add_matrix(std::string_view path, std::vector<Complex> FrequencyResult::*member,
                  const Place& place);
  void visit_frequencies();
  void visit_mesh();
  void visit_ports();
  /// Begins the group of a run's results. Returns its number.
  std::string begin_group(const char* name, std::size_t& count, const RunResults& run);
  void visit_pattern(const RunResults& run, std::size_t request);
  void visit_near_field(const RunResults& run, std::size_t request);
  void visit_couplings(const RunResults& run);

  const FieldContext context_;
  const Solution& solution_;
  ArrayVisitor& visitor_;
  const bool has_waves_;
  std::map<std::string, Axis, std::less<>> axes_;  ///< by their names in Field::axes
  std::map<std::pair<std::size_t, Gap>, std::size_t> port_columns_;  ///< by place_of()
  std::size_t patterns_ = 0, near_fields_ = 0, couplings_ = 0;       ///< passed so far
};

void Arrays::visit_mesh() {
  const auto& segments = context_.problem.structure.segments();
  counting_axis("S", "/segment_number", segments.size(), 1, "NEC segment number, from 1");
  add(pointers(segments), "S");
  if (std::ranges::any_of(context_.problem.runs,
                          [](const Run& run) { return run.ground.takes_wires(); }))
    visitor_.attribute("/mesh", "segments_in_ground",
                       std::int64_t{std::ranges::count_if(segments, [](const Segment& s) {
                         return s.start_m.z + s.end_m.z < 0;
                       })});
}

template <class Place>
void Arrays::add_matrix(std::string_view path,
                        std::vector<Complex> FrequencyResult::*member,
                        const Place& place) {
  const std::vector<Listed> all_fields = fields_of(FrequencyResult());
  const Field field = std::ranges::find_if(all_fields, [&](const Listed& listed) {
                        return listed.field.path == path;
                      })->field;
  ResultArray array;
  if (!begin(array, field, "")) return;
  const auto& all = solution_.frequencies;
  const std::size_t block = array.shape[1] * array.shape[2];
  std::vector<Complex> values(all.size() * block, {nan, nan});
  for (std::size_t f = 0; f < all.size(); ++f) {
    std::vector<std::size_t> columns;
    for (const PortResult& port : all[f].ports)
      columns.push_back(port_columns_.at(place_of(port)));
    const std::vector<Complex>& matrix = all[f].*member;
    for (std::size_t i = 0; i < matrix.size(); ++i)
      values[f * block + place(columns, i / columns.size(), i % columns.size())] =
          matrix[i];
  }
  array.values = std::move(values);
  visitor_.array(std::move(array));
}

void Arrays::visit_ports() {
  const auto& all = solution_.frequencies;
  std::vector<std::vector<ConnectionFields>> connections;
  std::vector<const std::vector<PortResult>*> ports;
  for (const FrequencyResult& result : all) {
    ports.push_back(&result.ports);
    connections.push_back(connection_fields(result));
  }
  add_ports("P", "/port_number", "port, from 1", ports);
  add_ports("C", "/network/connection_number", "segment that networks connect to, from 1",
            pointers(connections));
  const std::size_t count = port_columns_.size();
  if (const auto& parameters = context_.problem.parameters; !parameters.empty()) {
    std::vector<std::string> names;
    std::vector<double> values;
    for (const Parameter& parameter : parameters) {
      names.push_back(parameter.name);
      values.push_back(parameter.value);
    }
    axis("V", "/parameter", names, "1",
         "symbol of the deck that impedances are derived by");
    if (visitor_.wants("/port/parameter_value"))
      visitor_.array({"/port/parameter_value",
                      "1",
                      "its value",
                      {"/parameter"},
                      {values.size()},
                      values});
    add_matrix("/port/impedance_derivative_ohm",
               &FrequencyResult::impedance_derivative_ohm,
               [width = names.size()](auto& columns, std::size_t v, std::size_t p) {
                 return columns[p] * width + v;
               });
  }
  if (std::ranges::all_of(all, [](auto& r) { return r.port_impedance_ohm.empty(); }))
    return;
  // A dimension cannot stand twice in one netCDF variable, hence the second axis.
  counting_axis("Q", "/fed_port_number", count, 1, "port that carries the current");
  add_matrix("/port/impedance_matrix_ohm", &FrequencyResult::port_impedance_ohm,
             [count](auto& columns, std::size_t p, std::size_t q) {
               return columns[p] * count + columns[q];
             });
}

void Arrays::visit_frequencies() {
  const auto& all = solution_.frequencies;
  axes_["F"] = {"/frequency_hz", all.size()};
  add(pointers(all), "F");
  for (std::size_t f = 0; f < all.size(); ++f) {
    const std::size_t count = all[f].solver.residual_history.size();
    if (count == 0) continue;
    const std::string number = fmt::format("{}", f);
    counting_axis("I", "/solver/iteration_" + number, count, 0, "iteration");
    add(std::vector{&all[f].solver}, "I", number);
  }
}

std::string Arrays::begin_group(const char* name, std::size_t& count,
                                const RunResults& run) {
  const auto& all = solution_.frequencies;
  std::vector<double> frequency_hz;
  for (const FrequencyResult* result : run) frequency_hz.push_back(result->frequency_hz);
  // Patterns and near fields of one run among several have an axis of their own.
  const std::size_t index = run.front()->run;
  const std::string path = fmt::format("/run_{}_frequency_hz", index);
  Axis& along = axes_["f"];
  if (all.front().run == all.back().run)
    along = axes_["F"];
  else if (along.path != path)
    axis("f", path, frequency_hz, "Hz", fmt::format("frequency, those of run {}", index));
  const std::string number = fmt::format("{}", count++),
                    group = fmt::format("/{}/{}", name, number);
  const std::string frequencies = group + "/frequency_hz";
  if (visitor_.wants(frequencies))
    visitor_.array({frequencies,
                    "Hz",
                    "frequency",
                    {along.path},
                    {run.size()},
                    std::move(frequency_hz)});
  visitor_.attribute(group, "run", static_cast<std::int64_t>(index));
  return number;
}

void Arrays::visit_pattern(const RunResults& run, std::size_t request) {
  const std::string k = begin_group("pattern", patterns_, run);
  std::vector<const PatternResult*> rows;
  std::vector<const GainDerivatives*> derivatives;
  for (const FrequencyResult* result : run) {
    rows.push_back(&result->patterns[request]);
    const auto found =
        std::ranges::find(result->gain_derivatives, request, &GainDerivatives::pattern);
    derivatives.push_back(found == result->gain_derivatives.end() ? nullptr : &*found);
  }
  const PatternResult& first = *rows[0];
  axes_["T"] = {fmt::format("/pattern/{}/theta_deg", k), first.theta_deg.size()};
  axes_["A"] = {fmt::format("/pattern/{}/phi_deg", k), first.phi_deg.size()};
  add(std::vector{&first}, "T", k);
  add(std::vector{&first}, "A", k);
  add(rows, "f", k, [&run](Field& field) {
    if (!run[0]->wave || field.path != std::string_view("/pattern/<k>/gain_dbi")) return;
    field.unit = "dB";
    field.long_name = "scattering cross section over wavelength squared";
  });
  if (std::ranges::any_of(derivatives, [](auto* row) { return row; }))
    add(derivatives, "f", k);
  visitor_.attribute("/pattern/" + k, "mode",
                     static_cast<std::int64_t>(first.request.mode));
}

/// Coordinates of a near field's points, the first running fastest.
struct GridAxis {
  const char *name, *units, *long_name;
};
constexpr GridAxis grid_axes[3][3] = {
    {{"x_m", "m", "x"}, {"y_m", "m", "y"}, {"z_m", "m", "z"}},
    {{"r_m", "m", "distance from the origin"},
     {"phi_deg", "deg", "azimuth from +x"},
     {"theta_deg", "deg", "angle from +z"}},
    {{"z_m", "m", "height"},
     {"phi_deg", "deg", "azimuth from +x"},
     {"rho_m", "m", "horizontal distance from the origin"}},
};

void Arrays::visit_near_field(const RunResults& run, std::size_t request) {
  const std::string k = begin_group("near_field", near_fields_, run);
  std::vector<const NearFieldResult*> rows;
  for (const FrequencyResult* result : run) rows.push_back(&result->near_fields[request]);
  const NearFieldRequest& of = rows[0]->request;
  for (std::size_t i = 0; i < 3; ++i) {
    const auto [name, units, long_name] = grid_axes[static_cast<std::size_t>(of.grid)][i];
    std::vector<double> values;
    for (std::int64_t j = 0; j < of.count[i]; ++j)
      values.push_back(of.start[i] + of.step[i] * static_cast<double>(j));
    axis(fmt::format("n{}", i + 1), fmt::format("/near_field/{}/{}", k, name),
         std::move(values), units, long_name);
  }
  add(std::vector{rows[0]}, "n3", k);
  add(rows, "f", k);
  visitor_.attribute("/near_field/" + k, "grid", std::string(grid_name(of.grid)));
}

void Arrays::visit_couplings(const RunResults& run) {
  const std::string k = begin_group("coupling", couplings_, run);
  const std::vector<CouplingResult>& pairs = run[0]->couplings;
  std::vector<const CouplingResult*> rows;
  for (const FrequencyResult* result : run)
    for (std::size_t i = 0; i < pairs.size(); ++i)
      rows.push_back(i < result->couplings.size() ? &result->couplings[i] : nullptr);
  counting_axis("K", fmt::format("/coupling/{}/pair_number", k), pairs.size(), 1,
                "pair of segments");
  add(pointers(pairs), "K", k);
  add(rows, "f K", k);
}

void Arrays::visit_all() {
  axis("xyz", "/xyz", std::vector<std::string>{"x", "y", "z"}, "1", "component");
  visit_mesh();
  visit_frequencies();
  visit_ports();
  if (port_columns_.size() > 0)
    visitor_.attribute("/port", "reference_impedance_ohm", context_.reference_ohm);
  for (const RunResults& run : by_run(solution_)) {
    const FrequencyResult& first = *run.front();
    for (std::size_t i = 0; i < first.patterns.size(); ++i) visit_pattern(run, i);
    for (std::size_t i = 0; i < first.near_fields.size(); ++i)
      if (!first.near_fields[i].field.empty()) visit_near_field(run, i);
    if (!first.couplings.empty()) visit_couplings(run);
  }
}

}  // namespace

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    words.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

void visit_fields(const std::function<void(const Field& field, const char* type)>& use) {
  std::set<std::string_view> known;
  const auto add = [&](const auto& value, const Field& field, bool, bool) {
    if (known.insert(field.path).second) use(field, python_type(value));
  };
  Fields list(nullptr, "", add);
  NearFieldResult electric, magnetic;
  magnetic.request.field = NearFieldRequest::Field::magnetic;
  const auto describe_all = [&list](const auto&... records) {
    (describe_const(records, list), ...);
  };
  describe_all(FrequencyResult(), PortResult(), ConnectionFields(), Segment(),
               PatternResult(), GainDerivatives(), electric, magnetic, CouplingResult());
}

void visit_arrays(const Problem& problem, const Solution& solution, double reference_ohm,
                  ArrayVisitor& visitor) {
  Arrays(problem, solution, reference_ohm, visitor).visit_all();
}

}  // namespace thinwire
