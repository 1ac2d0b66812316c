#include "cg/rank_link.h"

#include <algorithm>
#include <array>
#include <complex>
#include <exception>
#include <functional>
#include <vector>

#include "cg/device_nccl.h"
#include "kernels/device/check.cuh"
#include "kernels/device/complex.cuh"
#include "kernels/device/pass.cuh"

namespace thinwire {
namespace {

using namespace device;
constexpr const char* rank_purpose = "exchange between ranks";

/// total[i]: the sum of parts[rank][i] over the ranks, in their order.
template <class Value>
__global__ void add_parts(const Value* parts, int ranks, std::size_t count,
                          Value* total) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= count) return;
  Value sum = parts[i];
  for (int rank = 1; rank < ranks; ++rank) {
    const Value part = parts[static_cast<std::size_t>(rank) * count + i];
    sum.x += part.x;
    sum.y += part.y;
  }
  total[i] = sum;
}

/// Common part of all ways in which ranks exchange. There are two windows, used
/// alternately.
class RankExchange : public DeviceExchange {
 public:
  RankExchange(const Comm& ranks, std::size_t window_bytes, std::string detour)
      : ranks_(ranks), window_bytes_(window_bytes), detour_(std::move(detour)) {}

  int owner() const override { return ranks_.rank(); }
  int owners() const override { return ranks_.ranks(); }
  std::size_t window_bytes() const override { return window_bytes_; }
  const std::string& detour() const override { return detour_; }

  std::size_t least(std::size_t value) override {
    // Sizes of memory and of matrices are whole numbers of a double.
    std::vector<double> values(static_cast<std::size_t>(ranks_.ranks()));
    const auto mine = static_cast<double>(value);
    ranks_.gather(std::span<const double>(&mine, 1), values);
    return static_cast<std::size_t>(std::ranges::min(values));
  }
  void start_anew() override {
    check_cuda(cudaDeviceSynchronize(), rank_purpose, "cudaDeviceSynchronize");
    (void)least(0);
    turn_ = 0;
  }

 protected:
  const Comm& ranks_;
  std::size_t window_bytes_;
  std::string detour_;
  unsigned turn_ = 0;
};

/// Windows in the memory of the hosts, which the ranks' Comm sums and sends.
class HostExchange final : public RankExchange {
 public:
  HostExchange(const Comm& ranks, std::size_t window_bytes, std::string detour)
      : RankExchange(ranks, window_bytes, std::move(detour)) {
    for (auto& window : windows_)
      window = std::make_unique<MappedBuffer<double>>(
          (window_bytes + sizeof(double) - 1) / sizeof(double), rank_purpose);
  }

  void* window() const override { return windows_[turn_]->data(); }
  void sum_windows(Complex* total, std::size_t count,
                   const DeviceStream& stream) override {
    stream.synchronize();
    ranks_.sum(std::span(windows_[turn_]->data(), 2 * count));
    take(total, count * sizeof(Complex), stream);
    turn_ ^= 1;
  }
  void sum_windows(std::complex<float>* total, std::size_t count,
                   const DeviceStream& stream) override {
    stream.synchronize();
    auto* const values = static_cast<float*>(window());
    std::vector<double> sums(values, values + 2 * count);
    ranks_.sum(sums);
    std::transform(sums.begin(), sums.end(), values,
                   [](double sum) { return static_cast<float>(sum); });
    take(total, count * sizeof(std::complex<float>), stream);
    turn_ ^= 1;
  }
  void broadcast_window(int root, int taker, void* to, std::size_t bytes,
                        const DeviceStream& stream) override {
    if (owner() == root)
      stream.synchronize();
    else
      taken_[turn_].wait();
    const std::size_t doubles = (bytes + sizeof(double) - 1) / sizeof(double);
    ranks_.broadcast(std::span(windows_[turn_]->data(), doubles), root);
    if (takes(root, taker)) take(to, bytes, stream);
    turn_ ^= 1;
  }

 private:
  void take(void* to, std::size_t bytes, const DeviceStream& stream) {
    copy_bytes(to, window(), bytes, stream);
    taken_[turn_].record(stream);
  }

  std::array<std::unique_ptr<MappedBuffer<double>>, 2> windows_;
  std::array<DeviceEvent, 2> taken_;  ///< when the host may write there again
};

/// Windows on the GPUs. Each rank gets its part of what all give, sums that and sends it
/// to all: twice the vector's length leaves every GPU, however many there are.
class NcclExchange final : public RankExchange {
 public:
  NcclExchange(const Comm& ranks, const NcclGroup& nccl, std::size_t window_bytes)
      : RankExchange(ranks, window_bytes, {}),
        nccl_(nccl),
        parts_(window_bytes + sizeof(Complex) * static_cast<std::size_t>(ranks.ranks()),
               rank_purpose) {
    for (auto& window : windows_) window = {window_bytes, rank_purpose};
  }

  void* window() const override { return windows_[turn_].data(); }

