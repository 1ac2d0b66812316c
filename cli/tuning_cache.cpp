#include "cli/tuning_cache.h"

#include <fmt/format.h>

#include <thinwire_version.h>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "io/output_file.h"
#include "kernels/device.h"
#include "kernels/error.h"
#include "kernels/symv_runs.h"

namespace thinwire::cli {
namespace fs = std::filesystem;
namespace {

constexpr const char* format_name = "thinwire-tuning";
constexpr int format_version = 1;

/// A file name of letters, digits and dashes.
std::string slug(const std::string& name) {
  std::string out;
  for (const char c : name) {
    const bool upper = 'A' <= c && c <= 'Z';
    const bool plain = ('a' <= c && c <= 'z') || ('0' <= c && c <= '9');
    if (upper || plain)
      out += static_cast<char>(upper ? c - 'A' + 'a' : c);
    else if (!out.empty() && out.back() != '-')
      out += '-';
  }
  return out.empty() ? "gpu" : out;
}

/// An integer of the file in 0 .. most. Throws nlohmann's exceptions, or std::string.
int setting(const nlohmann::json& file, const char* name, int most) {
  const nlohmann::json& value = file.at(name);
  if (!value.is_number_integer()) throw fmt::format("{} is not a whole number", name);
  const auto number = value.get<std::int64_t>();
  if (number < 0 || number > most)
    throw fmt::format("{} must be 0 .. {} (got {})", name, most, number);
  return static_cast<int>(number);
}

StoredTuning parse_tuning(const std::string& text, const std::string& gpu_name) {
  const nlohmann::json file = nlohmann::json::parse(text);
  if (file.at("format") != format_name || file.at("version") != format_version)
    throw std::string("not a tuning file of this program");
  if (file.at("program_version") != THINWIRE_VERSION)
    throw fmt::format("made by another version, {}", file.at("program_version").dump());
  if (file.at("gpu") != gpu_name)
    throw fmt::format("made for another GPU, {}", file.at("gpu").dump());
  return {setting(file, "row_threads", 1024), setting(file, "symv_runs_per_block", 16)};
}

}  // namespace

fs::path tuning_folder() {
  // The XDG base directory specification: a relative path is to be ignored.
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache && *cache == '/')
    return fs::path(cache) / "thinwire";
  if (const char* home = std::getenv("HOME"); home && *home)
    return fs::path(home) / ".cache" / "thinwire";
  return {};
}

fs::path tuning_file(const std::string& gpu_name) {
  return tuning_folder() /
         fmt::format("tuning-{}-{}.json", slug(gpu_name), THINWIRE_VERSION);
}

fs::path store_tuning(const std::string& gpu_name, const StoredTuning& tuning) {
  if (tuning_folder().empty())
    throw Error(ErrorKind::file,
                "tune --apply: no cache folder (neither XDG_CACHE_HOME nor HOME is set). "
                "Set one of them.");
  std::error_code failed;
  fs::create_directories(tuning_folder(), failed);
  if (failed)
    throw Error(
        ErrorKind::file,
        fmt::format("{}: cannot be made ({}). Set XDG_CACHE_HOME to a folder that "
                    "is writable.",
                    tuning_folder().string(), failed.message()));
  const nlohmann::ordered_json file = {
      {"format", format_name},
      {"version", format_version},
      {"comment", std::string(text_signature) + " tune --apply"},
      {"program_version", THINWIRE_VERSION},
      {"gpu", gpu_name},
      {"row_threads", tuning.row_threads},
      {"symv_runs_per_block", tuning.symv_runs_per_block}};
  const fs::path path = tuning_file(gpu_name);
  write_text_file(path, file.dump(2) + '\n');
  return path;
}

StoredTuning load_tuning(const std::string& gpu_name,
                         std::vector<std::string>& warnings) {
  if (tuning_folder().empty()) return {};
  const fs::path path = tuning_file(gpu_name);
  std::error_code ignored;
  if (!fs::exists(path, ignored)) return {};
  std::string why;
  try {
    std::ifstream in(path, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    if (!in) throw std::string("cannot be read");
    return parse_tuning(text.str(), gpu_name);
  } catch (const std::string& problem) {
    why = problem;
  } catch (const nlohmann::json::exception&) {
    why = "damaged";
  }
  warnings.push_back(
      fmt::format("{}: ignored ({}). Delete it, or run `thinwire tune --apply` again.",
                  path.string(), why));
  return {};
}

StoredTuning apply_stored_tuning(int index, std::vector<std::string>& warnings) {
  std::error_code ignored;
  bool any = false;
  if (!tuning_folder().empty())
    for (const fs::directory_entry& entry :
         fs::directory_iterator(tuning_folder(), ignored))
      any |= entry.path().filename().string().starts_with("tuning-");
  if (!any) return {};
  for (const DeviceInfo& device : device_report().devices)
    if (device.index == index) {
      const StoredTuning tuning = load_tuning(device.name, warnings);
      set_symv_runs_per_block(tuning.symv_runs_per_block);
      return tuning;
    }
  return {};
}

}  // namespace thinwire::cli
