#include "mom/gpu/gpu.h"

#include <gtest/gtest.h>

#include <fstream>

#include "kernels/base/error.h"
#include "tests/io/temporary_folder.h"

namespace thinwire {
namespace {

namespace fs = std::filesystem;
using test::TemporaryFolder;

GpuModule load_from(const fs::path& folder) {
  return load_gpu_module(std::vector<fs::path>{folder});
}

TEST(GpuModule, SaysThatItIsNotInstalled) {
  const GpuModule module = load_from("/nonexistent");
  EXPECT_EQ(module.gpu, nullptr);
  EXPECT_NE(module.problem.find("is not installed"), std::string::npos) << module.problem;
  EXPECT_NE(module.problem.find("-DTHINWIRE_CUDA=on"), std::string::npos);
}

TEST(GpuModule, TellsABrokenOneFromAMissingDriver) {
  const TemporaryFolder folder;
  std::ofstream(folder / gpu_module_file) << "no library";
  const GpuModule module = load_from(folder.path());
  EXPECT_EQ(module.gpu, nullptr);
  EXPECT_EQ(module.problem.find("is not installed"), std::string::npos);
  const bool no_driver = module.problem.find("no NVIDIA driver") != std::string::npos;
  const bool broken = module.problem.find("does not load") != std::string::npos;
  EXPECT_TRUE(no_driver || broken) << module.problem;
}

TEST(GpuModule, ReportAndModuleAgree) {
  const DeviceReport report = gpu_report();
  EXPECT_EQ(report.problem.empty(), !report.devices.empty());
  if (gpu_module().gpu == nullptr) {
    EXPECT_EQ(report.problem, gpu_module().problem);
    EXPECT_EQ(gpu_report(0).problem, report.problem);
    EXPECT_THROW((void)require_gpu(), Error);
    EXPECT_THROW((void)require_gpu_function("thinwire_gpu_module"), Error);
    return;
  }
  EXPECT_TRUE(report.module);
  EXPECT_NE(require_gpu_function("thinwire_gpu_module"), nullptr);
  EXPECT_THROW((void)require_gpu_function("thinwire_without_this"), Error);
  EXPECT_EQ(gpu_report(0).devices.front().name, report.devices.front().name);
  EXPECT_FALSE(gpu_report(999).problem.empty());
  try {
    (void)require_gpu().use(999);
    ADD_FAILURE() << "cuda:999 was accepted";
  } catch (const Error& error) {
    // An exception that crosses from the module into the program stays what it is.
    EXPECT_EQ(error.kind(), ErrorKind::device);
    EXPECT_EQ(std::string(error.what()).find("cuda"), 0u) << error.what();
  }
}

}  // namespace
}  // namespace thinwire
