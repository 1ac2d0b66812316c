#include "papers/study/compare_assembly.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <utility>

#include "kernels/base/constants.h"
#include "kernels/base/error.h"
#include "kernels/base/host_memory.h"
#include "kernels/base/stopwatch.h"
#include "mom/gpu/gpu.h"
#include "papers/assembly/assembly.h"
#include "papers/assembly/block_product.h"
#include "papers/sparse/sparse_bench.h"
#include "papers/study/gpu.h"

namespace thinwire {
namespace {

/// Whole solves on the CPU take at most this side: one thread would be minutes at 100.
constexpr std::size_t max_cpu_side = 40;
/// The paper's colours where two GPUs share them; and enough that the least of a CPU
/// beside them is not a whole colour too much.
constexpr std::size_t gpu_share_colours = 32, cpu_share_colours = 256;
/// Repeats of what copies whole matrices through the CPU.
constexpr int copy_repeats = 3;

using Clock = std::chrono::steady_clock;
std::size_t side_of_scale(double scale) {
  return std::max<std::size_t>(2, std::llround(100 * std::cbrt(scale)));
}

double relative_difference(std::span<const Complex> y, std::span<const Complex> exact) {
  double difference = 0, size = 0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    difference += std::norm(y[i] - exact[i]);
    size += std::norm(exact[i]);
  }
  return std::sqrt(difference / size);
}

/// Throws where the host lacks memory for the matrix and its pattern, mesh and
/// connectivity; with GPUs also for the copies that are merged.
void require_memory(std::size_t side, std::size_t gpus) {
  const double nodes = std::pow(side + 1.0, 3), blocks = std::pow(3.0 * side + 1, 3);
  const double copies = gpus > 0 ? static_cast<double>(gpus) + 3 : 1;
  const double need = blocks * (4 + 8.0 * block_values * copies) + 400 * nodes;
  const auto free = static_cast<double>(host_memory().free);
  if (need > free)
    throw Error(ErrorKind::memory,
                fmt::format("bench sparse --assembly: {:.3g} elements need {:.3g} GB of "
                            "the host's memory but {:.3g} GB are free. Lower --scale.",
                            std::pow(side, 3.0), 1e-9 * need, 1e-9 * free));
}

/// A cube, ready for assembly.
struct Cube {
  ElasticBody body;
  Connectivity connectivity;
  double connect_s = 0;

  Cube(std::size_t side, std::size_t gpus)
      : body((require_memory(side, gpus), elastic_cube(side))) {
    const Clock::time_point start = Clock::now();
    connectivity = connect(body.mesh);
    connect_s = seconds_since(start);
  }
  ElasticLoad load() const {
    return {held_at_bottom(body.mesh), pull_on_top(body.mesh, body.mesh.node.back().z)};
  }
};

class AssemblyComparison {
 public:
  explicit AssemblyComparison(const AssemblyBenchOptions& options)
      : options_(options),
        side_(side_of_scale(options.scale)),
        cube_(side_, options.gpus.size()) {
    report_.gpu = options.gpu;
    report_.elements = cube_.body.mesh.elements();
    report_.nodes = cube_.body.mesh.nodes();
    report_.blocks = cube_.connectivity.pattern.blocks();
    if (options.gpu) require_gpu().use(options.gpu_index);
  }

  AssemblyReport run() {
    try {
      compare_methods();
      for (const auto& workers : shares()) {
        options_.monitor.report("shared assembly", 0.6);
        compare_shares(workers);
      }
      options_.monitor.report("solves", 0.8);
      solve_all();
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::interrupted) throw;
      report_.interrupted = true;
    }
    // By device, and then in the order of the paper.
    std::stable_sort(report_.rows.begin(), report_.rows.end(),
                     [](const AssemblyRow& a, const AssemblyRow& b) {
                       return std::pair(a.gpu, a.method) < std::pair(b.gpu, b.method);
                     });
    return std::move(report_);
  }

 private:
  Colouring coloured(std::size_t colours) const {
    return colour_elements(cube_.body.mesh, cube_.connectivity.at_node, colours);
  }

  /// Compares the cheapest methods first, so that they are done when time is short.
  void compare_methods() {
    options_.monitor.report("assembly", 0);
    x_ = sparse_vector<Complex>(3 * report_.nodes);
    const auto cpu =
        make_host_assembly_bench(cube_.body, cube_.connectivity, options_.repeats);
    add(*cpu, AssemblyMethod::rows, false, {}, nan);
    const auto gpu = options_.gpu ? require_papers_gpu().assembly_bench(
                                        cube_.body, cube_.connectivity, options_.repeats)
                                  : nullptr;
    if (gpu) add(*gpu, AssemblyMethod::rows, true, {}, nan);
    add(*cpu, AssemblyMethod::in_order, false, {}, nan);
    const std::size_t counts = options_.colours.size();
    for (std::size_t c = 0; c < counts; ++c) {
      options_.monitor.report(
          "assembly by colours",
          0.1 + 0.5 * static_cast<double>(c) / static_cast<double>(counts));
      const Clock::time_point start = Clock::now();
      const Colouring colouring = coloured(options_.colours[c]);
      const double colouring_s = seconds_since(start);
      if (gpu)
        for (const AssemblyMethod method :
             {AssemblyMethod::fused, AssemblyMethod::search_on_cpu,
              AssemblyMethod::split})
          add(*gpu, method, true, colouring, colouring_s);
      add(*cpu, AssemblyMethod::colours, false, colouring, colouring_s);
    }
  }

