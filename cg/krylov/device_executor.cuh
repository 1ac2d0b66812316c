#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <vector>

#include "cg/krylov/device_basis.cuh"
#include "cg/krylov/device_solver.h"
#include "cg/krylov/iteration.h"
#include "cg/krylov/recurrence.h"
#include "cg/precondition/precondition.cuh"
#include "kernels/device/per_rhs.cuh"
#include "kernels/matrix/symv_second_pass.cuh"

namespace thinwire::device {

/// Residuals and reactions on their way from the GPU to the CPU, in memory that both see.
/// A ring: the CPU reads faster than the GPU iterates, and each leg of a graph is shorter
/// than it. A letter is one 16-byte store, so that the GPU need not wait, as for a fence,
/// until the values have crossed the bus before their number may follow.
struct Mailbox {
  static constexpr int capacity = 2048;
  struct alignas(16) Letter {
    float residual, reaction_re, reaction_im;
    int iteration;  // of this cycle; 0: none yet
  };
  struct alignas(8) End {
    int done;       // as RecurrenceState::done
    int iteration;  // after how many of this cycle
  };
  End end;
  Letter letters[capacity];  // that of iteration k at k % capacity

  __device__ void post_end(int done, int iteration) {
    asm volatile("st.volatile.global.v2.b32 [%0], {%1, %2};" ::"l"(&end), "r"(done),
                 "r"(iteration)
                 : "memory");
  }
  __device__ void post(int iteration, double residual, double2 reaction) {
    const auto single = [](double x) { return __float_as_int(static_cast<float>(x)); };
    asm volatile("st.volatile.global.v4.b32 [%0], {%1, %2, %3, %4};" ::"l"(
                     letters + iteration % capacity),
                 "r"(single(residual)), "r"(single(reaction.x)), "r"(single(reaction.y)),
                 "r"(iteration)
                 : "memory");
  }
};

/// Right-hand sides that iterate in step, on the GPU.
struct RhsGroup {
  int all_done;  // the product need not be made
  int running;
  int pause_at;  // the graph returns to the CPU after this iteration
};

/// State that functors see of their right-hand side: no iteration waits for the CPU to
/// read a scalar.
struct DeviceSide {
  RecurrenceState<double2>* state;
  RhsGroup* group;
  Mailbox* mail;

  THINWIRE_HD RecurrenceState<double2>* operator->() const { return state; }

