#pragma once

// The C++ bindings that some MPI libraries still bring would need a library of their own.
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#include "mom/schedule/ranks.h"

namespace thinwire {

/// Ranks as MPI gives them. An error within MPI ends all of them with its own words.
class MpiRanks : public Ranks {
 public:
  using Comm::broadcast;
  using Comm::gather;
  using Comm::sum;
  /// Limit of one MPI call, whose counts are ints.
  static constexpr std::size_t max_at_once = std::size_t{1} << 30;

  /// most: numbers or bytes to hand to one call of MPI, those of all ranks together; at
  /// least 1.
  explicit MpiRanks(MPI_Comm comm, std::size_t most = max_at_once);

  int rank() const override { return rank_; }
  int ranks() const override { return ranks_; }
  int host() const override { return host_; }
  void sum(std::span<double> values) const override;
  void gather(std::span<const double> part, std::span<double> whole) const override;
  void gather(std::span<const double> part, std::span<double> whole,
              int root) const override;
  void broadcast(std::span<double> values, int root) const override;
  void broadcast(std::string& bytes, int root) const override;
  void send(std::string_view bytes, int to) const override;
  std::string receive(int from) const override;
  std::optional<int> sender() const override;
  std::unique_ptr<Ranks> group(int number) const override;
  void announce_end() const override;
  bool end_announced() const override;
  [[noreturn]] void end_all(int code) const override;

 private:
  void sum_short(std::span<double> values) const;
  void sum_by_parts(std::span<double> values) const;

  MPI_Comm comm_;
  std::size_t max_;
  int rank_ = 0, ranks_ = 1, host_ = 0;
};

}  // namespace thinwire
