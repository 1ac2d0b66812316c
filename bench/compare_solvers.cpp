#include "bench/compare_solvers.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>
#include <lapacke.h>
#include <omp.h>

#include "cg/blas_threads.h"
#include "cg/impedance_matrix.h"
#include "kernels/base/bytes_text.h"
#include "kernels/base/constants.h"
#include "kernels/base/error.h"
#include "kernels/base/host_memory.h"
#include "kernels/base/stopwatch.h"
#include "kernels/matrix/product_timer.h"
#include "mom/gpu/gpu.h"
#include "mom/solve.h"

namespace thinwire {
namespace {

constexpr int unknowns_per_dipole = 20;
constexpr std::size_t smallest_n = 1000;
/// Products are short: more repeats of them.
constexpr int product_repeats = 10;

/// One way to solve. growth: the power of n with which its time is taken to grow when
/// the next size is predicted.
struct ComparedMethod {
  std::string name;
  bool gpu = false;
  SolverChoice solver = SolverChoice::cg;
  PreconditionerChoice preconditioner = PreconditionerChoice::none;
  int threads = 1;
  PlacementChoice placement = PlacementChoice::resident;
  double growth = 2.3;
};

double median_of(const std::vector<Solution>& solutions, double Timings::*stage) {
  std::vector<double> seconds;
  for (const Solution& solution : solutions) seconds.push_back(solution.timings_s.*stage);
  return summarise(std::move(seconds)).median_s;
}

double largest_difference(const std::vector<Complex>& currents,
                          const std::vector<Complex>& reference) {
  if (reference.empty()) return nan;
  double largest = 0, difference = 0;
  for (std::size_t i = 0; i < currents.size(); ++i) {
    largest = std::max(largest, std::abs(reference[i]));
    difference = std::max(difference, std::abs(currents[i] - reference[i]));
  }
  return difference / largest;
}

/// Segment currents from the CPU that others are compared with; empty until known.
struct References {
  std::vector<Complex> iterative, direct;
};

class Comparison {
 public:
  explicit Comparison(const BenchOptions& options)
      : options_(options), threads_(omp_get_max_threads()) {
    if (options.repeats < 1)
      throw Error(ErrorKind::usage, "bench: --repeats must be 1 or more.");
    if (!options.gpu)
      report_.gpu_problem = "left out with --device cpu";
    else
      report_.gpu_problem = gpu_report().problem;
    make_methods();
  }

  BenchReport run() {
    const std::vector<std::size_t> sizes = bench_sizes(options_.max_n);
    for (const std::size_t n : sizes) work_ += share(n);
    if (!report_.gpu_problem.empty())
      report_.gaps.push_back({0, "everything on a GPU", report_.gpu_problem});
    else
      require_gpu().use(options_.gpu_index);
    try {
      for (const std::size_t n : sizes) {
        compare_products(n);
        compare_solves(n);
        done_ += share(n);
      }
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::interrupted) throw;
      report_.interrupted = true;
    }
    omp_set_num_threads(threads_);
    return std::move(report_);
  }

 private:
  static double share(std::size_t n) { return std::pow(static_cast<double>(n), 2.5); }

  void report(const std::string& what) {
    options_.monitor.report(what.c_str(), done_ / work_);
  }

  void make_methods() {
    const SolverChoice solver = options_.solver;
    const PreconditionerChoice precond = options_.preconditioner;
    if (options_.cpu) {
      const std::string all = fmt::format("CPU, {} threads", threads_);
      // The reference of the differences comes first.
      if (threads_ > 1) methods_.push_back({all, false, solver, precond, threads_});
      methods_.push_back({"CPU, 1 thread", false, solver, precond, 1});
      methods_.push_back({threads_ > 1 ? all + ", direct" : "CPU, 1 thread, direct",
                          false, SolverChoice::direct, PreconditionerChoice::automatic,
                          threads_, PlacementChoice::resident, 3});
    }
    if (!report_.gpu_problem.empty()) return;
    for (const PlacementChoice placement :
         {PlacementChoice::product, PlacementChoice::resident, PlacementChoice::graph})
      methods_.push_back({fmt::format("GPU, {}", name_of(placement)), true, solver,
                          precond, threads_, placement});
    methods_.push_back({"GPU, direct", true, SolverChoice::direct,
                        PreconditionerChoice::automatic, threads_,
                        PlacementChoice::resident, 3});
  }

  /// Whether `what` would take too long at n, by what it took at a smaller size; then a
  /// gap says so.
  bool too_long(std::size_t n, const std::string& what, double growth) {
    const auto known = known_.find(what);
    if (known == known_.end()) return false;
    const double predicted =
        known->second.second *
        std::pow(static_cast<double>(n) / static_cast<double>(known->second.first),
                 growth);
    if (predicted <= options_.time_limit_s) return false;
    report_.gaps.push_back({n, what,
                            fmt::format("would take about {:.0f} s, over the limit of "
                                        "{:g} s (--time-limit)",
                                        predicted, options_.time_limit_s)});
    return true;
  }

