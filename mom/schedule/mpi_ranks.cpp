#include "mom/schedule/mpi_ranks.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <vector>

namespace thinwire {
namespace {

/// Vectors up to this length go whole to every rank: one step instead of two.
constexpr std::size_t short_sum = 512;
/// A message is its length, and the bytes; an announced end is empty; what is gathered to
/// one rank has its length told before.
constexpr int length_tag = 1, bytes_tag = 2, end_tag = 3, part_tag = 4;

/// Calls use(first, count) for pieces of [0, size) that are at most `most` long.
template <class Use>
void in_pieces(std::size_t size, std::size_t most, const Use& use) {
  for (std::size_t first = 0; first < size; first += most)
    use(first, static_cast<int>(std::min(most, size - first)));
}

/// Part of n numbers that each of the ranks takes, as MPI wants them.
struct Parts {
  Parts(std::size_t n, int ranks) : counts(ranks), firsts(ranks) {
    for (int r = 0; r < ranks; ++r) {
      firsts[r] = static_cast<int>(n * r / ranks);
      counts[r] = static_cast<int>(n * (r + 1) / ranks) - firsts[r];
    }
  }
  std::vector<int> counts, firsts;
};

/// Sums rows of `all`, [rows][sum.size()], in their order.
void sum_rows(std::span<const double> all, std::span<double> sum) {
  std::fill(sum.begin(), sum.end(), 0.0);
  for (std::size_t first = 0; first < all.size(); first += sum.size())
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += all[first + i];
}

}  // namespace

MpiRanks::MpiRanks(MPI_Comm comm, std::size_t most) : comm_(comm), max_(most) {
  MPI_Comm_rank(comm_, &rank_);
  MPI_Comm_size(comm_, &ranks_);
  MPI_Comm beside;
  MPI_Comm_split_type(comm_, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &beside);
  host_ = rank_;
  MPI_Bcast(&host_, 1, MPI_INT, 0, beside);
  MPI_Comm_free(&beside);
}

// MPI's own sums may come out in another order on every rank and with every placement of
// the ranks. Here each number is summed over ranks in their order.
void MpiRanks::sum(std::span<double> values) const {
  if (ranks_ == 1) return;
  if (values.size() <= short_sum && values.size() * ranks_ <= max_)
    return sum_short(values);
  in_pieces(values.size(), max_, [&](std::size_t first, int count) {
    sum_by_parts(values.subspan(first, count));
  });
}

void MpiRanks::sum_short(std::span<double> values) const {
  const auto count = static_cast<int>(values.size());
  std::vector<double> all(values.size() * ranks_);
  MPI_Allgather(values.data(), count, MPI_DOUBLE, all.data(), count, MPI_DOUBLE, comm_);
  if (count > 0) sum_rows(all, values);
}

/// Each rank sums its part of the numbers, and sends it to all: twice the vector's length
/// goes out of every rank, however many there are.
void MpiRanks::sum_by_parts(std::span<double> values) const {
  const Parts parts(values.size(), ranks_);
  const int mine = parts.counts[rank_];
  std::vector<double> all(static_cast<std::size_t>(mine) * ranks_), sum(mine);
  std::vector<int> counts(ranks_, mine), firsts(ranks_);
  for (int r = 0; r < ranks_; ++r) firsts[r] = r * mine;
  MPI_Alltoallv(values.data(), parts.counts.data(), parts.firsts.data(), MPI_DOUBLE,
                all.data(), counts.data(), firsts.data(), MPI_DOUBLE, comm_);
  if (mine > 0) sum_rows(all, sum);
  MPI_Allgatherv(sum.data(), mine, MPI_DOUBLE, values.data(), parts.counts.data(),
                 parts.firsts.data(), MPI_DOUBLE, comm_);
}

void MpiRanks::gather(std::span<const double> part, std::span<double> whole) const {
  const std::uint64_t mine = part.size();
  std::vector<std::uint64_t> sizes(ranks_);
  MPI_Allgather(&mine, 1, MPI_UINT64_T, sizes.data(), 1, MPI_UINT64_T, comm_);
  if (whole.size() <= max_) {
    const std::vector<int> counts(sizes.begin(), sizes.end());
    std::vector<int> firsts(ranks_);
    std::exclusive_scan(counts.begin(), counts.end(), firsts.begin(), 0);
    MPI_Allgatherv(part.data(), static_cast<int>(part.size()), MPI_DOUBLE, whole.data(),
                   counts.data(), firsts.data(), MPI_DOUBLE, comm_);
    return;
  }
  std::size_t first = 0;
  for (int r = 0; r < ranks_; ++r) {
    const std::span<double> there = whole.subspan(first, sizes[r]);
    if (r == rank_) std::copy(part.begin(), part.end(), there.begin());
    broadcast(there, r);
    first += sizes[r];
  }
}

void MpiRanks::gather(std::span<const double> part, std::span<double> whole,
                      int root) const {
  const std::uint64_t mine = part.size();
  std::vector<std::uint64_t> sizes(ranks_);
  MPI_Gather(&mine, 1, MPI_UINT64_T, sizes.data(), 1, MPI_UINT64_T, root, comm_);
  if (rank_ != root)
    return in_pieces(mine, max_, [&](std::size_t first, int count) {
      MPI_Send(part.data() + first, count, MPI_DOUBLE, root, part_tag, comm_);
    });
  std::size_t place = 0;
  for (int r = 0; r < ranks_; ++r) {
    const std::span<double> there = whole.subspan(place, sizes[r]);
    if (r == rank_) std::copy(part.begin(), part.end(), there.begin());
    in_pieces(r == rank_ ? 0 : sizes[r], max_, [&](std::size_t first, int count) {
      MPI_Recv(there.data() + first, count, MPI_DOUBLE, r, part_tag, comm_,
               MPI_STATUS_IGNORE);
    });
    place += sizes[r];
  }
}

void MpiRanks::broadcast(std::span<double> values, int root) const {
  in_pieces(values.size(), max_, [&](std::size_t first, int count) {
    MPI_Bcast(values.data() + first, count, MPI_DOUBLE, root, comm_);
  });
}

void MpiRanks::broadcast(std::string& bytes, int root) const {
  std::uint64_t length = bytes.size();
  MPI_Bcast(&length, 1, MPI_UINT64_T, root, comm_);
  bytes.resize(length);
  in_pieces(length, max_, [&](std::size_t first, int count) {
    MPI_Bcast(bytes.data() + first, count, MPI_CHAR, root, comm_);
  });
}

void MpiRanks::send(std::string_view bytes, int to) const {
  const std::uint64_t length = bytes.size();
  MPI_Send(&length, 1, MPI_UINT64_T, to, length_tag, comm_);
  in_pieces(length, max_, [&](std::size_t first, int count) {
    MPI_Send(bytes.data() + first, count, MPI_CHAR, to, bytes_tag, comm_);
  });
}

std::string MpiRanks::receive(int from) const {
  std::uint64_t length = 0;
  MPI_Recv(&length, 1, MPI_UINT64_T, from, length_tag, comm_, MPI_STATUS_IGNORE);
  std::string bytes(length, '\0');
  in_pieces(length, max_, [&](std::size_t first, int count) {
    MPI_Recv(bytes.data() + first, count, MPI_CHAR, from, bytes_tag, comm_,
             MPI_STATUS_IGNORE);
  });
  return bytes;
}

std::optional<int> MpiRanks::sender() const {
  int waits = 0;
  MPI_Status status;
  MPI_Iprobe(MPI_ANY_SOURCE, length_tag, comm_, &waits, &status);
  return waits != 0 ? std::optional<int>(status.MPI_SOURCE) : std::nullopt;
}

std::unique_ptr<Ranks> MpiRanks::group(int number) const {
  MPI_Comm some;
  MPI_Comm_split(comm_, number, rank_, &some);
  return std::make_unique<MpiRanks>(some, max_);
}

void MpiRanks::announce_end() const {
  for (int to = 0; to < ranks_; ++to) {
    if (to == rank_) continue;
    // Nobody need receive it.
    MPI_Request request;
    MPI_Isend(nullptr, 0, MPI_CHAR, to, end_tag, comm_, &request);
    MPI_Request_free(&request);
  }
}

bool MpiRanks::end_announced() const {
  int waits = 0;
  MPI_Iprobe(MPI_ANY_SOURCE, end_tag, comm_, &waits, MPI_STATUS_IGNORE);
  return waits != 0;
}

void MpiRanks::end_all(int code) const {
  std::fflush(nullptr);
  MPI_Abort(MPI_COMM_WORLD, code);
  std::_Exit(code);
}

}  // namespace thinwire
