// Overlapping blocks and GMRES on a GPU:
//   gpu_overlap gmres N ...       an iteration beside its product, by vectors
//   gpu_overlap plate CELLS CELL BOX OVERLAP ...                lengths in wavelengths,
//   gpu_overlap ship LENGTH BEAM HEIGHT CELL BOX OVERLAP ...    of ships and boxes in
//   cells gpu_overlap large CELLS CELL BOX OVERLAP ...                blocks of a plate
//   alone
// Grids have a whip that is fed, radius cell / 2 pi, mesh as given, tolerance 1e-6.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cg/krylov/device_solver.h"
#include "cg/precondition/device_overlap.h"
#include "cg/tiled_operator.h"
#include "kernels/device/check.cuh"
#include "kernels/device/complex.cuh"
#include "mom/preconditioners/boxes.h"
#include "mom/preconditioners/equal_sets.h"
#include "tests/mom/wire_grids.h"

namespace thinwire {
namespace {

double now() {
  return std::chrono::duration<double>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

__global__ void multiply_diagonal(std::size_t n, const double2* x, double2* y) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const double angle = 2e-3 * static_cast<double>(i % 2999);
  y[i] = {x[i].x * cos(angle) - x[i].y * sin(angle),
          x[i].x * sin(angle) + x[i].y * cos(angle)};
}

/// Eigenvalues on almost all of the unit circle: GMRES hardly converges.
class Diagonal final : public DeviceOperator {
 public:
  explicit Diagonal(std::size_t n) : n_(n) {}
  std::size_t size() const override { return n_; }
  void multiply(const Complex* x, Complex* y, int,
                const DeviceStream& stream) const override {
    multiply_diagonal<<<static_cast<unsigned>((n_ + 255) / 256), 256, 0, stream.get()>>>(
        n_, thinwire::parts(x), thinwire::parts(y));
    check_launch("diagonal");
  }

