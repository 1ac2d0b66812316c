#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "papers/assembly/assembly.h"

namespace thinwire {

/// Rows, or colours: first .. last - 1.
struct Share {
  std::size_t first = 0, last = 0;
  bool operator==(const Share&) const = default;
};

/// 0 .. count - 1 in consecutive shares in proportion to the rates, none of which may be
/// negative and one must be positive.
std::vector<Share> distribute(std::size_t count, std::span<const double> rates);

/// Distributes 0 .. count - 1 to the workers on request: half of what would be its share
/// of the rest, but not less than `min_s` seconds of its work at its rate. Rates: units a
/// second, all positive. From any thread.
class Dealer {
 public:
  Dealer(std::size_t count, std::span<const double> rates, double min_s);
  /// Empty: nothing is left.
  Share next(std::size_t worker);

 private:
  std::mutex mutex_;
  std::size_t next_ = 0, count_;
  std::vector<double> part_;      // of each worker in the sum of the rates
  std::vector<std::size_t> min_;  // that each takes
};

/// One matrix assembled by several GPUs, and by the cores of the CPU beside them. Each
/// row is gathered by one of them and stays where it was made: elements at the border of
/// two shares are done on both sides, and nothing is merged. Rows of two GPUs of a kind
/// are the same bits whoever made them; those of a CPU differ by rounding, so that with a
/// CPU only slabs of given rates give the same bits twice.
///
/// The mesh and its connectivity are copied to each GPU at the start, as everything is
/// that Ohshima et al. 2011 leave out of their times.
class SharedAssembly {
 public:
  /// Among workers: all cores but one for each GPU.
  static constexpr int cpu = -1;

  virtual ~SharedAssembly() = default;

  /// Rows a second of each worker, with all at work. To be asked for first.
  virtual std::vector<double> row_rates() = 0;
  /// Static: one slab of rows for each worker by the rates. Seconds.
  virtual double assemble_slabs(std::span<const double> rates) = 0;
  /// Dynamic: by a Dealer. Each worker keeps room for the whole matrix. Seconds.
  virtual double assemble_distributed(std::span<const double> rates) = 0;
  /// Returns the rows of each worker since the last call of either function.
  virtual std::vector<std::vector<Share>> rows() const = 0;
  /// Copies all rows together. value: [blocks][9].
  virtual void collect(std::span<double> value) = 0;

  /// Colours a second of each worker, with all at work.
  virtual std::vector<double> colour_rates(const Colouring& colouring) = 0;
  /// As in the paper: colours distributed by the rates, each worker with the whole
  /// matrix, which the CPU merges in `value`, [blocks][9].
  struct Merged {
    double assemble_s, merge_s;
  };
  virtual Merged assemble_copies(const Colouring& colouring,
                                 std::span<const double> rates,
                                 std::span<double> value) = 0;
};

/// workers: GPUs by their index, the same one more than once if need be, and
/// SharedAssembly::cpu. body and connectivity must outlive it. Throws Error{device},
/// Error{memory}.
std::unique_ptr<SharedAssembly> make_shared_assembly(const ElasticBody& body,
                                                     const Connectivity& connectivity,
                                                     std::vector<int> workers);

}  // namespace thinwire
