#include <omp.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <latch>
#include <thread>

#include "kernels/base/stopwatch.h"
#include "papers/assembly/device_assembly.h"
#include "papers/assembly/shares.h"

namespace thinwire {
namespace {

using Clock = std::chrono::steady_clock;

/// Pieces distributed on demand take at least about this long: launches and the wait for
/// each are 20 us.
constexpr double min_piece_s = 1e-4;

/// One of those who assemble. All calls come from a thread in which enter() was called.
class Worker {
 public:
  virtual ~Worker() = default;
  /// Makes ready whatever else a thread wants before it works for this one.
  virtual void enter() = 0;
  /// Room for the blocks of `rows`.
  virtual void reserve(Share rows) = 0;
  /// Puts the blocks of some of these rows where they belong, and waits.
  virtual void assemble(Share rows) = 0;
  virtual void clear() = 0;
  /// To be called before add().
  virtual void prepare(const Colouring& colouring) = 0;
  /// Adds colours, and waits. The room is that of all rows.
  virtual void add(Share colours) = 0;
  /// Copies blocks of reserved rows. to: the first of them.
  virtual void copy(Share rows, double* to) = 0;
};

/// Common part of both kinds.
struct Rows {
  const ElasticBody& body;
  const Connectivity& connectivity;
  std::int64_t first_block = 0;  // of the room

  std::int64_t block(std::size_t row) const { return connectivity.pattern.row_ptr[row]; }
  std::size_t values(Share rows) const {
    return block_values * static_cast<std::size_t>(block(rows.last) - block(rows.first));
  }
  std::size_t offset(std::size_t row) const {
    return block_values * static_cast<std::size_t>(block(row) - first_block);
  }
};

class CpuWorker final : public Worker {
 public:
  CpuWorker(const ElasticBody& body, const Connectivity& connectivity, int threads)
      : rows_{body, connectivity}, threads_(threads) {}

  void enter() override {
    omp_set_num_threads(threads_);
    // The threads start here and not when time is taken.
#pragma omp parallel
    {}
  }
  void reserve(Share rows) override {
    rows_.first_block = rows_.block(rows.first);
    if (value_.size() < rows_.values(rows)) value_ = zero_values(rows_.values(rows));
  }
  void assemble(Share rows) override {
    assemble_rows(rows_.body, rows_.connectivity, rows.first, rows.last,
                  {value_.data() + rows_.offset(rows.first), rows_.values(rows)});
  }
  void clear() override {
    thinwire::clear(value_);
  }
  void prepare(const Colouring& colouring) override {
    colouring_ = &colouring;
  }
  void add(Share colours) override {
    add_colours(rows_.body, rows_.connectivity, *colouring_, colours.first, colours.last,
                value_);
  }
  void copy(Share rows, double* to) override {
    std::copy_n(value_.data() + rows_.offset(rows.first), rows_.values(rows), to);
  }

 private:
  Rows rows_;
  int threads_;
  const Colouring* colouring_ = nullptr;
  LargeVector<double> value_;
};

class GpuWorker final : public Worker {
 public:
  GpuWorker(const ElasticBody& body, const Connectivity& connectivity, int index)
      : rows_{body, connectivity}, index_(index), assembly_(body, connectivity) {}

  void enter() override { use_device(index_); }
  void reserve(Share rows) override {
    rows_.first_block = rows_.block(rows.first);
    const std::size_t values = rows_.values(rows);
    if (value_.size() >= values) return;
    value_ = {};
    value_ = DeviceBuffer<double>(values, "a share of the matrix");
  }
  void assemble(Share rows) override {
    assembly_.rows(rows.first, rows.last, value_.data() + rows_.offset(rows.first),
                   stream_);
    stream_.synchronize();
  }
  void clear() override {
    value_.clear(stream_);
    stream_.synchronize();
  }
  void prepare(const Colouring& colouring) override {
    scatter_ =
        std::make_unique<DeviceScatter>(assembly_, colouring, AssemblyMethod::split);
  }
  void add(Share colours) override {
    scatter_->add(colours.first, colours.last, value_.data(), stream_);
    stream_.synchronize();
  }
  void copy(Share rows, double* to) override {
    copy_bytes(to, value_.data() + rows_.offset(rows.first),
               rows_.values(rows) * sizeof(double), stream_);
    stream_.synchronize();
  }

 private:
  Rows rows_;
  int index_;
  DeviceAssembly assembly_;
  DeviceStream stream_;
  DeviceBuffer<double> value_;
  std::unique_ptr<DeviceScatter> scatter_;
};

class WorkerThreads final : public SharedAssembly {
 public:
  WorkerThreads(const ElasticBody& body, const Connectivity& connectivity,
                const std::vector<int>& workers)
      : body_(body), connectivity_(connectivity), workers_(workers.size()) {
    const auto gpus = static_cast<int>(
        std::count_if(workers.begin(), workers.end(), [](int w) { return w != cpu; }));
    const int threads = std::max(1, omp_get_num_procs() - gpus);
    rows_.resize(workers.size());
    each([&](std::size_t w) {
      if (workers[w] == cpu) {
        workers_[w] = std::make_unique<CpuWorker>(body, connectivity, threads);
      } else {
        use_device(workers[w]);
        workers_[w] = std::make_unique<GpuWorker>(body, connectivity, workers[w]);
      }
    });
  }

