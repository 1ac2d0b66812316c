#pragma once

#include <complex>
#include <memory>
#include <span>
#include <vector>

#include "kernels/base/run_times.h"
#include "papers/assembly/assembly.h"

namespace thinwire {

/// Times the assembly of one matrix. Mesh, connectivity and colours are in place, and
/// what scatters clear is in their time.
class AssemblyBench {
 public:
  virtual ~AssemblyBench() = default;
  /// colouring: of methods that want one.
  virtual RunTimes measure(AssemblyMethod method, const Colouring& colouring) = 0;
  /// y = A x with what was assembled last. x: [3 nodes].
  virtual std::vector<std::complex<double>> product(
      std::span<const std::complex<double>> x) = 0;
};

/// On the CPU. repeats: as in time_runs(). body and connectivity must outlive it.
std::unique_ptr<AssemblyBench> make_host_assembly_bench(const ElasticBody& body,
                                                        const Connectivity& connectivity,
                                                        int repeats);
/// On the current GPU. Throws Error{memory}, Error{device}.
std::unique_ptr<AssemblyBench> make_device_assembly_bench(
    const ElasticBody& body, const Connectivity& connectivity, int repeats);

/// Seconds of up to `repeats` runs, one at least; no more than fit in half a second.
template <class Run>
RunTimes time_runs(int repeats, Run&& seconds_of_run) {
  constexpr double max_seconds = 0.5;
  std::vector<double> seconds;
  double sum = 0;
  while (seconds.empty() ||
         (seconds.size() < static_cast<std::size_t>(repeats) && sum < max_seconds)) {
    seconds.push_back(seconds_of_run());
    sum += seconds.back();
  }
  return summarise(std::move(seconds));
}

}  // namespace thinwire
