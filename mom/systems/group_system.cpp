#include "mom/systems/group_system.h"

#include <cstddef>

#include "kernels/base/error.h"

namespace thinwire {

GroupSystem::GroupSystem(int owners, std::size_t unknowns, const MakeOwner& make)
    : unknowns_(unknowns), threads_(owners), owners_(static_cast<std::size_t>(owners)) {
  try {
    threads_.run([&](const Comm& comm) {
      owners_[static_cast<std::size_t>(comm.rank())] = make(comm, threads_.failed());
    });
  } catch (...) {
    end();
    throw;
  }
}

GroupSystem::~GroupSystem() {
  end();
}

/// Releases what each owner has, on its own thread.
void GroupSystem::end() {
  threads_.run(
      [&](const Comm& comm) { owners_[static_cast<std::size_t>(comm.rank())].reset(); });
}

/// Calls call(system, rank) on every owner's thread.
template <class Call>
void GroupSystem::on_each(const Call& call) const {
  threads_.run([&](const Comm& comm) {
    call(*owners_[static_cast<std::size_t>(comm.rank())], comm.rank());
  });
}

/// The first tells the caller's listener; where it is stopped, or fails, the others stop.
Monitor GroupSystem::monitor_of(int rank, const Monitor& monitor) const {
  return rank == 0 ? monitor : Monitor({}, &threads_.failed());
}

void GroupSystem::fill(const FillParameters& parameters, const SolverPlan& plan,
                       const Monitor& monitor) {
  on_each([&](System& system, int rank) {
    system.fill(parameters, plan, monitor_of(rank, monitor));
  });
}

void GroupSystem::expect(std::span<const double> k_rad_per_m) {
  on_each([&](System& system, int) { system.expect(k_rad_per_m); });
}

void GroupSystem::prepare(Method method, const Monitor& monitor) {
  on_each([&](System& system, int rank) {
    system.prepare(method, monitor_of(rank, monitor));
  });
  take_notes_of_first();
}

bool GroupSystem::direct_fits() const {
  std::vector<char> fits(owners_.size());
  on_each([&](const System& system, int rank) {
    fits[static_cast<std::size_t>(rank)] = system.direct_fits();
  });
  return fits.front() != 0;
}

std::vector<SolveResult> GroupSystem::solve(std::span<const Complex> v,
                                            std::span<Complex> current,
                                            const SolverControl& control) {
  try {
    return solve_together(v, current, control);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::memory || v.size() == unknowns_) throw;
  }
  std::vector<SolveResult> results;
  for (std::size_t first = 0; first < v.size(); first += unknowns_)
    results.push_back(solve_together(v.subspan(first, unknowns_),
                                     current.subspan(first, unknowns_), control)
                          .front());
  return results;
}

std::vector<SolveResult> GroupSystem::solve_together(std::span<const Complex> v,
                                                     std::span<Complex> current,
                                                     const SolverControl& control) {
  std::vector<SolveResult> results;
  on_each([&](System& system, int rank) {
    if (rank == 0) {
      results = system.solve(v, current, control);
      return;
    }
    SolverControl quiet = control;
    quiet.on_iteration = {};
    quiet.monitor = monitor_of(rank, control.monitor);
    std::vector<Complex> same(current.size());
    (void)system.solve(v, same, quiet);
  });
  take_notes_of_first();
  return results;
}

std::optional<OperatorError> GroupSystem::operator_error(
    std::span<const Complex> v, std::span<const Complex> current) const {
  std::optional<OperatorError> error;
  on_each([&](const System& system, int rank) {
    const std::optional<OperatorError> here = system.operator_error(v, current);
    if (rank == 0) error = here;
  });
  return error;
}

void GroupSystem::gather_rows(const TakeRows& take) const {
  on_each([&](const System& system, int) { system.gather_rows(take); });
}

void GroupSystem::take_notes_of_first() {
  for (const auto& owner : owners_) {
    std::vector<Note> notes = owner->take_notes();
    if (owner == owners_.front()) notes_.insert(notes_.end(), notes.begin(), notes.end());
  }
}

}  // namespace thinwire
