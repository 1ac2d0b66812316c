#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "cg/krylov/iteration.h"
#include "cg/krylov/recurrence.h"
#include "cg/vector_ops.h"

namespace thinwire {

/// The executor of recurrence.h on the CPU, for any operator and preconditioner, and a
/// part of the unknowns where there are several ranks. Sums run over chunks of a fixed
/// length, whose parts are added in order: the same bits for any number of threads.
class HostExecutor {
 public:
  using Value = HdComplex;
  using State = RecurrenceState<Value>;
  template <class U>
  using Array = std::vector<U>;
  using Vector = Array<Value>;  // [rhs_count][n]
  /// Vectors by which a basis grows: memory that is never used costs time, too.
  static constexpr std::size_t basis_chunk = 4;

  /// State that functors see of their right-hand side.
  struct Rhs {
    State* state;
    Iteration* iteration;
    State* operator->() const { return state; }
    void end(CycleEnd how) const { state->done = 1 + static_cast<int>(how); }
    /// Counts an iteration and tests for the end. True: go on.
    bool record(double residual_norm) const {
      ++state->iterations;
      const auto how = iteration->record(residual_norm / state->v_norm,
                                         {real(state->reaction), imag(state->reaction)});
      if (how) end(*how);
      return state->done == 0;
    }
  };

  /// z, m and control must outlive this; m may be null.
  HostExecutor(const LinearOperator& z, const Preconditioner* m, int rhs_count,
               const SolverControl& control);

  /// As TrueResiduals says, to r().
  void true_residuals(std::span<SolveRhs> all_rhs, std::span<double> norms);
  /// Starts a cycle from r() for the running right-hand sides.
  void load(std::span<SolveRhs> all_rhs);
  bool running() const;
  /// Stores how the running right-hand sides ended.
  void store(std::span<SolveRhs> all_rhs) const;

  int rhs_count() const { return static_cast<int>(states_.size()); }
  std::size_t unknowns() const { return unknowns_; }
  std::size_t next() const { return n_; }
  bool preconditioned() const { return m_ != nullptr; }
  bool flexible() const { return flexible_; }
  Vector vector() const { return Vector(states_.size() * n_); }
  template <class U>
  Array<U> array(std::size_t count) const {
    return Array<U>(count);
  }
  Vector& r() { return r_; }
  Value* current(int rhs) const { return currents_[rhs]; }
  const Value* v(int rhs) const { return v_[rhs]; }
  Value* at(Vector& x, int rhs) const { return x.data() + rhs * n_; }
  Rhs rhs(int rhs) { return {&states_[rhs], iterations_[rhs]}; }
  const State& state(int rhs) const { return states_[rhs]; }
  void reopen(int rhs) { states_[rhs].done = 0; }
  void require(std::size_t) const {}
  template <class U>
  void clear(std::vector<U>& x) const {
    std::fill(x.begin(), x.end(), U{});
  }
  template <class U>
  void write(U* to, std::span<const U> values) const {
    std::copy(values.begin(), values.end(), to);
  }
  template <class U>
  void read(std::span<U> values, const U* from) const {
    std::copy_n(from, values.size(), values.begin());
  }

  template <class Make>
  void run(const Make& make) {
    each(make, [&](const auto& op) {
      for_all(op, [&](std::size_t i, double* sum) { op(i, sum); });
    });
  }

  template <class Make>
  void product(const Vector& x, const Make& make) {
    multiply(x);
    for (int rhs = 0; rhs < rhs_count(); ++rhs) {
      if (states_[rhs].done != 0) continue;
      const auto op = make(rhs);
      const Value* y = at(y_, rhs);
      for_all(op, [&](std::size_t i, double* sum) { op(i, y[i], sum); });
    }
  }

  template <class Make>
  void precondition(const Make& make) {
    each(make, [&](const auto& op) {
      fill(op);
      apply_preconditioner();
      for_all(op, [&](std::size_t i, double* sum) { op(i, output_[i], sum); });
    });
  }

  template <class Make>
  void project(const Make& make) {
    each(make, [&](const auto& op) {
      std::vector<Complex> products(op.count());
      dotc_all(basis_of(op), {complex(op.input()), n_}, products, comm_);
      for (int j = 0; j < op.count(); ++j)
        op(j, Value{products[j].real(), products[j].imag()});
    });
  }