  void compare_solves(std::size_t n) {
    const int dipoles = static_cast<int>(n) / unknowns_per_dipole;
    int columns = static_cast<int>(std::sqrt(static_cast<double>(dipoles)));
    while (dipoles % columns != 0) --columns;
    const Problem problem = dipole_array(columns, dipoles / columns);
    References references;
    for (const ComparedMethod& method : methods_) {
      report(fmt::format("N = {}: {}", n, method.name));
      if (too_long(n, method.name, method.growth)) continue;
      try {
        measure(problem, method, references);
      } catch (const Error& error) {
        if (error.kind() != ErrorKind::device && error.kind() != ErrorKind::memory) throw;
        report_.gaps.push_back({n, method.name, error.what()});
      }
    }
  }

  void measure(const Problem& problem, const ComparedMethod& method,
               References& references) {
    Options options;
    // The comparison is about the matrix.
    options.operator_choice = OperatorChoice::dense;
    options.solver = method.solver;
    options.preconditioner = method.preconditioner;
    options.tolerance = options_.tolerance;
    using Kind = DeviceRequest::Kind;
    options.device = {method.gpu ? Kind::cuda : Kind::cpu, options_.gpu_index};
    options.placement = method.placement;
    options.symv = options_.symv;
    options.mesh = MeshChoice::as_given;
    options.threads = method.threads;
    options.monitor = options_.monitor.silent();
    // The first solve on a GPU loads code and libraries.
    if (method.gpu && warm_.insert(method.name).second) solve(problem, options);
    std::vector<Solution> solutions;
    double spent = 0;
    while (static_cast<int>(solutions.size()) < options_.repeats &&
           (solutions.empty() || spent < options_.time_limit_s)) {
      solutions.push_back(solve(problem, options));
      spent += solutions.back().timings_s.total;
    }
    const Solution& last = solutions.back();
    const FrequencyResult& result = last.frequencies.front();
    SolveTiming timing;
    timing.n = last.unknowns;
    timing.method = method.name;
    timing.on_gpu = method.gpu;
    timing.solver =
        result.solver.preconditioner.empty() || result.solver.preconditioner == "none"
            ? result.solver.name
            : result.solver.name + " + " + result.solver.preconditioner;
    timing.iterations = result.solver.iterations;
    timing.residual = result.solver.relative_residual;
    timing.converged = result.solver.converged;
    timing.fill_s = median_of(solutions, &Timings::fill);
    timing.factor_s = median_of(solutions, &Timings::factor);
    timing.solve_s = median_of(solutions, &Timings::solve);
    std::vector<double> totals;
    for (const Solution& solution : solutions) totals.push_back(solution.timings_s.total);
    timing.total = summarise(std::move(totals));
    const bool direct = method.solver == SolverChoice::direct;
    timing.difference = largest_difference(
        result.segment_current_a,
        direct && !references.direct.empty() ? references.direct : references.iterative);
    if (!method.gpu) {
      std::vector<Complex>& kept = direct ? references.direct : references.iterative;
      if (kept.empty()) kept = result.segment_current_a;
    }
    known_[method.name] = {timing.n, timing.total.median_s};
    report_.solves.push_back(std::move(timing));
  }

  void add_product(std::size_t n, std::string what, bool gpu, double bytes,
                   RunTimes times) {
    report_.products.push_back({n, std::move(what), gpu, bytes, times});
  }

  void compare_products(std::size_t n) {
    report(fmt::format("N = {}: products", n));
    if (options_.cpu && fits(n, "products on the CPU")) measure_cpu_products(n);
    if (!report_.gpu_problem.empty()) return;
    try {
      measure_gpu_products(n);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::device && error.kind() != ErrorKind::memory) throw;
      report_.gaps.push_back({n, "products on the GPU", error.what()});
    }
  }

  /// Whether the host has memory for three n x n matrices, which LAPACK's yardstick
  /// takes; else a gap says that `what` is left out.
  bool fits(std::size_t n, const std::string& what) {
    const double need = 48 * static_cast<double>(n) * static_cast<double>(n);
    const auto have = static_cast<double>(host_memory().free);
    if (need < 0.8 * have) return true;
    report_.gaps.push_back({n, what,
                            fmt::format("would need {} of the {} that are free",
                                        bytes_text(need), bytes_text(have))});
    return false;
  }

  template <class Run>
  RunTimes time_on_cpu(int repeats, Run&& run) {
    std::vector<double> seconds;
    for (int i = 0; i < repeats; ++i) {
      const auto start = std::chrono::steady_clock::now();
      run();
      seconds.push_back(seconds_since(start));
    }
    return summarise(std::move(seconds));
  }

