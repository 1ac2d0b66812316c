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
#include "mom/plan/choices.h"
#include "mom/plan/gpus.h"
#include "mom/problem/gpu_rates.h"

namespace thinwire {
namespace {

constexpr const char* gpu_precisions =
    "the CPU solves in double precision only. Use --precision double, or --device cuda.";

/// Whether the choice is `auto`'s and nothing asks for all of Z.
bool may_take_the_grid(const Options& options) {
  return options.operator_choice == OperatorChoice::automatic &&
         options.solver != SolverChoice::direct && !options.save_matrix &&
         options.kernel == GreensKernel::exact &&
         options.precision == PrecisionChoice::in_double;
}

/// Returns the grid's plan, which `make` makes, if it is better than that of the matrix:
/// where this does not fit, or on the CPU is predicted to take `worth` times as long.
template <class Make>
Plan dense_or_grid(const PlanInput& in, Plan dense, double worth, const Make& make) {
  if (in.work.uneven_ground || !may_take_the_grid(in.options)) return dense;
  try {
    Plan grid = make();
    const double dense_s = predicted_seconds(dense, in.work),
                 grid_s = predicted_seconds(grid, in.work);
    const bool fits = dense.shortage.empty();
    if (!grid.shortage.empty() || (fits && worth * grid_s > dense_s)) return dense;
    add_reason(grid.solver,
               fits ? fmt::format("predicted {:.2g} s by a grid, {:.2g} s dense", grid_s,
                                  dense_s)
                    : fmt::format("dense would need {}",
                                  bytes_text(static_cast<double>(dense.total_bytes))));
    return grid;
  } catch (const Error&) {
    return dense;  // no grid fits: what dense says of itself counts
  }
}

/// Chooses for `auto` on the CPU: the grid if it is predicted to be twice as fast or the
/// matrix does not fit.
Plan on_cpu(const PlanInput& in) {
  constexpr std::size_t few_unknowns = 10000;
  constexpr double worth_a_grid = 2;
  if (in.mesh.where().lattice()) return on_cpu_by_lattice(in);
  if (in.options.operator_choice == OperatorChoice::fft) return on_cpu_by_grid(in);
  Plan dense = on_cpu_by_matrix(in);
  if (in.unknowns() < few_unknowns) return dense;
  return dense_or_grid(in, std::move(dense), worth_a_grid,
                       [&] { return on_cpu_by_grid(in); });
}

/// The first GPU alone, and the others for fields that take long: on a lattice, and where
/// there are too few unknowns to be shared.
template <class Choose>
Plan on_first_gpu(std::span<const DeviceInfo> gpus, const Choose& choose) {
  constexpr double worth_sharing_s = 0.01;
  const DeviceInfo& first = gpus.front();
  Plan plan = choose(first, first.multiprocessors / h200.multiprocessors);
  if (gpus.size() == 1 || !plan.shortage.empty()) return plan;
  if (plan.field_seconds > worth_sharing_s)
    share_fields(plan, gpus, rates_of(gpus));
  else
    add_reason(plan.solver,
               fmt::format("cuda:{} alone, which needs no others for this", first.index));
  return plan;
}

/// Whether overlapping blocks must have a coarse level.
bool must_have_coarse(const Options& options) {
  return options.coarse == SwitchChoice::on && options.solver != SolverChoice::direct;
}

/// Whether a GPU may have a coarse level: it has none beside a whole matrix.
bool may_have_coarse_on_gpu(const Options& options) {
  return options.operator_choice == OperatorChoice::fft || may_take_the_grid(options);
}

/// Chooses for `auto` on the GPU: the grid if the matrix does not fit, or where only the
/// grid has the coarse level that is asked for.
Plan on_gpu(const PlanInput& in, std::span<const DeviceInfo> gpus) {
  const auto by_grid = [&] {
    // The reflection of a real ground couples the channels.
    if (can_share(in, gpus) && !in.work.real_ground) return on_gpu_by_grid(in, gpus);
    return on_first_gpu(gpus, [&](const DeviceInfo&, double) {
      return on_gpu_by_grid(in, gpus.first(1));
    });
  };
  if (in.mesh.where().lattice())
    return on_first_gpu(gpus, [&](const DeviceInfo& info, double share) {
      return on_gpu_by_lattice(in, info, share);
    });
  if (in.options.operator_choice == OperatorChoice::fft || must_have_coarse(in.options))
    return by_grid();
  PlanInput of_matrix = in;
  of_matrix.size.coarse_functions = 0;
  Plan dense = can_share(in, gpus) || gpus.size() == 1
                   ? on_gpu_by_matrix(of_matrix, gpus)
                   : on_first_gpu(gpus, [&](const DeviceInfo&, double) {
                       return on_gpu_by_matrix(of_matrix, gpus.first(1));
                     });
  if (dense.shortage.empty()) return dense;
  return dense_or_grid(in, std::move(dense), 0, by_grid);
}

/// For `auto`: all GPUs like the best in place of that one alone, where it has too little
/// memory, or where it would take so long that the others, whom nobody has asked for, are
/// worth it.
void add_gpus(Plan& gpu, const PlanInput& in, const DeviceInfo& best,
              std::span<const DeviceInfo> all) {
  constexpr double worth_all_s = 5, worth_all_share = 0.7;
  std::vector<DeviceInfo> alike = {best};
  for (const DeviceInfo& info : all)
    if (info.index != best.index && info.usable() && info.name == best.name)
      alike.push_back(info);
  const double alone_s = predicted_seconds(gpu, in.work);
  const bool as_wanted =
      gpu.shortage.empty() && (gpu.solver.operator_choice == OperatorChoice::dense ||
                               in.options.operator_choice == OperatorChoice::fft);
  // For fields alone nobody has asked for the others.
  if (in.work.ranks.ranks() > 1 || !can_share(in, alike) || in.mesh.where().lattice() ||
      (as_wanted && alone_s < worth_all_s))
    return;
  Plan together = on_gpu(in, alike);
  if (!together.shortage.empty()) return;
  const bool fits =
      as_wanted || (gpu.shortage.empty() &&
                    gpu.solver.operator_choice == together.solver.operator_choice);
  const double together_s = predicted_seconds(together, in.work);
  if (fits && together_s > worth_all_share * alone_s) return;
  if (gpu.shortage.empty() && together_s > alone_s) return;
  add_reason(together.solver, fits ? fmt::format("one GPU alone {:.2g} s", alone_s)
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
std::string why_no_coarse_level(const PlanInput& in) {
  if (in.options.device.kind == DeviceRequest::Kind::cuda &&
      !may_have_coarse_on_gpu(in.options))
    return "on a GPU that stores Z";
  if (in.work.ranks.ranks() > 1) return "over ranks";
  if (in.work.real_ground && in.options.operator_choice != OperatorChoice::fft)
    return "over a real ground";
  if (in.size.coarse_functions == 0) return "where all wires are in one cluster";
  return {};
}

Plan choose_automatically(const PlanInput& in) {
  const Options& options = in.options;
  Plan cpu = on_cpu(in);
  const bool gpu_only = options.precision != PrecisionChoice::in_double;
  const double cpu_seconds = predicted_seconds(cpu, in.work);
  const bool cpu_fits = cpu.shortage.empty();
  if (!gpu_only && cpu_fits && cpu_seconds < worth_a_look_s) return cpu;
  if (!in.looks_for_gpus) return cpu;
  const DeviceReport report =
      options.device.alone ? gpu_report(options.device.index) : gpu_report();
  if (!report.problem.empty()) {
    if (gpu_only)
      throw Error(ErrorKind::device,
                  fmt::format("precision {}: {}", name_of(options.precision),
                              with_double_as_way_out(report.problem)));
    add_unusable(cpu.solver, report);
    // Where there is no GPU at all, nobody misses one.
    if (report.driver_version != 0 && report.driver_version < report.runtime_version &&
        report.devices.empty())
      add_reason(cpu.solver, report.problem.substr(0, report.problem.find(". ")));
    return cpu;
  }
  const auto best = std::max_element(report.devices.begin(), report.devices.end(),
                                     [](const DeviceInfo& a, const DeviceInfo& b) {
                                       return std::pair(a.usable(), a.free_bytes) <
                                              std::pair(b.usable(), b.free_bytes);
                                     });
  Plan gpu = on_gpu(in, {&*best, 1});
  add_gpus(gpu, in, *best, report.devices);
  const double gpu_seconds = predicted_seconds(gpu, in.work);
  const bool gpu_fits = gpu.shortage.empty();
  if (!gpu_only && !gpu_fits) {
    cpu.gpu_too_small = true;
    add_reason(cpu.solver,
               fmt::format("cpu: {} has too little memory ({} needed)", short_name(gpu),
                           bytes_text(static_cast<double>(gpu.total_bytes))));
    return cpu;
  }
  if (!gpu_only && cpu_fits && cpu_seconds <= gpu_seconds) {
    add_reason(cpu.solver, fmt::format("predicted {:.2g} s on the cpu, {:.2g} s on {}",
                                       cpu_seconds, gpu_seconds, short_name(gpu)));
    return cpu;
  }
  require_gpu().use(best->index);
  add_reason(gpu.solver, fmt::format("predicted {:.2g} s on {}, {:.2g} s on the cpu{}",
                                     gpu_seconds, short_name(gpu), cpu_seconds,
                                     cpu_fits ? "" : ", which has too little memory"));
  return gpu;
}

/// True if closed loops are far smaller than the wavelength, which are kept only where a
/// CPU stores the matrix. Few segments need no GPU: then this is true for those who asked
/// for one, too.
bool has_small_loops(const PlanInput& in) {
  return in.size.loops > 0 && in.options.operator_choice != OperatorChoice::toeplitz &&
         in.options.operator_choice != OperatorChoice::fft &&
         in.options.device.kind != DeviceRequest::Kind::cpu &&
         in.mesh.where().mesh().elements().back().segment < max_segments_of_loops &&
         is_small_for_loops(in.mesh.elements(), in.work.loop_medium,
                            in.work.loop_k_rad_per_m);
}

}  // namespace

Plan choose_device(PlanInput in) {
  Options& options = in.options;
  const std::string without_coarse = why_no_coarse_level(in);
  if (!without_coarse.empty()) in.size.coarse_functions = 0;
  if (must_have_coarse(options) && !without_coarse.empty())
    throw Error(
        ErrorKind::usage,
        fmt::format("--coarse on: there is no coarse level {}. Use --coarse auto.",
                    without_coarse));
  const bool loops = has_small_loops(in),
             moved = must_have_coarse(options) && !may_have_coarse_on_gpu(options) &&
                     options.device.kind == DeviceRequest::Kind::automatic;
  if (loops) {
    if (options.device.kind == DeviceRequest::Kind::cuda) (void)gpus_of(options.device);
    options.precision = PrecisionChoice::in_double;
    options.operator_choice = OperatorChoice::dense;
    if (options.solver == SolverChoice::automatic &&
        options.preconditioner == PreconditionerChoice::automatic)
      options.solver = SolverChoice::direct;
  }
  // Ranks would each look at other GPUs: whoever starts them says which they take.
  const bool of_ranks = options.ranks != nullptr && in.work.ranks.ranks() > 1 &&
                        options.device.kind == DeviceRequest::Kind::automatic;
  if (loops || moved || of_ranks) options.device = {DeviceRequest::Kind::cpu};
  switch (options.device.kind) {
    case DeviceRequest::Kind::automatic:
      // Where the CPU fills Z, what is left to a GPU is seldom worth its start.
      return in.work.host_fill ? on_cpu(in) : choose_automatically(in);
    case DeviceRequest::Kind::cpu:
      if (options.precision != PrecisionChoice::in_double)
        throw Error(
            ErrorKind::device,
            fmt::format("precision {}: {}", name_of(options.precision), gpu_precisions));
      break;
    case DeviceRequest::Kind::cuda: {
      Plan plan = on_gpu(in, gpus_of(options.device));
      if (options.device.all) add_unusable(plan.solver, gpu_report());
      return plan;
    }
  }
  Plan plan = on_cpu(in);
  if (moved)
    add_reason(plan.solver,
               "a coarse level, which a cpu alone has beside a whole matrix");
  if (loops) add_reason(plan.solver, "small closed loops, which only a cpu keeps");
  return plan;
}

}  // namespace thinwire
