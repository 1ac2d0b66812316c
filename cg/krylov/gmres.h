#pragma once

#include <algorithm>
#include <cfloat>
#include <span>
#include <vector>

#include "cg/krylov/recurrence.h"

namespace thinwire {

/// Y. Saad, M. H. Schultz, "GMRES: a generalized minimal residual algorithm", SIAM J.
/// Sci. Stat. Comput. 7 (1986) 856-869, on (Z M) y = V, I = M y. Iteration k:
///
///   load            work = M v_k
///   product         w = Z work
///   orthogonalise, twice: once is not enough in floating point, twice is (classical
///   Gram-Schmidt; Giraud, Langou, Rozloznik 2005)
///     project       part_j = v_j^H w, h += part
///     subtract      w -= sum_j part_j v_j
///         the second time also |w|, and in one thread: the new column of the Hessenberg
///         matrix through the rotations before it, a rotation more, the residual: record,
///         test
///   normalise       v_{k+1} = w / |w|
///
/// Vectors and columns grow by chunks; functors find them through tables, so that a graph
/// captured once works for any k.
template <class Machine>
class Gmres {
 public:
  using T = typename Machine::Value;

  struct Data {
    typename Machine::Side side;
    T** basis;       // [j] v_j
    T** kept;        // [j] M v_j, of flexible; or null
    T** columns;     // [k] column k of the triangle, k + 2 entries
    T *part, *h;     // [k + 1]
    double* cosine;  // rotations
    T *sine, *rhs;
    T *w, *work, *current;
    const T* r;
    std::size_t longest;

    THINWIRE_HD const T* newest() const { return basis[side->columns]; }
  };

  struct Start {
    static constexpr int sums = 1;
    Data my;
    THINWIRE_HD void operator()(std::size_t i, double* sum) const {
      my.w[i] = my.r[i];
      sum[0] += norm(my.r[i]);
    }
    THINWIRE_HD void finish(const double* total) const {
      my.side->columns = 0;
      my.side->w_norm = std::sqrt(total[0]);
      my.rhs[0] = {my.side->w_norm, 0};
    }
  };

  struct Normalise {
    static constexpr int sums = 0;
    Data my;
    THINWIRE_HD void operator()(std::size_t i, double*) const {
      my.basis[my.side->columns][i] = (1 / my.side->w_norm) * my.w[i];
    }
  };

  struct Load {
    static constexpr int sums = 0;
    Data my;
    THINWIRE_HD T input(std::size_t i) const { return my.newest()[i]; }
    THINWIRE_HD void operator()(std::size_t i, T z, double*) const {
      my.work[i] = z;
      if (my.kept != nullptr) my.kept[my.side->columns][i] = z;
    }
    /// Without a preconditioner.
    THINWIRE_HD void operator()(std::size_t i, double*) const {
      my.work[i] = my.newest()[i];
    }
  };

  struct StoreProduct {
    static constexpr int sums = 0;
    Data my;
    THINWIRE_HD void operator()(std::size_t i, T y, double*) const { my.w[i] = y; }
  };

  struct Project {
    Data my;
    bool again;
    THINWIRE_HD int count() const { return my.side->columns + 1; }
    THINWIRE_HD const T* vector(int j) const { return my.basis[j]; }
    THINWIRE_HD const T* input() const { return my.w; }
    THINWIRE_HD void operator()(int j, T product) const {
      my.part[j] = product;
      my.h[j] = again ? my.h[j] + product : product;
    }
  };

  /// w -= sum_j part_j v_j; the second time the column too.
  template <bool again>
  struct Subtract {
    static constexpr int sums = again ? 1 : 0;
    Data my;
    THINWIRE_HD int count() const { return my.side->columns + 1; }
    THINWIRE_HD const T* vector(int j) const { return my.basis[j]; }
    THINWIRE_HD T factor(int j) const { return {-real(my.part[j]), -imag(my.part[j])}; }
    THINWIRE_HD T input(std::size_t i) const { return my.w[i]; }
    THINWIRE_HD void operator()(std::size_t i, T value, double* sum) const {
      my.w[i] = value;
      if constexpr (again) sum[0] += norm(value);
    }

    static THINWIRE_HD void rotate(double c, T s, T& a, T& b) {
      const T rotated = c * a + s * b;
      b = c * b - conj(s) * a;
      a = rotated;
    }

