#include "papers/assembly/shares.h"

#include "kernels/base/error.h"
#include "tests/kernels/device/device_test_support.h"
#include "tests/papers/assembly/body.h"

namespace thinwire {
namespace {

using namespace testing;

class SharesOnDevice : public OnDevice {
 protected:
  SharesOnDevice() { assemble_rows(body_, connectivity_, 0, body_.mesh.nodes(), twin_); }

  /// Two GPUs where there are, or one twice.
  static std::vector<int> two() {
    return {0, device_report().devices.size() > 1 ? 1 : 0};
  }
  static std::vector<int> two_and_cpu() { return {0, SharedAssembly::cpu, two()[1]}; }

  void expect_twin(const std::vector<double>& value) const {
    for (std::size_t i = 0; i < value.size(); ++i)
      ASSERT_NEAR(value[i], twin_[i], 2e-14) << i;
  }
  /// The rows of all workers: each once?
  void expect_each_row_once(const SharedAssembly& shared) const {
    std::vector<int> times(body_.mesh.nodes());
    for (const auto& of_worker : shared.rows())
      for (const Share share : of_worker)
        for (std::size_t row = share.first; row < share.last; ++row) ++times[row];
    EXPECT_EQ(times, std::vector<int>(body_.mesh.nodes(), 1));
  }
  std::vector<double> collected(SharedAssembly& shared) const {
    std::vector<double> value(twin_.size(), NAN);
    shared.collect(value);
    return value;
  }

  ElasticBody body_ = {shaken_cube(20), steel_like};
  Connectivity connectivity_ = connect(body_.mesh);
  std::vector<double> twin_ = zeros(connectivity_.pattern);
};

TEST_F(SharesOnDevice, SlabsOfTwoGpusAreTheBitsOfOne) {
  const auto shared = make_shared_assembly(body_, connectivity_, two());
  for (const double rate : shared->row_rates()) EXPECT_GT(rate, 0);
  shared->assemble_slabs(std::vector<double>{1, 2});
  EXPECT_EQ(shared->rows()[1][0].last, body_.mesh.nodes());
  expect_each_row_once(*shared);
  const std::vector<double> value = collected(*shared);
  expect_twin(value);
  const auto one = make_shared_assembly(body_, connectivity_, {0});
  one->assemble_slabs(std::vector<double>{1});
  EXPECT_EQ(collected(*one), value);
  shared->assemble_distributed(std::vector<double>{1e7, 2e7});
  expect_each_row_once(*shared);
  EXPECT_EQ(collected(*shared), value);
}

TEST_F(SharesOnDevice, SlabsWithTheCpuAreTheSameBitsTwice) {
  const auto shared = make_shared_assembly(body_, connectivity_, two_and_cpu());
  const std::vector<double> rates = {10, 3, 10};
  shared->assemble_slabs(rates);
  const std::vector<double> value = collected(*shared);
  expect_twin(value);
  shared->assemble_slabs(rates);
  EXPECT_EQ(collected(*shared), value);
}

TEST_F(SharesOnDevice, RowsDealtOutWithTheCpuAreTheTwins) {
  const auto shared = make_shared_assembly(body_, connectivity_, two_and_cpu());
  shared->assemble_distributed(std::vector<double>{1e7, 1e6, 1e7});
  expect_each_row_once(*shared);
  expect_twin(collected(*shared));
}

TEST_F(SharesOnDevice, CopiesAreMerged) {
  const Colouring colouring = colour_elements(body_.mesh, connectivity_.at_node, 20);
  for (const auto& workers : {two(), two_and_cpu()}) {
    const auto shared = make_shared_assembly(body_, connectivity_, workers);
    const std::vector<double> rates = shared->colour_rates(colouring);
    for (const double rate : rates) EXPECT_GT(rate, 0);
    std::vector<double> value(twin_.size(), NAN);
    shared->assemble_copies(colouring, std::vector<double>(workers.size(), 1), value);
    expect_twin(value);
  }
}

TEST_F(SharesOnDevice, AGpuThatIsNotThereIsRefused) {
  EXPECT_THROW(make_shared_assembly(body_, connectivity_, {0, 99}), Error);
}

}  // namespace
}  // namespace thinwire
