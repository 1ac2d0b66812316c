#include "cg/device_recurrence.cuh"

namespace thinwire {
namespace {

using namespace device;

// The recurrence of cocg.cpp. One iteration is the product's two passes and two or three
// kernels; the scalars are made by whichever block ends last:
//
//   first pass
//   second pass          q = Z p                    alpha = rho / p^T q
//   CocgUpdate           I += alpha p, r -= alpha q      |r|: record, test
//   CocgPrecondition     s = M r                    rho' = r^T s, beta = rho' / rho
//   CocgDirection        p = s + beta p
//
// Without a preconditioner s is r, and CocgUpdate makes rho' too.

struct CocgOp {
  const int* skip;
  SumSpace space;
  Scalars scalars;
  const double2* s;  // M r, or r
  double2 *p, *q, *r, *current;

  /// rho' = r^T s and beta; rr, ss: squared norms.
  __device__ void next_rho(double2 rho, double rr, double ss, bool first) const {
    RecurrenceState* state = scalars.state;
    if (vanishes(rho, rr, ss)) return scalars.end(CycleEnd::vanished);
    state->beta = first ? double2{0, 0} : rho / state->rho;
    state->rho = rho;
  }
};

struct CocgProduct : CocgOp {
  static constexpr int sums = 4;
  __device__ void operator()(std::size_t i, double2 y, double* sum) const {
    q[i] = y;
    const double2 direction = p[i], product = direction * y;
    sum[0] += product.x;
    sum[1] += product.y;
    sum[2] += norm(direction);
    sum[3] += norm(y);
  }
  __device__ void finish(const double* total) const {
    const double2 pzp = {total[0], total[1]};
    if (vanishes(pzp, total[2], total[3])) return scalars.end(CycleEnd::vanished);
    scalars.state->alpha = scalars.state->rho / pzp;
  }
};

template <bool preconditioned>
struct CocgUpdate : CocgOp {
  static constexpr int sums = preconditioned ? 1 : 3;
  __device__ void operator()(std::size_t i, double* sum) const {
    const double2 alpha = scalars.state->alpha, residual = r[i] - alpha * q[i];
    current[i] = current[i] + alpha * p[i];
    r[i] = residual;
    sum[0] += norm(residual);
    if constexpr (!preconditioned) {
      const double2 square = residual * residual;
      sum[1] += square.x;
      sum[2] += square.y;
    }
  }
  __device__ void finish(const double* total) const {
    if (!scalars.record(sqrt(total[0]))) return;
    if constexpr (!preconditioned)
      next_rho({total[1], total[2]}, total[0], total[0], false);
  }
};

/// s = M r with rho; `start`: of a cycle.
struct CocgPrecondition : CocgOp {
  static constexpr int sums = 4;
  double2* to;
  bool start;
  __device__ const double2* input() const { return r; }
  __device__ void operator()(std::size_t i, double2 z, double* sum) const {
    to[i] = z;
    const double2 residual = r[i], product = residual * z;
    sum[0] += product.x;
    sum[1] += product.y;
    sum[2] += norm(residual);
    sum[3] += norm(z);
  }
  __device__ void finish(const double* total) const {
    next_rho({total[0], total[1]}, total[2], total[3], start);
  }
};

/// Without a preconditioner, at the start of a cycle.
struct CocgStart : CocgOp {
  static constexpr int sums = 3;
  __device__ void operator()(std::size_t i, double* sum) const {
    const double2 residual = r[i], square = residual * residual;
    sum[0] += norm(residual);
    sum[1] += square.x;
    sum[2] += square.y;
  }
  __device__ void finish(const double* total) const {
    next_rho({total[1], total[2]}, total[0], total[0], true);
  }
};

struct CocgDirection : CocgOp {
  static constexpr int sums = 0;
  __device__ void operator()(std::size_t i, double*) const {
    p[i] = s[i] + scalars.state->beta * p[i];
  }
};

class Cocg final : public Recurrence {
 public:
  Cocg(const DeviceOperator& z, const DeviceBlockPreconditioner* m)
      : Recurrence(z, m), p_(vector()), q_(vector()) {
    if (m) s_ = vector();
  }

  void begin() override {
    p_.clear(stream());
    if (m_)
      precondition(CocgPrecondition{op(), parts(s_.data()), true});
    else
      run(CocgStart{op()});
    run(CocgDirection{op()});
  }

  void step() override {
    product(p_, CocgProduct{op()});
    if (m_) {
      run(CocgUpdate<true>{op()});
      precondition(CocgPrecondition{op(), parts(s_.data()), false});
    } else {
      run(CocgUpdate<false>{op()});
    }
    run(CocgDirection{op()});
  }

 private:
  CocgOp op() const {
    return {skip(),           space(),
            scalars(),        parts(m_ ? s_.data() : r_.data()),
            parts(p_.data()), parts(q_.data()),
            parts(r_.data()), parts(current_.data())};
  }
  DeviceBuffer<Complex> p_, q_, s_;
};

}  // namespace

SolveResult solve_cocg(const DeviceOperator& z, const DeviceBlockPreconditioner* m,
                       std::span<const Complex> v, std::span<Complex> current,
                       const SolverControl& control, Placement placement) {
  Cocg recurrence(z, m);
  return run_on_device(z, m, v, current, control, placement, recurrence);
}

}  // namespace thinwire
