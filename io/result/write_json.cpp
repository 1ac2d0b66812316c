#include "io/result/write_json.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "io/result/field_values.h"
#include "mom/plan/plan.h"
#include "mom/problem/stages.h"

namespace thinwire {
namespace {

// Keys stay in the order in which a reader of the document expects them.
using OrderedJson = nlohmann::ordered_json;

template <class T>
OrderedJson number(const T& value) {
  if constexpr (std::is_same_v<T, Complex>)
    return OrderedJson::array({number(value.real()), number(value.imag())});
  else if constexpr (std::is_floating_point_v<T>)
    return std::isfinite(value) ? OrderedJson(value) : OrderedJson(nullptr);
  else
    return value;
}

OrderedJson boxes_json(BoxSize boxes, bool asked) {
  return {
      {"cells", number(boxes.box)}, {"overlap", number(boxes.overlap)}, {"asked", asked}};
}

/// Makes an object of a record.
class JsonRecord {
 public:
  JsonRecord(FieldContext context, bool is_full) : context_(context), is_full_(is_full) {}

  template <class T>
  void operator()(const T& value, const Field& field = {}) {
    if (!field.name || (field.json == Field::Json::full && !is_full_)) return;
    if constexpr (is_optional<T>) {
      if (value)
        add(*value, field);
      else if (field.json == Field::Json::always)
        json_[field.name] = nullptr;
    } else
      add(value, field);
  }
  template <class Function>
  void derived(const Function& value, const Field& field) {
    if (is_full_ || field.json != Field::Json::full) (*this)(value(context_), field);
  }

  template <Record T>
  OrderedJson object(const T& record) {
    json_ = OrderedJson::object();
    describe_const(record, *this);
    return std::move(json_);
  }

 private:
  template <class T>
  void add(const T& value, const Field& field) {
    if constexpr (is_numbers<T>) {
      if (!value.empty()) add_numbers(value, field);
    } else if constexpr (is_record_list<T>) {
      if (value.empty() && field.json != Field::Json::always) return;
      OrderedJson list = OrderedJson::array();
      for (const auto& record : value) list.push_back(nested(record));
      json_[field.name] = std::move(list);
    } else if constexpr (Record<T>) {
      if (*field.name == '\0')
        describe_const(value, *this);
      else
        json_[field.name] = nested(value);
    } else if constexpr (std::is_same_v<T, std::string>) {
      if (!value.empty() || field.json == Field::Json::always) json_[field.name] = value;
    } else if constexpr (is_number<T>)
      json_[field.name] = number(value);
  }
  /// Adds a list, or of values along V an object by their names. Other lists
  /// of many numbers are for the full document.
  template <class T>
  void add_numbers(const T& values, const Field& field) {
    using List = std::vector<typename T::value_type>;
    const bool by_name = std::string_view(field.axes).ends_with('V');
    if (std::is_same_v<T, List> && !is_full_ && !by_name) return;
    OrderedJson& json = json_[field.name];
    const std::size_t row = std::max<std::size_t>(field.row, 1);
    for (std::size_t i = 0; i < values.size(); i += row) {
      OrderedJson& to =
          by_name ? json[context_.problem.parameters[i / row].name] : json.emplace_back();
      if (field.row == 0)
        to = number(values[i]);
      else
        for (std::size_t j = i; j < i + row; ++j) to.push_back(number(values[j]));
    }
  }
  template <Record T>
  OrderedJson nested(const T& record) const {
    return JsonRecord(context_, is_full_).object(record);
  }

  FieldContext context_;
  bool is_full_;
  OrderedJson json_;
};

std::string text(const OrderedJson& json) {
  // A deck in another encoding than UTF-8 must not break the document.
  return json.dump(1, ' ', false, OrderedJson::error_handler_t::replace) + "\n";
}

}  // namespace

std::string solution_json(const Problem& problem, const Solution& solution,
                          double reference_ohm, bool full) {
  JsonRecord record({problem, reference_ohm}, full);
  OrderedJson frequencies = OrderedJson::array(), timings;
  for (const FrequencyResult& result : solution.frequencies)
    frequencies.push_back(record.object(result));
  for (const Stage& stage : stages_of(solution.timings_s))
    timings[std::string(stage.name)] = number(stage.seconds);
  OrderedJson json = {{"format", "thinwire-solution"},
                      {"version", 1},
                      {"deck", problem.name},
                      {"segments", solution.segments},
                      {"unknowns", solution.unknowns},
                      {"device", solution.device},
                      {"reference_impedance_ohm", reference_ohm},
                      {"warnings", solution.warnings},
                      {"frequencies", std::move(frequencies)}};
  if (full)
    for (const Segment& segment : problem.structure.segments())
      json["mesh"].push_back(record.object(segment));
  json["timings_s"] = std::move(timings);
  return text(json);
}

std::string plan_json(const Problem& problem, const Plan& plan) {
  OrderedJson json = {{"format", "thinwire-plan"},
                      {"version", 1},
                      {"deck", problem.name},
                      {"segments", plan.segments},
                      {"mesh_elements", plan.mesh_elements},
                      {"unknowns", plan.unknowns},
                      {"matrix_bytes", plan.matrix_bytes},
                      {"total_bytes", plan.total_bytes},
                      {"host_bytes", plan.host_bytes},
                      {"device_bytes", plan.device_bytes},
                      {"ranks", plan.solver.ranks},
                      {"fits", plan.shortage.empty()},
                      {"device", plan.device},
                      {"solver", name_of(plan.solver.solver)},
                      {"preconditioner", name_of(plan.solver.preconditioner)},
                      {"operator", name_of(plan.solver.operator_choice)},
                      {"why", plan.solver.why},
                      {"blocks", plan.solver.block_count},
                      {"block_inverses", plan.solver.block_inverses},
                      {"block_bytes", plan.solver.block_bytes},
                      {"ground_table_bytes", plan.ground_table_bytes()},
                      {"ground_table_seconds", number(plan.ground_table_seconds())},
                      {"predicted_iterations", number(plan.predicted_iterations())},
                      {"predicted_seconds", number(plan.predicted_seconds)}};
  if (plan.saved_bytes > 0) json["saved_matrix_bytes"] = plan.saved_bytes;
  if (plan.solver.block_count > 0) {
    json["boxes"] = boxes_json(plan.solver.boxes, plan.boxes_asked);
    json["coarse_functions"] = plan.solver.coarse_functions;
  }
  if (plan.buried.elements > 0)
    json["in_ground"] = {
        {"elements", plan.buried.elements},
        {"frequency_hz", number(plan.buried.frequency_hz)},
        {"k_rad_per_m", number(plan.buried.k_rad_per_m)},
        {"longest_wavelengths", number(plan.buried.longest_wavelengths)}};
  if (plan.lattice_antennas > 0)
    json["lattice"] = {{"antennas", plan.lattice_antennas},
                       {"places", plan.lattice_places},
                       {"displacements", plan.lattice_displacements()}};
  if (plan.grid)
    json["grid"] = {{"nodes", plan.grid->grid.size},
                    {"spacing_m", number(plan.grid->spacing_m)},
                    {"near_radius_m", number(plan.grid->near_radius_m)},
                    {"near_entries_per_row", number(plan.grid->near_entries_per_row)},
                    {"class", number(plan.grid->grid_class.tolerance)},
                    {"bytes", number(plan.grid->bytes)},
                    {"seconds_per_product", number(plan.grid->seconds_per_product)}};
  return text(json);
}

}  // namespace thinwire
