#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "io/result/field_values.h"
#include "io/result/result_arrays.h"
#include "io/result/write_json.h"
#include "tests/io/result/sample_solution.h"
#include "tests/messages.h"

// The reference of file formats follows from mom/postprocess/result_fields.h. After a
// change of fields, THINWIRE_UPDATE_REFERENCE=1 io_tests --gtest_filter=Reference.*
// writes it anew.
namespace thinwire {
namespace {

using Json = nlohmann::ordered_json;

std::string reference(const std::string& name) {
  return THINWIRE_SOURCE_DIR "/docs/reference/" + name;
}

/// Compares a file with what it has to be, or writes that.
void expect_file(const std::string& path, const std::string& expected) {
  if (std::getenv("THINWIRE_UPDATE_REFERENCE")) std::ofstream(path) << expected;
  std::ifstream in(path);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(in), {}), expected)
      << path << " is not what the fields say: see tests/io/result/reference_test.cpp.";
}

std::string table_of_arrays() {
  std::ostringstream table;
  table << "| path | shape, unit | meaning |\n|---|---|---|\n";
  visit_fields([&table](const Field& field, std::string_view type) {
    std::string axes = field.axes, meaning = field.long_name;
    for (std::size_t i = 0; (i = axes.find(' ', i)) != axes.npos; i += 2)
      axes.replace(i, 1, ", ");
    for (std::size_t i = 0; (i = meaning.find('|', i)) != meaning.npos; i += 2)
      meaning.insert(i, "\\");
    table << "| `" << field.path << "` | [" << axes << "]";
    if (type == "complex") table << " complex";
    if (type == "str") table << " texts";
    if (field.unit != std::string_view("1")) table << ", " << field.unit;
    table << " | " << meaning << " |\n";
  });
  return table.str();
}

TEST(Reference, HasTheTableOfArrays) {
  std::ifstream in(reference("formats.md"));
  std::string page(std::istreambuf_iterator<char>(in), {});
  const std::string begin = "<!-- arrays -->\n", end = "<!-- end of arrays -->\n";
  ASSERT_TRUE(contains(page, begin));
  const std::size_t from = page.find(begin) + begin.size();
  page.replace(from, page.find(end) - from, table_of_arrays());
  expect_file(reference("formats.md"), page);
}

const Json number = {{"type", {"number", "null"}}};

/// JSON schema of a record.
class Schema {
 public:
  template <class T>
  void operator()(const T& value, const Field& field = {}) {
    if (field.name) add(value, field, field.json != Field::Json::full);
  }
  template <class Function>
  void derived(const Function&, const Field& field) {
    (*this)(std::decay_t<std::invoke_result_t<Function, const FieldContext&>>(), field);
  }
  template <Record T>
  static Json of(const T& record) {
    Schema schema;
    describe_const(record, schema);
    if constexpr (std::is_same_v<T, NearFieldResult>) {
      T magnetic;
      magnetic.request.field = NearFieldRequest::Field::magnetic;
      describe_const(magnetic, schema);
    }
    return {{"type", "object"},
            {"properties", schema.properties_},
            {"required", schema.required_},
            {"additionalProperties", false}};
  }

 private:
  template <class T>
  void add(const T& value, const Field& field, bool is_required) {
    if constexpr (is_optional<T>) {
      add(typename T::value_type(), field, field.json == Field::Json::always);
    } else if constexpr (Record<T>) {
      if (*field.name == '\0')
        describe_const(value, *this);
      else
        properties_[field.name] = of(value);
    } else if constexpr (is_record_list<T>) {
      properties_[field.name] = {{"type", "array"},
                                 {"items", of(typename T::value_type())}};
    } else if constexpr (is_scalar<T> || is_numbers<T>) {
      Json schema = schema_of<T>(field);
      if (*field.long_name) schema["description"] = field.long_name;
      if (field.unit != std::string_view("1")) schema["unit"] = field.unit;
      properties_[field.name] = std::move(schema);
    }
    if ((is_scalar<T> && is_required && !std::is_same_v<T, std::string>) ||
        field.json == Field::Json::always)
      if (std::ranges::count(required_, field.name) == 0)
        required_.emplace_back(field.name);
  }
  template <class T>
  static Json schema_of(const Field& field) {
    if constexpr (std::is_same_v<T, Complex>)
      return {{"type", "array"}, {"items", number}, {"minItems", 2}, {"maxItems", 2}};
    else if constexpr (is_numbers<T>) {
      Json item = schema_of<typename T::value_type>(field);
      if (field.row > 0 || std::string_view(field.axes).ends_with(" P V") ||
          std::string_view(field.axes).find(' ', 2) != std::string_view::npos)
        item = {{"type", "array"}, {"items", std::move(item)}};
      if (std::string_view(field.axes).ends_with('V'))
        return {{"type", "object"}, {"additionalProperties", std::move(item)}};
      return {{"type", "array"}, {"items", std::move(item)}};
    } else if constexpr (std::is_same_v<T, bool>)
      return {{"type", "boolean"}};
    else if constexpr (std::is_same_v<T, std::string>)
      return {{"type", "string"}};
    else
      return std::is_integral_v<T> ? Json{{"type", "integer"}} : number;
  }

