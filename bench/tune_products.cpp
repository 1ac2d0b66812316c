#include "bench/tune_products.h"

#include <algorithm>
#include <array>

#include "kernels/device/tuning.h"
#include "kernels/matrix/packed_tiles.h"
#include "kernels/matrix/product_timer.h"
#include "kernels/matrix/symv_shapes.h"

namespace thinwire {
namespace {

/// A difference smaller than this is not worth a change, however little runs scatter.
constexpr double min_gain = 0.02;

/// Runs a block that are swept.
constexpr std::array swept_runs = {1, 2, 3, 4, 8};

class Sweep {
 public:
  Sweep(ProductBench& bench, const TuneOptions& options)
      : options_(options), bench_(bench) {
    report_.n = bench_.size();
    report_.padded_n = bench_.padded();
    report_.repeats = options.repeats;
  }

  TuneReport run() {
    try {
      measure_rows();
      measure_libraries();
      measure_ours();
      choose_row_threads();
      choose_symv();
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::interrupted) throw;
      report_.interrupted = true;
    }
    return std::move(report_);
  }

 private:
  /// Before each measurement.
  void step() {
    options_.monitor.report(
        "tune", std::min(1.0, static_cast<double>(done_) / static_cast<double>(steps_)));
    ++done_;
  }

  void measure_rows() {
    const std::vector<int> threads = swept_threads();
    const bool pads = report_.padded_n != report_.n;
    steps_ = threads.size() * (pads ? 4 : 2) + 6 + symv_shapes.size() * swept_runs.size();
    for (const bool transposed : {false, true})
      for (const bool padded : {true, false}) {
        if (!padded && !pads) continue;  // the same matrix
        for (const int count : threads) {
          step();
          report_.rows.push_back(
              {count, padded, transposed, bench_.row(count, padded, transposed)});
        }
      }
  }

  void measure_libraries() {
    const auto n = static_cast<double>(report_.n);
    const double whole = 16 * n * n, half = 8 * n * (n + 1);
    const auto add = [&](const char* name, double bytes, auto&& measure) {
      step();
      report_.products.push_back({name, bytes, -1, 0, measure()});
    };
    add("cuBLAS zgemv", whole, [&] { return bench_.cublas_gemv(false); });
    add("cuBLAS zgemv, transposed", whole, [&] { return bench_.cublas_gemv(true); });
    add("cuBLAS zsymv", half, [&] { return bench_.cublas_symv(false); });
    add("cuBLAS zsymv, atomics", half, [&] { return bench_.cublas_symv(true); });
  }

  void measure_ours() {
    const PackedTiles layout{report_.n};
    // shape: -1 where there is one only.
    const auto add = [&](const char* name, Storage storage, int sides, int shape,
                         int runs) {
      step();
      report_.products.push_back(
          {name, static_cast<double>(DeviceTiles::bytes(layout, storage)), shape, runs,
           bench_.symmetric(storage, sides, {std::max(shape, 0), runs})});
    };
    for (int shape = 0; shape < static_cast<int>(symv_shapes.size()); ++shape)
      for (const int runs : swept_runs)
        add("symmetric, double", Storage::complex_double, 1, shape, runs);
    const int runs = tuning::symv_runs_per_block;
    add("symmetric, double, 4 sides", Storage::complex_double, 4, -1, runs);
    add("symmetric, single", Storage::complex_single, 1, -1, runs);
  }

  void choose_row_threads() {
    std::vector<int> threads;
    std::vector<std::string> values;
    std::vector<RunTimes> times;
    std::size_t standard = 0;
    for (const RowTiming& row : report_.rows)
      if (row.padded && !row.transposed && row.threads % 8 == 0) {
        if (row.threads == standard_row_threads) standard = threads.size();
        threads.push_back(row.threads);
        values.push_back(std::to_string(row.threads));
        times.push_back(row.times);
      }
    report_.row_threads = choose_setting("row_threads", standard, values, times);
    report_.best_row_threads = threads[report_.row_threads.best_index];
  }

  void choose_symv() {
    std::vector<const ProductTiming*> tried;
    std::vector<std::string> values;
    std::vector<RunTimes> times;
    std::size_t standard = 0;
    for (const ProductTiming& product : report_.products)
      if (product.shape >= 0) {
        if (product.shape == 0 && product.runs_per_block == tuning::symv_runs_per_block)
          standard = tried.size();
        tried.push_back(&product);
        values.push_back(symv_setting_text(product.shape, product.runs_per_block));
        times.push_back(product.times);
      }
    report_.symv = choose_setting("symmetric product", standard, values, times);
    const ProductTiming& best = *tried[report_.symv.best_index];
    report_.best_symv_shape = best.shape;
    report_.best_symv_runs = best.runs_per_block;
  }

  const TuneOptions& options_;
  ProductBench& bench_;
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

TuneChoice choose_setting(std::string name, std::size_t standard,
                          const std::vector<std::string>& value,
                          const std::vector<RunTimes>& times) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < times.size(); ++i)
    if (times[i].median_s < times[best].median_s) best = i;
  TuneChoice choice;
  choice.setting = std::move(name);
  choice.standard = value[standard];
  choice.best = value[best];
  choice.best_index = best;
  choice.standard_s = times[standard].median_s;
  choice.best_s = times[best].median_s;
  // Faster beyond doubt: even its slowest run beats the fastest of the standard.
  choice.change = best != standard && times[best].slowest_s < times[standard].fastest_s &&
                  choice.best_s < (1 - min_gain) * choice.standard_s;
  return choice;
}

std::string symv_setting_text(int shape, int runs_per_block) {
  return "shape " + name_of(symv_shapes.at(static_cast<std::size_t>(shape))) + ", " +
         std::to_string(runs_per_block) +
         (runs_per_block == 1 ? " run a block" : " runs a block");
}

TuneReport sweep_products(ProductBench& bench, const TuneOptions& options) {
  return Sweep(bench, options).run();
}

}  // namespace thinwire
