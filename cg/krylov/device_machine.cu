#include "cg/krylov/device_machine.cuh"

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
bool all_zero(std::span<const SolveSide> sides) {
  return std::all_of(sides.begin(), sides.end(), [](const SolveSide& side) {
    return !side.running ||
           (side.moved && std::all_of(side.current.begin(), side.current.end(),
                                      [](Complex value) { return value == 0.0; }));
  });
}

}  // namespace

MachineMemory::MachineMemory(const DeviceOperator& z, const DevicePreconditioner* m,
                             int sides, int room, bool flexible)
    : z_(z),
      m_(m),
      sides_(sides),
      room_(room),
      flexible_(flexible),
      r_(vector()),
      current_(vector()),
      v_(vector()),
      norms_(sides, "solver state"),
      states_(sides, "solver state"),
      group_(1, "solver state"),
      mail_(sides, "solver state"),
      partial_(std::size_t{max_sum_blocks} * max_sums * sides, "solver sums"),
      ticket_(sides, "solver sums"),
      project_partial_(std::size_t{project_blocks} * 2 * project_group * sides,
                       "solver sums"),
      project_ticket_(std::size_t{project_blocks} * sides, "solver sums"),
      combined_products_(
          std::size_t{tuning::combine_project_blocks} * 2 * combined_vectors * sides,
          "solver sums") {
  ticket_.clear(stream_);
  project_ticket_.clear(stream_);
}

MachineMemory::Vector MachineMemory::vector() const {
  Vector x(room_ * next(), "vectors of the solver");
  x.clear(stream_);
  return x;
}

void MachineMemory::true_residuals(std::span<const SolveSide> sides,
                                   std::span<double> norms) {
  const bool nothing = all_zero(sides);
  std::vector<int> running;
  for (int s = 0; s < sides_; ++s) {
    const SolveSide& side = sides[s];
    if (!side.running) continue;
    running.push_back(s);
    if (!v_loaded_) copy_bytes(at(v_, s), side.v.data(), side.v.size_bytes(), stream_);
    if (nothing)
      set_bytes(current(s), 0, side.current.size_bytes(), stream_);
    else if (side.moved)
      copy_bytes(current(s), side.current.data(), side.current.size_bytes(), stream_);
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
    product(0, z_.parts(room_) != nullptr ? room_ : sides_);
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

void MachineMemory::load(std::span<const SolveSide> sides) {
  SideGroup group = {};
  std::vector<State> states(sides.size());
  for (int s = 0; s < sides_; ++s) {
    const SolveSide& side = sides[s];
    State& state = states[s] = {};
    state.done = side.running ? 0 : 1;
    if (!side.running) continue;
    ++group.running;
    state.tolerance = side.iteration.tolerance();
    state.v_norm = side.iteration.v_norm();
    state.max_iterations = side.iteration.iterations_left();
  }
  states_.upload(states, stream_);
  group_.upload({&group, 1}, stream_);
  stream_.synchronize();
  for (int s = 0; s < sides_; ++s) {
    volatile Mailbox& mail = mail_.data()[s];
    for (int k = 0; k < Mailbox::capacity; ++k) mail.letters[k].iteration = 0;
    mail.end.done = 0;
  }
}

void MachineMemory::store(std::span<SolveSide> sides) {
  for (int s = 0; s < sides_; ++s)
    if (sides[s].running)
      copy_bytes(sides[s].current.data(), current(s), sides[s].current.size_bytes(),
                 stream_);
  stream_.synchronize();
}

void MachineMemory::give_up(int side, const DeviceStream& stream) {
  set_bytes(&states_.data()[side].give_up, 1, sizeof(int), stream);
}

MachineMemory::State MachineMemory::state(int side) const {
  State state;
  read(std::span<State>(&state, 1), states_.data() + side);
  return state;
}

void MachineMemory::reopen(int side) {
  set_bytes(&states_.data()[side].done, 0, sizeof(int), stream_);
}

void MachineMemory::require(std::size_t bytes) const {
  require_device_memory(bytes, "GMRES's vectors", unknowns(),
                        "Use --solver cocg, which keeps few.");
}

}  // namespace thinwire::device
