// multi_gpu_bench [REPEATS]: products by one GPU and by all of this machine, and what it
// takes to add up their vectors; complex double, then single.
#include <fmt/format.h>

#include <cstdlib>
#include <numeric>
#include <vector>

#include "cg/multi_gpu_product_timer.h"
#include "kernels/base/error.h"
#include "kernels/device/device.h"

int main(int count, char** words) {
  using namespace thinwire;
  const int repeats = count > 1 ? std::atoi(words[1]) : 20;
  std::vector<int> all(device_report().devices.size());
  std::iota(all.begin(), all.end(), 0);
  const std::vector<int> one = {0};
  for (const Storage storage : {Storage::complex_double, Storage::complex_single}) {
    fmt::print("complex {}: {:>8} {:>12} {:>12} {:>8} {:>12} {:>12}\n",
               storage == Storage::complex_double ? "double" : "single", "n", "one, us",
               fmt::format("{} GPUs, us", all.size()), "times", "sum, us", "by host, us");
    for (const std::size_t n : {8192, 16384, 32768, 65536, 98304, 131072}) {
      try {
        const MultiGpuProductTimes alone =
                                       time_multi_gpu_product(n, storage, one, repeats),
                                   team =
                                       time_multi_gpu_product(n, storage, all, repeats),
                                   by_host =
                                       time_multi_gpu_product(n, storage, all, 5, true);
        fmt::print("{:>24} {:>12.1f} {:>12.1f} {:>8.2f} {:>12.1f} {:>12.1f}\n", n,
                   1e6 * alone.product.median_s, 1e6 * team.product.median_s,
                   alone.product.median_s / team.product.median_s,
                   1e6 * team.sum.median_s, 1e6 * by_host.sum.median_s);
      } catch (const Error& error) {
        fmt::print("{:>24} {}\n", n, error.what());
      }
    }
  }
}
