#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

#include "cg/direct/device_factors.h"
#include "cg/direct/ldlt_executor.cuh"
#include "kernels/device/signal.cuh"
#include "kernels/matrix/tile_entries.cuh"

namespace thinwire {

using namespace ldlt;

namespace {

constexpr const char* factors_purpose = "LDL^T factors";

/// Rows first_i .. and columns first_j .. of Z, to `to`, column-major; beyond n the
/// identity. What is not in this owner's tiles is zero. A block of threads writes a tile.
template <class Entries, class Entry>
__global__ void expand_panel(Entries z, std::size_t n, std::size_t first_i,
                             std::size_t first_j, Entry* to, std::size_t leading) {
  constexpr unsigned tile = PackedTiles::tile;
  const std::size_t row = std::size_t{blockIdx.x} * tile + threadIdx.x % tile,
                    i = first_i + row;
  for (unsigned b = threadIdx.x / tile; b < tile; b += blockDim.x / tile) {
    const std::size_t column = std::size_t{blockIdx.y} * tile + b, j = first_j + column;
    const double2 identity = {i == j ? 1.0 : 0.0, 0};
    store(to + column * leading + row, i < n && j < n ? z.at(i, j) : identity);
  }
}

/// The work of GPUs that share the factors beside their updates.
template <class Entry>
struct Aside {
  DeviceStream stream{true};
  Signal begin, sent;
  Cublas cublas{stream, ldlt_use};
  Executor<Entry> executor;

  explicit Aside(cublasComputeType_t max_work) : executor{cublas, stream, max_work} {}
};

/// The owners of BlockLdlt; one GPU alone calls none of this.
template <class Entry>
struct GpuOwners {
  static constexpr bool looks_ahead = true;
  DeviceExchange* others;
  const DeviceStream* work;
  Aside<Entry>* aside;

  void begin_aside() const {
    aside->begin.record(*work);
    aside->begin.hold(aside->stream);
  }
  void wait_for_sent() const { aside->sent.hold(*work); }
  void made(std::size_t) const {}  // what is singular shows in the residual
  void send(std::size_t owner, Entry* values, std::size_t count) const {
    broadcast(owner, values, count, aside->stream);
    aside->sent.record(aside->stream);
  }
  void hand_down(std::size_t owner, Block<Entry> x, std::size_t, std::size_t rows,
                 std::size_t) const {
    broadcast(owner, x.first, rows, *work);
  }
  void hand_up(std::size_t owner, Block<Entry> y, std::size_t rows, std::size_t) const {
    broadcast(owner, y.first, rows, *work);
  }

 private:
  void broadcast(std::size_t owner, Entry* values, std::size_t count,
                 const DeviceStream& stream) const {
    others->broadcast(static_cast<int>(owner), values, count * sizeof(Entry), stream);
  }
};

/// The factors as they are stored, float2 or double2, or a GPU's share of them.
template <class Entry>
class FactorsOf final : public DevicePreconditioner {
 public:
  FactorsOf(const DeviceTiles& z, DeviceExchange* others, cublasComputeType_t max_work)
      : others_(others),
        layout_(LdltLayout::of_owner(z.layout().n, others ? others->owners() : 1,
                                     others ? others->owner() : 0)),
        executor_{cublas_, stream_, max_work} {
    if (layout_.owners > 1) {
      aside_ = std::make_unique<Aside<Entry>>(max_work);
      take(z);
    } else {
      // Products run over whole diagonal blocks; what they make of the upper triangle is
      // not used, but is to be made of numbers.
      a_.clear(stream_);
      expand(z, a_.data(), layout_, false, stream_);
    }
    with_ldlt(stream_, [](const auto& ldlt) { ldlt.factor(); });
    stream_.synchronize();
    if (aside_) aside_->stream.synchronize();
  }

  std::size_t size() const override { return layout_.n; }
  std::size_t bytes() const override {
    return a_.bytes() + panels_.bytes() + x_.bytes() + y_.bytes();
  }
  void multiply(const Complex* r, Complex* z, const DeviceStream& stream) const override {
    apply_factors(cublas_, workspace_, layout_, r, z, x_.data(), y_.data(), stream,
                  [&](Entry* x, Entry* y) {
                    with_ldlt(stream, [&](const auto& ldlt) { ldlt.solve(x, y); });
                  });
  }

 private:
  template <class Use>
  void with_ldlt(const DeviceStream& work, const Use& use) const {
    const GpuOwners<Entry> owners{others_, &work, aside_.get()};
    use(BlockLdlt<Entry, Executor<Entry>, GpuOwners<Entry>>(
        layout_, executor_, aside_ ? aside_->executor : executor_, owners, a_.data(),
        panels_.data()));
  }

