#include "cg/krylov/device_executor.cuh"

#include <algorithm>
#include <cmath>
#include <vector>

namespace thinwire::device {
namespace {

/// r = v - r, the product in r unless there is `none`; and its 2-norm.
__global__ void __launch_bounds__(tuning::vector_threads)
    take_residual(std::size_t n, const double2* v, bool none, double2* r, SumSpace space,
                  double* residual_norm) {
  double sum[1] = {};
  for (std::size_t i = std::size_t{blockIdx.x} * tuning::vector_threads + threadIdx.x;
       i < n; i += std::size_t{gridDim.x} * tuning::vector_threads) {
    const double2 value = none ? v[i] : v[i] - r[i];
    r[i] = value;
    sum[0] += value.x * value.x + value.y * value.y;
  }
  grid_sum<1, tuning::vector_threads>(
      sum, space, [&](const double* total) { *residual_norm = std::sqrt(total[0]); });
}

/// Whether all sides start from nothing: then there is no product.
bool all_zero(std::span<const SolveRhs> all_rhs) {
  return std::all_of(all_rhs.begin(), all_rhs.end(), [](const SolveRhs& rhs) {
    return !rhs.running ||
           (rhs.moved && std::all_of(rhs.current.begin(), rhs.current.end(),
                                     [](Complex value) { return value == 0.0; }));
  });
}

}  // namespace

ExecutorMemory::ExecutorMemory(const DeviceOperator& z, const DevicePreconditioner* m,
                               int rhs_count, int room, bool flexible)
    : z_(z),
      m_(m),
      rhs_count_(rhs_count),
      room_(room),
      flexible_(flexible),
      r_(vector()),
      current_(vector()),
      v_(vector()),
      norms_(rhs_count, "solver state"),
      states_(rhs_count, "solver state"),
      group_(1, "solver state"),
      mail_(rhs_count, "solver state"),
      partial_(std::size_t{max_sum_blocks} * max_sums * rhs_count, "solver sums"),
      ticket_(rhs_count, "solver sums"),
      project_partial_(std::size_t{project_blocks} * 2 * project_group * rhs_count,
                       "solver sums"),
      project_ticket_(std::size_t{project_blocks} * rhs_count, "solver sums"),
      combined_products_(
          std::size_t{tuning::combine_project_blocks} * 2 * combined_vectors * rhs_count,
          "solver sums") {
  ticket_.clear(stream_);
  project_ticket_.clear(stream_);
}

ExecutorMemory::Vector ExecutorMemory::vector() const {
  Vector x(room_ * next(), "vectors of the solver");
  x.clear(stream_);
  return x;
}

void ExecutorMemory::true_residuals(std::span<const SolveRhs> all_rhs,
                                    std::span<double> norms) {
  const bool nothing = all_zero(all_rhs);
  std::vector<int> running;
  for (int s = 0; s < rhs_count_; ++s) {
    const SolveRhs& rhs = all_rhs[s];
    if (!rhs.running) continue;
    running.push_back(s);
    if (!v_loaded_) copy_bytes(at(v_, s), rhs.v.data(), rhs.v.size_bytes(), stream_);
    if (nothing)
      set_bytes(current(s), 0, rhs.current.size_bytes(), stream_);
    else if (rhs.moved)
      copy_bytes(current(s), rhs.current.data(), rhs.current.size_bytes(), stream_);
  }
  v_loaded_ = true;
  if (running.empty()) return;
  const auto product = [&](int first, int count) {
    z_.multiply(reinterpret_cast<const Complex*>(current(first)),
                reinterpret_cast<Complex*>(at(r_, first)), count, stream_);
  };
  if (!nothing && running.size() == 1)
    product(running.front(), 1);
  else if (!nothing)
    product(0, z_.parts(room_) != nullptr ? room_ : rhs_count_);
  const std::size_t most = tuning::vector_blocks,
                    blocks = std::min(most, (unknowns() + tuning::vector_threads - 1) /
                                                tuning::vector_threads);
  for (const int s : running) {
    take_residual<<<static_cast<unsigned>(blocks), tuning::vector_threads, 0,
                    stream_.get()>>>(unknowns(), at(v_, s), nothing, at(r_, s), space(s),
                                     norms_.data() + s);
    check_launch("residual");
  }
  std::vector<double> all(norms_.size());
  read(std::span(all), norms_.data());
  for (const int s : running) norms[s] = all[s];
}

void ExecutorMemory::load(std::span<const SolveRhs> all_rhs) {
  RhsGroup group = {};
  std::vector<State> states(all_rhs.size());
  for (int s = 0; s < rhs_count_; ++s) {
    const SolveRhs& rhs = all_rhs[s];
    State& state = states[s] = {};
    state.done = rhs.running ? 0 : 1;
    if (!rhs.running) continue;
    ++group.running;
    state.tolerance = rhs.iteration.tolerance();
    state.v_norm = rhs.iteration.v_norm();
    state.reaction = {rhs.reaction.real(), rhs.reaction.imag()};
    state.max_iterations = rhs.iteration.iterations_left();
  }
  states_.upload(states, stream_);
  group_.upload({&group, 1}, stream_);
  stream_.synchronize();
  for (int s = 0; s < rhs_count_; ++s) {
    volatile Mailbox& mail = mail_.data()[s];
    for (int k = 0; k < Mailbox::capacity; ++k) mail.letters[k].iteration = 0;
    mail.end.done = 0;
  }
}

void ExecutorMemory::store(std::span<SolveRhs> all_rhs) {
  for (int s = 0; s < rhs_count_; ++s)
    if (all_rhs[s].running)
      copy_bytes(all_rhs[s].current.data(), current(s), all_rhs[s].current.size_bytes(),
                 stream_);
  stream_.synchronize();
}

void ExecutorMemory::give_up(int rhs, const DeviceStream& stream) {
  set_bytes(&states_.data()[rhs].give_up, 1, sizeof(int), stream);
}

ExecutorMemory::State ExecutorMemory::state(int rhs) const {
  State state;
  read(std::span<State>(&state, 1), states_.data() + rhs);
  return state;
}

void ExecutorMemory::reopen(int rhs) {
  set_bytes(&states_.data()[rhs].done, 0, sizeof(int), stream_);
}

void ExecutorMemory::require(std::size_t bytes) const {
  require_device_memory(bytes, "GMRES's vectors", unknowns(),
                        "Use --solver cocg, which keeps few.");
}

}  // namespace thinwire::device
