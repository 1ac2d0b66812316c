#pragma once

#include <complex>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kernels/base/error.h"
#include "kernels/base/run_times.h"
#include "kernels/spmv/csr.h"
#include "papers/sparse/sparse_method.h"

namespace thinwire {

/// Numbers of matrix and vectors: real or complex, double or single.
enum class SparseType { real_double, complex_double, real_single, complex_single };

/// Calls function.operator()<T>() with the type of the numbers.
template <class Function>
auto with_sparse_type(SparseType type, Function&& function) {
  switch (type) {
    case SparseType::complex_double:
      return function.template operator()<std::complex<double>>();
    case SparseType::real_single:
      return function.template operator()<float>();
    case SparseType::complex_single:
      return function.template operator()<std::complex<float>>();
    case SparseType::real_double:
      break;
  }
  return function.template operator()<double>();
}

/// One product y = A x, measured.
struct SparseTiming {
  std::size_t bytes = 0;       ///< of the matrix, as allocated
  std::size_t work_bytes = 0;  ///< beside it
  double prepare_s = 0;        ///< from CSR on the host to the format in place
  double fill = 0;             ///< of runs: stored values for each entry; else 0
  RunTimes times;
  std::vector<std::complex<double>> y;
};

/// Times products with one matrix by their names: sparse_methods(); `runs-real`, the real
/// matrix in runs on complex vectors, for complex types; on a GPU also cusparse-csr,
/// cusparse-bsr and cusparse-sell. A complex matrix is the real one times 0.6 + 0.8 j, so
/// that `runs-real` has to give the same. x is random, the same for all of a type.
class SparseBench {
 public:
  virtual ~SparseBench() = default;
  /// Throws what making the product does: Error{numeric} where runs want symmetry,
  /// Error{memory}, Error{device}.
  virtual SparseTiming measure(const std::string& method) = 0;
  /// A complex matrix in the same places, instead of the real one times 0.6 + 0.8 j. Not
  /// for real types, nor for `runs-real`, which are refused from then on: Error{usage}.
  virtual void set_values(std::span<const std::complex<double>> values) = 0;
  /// The method whose product this one's is here: its own on a GPU. On the CPU those that
  /// only share out the work of another among threads of a GPU are the other.
  virtual std::string same_as(const std::string& method) const { return method; }
};

/// Makes the benchmark of the CPU products.
std::unique_ptr<SparseBench> make_host_sparse_bench(const Csr<double>& matrix,
                                                    SparseType type, int repeats);
/// On the current GPU, by events there.
std::unique_ptr<SparseBench> make_device_sparse_bench(const Csr<double>& matrix,
                                                      SparseType type, int repeats);

/// A real matrix times this is what complex types multiply with.
inline constexpr std::complex<double> sparse_phase = {0.6, 0.8};

/// The matrix in another type.
template <class A>
Csr<A> sparse_input(const Csr<double>& matrix) {
  Csr<A> result{matrix.rows, matrix.columns, matrix.row_ptr, matrix.column, {}};
  result.value.reserve(matrix.value.size());
  for (const double value : matrix.value)
    if constexpr (NumberOf<A>::parts == 2)
      result.value.push_back(A(value * sparse_phase));
    else
      result.value.push_back(static_cast<A>(value));
  return result;
}

/// The matrix with other values in the same places. Throws Error{usage} where A is real.
template <class A>
void set_sparse_values(Csr<A>& matrix, std::span<const std::complex<double>> values) {
  if constexpr (NumberOf<A>::parts == 2)
    matrix.value.assign(values.begin(), values.end());
  else
    throw Error(ErrorKind::usage, "A complex matrix needs complex numbers. Use type z.");
}

/// [n] numbers with parts in [-1, 1).
template <class V>
std::vector<V> sparse_vector(std::size_t n);

/// Common part of both places. V: type of the vectors, and of the matrix but for
/// `runs-real`.
template <class V>
class SparseBenchOf : public SparseBench {
 public:
  SparseBenchOf(const Csr<double>& matrix, int repeats)
      : repeats_(repeats), matrix_(sparse_input<V>(matrix)), real_(matrix) {}
  void set_values(std::span<const std::complex<double>> values) override {
    set_sparse_values(matrix_, values);
    is_complex_ = true;
  }

 protected:
  /// Calls time(method, matrix, alpha), so that the product is alpha A x: with the matrix
  /// or, for `runs-real`, with the real one.
  template <class Time>
  SparseTiming time_method(const std::string& method, Time&& time) const {
    if constexpr (NumberOf<V>::parts == 2)
      if (method == "runs-real") {
        if (is_complex_)
          throw Error(
              ErrorKind::usage,
              "runs-real takes a real matrix, and this one is complex. Use runs.");
        return time(sparse_method_named("runs"), sparse_input<RealOf<V>>(real_),
                    V(sparse_phase));
      }
    return time(sparse_method_named(method), matrix_, V(1));
  }
  const Csr<V>& matrix() const { return matrix_; }

  const int repeats_;

 private:
  Csr<V> matrix_;
  const Csr<double>& real_;
  bool is_complex_ = false;
};

}  // namespace thinwire
