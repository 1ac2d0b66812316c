#pragma once

#include "cg/krylov/recurrence.h"

namespace thinwire {

/// T. Sogabe, S.-L. Zhang, "A COCR method for solving complex symmetric linear systems",
/// J. Comput. Appl. Math. 199 (2007) 297-303, with a symmetric preconditioner M. As in
/// COCG, nothing may be conjugated. s = M r:
///
///   product     zs = Z s                             rho' = s^T zs, beta = rho' / rho
///   direction   p = s + beta p, q = zs + beta q,
///               [mq = M q]                           alpha = rho / q^T mq
///   update      I += alpha p, r -= alpha q,
///               [s -= alpha mq]                      |r|: record, test
///
/// Without a preconditioner s is r, and mq is q. With one, q = Z p alternates between two
/// places: all of the old one is wanted until the last unknown has its M q.
template <class Executor>
class Cocr : public PlainRecurrence {
 public:
  using T = typename Executor::Value;

  struct Data {
    typename Executor::Rhs rhs;
    const T* s;  // M r, or r
    T *zs, *p, *q, *r, *current;
    const T* v;
  };

  struct Product {
    static constexpr int sums = 4;
    Data my;
    THINWIRE_HD void operator()(std::size_t i, T y, double* sum) const {
      my.zs[i] = y;
      const T product = my.s[i] * y;
      sum[0] += real(product);
      sum[1] += imag(product);
      sum[2] += norm(my.s[i]);
      sum[3] += norm(y);
    }
    THINWIRE_HD void finish(const double* total) const {
      const T rho = {total[0], total[1]};
      if (vanishes(rho, total[2], total[3])) return my.rhs.end(CycleEnd::vanished);
      my.rhs->beta = my.rhs->iterations == 0 ? T{0, 0} : rho / my.rhs->rho;
      my.rhs->rho = rho;
    }
  };

  /// Without a preconditioner.
  struct Direction {
    static constexpr int sums = 3;
    Data my;
    THINWIRE_HD void operator()(std::size_t i, double* sum) const {
      const T beta = my.rhs->beta, image = my.zs[i] + beta * my.q[i];
      my.p[i] = my.s[i] + beta * my.p[i];
      my.q[i] = image;
      const T square = image * image;
      sum[0] += real(square);
      sum[1] += imag(square);
      sum[2] += norm(image);
    }
    THINWIRE_HD void finish(const double* total) const {
      const T qmq = {total[0], total[1]};
      if (vanishes(qmq, total[2], total[2])) return my.rhs.end(CycleEnd::vanished);
      set_alpha(my.rhs, qmq);
    }
  };

  /// Computes the direction with a preconditioner: mq = M q for the new q.
  struct DirectionPreconditioned {
    static constexpr int sums = 4;
    Data my;
    T *new_q, *mq;
    THINWIRE_HD T input(std::size_t i) const { return my.zs[i] + my.rhs->beta * my.q[i]; }
    THINWIRE_HD void operator()(std::size_t i, T z, double* sum) const {
      const T image = input(i), product = image * z;
      my.p[i] = my.s[i] + my.rhs->beta * my.p[i];
      new_q[i] = image;
      mq[i] = z;
      sum[0] += real(product);
      sum[1] += imag(product);
      sum[2] += norm(image);
      sum[3] += norm(z);
    }
    THINWIRE_HD void finish(const double* total) const {
      const T qmq = {total[0], total[1]};
      if (vanishes(qmq, total[2], total[3])) return my.rhs.end(CycleEnd::vanished);
      set_alpha(my.rhs, qmq);
    }
  };

  struct Update {
    static constexpr int sums = 3;
    Data my;
    const T* mq;  // null without a preconditioner
    T* new_s;     // likewise
    THINWIRE_HD void operator()(std::size_t i, double* sum) const {
      const T alpha = my.rhs->alpha, residual = my.r[i] - alpha * my.q[i],
              direction = my.p[i], product = my.v[i] * direction;
      my.current[i] = my.current[i] + alpha * direction;
      my.r[i] = residual;
      if (mq != nullptr) new_s[i] = my.s[i] - alpha * mq[i];
      sum[0] += norm(residual);
      sum[1] += real(product);
      sum[2] += imag(product);
    }
    THINWIRE_HD void finish(const double* total) const {
      my.rhs->reaction = my.rhs->reaction + my.rhs->alpha * T{total[1], total[2]};
      my.rhs.record(std::sqrt(total[0]));
    }
  };

  /// s = M r at the start.
  struct Start {
    static constexpr int sums = 0;
    Data my;
    T* to;
    THINWIRE_HD T input(std::size_t i) const { return my.r[i]; }
    THINWIRE_HD void operator()(std::size_t i, T z, double*) const { to[i] = z; }
  };

  explicit Cocr(Executor& executor)
      : executor_(executor),
        zs_(executor.vector()),
        p_(executor.vector()),
        q_(executor.vector()) {
    if (!executor.preconditioned()) return;
    s_ = executor.vector();
    mq_ = executor.vector();
    other_q_ = executor.vector();
  }

  void begin() {
    executor_.clear(p_);
    executor_.clear(q_);
    turned_ = false;
    if (executor_.preconditioned())
      executor_.precondition([&](int rhs) {
        return Start{data(rhs), executor_.at(s_, rhs)};
      });
  }

  void step() {
    const bool with = executor_.preconditioned();
    executor_.product(with ? s_ : executor_.r(),
                      [&](int rhs) { return Product{data(rhs)}; });
    if (with) {
      executor_.precondition([&](int rhs) {
        return DirectionPreconditioned{data(rhs),
                                       executor_.at(turned_ ? q_ : other_q_, rhs),
                                       executor_.at(mq_, rhs)};
      });
      turned_ = !turned_;
    } else {
      executor_.run([&](int rhs) { return Direction{data(rhs)}; });
    }
    executor_.run([&](int rhs) {
      return Update{data(rhs), with ? executor_.at(mq_, rhs) : nullptr,
                    with ? executor_.at(s_, rhs) : nullptr};
    });
  }

 private:
  Data data(int rhs) {
    return {executor_.rhs(rhs),
            executor_.at(executor_.preconditioned() ? s_ : executor_.r(), rhs),
            executor_.at(zs_, rhs),
            executor_.at(p_, rhs),
            executor_.at(turned_ ? other_q_ : q_, rhs),
            executor_.at(executor_.r(), rhs),
            executor_.current(rhs),
            executor_.v(rhs)};
  }

  Executor& executor_;
  typename Executor::Vector zs_, p_, q_, s_, mq_, other_q_;
  bool turned_ = false;  // whether q is in other_q_
};

}  // namespace thinwire
