#include "cg/krylov/iteration.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
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

void check_sizes(const LinearOperator& z, const Preconditioner* m, std::size_t rhs_count,
                 std::size_t v, std::size_t current) {
  const std::size_t n = z.size();
  if (v != rhs_count * n || current != v || (m && m->size() != n))
    throw Error(
        ErrorKind::numeric,
        fmt::format("iterative solver: sizes differ (operator {}, right-hand side "
                    "{}, solution {}, preconditioner {}).",
                    n, v, current, m ? m->size() : n));
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

void start_elsewhere_if_vanished(const LinearOperator& z, SolveRhs& rhs,
                                 const Comm& comm) {
  if (rhs.end != CycleEnd::vanished || rhs.other_starts >= max_other_starts) return;
  const double reached = rhs.iteration.result.residual_history.back();
  if (!std::isfinite(reached)) return;
  ++rhs.other_starts;
  start_elsewhere(z, reached * rhs.iteration.v_norm(), rhs.current, comm,
                  static_cast<unsigned>(rhs.other_starts + comm.rank() * 1000));
  rhs.moved = true;
  rhs.before = std::numeric_limits<double>::infinity();
  rhs.end = CycleEnd::finished;
}

// Whether another cycle is to follow, by the true residual; if not, the status says why.
bool goes_on(SolveRhs& rhs, double r_norm) {
  SolveResult& result = rhs.iteration.result;
  const double now = result.relative_residual =
      rhs.iteration.correct(r_norm, rhs.reaction);
  if (now <= rhs.iteration.tolerance()) {
    result.status = SolveStatus::converged;
    return false;
  }
  // A restart does not buy more iterations.
  if (rhs.end == CycleEnd::max_iterations || rhs.iteration.iterations_left() <= 0) {
    result.status = SolveStatus::max_iterations;
    return false;
  }
  // A restart that does not halve the residual has reached what rounding allows. The
  // comparison is written so that NaN ends here too.
  const bool progress = now < 0.5 * rhs.before;
  if (rhs.end == CycleEnd::breakdown || rhs.end == CycleEnd::vanished || !progress ||
      rhs.restarts > max_restarts) {
    result.status = SolveStatus::breakdown;
    return false;
  }
  rhs.before = now;
  return true;
}

}  // namespace

Iteration::Iteration(const SolverControl& control, double v_norm, std::size_t unknowns)
    : control_(control),
      v_norm_(v_norm),
      max_iterations_(iteration_bound(control.max_iterations, unknowns)),
      window_(std::max<std::size_t>(200, std::min<std::size_t>(unknowns, 2000))) {
  control_.monitor.check();
}

bool Iteration::stagnates() const {
  return best_.size() > window_ && best_.back() > 0.9 * best_[best_.size() - 1 - window_];
}

std::optional<CycleEnd> Iteration::record(double relative, Complex reaction) {
  ++result.iterations;
  result.residual_history.push_back(relative);
  result.reaction_history.push_back(reaction);
  best_.push_back(std::min(best_.back(), relative));
  if (control_.on_iteration) control_.on_iteration(result.iterations, relative, reaction);
  control_.monitor.check();
  if (!std::isfinite(relative)) return CycleEnd::breakdown;
  if (relative <= control_.tolerance) return CycleEnd::finished;
  if (result.iterations >= max_iterations_) return CycleEnd::max_iterations;
  if (stagnates()) return CycleEnd::breakdown;
  if (++steps_ != control_.restart) return std::nullopt;
  cut_ = true;
  result.restarted_after = control_.restart;
  return CycleEnd::finished;
}

double Iteration::correct(double true_residual_norm, Complex reaction) {
  const double relative = true_residual_norm / v_norm_;
  result.residual_history.resize(
      std::max<std::size_t>(1, result.residual_history.size()));
  result.residual_history.back() = relative;
  result.reaction_history.resize(result.residual_history.size());
  result.reaction_history.back() = reaction;
  // The recurrence's residual below the true one was not reached: this is not counted
  // against a restart.
  best_.assign(1, relative);
  steps_ = 0;
  cut_ = false;
  return relative;
}

