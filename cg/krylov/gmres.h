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
/// V^T I of every iteration comes without I: with the triangle R, its right-hand side c
/// and g_j = V^T M v_j it is g^T R^-1 c = d^T c, where d = R^-T g gains an entry a
/// column.
///
/// Vectors and columns grow by chunks; functors find them through tables, so that a graph
/// captured once works for any k.
template <class Executor>
class Gmres {
 public:
  using T = typename Executor::Value;

  struct Data {
    typename Executor::Rhs rhs;
    T** basis;       // [j] v_j
    T** kept;        // [j] M v_j, of flexible; or null
    T** columns;     // [k] column k of the triangle, k + 2 entries
    T *part, *h;     // [k + 1]
    double* cosine;  // rotations
    T *sine, *rotated;
    T* dual;  // [k + 1] d
    T *w, *work, *current;
    const T *r, *v;
    std::size_t longest;

    THINWIRE_HD const T* newest() const { return basis[rhs->columns]; }
  };

  struct Start {
    static constexpr int sums = 1;
    Data my;
    THINWIRE_HD void operator()(std::size_t i, double* sum) const {
      my.w[i] = my.r[i];
      sum[0] += norm(my.r[i]);
    }
    THINWIRE_HD void finish(const double* total) const {
      my.rhs->columns = 0;
      my.rhs->w_norm = std::sqrt(total[0]);
      my.rotated[0] = {my.rhs->w_norm, 0};
    }
  };

  struct Normalise {
    static constexpr int sums = 0;
    Data my;
    THINWIRE_HD void operator()(std::size_t i, double*) const {
      my.basis[my.rhs->columns][i] = (1 / my.rhs->w_norm) * my.w[i];
    }
  };

  struct Load {
    static constexpr int sums = 2;
    Data my;
    THINWIRE_HD T input(std::size_t i) const { return my.newest()[i]; }
    THINWIRE_HD void operator()(std::size_t i, T z, double* sum) const {
      my.work[i] = z;
      if (my.kept != nullptr) my.kept[my.rhs->columns][i] = z;
      const T product = my.v[i] * z;
      sum[0] += real(product);
      sum[1] += imag(product);
    }
    /// Without a preconditioner.
    THINWIRE_HD void operator()(std::size_t i, double* sum) const {
      (*this)(i, my.newest()[i], sum);
    }
    THINWIRE_HD void finish(const double* total) const {
      my.dual[my.rhs->columns] = {total[0], total[1]};  // g_k
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
    THINWIRE_HD int count() const { return my.rhs->columns + 1; }
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
    THINWIRE_HD int count() const { return my.rhs->columns + 1; }
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
      const int k = my.rhs->columns;
      const T* __restrict__ from = my.h;
      const double* __restrict__ c = my.cosine;
      const T* __restrict__ s = my.sine;
      T* __restrict__ column = my.columns[k];
      const T* __restrict__ dual = my.dual;
      T unmet = my.dual[k];
      double column_norm = w_norm * w_norm + norm(from[0]);
      T last = from[0];
      THINWIRE_UNROLL
      for (int j = 0; j < k; ++j) {
        T next = from[j + 1];
        column_norm += norm(next);
        rotate(c[j], s[j], last, next);
        column[j] = last;
        unmet = unmet - last * dual[j];
        last = next;
      }
      const double size = abs(last), diagonal = std::hypot(size, w_norm);
      if (!(diagonal > DBL_EPSILON * std::sqrt(column_norm))) return false;
      const T phase = size > 0 ? (1 / size) * last : T{1, 0};
      my.cosine[k] = size / diagonal;
      my.sine[k] = (w_norm / diagonal) * phase;
      column[k] = diagonal * phase;
      my.rotated[k + 1] = {0, 0};
      rotate(my.cosine[k], my.sine[k], my.rotated[k], my.rotated[k + 1]);
      my.dual[k] = unmet / column[k];
      my.rhs->reaction = my.rhs->reaction + my.dual[k] * my.rotated[k];
      return true;
    }

    THINWIRE_HD void finish(const double* total) const {
      const double w_norm = std::sqrt(total[0]);
      if (!is_finite(w_norm) || !add_column(w_norm))
        return my.rhs.end(CycleEnd::breakdown);
      my.rhs->w_norm = w_norm;
      const int columns = ++my.rhs->columns;
      if (my.rhs.record(abs(my.rotated[columns])) &&
          static_cast<std::size_t>(columns) == my.longest)
        my.rhs.end(CycleEnd::finished);
    }
  };

  /// to = sum_j y_j from_j, plus `to` where `add`; y in `part`.
  struct Combine {
    static constexpr int sums = 0;
    Data my;
    T** from;
    T* to;
    bool add;
    THINWIRE_HD int count() const { return my.rhs->columns; }
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

  explicit Gmres(Executor& executor)
      : executor_(executor),
        flexible_(executor.flexible() && executor.preconditioned()),
        max_(executor.unknowns() + 2),
        w_(executor.vector()),
        work_(executor.vector()),
        basis_table_(table()),
        column_table_(table()),
        part_(numbers()),
        h_(numbers()),
        sine_(numbers()),
        rotated_(numbers()),
        dual_(numbers()),
        cosine_(executor.template array<double>(executor.rhs_count() * max_)) {
    if (flexible_) kept_table_ = table();
  }

  void prepare(int iteration) {
    const auto last = std::min<std::size_t>(iteration, executor_.unknowns());
    while (chunk * basis_.size() < last + 1) add_chunk();
  }

