#pragma once

#include "cg/krylov/recurrence.h"

namespace thinwire {

/// H. Katsuda, K. Konno, Q. Chen, K. Sawaya, K. Yokokawa, Q. Yuan, T. Sezai, "A study of
/// acceleration of conjugate gradient method using GPU" (in Japanese), IEICE technical
/// report, 2012, section 2. The step numbers are the paper's: 1, 2. I_0 is given, and
/// r_0 = V - Z I_0 with it; 3. p_1 = g = Z^H r_0. Then, Z^H r being conj(Z conj(r)):
///
///   [work = M p]                            without M, work is p
///   product      zp = Z work                4. alpha = ||g||^2 / ||zp||^2
///   update       5. I += alpha work, 6. r -= alpha zp      9. |r|: record, test
///                and conj(r)
///   product      7. g = conj(Z conj(r))     g2' = ||g||^2, beta = g2' / g2
///                [g = conj(M Z conj(r))]
///   direction    8. p = g + beta p
///
/// With a preconditioner, read Z M for Z: p is then a direction in y = M^-1 I.
/// Convergence is asked where ||r|| is known, to save the product of step 7.
template <class Executor>
class Cg : public PlainRecurrence {
 public:
  using T = typename Executor::Value;

  struct Data {
    typename Executor::Rhs rhs;
    const T* work;  // M p, or p
    T *p, *zp, *g, *r, *conjugate, *current;
    const T* v;
  };

  struct Product {
    static constexpr int sums = 1;
    Data my;
    THINWIRE_HD void operator()(std::size_t i, T y, double* sum) const {
      my.zp[i] = y;
      sum[0] += norm(y);
    }
    THINWIRE_HD void finish(const double* total) const {
      const double alpha = my.rhs->g2 / total[0];
      if (!is_finite(alpha) || alpha == 0) return my.rhs.end(CycleEnd::breakdown);
      my.rhs->alpha = {alpha, 0};
    }
  };

  struct Update {
    static constexpr int sums = 3;
    Data my;
    THINWIRE_HD void operator()(std::size_t i, double* sum) const {
      const double alpha = real(my.rhs->alpha);
      const T residual = my.r[i] - alpha * my.zp[i], direction = my.work[i],
              product = my.v[i] * direction;
      my.current[i] = my.current[i] + alpha * direction;
      my.r[i] = residual;
      my.conjugate[i] = conj(residual);
      sum[0] += norm(residual);
      sum[1] += real(product);
      sum[2] += imag(product);
    }
    THINWIRE_HD void finish(const double* total) const {
      my.rhs->reaction = my.rhs->reaction + my.rhs->alpha * T{total[1], total[2]};
      my.rhs.record(std::sqrt(total[0]));
    }
  };

  struct Conjugate {
    static constexpr int sums = 0;
    Data my;
    THINWIRE_HD void operator()(std::size_t i, double*) const {
      my.conjugate[i] = conj(my.r[i]);
    }
  };

  struct StoreProduct {
    static constexpr int sums = 0;
    Data my;
    THINWIRE_HD void operator()(std::size_t i, T y, double*) const { my.zp[i] = y; }
  };

  /// g and its norm, from Z conj(r) or M Z conj(r).
  struct NormalResidual {
    static constexpr int sums = 1;
    Data my;
    bool start;
    THINWIRE_HD T input(std::size_t i) const { return my.zp[i]; }
    THINWIRE_HD void operator()(std::size_t i, T y, double* sum) const {
      my.g[i] = conj(y);
      sum[0] += norm(y);
    }
    THINWIRE_HD void finish(const double* total) const {
      my.rhs->beta = {start ? 0 : total[0] / my.rhs->g2, 0};
      my.rhs->g2 = total[0];
    }
  };

  struct PreconditionDirection {
    static constexpr int sums = 0;
    Data my;
    T* to;
    THINWIRE_HD T input(std::size_t i) const { return my.p[i]; }
    THINWIRE_HD void operator()(std::size_t i, T z, double*) const { to[i] = z; }
  };

  struct Direction {
    static constexpr int sums = 0;
    Data my;
    THINWIRE_HD void operator()(std::size_t i, double*) const {
      my.p[i] = my.g[i] + real(my.rhs->beta) * my.p[i];
    }
  };

  explicit Cg(Executor& executor)
      : executor_(executor),
        p_(executor.vector()),
        zp_(executor.vector()),
        g_(executor.vector()),
        conjugate_(executor.vector()) {
    if (executor.preconditioned()) work_ = executor.vector();
  }

  void begin() {
    executor_.clear(p_);
    executor_.run([&](int rhs) { return Conjugate{data(rhs)}; });
    direction(true);
  }

  void step() {
    if (executor_.preconditioned())
      executor_.precondition([&](int rhs) {
        return PreconditionDirection{data(rhs), executor_.at(work_, rhs)};
      });
    executor_.product(executor_.preconditioned() ? work_ : p_,
                      [&](int rhs) { return Product{data(rhs)}; });
    executor_.run([&](int rhs) { return Update{data(rhs)}; });
    direction(false);
  }

 private:
  void direction(bool start) {
    const auto residual = [&](int rhs) { return NormalResidual{data(rhs), start}; };
    if (executor_.preconditioned()) {
      executor_.product(conjugate_, [&](int rhs) { return StoreProduct{data(rhs)}; });
      executor_.precondition(residual);
    } else {
      executor_.product(conjugate_, residual);
    }
    executor_.run([&](int rhs) { return Direction{data(rhs)}; });
  }
  Data data(int rhs) {
    return {executor_.rhs(rhs),
            executor_.at(executor_.preconditioned() ? work_ : p_, rhs),
            executor_.at(p_, rhs),
            executor_.at(zp_, rhs),
            executor_.at(g_, rhs),
            executor_.at(executor_.r(), rhs),
            executor_.at(conjugate_, rhs),
            executor_.current(rhs),
            executor_.v(rhs)};
  }

  Executor& executor_;
  typename Executor::Vector p_, zp_, g_, conjugate_, work_;
};

}  // namespace thinwire