  __device__ void end(CycleEnd how) const {
    if (state->done == 0 && atomicSub(&group->running, 1) == 1) group->all_done = 1;
    state->done = 1 + static_cast<int>(how);
    mail->post_end(state->done, state->iterations);
  }
  /// Counts an iteration and tests for the end as Iteration::record does. True: go on.
  __device__ bool record(double residual_norm) const {
    const int k = ++state->iterations;
    const double relative = residual_norm / state->v_norm;
    mail->post(k, relative, state->reaction);
    if (!is_finite(relative) || *static_cast<volatile int*>(&state->give_up) != 0)
      end(CycleEnd::breakdown);
    else if (relative <= state->tolerance)
      end(CycleEnd::finished);
    else if (k >= state->max_iterations)
      end(CycleEnd::max_iterations);
    return state->done == 0;
  }
};

/// A functor of a recurrence as kernels take it. skip: the side's `done`.
template <class Op>
struct Bound : Op {
  const int* skip;
  SumSpace space;
};

/// op(i, sum) for i < n, then op.finish(totals) in one thread if it has sums; blockIdx.y
/// is the side. `op` has
///   static constexpr int sums;   const int* skip;   SumSpace space;
template <class Op, int RhsCount>
__global__ void __launch_bounds__(tuning::vector_threads)
    vector_kernel(std::size_t n, const __grid_constant__ PerRhs<Op, RhsCount> ops) {
  const Op& op = ops.here();
  wait_for_kernel_before();
  let_next_kernel_start();
  if (*op.skip != 0) return;
  constexpr int K = Op::sums > 0 ? Op::sums : 1;
  double sum[K] = {};
  for (std::size_t i = std::size_t{blockIdx.x} * tuning::vector_threads + threadIdx.x;
       i < n; i += std::size_t{gridDim.x} * tuning::vector_threads)
    op(i, sum);
  if constexpr (Op::sums > 0)
    grid_sum<K, tuning::vector_threads>(sum, op.space,
                                        [&](const double* total) { op.finish(total); });
}

/// `op` of combine() for vector_kernel.
template <class Op>
struct Combined : Op {
  __device__ void operator()(std::size_t i, double* sum) const {
    double2 value = Op::input(i);
    const int count = Op::count();
#pragma unroll 8
    for (int j = 0; j < count; ++j) add_product(value, Op::factor(j), Op::vector(j)[i]);
    Op::operator()(i, value, sum);
  }
};

/// `op` of product() or precondition() for vector_kernel, where z = Z x or M r was made
/// before.
template <class Op>
struct After : Op {
  const double2* z;
  __device__ void operator()(std::size_t i, double* sum) const {
    Op::operator()(i, z[i], sum);
  }
};

/// Stores the input of M where M is not made of blocks.
template <class Op>
struct StoreInput : Op {
  static constexpr int sums = 0;
  double2* to;
  __device__ void operator()(std::size_t i, double*) const { to[i] = Op::input(i); }
};

/// The part of DeviceExecutor that does not depend on what the machine does.
class ExecutorMemory {
 public:
  using Value = double2;
  using State = RecurrenceState<double2>;
  using Rhs = DeviceSide;
  template <class U>
  using Array = DeviceBuffer<U>;
  using Vector = Array<Value>;  // [room][padded]
  /// Vectors by which a basis grows: a graph waits for every allocation.
  static constexpr std::size_t basis_chunk = 32;

  /// For `rhs_count` right-hand sides, with room for `room`. m may be null.
  ExecutorMemory(const DeviceOperator& z, const DevicePreconditioner* m, int rhs_count,
                 int room, bool flexible);

  /// As TrueResiduals says, to r(); `current` and, the first time, v travel where the GPU
  /// has not got them.
  void true_residuals(std::span<const SolveRhs> all_rhs, std::span<double> norms);
  /// Starts a cycle from r() for the running right-hand sides.
  void load(std::span<const SolveRhs> all_rhs);
  /// The iterates of those that run.
  void store(std::span<SolveRhs> all_rhs);
  /// The side is to end with its next iteration.
  void give_up(int rhs, const DeviceStream& stream);
  const volatile Mailbox* mail(int rhs) const { return mail_.data() + rhs; }
  RhsGroup* group() const { return group_.data(); }
  const State* states() const { return states_.data(); }
  const DeviceStream& stream() const { return stream_; }

  /// Waits until all owners that share Z are here.
  void meet_owners() const { (void)z_.min_of_owners(0); }
  bool shares() const { return z_.owners() > 1; }
  bool other_owners_failed() const { return z_.other_owners_failed(); }
  void let_other_owners_go() const { z_.let_other_owners_go(); }

  int rhs_count() const { return rhs_count_; }
  std::size_t unknowns() const { return z_.size(); }
  std::size_t next() const { return z_.padded(); }
  bool preconditioned() const { return m_ != nullptr; }
  bool flexible() const { return flexible_; }
  /// Products from now on may err by so much. Of the recurrences only flexible GMRES
  /// stands that.
  void allow_error(double relative) {
    const double rough = z_.rough_error();
    rough_ = flexible_ && rough > 0 && rough <= relative;
  }
  Vector vector() const;
  template <class U>
  Array<U> array(std::size_t count) const {
    return {count, "vectors of the solver"};
  }
  Vector& r() { return r_; }
  Value* current(int rhs) const { return at(current_, rhs); }
  const Value* v(int rhs) const { return at(v_, rhs); }
  Value* at(const Vector& x, int rhs) const { return x.data() + rhs * next(); }
  Rhs rhs(int rhs) const {
    return {states_.data() + rhs, group_.data(), mail_.data() + rhs};
  }
  State state(int rhs) const;
  void reopen(int rhs);
  void require(std::size_t bytes) const;
  template <class U>
  void clear(Array<U>& x) const {
    x.clear(stream_);
  }
  template <class U>
  void write(U* to, std::span<const U> values) const {
    copy_bytes(to, values.data(), values.size_bytes(), stream_);
    stream_.synchronize();
  }
  template <class U>
  void read(std::span<U> values, const U* from) const {
    copy_bytes(values.data(), from, values.size_bytes(), stream_);
    stream_.synchronize();
  }

