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
template <class Executor>
class Cocg : public PlainRecurrence {
 public:
  using T = typename Executor::Value;

  struct Data {
    typename Executor::Rhs rhs;
    const T* s;  // M r, or r
    T *p, *q, *r, *current;
    const T* v;

    /// I += alpha p, and V^T p into two sums.
    THINWIRE_HD void advance(std::size_t i, double* sum) const {
      const T direction = p[i], product = v[i] * direction;
      current[i] = current[i] + rhs->alpha * direction;
      sum[0] += real(product);
      sum[1] += imag(product);
    }
    THINWIRE_HD void add_reaction(const double* total) const {
      rhs->reaction = rhs->reaction + rhs->alpha * T{total[0], total[1]};
    }

    /// rho' = r^T s and beta; rr, ss: squared norms.
    THINWIRE_HD void next_rho(T rho, double rr, double ss, bool first) const {
      if (vanishes(rho, rr, ss)) return rhs.end(CycleEnd::vanished);
      rhs->beta = first ? T{0, 0} : rho / rhs->rho;
      rhs->rho = rho;
    }
  };

  struct Product {
    static constexpr int sums = 4;
    Data my;
    THINWIRE_HD void operator()(std::size_t i, T zs, double* sum) const {
      const T beta = my.rhs->beta;
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
      if (vanishes(pzp, total[2], total[3])) return my.rhs.end(CycleEnd::vanished);
      set_alpha(my.rhs, pzp);
    }
  };

  /// Without a preconditioner; `start`: of a cycle, where there is only rho to make.
  struct Update {
    static constexpr int sums = 5;
    Data my;
    bool start;
    THINWIRE_HD void operator()(std::size_t i, double* sum) const {
      T residual = my.r[i];
      if (!start) {
        residual = residual - my.rhs->alpha * my.q[i];
        my.advance(i, sum + 3);
        my.r[i] = residual;
      }
      const T square = residual * residual;
      sum[0] += real(square);
      sum[1] += imag(square);
      sum[2] += norm(residual);
    }
    THINWIRE_HD void finish(const double* total) const {
      if (!start) my.add_reaction(total + 3);
      if (!start && !my.rhs.record(std::sqrt(total[2]))) return;
      my.next_rho({total[0], total[1]}, total[2], total[2], start);
    }
  };

  /// Updates with a preconditioner: s = M r for the new r.
  struct UpdatePreconditioned {
    static constexpr int sums = 6;
    Data my;
    T *new_r, *new_s;
    bool start;
    THINWIRE_HD T input(std::size_t i) const {
      return start ? my.r[i] : my.r[i] - my.rhs->alpha * my.q[i];
    }
    THINWIRE_HD void operator()(std::size_t i, T z, double* sum) const {
      const T residual = input(i), product = residual * z;
      if (!start) my.advance(i, sum + 4);
      new_r[i] = residual;
      new_s[i] = z;
      sum[0] += real(product);
      sum[1] += imag(product);
      sum[2] += norm(residual);
      sum[3] += norm(z);
    }
    THINWIRE_HD void finish(const double* total) const {
      if (!start) my.add_reaction(total + 4);
      if (!start && !my.rhs.record(std::sqrt(total[2]))) return;
      my.next_rho({total[0], total[1]}, total[2], total[3], start);
    }
  };

  explicit Cocg(Executor& executor)
      : executor_(executor), p_(executor.vector()), q_(executor.vector()) {
    if (!executor.preconditioned()) return;
    s_ = executor.vector();
    other_r_ = executor.vector();
  }

  void begin() {
    executor_.clear(p_);
    executor_.clear(q_);
    turned_ = false;
    update(true);
  }

  void step() {
    executor_.product(executor_.preconditioned() ? s_ : executor_.r(),
                      [&](int rhs) { return Product{data(rhs)}; });
    update(false);
  }

 private:
  void update(bool start) {
    if (!executor_.preconditioned())
      return executor_.run([&](int rhs) { return Update{data(rhs), start}; });
    executor_.precondition([&](int rhs) {
      return UpdatePreconditioned{data(rhs),
                                  executor_.at(turned_ ? executor_.r() : other_r_, rhs),
                                  executor_.at(s_, rhs), start};
    });
    turned_ = !turned_;
  }
  Data data(int rhs) {
    return {executor_.rhs(rhs),
            executor_.at(executor_.preconditioned() ? s_ : executor_.r(), rhs),
            executor_.at(p_, rhs),
            executor_.at(q_, rhs),
            executor_.at(turned_ ? other_r_ : executor_.r(), rhs),
            executor_.current(rhs),
            executor_.v(rhs)};
  }

  Executor& executor_;
  typename Executor::Vector p_, q_, s_, other_r_;
  bool turned_ = false;  // whether r is in other_r_
};

}  // namespace thinwire
