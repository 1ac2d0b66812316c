#include "cg/krylov/host_machine.h"

namespace thinwire {
namespace {

std::size_t total(std::size_t n, const Comm& comm) {
  double all = static_cast<double>(n);
  comm.sum(all);
  return static_cast<std::size_t>(all);
}

}  // namespace

HostMachine::HostMachine(const LinearOperator& z, const Preconditioner* m, int sides,
                         const SolverControl& control)
    : z_(z),
      m_(m),
      comm_(control.comm ? *control.comm : serial_comm()),
      flexible_(control.flexible),
      n_(z.size()),
      unknowns_(total(n_, comm_)),
      states_(sides),
      iterations_(sides),
      currents_(sides),
      r_(vector()),
      y_(vector()),
      input_(n_),
      output_(m ? n_ : 0) {}

void HostMachine::true_residuals(std::span<SolveSide> sides, std::span<double> norms) {
  const std::span<Complex> r(complex(r_.data()), r_.size());
  const std::span<const Complex> currents(sides.front().current.data(), r_.size());
  apply_wanted(
      z_, sides.size(), [&](std::size_t s) { return sides[s].running; }, currents, r);
  for (std::size_t s = 0; s < sides.size(); ++s) {
    if (!sides[s].running) continue;
    const std::span<Complex> own = r.subspan(s * n_, n_);
    xpay(sides[s].v, -1.0, own);
    norms[s] = norm2(own, comm_);
  }
}

void HostMachine::load(std::span<SolveSide> sides) {
  for (std::size_t s = 0; s < sides.size(); ++s) {
    SolveSide& side = sides[s];
    State& state = states_[s] = {};
    state.done = side.running ? 0 : 1;
    state.max_iterations = side.iteration.iterations_left();
    state.tolerance = side.iteration.tolerance();
    state.v_norm = side.iteration.v_norm();
    iterations_[s] = &side.iteration;
    currents_[s] = reinterpret_cast<Value*>(side.current.data());
  }
}

bool HostMachine::running() const {
  return std::any_of(states_.begin(), states_.end(),
                     [](const State& state) { return state.done == 0; });
}

void HostMachine::store(std::span<SolveSide> sides) const {
  for (std::size_t s = 0; s < sides.size(); ++s)
    if (sides[s].running) sides[s].end = static_cast<CycleEnd>(states_[s].done - 1);
}

void HostMachine::multiply(const Vector& x) {
  apply_wanted(z_, states_.size(), [&](std::size_t s) { return states_[s].done == 0; },
               {complex(x.data()), x.size()}, {complex(y_.data()), y_.size()});
}

void HostMachine::apply_preconditioner() {
  m_->apply({complex(input_.data()), n_}, {complex(output_.data()), n_});
}

}  // namespace thinwire
