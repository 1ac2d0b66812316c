#pragma once

#include <algorithm>
#include <functional>
#include <memory>

#include "cg/krylov/device_solver.h"
#include "cg/krylov/iteration.h"
#include "cg/precondition/precondition.cuh"
#include "kernels/matrix/symv_second_pass.cuh"

namespace thinwire::device {

/// Residual norms on their way from the GPU to the CPU, in memory that both see. A ring:
/// the CPU reads faster than the GPU iterates, and each leg of a graph is shorter than
/// it. A letter is one 16-byte store, so that the GPU need not wait, as for a fence,
/// until the norm has crossed the bus before its number may follow.
struct Mailbox {
  static constexpr int capacity = 2048;
  struct alignas(16) Letter {
    double norm;
    long long iteration;  // of this cycle; 0: none yet
  };
  int done;                  // as RecurrenceState::done; to be read when the GPU rests
  Letter letters[capacity];  // that of iteration k at k % capacity

  __device__ void post(int iteration, double norm) {
    asm volatile(
        "st.volatile.global.v2.b64 [%0], {%1, %2};" ::"l"(letters + iteration % capacity),
        "l"(__double_as_longlong(norm)), "l"(static_cast<long long>(iteration))
        : "memory");
  }
};

/// The scalars of a recurrence, on the GPU: no iteration waits for the CPU to know them.
struct RecurrenceState {
  int done;  // 0: go on; else 1 + CycleEnd
  int iterations;
  int max_iterations;  // of this cycle
  int pause_at;        // the graph returns to the CPU after this iteration
  int stop;            // the CPU asks the graph to return
  double tolerance, v_norm;
  double2 rho, alpha, beta;
  double g2;  // ||Z^H r||^2 of CG
};

/// What every kernel of a recurrence carries.
struct Scalars {
  RecurrenceState* state;
  Mailbox* mail;

  __device__ void end(CycleEnd how) const {
    state->done = 1 + static_cast<int>(how);
    *static_cast<volatile int*>(&mail->done) = state->done;
  }
  /// Counts an iteration and tests for the end as Iteration::record does. True: go on.
  __device__ bool record(double residual_norm) const {
    const int k = ++state->iterations;
    mail->post(k, residual_norm);
    const double relative = residual_norm / state->v_norm;
    if (!isfinite(relative))
      end(CycleEnd::breakdown);
    else if (relative <= state->tolerance)
      end(CycleEnd::finished);
    else if (k >= state->max_iterations)
      end(CycleEnd::max_iterations);
    return state->done == 0;
  }
};

/// Whether x^T y is zero to rounding though neither vector is, from the squares of their
/// norms; as in iteration.h.
__device__ inline bool vanishes(double2 product, double xx, double yy) {
  const double size = abs(product);
  return !(size > lanczos_zero * sqrt(xx) * sqrt(yy)) || !isfinite(size);
}

/// op(i, sum) for i < n, then op.finish(totals) in one thread if it has sums. `op` has
///   static constexpr int sums;   const int* skip;   SumSpace space;     skip may be null
template <class Op>
__global__ void __launch_bounds__(tuning::vector_threads)
    vector_kernel(std::size_t n, Op op) {
  wait_for_kernel_before();
  let_next_kernel_start();
  if (op.skip != nullptr && *op.skip != 0) return;
  constexpr int K = Op::sums > 0 ? Op::sums : 1;
  double sum[K] = {};
  for (std::size_t i = std::size_t{blockIdx.x} * tuning::vector_threads + threadIdx.x;
       i < n; i += std::size_t{gridDim.x} * tuning::vector_threads)
    op(i, sum);
  if constexpr (Op::sums > 0)
    grid_sum<K, tuning::vector_threads>(sum, op.space,
                                        [&](const double* total) { op.finish(total); });
}

/// A solver's recurrence with its vectors on the GPU. step() only gives work to the
/// stream: no call in it waits, so that it can be captured in a graph. Once the state
/// says `done`, its kernels do nothing.
class Recurrence {
 public:
  Recurrence(const DeviceOperator& z, const DeviceBlockPreconditioner* m);
  virtual ~Recurrence() = default;
  Recurrence(const Recurrence&) = delete;
  Recurrence& operator=(const Recurrence&) = delete;

  /// Copies the residual and the iterate to the GPU and forgets the cycle before.
  void load(std::span<const Complex> r, std::span<const Complex> current,
            double tolerance, double v_norm, int max_iterations);
  void store(std::span<Complex> current);

  /// Before the first step.
  virtual void begin() = 0;
  /// One iteration.
  virtual void step() = 0;
  /// Called before steps up to that iteration of the cycle are given to the stream.
  virtual void prepare(int iteration) { (void)iteration; }
  /// After the last step: what is left to do to `current`. May wait.
  virtual void finish() {}

  const DeviceStream& stream() const { return z_.stream(); }
  RecurrenceState* state() const { return state_.data(); }
  volatile Mailbox* mail() const { return mail_.data(); }

 protected:
  DeviceBuffer<Complex> vector() const;  // [padded], zero
  Scalars scalars() const { return {state_.data(), mail_.data()}; }
  const int* skip() const { return &state_.data()->done; }
  SumSpace space() const { return {partial_.data(), ticket_.data()}; }
  std::size_t n() const { return z_.size(); }

  template <class Op>
  void run(const Op& op) const {
    const std::size_t blocks =
        (n() + tuning::vector_threads - 1) / tuning::vector_threads;
    launch_overlapped(
        "vector update", vector_kernel<Op>,
        static_cast<unsigned>(std::min<std::size_t>(blocks, tuning::vector_blocks)),
        tuning::vector_threads, 0, stream(), n(), op);
  }
  /// y = Z x, with what the epilogue makes of it.
  template <class Epilogue>
  void product(const DeviceBuffer<Complex>& x, const Epilogue& epilogue) const {
    z_.symv().first_pass(z_.tiles(), x.data(), skip(), stream());
    launch_second_pass(z_.symv().parts(), epilogue, stream());
  }
  template <class Op>
  void precondition(const Op& op) const {
    launch_precondition(m_->view(), op, stream());
  }

  const DeviceOperator& z_;
  const DeviceBlockPreconditioner* m_;
  DeviceBuffer<Complex> r_, current_;

 private:
  DeviceBuffer<RecurrenceState> state_;
  MappedBuffer<Mailbox> mail_;
  DeviceBuffer<double> partial_;
  DeviceBuffer<unsigned> ticket_;
};

/// run_cycles of iteration.h around a recurrence on the GPU.
SolveResult run_on_device(const DeviceOperator& z, const DeviceBlockPreconditioner* m,
                          std::span<const Complex> v, std::span<Complex> current,
                          const SolverControl& control, Placement placement,
                          Recurrence& recurrence);

}  // namespace thinwire::device
