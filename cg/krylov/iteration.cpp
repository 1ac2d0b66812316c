#include "cg/krylov/iteration.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <new>
#include <random>

#include "cg/vector_ops.h"
#include "kernels/base/error.h"

namespace thinwire {
namespace {

constexpr int max_restarts = 5;
constexpr int max_other_starts = 2;

int iteration_bound(int asked, std::size_t unknowns) {
  if (asked > 0) return asked;
  const double bound = 10.0 * static_cast<double>(unknowns) + 100;
  return static_cast<int>(std::min(bound, double{std::numeric_limits<int>::max()}));
}

void check_sizes(const LinearOperator& z, const Preconditioner* m, std::size_t v,
                 std::size_t current) {
  if (v != z.size() || current != z.size() || (m && m->size() != z.size()))
    throw Error(
        ErrorKind::numeric,
        fmt::format("iterative solver: sizes differ (operator {}, right-hand side "
                    "{}, solution {}, preconditioner {}).",
                    z.size(), v, current, m ? m->size() : z.size()));
}

// r = V - Z I
void true_residual(const LinearOperator& z, std::span<const Complex> v,
                   std::span<const Complex> current, std::span<Complex> r) {
  z.apply(current, r);
  xpay(v, -1.0, r);
}

// A start from which the recurrence may get through where x^T y vanished: with two equal
// antennas fed in quadrature, V = (v, jv), it vanishes for all vectors that Z and V give.
// Adds a random vector that a tenth of r can pay for.
void start_elsewhere(const LinearOperator& z, double r_norm, std::span<Complex> current,
                     const Comm& comm, unsigned seed) {
  std::vector<Complex> step(z.size()), product(z.size());
  std::minstd_rand generator(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (Complex& value : step) {
    const double re = uniform(generator);
    value = {re, uniform(generator)};
  }
  z.apply(step, product);
  const double size = norm2(product, comm);
  if (size > 0) axpy(0.1 * r_norm / size, step, current);
}

SolveResult solve_checked(const LinearOperator& z, std::span<const Complex> v,
                          std::span<Complex> current, const SolverControl& control,
                          const Cycle& cycle) {
  const Comm& comm = control.comm ? *control.comm : serial_comm();
  double unknowns = static_cast<double>(z.size());
  comm.sum(unknowns);
  const double v_norm = norm2(v, comm);
  if (v_norm == 0) {
    std::fill(current.begin(), current.end(), 0.0);
    SolveResult zero;
    zero.residual_history = {0.0};
    return zero;
  }

  Iteration iteration(control, v_norm, static_cast<std::size_t>(unknowns));
  SolveResult& result = iteration.result;
  std::vector<Complex> r(z.size());
  CycleEnd end = CycleEnd::finished;
  double before = std::numeric_limits<double>::infinity();
  int other_starts = 0;
  for (int restarts = 0;; ++restarts) {
    const double reached = restarts > 0 ? result.residual_history.back() : 0;
    if (end == CycleEnd::vanished && other_starts < max_other_starts &&
        std::isfinite(reached)) {
      ++other_starts;
      start_elsewhere(z, reached * v_norm, current, comm,
                      static_cast<unsigned>(other_starts + comm.rank() * 1000));
      before = std::numeric_limits<double>::infinity();
      end = CycleEnd::finished;
    }
    true_residual(z, v, current, r);
    const double now = result.relative_residual = iteration.correct(norm2(r, comm));
    if (now <= control.tolerance) {
      result.status = SolveStatus::converged;
      return result;
    }
    // A restart does not buy more iterations.
    if (end == CycleEnd::max_iterations ||
        result.iterations >= iteration.max_iterations()) {
      result.status = SolveStatus::max_iterations;
      return result;
    }
    // A restart that does not halve the residual has reached what rounding allows. The
    // comparison is written so that NaN ends here too.
    const bool progress = now < 0.5 * before;
    if (end == CycleEnd::breakdown || end == CycleEnd::vanished || !progress ||
        restarts > max_restarts) {
      result.status = SolveStatus::breakdown;
      return result;
    }
    before = now;
    end = cycle(r, iteration);
  }
}

}  // namespace

Iteration::Iteration(const SolverControl& control, double v_norm, std::size_t unknowns)
    : control_(control),
      comm_(control.comm ? *control.comm : serial_comm()),
      v_norm_(v_norm),
      unknowns_(unknowns),
      max_iterations_(iteration_bound(control.max_iterations, unknowns)),
      window_(std::max<std::size_t>(200, std::min<std::size_t>(unknowns, 2000))) {
  check_stop();
}

void Iteration::check_stop() const {
  if (control_.monitor.stopped())
    throw Error(
        ErrorKind::interrupted,
        fmt::format("iterative solver: interrupted at iteration {}.", result.iterations));
}

bool Iteration::stagnates() const {
  return best_.size() > window_ && best_.back() > 0.9 * best_[best_.size() - 1 - window_];
}

std::optional<CycleEnd> Iteration::record(double residual_norm) {
  const double relative = residual_norm / v_norm_;
  ++result.iterations;
  result.residual_history.push_back(relative);
  best_.push_back(std::min(best_.back(), relative));
  if (control_.on_iteration) control_.on_iteration(result.iterations, relative);
  check_stop();
  if (!std::isfinite(relative)) return CycleEnd::breakdown;
  if (relative <= control_.tolerance) return CycleEnd::finished;
  if (result.iterations >= max_iterations_) return CycleEnd::max_iterations;
  if (stagnates()) return CycleEnd::breakdown;
  return std::nullopt;
}

double Iteration::correct(double true_residual_norm) {
  const double relative = true_residual_norm / v_norm_;
  if (result.residual_history.empty()) result.residual_history.push_back(relative);
  result.residual_history.back() = relative;
  // What the recurrence claimed below the truth was not reached: a restart is not held
  // against it.
  best_.assign(1, relative);
  return relative;
}

SolveResult run_cycles(const LinearOperator& z, const Preconditioner* m,
                       std::span<const Complex> v, std::span<Complex> current,
                       const SolverControl& control, const Cycle& cycle) {
  check_sizes(z, m, v.size(), current.size());
  try {
    return solve_checked(z, v, current, control, cycle);
  } catch (const std::bad_alloc&) {
    throw Error(ErrorKind::memory,
                fmt::format("iterative solver: no memory for its vectors (N = {}). Lower "
                            "the number of iterations or use cocg, which keeps few.",
                            z.size()));
  }
}

void precondition(const Preconditioner* m, std::span<const Complex> r,
                  std::span<Complex> z) {
  if (m)
    m->apply(r, z);
  else
    std::copy(r.begin(), r.end(), z.begin());
}

bool vanishes(Complex product, std::span<const Complex> x, std::span<const Complex> y,
              const Comm& comm) {
  const double size = std::abs(product);
  // Written so that NaN vanishes too.
  return !(size > lanczos_zero * norm2(x, comm) * norm2(y, comm)) || !std::isfinite(size);
}

}  // namespace thinwire
