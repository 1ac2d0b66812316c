#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "cg/rank_threads.h"
#include "mom/systems/system.h"

namespace thinwire {

/// A System of several owners in one process (several GPUs, mostly), a thread each. Every
/// owner is a System of its own, that has its share of the matrix and meets the others
/// through its Comm; each call goes to all of them at once, and what the first returns is
/// the answer, as all have the same.
class GroupSystem final : public System {
 public:
  /// Makes the System of rank comm.rank(), on that owner's thread, where it is called and
  /// destroyed too: what belongs to the thread, such as its current GPU, is to be set
  /// here. The first owner's thread is that of the caller. comm outlives the System, and
  /// so does `failed`, which is set once another owner has failed: for waits that are not
  /// the Comm's.
  using MakeOwner = std::function<std::unique_ptr<System>(
      const Comm& comm, const std::atomic<bool>& failed)>;

  /// unknowns: of a right-hand side. Throws what `make` does on any of them.
  GroupSystem(int owners, std::size_t unknowns, const MakeOwner& make);
  ~GroupSystem() override;

  void fill(const FillParameters& parameters, const SolverPlan& plan,
            const Monitor& monitor) override;
  void expect(std::span<const double> k_rad_per_m) override;
  void prepare(Method method, const Monitor& monitor) override;
  bool direct_fits() const override;
  /// Where an owner has no memory for all right-hand sides together, all of them take one
  /// after another.
  std::vector<SolveResult> solve(std::span<const Complex> v, std::span<Complex> current,
                                 const SolverControl& control) override;
  std::optional<OperatorError> operator_error(
      std::span<const Complex> v, std::span<const Complex> current) const override;
  std::size_t coarse_functions() const override {
    return owners_.front()->coarse_functions();
  }
  bool keeps_small_loops() const override { return owners_.front()->keeps_small_loops(); }
  void gather_rows(const TakeRows& take) const override;

 private:
  template <class Call>
  void on_each(const Call& call) const;
  Monitor monitor_of(int rank, const Monitor& monitor) const;
  std::vector<SolveResult> solve_together(std::span<const Complex> v,
                                          std::span<Complex> current,
                                          const SolverControl& control);
  void take_notes_of_first();
  void end();

  std::size_t unknowns_;
  mutable RankThreads threads_;
  std::vector<std::unique_ptr<System>> owners_;
};

}  // namespace thinwire
