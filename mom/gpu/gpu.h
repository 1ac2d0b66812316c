#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cg/multi_gpu_product_timer.h"
#include "kernels/device/device_info.h"
#include "kernels/matrix/product_timer.h"

namespace thinwire {

class Backend;
class Comm;
class BatchSolver;  // mom/schedule/batch_solver.h

/// The GPUs of this machine. Everything of CUDA is in a module, a shared library that is
/// loaded when a GPU is first asked for: one program serves machines with and without
/// GPUs, and commands that need none start without CUDA's libraries (0.2 s).
class Gpu {
 public:
  virtual ~Gpu() = default;

  /// Reports the GPUs of this machine. Starts CUDA. Does not throw where there is none.
  virtual DeviceReport report() const = 0;

  /// The names of all GPUs; empty where there is none. Takes no memory of them, as
  /// report() does, which looks at each from inside.
  virtual std::vector<std::string> names() const = 0;

  /// Makes cuda:index the GPU of the calling thread. Throws Error{device}: no driver
  /// answers, no such GPU, no code for it.
  virtual DeviceInfo use(int index) const = 0;

  /// The GPU in use, for solving. Throws Error{device}.
  virtual std::unique_ptr<Backend> backend() const = 0;
  /// Several GPUs that share a dense matrix, weights the sizes of their shares, and
  /// fields; whatever else there is to do, the first does alone. Throws Error{device}.
  virtual std::unique_ptr<Backend> backend(std::span<const int> devices,
                                           std::span<const double> weights) const = 0;
  /// The GPU in use as one of those of `ranks`, who share dense matrices by weights; all
  /// of them make one together, and it does not outlive ranks. Throws Error{device}.
  virtual std::unique_ptr<Backend> backend(const Comm& ranks,
                                           std::span<const double> weights) const = 0;

  /// Returns the solver of batches of small systems on the GPU in use. Throws
  /// Error{device}.
  virtual std::unique_ptr<BatchSolver> batch_solver() const = 0;

  /// Bytes beside the matrix that the symmetric product takes (DeviceSymv::bytes).
  virtual std::size_t product_bytes(PackedTiles layout, Storage storage, int rhs_count,
                                    int multiprocessors, SymvSetting setting) const = 0;

  /// Times of n x n products on the GPU in use; n, repeats >= 1. Throws Error{memory},
  /// Error{device}.
  virtual std::unique_ptr<ProductBench> product_bench(std::size_t n,
                                                      int repeats) const = 0;

  /// Times of n x n products in complex double by GPUs that share the matrix
  /// (cg/multi_gpu_product_timer.h).
  virtual MultiGpuProductTimes multi_gpu_product(std::size_t n,
                                                 std::span<const int> devices,
                                                 int repeats) const = 0;

  /// Rates of GPUs that are to share a matrix (cg/device_product_rates.h): bytes a
  /// second, measured once in the life of the process; 0: not measured, for want of
  /// memory.
  virtual std::vector<double> product_rates(std::span<const int> devices) const = 0;
};

/// The module, or the one line that says why there is none and what to do.
struct GpuModule {
  const Gpu* gpu = nullptr;
  std::string problem;
  void* handle = nullptr;  ///< of dlopen()
};

/// Looks for the module in these folders, in order, and loads the first that is there; it
/// stays loaded. Distinguishes a missing module, a missing NVIDIA driver, and a module
/// that does not load or is of another version. (Gpu::report() covers a missing GPU.)
GpuModule load_gpu_module(const std::vector<std::filesystem::path>& folders);

/// Loads the module at the first call, from module_folders().
const GpuModule& gpu_module();
/// Whether that has been called and found one.
bool gpu_module_loaded();

/// Reports the GPUs, with or without the module. Does not throw where there is none.
DeviceReport gpu_report();
/// Reports on cuda:index alone, which becomes the GPU of the calling thread. Does not
/// touch the other GPUs or their memory.
DeviceReport gpu_report(int index);

/// The module; throws Error{device} with its problem where there is none.
const Gpu& require_gpu();

/// Returns a function that the module exports beside the one that returns its Gpu, for
/// parts of the program that build on this one. Throws Error{device} where there is no
/// module or it has no function of this name.
void* require_gpu_function(const char* name);

/// The file's name.
inline constexpr const char* gpu_module_file = "libthinwire_cuda.so";

}  // namespace thinwire
