// gpu_toeplitz SIDE...: what SIDE x SIDE half-wave dipoles of 21 segments, half a
// wavelength apart, one fed, take on the current GPU, step by step.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "cg/krylov/device_solver.h"
#include "kernels/base/constants.h"
#include "mom/operators/device_toeplitz.h"

namespace {

using namespace thinwire;
using Clock = std::chrono::steady_clock;

double since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

void run(std::size_t side) {
  const Clock::time_point whole = Clock::now();
  Clock::time_point start = whole;
  const auto step = [&](const char* name) {
    std::printf("  %-24s %9.4f s\n", name, since(start));
    std::fflush(stdout);
    start = Clock::now();
  };
  Structure structure(25'000'000);
  structure.add_wire(1, 21, {0, 0, -0.25}, {0, 0, 0.25}, 1e-3);
  const auto copies = static_cast<std::int64_t>(side) - 1;
  structure.move(0, copies, {}, {0.5, 0, 0}, 0);
  structure.move(0, copies, {}, {0, 0.5, 0}, 0);
  step("structure");
  const LatticeSearch search = find_lattice(structure);
  step("lattice");
  MeshOptions options;
  options.graded = false;
  const Discretization where(structure, options);
  step("mesh");
  LatticeBasis basis(where, *search.lattice);
  step("basis");
  const std::size_t n = basis.size(), fed = side / 2 * (side + 1);
  std::vector<Complex> v(basis.unknowns()), current(basis.unknowns());
  v[basis.number_of[fed * n + 9]] = v[basis.number_of[fed * n + 10]] = 0.5;
  const DeviceStream stream;
  DeviceEvent first, last;
  start = Clock::now();
  const Clock::time_point spectra = start;
  const Monitor monitor([&](const Progress& progress) {
    if (progress.fraction < 0.61)
      std::printf("    %3.0f %% after %9.4f s\n", 100 * progress.fraction,
                  since(spectra));
  });
  const DeviceToeplitzOperator z(std::move(basis), {2 * pi, GreensKernel::exact, {}}, {},
                                 monitor);
  step("spectra");
  const DeviceToeplitzPreconditioner m(z, true);
  step("preconditioner");
  const SolveResult result =
      solve(Recurrence::cocg, z, &m, v, current, {}, Placement::resident);
  step("solve");
  std::printf("  spectra to currents      %9.4f s, %d iterations, residual %.1e\n",
              since(spectra), result.iterations, result.relative_residual);
  std::printf("  all so far               %9.4f s\n", since(whole));
  start = Clock::now();
  std::vector<Complex> current_a, charge_c_per_m;
  SegmentCentres(where, 2 * pi).evaluate(current, current_a, charge_c_per_m);
  step("currents and charges");
  {
    DeviceBuffer<Complex> x(z.padded(), "x");
    x.upload(current, stream);
    std::vector<std::uint32_t> rows;
    for (std::size_t r = 0; r < 32; ++r)
      rows.push_back(static_cast<std::uint32_t>(r * current.size() / 32));
    const FillInput exact = {
        where.elements(), where.basis().functions(), 2 * pi, GreensKernel::exact, {},
        nullptr};
    (void)z.exact_rows(exact, rows, current, x.data());
  }
  step("32 rows of Z");
  DeviceBuffer<Complex> x(4 * z.padded(), "x"), y(4 * z.padded(), "y");
  x.clear(stream);
  const auto timed = [&](const char* name, auto&& body) {
    body();
    double best = 1e300;
    for (int repeat = 0; repeat < 5; ++repeat) {
      first.record(stream);
      body();
      last.record(stream);
      best = std::min(best, last.seconds_since(first));
    }
    std::printf("  %-24s %9.4f ms\n", name, 1e3 * best);
  };
  timed("product", [&] { z.multiply(x.data(), y.data(), 1, stream); });
  timed("product of four", [&] { z.multiply(x.data(), y.data(), 4, stream); });
  timed("preconditioner", [&] { m.multiply(x.data(), y.data(), stream); });
  {
    const ToeplitzGrid& grid = z.grid();
    const DeviceFft fft({grid.lengths(), {}}, n);
    DeviceBuffer<Complex> array(n * grid.points(), "arrays");
    array.clear(stream);
    timed("its two transforms", [&] {
      fft.forward(array.data(), stream);
      fft.backward(array.data(), stream);
    });
  }
  std::printf("  on the GPU               %9.3f GiB\n",
              static_cast<double>(z.bytes() + m.bytes()) / (1u << 30));
}

}  // namespace

int main(int argc, char** argv) {
  use_device(0);
  for (int i = 1; i < argc; ++i) {
    std::printf("%s x %s\n", argv[i], argv[i]);
    run(std::strtoul(argv[i], nullptr, 10));
  }
}
