#pragma once

#include <utility>

#include "cg/krylov/recurrence.h"

namespace thinwire {

/// H. A. van der Vorst, J. B. M. Melissen, "A Petrov-Galerkin type method for solving
/// Ax = b, where A is symmetric complex", IEEE Trans. Magn. 26 (1990) 706-708. It is
/// conjugate gradients with x^T y in the place of the inner product: nothing may be
/// conjugated. With q = Z p made from Z s, p need not be known before the product:
///
///   product   p = s + beta p, q = Z s + beta q      alpha = rho / p^T q
///   update    I += alpha p, r -= alpha q, s = M r   |r|: record, test
///                                                   rho' = r^T s, beta = rho' / rho
///
/// Without a preconditioner s is r. With one, r alternates between two places: all of the
/// old one is wanted until the last unknown has its new s.
template <class Machine>
class Cocg : public PlainRecurrence {
 public:
  using T = typename Machine::Value;

  struct Data {
    typename Machine::Side side;
    const T* s;  // M r, or r
    T *p, *q, *r, *current;

    /// rho' = r^T s and beta; rr, ss: squared norms.
    THINWIRE_HD void next_rho(T rho, double rr, double ss, bool first) const {
      if (vanishes(rho, rr, ss)) return side.end(CycleEnd::vanished);
      side->beta = first ? T{0, 0} : rho / side->rho;
      side->rho = rho;
    }
  };

  struct Product {
    static constexpr int sums = 4;
    Data my;
    THINWIRE_HD void operator()(std::size_t i, T zs, double* sum) const {
      const T beta = my.side->beta;
      const T direction = my.s[i] + beta * my.p[i], image = zs + beta * my.q[i];
      my.p[i] = direction;
      my.q[i] = image;
      const T product = direction * image;
      sum[0] += real(product);
      sum[1] += imag(product);
      sum[2] += norm(direction);
      sum[3] += norm(image);
    }
    THINWIRE_HD void finish(const double* total) const {
      const T pzp = {total[0], total[1]};
      if (vanishes(pzp, total[2], total[3])) return my.side.end(CycleEnd::vanished);
      my.side->alpha = my.side->rho / pzp;
    }
  };

  /// Without a preconditioner; `start`: of a cycle, where there is only rho to make.
  struct Update {
    static constexpr int sums = 3;
    Data my;
    bool start;
    THINWIRE_HD void operator()(std::size_t i, double* sum) const {
      T residual = my.r[i];
      if (!start) {
        const T alpha = my.side->alpha;
        residual = residual - alpha * my.q[i];
        my.current[i] = my.current[i] + alpha * my.p[i];
        my.r[i] = residual;
      }
      const T square = residual * residual;
      sum[0] += real(square);
      sum[1] += imag(square);
      sum[2] += norm(residual);
    }
    THINWIRE_HD void finish(const double* total) const {
      if (!start && !my.side.record(std::sqrt(total[2]))) return;
      my.next_rho({total[0], total[1]}, total[2], total[2], start);
    }
  };

  /// With one: s = M r for the new r.
  struct UpdatePreconditioned {
    static constexpr int sums = 4;
    Data my;
    T *new_r, *new_s;
    bool start;
    THINWIRE_HD T input(std::size_t i) const {
      return start ? my.r[i] : my.r[i] - my.side->alpha * my.q[i];
    }
    THINWIRE_HD void operator()(std::size_t i, T z, double* sum) const {
      const T residual = input(i), product = residual * z;
      if (!start) my.current[i] = my.current[i] + my.side->alpha * my.p[i];
      new_r[i] = residual;
      new_s[i] = z;
      sum[0] += real(product);
      sum[1] += imag(product);
      sum[2] += norm(residual);
      sum[3] += norm(z);
    }
    THINWIRE_HD void finish(const double* total) const {
      if (!start && !my.side.record(std::sqrt(total[2]))) return;
      my.next_rho({total[0], total[1]}, total[2], total[3], start);
    }
  };

  explicit Cocg(Machine& machine)
      : machine_(machine), p_(machine.vector()), q_(machine.vector()) {
    if (!machine.preconditioned()) return;
    s_ = machine.vector();
    other_r_ = machine.vector();
  }

  void begin() {
    machine_.clear(p_);
    machine_.clear(q_);
    turned_ = false;
    update(true);
  }

  void step() {
    machine_.product(machine_.preconditioned() ? s_ : machine_.r(),
                     [&](int side) { return Product{data(side)}; });
    update(false);
  }

 private:
  void update(bool start) {
    if (!machine_.preconditioned())
      return machine_.run([&](int side) { return Update{data(side), start}; });
    machine_.precondition([&](int side) {
      return UpdatePreconditioned{data(side),
                                  machine_.at(turned_ ? machine_.r() : other_r_, side),
                                  machine_.at(s_, side), start};
    });
    turned_ = !turned_;
  }
  Data data(int side) {
    return {machine_.side(side),
            machine_.at(machine_.preconditioned() ? s_ : machine_.r(), side),
            machine_.at(p_, side),
            machine_.at(q_, side),
            machine_.at(turned_ ? other_r_ : machine_.r(), side),
            machine_.current(side)};
  }

  Machine& machine_;
  typename Machine::Vector p_, q_, s_, other_r_;
  bool turned_ = false;  // whether r is in other_r_
};

}  // namespace thinwire