  void sum_windows(Complex* total, std::size_t count,
                   const DeviceStream& stream) override {
    add(parts(total), count, stream);
  }
  void sum_windows(std::complex<float>* total, std::size_t count,
                   const DeviceStream& stream) override {
    add(reinterpret_cast<float2*>(total), count, stream);
  }
  void broadcast_window(int root, int taker, void* to, std::size_t bytes,
                        const DeviceStream& stream) override {
    if (taker == all)
      // In the root's window itself, where it stays.
      nccl_.broadcast(window(), owner() == root ? window() : to, bytes, root, stream);
    else if (owner() == root && taker != root)
      nccl_.send(window(), bytes, taker, stream);
    else if (takes(root, taker))
      nccl_.receive(to, bytes, root, stream);
    turn_ ^= 1;
  }

 private:
  /// A rank's part of a vector of `count` values.
  struct Part {
    std::size_t first, count;
  };
  Part part(std::size_t count, int rank) const {
    const auto bound = [&](int r) {
      return count * static_cast<std::size_t>(r) / static_cast<std::size_t>(owners());
    };
    return {bound(rank), bound(rank + 1) - bound(rank)};
  }

  template <class Value>
  void add(Value* total, std::size_t count, const DeviceStream& stream) {
    const auto* const given = static_cast<const Value*>(window());
    auto* const theirs = reinterpret_cast<Value*>(parts_.data());
    const Part mine = part(count, owner());
    nccl_.begin();
    for (int rank = 0; rank < owners(); ++rank) {
      const Part to = part(count, rank);
      send(given + to.first, to.count, rank, stream);
      receive(theirs + static_cast<std::size_t>(rank) * mine.count, mine.count, rank,
              stream);
    }
    nccl_.end();
    if (mine.count > 0) {
      add_parts<<<pass_blocks(mine.count), pass_threads, 0, stream.get()>>>(
          theirs, owners(), mine.count, total + mine.first);
      check_launch("exchange between ranks, sum");
    }
    nccl_.begin();
    for (int rank = 0; rank < owners(); ++rank) {
      if (rank == owner()) continue;
      const Part from = part(count, rank);
      send(total + mine.first, mine.count, rank, stream);
      receive(total + from.first, from.count, rank, stream);
    }
    nccl_.end();
    turn_ ^= 1;
  }
  // Both sides know of a part without values, and leave it out.
  template <class Value>
  void send(const Value* from, std::size_t count, int to,
            const DeviceStream& stream) const {
    if (count > 0) nccl_.send(from, count * sizeof(Value), to, stream);
  }
  template <class Value>
  void receive(Value* to, std::size_t count, int from, const DeviceStream& stream) const {
    if (count > 0) nccl_.receive(to, count * sizeof(Value), from, stream);
  }

  const NcclGroup& nccl_;
  std::array<DeviceBuffer<std::byte>, 2> windows_;
  DeviceBuffer<std::byte> parts_;  ///< [ranks][this rank's part]
};

/// Whether two ranks use one GPU. Together.
bool some_share_a_gpu(const Comm& ranks) {
  std::vector<double> all(static_cast<std::size_t>(ranks.ranks()));
  // In the digits of a double.
  const auto mine =
      static_cast<double>(std::hash<std::string>()(current_device().uuid) >> 12);
  ranks.gather(std::span<const double>(&mine, 1), all);
  std::ranges::sort(all);
  return std::ranges::adjacent_find(all) != all.end();
}

}  // namespace

RankLink::RankLink(const Comm& ranks, bool through_host) : ranks_(ranks) {
  double without = through_host || !NcclGroup::problem().empty() ? 1 : 0;
  ranks.sum(without);
  double unwilling = NcclGroup::ranks_may_share_a_gpu() ? 0 : 1;
  ranks.sum(unwilling);
  if (some_share_a_gpu(ranks) && unwilling > 0)
    detour_ = "two ranks have one GPU";
  else if (without > 0)
    detour_ =
        NcclGroup::problem().empty() ? "not all ranks have NCCL" : NcclGroup::problem();
  if (!detour_.empty()) return;
  NcclGroup::Id id = {};
  if (ranks.rank() == 0) id = NcclGroup::make_id();
  ranks.broadcast(id, 0);
  nccl_ = std::make_unique<NcclGroup>(id, ranks.rank(), ranks.ranks());
}

// Data that this rank has sent may still be on its way: no rank leaves before all have
// received. A rank that fails does not wait; whoever started the ranks ends the others.
RankLink::~RankLink() {
  if (!nccl_ || std::uncaught_exceptions() > 0) return;
  (void)cudaDeviceSynchronize();
  try {
    double all = 0;
    ranks_.sum(all);
  } catch (...) {
    // Another has failed.
  }
}

std::unique_ptr<DeviceExchange> RankLink::join(std::size_t window_bytes) const {
  if (nccl_) return std::make_unique<NcclExchange>(ranks_, *nccl_, window_bytes);
  return std::make_unique<HostExchange>(ranks_, window_bytes, detour_);
}

}  // namespace thinwire
