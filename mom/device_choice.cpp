#include "mom/device_choice.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "cg/device_direct.h"
#include "cg/two_level.h"
#include "kernels/device.h"
#include "kernels/device_tiles.h"
#include "kernels/error.h"
#include "kernels/symv.h"
#include "mom/device_system.h"
#include "mom/impedance_matrix.h"

namespace thinwire {
namespace {

/// Rates of one H200, low on purpose; docs/performance.md says how they were measured.
/// Other GPUs are held to have as much in proportion to their multiprocessors.
constexpr double multiprocessors_measured = 132;
constexpr double fill_entries_per_s = 8e9;
constexpr double product_bytes_per_s = 3.8e12;
constexpr double iteration_overhead_s = 60e-6;
constexpr double ldlt_flops_per_s = 4e13;
constexpr double coarse_flops_per_s = 2e13;
/// First use of a GPU in a process, and of each solve's memory and libraries.
constexpr double start_s = 0.45;
constexpr double setup_s = 0.02;
/// Below this predicted time on the CPU, `auto` does not look for a GPU.
constexpr double worth_a_look_s = 0.5;

constexpr const char* gpu_precisions =
    "the CPU solves in double precision only. Use --precision double, or --device cuda.";

/// A GPU's plan: the same choice of solver as on the CPU, with the GPU's rates.
SolverPlan device_plan(const Discretisation& where, const Options& options,
                       double right_hand_sides, double share) {
  const std::size_t n = where.unknowns();
  const auto size = static_cast<double>(n);
  const auto matrix = static_cast<double>(DeviceSystem::matrix_bytes(n, options));
  const auto blocks = preconditioner_blocks(where);
  SolverPlan plan = choose_solver(where, options, 1, 1);
  const bool asked_for_none = options.preconditioner == PreconditionerChoice::none;
  // Iterations: those that the CPU's plan expects.
  const double iterations = plan.iterations;
  const int modes = TwoLevelPreconditioner::modes_for(blocks.size());
  const double coarse = static_cast<double>(blocks.size()) * modes;

  const double direct = setup_s +
                        4.0 / 3 * size * size * size / (ldlt_flops_per_s * share) +
                        right_hand_sides * 30 * matrix / (product_bytes_per_s * share);
  const double iterative = setup_s +
                           11 * coarse * coarse * coarse / (coarse_flops_per_s * share) +
                           matrix / (0.5 * product_bytes_per_s * share) +
                           right_hand_sides * iterations *
                               (iteration_overhead_s + (matrix + 16 * coarse * coarse) /
                                                           (product_bytes_per_s * share));

  plan.why.clear();
  if (options.solver == SolverChoice::automatic) {
    const bool take_direct = direct <= iterative || asked_for_none;
    plan.solver = take_direct ? SolverChoice::direct : SolverChoice::cocg;
    plan.why = fmt::format(
        "predicted {:.2g} s for direct, {:.2g} s for cocg with a two-level "
        "preconditioner ({:.0f} iterations)",
        direct, iterative, iterations);
  }
  if (plan.solver == SolverChoice::direct) {
    plan.preconditioner = PreconditionerChoice::none;
    plan.seconds = direct;
    plan.bytes = DeviceLdlt::bytes(n);
    return plan;
  }
  plan.preconditioner = options.preconditioner;
  if (plan.preconditioner == PreconditionerChoice::automatic)
    plan.preconditioner =
        blocks.size() > 1 ? PreconditionerChoice::two_level : PreconditionerChoice::block;
  plan.seconds = iterative;
  plan.bytes = 16 * 16 * n;  // vectors
  if (plan.preconditioner != PreconditionerChoice::none)
    plan.bytes += BlockPreconditioner::bytes(blocks);
  if (plan.preconditioner == PreconditionerChoice::two_level)
    plan.bytes += static_cast<std::size_t>(2 * 16 * coarse * coarse);
  return plan;
}

DeviceChoice on_cpu(const Discretisation& where, const Options& options,
                    std::size_t right_hand_sides, int threads) {
  DeviceChoice choice;
  choice.plan = choose_solver(where, options, right_hand_sides, threads);
  choice.fill_seconds = predicted_fill_seconds(where.unknowns(), threads);
  choice.matrix_bytes = ImpedanceMatrix::bytes(where.unknowns());
  choice.total_bytes = choice.matrix_bytes + choice.plan.bytes;
  return choice;
}

DeviceChoice on_gpu(const Discretisation& where, const Options& options,
                    std::size_t right_hand_sides, const DeviceInfo& info) {
  const std::size_t n = where.unknowns();
  const double share = info.multiprocessors / multiprocessors_measured;
  DeviceChoice choice;
  choice.gpu = true;
  choice.index = info.index;
  choice.name = fmt::format("cuda:{} {}", info.index, info.name);
  choice.plan = device_plan(where, options, static_cast<double>(right_hand_sides), share);
  choice.matrix_bytes = DeviceSystem::matrix_bytes(n, options);
  const Storage storage =
      options.precision == "double" ? Storage::complex_double : Storage::complex_single;
  // With the partial sums of the products, the mesh and its near pairs, and what CUDA
  // itself takes.
  const std::size_t sums = DeviceSymv::bytes(PackedTiles{n}, storage, 1,
                                             info.multiprocessors),
                    mesh = 1000 * where.elements().size(),
                    refinement =
                        options.precision == "mixed" ? (std::size_t{1} << 28) : 0;
  choice.total_bytes = choice.matrix_bytes + choice.plan.bytes + sums + mesh + refinement;
  choice.fill_seconds = 0.5 * static_cast<double>(n) * static_cast<double>(n) /
                        (fill_entries_per_s * share);
  // Refinement computes the entries again, twice as a rule.
  if (options.precision == "mixed") choice.plan.seconds += 2 * choice.fill_seconds;
  return choice;
}

double seconds(const DeviceChoice& choice, std::size_t frequencies) {
  return (choice.gpu ? start_s : 0) +
         static_cast<double>(frequencies) * (choice.plan.seconds + choice.fill_seconds);
}

void add_reason(SolverPlan& plan, const std::string& reason) {
  plan.why = plan.why.empty() ? reason : reason + "; " + plan.why;
}

void require_memory(const DeviceChoice& choice, const DeviceInfo& info, std::size_t n,
                    const Options& options) {
  if (choice.total_bytes <= info.free_bytes) return;
  const double gib = 1u << 30;
  throw Error(
      ErrorKind::memory,
      fmt::format(
          "impedance matrix and solver need {:.1f} GiB but cuda:{} has {:.1f} GiB "
          "free (N = {}). {}",
          static_cast<double>(choice.total_bytes) / gib, info.index,
          static_cast<double>(info.free_bytes) / gib, n,
          choice.plan.solver == SolverChoice::direct ? "Use --solver cocg."
          : options.precision == "double"
              ? "Use --precision mixed, fewer segments or --mesh as-given."
              : "Use fewer segments or --mesh as-given."));
}

DeviceChoice choose_automatically(const Discretisation& where, const Options& options,
                                  std::size_t right_hand_sides, std::size_t frequencies,
                                  int threads) {
  DeviceChoice cpu = on_cpu(where, options, right_hand_sides, threads);
  const bool gpu_only = options.precision != "double";
  const double cpu_seconds = seconds(cpu, frequencies);
  if (!gpu_only && cpu_seconds < worth_a_look_s) return cpu;
  const DeviceReport report = device_report();
  if (!report.problem.empty()) {
    if (gpu_only)
      throw Error(ErrorKind::device,
                  fmt::format("precision {}: {}", options.precision, report.problem));
    return cpu;
  }
  const auto best = std::max_element(report.devices.begin(), report.devices.end(),
                                     [](const DeviceInfo& a, const DeviceInfo& b) {
                                       return std::pair(a.runs_this_build, a.free_bytes) <
                                              std::pair(b.runs_this_build, b.free_bytes);
                                     });
  DeviceChoice gpu = on_gpu(where, options, right_hand_sides, *best);
  const double gpu_seconds = seconds(gpu, frequencies);
  if (gpu_only) {
    require_memory(gpu, *best, where.unknowns(), options);
  } else if (gpu.total_bytes > best->free_bytes) {
    add_reason(
        cpu.plan,
        fmt::format("cpu: cuda:{} has too little memory ({:.1f} GiB needed)", best->index,
                    static_cast<double>(gpu.total_bytes) / (1u << 30)));
    return cpu;
  } else if (cpu_seconds <= gpu_seconds) {
    add_reason(cpu.plan, fmt::format("predicted {:.2g} s on the cpu, {:.2g} s on cuda:{}",
                                     cpu_seconds, gpu_seconds, best->index));
    return cpu;
  }
  use_device(best->index);
  add_reason(gpu.plan, fmt::format("predicted {:.2g} s on cuda:{}, {:.2g} s on the cpu",
                                   gpu_seconds, best->index, cpu_seconds));
  return gpu;
}

}  // namespace

DeviceChoice choose_device(const Discretisation& where, const Options& options,
                           std::size_t right_hand_sides, std::size_t frequencies,
                           int threads) {
  if (options.device == "auto")
    return choose_automatically(where, options, right_hand_sides, frequencies, threads);
  if (options.device == "cpu") {
    if (options.precision != "double")
      throw Error(ErrorKind::device,
                  fmt::format("precision {}: {}", options.precision, gpu_precisions));
    return on_cpu(where, options, right_hand_sides, threads);
  }
  use_device(options.device == "cuda" ? 0 : std::stoi(options.device.substr(5)));
  const DeviceInfo info = current_device();
  const DeviceChoice choice = on_gpu(where, options, right_hand_sides, info);
  require_memory(choice, info, where.unknowns(), options);
  return choice;
}

}  // namespace thinwire