  /// The first, by rows on the CPU, is what the others are held against: the bits of one
  /// thread.
  void add(AssemblyBench& bench, AssemblyMethod method, bool gpu,
           const Colouring& colouring, double colouring_s) {
    AssemblyRow row;
    row.method = method;
    row.gpu = gpu;
    row.times = bench.measure(method, colouring);
    if (wants_colours(method)) row.colours = colouring.colours();
    row.colouring_s = colouring_s;
    const std::vector<Complex> y = bench.product(x_);
    if (exact_.empty()) exact_ = y;
    row.error = relative_difference(y, exact_);
    report_.rows.push_back(row);
  }

  /// All GPUs, and all with the CPU; one GPU first.
  std::vector<std::vector<int>> shares() const {
    if (options_.gpus.empty()) return {};
    const int first = options_.gpus.front(), cpu = SharedAssembly::cpu;
    std::vector<std::vector<int>> workers = {{first}, {first, cpu}};
    if (options_.gpus.size() == 1) return workers;
    workers.push_back(options_.gpus);
    workers.push_back(options_.gpus);
    workers.back().push_back(cpu);
    return workers;
  }

  void compare_shares(const std::vector<int>& workers) {
    const bool with_cpu = workers.back() == SharedAssembly::cpu;
    const std::size_t gpus = workers.size() - (with_cpu ? 1 : 0);
    const std::string name =
        fmt::format("{} GPU{}{}", gpus, gpus > 1 ? "s" : "", with_cpu ? " + CPU" : "");
    const auto shared =
        require_papers_gpu().shared_assembly(cube_.body, cube_.connectivity, workers);
    LargeVector<double> value = zero_values(block_values * report_.blocks);
    const auto add = [&](const char* how, std::size_t colours, RunTimes times,
                         double merge_s, double cpu_part) {
      report_.shares.push_back({name, how, colours, times, merge_s,
                                with_cpu ? cpu_part : nan, error_of(value)});
    };
    const std::vector<double> rates = shared->row_rates();
    const auto run = [&](const char* how, auto&& assemble) {
      assemble();
      const RunTimes times = time_runs(options_.repeats, assemble);
      shared->collect(value);
      const std::vector<std::vector<Share>> dealt = shared->rows();
      double rows = 0;
      for (const Share share : dealt.back())
        rows += static_cast<double>(share.last - share.first);
      add(how, 0, times, nan, rows / static_cast<double>(report_.nodes));
    };
    run("rows in slabs", [&] { return shared->assemble_slabs(rates); });
    if (workers.size() == 1) return;
    run("rows on demand", [&] { return shared->assemble_distributed(rates); });

    const Colouring colouring =
        coloured(with_cpu ? cpu_share_colours : gpu_share_colours);
    const std::vector<double> colour_rates = shared->colour_rates(colouring);
    double merge_s = 0;
    const RunTimes times = time_runs(std::min(options_.repeats, copy_repeats), [&] {
      const auto merged = shared->assemble_copies(colouring, colour_rates, value);
      merge_s = merged.merge_s;
      return merged.assemble_s;
    });
    const Share of_last = distribute(colouring.colours(), colour_rates).back();
    add("colours, copies merged", colouring.colours(), times, merge_s,
        static_cast<double>(of_last.last - of_last.first) /
            static_cast<double>(colouring.colours()));
  }

  double error_of(std::span<const double> value) const {
    std::vector<Complex> y(x_.size());
    multiply_blocks(cube_.connectivity.pattern.view(value.data()), x_, y);
    return relative_difference(y, exact_);
  }

  void solve_all() {
    SolverControl control;
    control.monitor = options_.monitor.silent();
    const auto add = [&](const char* where, const Cube& cube, ElasticSolve solve) {
      report_.wholes.push_back(
          {where, cube.body.mesh.elements(), cube.connect_s, std::move(solve)});
    };
    const Cube small(std::min(side_, max_cpu_side), 0);
    const ElasticLoad load = small.load();
    for (const bool one_thread : {true, false})
      add(one_thread ? "one thread" : "all threads", small,
          elastic_solve(small.body, small.connectivity, load, one_thread, control));
    if (!options_.gpu) return;
    const auto on_gpu = [&](const Cube& cube) {
      for (const bool assemble : {false, true})
        add(assemble ? "GPU" : "solver on the GPU", cube,
            require_papers_gpu().elastic_solve(cube.body, cube.connectivity, cube.load(),
                                               assemble, control));
    };
    on_gpu(small);
    if (side_ > max_cpu_side) on_gpu(cube_);
  }

  AssemblyBenchOptions options_;
  std::size_t side_;
  Cube cube_;
  std::vector<Complex> x_, exact_;
  AssemblyReport report_;
};

}  // namespace

double WholeRow::seconds() const {
  return connect_s + solve.assemble_s + solve.hold_s + solve.copy_s + solve.solve_s;
}

AssemblyReport compare_assembly(const AssemblyBenchOptions& options) {
  return AssemblyComparison(options).run();
}

}  // namespace thinwire
