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
template <class Machine>
class Cocr : public PlainRecurrence {
 public:
  using T = typename Machine::Value;

  struct Data {
    typename Machine::Side side;
    const T* s;  // M r, or r
    T *zs, *p, *q, *r, *current;
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
      if (vanishes(rho, total[2], total[3])) return my.side.end(CycleEnd::vanished);
      my.side->beta = my.side->iterations == 0 ? T{0, 0} : rho / my.side->rho;
      my.side->rho = rho;
    }
  };

  /// Without a preconditioner.
  struct Direction {
    static constexpr int sums = 3;
    Data my;
    THINWIRE_HD void operator()(std::size_t i, double* sum) const {
      const T beta = my.side->beta, image = my.zs[i] + beta * my.q[i];
      my.p[i] = my.s[i] + beta * my.p[i];
      my.q[i] = image;
      const T square = image * image;
      sum[0] += real(square);
      sum[1] += imag(square);
      sum[2] += norm(image);
    }
    THINWIRE_HD void finish(const double* total) const {
      const T qmq = {total[0], total[1]};
      if (vanishes(qmq, total[2], total[2])) return my.side.end(CycleEnd::vanished);
      my.side->alpha = my.side->rho / qmq;
    }
  };

  /// With one: mq = M q for the new q.
  struct DirectionPreconditioned {
    static constexpr int sums = 4;
    Data my;
    T *new_q, *mq;
    THINWIRE_HD T input(std::size_t i) const {
      return my.zs[i] + my.side->beta * my.q[i];
    }
    THINWIRE_HD void operator()(std::size_t i, T z, double* sum) const {
      const T image = input(i), product = image * z;
      my.p[i] = my.s[i] + my.side->beta * my.p[i];
      new_q[i] = image;
      mq[i] = z;
      sum[0] += real(product);
      sum[1] += imag(product);
      sum[2] += norm(image);
      sum[3] += norm(z);
    }
    THINWIRE_HD void finish(const double* total) const {
      const T qmq = {total[0], total[1]};
      if (vanishes(qmq, total[2], total[3])) return my.side.end(CycleEnd::vanished);
      my.side->alpha = my.side->rho / qmq;
    }
  };

  struct Update {
    static constexpr int sums = 1;
    Data my;
    const T* mq;  // null without a preconditioner
    T* new_s;     // likewise
    THINWIRE_HD void operator()(std::size_t i, double* sum) const {
      const T alpha = my.side->alpha, residual = my.r[i] - alpha * my.q[i];
      my.current[i] = my.current[i] + alpha * my.p[i];
      my.r[i] = residual;
      if (mq != nullptr) new_s[i] = my.s[i] - alpha * mq[i];
      sum[0] += norm(residual);
    }
    THINWIRE_HD void finish(const double* total) const {
      my.side.record(std::sqrt(total[0]));
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

  explicit Cocr(Machine& machine)
      : machine_(machine),
        zs_(machine.vector()),
        p_(machine.vector()),
        q_(machine.vector()) {
    if (!machine.preconditioned()) return;
    s_ = machine.vector();
    mq_ = machine.vector();
    other_q_ = machine.vector();
  }

  void begin() {
    machine_.clear(p_);
    machine_.clear(q_);
    turned_ = false;
    if (machine_.preconditioned())
      machine_.precondition([&](int side) {
        return Start{data(side), machine_.at(s_, side)};
      });
  }

  void step() {
    const bool with = machine_.preconditioned();
    machine_.product(with ? s_ : machine_.r(),
                     [&](int side) { return Product{data(side)}; });
    if (with) {
      machine_.precondition([&](int side) {
        return DirectionPreconditioned{data(side),
                                       machine_.at(turned_ ? q_ : other_q_, side),
                                       machine_.at(mq_, side)};
      });
      turned_ = !turned_;
    } else {
      machine_.run([&](int side) { return Direction{data(side)}; });
    }
    machine_.run([&](int side) {
      return Update{data(side), with ? machine_.at(mq_, side) : nullptr,
                    with ? machine_.at(s_, side) : nullptr};
    });
  }

 private:
  Data data(int side) {
    return {machine_.side(side),
            machine_.at(machine_.preconditioned() ? s_ : machine_.r(), side),
            machine_.at(zs_, side),
            machine_.at(p_, side),
            machine_.at(turned_ ? other_q_ : q_, side),
            machine_.at(machine_.r(), side),
            machine_.current(side)};
  }

  Machine& machine_;
  typename Machine::Vector zs_, p_, q_, s_, mq_, other_q_;
  bool turned_ = false;  // whether q is in other_q_
};

}  // namespace thinwire
