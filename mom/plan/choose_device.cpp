#include "mom/plan/choose_device.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "kernels/base/bytes_text.h"
#include "kernels/base/error.h"
#include "kernels/element/element.h"
#include "mom/discretization/loops.h"
#include "mom/gpu/gpu.h"
#include "mom/plan/choice_parts.h"
#include "mom/plan/choose_dense.h"
#include "mom/plan/choose_operator.h"
#include "mom/plan/gpus.h"

namespace thinwire {
namespace {

/// Below this predicted time on the CPU, `auto` does not look for a GPU.
constexpr double worth_a_look_s = 0.5;

constexpr const char* gpu_precisions =
    "the CPU solves in double precision only. Use --precision double, or --device cuda.";

/// Whether the choice is `auto`'s and nothing asks for all of Z.
bool may_take_the_grid(const Options& options) {
  return options.operator_choice == OperatorChoice::automatic &&
         options.solver != SolverChoice::direct && !options.save_matrix &&
         options.kernel == KernelChoice::exact &&
         options.precision == PrecisionChoice::in_double;
}

/// Chooses for `auto` on the CPU: the grid if it is predicted to be twice as fast or the
/// matrix does not fit.
DeviceChoice on_cpu(const Discretization& where, const ProblemSize& size,
                    const Options& options, const Workload& work, int threads) {
  constexpr std::size_t few_unknowns = 10000;
  if (where.lattice()) return on_cpu_by_lattice(where, options, work, threads);
  if (options.operator_choice == OperatorChoice::fft)
    return on_cpu_by_grid(where, size, options, work, threads);
  DeviceChoice dense = on_cpu_by_matrix(where, size, options, work, threads);
  if (work.real_ground) return dense;
  if (!may_take_the_grid(options) || where.unknowns() < few_unknowns) return dense;
  try {
    DeviceChoice grid = on_cpu_by_grid(where, size, options, work, threads);
    const double dense_s = predicted_seconds(dense, work),
                 grid_s = predicted_seconds(grid, work);
    if (!grid.shortage.empty() || (dense.shortage.empty() && 2 * grid_s > dense_s))
      return dense;
    add_reason(
        grid.plan,
        dense.shortage.empty()
            ? fmt::format("predicted {:.2g} s by a grid, {:.2g} s dense", grid_s, dense_s)
            : fmt::format("dense would need {}",
                          bytes_text(static_cast<double>(dense.total_bytes))));
    return grid;
  } catch (const Error&) {
    return dense;  // no grid fits: what dense says of itself counts
  }
}

/// The first GPU alone, and the others for fields that take long: on a lattice, on a
/// grid, and where the matrix has too few unknowns to be shared.
template <class Choose>
DeviceChoice on_first_gpu(std::span<const DeviceInfo> gpus, const Choose& choose) {
  constexpr double worth_sharing_s = 0.01;
  const DeviceInfo& first = gpus.front();
  DeviceChoice choice = choose(first, first.multiprocessors / multiprocessors_measured);
  if (gpus.size() == 1 || !choice.shortage.empty()) return choice;
  if (choice.field_seconds > worth_sharing_s)
    share_fields(choice, gpus, rates_of(gpus));
  else
    add_reason(choice.plan,
               fmt::format("cuda:{} alone, which needs no others for this", first.index));
  return choice;
}

/// Whether overlapping blocks must have a coarse level.
bool must_have_coarse(const Options& options) {
  return options.coarse == CoarseChoice::on && options.solver != SolverChoice::direct;
}

/// Whether a GPU may have a coarse level: it has none beside a whole matrix.
bool may_have_coarse_on_gpu(const Options& options) {
  return options.operator_choice == OperatorChoice::fft || may_take_the_grid(options);
}

/// Chooses for `auto` on the GPU: the grid if the matrix does not fit, or where only the
/// grid has the coarse level that is asked for.
DeviceChoice on_gpu(const Discretization& where, const ProblemSize& size,
                    const Options& options, const Workload& work, int threads,
                    std::span<const DeviceInfo> gpus) {
  ProblemSize of_matrix = size;
  of_matrix.coarse_functions = 0;
  const auto by_grid = [&](const DeviceInfo& info, double share) {
    return on_gpu_by_grid(where, size, options, work, info, share);
  };
  if (where.lattice())
    return on_first_gpu(gpus, [&](const DeviceInfo& info, double share) {
      return on_gpu_by_lattice(where, options, work, threads, info, share);
    });
  if (options.operator_choice == OperatorChoice::fft || must_have_coarse(options))
    return on_first_gpu(gpus, by_grid);
  DeviceChoice dense =
      can_share(where, gpus) || gpus.size() == 1
          ? on_gpu_by_matrix(where, of_matrix, options, work, threads, gpus)
          : on_first_gpu(gpus, [&](const DeviceInfo&, double) {
              return on_gpu_by_matrix(where, of_matrix, options, work, threads,
                                      gpus.first(1));
            });
  if (work.real_ground || dense.shortage.empty() || !may_take_the_grid(options))
    return dense;
  try {
    DeviceChoice grid = on_first_gpu(gpus, by_grid);
    if (!grid.shortage.empty()) return dense;
    add_reason(grid.plan,
               fmt::format("dense would need {}",
                           bytes_text(static_cast<double>(dense.total_bytes))));
    return grid;
  } catch (const Error&) {
    return dense;  // no grid fits: what dense says of itself counts
  }
}

/// For `auto`: all GPUs like the best in place of that one alone, where it has too little
/// memory, or where it would take so long that the others, whom nobody has asked for, are
/// worth it.
void add_gpus(DeviceChoice& gpu, const Discretization& where, const ProblemSize& size,
              const Options& options, const Workload& work, int threads,
              const DeviceInfo& best, std::span<const DeviceInfo> all) {
  constexpr double worth_all_s = 5, worth_all_share = 0.7;
  std::vector<DeviceInfo> alike = {best};
  for (const DeviceInfo& info : all)
    if (info.index != best.index && info.usable() && info.name == best.name)
      alike.push_back(info);
  const double alone_s = predicted_seconds(gpu, work);
  const bool fits =
      gpu.shortage.empty() && gpu.plan.operator_choice == OperatorChoice::dense;
  // For fields alone nobody has asked for the others.
  if (work.ranks.ranks() > 1 || !can_share(where, alike) || where.lattice() ||
      options.operator_choice == OperatorChoice::fft || (fits && alone_s < worth_all_s))
    return;
  DeviceChoice together = on_gpu(where, size, options, work, threads, alike);
  if (together.plan.operator_choice != OperatorChoice::dense ||
      !together.shortage.empty())
    return;
  const double together_s = predicted_seconds(together, work);
  if (fits && together_s > worth_all_share * alone_s) return;
  if (gpu.shortage.empty() && together_s > alone_s) return;
  add_reason(together.plan, fits ? fmt::format("one GPU alone {:.2g} s", alone_s)
                                 : "too large for one GPU");
  gpu = std::move(together);
}

/// A CPU is no way out for a precision that only GPUs have.
std::string with_double_as_way_out(std::string problem) {
  constexpr std::string_view cpu = "--device cpu";
  if (const auto at = problem.rfind(cpu); at != std::string::npos)
    problem.replace(at, cpu.size(), "--precision double");
  return problem;
}

/// GPUs that cannot be used, and why.
void add_unusable(SolverPlan& plan, const DeviceReport& report) {
  // A reason stands before those that were there.
  for (auto info = report.devices.rbegin(); info != report.devices.rend(); ++info)
    if (!info->usable()) add_reason(plan, info->why_not());
}

/// Why overlapping blocks get no coarse level whatever their cost; empty where they may.
std::string why_no_coarse_level(const Options& options, const Workload& work,
                                const ProblemSize& size) {
  if (options.device.kind == DeviceRequest::Kind::cuda &&
      !may_have_coarse_on_gpu(options))
    return "on a GPU that stores Z";
  if (work.ranks.ranks() > 1) return "over ranks";
  if (work.real_ground) return "over a real ground";
  if (size.coarse_functions == 0) return "where all wires are in one cluster";
  return {};
}

DeviceChoice choose_automatically(const Discretization& where, const ProblemSize& size,
                                  const Options& options, const Workload& work,
                                  int threads) {
  DeviceChoice cpu = on_cpu(where, size, options, work, threads);
  const bool gpu_only = options.precision != PrecisionChoice::in_double;
  const double cpu_seconds = predicted_seconds(cpu, work);
  const bool cpu_fits = cpu.shortage.empty();
  if (!gpu_only && cpu_fits && cpu_seconds < worth_a_look_s) return cpu;
  const DeviceReport report =
      options.device.alone ? gpu_report(options.device.index) : gpu_report();
  if (!report.problem.empty()) {
    if (gpu_only)
      throw Error(ErrorKind::device,
                  fmt::format("precision {}: {}", name_of(options.precision),
                              with_double_as_way_out(report.problem)));
    add_unusable(cpu.plan, report);
    // Where there is no GPU at all, nobody misses one.
    if (report.driver_version != 0 && report.driver_version < report.runtime_version &&
        report.devices.empty())
      add_reason(cpu.plan, report.problem.substr(0, report.problem.find(". ")));
    return cpu;
  }
  const auto best = std::max_element(report.devices.begin(), report.devices.end(),
                                     [](const DeviceInfo& a, const DeviceInfo& b) {
                                       return std::pair(a.usable(), a.free_bytes) <
                                              std::pair(b.usable(), b.free_bytes);
                                     });
  DeviceChoice gpu = on_gpu(where, size, options, work, threads, {&*best, 1});
  add_gpus(gpu, where, size, options, work, threads, *best, report.devices);
  const double gpu_seconds = predicted_seconds(gpu, work);
  const bool gpu_fits = gpu.shortage.empty();
  if (!gpu_only && !gpu_fits) {
    cpu.gpu_too_small = true;
    add_reason(cpu.plan,
               fmt::format("cpu: {} has too little memory ({} needed)", short_name(gpu),
                           bytes_text(static_cast<double>(gpu.total_bytes))));
    return cpu;
  }
  if (!gpu_only && cpu_fits && cpu_seconds <= gpu_seconds) {
    add_reason(cpu.plan, fmt::format("predicted {:.2g} s on the cpu, {:.2g} s on {}",
                                     cpu_seconds, gpu_seconds, short_name(gpu)));
    return cpu;
  }
  require_gpu().use(best->index);
  add_reason(gpu.plan, fmt::format("predicted {:.2g} s on {}, {:.2g} s on the cpu{}",
                                   gpu_seconds, short_name(gpu), cpu_seconds,
                                   cpu_fits ? "" : ", which has too little memory"));
  return gpu;
}

/// Whether `auto` is to take the direct solver on the CPU, which alone keeps closed loops
/// that are far smaller than the wavelength.
bool has_small_loops(const Discretization& where, const ProblemSize& size,
                     const Options& options, const Workload& work) {
  return size.loops > 0 && options.device.kind == DeviceRequest::Kind::automatic &&
         (options.solver == SolverChoice::automatic ||
          options.solver == SolverChoice::direct) &&
         options.preconditioner == PreconditionerChoice::automatic &&
         options.operator_choice != OperatorChoice::toeplitz &&
         options.operator_choice != OperatorChoice::fft &&
         options.precision == PrecisionChoice::in_double &&
         where.mesh().elements().back().segment < max_segments_of_loops &&
         is_small_for_loops(where.elements(), work.loop_medium, work.loop_k_rad_per_m);
}

}  // namespace

DeviceChoice choose_device(const Discretization& where, const Options& wanted,
                           const Workload& work, int threads) {
  // A lattice's cost is that of its places: its antennas need not be told apart.
  ProblemSize size = where.lattice()
                         ? ProblemSize()
                         : size_of(where, wanted, work.largest_k_rad_per_m, work.ground);
  const std::string without_coarse = why_no_coarse_level(wanted, work, size);
  if (!without_coarse.empty()) size.coarse_functions = 0;
  if (must_have_coarse(wanted) && !without_coarse.empty())
    throw Error(
        ErrorKind::usage,
        fmt::format("--coarse on: there is no coarse level {}. Use --coarse auto.",
                    without_coarse));
  const bool loops = has_small_loops(where, size, wanted, work);
  Options options = wanted;
  if (loops) {
    options.device = {DeviceRequest::Kind::cpu};
    options.solver = SolverChoice::direct;
  }
  const bool moved = must_have_coarse(wanted) && !may_have_coarse_on_gpu(wanted) &&
                     options.device.kind == DeviceRequest::Kind::automatic;
  if (moved) options.device = {DeviceRequest::Kind::cpu};
  // Ranks would each look at other GPUs: whoever starts them says which they take.
  if (options.ranks != nullptr && work.ranks.ranks() > 1 &&
      options.device.kind == DeviceRequest::Kind::automatic)
    options.device = {DeviceRequest::Kind::cpu};
  switch (options.device.kind) {
    case DeviceRequest::Kind::automatic:
      // Where the CPU fills Z, what is left to a GPU is seldom worth its start.
      if (work.host_fill) return on_cpu(where, size, options, work, threads);
      return choose_automatically(where, size, options, work, threads);
    case DeviceRequest::Kind::cpu:
      if (options.precision != PrecisionChoice::in_double)
        throw Error(
            ErrorKind::device,
            fmt::format("precision {}: {}", name_of(options.precision), gpu_precisions));
      break;
    case DeviceRequest::Kind::cuda: {
      DeviceChoice choice =
          on_gpu(where, size, options, work, threads, gpus_of(options.device));
      if (options.device.all) add_unusable(choice.plan, gpu_report());
      return choice;
    }
  }
  DeviceChoice choice = on_cpu(where, size, options, work, threads);
  if (moved)
    add_reason(choice.plan,
               "a coarse level, which a cpu alone has beside a whole matrix");
  if (loops)
    add_reason(choice.plan, "small closed loops, which it alone keeps, on a cpu");
  return choice;
}

SolverPlan plan_there(const DeviceChoice& choice, const Discretization& where,
                      const Options& options, const Workload& work, int threads) {
  Options there = options;
  there.device = {choice.gpu ? DeviceRequest::Kind::cuda : DeviceRequest::Kind::cpu,
                  choice.index};
  if (choice.gpus.size() > 1)
    there.device.beside = {choice.gpus.begin() + 1, choice.gpus.end()};
  return choose_device(where, there, work, threads).plan;
}

}  // namespace thinwire
