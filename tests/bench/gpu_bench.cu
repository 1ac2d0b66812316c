// Measurements on a GPU, by CUDA events, median of repeats. `gpu_bench WHAT...` with WHAT
// among: product, baseline.
#include <cublas_v2.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "kernels/device_check.cuh"
#include "kernels/device_complex.cuh"
#include "kernels/error.h"
#include "kernels/row_gemv.h"
#include "kernels/symv.h"

namespace thinwire {
namespace {

/// Fills with numbers that look random, the same every time.
template <class Real>
__global__ void scatter(Real* values, std::size_t count, double size) {
  const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count;
       i += step) {
    std::size_t h = (i + 1) * 0x9e3779b97f4a7c15u;
    h = (h ^ (h >> 31)) * 0xbf58476d1ce4e5b9u;
    values[i] = static_cast<Real>(
        size * (static_cast<double>((h ^ (h >> 29)) >> 11) / 9007199254740992.0 - 0.5));
  }
}

void fill_randomly(void* values, std::size_t bytes, bool in_double, double size,
                   const DeviceStream& stream) {
  if (in_double)
    scatter<<<1024, 256, 0, stream.get()>>>(static_cast<double*>(values), bytes / 8,
                                            size);
  else
    scatter<<<1024, 256, 0, stream.get()>>>(static_cast<float*>(values), bytes / 4, size);
  check_launch("scatter");
}

/// Median seconds of `repeats` runs, after two to warm up.
double median_seconds(const DeviceStream& stream, int repeats,
                      const std::function<void()>& run) {
  for (int i = 0; i < 2; ++i) run();
  std::vector<double> seconds;
  DeviceEvent start, stop;
  for (int i = 0; i < repeats; ++i) {
    start.record(stream);
    run();
    stop.record(stream);
    seconds.push_back(stop.seconds_since(start));
  }
  std::sort(seconds.begin(), seconds.end());
  return seconds[seconds.size() / 2];
}

int repeats_for(std::size_t n) {
  return n <= 16384 ? 101 : n <= 65536 ? 31 : 11;
}

double product_seconds(std::size_t n, Storage storage, int sides,
                       const DeviceStream& stream) {
  const PackedTiles layout{n};
  DeviceTiles z(layout, storage);
  fill_randomly(z.data(), z.bytes(), storage == Storage::complex_double, 1, stream);
  DeviceBuffer<Complex> x(layout.padded() * sides, "x"), y(layout.padded() * sides, "y");
  fill_randomly(x.data(), x.bytes(), true, 1, stream);
  DeviceSymv symv(layout, storage, sides);
  return median_seconds(stream, repeats_for(n),
                        [&] { symv.multiply(z, x.data(), y.data(), stream); });
}

void bench_product(const DeviceStream& stream) {
  std::printf("%8s %-8s %5s %10s %9s\n", "N", "storage", "sides", "us", "TB/s");
  for (const Storage storage : {Storage::complex_double, Storage::complex_single})
    for (const int sides : {1, 4})
      for (const std::size_t n : {4096u, 8192u, 8400u, 16384u, 32768u, 65536u, 131072u}) {
        const double seconds = product_seconds(n, storage, sides, stream);
        const double bytes =
            static_cast<double>(DeviceTiles::bytes(PackedTiles{n}, storage));
        std::printf("%8zu %-8s %5d %10.1f %9.3f\n", n,
                    storage == Storage::complex_double ? "double" : "single", sides,
                    1e6 * seconds, 1e-12 * bytes / seconds);
      }
}

void check_cublas(cublasStatus_t status) {
  if (status != CUBLAS_STATUS_SUCCESS)
    throw Error(ErrorKind::device, "cuBLAS: status " + std::to_string(int(status)) + ".");
}

/// What others offer for the same product: cuBLAS on the full matrix, and the paper's one
/// thread a row.
void bench_baseline(const DeviceStream& stream) {
  cublasHandle_t cublas;
  check_cublas(cublasCreate(&cublas));
  check_cublas(cublasSetStream(cublas, stream.get()));
  const cuDoubleComplex one = {1, 0}, zero = {0, 0};
  std::printf("%8s %-28s %10s\n", "N", "product", "us");
  for (const std::size_t n : {4096u, 8192u, 16384u, 32768u, 65536u}) {
    DeviceBuffer<Complex> a(n * n, "a"), x(n, "x"), y(n, "y");
    fill_randomly(a.data(), a.bytes(), true, 1, stream);
    fill_randomly(x.data(), x.bytes(), true, 1, stream);
    const auto* pa = reinterpret_cast<const cuDoubleComplex*>(a.data());
    const auto* px = reinterpret_cast<const cuDoubleComplex*>(x.data());
    auto* py = reinterpret_cast<cuDoubleComplex*>(y.data());
    const int m = static_cast<int>(n);
    const auto report = [&](const char* name, const std::function<void()>& run) {
      std::printf("%8zu %-28s %10.1f\n", n, name,
                  1e6 * median_seconds(stream, n <= 16384 ? 31 : 7, run));
    };
    report("cublasZgemv N", [&] {
      check_cublas(
          cublasZgemv(cublas, CUBLAS_OP_N, m, m, &one, pa, m, px, 1, &zero, py, 1));
    });
    for (const auto mode : {CUBLAS_ATOMICS_NOT_ALLOWED, CUBLAS_ATOMICS_ALLOWED}) {
      check_cublas(cublasSetAtomicsMode(cublas, mode));
      report(mode == CUBLAS_ATOMICS_ALLOWED ? "cublasZsymv, atomics" : "cublasZsymv",
             [&] {
               check_cublas(cublasZsymv(cublas, CUBLAS_FILL_MODE_LOWER, m, &one, pa, m,
                                        px, 1, &zero, py, 1));
             });
    }
    if (n <= 16384)
      for (const bool transposed : {false, true})
        report(transposed ? "one thread a row, transposed" : "one thread a row", [&] {
          device_row_gemv({n, n, transposed, 64}, a.data(), x.data(), y.data(), stream);
        });
  }
  check_cublas(cublasDestroy(cublas));
}

}  // namespace
}  // namespace thinwire

int main(int argc, char** argv) {
  using namespace thinwire;
  try {
    use_device(0);
    const DeviceStream stream;
    for (int i = 1; i < argc; ++i) {
      const std::string what = argv[i];
      if (what == "product") bench_product(stream);
      if (what == "baseline") bench_baseline(stream);
      std::fflush(stdout);
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "gpu_bench: %s\n", error.what());
    return 1;
  }
}