  void begin() {
    prepare(1);
    executor_.run([&](int rhs) { return Start{data(rhs)}; });
    executor_.run([&](int rhs) { return Normalise{data(rhs)}; });
  }

  void step() {
    const auto load = [&](int rhs) { return Load{data(rhs)}; };
    if (executor_.preconditioned())
      executor_.precondition(load);
    else
      executor_.run(load);
    executor_.product(work_, [&](int rhs) { return StoreProduct{data(rhs)}; });
    executor_.project([&](int rhs) { return Project{data(rhs), false}; });
    executor_.combine_project([&](int rhs) { return Subtract<false>{data(rhs)}; },
                              [&](int rhs) {
                                return Project{data(rhs), true};
                              });
    executor_.combine([&](int rhs) { return Subtract<true>{data(rhs)}; });
    executor_.run([&](int rhs) { return Normalise{data(rhs)}; });
  }

  /// I += M (v_0 y_0 + v_1 y_1 + ...)
  void finish() {
    for (int rhs = 0; rhs < executor_.rhs_count(); ++rhs) {
      const std::vector<T> y = least_squares_solution(rhs);
      if (y.empty()) continue;
      executor_.write(part_.data() + rhs * max_, std::span<const T>(y));
      executor_.reopen(rhs);
    }
    if (flexible_)
      return executor_.combine([&](int rhs) {
        const Data my = data(rhs);
        return Combine{my, my.kept, my.current, true};
      });
    executor_.combine([&](int rhs) {
      const Data my = data(rhs);
      return Combine{my, my.basis, my.work, false};
    });
    const auto update = [&](int rhs) { return Update{data(rhs)}; };
    if (executor_.preconditioned())
      executor_.precondition(update);
    else
      executor_.run(update);
  }

 private:
  template <class U>
  using Array = typename Executor::template Array<U>;
  static constexpr std::size_t chunk = Executor::basis_chunk;

  Array<T*> table() const {
    return executor_.template array<T*>(executor_.rhs_count() * max_);
  }
  Array<T> numbers() const {
    return executor_.template array<T>(executor_.rhs_count() * max_);
  }
  Data data(int rhs) {
    return {executor_.rhs(rhs),
            basis_table_.data() + rhs * max_,
            flexible_ ? kept_table_.data() + rhs * max_ : nullptr,
            column_table_.data() + rhs * max_,
            part_.data() + rhs * max_,
            h_.data() + rhs * max_,
            cosine_.data() + rhs * max_,
            sine_.data() + rhs * max_,
            rotated_.data() + rhs * max_,
            dual_.data() + rhs * max_,
            executor_.at(w_, rhs),
            executor_.at(work_, rhs),
            executor_.current(rhs),
            executor_.at(executor_.r(), rhs),
            executor_.v(rhs),
            executor_.unknowns()};
  }

  std::size_t column_length(std::size_t of_chunk) const {
    return chunk * (of_chunk + 1) + 1;
  }

  /// Allocates `chunk` pieces of `length` for each right-hand side, and enters them in
  /// the table.
  Array<T> pieces(std::size_t length, Array<T*>& into) const {
    const std::size_t first = chunk * basis_.size();
    const std::size_t count = std::min(chunk, max_ - first);
    Array<T> room = executor_.template array<T>(executor_.rhs_count() * chunk * length);
    for (int rhs = 0; rhs < executor_.rhs_count(); ++rhs) {
      std::vector<T*> places;
      for (std::size_t j = 0; j < count; ++j)
        places.push_back(room.data() + (rhs * chunk + j) * length);
      executor_.write(into.data() + rhs * max_ + first, std::span<T* const>(places));
    }
    return room;
  }

  void add_chunk() {
    const std::size_t length = column_length(basis_.size());
    executor_.require(executor_.rhs_count() * chunk *
                      ((flexible_ ? 2 : 1) * executor_.next() + length) * sizeof(T));
    if (flexible_) kept_.push_back(pieces(executor_.next(), kept_table_));
    columns_.push_back(pieces(length, column_table_));
    executor_.clear(columns_.back());  // chunks are read whole
    basis_.push_back(pieces(executor_.next(), basis_table_));
  }

  /// The triangle is small: the CPU solves it.
  std::vector<T> least_squares_solution(int rhs) {
    const auto count = static_cast<std::size_t>(executor_.state(rhs).columns);
    std::vector<T> y(count);
    executor_.read(std::span<T>(y), rotated_.data() + rhs * max_);
    std::vector<std::vector<T>> columns;
    for (std::size_t c = 0; chunk * c < count; ++c) {
      columns.emplace_back(chunk * column_length(c));
      executor_.read(std::span<T>(columns.back()),
                     columns_[c].data() + rhs * columns.back().size());
    }
    for (std::size_t k = count; k-- > 0;) {
      const T* column = columns[k / chunk].data() + k % chunk * column_length(k / chunk);
      y[k] = y[k] / column[k];
      for (std::size_t i = 0; i < k; ++i) y[i] = y[i] - column[i] * y[k];
    }
    return y;
  }

  Executor& executor_;
  bool flexible_;
  std::size_t max_;  // vectors, and a little more
  typename Executor::Vector w_, work_;
  Array<T*> basis_table_, kept_table_, column_table_;
  Array<T> part_, h_, sine_, rotated_, dual_;  // [rhs_count][max_]
  Array<double> cosine_;
  std::vector<Array<T>> basis_, kept_, columns_;
};

}  // namespace thinwire