 protected:
  SumSpace space(int rhs) const {
    return {partial_.data() + std::size_t{max_sum_blocks} * max_sums * rhs,
            ticket_.data() + rhs};
  }
  ProjectSpace project_space() const {
    return {project_partial_.data(), project_ticket_.data()};
  }
  double* combined_products() const { return combined_products_.data(); }

  const DeviceOperator& z_;
  const DevicePreconditioner* m_;
  bool rough_ = false;

 private:
  int rhs_count_, room_;
  bool flexible_;
  DeviceStream stream_;
  Vector r_, current_, v_;
  bool v_loaded_ = false;
  DeviceBuffer<double> norms_;
  DeviceBuffer<State> states_;
  DeviceBuffer<RhsGroup> group_;
  MappedBuffer<Mailbox> mail_;
  DeviceBuffer<double> partial_;
  DeviceBuffer<unsigned> ticket_;
  DeviceBuffer<double> project_partial_;
  DeviceBuffer<unsigned> project_ticket_;
  DeviceBuffer<double> combined_products_;
};

/// The machine of recurrence.h on a GPU, for one side or up to four.
template <int RhsCount>
class DeviceExecutor : public ExecutorMemory {
 public:
  static_assert(RhsCount == 1 || RhsCount == DeviceOperator::max_rhs_count);

  DeviceExecutor(const DeviceOperator& z, const DevicePreconditioner* m, int rhs_count,
                 bool flexible)
      : ExecutorMemory(z, m, rhs_count, RhsCount, flexible), parts_(z.parts(RhsCount)) {
    if (parts_ == nullptr) y_ = vector();
    if (m != nullptr && m->blocks() == nullptr) {
      input_ = vector();
      output_ = vector();
    }
  }

  template <class Make>
  void run(const Make& make) const {
    launch("vector update", vectors(), bound(make));
  }

  template <class Make>
  void product(const Vector& x, const Make& make) const {
    const auto* from = reinterpret_cast<const Complex*>(x.data());
    if (parts_ != nullptr) {
      z_.first_pass(from, RhsCount, &group()->all_done, stream());
      launch_second_pass(*parts_, bound(make), rhs_count(), stream());
    } else {
      auto* const to = reinterpret_cast<Complex*>(y_.data());
      if (rough_)
        z_.multiply_roughly(from, to, rhs_count(), stream());
      else
        z_.multiply(from, to, rhs_count(), stream());
      after(make, y_);
    }
  }

  template <class Make>
  void precondition(const Make& make) const {
    if (const PreconditionerBlocks* blocks = m_->blocks())
      return launch_precondition(*blocks, bound(make), rhs_count(), stream());
    launch("preconditioner, input", vectors(), bound([&](int rhs) {
             return StoreInput<decltype(make(rhs))>{make(rhs), at(input_, rhs)};
           }));
    for (int rhs = 0; rhs < rhs_count(); ++rhs)
      m_->multiply(reinterpret_cast<const Complex*>(at(input_, rhs)),
                   reinterpret_cast<Complex*>(at(output_, rhs)), stream());
    after(make, output_);
  }

  template <class Make>
  void project(const Make& make) const {
    const auto ops = bound(make);
    const dim3 grid(project_blocks, static_cast<unsigned>(rhs_count()));
    launch_overlapped("dot products with a basis", project_kernel<OpOf<Make>, RhsCount>,
                      grid, tuning::vector_threads, 0, stream(), unknowns(), ops,
                      project_space());
  }

