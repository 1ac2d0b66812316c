#include "papers/assembly/assembly_bench.h"

#include <algorithm>
#include <chrono>

#include "kernels/base/error.h"
#include "papers/assembly/assembly.h"
#include "papers/assembly/block_product.h"

namespace thinwire {
namespace {

class HostAssemblyBench final : public AssemblyBench {
 public:
  HostAssemblyBench(const ElasticBody& body, const Connectivity& connectivity,
                    int repeats)
      : body_(body),
        connectivity_(connectivity),
        repeats_(repeats),
        value_(zero_values(block_values * connectivity.pattern.blocks())) {}

  RunTimes measure(AssemblyMethod method, const Colouring& colouring) override {
    return time_runs(repeats_, [&] {
      const auto start = std::chrono::steady_clock::now();
      assemble(method, colouring);
      return std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count();
    });
  }

  std::vector<std::complex<double>> product(
      std::span<const std::complex<double>> x) override {
    std::vector<std::complex<double>> y(x.size());
    multiply_blocks(connectivity_.pattern.view(value_.data()), x, y);
    return y;
  }

 private:
  void assemble(AssemblyMethod method, const Colouring& colouring) {
    switch (method) {
      case AssemblyMethod::rows:
        return assemble_rows(body_, connectivity_, 0, body_.mesh.nodes(), value_);
      case AssemblyMethod::colours:
        clear(value_);
        return add_colours(body_, connectivity_, colouring, 0, colouring.colours(),
                           value_);
      case AssemblyMethod::in_order:
        return assemble_in_order(body_, connectivity_, value_);
      case AssemblyMethod::fused:
      case AssemblyMethod::search_on_cpu:
      case AssemblyMethod::split:
        break;
    }
    throw Error(ErrorKind::usage, "assembly: this method needs a GPU. Leave it out.");
  }

  const ElasticBody& body_;
  const Connectivity& connectivity_;
  int repeats_;
  LargeVector<double> value_;
};

}  // namespace

std::unique_ptr<AssemblyBench> make_host_assembly_bench(const ElasticBody& body,
                                                        const Connectivity& connectivity,
                                                        int repeats) {
  return std::make_unique<HostAssemblyBench>(body, connectivity, repeats);
}

}  // namespace thinwire
