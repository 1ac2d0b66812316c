#include "cli/tuning_cache.h"

#include <fmt/format.h>
#include <omp.h>

#include <cstdlib>
#include <fstream>

#include "bench/cpu_rates_file.h"
#include "cg/direct/direct.h"
#include "cli/machine.h"
#include "io/result/output_file.h"
#include "io/result/output_guard.h"
#include "kernels/base/error.h"
#include "kernels/base/printable.h"
#include "mom/gpu/gpu.h"
#include "mom/plan/measure_cpu.h"
#include "mom/plan/planner.h"

namespace thinwire::cli {
namespace fs = std::filesystem;

fs::path tuning_folder() {
  // The XDG base directory specification: a relative path is to be ignored.
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache && *cache == '/')
    return fs::path(cache) / "thinwire";
  if (const char* home = std::getenv("HOME"); home && *home)
    return fs::path(home) / ".cache" / "thinwire";
  return {};
}

fs::path writable_tuning_file(const std::string& gpu_name) {
  const fs::path folder = tuning_folder();
  if (folder.empty())
    throw Error(ErrorKind::file,
                "tune --apply: no cache folder (neither XDG_CACHE_HOME nor HOME is set). "
                "Set one of them.");
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed)
    throw Error(
        ErrorKind::file,
        fmt::format("{}: cannot be made ({}). Set XDG_CACHE_HOME to a folder that "
                    "is writable.",
                    shown(folder), failed.message()));
  fs::path path = folder / tuning_file_name(gpu_name);
  check_writable({path, "a tuning of tune --apply", Overwrite::any});
  return path;
}

namespace {

/// The text of a file that holds a few numbers. Throws Error{file} with the reason alone.
std::string small_text(const fs::path& path) {
  constexpr std::size_t most = 1 << 16;
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored))
    throw Error(ErrorKind::file, "not a regular file");
  std::ifstream in(path, std::ios::binary);
  if (!in) throw Error(ErrorKind::file, "cannot be read");
  std::string text(most, '\0');
  in.read(text.data(), static_cast<std::streamsize>(most));
  text.resize(static_cast<std::size_t>(in.gcount()));
  return text;
}

CpuIdentity this_cpu(int threads) {
  return {cpu_name(), blas_name(), threads};
}

/// Leaves whatever is wrong with the folder as it is: rates are measured again.
void store(const CpuIdentity& identity, const CpuRates& rates) {
  const fs::path folder = tuning_folder();
  if (folder.empty()) return;
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed) return;
  const fs::path path = folder / cpu_rates_file_name(identity);
  // A pipe there would be waited for.
  if (fs::exists(path, failed) && !fs::is_regular_file(path, failed)) return;
  try {
    write_result_file(path, cpu_rates_json(identity, rates));
  } catch (const Error&) {
  }
}

}  // namespace

StoredTuning load_tuning(const std::string& gpu_name,
                         std::vector<std::string>& warnings) {
  if (tuning_folder().empty()) return {};
  const fs::path path = tuning_folder() / tuning_file_name(gpu_name);
  std::error_code ignored;
  if (!fs::exists(path, ignored)) return {};
  try {
    return parse_tuning(small_text(path), gpu_name);
  } catch (const Error& error) {
    warnings.push_back(
        fmt::format("{}: ignored ({}). Delete it, or run `thinwire tune --apply` again.",
                    shown(path), error.what()));
    return {};
  }
}

StoredTuning stored_tuning(int index, std::vector<std::string>& warnings) {
  std::error_code ignored;
  bool any = false;
  if (!tuning_folder().empty())
    for (const fs::directory_entry& entry :
         fs::directory_iterator(tuning_folder(), ignored))
      any |= entry.path().filename().string().starts_with("tuning-");
  if (!any) return {};
  const Gpu* const gpu = gpu_module().gpu;
  if (gpu == nullptr) return {};
  const std::vector<std::string> names = gpu->names();
  const auto number = static_cast<std::size_t>(index);
  return number < names.size() ? load_tuning(names[number], warnings) : StoredTuning();
}

std::optional<CpuRates> stored_cpu_rates(int threads,
                                         std::vector<std::string>& warnings) {
  if (tuning_folder().empty()) return std::nullopt;
  const CpuIdentity identity = this_cpu(threads);
  const fs::path path = tuning_folder() / cpu_rates_file_name(identity);
  std::error_code ignored;
  if (!fs::exists(path, ignored)) return std::nullopt;
  try {
    return parse_cpu_rates(small_text(path), identity);
  } catch (const Error& error) {
    // Short solves measure nothing, and would warn of the file again and again.
    fs::remove(path, ignored);
    warnings.push_back(fmt::format(
        "{}: ignored ({}) and removed. The next long solve measures the rates again.",
        shown(path), error.what()));
    return std::nullopt;
  }
}

void choose_cpu_rates(Planner& planner, Options& options,
                      std::vector<std::string>& warnings) {
  // Less than half of what makes `auto` look for a GPU: by the rates of another CPU a
  // prediction may be off by more than that. What is stored costs a millisecond.
  constexpr double worth_measuring_s = 0.2, worth_reading_s = 0.02;
  // A GPU that is asked for, or a precision that only it has, leaves nothing to choose.
  if (options.device.kind == DeviceRequest::Kind::cuda ||
      options.precision != PrecisionChoice::in_double)
    return;
  const double by_default_s = planner.seconds_on_cpu(options);
  if (by_default_s < worth_reading_s) return;
  const int threads = options.threads > 0 ? options.threads : omp_get_max_threads();
  if (const std::optional<CpuRates> stored = stored_cpu_rates(threads, warnings)) {
    options.cpu_rates = *stored;
    return;
  }
  if (by_default_s < worth_measuring_s) return;
  try {
    options.cpu_rates = measured_cpu_rates(threads);
    store(this_cpu(threads), options.cpu_rates);
  } catch (const Error&) {
    // Too little memory for a small matrix: the solve will say so.
  }
}

}  // namespace thinwire::cli
