#include "cli/processes.h"

#include <fmt/format.h>
#include <omp.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string_view>
#include <thread>
#include <vector>

#include "cli/openmp_wait.h"
#include "kernels/base/error.h"
#include "mom/gpu/gpu.h"
#include "mom/gpu/module_folders.h"
#include "mom/plan/planner.h"
#include "mom/plan/rank_shares.h"
#include "mom/schedule/load_ranks.h"

namespace thinwire::cli {
namespace {

std::unique_ptr<Ranks> all;

int number_in_environment(const char* name) {
  const char* const text = std::getenv(name);
  int number = -1;
  if (text != nullptr) std::from_chars(text, text + std::strlen(text), number);
  return number;
}

/// The cores that this process may use.
cpu_set_t own_cores() {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  sched_getaffinity(0, sizeof cores, &cores);
  return cores;
}

/// Returns the numbers of all ranks, on every rank.
std::vector<double> words_of(const Ranks& ranks, double mine) {
  std::vector<double> words(ranks.ranks());
  ranks.gather(std::span<const double>(&mine, 1), words);
  return words;
}

/// Returns the GPUs of this host that a request names for its processes: one GPU stands
/// for all of its kind.
std::vector<int> gpus_of_host(const DeviceRequest& device) {
  std::vector<int> gpus = {device.index};
  gpus.insert(gpus.end(), device.beside.begin(), device.beside.end());
  if (gpus.size() == 1 && gpu_module().gpu != nullptr)
    gpus = gpus_like(gpus.front(), gpu_module().gpu->names());
  return gpus;
}

/// Whether the first process predicts that GPUs are faster: its own alone or, where that
/// has too little memory, those of all, if each of the `here` processes of its host has
/// one for itself.
bool gpus_are_faster(Planner& planner, const Options& options, std::size_t here) {
  std::string device;
  if (is_first_process()) {
    Options own = options;
    own.device.alone = true;
    Plan best = planner.choose(own);
    if (!best.shortage.empty() ||
        (best.gpu_too_small && gpus_of_host(own.device).size() >= here))
      best = planner.choose(own, equal_shares(all->ranks()));
    device = best.device;
  }
  broadcast(device);
  return device != "cpu";
}

/// Where this process solves: on its GPU where one was asked for or, with `auto`, where
/// GPUs are faster and every process has one. The GPUs of a host go to its processes in
/// turn, and none opens another's.
DeviceRequest own_device(Planner& planner, const Options& options) {
  using Kind = DeviceRequest::Kind;
  const Kind asked = options.device.kind;
  if (asked == Kind::cpu) return {Kind::cpu};
  const std::vector<double> hosts = words_of(*all, all->host());
  const auto self = hosts.begin() + all->rank();
  const auto here = static_cast<std::size_t>(std::ranges::count(hosts, *self)),
             turn = static_cast<std::size_t>(std::count(hosts.begin(), self, *self));
  if (asked == Kind::automatic && !gpus_are_faster(planner, options, here))
    return {Kind::cpu};
  const std::vector<int> gpus = gpus_of_host(options.device);
  const int own = gpus[turn % gpus.size()];
  if (asked == Kind::automatic) {
    double without = gpu_report(own).problem.empty() ? 0 : 1;
    all->sum(without);
    // A precision that only GPUs have is refused where one is missing.
    if (without > 0 && options.precision == PrecisionChoice::in_double)
      return {Kind::cpu};
  }
  return {Kind::cuda, own};
}

}  // namespace

Started started_as() {
  // Open MPI; MPICH, Intel MPI and srun --mpi=pmi2; MVAPICH; any other step of srun. What
  // Slurm says of a whole job (SLURM_NTASKS) holds for a script that starts one process
  // too.
  constexpr const char* names[][2] = {{"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"},
                                      {"PMI_SIZE", "PMI_RANK"},
                                      {"MV2_COMM_WORLD_SIZE", "MV2_COMM_WORLD_RANK"},
                                      {"SLURM_STEP_NUM_TASKS", "SLURM_PROCID"}};
  for (const auto& [size, rank] : names) {
    const Started started = {number_in_environment(size), number_in_environment(rank)};
    if (started.rank >= 0 && started.ranks > started.rank) return started;
  }
  return {};
}

void join_processes(char** argv) {
  const Started started = started_as();
  if (started.ranks == 1) return;
  wait_without_spinning(argv);
  all = start_ranks(module_folders(), started.ranks);
}

const Ranks* processes() {
  return all.get();
}

bool is_first_process() {
  return !all || all->rank() == 0;
}

void leave_processes() {
  all.reset();
}

bool may_tell_of_error(bool interrupt) {
  using namespace std::chrono_literals;
  constexpr int longest = 10;
  const int rank = started_as().rank;
  // Processes that have not met cannot hear each other: mpirun ends them once one has
  // ended.
  auto patience = all ? 200ms * std::min(rank, longest) : rank > 0 ? 2000ms : 0ms;
  // An interrupt ends the first one within 0.75 s; where it comes of another's end, that
  // one's word may be on its way.
  if (all && interrupt) patience += rank > 0 ? 800ms : 100ms;
  const auto until = std::chrono::steady_clock::now() + patience;
  for (;;) {
    if (all && all->end_announced()) return false;
    if (std::chrono::steady_clock::now() >= until) break;
    std::this_thread::sleep_for(1ms);
  }
  if (all) all->announce_end();
  return true;
}

void broadcast(std::string& text) {
  if (all) all->broadcast(text, 0);
}

void broadcast(CpuRates& rates) {
  if (!all) return;
  std::array<double, sizeof(CpuRates) / sizeof(double)> numbers;
  static_assert(sizeof numbers == sizeof rates);
  numbers = std::bit_cast<decltype(numbers)>(rates);
  all->broadcast(numbers, 0);
  rates = std::bit_cast<CpuRates>(numbers);
}

void assign_threads(Options& options) {
  if (!all) return;
  if (options.threads == 0 && std::getenv("OMP_NUM_THREADS") != nullptr)
    options.threads = omp_get_max_threads();
  if (options.threads == 0) {
    // Processes that mpirun or srun bound to other cores have these to themselves.
    const cpu_set_t cores = own_cores();
    const std::string_view bits(reinterpret_cast<const char*>(&cores), sizeof cores);
    const auto kind = static_cast<double>(std::hash<std::string_view>()(bits) >> 12);
    const std::vector<double> kinds = words_of(*all, kind + all->host());
    const auto beside = std::count(kinds.begin(), kinds.end(), kinds[all->rank()]);
    options.threads = std::max(1, CPU_COUNT(&cores) / static_cast<int>(beside));
  }
  // The predicted times depend on the threads, and all processes must choose the same
  // solver.
  const std::vector<double> threads = words_of(*all, options.threads);
  options.threads = static_cast<int>(*std::min_element(threads.begin(), threads.end()));
}

void assign_device(Planner& planner, Options& options) {
  if (all) options.device = own_device(planner, options);
}

}  // namespace thinwire::cli
