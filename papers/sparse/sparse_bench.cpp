#include "papers/sparse/sparse_bench.h"

#include <chrono>
#include <random>

#include "kernels/base/stopwatch.h"
#include "kernels/spmv/run_matrix.h"
#include "papers/sparse/sparse_product.h"

namespace thinwire {
namespace {

using Clock = std::chrono::steady_clock;
/// Products run this long, and once at least, before they are timed.
constexpr double warm_up_s = 2e-3;

template <class V>
class HostSparseBench final : public SparseBenchOf<V> {
 public:
  HostSparseBench(const Csr<double>& matrix, int repeats)
      : SparseBenchOf<V>(matrix, repeats), x_(sparse_vector<V>(matrix.columns)) {}

  SparseTiming measure(const std::string& method) override {
    return this->time_method(
        method, [this]<class A>(const SparseMethod& in, const Csr<A>& matrix, V alpha) {
          return this->time(in, matrix, alpha);
        });
  }
  std::string same_as(const std::string& method) const override {
    return method == "runs-real"
               ? method
               : product_on_cpu(sparse_method_named(method), this->matrix()).name;
  }

 private:
  template <class A>
  SparseTiming time(const SparseMethod& method, const Csr<A>& matrix, V alpha) {
    SparseTiming timing;
    const Clock::time_point start = Clock::now();
    const auto product = make_sparse_product<A, V>(method, matrix);
    timing.prepare_s = seconds_since(start);
    timing.bytes = product->bytes();
    timing.work_bytes = product->work_bytes();
    timing.fill = product->fill();
    std::vector<V> y(matrix.rows);
    // Caches, pages and threads are warm for all alike: the first product apart, the
    // shortest would be measured while threads still wake up.
    const Clock::time_point warming = Clock::now();
    do product->multiply(alpha, x_, V(0), y);
    while (seconds_since(warming) < warm_up_s);
    std::vector<double> seconds;
    for (int k = 0; k < this->repeats_; ++k) {
      const Clock::time_point begin = Clock::now();
      product->multiply(alpha, x_, V(0), y);
      seconds.push_back(seconds_since(begin));
    }
    timing.times = summarise(std::move(seconds));
    timing.y.assign(y.begin(), y.end());
    return timing;
  }

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
  return with_sparse_type(type, [&]<class V>() -> std::unique_ptr<SparseBench> {
    return std::make_unique<HostSparseBench<V>>(matrix, repeats);
  });
}

}  // namespace thinwire
