#include <cstddef>

#include "cg/direct/device_factors.h"
#include "cg/direct/ldlt_machine.cuh"
#include "cg/direct/team_ldlt.h"
#include "kernels/device/signal.cuh"
#include "kernels/matrix/tile_entries.cuh"

namespace thinwire {

using namespace ldlt;

namespace {

/// Columns first_j .. of Z, rows from first_i down, to `to`, column-major [order -
/// first_i]; beyond n the identity, of the first owner. Entries that another owner has
/// are zero. A block of threads writes a tile.
template <class Entries>
__global__ void expand_panel(Entries z, std::size_t n, std::size_t order,
                             bool first_owner, std::size_t first_i, std::size_t first_j,
                             float2* to) {
  constexpr unsigned tile = PackedTiles::tile;
  const std::size_t leading = order - first_i;
  const std::size_t i = first_i + std::size_t{blockIdx.x} * tile + threadIdx.x % tile;
  for (unsigned b = threadIdx.x / tile; b < tile; b += blockDim.x / tile) {
    const std::size_t column = std::size_t{blockIdx.y} * tile + b, j = first_j + column;
    const double2 identity = {first_owner && i == j ? 1.0 : 0.0, 0};
    store(to + column * leading + i - first_i, i < n && j < n ? z.at(i, j) : identity);
  }
}

/// TeamLdlt's team: panels travel on a stream of their own.
struct GpuTeam {
  DeviceExchange& others;
  const DeviceStream* work;
  const DeviceStream& aside;
  Signal &made_signal, &sent_signal;

  void made() const { made_signal.record(*work); }
  void send(std::size_t owner, float2* values, std::size_t count) const {
    made_signal.hold(aside);
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
        layout{.n = n,
               .owners = static_cast<std::size_t>(others.owners()),
               .owner = static_cast<std::size_t>(others.owner())},
        machine{cublas, stream,
                products == LdltProducts::tf32 ? CUBLAS_COMPUTE_32F_FAST_TF32
                                               : CUBLAS_COMPUTE_32F},
        a(layout.entries(), what),
        panels(4 * layout.work(), what),
        x(layout.order(), what),
        y(layout.order(), what),
        workspace(workspace_bytes, what) {}

  GpuTeam team(const DeviceStream& work) { return {others, &work, aside, made, sent}; }

  /// This owner's block columns of Z, from all owners, a panel at a time.
  void take(const DeviceTiles& z) {
    constexpr std::size_t tile = PackedTiles::tile;
    const std::size_t order = layout.order();
    for (std::size_t k = 0; k < order; k += layout.panel) {
      const std::size_t columns = std::min(layout.panel, order - k),
                        first_i = k / layout.width * layout.width, rows = order - first_i;
      float2* to = layout.holds(k) ? a.data() + layout.offset(first_i, k) : panels.data();
      const dim3 grid(static_cast<unsigned>(rows / tile),
                      static_cast<unsigned>(columns / tile));
      with_entries(z, [&](auto entries) {
        expand_panel<<<grid, pass_threads, 0, stream.get()>>>(
            entries, layout.n, order, layout.owner == 0, first_i, k, to);
      });
      check_launch("LDL^T, panel of the matrix");
      others.sum(reinterpret_cast<std::complex<float>*>(to), rows * columns, stream);
    }
    stream.synchronize();
  }

  static constexpr const char* what = "LDL^T factors, shared";
  DeviceExchange& others;
  LdltLayout layout;
  DeviceStream stream, aside;
  Signal made, sent;
  Cublas cublas{stream, use};
  Machine machine;
  DeviceBuffer<float2> a, panels;
  DeviceBuffer<float2> x, y;  // [order]
  DeviceBuffer<std::byte> workspace;
};

DeviceSharedLdlt::DeviceSharedLdlt(const DeviceTiles& z, DeviceExchange& others,
                                   LdltProducts products) {
  const std::size_t n = z.layout().n;
  require_device_memory(DeviceLdlt::bytes(n, others.owners()), Parts::what, n,
                        "Use more GPUs, --solver cocg or --precision mixed.");
  parts_ = std::make_unique<Parts>(n, others, products);
  Parts& p = *parts_;
  p.take(z);
  const GpuTeam team = p.team(p.stream);
  TeamLdlt<float2, Machine, GpuTeam>(p.layout, p.machine, team, p.a.data(),
                                     p.panels.data())
      .factor();
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
  const GpuTeam team = p.team(stream);
  apply_in_single(p.cublas, p.workspace, p.layout, r, z, p.x.data(), p.y.data(), stream,
                  [&](float2* x, float2* y) {
                    TeamLdlt<float2, Machine, GpuTeam>(p.layout, p.machine, team,
                                                       p.a.data(), p.panels.data())
                        .solve(x, y);
                  });
}

}  // namespace thinwire