    /// Minimises || |r| e_1 - H y || with a column more, by a Givens rotation that keeps
    /// H upper triangular. False: the column depends on those before it. What the
    /// rotations read does not depend on what they write, so that the loads of many run
    /// ahead of the chain of rotations.
    THINWIRE_HD bool add_column(double w_norm) const {
      const int k = my.side->columns;
      const T* __restrict__ from = my.h;
      const double* __restrict__ c = my.cosine;
      const T* __restrict__ s = my.sine;
      T* __restrict__ column = my.columns[k];
      double column_norm = w_norm * w_norm + norm(from[0]);
      T last = from[0];
      THINWIRE_UNROLL
      for (int j = 0; j < k; ++j) {
        T next = from[j + 1];
        column_norm += norm(next);
        rotate(c[j], s[j], last, next);
        column[j] = last;
        last = next;
      }
      const double size = abs(last), diagonal = std::hypot(size, w_norm);
      if (!(diagonal > DBL_EPSILON * std::sqrt(column_norm))) return false;
      const T phase = size > 0 ? (1 / size) * last : T{1, 0};
      my.cosine[k] = size / diagonal;
      my.sine[k] = (w_norm / diagonal) * phase;
      column[k] = diagonal * phase;
      my.rhs[k + 1] = {0, 0};
      rotate(my.cosine[k], my.sine[k], my.rhs[k], my.rhs[k + 1]);
      return true;
    }

    THINWIRE_HD void finish(const double* total) const {
      const double w_norm = std::sqrt(total[0]);
      if (!is_finite(w_norm) || !add_column(w_norm))
        return my.side.end(CycleEnd::breakdown);
      my.side->w_norm = w_norm;
      const int columns = ++my.side->columns;
      if (my.side.record(abs(my.rhs[columns])) &&
          static_cast<std::size_t>(columns) == my.longest)
        my.side.end(CycleEnd::finished);
    }
  };

  /// to = sum_j y_j from_j, plus `to` where `add`; y in `part`.
  struct Combine {
    static constexpr int sums = 0;
    Data my;
    T** from;
    T* to;
    bool add;
    THINWIRE_HD int count() const { return my.side->columns; }
    THINWIRE_HD const T* vector(int j) const { return from[j]; }
    THINWIRE_HD T factor(int j) const { return my.part[j]; }
    THINWIRE_HD T input(std::size_t i) const { return add ? to[i] : T{0, 0}; }
    THINWIRE_HD void operator()(std::size_t i, T value, double*) const { to[i] = value; }
  };

  /// I += M work, or work.
  struct Update {
    static constexpr int sums = 0;
    Data my;
    THINWIRE_HD T input(std::size_t i) const { return my.work[i]; }
    THINWIRE_HD void operator()(std::size_t i, T z, double*) const {
      my.current[i] = my.current[i] + z;
    }
    THINWIRE_HD void operator()(std::size_t i, double*) const {
      my.current[i] = my.current[i] + my.work[i];
    }
  };

  explicit Gmres(Machine& machine)
      : machine_(machine),
        flexible_(machine.flexible() && machine.preconditioned()),
        most_(machine.unknowns() + 2),
        w_(machine.vector()),
        work_(machine.vector()),
        basis_table_(table()),
        column_table_(table()),
        part_(numbers()),
        h_(numbers()),
        sine_(numbers()),
        rhs_(numbers()),
        cosine_(machine.template array<double>(machine.sides() * most_)) {
    if (flexible_) kept_table_ = table();
  }

  void prepare(int iteration) {
    const auto last = std::min<std::size_t>(iteration, machine_.unknowns());
    while (chunk * basis_.size() < last + 1) add_chunk();
  }

  void begin() {
    prepare(1);
    machine_.run([&](int side) { return Start{data(side)}; });
    machine_.run([&](int side) { return Normalise{data(side)}; });
  }

  void step() {
    const auto load = [&](int side) { return Load{data(side)}; };
    if (machine_.preconditioned())
      machine_.precondition(load);
    else
      machine_.run(load);
    machine_.product(work_, [&](int side) { return StoreProduct{data(side)}; });
    machine_.project([&](int side) { return Project{data(side), false}; });
    machine_.combine_project([&](int side) { return Subtract<false>{data(side)}; },
                             [&](int side) {
                               return Project{data(side), true};
                             });
    machine_.combine([&](int side) { return Subtract<true>{data(side)}; });
    machine_.run([&](int side) { return Normalise{data(side)}; });
  }

