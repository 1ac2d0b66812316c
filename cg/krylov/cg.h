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
template <class Machine>
class Cg : public PlainRecurrence {
 public:
  using T = typename Machine::Value;

  struct Data {
    typename Machine::Side side;
    const T* work;  // M p, or p
    T *p, *zp, *g, *r, *conjugate, *current;
  };

  struct Product {
    static constexpr int sums = 1;
    Data my;
    THINWIRE_HD void operator()(std::size_t i, T y, double* sum) const {
      my.zp[i] = y;
      sum[0] += norm(y);
    }
    THINWIRE_HD void finish(const double* total) const {
      const double alpha = my.side->g2 / total[0];
      if (!is_finite(alpha) || alpha == 0) return my.side.end(CycleEnd::breakdown);
      my.side->alpha = {alpha, 0};
    }
  };

  struct Update {
    static constexpr int sums = 1;
    Data my;
    THINWIRE_HD void operator()(std::size_t i, double* sum) const {
      const double alpha = real(my.side->alpha);
      const T residual = my.r[i] - alpha * my.zp[i];
      my.current[i] = my.current[i] + alpha * my.work[i];
      my.r[i] = residual;
      my.conjugate[i] = conj(residual);
      sum[0] += norm(residual);
    }
    THINWIRE_HD void finish(const double* total) const {
      my.side.record(std::sqrt(total[0]));
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
      my.side->beta = {start ? 0 : total[0] / my.side->g2, 0};
      my.side->g2 = total[0];
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
      my.p[i] = my.g[i] + real(my.side->beta) * my.p[i];
    }
  };

  explicit Cg(Machine& machine)
      : machine_(machine),
        p_(machine.vector()),
        zp_(machine.vector()),
        g_(machine.vector()),
        conjugate_(machine.vector()) {
    if (machine.preconditioned()) work_ = machine.vector();
  }

  void begin() {
    machine_.clear(p_);
    machine_.run([&](int side) { return Conjugate{data(side)}; });
    direction(true);
  }

  void step() {
    if (machine_.preconditioned())
      machine_.precondition([&](int side) {
        return PreconditionDirection{data(side), machine_.at(work_, side)};
      });
    machine_.product(machine_.preconditioned() ? work_ : p_,
                     [&](int side) { return Product{data(side)}; });
    machine_.run([&](int side) { return Update{data(side)}; });
    direction(false);
  }

 private:
  void direction(bool start) {
    const auto residual = [&](int side) { return NormalResidual{data(side), start}; };
    if (machine_.preconditioned()) {
      machine_.product(conjugate_, [&](int side) { return StoreProduct{data(side)}; });
      machine_.precondition(residual);
    } else {
      machine_.product(conjugate_, residual);
    }
    machine_.run([&](int side) { return Direction{data(side)}; });
  }
  Data data(int side) {
    return {machine_.side(side),
            machine_.at(machine_.preconditioned() ? work_ : p_, side),
            machine_.at(p_, side),
            machine_.at(zp_, side),
            machine_.at(g_, side),
            machine_.at(machine_.r(), side),
            machine_.at(conjugate_, side),
            machine_.current(side)};
  }

  Machine& machine_;
  typename Machine::Vector p_, zp_, g_, conjugate_, work_;
};

}  // namespace thinwire