std::vector<SolveResult> run_cycles(const LinearOperator& z, std::span<const Complex> v,
                                    std::span<Complex> current,
                                    const SolverControl& control,
                                    const TrueResiduals& residuals, const Cycle& cycle) {
  const Comm& comm = control.comm ? *control.comm : serial_comm();
  const std::size_t n = z.size();
  double unknowns = static_cast<double>(n);
  comm.sum(unknowns);
  std::vector<SolveRhs> all_rhs;
  // One side where there are no unknowns.
  for (std::size_t first = 0; first == 0 || first < v.size(); first += n) {
    const std::span<const Complex> own = v.subspan(first, n);
    all_rhs.push_back(
        {own, current.subspan(first, n),
         Iteration(control, norm2(own, comm), static_cast<std::size_t>(unknowns))});
    SolveRhs& rhs = all_rhs.back();
    if (rhs.iteration.v_norm() != 0) continue;
    rhs.running = false;
    rhs.iteration.result.residual_history = {0.0};
    std::fill(rhs.current.begin(), rhs.current.end(), 0.0);
    if (n == 0) break;
  }
  for (;;) {
    for (SolveRhs& rhs : all_rhs)
      if (rhs.running) start_elsewhere_if_vanished(z, rhs, comm);
    std::vector<double> norms(all_rhs.size());
    residuals(all_rhs, norms);
    bool any = false;
    for (std::size_t s = 0; s < all_rhs.size(); ++s) {
      SolveRhs& rhs = all_rhs[s];
      rhs.moved = false;
      if (rhs.running) rhs.reaction = dotu(rhs.v, rhs.current, comm);
      rhs.running = rhs.running && goes_on(rhs, norms[s]);
      any = any || rhs.running;
    }
    if (!any) break;
    cycle(all_rhs);
    for (SolveRhs& rhs : all_rhs)
      if (rhs.running && !rhs.iteration.cut()) ++rhs.restarts;
  }
  std::vector<SolveResult> results;
  for (SolveRhs& rhs : all_rhs) results.push_back(std::move(rhs.iteration.result));
  return results;
}

std::vector<SolveResult> in_groups(const LinearOperator& z, const Preconditioner* m,
                                   std::size_t rhs_count, std::span<const Complex> v,
                                   std::span<Complex> current, const SolveSome& solve) {
  check_sizes(z, m, rhs_count, v.size(), current.size());
  std::vector<SolveResult> results;
  try {
    for (std::size_t first = 0; first < rhs_count; first += max_rhs_count) {
      const std::size_t begin = first * z.size(),
                        length = std::min(max_rhs_count, rhs_count - first) * z.size();
      for (SolveResult& result :
           solve(v.subspan(begin, length), current.subspan(begin, length)))
        results.push_back(std::move(result));
    }
  } catch (const std::bad_alloc&) {
    throw Error(ErrorKind::memory,
                fmt::format("iterative solver: no memory for its vectors (N = {}). Lower "
                            "the number of iterations or use cocg, which keeps few.",
                            z.size()));
  }
  return results;
}

Error no_iterative_solver(Recurrence recurrence) {
  return Error(
      ErrorKind::usage,
      fmt::format("{} is no iterative solver. Give one of cg, cocg, cocr, gmres.",
                  name_of(recurrence)));
}

void check_symmetry(Recurrence recurrence, const Preconditioner* m) {
  if (m == nullptr || m->symmetric() || recurrence == Recurrence::gmres) return;
  throw Error(ErrorKind::usage,
              fmt::format("{}: the preconditioner's matrix is not symmetric, which this "
                          "solver needs. Use --solver gmres, or --precond two-level.",
                          name_of(recurrence)));
}

void apply_wanted(const LinearOperator& z, std::size_t rhs_count,
                  const std::function<bool(std::size_t)>& wanted,
                  std::span<const Complex> x, std::span<Complex> y) {
  const std::size_t n = z.size();
  for (std::size_t first = 0; first < rhs_count; ++first) {
    std::size_t last = first;
    while (last < rhs_count && wanted(last)) ++last;
    if (last == first) continue;
    const std::size_t begin = first * n, length = (last - first) * n;
    if (last - first == 1)
      z.apply(x.subspan(begin, length), y.subspan(begin, length));
    else
      z.apply_many(x.subspan(begin, length), y.subspan(begin, length));
    first = last;  // which is not wanted
  }
}

}  // namespace thinwire
