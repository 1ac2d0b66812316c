#include "papers/assembly/assembly_bench.h"
#include "papers/assembly/block_product.h"
#include "papers/assembly/device_assembly.h"

namespace thinwire {
namespace {

class DeviceAssemblyBench final : public AssemblyBench {
 public:
  DeviceAssemblyBench(const ElasticBody& body, const Connectivity& connectivity,
                      int repeats)
      : repeats_(repeats),
        assembly_(body, connectivity),
        value_(block_values * connectivity.pattern.blocks(), "matrix of 3 x 3 blocks") {}

  RunTimes measure(AssemblyMethod method, const Colouring& colouring) override {
    if (method == AssemblyMethod::rows)
      return time([&] {
        assembly_.rows(0, assembly_.body().mesh.nodes(), value_.data(), stream_);
      });
    DeviceScatter scatter(assembly_, colouring, method);
    return time([&] {
      value_.clear(stream_);
      scatter.add(0, colouring.colours(), value_.data(), stream_);
    });
  }

  std::vector<std::complex<double>> product(
      std::span<const std::complex<double>> x) override {
    const auto device_x = uploaded(x, "x", stream_);
    DeviceBuffer<std::complex<double>> y(x.size(), "y");
    const BodyView body = assembly_.view();
    multiply_blocks({x.size() / 3, body.row_ptr, body.column, value_.data()},
                    device_x.data(), y.data(), stream_);
    std::vector<std::complex<double>> result(x.size());
    y.download(result, stream_);
    return result;
  }

 private:
  template <class Work>
  RunTimes time(Work&& work) {
    work();  // kernels are loaded, pages are there
    stream_.synchronize();
    DeviceEvent begin, end;
    return time_runs(repeats_, [&] {
      begin.record(stream_);
      work();
      end.record(stream_);
      return end.seconds_since(begin);
    });
  }

  int repeats_;
  DeviceStream stream_;
  DeviceAssembly assembly_;
  DeviceBuffer<double> value_;
};

}  // namespace

std::unique_ptr<AssemblyBench> make_device_assembly_bench(
    const ElasticBody& body, const Connectivity& connectivity, int repeats) {
  return std::make_unique<DeviceAssemblyBench>(body, connectivity, repeats);
}

}  // namespace thinwire