  /// I += M (v_0 y_0 + v_1 y_1 + ...)
  void finish() {
    for (int side = 0; side < machine_.sides(); ++side) {
      const std::vector<T> y = least_squares_solution(side);
      if (y.empty()) continue;
      machine_.write(part_.data() + side * most_, std::span<const T>(y));
      machine_.reopen(side);
    }
    if (flexible_)
      return machine_.combine([&](int side) {
        const Data my = data(side);
        return Combine{my, my.kept, my.current, true};
      });
    machine_.combine([&](int side) {
      const Data my = data(side);
      return Combine{my, my.basis, my.work, false};
    });
    const auto update = [&](int side) { return Update{data(side)}; };
    if (machine_.preconditioned())
      machine_.precondition(update);
    else
      machine_.run(update);
  }

 private:
  template <class U>
  using Array = typename Machine::template Array<U>;
  static constexpr std::size_t chunk = Machine::basis_chunk;

  Array<T*> table() const {
    return machine_.template array<T*>(machine_.sides() * most_);
  }
  Array<T> numbers() const {
    return machine_.template array<T>(machine_.sides() * most_);
  }
  Data data(int side) {
    return {machine_.side(side),
            basis_table_.data() + side * most_,
            flexible_ ? kept_table_.data() + side * most_ : nullptr,
            column_table_.data() + side * most_,
            part_.data() + side * most_,
            h_.data() + side * most_,
            cosine_.data() + side * most_,
            sine_.data() + side * most_,
            rhs_.data() + side * most_,
            machine_.at(w_, side),
            machine_.at(work_, side),
            machine_.current(side),
            machine_.at(machine_.r(), side),
            machine_.unknowns()};
  }

  std::size_t column_length(std::size_t of_chunk) const {
    return chunk * (of_chunk + 1) + 1;
  }

  /// Room for `chunk` pieces of `length` for each side, entered in the table.
  Array<T> pieces(std::size_t length, Array<T*>& into) const {
    const std::size_t first = chunk * basis_.size();
    const std::size_t count = std::min(chunk, most_ - first);
    Array<T> room = machine_.template array<T>(machine_.sides() * chunk * length);
    for (int side = 0; side < machine_.sides(); ++side) {
      std::vector<T*> places;
      for (std::size_t j = 0; j < count; ++j)
        places.push_back(room.data() + (side * chunk + j) * length);
      machine_.write(into.data() + side * most_ + first, std::span<T* const>(places));
    }
    return room;
  }

  void add_chunk() {
    const std::size_t length = column_length(basis_.size());
    machine_.require(machine_.sides() * chunk *
                     ((flexible_ ? 2 : 1) * machine_.next() + length) * sizeof(T));
    if (flexible_) kept_.push_back(pieces(machine_.next(), kept_table_));
    columns_.push_back(pieces(length, column_table_));
    machine_.clear(columns_.back());  // chunks are read whole
    basis_.push_back(pieces(machine_.next(), basis_table_));
  }

  /// The triangle is small: the CPU solves it.
  std::vector<T> least_squares_solution(int side) {
    const auto count = static_cast<std::size_t>(machine_.state(side).columns);
    std::vector<T> y(count);
    machine_.read(std::span<T>(y), rhs_.data() + side * most_);
    std::vector<std::vector<T>> columns;
    for (std::size_t c = 0; chunk * c < count; ++c) {
      columns.emplace_back(chunk * column_length(c));
      machine_.read(std::span<T>(columns.back()),
                    columns_[c].data() + side * columns.back().size());
    }
    for (std::size_t k = count; k-- > 0;) {
      const T* column = columns[k / chunk].data() + k % chunk * column_length(k / chunk);
      y[k] = y[k] / column[k];
      for (std::size_t i = 0; i < k; ++i) y[i] = y[i] - column[i] * y[k];
    }
    return y;
  }

  Machine& machine_;
  bool flexible_;
  std::size_t most_;  // vectors, and a little more
  typename Machine::Vector w_, work_;
  Array<T*> basis_table_, kept_table_, column_table_;
  Array<T> part_, h_, sine_, rhs_;  // [sides][most_]
  Array<double> cosine_;
  std::vector<Array<T>> basis_, kept_, columns_;
};

}  // namespace thinwire