  template <class Make>
  void combine(const Make& make) {
    each(make, [&](const auto& op) {
      // A chunk of the sum stays in cache while all basis vectors pass by.
      for_chunks(op, op.count(), [&](std::size_t begin, std::size_t end, double* sum) {
        Value values[sum_chunk];
        for (std::size_t i = begin; i < end; ++i) values[i - begin] = op.input(i);
        const std::span<Complex> all(complex(values), end - begin);
        for (int j = 0; j < op.count(); ++j)
          add_multiple(op.factor(j), {complex(op.vector(j) + begin), all.size()}, all);
        for (std::size_t i = begin; i < end; ++i) op(i, values[i - begin], sum);
      });
    });
  }

  template <class MakeCombine, class MakeProject>
  void combine_project(const MakeCombine& make_combine, const MakeProject& make_project) {
    combine(make_combine);
    project(make_project);
  }

 private:
  static Complex* complex(Value* x) { return reinterpret_cast<Complex*>(x); }
  static const Complex* complex(const Value* x) {
    return reinterpret_cast<const Complex*>(x);
  }

  /// Calls work(op) for the right-hand sides that have not ended.
  template <class Make, class Work>
  void each(const Make& make, const Work& work) {
    for (int rhs = 0; rhs < rhs_count(); ++rhs)
      if (states_[rhs].done == 0) work(make(rhs));
  }

  /// body(i, sum) for all i, then op.finish.
  template <class Op, class Body>
  void for_all(const Op& op, const Body& body) {
    for_chunks(op, 1, [&](std::size_t begin, std::size_t end, double* sum) {
      for (std::size_t i = begin; i < end; ++i) body(i, sum);
    });
  }

  /// body(begin, end, sum) for all chunks, then op.finish. passes: over vectors that the
  /// body takes, for whether threads pay.
  template <class Op, class Body>
  void for_chunks(const Op& op, std::ptrdiff_t passes, const Body& body) {
    constexpr int K = Op::sums > 0 ? Op::sums : 1;
    const auto n = static_cast<std::ptrdiff_t>(n_);
    const std::ptrdiff_t chunks = (n + sum_chunk - 1) / sum_chunk;
    partial_.resize(static_cast<std::size_t>(chunks * K));
#pragma omp parallel for schedule(static) if (n * passes >= parallel_length)
    for (std::ptrdiff_t c = 0; c < chunks; ++c) {
      double sum[K] = {};
      body(static_cast<std::size_t>(c * sum_chunk),
           static_cast<std::size_t>(std::min(n, (c + 1) * sum_chunk)), sum);
      std::copy_n(sum, K, partial_.begin() + c * K);
    }
    if constexpr (Op::sums > 0) {
      double total[K] = {};
      for (std::ptrdiff_t c = 0; c < chunks; ++c)
        for (int k = 0; k < K; ++k) total[k] += partial_[c * K + k];
      comm_.sum(std::span<double>(total));
      op.finish(total);
    }
  }

  /// input_ = op.input
  template <class Op>
  void fill(const Op& op) {
    const auto n = static_cast<std::ptrdiff_t>(n_);
#pragma omp parallel for schedule(static) if (n >= parallel_length)
    for (std::ptrdiff_t i = 0; i < n; ++i)
      input_[i] = op.input(static_cast<std::size_t>(i));
  }

  template <class Op>
  static KrylovBasis basis_of(const Op& op) {
    KrylovBasis basis;
    for (int j = 0; j < op.count(); ++j) basis.push_back(complex(op.vector(j)));
    return basis;
  }

  /// y_ = Z x for the right-hand sides that have not ended.
  void multiply(const Vector& x);
  /// output_ = M input_
  void apply_preconditioner();

  const LinearOperator& z_;
  const Preconditioner* m_;
  const Comm& comm_;
  bool flexible_;
  std::size_t n_, unknowns_;
  std::vector<State> states_;
  std::vector<Iteration*> iterations_;  // [rhs_count]
  std::vector<Value*> currents_;        // [rhs_count]
  std::vector<const Value*> v_;         // [rhs_count]
  Vector r_, y_;
  Vector input_, output_;  // [n]
  std::vector<double> partial_;
};

}  // namespace thinwire