 private:
  std::size_t n_;
};

void bench_gmres(std::size_t n) {
  const Diagonal z(n);
  std::vector<Complex> v(n), current(n);
  for (std::size_t i = 0; i < n; ++i)
    v[i] = std::polar(1.0, 0.1 * static_cast<double>(i * i % 1000));
  const auto time = [&](int iterations) {
    SolverControl control;
    control.tolerance = 1e-30;
    control.max_iterations = iterations;
    std::fill(current.begin(), current.end(), 0.0);
    double before = 0, last = 0;
    // Between the reports of two iterations: without set-up and what comes after.
    control.on_iteration = [&](int k, double, Complex) {
      if (k == iterations - 16) before = now();
      if (k == iterations) last = now();
    };
    const SolveResult result =
        solve(Recurrence::gmres, z, nullptr, v, current, control, Placement::resident);
    return result.iterations == iterations ? (last - before) / 16 : 0.0;
  };
  for (const int vectors : {32, 100, 200, 300}) {
    std::vector<double> each = {time(vectors), time(vectors), time(vectors)};
    std::sort(each.begin(), each.end());
    if (!(each[0] > 0)) throw Error(ErrorKind::numeric, "gmres ended early.");
    std::printf(
        "gmres N %zu, %d vectors: %.3f ms an iteration, %.2f TB/s as four passes\n", n,
        vectors, 1e3 * each[1],
        4.0 * vectors * static_cast<double>(16 * n) / each[1] / 1e12);
    std::fflush(stdout);
  }
}

double median_seconds(const DeviceStream& stream, const std::function<void()>& run) {
  std::vector<double> seconds;
  for (int repeat = 0; repeat < 15; ++repeat) {
    DeviceEvent begin, end;
    begin.record(stream);
    run();
    end.record(stream);
    seconds.push_back(end.seconds_since(begin));
  }
  std::sort(seconds.begin(), seconds.end());
  return seconds[seconds.size() / 2];
}

/// Times of boxes of one size, each with its own inverse or equal ones with one.
struct Blocks {
  std::vector<OverlappingSet> sets;
  OverlapExtent extent;
  double boxed_s;
};
Blocks blocks_of(const Discretization& where, BoxSize size, bool shared) {
  const double start = now();
  std::vector<OverlappingSet> sets =
      shared ? overlapping_sets(where, size, Medium::free_space(), {})
             : FunctionPlaces(where).boxes(size);
  const OverlapExtent extent = OverlapExtent::of(sets);
  return {std::move(sets), extent, now() - start};
}

/// Makes the preconditioner twice and uses it.
std::unique_ptr<DeviceOverlapPreconditioner> bench_blocks(const Blocks& blocks,
                                                          const DeviceBlockReader& read) {
  const OverlapExtent& extent = blocks.extent;
  double start = now();
  auto m = std::make_unique<DeviceOverlapPreconditioner>(blocks.sets, read);
  const double first_s = now() - start;
  m.reset();
  start = now();
  m = std::make_unique<DeviceOverlapPreconditioner>(blocks.sets, read);
  const double made_s = now() - start;
  const DeviceStream stream;
  DeviceBuffer<Complex> x(extent.own, "x"), y(extent.own, "y");
  x.upload(std::vector<Complex>(extent.own, {0.5, 1}), stream);
  const double apply_s =
      median_seconds(stream, [&] { m->multiply(x.data(), y.data(), stream); });
  std::printf(
      "  %zu boxes, %zu inverses, largest %zu, %.2f GB; boxes %.3f s, inverses with "
      "entries %.3f s (first %.3f; %.1f TFLOP/s), one use %.3f ms (%.2f TB/s, %.1f "
      "TFLOP/s)\n",
      extent.boxes, extent.inverses, extent.largest,
      static_cast<double>(m->bytes()) / 1e9, blocks.boxed_s, made_s, first_s,
      extent.flops / made_s / 1e12, 1e3 * apply_s,
      static_cast<double>(8 * extent.entries) / apply_s / 1e12,
      static_cast<double>(8 * extent.products) / apply_s / 1e12);
  std::fflush(stdout);
  return m;
}

MeshOptions as_given() {
  MeshOptions mesh;
  mesh.graded = false;
  return mesh;
}

/// Without the matrix: entries computed.
void bench_large(const Structure& structure, std::span<const BoxSize> sizes) {
  constexpr double k = 2 * pi;
  const Discretization where(structure, as_given());
  DeviceFill fill(where.elements(), where.basis().functions(), GreensKernel::exact,
                  Medium::free_space(), k);
  fill.set_wavenumber(k);
  std::printf("N %zu\n", where.unknowns());
  for (const BoxSize size : sizes)
    for (const bool shared : {true, false}) {
      std::printf("box %g overlap %g, computed entries%s\n", size.box, size.overlap,
                  shared ? "" : ", each with its own");
      (void)bench_blocks(blocks_of(where, size, shared),
                         block_reader(fill, Medium::free_space()));
    }
}

void bench_grid(const Structure& structure, std::span<const BoxSize> sizes) {
  constexpr double k = 2 * pi;
  const Discretization where(structure, as_given());
  const std::size_t n = where.unknowns();
  double start = now();
  DeviceFill fill(where.elements(), where.basis().functions(), GreensKernel::exact,
                  Medium::free_space(), k);
  fill.set_wavenumber(k);
  DeviceTiles tiles(PackedTiles{n}, Storage::complex_double);
  const DeviceStream stream;
  fill.fill(tiles, Medium::free_space(), stream);
  stream.synchronize();
  const TiledOperator product(tiles);
  std::vector<Complex> v(n), current(n);
  for (const BasisWeight& weight : where.mean_current(0, k))
    v[weight.function] += weight.weight;
  std::printf("N %zu, near pairs and fill %.3f s\n", n, now() - start);
  for (const BoxSize size : sizes)
    for (const bool shared : {true, false}) {
      const Blocks blocks = blocks_of(where, size, shared);
      std::printf("box %g overlap %g%s\n", size.box, size.overlap,
                  shared ? "" : ", each with its own");
      const auto m = bench_blocks(blocks, block_reader(tiles));
      SolverControl control;
      control.flexible = true;
      control.max_iterations = 400;
      std::fill(current.begin(), current.end(), 0.0);
      start = now();
      const SolveResult result = solve(Recurrence::gmres, product, m.get(), v, current,
                                       control, Placement::resident);
      std::printf("  GMRES %d iterations, residual %.1e, %.3f s\n", result.iterations,
                  result.relative_residual, now() - start);
      std::fflush(stdout);
      if (blocks.extent.inverses == blocks.extent.boxes) break;  // nothing is shared
    }
}

}  // namespace
}  // namespace thinwire

int main(int argc, char** argv) {
  using namespace thinwire;
  try {
    use_device(0);
    const std::string what = argc > 1 ? argv[1] : "";
    std::vector<double> number;
    for (int i = 2; i < argc; ++i) number.push_back(std::atof(argv[i]));
    const auto whole = [&](std::size_t i) { return static_cast<int>(number.at(i)); };
    const auto sizes = [&](std::size_t first) {
      std::vector<BoxSize> all;
      for (std::size_t i = first; i + 1 < number.size(); i += 2)
        all.push_back({number[i], number[i + 1]});
      return all;
    };
    if (what == "gmres")
      for (const double n : number) bench_gmres(static_cast<std::size_t>(n));
    if (what == "large") bench_large(test::plate(whole(0), number.at(1)), sizes(2));
    if (what == "plate") bench_grid(test::plate(whole(0), number.at(1)), sizes(2));
    if (what == "ship")
      bench_grid(test::ship(whole(0), whole(1), whole(2), number.at(3)), sizes(4));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "gpu_overlap: %s\n", error.what());
    return 1;
  }
}