  /// This owner's block columns of Z, from all owners, a panel at a time: each has whole
  /// rows of tiles of it.
  void take(const DeviceTiles& z) {
    constexpr std::size_t tile = PackedTiles::tile;
    const std::size_t order = layout_.order(), none = order;
    std::vector<std::size_t> first_row, last_row;
    for (int giver = 0; giver < others_->owners(); ++giver) {
      const bool mine = giver == others_->owner();
      first_row.push_back(others_->least(mine ? z.share().first_row() * tile : none));
      last_row.push_back(others_->least(mine ? z.share().last_row() * tile : none));
    }
    for (std::size_t k = 0; k < order; k += layout_.panel) {
      const std::size_t columns = std::min(layout_.panel, order - k),
                        top = k / layout_.width * layout_.width;
      const auto owner = static_cast<int>(layout_.owner_of(k));
      for (int giver = 0; giver < others_->owners(); ++giver) {
        const auto g = static_cast<std::size_t>(giver);
        const std::size_t first = std::max(top, first_row[g]);
        if (first < last_row[g])
          hand_over(z, giver, owner, first, last_row[g] - first, k, columns);
      }
    }
    stream_.synchronize();
  }

  /// Rows first_i .. of columns first_j .., which `giver` has, to the place of `owner`.
  void hand_over(const DeviceTiles& z, int giver, int owner, std::size_t first_i,
                 std::size_t rows, std::size_t first_j, std::size_t columns) {
    const bool gives = giver == others_->owner(), takes = owner == others_->owner();
    const Block<Entry> own = takes ? Block<Entry>{a_.data() +
                                                      layout_.offset(first_i, first_j),
                                                  layout_.leading(first_j)}
                                   : Block<Entry>{},
                       travelling = {panels_.data(), rows};
    if (gives) {
      const Block<Entry> to = takes ? own : travelling;
      const dim3 grid(static_cast<unsigned>(rows / PackedTiles::tile),
                      static_cast<unsigned>(columns / PackedTiles::tile));
      with_entries(z, [&](auto entries) {
        expand_panel<<<grid, pass_threads, 0, stream_.get()>>>(
            entries, layout_.n, first_i, first_j, to.first, to.leading);
      });
      check_launch("LDL^T, panel of the matrix");
    }
    if (giver == owner) return;
    others_->broadcast(giver, travelling.first, rows * columns * sizeof(Entry), stream_,
                       owner);
    if (takes) executor_.copy(rows, columns, travelling, own);
  }

  DeviceExchange* others_;
  LdltLayout layout_;
  DeviceStream stream_;
  std::unique_ptr<Aside<Entry>> aside_;
  Cublas cublas_{stream_, ldlt_use};
  Executor<Entry> executor_;
  DeviceBuffer<Entry> a_{layout_.entries(), factors_purpose},
      panels_{layout_.panels(GpuOwners<Entry>::looks_ahead) * layout_.work(),
              factors_purpose};
  DeviceBuffer<Entry> x_{layout_.order(), factors_purpose},  // [order]
      y_{layout_.order(), factors_purpose};
  DeviceBuffer<std::byte> workspace_{workspace_bytes, factors_purpose};
};

}  // namespace

DeviceLdlt::DeviceLdlt(const DeviceTiles& z, LdltProducts products,
                       DeviceExchange* others) {
  const std::size_t n = z.layout().n;
  const int owners = others ? others->owners() : 1;
  require_device_memory(bytes(n, products, owners), factors_purpose, n,
                        owners > 1 ? "Use more GPUs, --solver cocg or --precision mixed."
                                   : "Use --solver cocg or --precision mixed.");
  if (products == LdltProducts::complex_double)
    factors_ = std::make_unique<FactorsOf<double2>>(z, others, CUBLAS_COMPUTE_64F);
  else
    factors_ = std::make_unique<FactorsOf<float2>>(z, others,
                                                   products == LdltProducts::tf32
                                                       ? CUBLAS_COMPUTE_32F_FAST_TF32
                                                       : CUBLAS_COMPUTE_32F);
}

DeviceLdlt::~DeviceLdlt() = default;

std::size_t DeviceLdlt::size() const {
  return factors_->size();
}

std::size_t DeviceLdlt::bytes() const {
  return factors_->bytes();
}

void DeviceLdlt::multiply(const Complex* r, Complex* z,
                          const DeviceStream& stream) const {
  factors_->multiply(r, z, stream);
}

}  // namespace thinwire
