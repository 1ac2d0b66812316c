#include "cg/tune_products.h"

#include <algorithm>

#include "cg/device_product_bench.h"
#include "kernels/error.h"
#include "kernels/packed_tiles.h"
#include "kernels/tuning.h"

namespace thinwire {
namespace {

/// A difference smaller than this is not worth a change, however little runs scatter.
constexpr double least_gain = 0.02;

class Sweep {
 public:
  explicit Sweep(const TuneOptions& options)
      : options_(options), bench_(options.n, options.repeats) {
    report_.n = options.n;
    report_.padded_n = bench_.padded();
    report_.repeats = options.repeats;
  }

  TuneReport run() {
    const std::vector<int> threads = swept_threads();
    const bool pads = report_.padded_n != report_.n;
    steps_ = threads.size() * (pads ? 4 : 2) + 11;
    for (const bool transposed : {false, true})
      for (const bool padded : {true, false}) {
        if (!padded && !pads) continue;  // the same matrix
        for (const int count : threads) {
          report_.rows.push_back(
              {count, padded, transposed, bench_.row(count, padded, transposed)});
          step();
        }
      }
    measure_libraries();
    measure_ours();
    choose();
    return std::move(report_);
  }

 private:
  void step() {
    if (options_.stop && *options_.stop)
      throw Error(ErrorKind::interrupted, "tune: interrupted. Nothing was written.");
    ++done_;
    if (options_.on_progress)
      options_.on_progress(
          std::min(1.0, static_cast<double>(done_) / static_cast<double>(steps_)));
  }

  void add(std::string name, double bytes, int runs, bool tunable, RunTimes times) {
    report_.products.push_back({std::move(name), bytes, runs, tunable, times});
    step();
  }

  void measure_libraries() {
    const auto n = static_cast<double>(report_.n);
    const double whole = 16 * n * n, half = 8 * n * (n + 1);
    add("cuBLAS zgemv", whole, 0, false, bench_.cublas_gemv(false));
    add("cuBLAS zgemv, transposed", whole, 0, false, bench_.cublas_gemv(true));
    add("cuBLAS zsymv", half, 0, false, bench_.cublas_symv(false));
    add("cuBLAS zsymv, atomics", half, 0, false, bench_.cublas_symv(true));
  }

  void measure_ours() {
    const PackedTiles layout{report_.n};
    const auto bytes = [&](Storage storage) {
      return static_cast<double>(DeviceTiles::bytes(layout, storage));
    };
    using S = Storage;
    for (const int runs : {1, 2, 3, 4, 8})
      add("symmetric, double", bytes(S::complex_double), runs, true,
          bench_.symmetric(S::complex_double, 1, runs));
    const int runs = tuning::symv_runs_per_block;
    add("symmetric, double, 4 sides", bytes(S::complex_double), runs, false,
        bench_.symmetric(S::complex_double, 4, runs));
    add("symmetric, single", bytes(S::complex_single), runs, false,
        bench_.symmetric(S::complex_single, 1, runs));
  }

  void choose() {
    std::vector<int> settings;
    std::vector<RunTimes> times;
    for (const RowTiming& row : report_.rows)
      if (row.padded && !row.transposed && row.threads % 8 == 0) {
        settings.push_back(row.threads);
        times.push_back(row.times);
      }
    report_.row_threads =
        choose_setting("row_threads", standard_row_threads, settings, times);
    settings.clear();
    times.clear();
    for (const ProductTiming& product : report_.products)
      if (product.tunable) {
        settings.push_back(product.runs_per_block);
        times.push_back(product.times);
      }
    report_.symv_runs = choose_setting("symv_runs_per_block", tuning::symv_runs_per_block,
                                       settings, times);
  }

  const TuneOptions& options_;
  DeviceProductBench bench_;
  TuneReport report_;
  std::size_t steps_ = 1, done_ = 0;
};

}  // namespace

std::vector<int> swept_threads() {
  std::vector<int> threads = {1,   2,   4,   12,  20,  28,  33,  50,  60,  63,  65,
                              100, 127, 129, 190, 250, 255, 257, 500, 750, 1023};
  for (int count = 8; count <= 1024; count += 8) threads.push_back(count);
  std::sort(threads.begin(), threads.end());
  return threads;
}

TuneChoice choose_setting(std::string name, int standard, const std::vector<int>& setting,
                          const std::vector<RunTimes>& times) {
  TuneChoice choice;
  choice.setting = std::move(name);
  choice.standard = choice.best = standard;
  RunTimes standard_times, best_times;
  for (std::size_t i = 0; i < setting.size(); ++i) {
    if (setting[i] == standard) standard_times = times[i];
    if (i == 0 || times[i].median_s < best_times.median_s) {
      best_times = times[i];
      choice.best = setting[i];
    }
  }
  choice.standard_s = standard_times.median_s;
  choice.best_s = best_times.median_s;
  // Faster beyond doubt: even its slowest run beats the fastest of the standard.
  choice.change = choice.best != standard &&
                  best_times.slowest_s < standard_times.fastest_s &&
                  choice.best_s < (1 - least_gain) * choice.standard_s;
  return choice;
}

TuneReport tune_products(const TuneOptions& options) {
  return Sweep(options).run();
}

}  // namespace thinwire