  std::vector<double> row_rates() override {
    // A twentieth of the rows for each, around the middle.
    const std::size_t rows = body_.mesh.nodes();
    const std::size_t piece = std::max<std::size_t>(1, rows / 20);
    const Share middle = {rows / 2 - std::min(rows / 2, piece / 2),
                          std::min(rows, rows / 2 + (piece + 1) / 2)};
    return rates(middle.last - middle.first, [&](Worker& worker) {
      worker.reserve(middle);
      worker.assemble(middle);  // for the first touch
      return [&worker, middle] { worker.assemble(middle); };
    });
  }

  double assemble_slabs(std::span<const double> rates) override {
    const std::vector<Share> slabs = distribute(body_.mesh.nodes(), rates);
    for (std::size_t w = 0; w < slabs.size(); ++w) rows_[w] = {slabs[w]};
    each([&](std::size_t w) { workers_[w]->reserve(slabs[w]); });
    return each([&](std::size_t w) {
      if (slabs[w].first < slabs[w].last) workers_[w]->assemble(slabs[w]);
    });
  }

  double assemble_distributed(std::span<const double> rates) override {
    reserve_all();
    Dealer dealer(body_.mesh.nodes(), rates, min_piece_s);
    return each([&](std::size_t w) {
      rows_[w].clear();
      for (Share share = dealer.next(w); share.first < share.last;
           share = dealer.next(w)) {
        workers_[w]->assemble(share);
        rows_[w].push_back(share);
      }
    });
  }

  std::vector<std::vector<Share>> rows() const override { return rows_; }

  void collect(std::span<double> value) override {
    each([&](std::size_t w) {
      for (const Share share : rows_[w])
        if (share.first < share.last)
          workers_[w]->copy(share, value.data() + first_value(share.first));
    });
  }

  std::vector<double> colour_rates(const Colouring& colouring) override {
    reserve_all();
    return rates(1, [&](Worker& worker) {
      worker.prepare(colouring);
      worker.clear();
      worker.add({0, 1});
      return [&worker] { worker.add({0, 1}); };
    });
  }

  Merged assemble_copies(const Colouring& colouring, std::span<const double> rates,
                         std::span<double> value) override {
    const std::vector<Share> shares = distribute(colouring.colours(), rates);
    reserve_all();
    each([&](std::size_t w) { workers_[w]->prepare(colouring); });
    Merged merged;
    merged.assemble_s = each([&](std::size_t w) {
      workers_[w]->clear();
      workers_[w]->add(shares[w]);
    });
    copies_.resize(workers_.size());
    for (LargeVector<double>& copy : copies_)
      if (copy.size() != value.size()) copy = zero_values(value.size());
    const Clock::time_point start = Clock::now();
    each([&](std::size_t w) {
      workers_[w]->copy({0, body_.mesh.nodes()}, copies_[w].data());
    });
#pragma omp parallel for
    for (std::size_t i = 0; i < value.size(); ++i) {
      double sum = 0;
      for (const LargeVector<double>& copy : copies_) sum += copy[i];
      value[i] = sum;
    }
    merged.merge_s = seconds_since(start);
    return merged;
  }

 private:
  std::size_t first_value(std::size_t row) const {
    return block_values * static_cast<std::size_t>(connectivity_.pattern.row_ptr[row]);
  }

  void reserve_all() {
    each([&](std::size_t w) { workers_[w]->reserve({0, body_.mesh.nodes()}); });
  }

  /// Runs action(w) for all workers at once, each in a thread of its own. Seconds from
  /// when all are ready to when all are done.
  template <class Action>
  double each(Action&& action) {
    std::latch ready(static_cast<std::ptrdiff_t>(workers_.size()) + 1);
    std::vector<std::exception_ptr> failed(workers_.size());
    std::vector<std::jthread> threads;
    for (std::size_t w = 0; w < workers_.size(); ++w)
      threads.emplace_back([&, w] {
        bool waiting = true;
        try {
          if (workers_[w]) workers_[w]->enter();
          waiting = false;
          ready.arrive_and_wait();
          action(w);
        } catch (...) {
          failed[w] = std::current_exception();
          if (waiting) ready.count_down();
        }
      });
    ready.arrive_and_wait();
    const Clock::time_point start = Clock::now();
    threads.clear();  // joins
    const double seconds = seconds_since(start);
    for (const std::exception_ptr& error : failed)
      if (error) std::rethrow_exception(error);
    return seconds;
  }

  /// Units a second of each. prepare(worker): makes what does `units` of work.
  template <class Prepare>
  std::vector<double> rates(std::size_t units, Prepare&& prepare) {
    std::vector<double> result(workers_.size());
    each([&](std::size_t w) {
      const auto work = prepare(*workers_[w]);
      const Clock::time_point start = Clock::now();
      work();
      result[w] = static_cast<double>(units) / std::max(1e-9, seconds_since(start));
    });
    return result;
  }

  const ElasticBody& body_;
  const Connectivity& connectivity_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<std::vector<Share>> rows_;
  std::vector<LargeVector<double>> copies_;
};

}  // namespace

std::unique_ptr<SharedAssembly> make_shared_assembly(const ElasticBody& body,
                                                     const Connectivity& connectivity,
                                                     std::vector<int> workers) {
  return std::make_unique<WorkerThreads>(body, connectivity, workers);
}

}  // namespace thinwire
