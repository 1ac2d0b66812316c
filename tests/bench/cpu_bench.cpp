// Times of fill, product and solve, apart, on arrays of half-wave dipoles (21 segments,
// radius 0.001 wavelengths, half a wavelength apart), and of LAPACK's factorisation of
// the same matrix; before them the rates that predictions are made from, as measured in
// a short while, and with how they predict whole solves.
//
// usage: cpu_bench [COLUMNS ROWS]...      default: 10 10  15 13  20 20
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <omp.h>

#include "cg/direct/direct.h"
#include "cg/impedance_matrix.h"
#include "kernels/base/constants.h"
#include "kernels/fill/fill.h"
#include "kernels/fill/near_pair_table.h"
#include "mom/discretization/discretization.h"
#include "mom/plan/measure_cpu.h"
#include "mom/plan/planner.h"
#include "mom/solve.h"

namespace thinwire {
namespace {

constexpr int repeats = 3;
/// LAPACK beyond this many unknowns takes minutes.
constexpr std::size_t largest_direct = 5000;

/// Median seconds of a few runs.
double median_seconds(const std::function<void()>& run) {
  std::vector<double> seconds;
  for (int r = 0; r < repeats; ++r) {
    const auto start = std::chrono::steady_clock::now();
    run();
    seconds.push_back(
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  std::sort(seconds.begin(), seconds.end());
  return seconds[repeats / 2];
}

CpuRates print_rates() {
  CpuRates rates;
  const double seconds =
      median_seconds([&] { rates = measured_cpu_rates(omp_get_max_threads()); });
  fmt::print(
      "one thread: fill {:.3g} entries/s, product {:.3g} bytes/s, factors {:.3g} flop/s, "
      "far field {:.3g} terms/s; threads add up to {:.2f} computing, {:.2f} reading; "
      "measured in {:.0f} ms\n",
      rates.fill_entries_per_s, rates.product_bytes_per_s, rates.factor_flops_per_s,
      rates.field_terms_per_s, rates.computing_threads, rates.reading_threads,
      seconds * 1e3);
  return rates;
}

Problem dipole_array(int columns, int rows) {
  constexpr int segments = 21;
  Problem problem;
  for (int i = 0; i < columns; ++i)
    for (int j = 0; j < rows; ++j)
      problem.structure.add_wire(1 + i * rows + j, segments, {0.5 * i, 0.5 * j, -0.25},
                                 {0.5 * i, 0.5 * j, 0.25}, 0.001);
  Run run;
  run.frequency_hz = {speed_of_light_m_per_s};
  Source source;
  source.segment = (columns / 2 * rows + rows / 2) * segments + segments / 2;
  run.sources = {source};
  problem.runs = {run};
  return problem;
}

void measure(int columns, int rows, const CpuRates& rates) {
  const Problem problem = dipole_array(columns, rows);
  MeshOptions mesh;
  mesh.graded = false;
  const Discretization where(problem.structure, mesh);
  const std::size_t n = where.unknowns();
  const double k = 2 * pi;
  ImpedanceMatrix z(n);
  const double fill = median_seconds([&] {
    NearPairTable near(where.elements(), {k, k, 1}, GreensKernel::exact,
                       Medium::free_space());
    near.set_wavenumber(k);
    fill_impedance({where.elements(), where.basis().functions(), k, GreensKernel::exact,
                    Medium::free_space(), &near},
                   z.tiles());
  });
  std::vector<Complex> x(n, 1.0), y(n);
  const double product = median_seconds([&] { z.apply(x, y); });
  const double direct =
      n <= largest_direct ? median_seconds([&] { DirectSolver(n, z.dense()); }) : 0;

  Options options;
  options.mesh = MeshChoice::as_given;
  options.device = {DeviceRequest::Kind::cpu, 0};
  options.cpu_rates = rates;
  const double predicted = plan(problem, options).predicted_seconds;
  FrequencyResult result;
  const double whole =
      median_seconds([&] { result = solve(problem, options).frequencies[0]; });
  fmt::print(
      "{:>9} {:>9} {:>9.3f} {:>9.1f} {:>10.2f} {:>7.1f} {:>9.3f} {:>9.3f}  {} {} "
      "iterations, "
      "{:>9}\n",
      problem.structure.segments().size(), n, fill,
      fill * 1e9 / (0.5 * static_cast<double>(n) * static_cast<double>(n)), product * 1e3,
      static_cast<double>(ImpedanceMatrix::bytes(n)) / product * 1e-9, whole, predicted,
      result.solver.name, result.solver.iterations,
      direct > 0 ? fmt::format("{:.3f}", direct) : "-");
}

}  // namespace
}  // namespace thinwire

int main(int argc, char** argv) {
  std::vector<std::pair<int, int>> sizes;
  for (int i = 1; i + 1 < argc; i += 2)
    sizes.emplace_back(std::atoi(argv[i]), std::atoi(argv[i + 1]));
  if (sizes.empty()) sizes = {{10, 10}, {15, 13}, {20, 20}};
  fmt::print("{} threads; median of {}\n", omp_get_max_threads(), thinwire::repeats);
  const thinwire::CpuRates rates = thinwire::print_rates();
  fmt::print("{:>9} {:>9} {:>9} {:>9} {:>10} {:>7} {:>9} {:>9}  {:<22} {:>9}\n",
             "segments", "unknowns", "fill s", "ns/entry", "product ms", "GB/s",
             "solve() s", "predicted", "by", "LAPACK s");
  for (const auto& [columns, rows] : sizes) thinwire::measure(columns, rows, rates);
}
