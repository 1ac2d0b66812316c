// Measurements on a GPU, by CUDA events, median of repeats. `gpu_bench WHAT...` with WHAT
// among: product, four (the product for four sides at one size), single (the product on
// complex single at one size), baseline, solvers, rhs (four in step against one),
// direct, large (direct, N = 98,304).
#include <cublas_v2.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <functional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "cg/krylov/device_direct.h"
#include "cg/krylov/device_solver.h"
#include "cg/precondition/block_preconditioner.h"
#include "kernels/base/error.h"
#include "kernels/device/check.cuh"
#include "kernels/device/complex.cuh"
#include "kernels/matrix/row_gemv.h"
#include "kernels/matrix/symv.h"

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

double seconds_now() {
  return std::chrono::duration<double>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

/// Median seconds of `repeats` runs, after a rest, for what ran before may have taken the
/// GPU to its power limit, and a while to warm up: clocks rise from idle.
double median_seconds(const DeviceStream& stream, int repeats,
                      const std::function<void()>& run) {
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  const double start_of_warming = seconds_now();
  do {
    run();
    stream.synchronize();
  } while (seconds_now() - start_of_warming < 0.05);
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

/// Measures other implementations of the same product: cuBLAS on the full matrix, and the
/// paper's one thread a row.
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

/// Symmetric diagonal tiles with `shift` on the diagonal.
__global__ void shift_diagonal(PackedTiles layout, double2* z, double2 shift) {
  constexpr std::size_t tile = PackedTiles::tile;
  double2* a = z + PackedTiles::tile_offset(blockIdx.x, blockIdx.x);
  for (std::size_t e = threadIdx.x; e < tile * tile; e += blockDim.x) {
    const std::size_t i = e / tile, j = e % tile;
    if (i < j) a[e] = a[j * tile + i];
    if (i == j) a[e] = {a[e].x + shift.x, a[e].y + shift.y};
  }
}

/// A random complex-symmetric matrix of spectral radius about 1, plus a shift.
DeviceTiles random_system(std::size_t n, const DeviceStream& stream) {
  DeviceTiles z(PackedTiles{n}, Storage::complex_double);
  fill_randomly(z.data(), z.bytes(), true, 1.2 / std::sqrt(static_cast<double>(n)),
                stream);
  shift_diagonal<<<static_cast<unsigned>(z.layout().rows()), 256, 0, stream.get()>>>(
      z.layout(), static_cast<double2*>(z.data()), {0.9, 0.9});
  check_launch("shift_diagonal");
  stream.synchronize();
  return z;
}

std::vector<Complex> right_hand_side(std::size_t n) {
  std::vector<Complex> v(n);
  for (std::size_t i = 0; i < n; ++i)
    v[i] = std::polar(1.0, 0.1 * static_cast<double>(i * i % 1000));
  return v;
}

/// Seconds of one iteration: the difference of a long and a short solve, so that what is
/// done once drops out.
double seconds_per_iteration(const std::function<int(int)>& solve) {
  const auto time = [&](int iterations, int& done) {
    const double start = seconds_now();
    done = solve(iterations);
    return seconds_now() - start;
  };
  std::vector<double> each;
  for (int repeat = 0; repeat < 7; ++repeat) {
    int few = 0, many = 0;
    const double short_time = time(8, few), long_time = time(72, many);
    each.push_back((long_time - short_time) / (many - few));
  }
  std::sort(each.begin(), each.end());
  return each[each.size() / 2];
}

struct Row {
  const char* name;
  Recurrence recurrence;
  int products;  // an iteration
};
constexpr Row rows[] = {{"cocg", Recurrence::cocg, 1},
                        {"cocr", Recurrence::cocr, 1},
                        {"cg", Recurrence::cg, 2},
                        {"gmres", Recurrence::gmres, 1}};
constexpr std::pair<const char*, Placement> placements[] = {
    {"product", Placement::product},
    {"resident", Placement::resident},
    {"graph", Placement::graph}};

/// So many iterations, whatever the residual.
SolverControl just(int iterations) {
  SolverControl control;
  control.tolerance = 1e-300;
  control.max_iterations = iterations;
  return control;
}

void bench_solvers(const DeviceStream& stream) {
  std::printf("%8s %-6s %-7s %-9s %13s %15s\n", "N", "solver", "precond", "placement",
              "us/iteration", "beyond products");
  for (const std::size_t n : {8192u, 32768u}) {
    const DeviceTiles z = random_system(n, stream);
    const TiledOperator product(z);
    const double product_us =
        1e6 * product_seconds(n, Storage::complex_double, 1, stream);
    std::vector<BlockPreconditioner::IndexSet> sets((n + 20) / 21);
    for (std::uint32_t i = 0; i < n; ++i) sets[i / 21].push_back(i);
    const DeviceBlockPreconditioner blocks(z, sets);
    const std::vector<Complex> v = right_hand_side(n);
    for (const Row& row : rows)
      for (const DeviceBlockPreconditioner* m :
           {static_cast<const DeviceBlockPreconditioner*>(nullptr), &blocks})
        for (const auto& [name, placement] : placements) {
          const double us = 1e6 * seconds_per_iteration([&](int iterations) {
                              std::vector<Complex> current(n);
                              return solve(row.recurrence, product, m, v, current,
                                           just(iterations), placement)
                                  .iterations;
                            });
          std::printf("%8zu %-6s %-7s %-9s %13.1f %15.1f\n", n, row.name,
                      m ? "block" : "none", name, us, us - row.products * product_us);
        }
  }
}

/// An iteration of four right-hand sides in step against one alone.
void bench_rhs(const DeviceStream& stream) {
  std::printf("%8s %-6s %-7s %-9s %12s %12s %8s\n", "N", "solver", "precond", "placement",
              "us, one side", "us, four", "ratio");
  for (const std::size_t n : {8192u, 32768u}) {
    const DeviceTiles z = random_system(n, stream);
    const TiledOperator product(z);
    std::vector<BlockPreconditioner::IndexSet> sets((n + 20) / 21);
    for (std::uint32_t i = 0; i < n; ++i) sets[i / 21].push_back(i);
    const DeviceBlockPreconditioner blocks(z, sets);
    const std::vector<Complex> v = right_hand_side(4 * n);
    for (const Row& row : rows) {
      if (row.recurrence != Recurrence::cocg && row.recurrence != Recurrence::gmres)
        continue;
      for (const DeviceBlockPreconditioner* m :
           {static_cast<const DeviceBlockPreconditioner*>(nullptr), &blocks})
        for (const auto& [name, placement] : placements) {
          const auto us = [&, where = placement](std::size_t sides) {
            return 1e6 * seconds_per_iteration([&](int iterations) {
                     std::vector<Complex> current(sides * n);
                     return solve_rhs(row.recurrence, product, m,
                                      std::span(v).first(sides * n), current,
                                      just(iterations), where)
                         .front()
                         .iterations;
                   });
          };
          const double one = us(1), four = us(4);
          std::printf("%8zu %-6s %-7s %-9s %12.1f %12.1f %8.2f\n", n, row.name,
                      m ? "block" : "none", name, one, four, four / one);
        }
    }
  }
}

/// Beyond this N only LDL^T in TF32, and once.
constexpr std::size_t largest_direct = 32768;

void bench_direct(std::span<const std::size_t> sizes, const DeviceStream& stream) {
  std::printf("%8s %-22s %6s %9s %9s %6s %10s\n", "N", "direct", "GiB", "factor s",
              "solve s", "steps", "residual");
  const auto print = [](std::size_t n, const char* name, std::size_t bytes, double factor,
                        double solve, int steps, double residual) {
    std::printf("%8zu %-22s %6.1f %9.3f %9.3f %6d %10.1e\n", n, name,
                static_cast<double>(bytes) / (1u << 30), factor, solve, steps, residual);
    std::fflush(stdout);
  };
  for (const std::size_t n : sizes) {
    const DeviceTiles z = random_system(n, stream);
    const TiledOperator product(z);
    const std::vector<Complex> v = right_hand_side(n);
    std::vector<Complex> current(n);
    SolverControl control;
    control.tolerance = 1e-10;
    for (int repeat = 0; repeat < 2; ++repeat) {  // the first loads the libraries
      const double start = seconds_now();
      DeviceDirectSolver direct(product);
      const double factored = seconds_now();
      const SolveResult result = direct.solve(v, current, control);
      if (repeat == 1 || n > largest_direct)
        print(n, direct.fallback().empty() ? "LDL^T TF32, refined" : "fell back",
              DeviceLdlt::bytes(n), factored - start, seconds_now() - factored,
              result.iterations, result.relative_residual);
      if (n > largest_direct) break;
    }
    if (n > largest_direct) continue;
    double start = seconds_now();
    {
      const DeviceLdlt single(z, LdltProducts::single);
      const double factored = seconds_now();
      control.flexible = true;
      std::fill(current.begin(), current.end(), 0.0);
      const SolveResult result =
          solve(Recurrence::gmres, product, &single, v, current, control);
      print(n, "LDL^T single, refined", DeviceLdlt::bytes(n), factored - start,
            seconds_now() - factored, result.iterations, result.relative_residual);
    }
    start = seconds_now();
    const DeviceLu lu(z);
    const double factored = seconds_now();
    std::copy(v.begin(), v.end(), current.begin());
    lu.solve(current);
    const double solved = seconds_now();
    std::vector<Complex> r(n);
    product.apply(current, r);
    double above = 0, below = 0;
    for (std::size_t i = 0; i < n; ++i) {
      above += std::norm(r[i] - v[i]);
      below += std::norm(v[i]);
    }
    print(n, "LU complex double", DeviceLu::bytes(n), factored - start, solved - factored,
          0, std::sqrt(above / below));
  }
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
      if (what == "four" || what == "single") {
        const bool four = what == "four";
        std::printf(
            "%s at 32768: %.1f us\n", what.c_str(),
            1e6 * product_seconds(
                      32768, four ? Storage::complex_double : Storage::complex_single,
                      four ? 4 : 1, stream));
      }
      if (what == "baseline") bench_baseline(stream);
      if (what == "solvers") bench_solvers(stream);
      if (what == "rhs") bench_rhs(stream);
      const std::size_t usual[] = {8192, 16384, 32768, 65536}, large[] = {98304};
      if (what == "direct") bench_direct(usual, stream);
      if (what == "large") bench_direct(large, stream);
      std::fflush(stdout);
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "gpu_bench: %s\n", error.what());
    return 1;
  }
}
