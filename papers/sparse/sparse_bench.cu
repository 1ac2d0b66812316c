#include "papers/sparse/sparse_bench.h"

#include <algorithm>
#include <chrono>
#include <memory>

#include "kernels/device/check.cuh"
#include "papers/sparse/cusparse.cuh"
#include "papers/sparse/sparse_product.h"

namespace thinwire {
namespace {

/// Captures several repetitions of a stream's work as one launch, as a solver does with
/// its products: a short product is then not timed by how fast the CPU launches kernels.
class Repeated {
 public:
  template <class Run>
  Repeated(const Run& run, int times, const DeviceStream& stream) {
    const auto check = [](cudaError_t error, const char* call) {
      check_cuda(error, "sparse products", call);
    };
    check(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeRelaxed),
          "cudaStreamBeginCapture");
    for (int k = 0; k < times; ++k) run();
    cudaGraph_t graph = nullptr;
    check(cudaStreamEndCapture(stream.get(), &graph), "cudaStreamEndCapture");
    const cudaError_t error = cudaGraphInstantiate(&graph_, graph, 0);
    (void)cudaGraphDestroy(graph);
    check(error, "cudaGraphInstantiate");
  }
  ~Repeated() { (void)cudaGraphExecDestroy(graph_); }
  Repeated(const Repeated&) = delete;
  Repeated& operator=(const Repeated&) = delete;

  void operator()(const DeviceStream& stream) const {
    check_cuda(cudaGraphLaunch(graph_, stream.get()), "sparse products",
               "cudaGraphLaunch");
  }

 private:
  cudaGraphExec_t graph_ = nullptr;
};

/// Products of one launch: as many as take this long, for one launch costs some
/// microseconds itself.
constexpr double seconds_a_launch = 500e-6;
constexpr int max_products_a_launch = 64;

/// V: type of the vectors, and of the matrix but for `runs-real`.
template <class V>
class DeviceSparseBench final : public SparseBench {
 public:
  DeviceSparseBench(const Csr<double>& matrix, int repeats)
      : matrix_(sparse_input<V>(matrix)),
        real_(matrix),
        repeats_(repeats),
        // Room for whole blocks of 4.
        x_(matrix.columns + 4, "x"),
        y_(matrix.rows + 4, "y") {
    x_.clear(stream_);
    const std::vector<V> x = sparse_vector<V>(matrix.columns);
    copy_bytes(x_.data(), x.data(), x.size() * sizeof(V), stream_);
    stream_.synchronize();
  }

  SparseTiming measure(const std::string& method) override {
    const auto start = std::chrono::steady_clock::now();
    const auto timed = [&](const auto& product, V alpha) {
      const std::chrono::duration<double> prepared =
          std::chrono::steady_clock::now() - start;
      return time(*product, alpha, prepared.count());
    };
    if constexpr (NumberOf<V>::parts == 2)
      if (method == "runs-real") {
        if (is_complex_) refuse_runs_real();
        return timed(make_device_sparse_product<RealOf<V>, V>(
                         sparse_method_named("runs"), sparse_input<RealOf<V>>(real_)),
                     V(sparse_phase));
      }
    const auto library = [&](CusparseFormat format) {
      return timed(std::make_unique<CusparseProduct<V>>(format, matrix_), V(1));
    };
    if (method == "cusparse-csr") return library(CusparseFormat::csr);
    if (method == "cusparse-bsr") return library(CusparseFormat::bsr);
    if (method == "cusparse-sell") return library(CusparseFormat::sell);
    return timed(make_device_sparse_product<V, V>(sparse_method_named(method), matrix_),
                 V(1));
  }

  void set_values(std::span<const std::complex<double>> values) override {
    set_sparse_values(matrix_, values);
    is_complex_ = true;
  }

 private:
  template <class Product>
  SparseTiming time(const Product& product, V alpha, double prepare_s) {
    SparseTiming timing;
    timing.prepare_s = prepare_s;
    timing.bytes = product.bytes();
    timing.fill = product.fill();
    const auto run = [&] {
      product.multiply(alpha, x_.data(), V(0), y_.data(), stream_);
    };
    run();
    stream_.synchronize();
    timing.work_bytes = product.work_bytes();
    DeviceEvent begin, end;
    const auto seconds_of = [&](const auto& work) {
      begin.record(stream_);
      work();
      end.record(stream_);
      return end.seconds_since(begin);
    };
    const int products =
        static_cast<int>(std::clamp(seconds_a_launch / seconds_of(run), 1.0,
                                    static_cast<double>(max_products_a_launch)));
    const Repeated repeated(run, products, stream_);
    std::vector<double> seconds;
    for (int k = 0; k < repeats_; ++k)
      seconds.push_back(seconds_of([&] { repeated(stream_); }) / products);
    timing.times = summarise(std::move(seconds));
    std::vector<V> y(matrix_.rows);
    copy_bytes(y.data(), y_.data(), y.size() * sizeof(V), stream_);
    stream_.synchronize();
    timing.y.assign(y.begin(), y.end());
    return timing;
  }

  Csr<V> matrix_;
  const Csr<double>& real_;
  int repeats_;
  bool is_complex_ = false;
  DeviceStream stream_;
  DeviceBuffer<V> x_, y_;
};

}  // namespace

std::unique_ptr<SparseBench> make_device_sparse_bench(const Csr<double>& matrix,
                                                      SparseType type, int repeats) {
  switch (type) {
    case SparseType::complex_double:
      return std::make_unique<DeviceSparseBench<std::complex<double>>>(matrix, repeats);
    case SparseType::real_single:
      return std::make_unique<DeviceSparseBench<float>>(matrix, repeats);
    case SparseType::complex_single:
      return std::make_unique<DeviceSparseBench<std::complex<float>>>(matrix, repeats);
    case SparseType::real_double:
      break;
  }
  return std::make_unique<DeviceSparseBench<double>>(matrix, repeats);
}

}  // namespace thinwire