  template <class MakeCombine, class MakeProject>
  void combine_project(const MakeCombine& make_combine,
                       const MakeProject& make_project) const {
    const auto project = bound(make_project);
    launch_overlapped(
        "sum over a basis and dot products",
        combine_project_kernel<OpOf<MakeCombine>, OpOf<MakeProject>, RhsCount>,
        dim3(tuning::combine_project_blocks, static_cast<unsigned>(rhs_count())),
        tuning::vector_threads, 0, stream(), unknowns(), bound(make_combine), project,
        combined_products());
    launch_overlapped("dot products with a basis, sums",
                      add_products_kernel<OpOf<MakeProject>, RhsCount>,
                      dim3(tuning::vector_blocks, static_cast<unsigned>(rhs_count())),
                      tuning::vector_threads, 0, stream(), unknowns(), project,
                      combined_products());
  }

  template <class Make>
  void combine(const Make& make) const {
    launch("sum over a basis", vectors(tuning::combine_blocks),
           bound([&](int rhs) { return Combined<decltype(make(rhs))>{make(rhs)}; }));
  }

 private:
  template <class Make>
  using OpOf = Bound<decltype(std::declval<const Make&>()(0))>;

  template <class Make>
  PerRhs<OpOf<Make>, RhsCount> bound(const Make& make) const {
    PerRhs<OpOf<Make>, RhsCount> ops;
    for (int s = 0; s < RhsCount; ++s) {
      const int taken = s < rhs_count() ? s : 0;  // the rest is not launched
      ops.op[s] = {make(taken), &rhs(taken).state->done, space(taken)};
    }
    return ops;
  }

  template <class Make>
  void after(const Make& make, const Vector& z) const {
    launch("vector update", vectors(), bound([&](int rhs) {
             return After<decltype(make(rhs))>{make(rhs), at(z, rhs)};
           }));
  }

  dim3 vectors(std::size_t most = tuning::vector_blocks) const {
    const std::size_t blocks =
        (unknowns() + tuning::vector_threads - 1) / tuning::vector_threads;
    return {static_cast<unsigned>(std::min(blocks, most)),
            static_cast<unsigned>(rhs_count())};
  }

  template <class Op>
  void launch(const char* what, dim3 grid, const PerRhs<Op, RhsCount>& ops) const {
    launch_overlapped(what, vector_kernel<Op, RhsCount>, grid, tuning::vector_threads, 0,
                      stream(), unknowns(), ops);
  }

  const SymvParts* parts_;
  Vector y_, input_, output_;  // where the operator, the preconditioner have no such pass
};

/// A recurrence on a machine on the GPU, whatever it is. step() only gives work to the
/// stream; once all right-hand sides are `done`, its kernels do nothing.
class DeviceRecurrence {
 public:
  virtual ~DeviceRecurrence() = default;
  virtual void prepare(int iteration) = 0;
  virtual void begin() = 0;
  virtual void step() = 0;
  virtual void finish() = 0;
  virtual ExecutorMemory& executor() = 0;
};

template <template <class> class Solver, int RhsCount>
class OnDevice final : public DeviceRecurrence {
 public:
  OnDevice(const DeviceOperator& z, const DevicePreconditioner* m, int rhs_count,
           bool flexible)
      : executor_(z, m, rhs_count, flexible), solver_(executor_) {}
  void prepare(int iteration) override { solver_.prepare(iteration); }
  void begin() override { solver_.begin(); }
  void step() override { solver_.step(); }
  void finish() override { solver_.finish(); }
  ExecutorMemory& executor() override { return executor_; }

 private:
  DeviceExecutor<RhsCount> executor_;
  Solver<DeviceExecutor<RhsCount>> solver_;
};

std::unique_ptr<DeviceRecurrence> make_recurrence(Recurrence recurrence,
                                                  const DeviceOperator& z,
                                                  const DevicePreconditioner* m,
                                                  int rhs_count, bool flexible);

}  // namespace thinwire::device
