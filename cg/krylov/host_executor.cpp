#include "cg/krylov/host_executor.h"

namespace thinwire {
namespace {

std::size_t total(std::size_t n, const Comm& comm) {
  double all = static_cast<double>(n);
  comm.sum(all);
  return static_cast<std::size_t>(all);
}

}  // namespace

HostExecutor::HostExecutor(const LinearOperator& z, const Preconditioner* m,
                           int rhs_count, const SolverControl& control)
    : z_(z),
      m_(m),
      comm_(control.comm ? *control.comm : serial_comm()),
      flexible_(control.flexible),
      n_(z.size()),
      unknowns_(total(n_, comm_)),
      states_(rhs_count),
      iterations_(rhs_count),
      currents_(rhs_count),
      v_(rhs_count),
      r_(vector()),
      y_(vector()),
      input_(n_),
      output_(m ? n_ : 0) {}

void HostExecutor::true_residuals(std::span<SolveRhs> all_rhs, std::span<double> norms) {
  const std::span<Complex> r(complex(r_.data()), r_.size());
  const std::span<const Complex> currents(all_rhs.front().current.data(), r_.size());
  apply_wanted(
      z_, all_rhs.size(), [&](std::size_t s) { return all_rhs[s].running; }, currents, r);
  for (std::size_t s = 0; s < all_rhs.size(); ++s) {
    if (!all_rhs[s].running) continue;
    const std::span<Complex> own = r.subspan(s * n_, n_);
    xpay(all_rhs[s].v, -1.0, own);
    norms[s] = norm2(own, comm_);
  }
}

void HostExecutor::load(std::span<SolveRhs> all_rhs) {
  for (std::size_t s = 0; s < all_rhs.size(); ++s) {
    SolveRhs& rhs = all_rhs[s];
    State& state = states_[s] = {};
    state.done = rhs.running ? 0 : 1;
    state.max_iterations = rhs.iteration.iterations_left();
    state.tolerance = rhs.iteration.tolerance();
    state.v_norm = rhs.iteration.v_norm();
    state.reaction = {rhs.reaction.real(), rhs.reaction.imag()};
    iterations_[s] = &rhs.iteration;
    currents_[s] = reinterpret_cast<Value*>(rhs.current.data());
    v_[s] = reinterpret_cast<const Value*>(rhs.v.data());
  }
}

bool HostExecutor::running() const {
  return std::any_of(states_.begin(), states_.end(),
                     [](const State& state) { return state.done == 0; });
}

void HostExecutor::store(std::span<SolveRhs> all_rhs) const {
  for (std::size_t s = 0; s < all_rhs.size(); ++s)
    if (all_rhs[s].running) all_rhs[s].end = static_cast<CycleEnd>(states_[s].done - 1);
}

void HostExecutor::multiply(const Vector& x) {
  apply_wanted(z_, states_.size(), [&](std::size_t s) { return states_[s].done == 0; },
               {complex(x.data()), x.size()}, {complex(y_.data()), y_.size()});
}

void HostExecutor::apply_preconditioner() {
  m_->apply({complex(input_.data()), n_}, {complex(output_.data()), n_});
}

}  // namespace thinwire
