#include <algorithm>
#include <cstddef>
#include <vector>

#include "cg/direct/device_factors.h"
#include "cg/direct/ldlt_executor.cuh"
#include "cg/direct/multi_gpu_ldlt.h"
#include "kernels/device/signal.cuh"
#include "kernels/matrix/tile_entries.cuh"

namespace thinwire {

using namespace ldlt;

namespace {

/// Rows first_i .. and columns first_j .. of Z, to `to`, column-major; beyond n the
/// identity. What is not in this owner's tiles is zero. A block of threads writes a tile.
template <class Entries>
__global__ void expand_panel(Entries z, std::size_t n, std::size_t first_i,
                             std::size_t first_j, float2* to, std::size_t leading) {
  constexpr unsigned tile = PackedTiles::tile;
  const std::size_t row = std::size_t{blockIdx.x} * tile + threadIdx.x % tile,
                    i = first_i + row;
  for (unsigned b = threadIdx.x / tile; b < tile; b += blockDim.x / tile) {
    const std::size_t column = std::size_t{blockIdx.y} * tile + b, j = first_j + column;
    const double2 identity = {i == j ? 1.0 : 0.0, 0};
    store(to + column * leading + row, i < n && j < n ? z.at(i, j) : identity);
  }
}

/// MultiGpuLdlt's team: what is done aside has a stream of its own.
struct GpuPeers {
  DeviceExchange& others;
  const DeviceStream* work;
  const DeviceStream& aside;
  Signal &begin_signal, &sent_signal;

  void begin_aside() const {
    begin_signal.record(*work);
    begin_signal.hold(aside);
  }
  void send(std::size_t owner, float2* values, std::size_t count) const {
    others.broadcast(static_cast<int>(owner), values, count * sizeof(float2), aside);
    sent_signal.record(aside);
  }
  void wait_for_sent() const { sent_signal.hold(*work); }
  void hand_on(std::size_t owner, float2* values, std::size_t count) const {
    others.broadcast(static_cast<int>(owner), values, count * sizeof(float2), *work);
  }
};

}  // namespace

struct DeviceSharedLdlt::Parts {
  Parts(std::size_t n, DeviceExchange& others_in, LdltProducts products)
      : others(others_in),
        layout(LdltLayout::of_owner(n, others.owners(), others.owner())),
        max_work(products == LdltProducts::tf32 ? CUBLAS_COMPUTE_32F_FAST_TF32
                                                : CUBLAS_COMPUTE_32F),
        a(layout.entries(), what),
        panels(4 * layout.work(), what),
        x(layout.order(), what),
        y(layout.order(), what),
        workspace(workspace_bytes, what) {}

  GpuPeers peers(const DeviceStream& work) { return {others, &work, aside, begin, sent}; }

  /// This owner's block columns of Z, from all owners, a panel at a time: each has whole
  /// rows of tiles of it.
  void take(const DeviceTiles& z) {
    constexpr std::size_t tile = PackedTiles::tile;
    const std::size_t order = layout.order(), none = order;
    std::vector<std::size_t> first_row, last_row;
    for (int giver = 0; giver < others.owners(); ++giver) {
      const bool mine = giver == others.owner();
      first_row.push_back(others.least(mine ? z.share().first_row() * tile : none));
      last_row.push_back(others.least(mine ? z.share().last_row() * tile : none));
    }
    for (std::size_t k = 0; k < order; k += layout.panel) {
      const std::size_t columns = std::min(layout.panel, order - k),
                        top = k / layout.width * layout.width;
      const auto owner = static_cast<int>(layout.owner_of(k));
      for (int giver = 0; giver < others.owners(); ++giver) {
        const auto g = static_cast<std::size_t>(giver);
        const std::size_t first = std::max(top, first_row[g]);
        if (first < last_row[g])
          hand_over(z, giver, owner, first, last_row[g] - first, k, columns);
      }
    }
    stream.synchronize();
  }

  /// Rows first_i .. of columns first_j .., which `giver` has, to the place of `owner`.
  void hand_over(const DeviceTiles& z, int giver, int owner, std::size_t first_i,
                 std::size_t rows, std::size_t first_j, std::size_t columns) {
    const bool gives = giver == others.owner(), takes = owner == others.owner();
    const Block<float2> own = takes ? Block<float2>{a.data() +
                                                        layout.offset(first_i, first_j),
                                                    layout.leading(first_j)}
                                    : Block<float2>{},
                        travelling = {panels.data(), rows};
    if (gives) {
      const Block<float2> to = takes ? own : travelling;
      const dim3 grid(static_cast<unsigned>(rows / PackedTiles::tile),
                      static_cast<unsigned>(columns / PackedTiles::tile));
      with_entries(z, [&](auto entries) {
        expand_panel<<<grid, pass_threads, 0, stream.get()>>>(
            entries, layout.n, first_i, first_j, to.first, to.leading);
      });
      check_launch("LDL^T, panel of the matrix");
    }
    if (giver == owner) return;
    others.broadcast(giver, travelling.first, rows * columns * sizeof(float2), stream,
                     owner);
    if (takes) executor.copy(rows, columns, travelling, own);
  }

  MultiGpuLdlt<float2, Executor<float2>, GpuPeers> ldlt(const GpuPeers& with) {
    return {layout, executor, executor_aside, with, a.data(), panels.data()};
  }

  static constexpr const char* what = "LDL^T factors, shared";
  DeviceExchange& others;
  LdltLayout layout;
  cublasComputeType_t max_work;
  DeviceStream stream, aside{true};
  Signal begin, sent;
  Cublas cublas{stream, ldlt_use}, cublas_aside{aside, ldlt_use};
  Executor<float2> executor{cublas, stream, max_work},
      executor_aside{cublas_aside, aside, max_work};
  DeviceBuffer<float2> a, panels;
  DeviceBuffer<float2> x, y;  // [order]
  DeviceBuffer<std::byte> workspace;
};

DeviceSharedLdlt::DeviceSharedLdlt(const DeviceTiles& z, DeviceExchange& others,
                                   LdltProducts products) {
  if (products == LdltProducts::complex_double)
    throw Error(ErrorKind::numeric,
                "LDL^T, shared: GPUs share factors in complex single alone.");
  const std::size_t n = z.layout().n;
  require_device_memory(DeviceLdlt::bytes(n, others.owners()), Parts::what, n,
                        "Use more GPUs, --solver cocg or --precision mixed.");
  parts_ = std::make_unique<Parts>(n, others, products);
  Parts& p = *parts_;
  p.take(z);
  const GpuPeers peers = p.peers(p.stream);
  p.ldlt(peers).factor();
  p.stream.synchronize();
  p.aside.synchronize();
}

DeviceSharedLdlt::~DeviceSharedLdlt() = default;

std::size_t DeviceSharedLdlt::size() const {
  return parts_->layout.n;
}

std::size_t DeviceSharedLdlt::bytes() const {
  return DeviceLdlt::bytes(size(), parts_->others.owners());
}

void DeviceSharedLdlt::multiply(const Complex* r, Complex* z,
                                const DeviceStream& stream) const {
  Parts& p = *parts_;
  const GpuPeers peers = p.peers(stream);
  apply_factors(p.cublas, p.workspace, p.layout, r, z, p.x.data(), p.y.data(), stream,
                [&](float2* x, float2* y) { p.ldlt(peers).solve(x, y); });
}

}  // namespace thinwire
