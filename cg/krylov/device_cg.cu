#include "cg/krylov/device_recurrence.cuh"

namespace thinwire {
namespace {

using namespace device;

// The recurrence of conjugate_gradients.cpp, with that file's step numbers. One iteration
// is two products and two kernels, or five with a preconditioner:
//
//   [work = M p]                                     without M, work is p
//   first pass, second pass     zp = Z work          4. alpha = g2 / |zp|^2
//   CgUpdate     5. I += alpha work, 6. r -= alpha zp     9. |r|: record, test
//                and conj(r)
//   first pass, second pass     7. g = conj(Z conj(r))    g2', beta = g2' / g2
//                [g = conj(M Z conj(r)): a kernel more]
//   CgDirection  8. p = g + beta p

struct CgOp {
  const int* skip;
  SumSpace space;
  Scalars scalars;
  const double2* work;  // M p, or p
  double2 *p, *zp, *g, *r, *conjugate, *current;

  __device__ void next_g2(double g2, bool start) const {
    RecurrenceState* state = scalars.state;
    state->beta = {start ? 0 : g2 / state->g2, 0};
    state->g2 = g2;
  }
};

struct CgProduct : CgOp {
  static constexpr int sums = 1;
  __device__ void operator()(std::size_t i, double2 y, double* sum) const {
    zp[i] = y;
    sum[0] += norm(y);
  }
  __device__ void finish(const double* total) const {
    const double alpha = scalars.state->g2 / total[0];
    if (!isfinite(alpha) || alpha == 0) return scalars.end(CycleEnd::breakdown);
    scalars.state->alpha = {alpha, 0};
  }
};

struct CgUpdate : CgOp {
  static constexpr int sums = 1;
  __device__ void operator()(std::size_t i, double* sum) const {
    const double alpha = scalars.state->alpha.x;
    const double2 residual = r[i] - alpha * zp[i];
    current[i] = current[i] + alpha * work[i];
    r[i] = residual;
    conjugate[i] = conj(residual);
    sum[0] += norm(residual);
  }
  __device__ void finish(const double* total) const { scalars.record(sqrt(total[0])); }
};

struct CgConjugate : CgOp {
  static constexpr int sums = 0;
  __device__ void operator()(std::size_t i, double*) const { conjugate[i] = conj(r[i]); }
};

/// g and its norm, from Z conj(r) or M Z conj(r).
struct CgNormalResidual : CgOp {
  static constexpr int sums = 1;
  bool start;
  __device__ double2 input(std::size_t i) const { return zp[i]; }
  __device__ void operator()(std::size_t i, double2 y, double* sum) const {
    g[i] = conj(y);
    sum[0] += norm(y);
  }
  __device__ void finish(const double* total) const { next_g2(total[0], start); }
};

struct CgPreconditionDirection : CgOp {
  static constexpr int sums = 0;
  double2* to;
  __device__ double2 input(std::size_t i) const { return p[i]; }
  __device__ void operator()(std::size_t i, double2 z, double*) const { to[i] = z; }
};

struct CgDirection : CgOp {
  static constexpr int sums = 0;
  __device__ void operator()(std::size_t i, double*) const {
    p[i] = g[i] + scalars.state->beta.x * p[i];
  }
};

class Cg final : public Recurrence {
 public:
  Cg(const DeviceOperator& z, const DeviceBlockPreconditioner* m)
      : Recurrence(z, m),
        p_(vector()),
        zp_(vector()),
        g_(vector()),
        conjugate_(vector()) {
    if (m) work_ = vector();
  }

  void begin() override {
    p_.clear(stream());
    run(CgConjugate{op()});
    direction(true);
  }

  void step() override {
    if (m_) precondition(CgPreconditionDirection{op(), parts(work_.data())});
    product(m_ ? work_ : p_, CgProduct{op()});
    run(CgUpdate{op()});
    direction(false);
  }

 private:
  void direction(bool start) {
    if (m_) {
      product(conjugate_, StoreProduct{skip(), {}, parts(zp_.data())});
      precondition(CgNormalResidual{op(), start});
    } else {
      product(conjugate_, CgNormalResidual{op(), start});
    }
    run(CgDirection{op()});
  }
  CgOp op() const {
    return {skip(),
            space(),
            scalars(),
            parts(m_ ? work_.data() : p_.data()),
            parts(p_.data()),
            parts(zp_.data()),
            parts(g_.data()),
            parts(r_.data()),
            parts(conjugate_.data()),
            parts(current_.data())};
  }
  DeviceBuffer<Complex> p_, zp_, g_, conjugate_, work_;
};

}  // namespace

SolveResult solve_cg(const DeviceOperator& z, const DeviceBlockPreconditioner* m,
                     std::span<const Complex> v, std::span<Complex> current,
                     const SolverControl& control, Placement placement) {
  Cg recurrence(z, m);
  return run_on_device(z, m, v, current, control, placement, recurrence);
}

}  // namespace thinwire