  void measure_cpu_products(std::size_t n) {
    ImpedanceMatrix z(n);
    // Any well-conditioned symmetric matrix: times do not depend on it.
    for (std::size_t i = 0; i < z.tiles().size(); ++i)
      z.tiles()[i] = {1e-3 * static_cast<double>(i % 17), -1e-3};
    for (std::size_t i = 0; i < n; ++i) z.add(i, i, static_cast<double>(n));
    std::vector<Complex> x(n, Complex(1, -1)), y(n);
    const auto bytes = static_cast<double>(ImpedanceMatrix::bytes(n));
    for (const int threads : {1, threads_}) {
      omp_set_num_threads(threads);
      z.apply(x, y);
      add_product(n,
                  threads == 1 ? "CPU, symmetric, 1 thread"
                               : fmt::format("CPU, symmetric, {} threads", threads),
                  false, bytes, time_on_cpu(product_repeats * options_.repeats, [&] {
                    z.apply(x, y);
                  }));
      if (threads_ == 1) break;  // both are the same
    }
    omp_set_num_threads(threads_);
    measure_lapack(z);
  }

  /// LAPACK's LU of the whole matrix with all threads, as a yardstick.
  void measure_lapack(const ImpedanceMatrix& z) {
    const std::size_t n = z.size();
    const char* what = "CPU, LAPACK LU (zgesv), all threads";
    if (too_long(n, what, 3)) return;
    const BlasThreads blas(threads_);
    const std::vector<Complex> whole = z.dense();
    std::vector<double> seconds;
    for (int i = 0; i < options_.repeats; ++i) {
      std::vector<Complex> factors = whole, v(n, 1.0);
      std::vector<lapack_int> pivots(n);
      const RunTimes once = time_on_cpu(1, [&] {
        LAPACKE_zgesv(LAPACK_COL_MAJOR, static_cast<lapack_int>(n), 1,
                      reinterpret_cast<lapack_complex_double*>(factors.data()),
                      static_cast<lapack_int>(n), pivots.data(),
                      reinterpret_cast<lapack_complex_double*>(v.data()),
                      static_cast<lapack_int>(n));
      });
      seconds.push_back(once.median_s);
      if (once.median_s > options_.time_limit_s / options_.repeats) break;
    }
    const RunTimes times = summarise(std::move(seconds));
    known_[what] = {n, times.median_s};
    add_product(n, what, false, nan, times);
  }

  void measure_gpu_products(std::size_t n) {
    const std::unique_ptr<ProductBench> gpu_products =
        require_gpu().product_bench(n, product_repeats * options_.repeats);
    ProductBench& bench = *gpu_products;
    const auto square = static_cast<double>(n) * static_cast<double>(n);
    const PackedTiles layout{n};
    const auto tiles = [&](Storage storage) {
      return static_cast<double>(DeviceTiles::bytes(layout, storage));
    };
    const int threads = options_.row_threads;
    add_product(n, row_product, true, 16 * square, bench.row(threads, true, false));
    add_product(n, row_product_transposed, true, 16 * square,
                bench.row(threads, true, true));
    add_product(n, "GPU, cuBLAS zgemv", true, 16 * square, bench.cublas_gemv(false));
    add_product(n, "GPU, cuBLAS zsymv", true, 8 * square, bench.cublas_symv(false));
    add_product(n, "GPU, symmetric, double", true, tiles(Storage::complex_double),
                bench.symmetric(Storage::complex_double, 1, options_.symv));
    add_product(n, "GPU, symmetric, single", true, tiles(Storage::complex_single),
                bench.symmetric(Storage::complex_single, 1, options_.symv));
    add_product(n, "transfer: a vector there and back", true, 32 * static_cast<double>(n),
                bench.vector_round_trip());
    if (fits(n, "transfer: the matrix to the GPU"))
      add_product(n, "transfer: the matrix to the GPU", true,
                  tiles(Storage::complex_double), bench.matrix_upload());
  }

  const BenchOptions& options_;
  int threads_;
  BenchReport report_;
  std::vector<ComparedMethod> methods_;
  std::map<std::string, std::pair<std::size_t, double>> known_;  // n and seconds
  std::set<std::string> warm_;
  double work_ = 0, done_ = 0;
};

}  // namespace

Problem dipole_array(int columns, int rows) {
  constexpr int segments = unknowns_per_dipole + 1;
  constexpr double spacing_m = 0.6, half_length_m = 0.25, radius_m = 0.001;
  Problem problem;
  problem.name = fmt::format("array of {} x {} dipoles", columns, rows);
  for (int i = 0; i < columns; ++i)
    for (int j = 0; j < rows; ++j)
      problem.structure.add_wire(1 + i * rows + j, segments,
                                 {spacing_m * i, spacing_m * j, -half_length_m},
                                 {spacing_m * i, spacing_m * j, half_length_m}, radius_m);
  Run run;
  run.frequency_hz = {speed_of_light_m_per_s};  // wavelength 1 m
  Source source;
  source.segment =
      static_cast<std::size_t>((columns / 2 * rows + rows / 2) * segments + segments / 2);
  run.sources = {source};
  problem.runs = {run};
  return problem;
}

std::vector<std::size_t> bench_sizes(std::size_t max_n) {
  std::vector<std::size_t> sizes = {smallest_n};
  while (2 * sizes.back() <= max_n) sizes.push_back(2 * sizes.back());
  return sizes;
}

BenchReport compare_solvers(const BenchOptions& options) {
  return Comparison(options).run();
}

}  // namespace thinwire
