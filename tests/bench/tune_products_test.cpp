#include "bench/tune_products.h"

#include <gtest/gtest.h>

#include <atomic>
#include <set>

#include "kernels/device/tuning.h"
#include "kernels/matrix/product_timer.h"
#include "kernels/matrix/symv_shapes.h"

namespace thinwire {
namespace {

/// Made-up times: the paper's kernel is fastest at 96 threads a block, the symmetric
/// product with two runs a block.
class MadeUpBench final : public ProductBench {
 public:
  explicit MadeUpBench(std::size_t n) : n_(n) {}

  std::size_t size() const override { return n_; }
  RunTimes vector_round_trip() override { return took(1e-5); }
  RunTimes matrix_upload() override { return took(1e-3); }
  RunTimes row(int threads, bool, bool transposed) override {
    return took((threads == 96 ? 0.5e-3 : 1e-3) * (transposed ? 4.7 : 1));
  }
  RunTimes cublas_gemv(bool) override { return took(1e-4); }
  RunTimes cublas_symv(bool) override { return took(1e-4); }
  RunTimes symmetric(Storage storage, int sides, SymvSetting setting) override {
    check(setting);
    if (storage == Storage::complex_double && sides == 1) shapes.insert(setting.shape);
    return took(sides == 1 && setting.runs_per_block == 2 ? 4e-5 : 5e-5);
  }

  int calls = 0;
  std::atomic<bool> stop = false;
  int stop_after = 1'000'000;
  std::set<int> shapes;

 private:
  RunTimes took(double seconds) {
    stop = ++calls >= stop_after;
    return {seconds, seconds, seconds, 3};
  }

  std::size_t n_;
};

TuneOptions options_for(const MadeUpBench& bench) {
  TuneOptions options;
  options.monitor = Monitor({}, &bench.stop);
  return options;
}

TEST(SweepProducts, FindsTheFastestSettings) {
  MadeUpBench bench(1001);
  const TuneReport report = sweep_products(bench, options_for(bench));
  EXPECT_FALSE(report.interrupted);
  EXPECT_EQ(report.n, 1001u);
  EXPECT_EQ(report.padded_n, 1008u);
  EXPECT_EQ(report.rows.size(), 4 * swept_threads().size());
  EXPECT_TRUE(report.row_threads.change);
  EXPECT_EQ(report.row_threads.standard, "64");
  EXPECT_EQ(report.best_row_threads, 96);
  EXPECT_TRUE(report.symv.change);
  EXPECT_EQ(report.symv.standard, symv_setting_text(0, tuning::symv_runs_per_block));
  EXPECT_EQ(report.best_symv_runs, 2);
  // Every compiled shape was tried.
  std::set<int> all;
  for (int shape = 0; shape < static_cast<int>(symv_shapes.size()); ++shape)
    all.insert(shape);
  EXPECT_EQ(bench.shapes, all);
}

TEST(SweepProducts, LeavesPaddingOutWhereThereIsNone) {
  MadeUpBench bench(1000);
  const TuneReport report = sweep_products(bench, options_for(bench));
  EXPECT_EQ(report.rows.size(), 2 * swept_threads().size());
}

TEST(SweepProducts, KeepsWhatItHasWhenInterrupted) {
  MadeUpBench bench(1001);
  bench.stop_after = 5;
  const TuneReport report = sweep_products(bench, options_for(bench));
  EXPECT_TRUE(report.interrupted);
  EXPECT_EQ(report.rows.size(), 5u);
  EXPECT_TRUE(report.products.empty());
  EXPECT_TRUE(report.row_threads.setting.empty());
}

TEST(SweptThreads, AreMultiplesOfEightAndSomeOthers) {
  const std::vector<int> threads = swept_threads();
  const std::set<int> all(threads.begin(), threads.end());
  EXPECT_EQ(all.size(), threads.size());
  for (int count = 8; count <= 1024; count += 8) EXPECT_TRUE(all.count(count)) << count;
  EXPECT_GE(all.size(), 128u + 10u);
}

}  // namespace
}  // namespace thinwire
