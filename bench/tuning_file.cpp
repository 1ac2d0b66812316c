#include "bench/tuning_file.h"

#include <fmt/format.h>

#include <thinwire_version.h>
#include <nlohmann/json.hpp>

#include "bench/file_slug.h"
#include "io/result/checked_json.h"
#include "io/result/output_file.h"
#include "kernels/base/error.h"

namespace thinwire {
namespace {

constexpr const char* tuning_format_name = "thinwire-tuning";
constexpr int tuning_format_version = 2;

/// An integer of the file in 0 .. most.
int setting(const nlohmann::ordered_json& file, const char* name, int most) {
  const nlohmann::ordered_json& value = file.at(name);
  if (!value.is_number_integer())
    refuse_file(fmt::format("{} is not a whole number", name));
  const auto number = value.get<std::int64_t>();
  if (number < 0 || number > most)
    refuse_file(fmt::format("{} must be 0 .. {} (got {})", name, most, number));
  return static_cast<int>(number);
}

/// The name of a compiled shape, or empty.
std::string shape_setting(const nlohmann::ordered_json& file) {
  const nlohmann::ordered_json& value = file.at("symv_shape");
  if (!value.is_string()) refuse_file("symv_shape is not a text");
  auto name = value.get<std::string>();
  if (!name.empty() && find_symv_shape(name) < 0)
    refuse_file(fmt::format("symv_shape {} is none of this program's", value.dump()));
  return name;
}

}  // namespace

SymvSetting symv_setting(const StoredTuning& tuning) {
  SymvSetting setting;
  if (!tuning.symv_shape.empty()) setting.shape = find_symv_shape(tuning.symv_shape);
  if (tuning.symv_runs_per_block > 0) setting.runs_per_block = tuning.symv_runs_per_block;
  return setting;
}

std::string tuning_file_name(std::string_view gpu_name) {
  return fmt::format("tuning-{}-{}.json", file_slug(gpu_name, "gpu"), THINWIRE_VERSION);
}

std::string tuning_json(const std::string& gpu_name, const StoredTuning& tuning) {
  const nlohmann::ordered_json file = {
      {"format", tuning_format_name},
      {"version", tuning_format_version},
      {"comment", std::string(text_signature) + " tune --apply"},
      {"program_version", THINWIRE_VERSION},
      {"gpu", gpu_name},
      {"row_threads", tuning.row_threads},
      {"symv_shape", tuning.symv_shape},
      {"symv_runs_per_block", tuning.symv_runs_per_block}};
  return checked_json(file);
}

StoredTuning parse_tuning(const std::string& text, const std::string& gpu_name) {
  try {
    const nlohmann::ordered_json file = parse_checked_json(text);
    if (file.at("format") != tuning_format_name ||
        file.at("version") != tuning_format_version)
      refuse_file("not a tuning file of this program");
    if (file.at("program_version") != THINWIRE_VERSION)
      refuse_file(
          fmt::format("made by another version, {}", file["program_version"].dump()));
    if (file.at("gpu") != gpu_name)
      refuse_file(fmt::format("made for another GPU, {}", file["gpu"].dump()));
    return {setting(file, "row_threads", 1024), shape_setting(file),
            setting(file, "symv_runs_per_block", 16)};
  } catch (const nlohmann::json::exception&) {
    refuse_file("damaged");
  }
}

}  // namespace thinwire