  Json properties_ = Json::object();
  std::vector<std::string> required_;
};

Json schema_of_documents() {
  const Json text = {{"type", "string"}}, whole = {{"type", "integer"}};
  Json json = {
      {"$schema", "https://json-schema.org/draft/2020-12/schema"},
      {"title", "Document of thinwire solve --json [full]"},
      {"type", "object"},
      {"properties",
       {{"format", {{"const", "thinwire-solution"}}},
        {"version", {{"const", 1}}},
        {"deck", text},
        {"segments", whole},
        {"unknowns", whole},
        {"device", text},
        {"reference_impedance_ohm", number},
        {"warnings", {{"type", "array"}, {"items", text}}},
        {"frequencies", {{"type", "array"}, {"items", Schema::of(FrequencyResult())}}},
        {"mesh", {{"type", "array"}, {"items", Schema::of(Segment())}}},
        {"timings_s", {{"type", "object"}, {"additionalProperties", number}}}}},
      {"required", Json::array()},
      {"additionalProperties", false}};
  for (const auto& [name, schema] : json["properties"].items())
    if (name != "mesh") json["required"].push_back(name);
  return json;
}

/// Where a document does not fit a schema, of the words above; "" where it fits.
std::string misfit(const Json& document, const Json& schema, const std::string& at) {
  if (schema.contains("const"))
    return document == schema["const"] ? "" : at + ": is not the constant";
  const std::map<std::string, bool> is = {{"object", document.is_object()},
                                          {"array", document.is_array()},
                                          {"string", document.is_string()},
                                          {"boolean", document.is_boolean()},
                                          {"integer", document.is_number_integer()},
                                          {"number", document.is_number()},
                                          {"null", document.is_null()}};
  const Json types = schema["type"].is_array() ? schema["type"] : Json{schema["type"]};
  if (std::ranges::none_of(types, [&](const Json& type) { return is.at(type); }))
    return at + ": has another type";
  std::string found;
  if (document.is_array()) {
    if (schema.contains("minItems") && document.size() != schema["minItems"])
      return at + ": has another length";
    for (std::size_t i = 0; i < document.size() && found.empty(); ++i)
      found = misfit(document[i], schema["items"], at + "/" + std::to_string(i));
  }
  if (!document.is_object()) return found;
  for (const auto& [name, value] : document.items()) {
    const bool is_known =
        schema.contains("properties") && schema["properties"].contains(name);
    if (!is_known && schema["additionalProperties"] == false) return at + ": has " + name;
    found = misfit(value,
                   is_known ? schema["properties"][name] : schema["additionalProperties"],
                   at + "/" + name);
    if (!found.empty()) return found;
  }
  if (schema.contains("required"))
    for (const Json& name : schema["required"])
      if (!document.contains(name)) return at + ": has no " + name.get<std::string>();
  return "";
}

TEST(Reference, HasTheSchemaOfJsonDocuments) {
  expect_file(reference("solution.schema.json"), schema_of_documents().dump(1) + "\n");
}

TEST(Reference, DocumentsFitTheSchema) {
  test::Sample sample = test::make_sample();
  FrequencyResult& first = sample.solution.frequencies[0];
  first.network_ports = {test::sample_port(7, 2, 4, {1, 2}, {0.02, 0.03})};
  first.wave.emplace();
  first.couplings = {{{1, 4}, 0.5, -12, {50, 1}, {60, 2}}};
  first.near_fields.resize(2);
  first.near_fields[0].field = {1, 2, 3};
  first.near_fields[1].field = {1, 2, nan};
  first.near_fields[1].request.field = NearFieldRequest::Field::magnetic;
  first.solver.boxes.emplace();
  first.solver.why = "asked for";
  first.solver.model_error = first.solver.operator_error =
      first.solver.operator_error_spread = 1e-6;
  sample.problem.parameters.resize(2);
  sample.problem.parameters[0].name = "h";
  sample.problem.parameters[1].name = "d";
  first.impedance_derivative_ohm = {{1, 2}, {3, 4}};
  first.gain_derivatives = {{0, 90, 0, 2, 1, {0.5, 1}, {0.25, 2}}};
  const Json schema = schema_of_documents();
  for (const bool full : {false, true}) {
    Json document = Json::parse(solution_json(sample.problem, sample.solution, 50, full));
    EXPECT_EQ(misfit(document, schema, ""), "");
    document["frequencies"][0]["ports"][0].erase("tag");
    EXPECT_EQ(misfit(document, schema, ""), "/frequencies/0/ports/0: has no tag");
    document["frequencies"][0]["run"] = "0";
    EXPECT_NE(misfit(document, schema, ""), "");
  }
}

}  // namespace
}  // namespace thinwire
