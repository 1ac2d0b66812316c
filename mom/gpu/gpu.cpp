#include "mom/gpu/gpu.h"

#include <atomic>

#include <dlfcn.h>
#include <fmt/format.h>

#include "kernels/base/error.h"
#include "mom/gpu/gpu_module.h"
#include "mom/gpu/module_folders.h"

namespace thinwire {
namespace {

namespace fs = std::filesystem;

bool driver_answers() {
  void* const driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  return driver != nullptr;  // never closed: CUDA will want it
}

GpuModule problem(std::string text) {
  return {nullptr, std::move(text)};
}

}  // namespace

GpuModule load_gpu_module(const std::vector<fs::path>& folders) {
  const fs::path file = find_module(folders, gpu_module_file);
  if (file.empty())
    return problem(
        fmt::format("cuda: thinwire's CUDA module ({}) is not installed. Build thinwire "
                    "with -DTHINWIRE_CUDA=on, or use --device cpu.",
                    gpu_module_file));
  // Asked first: CUDA's libraries take a while to load.
  if (!driver_answers())
    return problem(
        "cuda: no NVIDIA driver answers. Install the driver, or use --device cpu.");
  void* const module = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (module == nullptr)
    return problem(
        fmt::format("cuda: the CUDA module does not load ({}). Install the "
                    "CUDA libraries that it names, or use --device cpu.",
                    dlerror()));
  const auto entry =
      reinterpret_cast<GpuModuleEntry*>(dlsym(module, gpu_module_entry_name));
  if (entry == nullptr)
    return problem(
        fmt::format("cuda: {} is no thinwire module. Install thinwire again, "
                    "or use --device cpu.",
                    file.string()));
  const Gpu* const gpu = entry(gpu_module_version);
  if (gpu == nullptr)
    return problem(
        fmt::format("cuda: {} is of another version than this program ({}). "
                    "Install both from one build, or use --device cpu.",
                    file.string(), gpu_module_version));
  return {gpu, "", module};
}

namespace {
std::atomic<bool> module_loaded = false;
}

const GpuModule& gpu_module() {
  static const GpuModule module = [] {
    GpuModule found = load_gpu_module(module_folders());
    module_loaded = found.gpu != nullptr;
    return found;
  }();
  return module;
}

bool gpu_module_loaded() {
  return module_loaded;
}

DeviceReport gpu_report() {
  const GpuModule& module = gpu_module();
  if (module.gpu != nullptr) return module.gpu->report();
  DeviceReport report;
  report.problem = module.problem;
  return report;
}

DeviceReport gpu_report(int index) {
  const GpuModule& module = gpu_module();
  DeviceReport report;
  report.problem = module.problem;
  if (module.gpu == nullptr) return report;
  report.module = true;
  try {
    report.devices.push_back(module.gpu->use(index));
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::device) throw;
    report.problem = error.what();
    if (const std::vector<std::string> names = module.gpu->names();
        index >= 0 && static_cast<std::size_t>(index) < names.size()) {
      DeviceInfo& info = report.devices.emplace_back();
      info.index = index;
      info.name = names[static_cast<std::size_t>(index)];
      info.problem = report.problem;
    }
  }
  return report;
}

const Gpu& require_gpu() {
  const GpuModule& module = gpu_module();
  if (module.gpu == nullptr) throw Error(ErrorKind::device, module.problem);
  return *module.gpu;
}

void* require_gpu_function(const char* name) {
  (void)require_gpu();
  if (void* const found = dlsym(gpu_module().handle, name)) return found;
  throw Error(ErrorKind::device,
              fmt::format("cuda: thinwire's CUDA module has no {}. Install thinwire "
                          "again, or use --device cpu.",
                          name));
}

}  // namespace thinwire
