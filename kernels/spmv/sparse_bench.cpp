#include "kernels/spmv/sparse_bench.h"

#include <chrono>
#include <random>

#include "kernels/spmv/run_matrix.h"
#include "kernels/spmv/sparse_product.h"

namespace thinwire {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// V: type of the vectors, and of the matrix but for `runs-real`.
template <class V>
class HostSparseBench final : public SparseBench {
 public:
  HostSparseBench(const Csr<double>& matrix, int repeats)
      : matrix_(sparse_input<V>(matrix)),
        real_(matrix),
        repeats_(repeats),
        x_(sparse_vector<V>(matrix.columns)) {}

  SparseTiming measure(const std::string& method) override {
    if constexpr (NumberOf<V>::parts == 2)
      if (method == "runs-real")
        return time<RealOf<V>>("runs", sparse_input<RealOf<V>>(real_), V(sparse_phase));
    return time<V>(method, matrix_, V(1));
  }

 private:
  template <class A>
  SparseTiming time(const std::string& method, const Csr<A>& matrix, V alpha) {
    SparseTiming timing;
    const Clock::time_point start = Clock::now();
    const auto product = make_sparse_product<A, V>(sparse_method_named(method), matrix);
    timing.prepare_s = seconds_since(start);
    timing.bytes = product->bytes();
    timing.work_bytes = product->work_bytes();
    timing.fill = product->fill();
    std::vector<V> y(matrix.rows);
    product->multiply(alpha, x_, V(0), y);
    std::vector<double> seconds;
    for (int k = 0; k < repeats_; ++k) {
      const Clock::time_point begin = Clock::now();
      product->multiply(alpha, x_, V(0), y);
      seconds.push_back(seconds_since(begin));
    }
    timing.times = summarise(std::move(seconds));
    timing.y.assign(y.begin(), y.end());
    return timing;
  }

  Csr<V> matrix_;
  const Csr<double>& real_;
  int repeats_;
  std::vector<V> x_;
};

}  // namespace

template <class V>
std::vector<V> sparse_vector(std::size_t n) {
  std::mt19937_64 generator(2013);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<V> x(n);
  for (V& value : x) {
    const double re = uniform(generator);
    if constexpr (NumberOf<V>::parts == 2)
      value = V(std::complex<double>(re, uniform(generator)));
    else
      value = static_cast<V>(re);
  }
  return x;
}

template std::vector<double> sparse_vector(std::size_t);
template std::vector<float> sparse_vector(std::size_t);
template std::vector<std::complex<double>> sparse_vector(std::size_t);
template std::vector<std::complex<float>> sparse_vector(std::size_t);

std::unique_ptr<SparseBench> make_host_sparse_bench(const Csr<double>& matrix,
                                                    SparseType type, int repeats) {
  switch (type) {
    case SparseType::complex_double:
      return std::make_unique<HostSparseBench<std::complex<double>>>(matrix, repeats);
    case SparseType::real_single:
      return std::make_unique<HostSparseBench<float>>(matrix, repeats);
    case SparseType::complex_single:
      return std::make_unique<HostSparseBench<std::complex<float>>>(matrix, repeats);
    case SparseType::real_double:
      break;
  }
  return std::make_unique<HostSparseBench<double>>(matrix, repeats);
}

}  // namespace thinwire
