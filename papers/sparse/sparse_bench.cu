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

template <class V>
class DeviceSparseBench final : public SparseBenchOf<V> {
 public:
  DeviceSparseBench(const Csr<double>& matrix, int repeats)
      : SparseBenchOf<V>(matrix, repeats),
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
    for (const auto& [name, format] : cusparse_formats)
      if (method == name)
        return timed(std::make_unique<CusparseProduct<V>>(format, this->matrix()), V(1));
    return this->time_method(
        method, [&timed]<class A>(const SparseMethod& in, const Csr<A>& matrix, V alpha) {
          return timed(make_device_sparse_product<A, V>(in, matrix), alpha);
        });
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
    for (int k = 0; k < this->repeats_; ++k)
      seconds.push_back(seconds_of([&] { repeated(stream_); }) / products);
    timing.times = summarise(std::move(seconds));
    std::vector<V> y(this->matrix().rows);
    copy_bytes(y.data(), y_.data(), y.size() * sizeof(V), stream_);
    stream_.synchronize();
    timing.y.assign(y.begin(), y.end());
    return timing;
  }

  DeviceStream stream_;
  DeviceBuffer<V> x_, y_;
};

}  // namespace

std::unique_ptr<SparseBench> make_device_sparse_bench(const Csr<double>& matrix,
                                                      SparseType type, int repeats) {
  return with_sparse_type(type, [&]<class V>() -> std::unique_ptr<SparseBench> {
    return std::make_unique<DeviceSparseBench<V>>(matrix, repeats);
  });
}

}  // namespace thinwire
