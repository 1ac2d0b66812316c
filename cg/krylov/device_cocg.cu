#include "cg/krylov/device_recurrence.cuh"

namespace thinwire {
namespace {

using namespace device;

// The recurrence of cocg.cpp with q = Z p from Z s, so that p need not be known before
// the product: p = s + beta p gives q = Z s + beta q. One iteration is the product's two
// passes and one kernel (three with a coarse level); the scalars are made by whichever
// block ends last:
//
//   first pass
//   second pass   p = s + beta p, q = Z s + beta q      alpha = rho / p^T q
//   CocgUpdate    I += alpha p, r -= alpha q, s = M r   |r|: record, test
//                                                       rho' = r^T s, beta = rho' / rho
//
// Without a preconditioner s is r. With one, r alternates between two places: all of the
// old one is wanted until the last unknown has its new s.

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
  __device__ void operator()(std::size_t i, double2 zs, double* sum) const {
    const double2 beta = scalars.state->beta;
    const double2 direction = s[i] + beta * p[i], image = zs + beta * q[i];
    p[i] = direction;
    q[i] = image;
    const double2 product = direction * image;
    sum[0] += product.x;
    sum[1] += product.y;
    sum[2] += norm(direction);
    sum[3] += norm(image);
  }
  __device__ void finish(const double* total) const {
    const double2 pzp = {total[0], total[1]};
    if (vanishes(pzp, total[2], total[3])) return scalars.end(CycleEnd::vanished);
    scalars.state->alpha = scalars.state->rho / pzp;
  }
};

/// Without a preconditioner; `start`: of a cycle, where there is only rho to make.
struct CocgUpdate : CocgOp {
  static constexpr int sums = 3;
  bool start;
  __device__ void operator()(std::size_t i, double* sum) const {
    double2 residual = r[i];
    if (!start) {
      const double2 alpha = scalars.state->alpha;
      residual = residual - alpha * q[i];
      current[i] = current[i] + alpha * p[i];
      r[i] = residual;
    }
    const double2 square = residual * residual;
    sum[0] += square.x;
    sum[1] += square.y;
    sum[2] += norm(residual);
  }
  __device__ void finish(const double* total) const {
    if (!start && !scalars.record(sqrt(total[2]))) return;
    next_rho({total[0], total[1]}, total[2], total[2], start);
  }
};

/// With one: s = M r for the new r.
struct CocgUpdatePreconditioned : CocgOp {
  static constexpr int sums = 4;
  double2 *new_r, *new_s;
  bool start;
  __device__ double2 input(std::size_t i) const {
    return start ? r[i] : r[i] - scalars.state->alpha * q[i];
  }
  __device__ void operator()(std::size_t i, double2 z, double* sum) const {
    const double2 residual = input(i), product = residual * z;
    if (!start) current[i] = current[i] + scalars.state->alpha * p[i];
    new_r[i] = residual;
    new_s[i] = z;
    sum[0] += product.x;
    sum[1] += product.y;
    sum[2] += norm(residual);
    sum[3] += norm(z);
  }
  __device__ void finish(const double* total) const {
    if (!start && !scalars.record(sqrt(total[2]))) return;
    next_rho({total[0], total[1]}, total[2], total[3], start);
  }
};

class Cocg final : public Recurrence {
 public:
  Cocg(const DeviceOperator& z, const DeviceBlockPreconditioner* m)
      : Recurrence(z, m), p_(vector()), q_(vector()) {
    if (!m) return;
    s_ = vector();
    other_r_ = vector();
  }

  void begin() override {
    p_.clear(stream());
    q_.clear(stream());
    turned_ = false;
    update(true);
  }

  void step() override {
    product(m_ ? s_ : r_, CocgProduct{op()});
    update(false);
  }

 private:
  void update(bool start) {
    if (!m_) return run(CocgUpdate{op(), start});
    const CocgUpdatePreconditioned next = {op(), parts((turned_ ? r_ : other_r_).data()),
                                           parts(s_.data()), start};
    precondition(next);
    turned_ = !turned_;
  }
  CocgOp op() const {
    return {skip(),
            space(),
            scalars(),
            parts(m_ ? s_.data() : r_.data()),
            parts(p_.data()),
            parts(q_.data()),
            parts((turned_ ? other_r_ : r_).data()),
            parts(current_.data())};
  }

  DeviceBuffer<Complex> p_, q_, s_, other_r_;
  bool turned_ = false;  // whether r is in other_r_
  static_assert(tuning::graph_unroll % 2 == 0, "a graph's body leaves r where it was");
};

}  // namespace

SolveResult solve_cocg(const DeviceOperator& z, const DeviceBlockPreconditioner* m,
                       std::span<const Complex> v, std::span<Complex> current,
                       const SolverControl& control, Placement placement) {
  Cocg recurrence(z, m);
  return run_on_device(z, m, v, current, control, placement, recurrence);
}

}  // namespace thinwire
