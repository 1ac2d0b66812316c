#include "kernels/device/multi_gpu.h"

#include <cuda/atomic>

#include <array>
#include <atomic>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "kernels/base/error.h"
#include "kernels/base/thread_meeting.h"
#include "kernels/device/check.cuh"
#include "kernels/device/complex.cuh"
#include "kernels/device/pass.cuh"
#include "kernels/device/signal.cuh"

namespace thinwire {
namespace {

using namespace device;
constexpr const char* gpu_purpose = "exchange between GPUs";
constexpr std::size_t arrived_bytes = sizeof(unsigned) * MultiGpu::max_owners;

struct Windows {
  const void* of[MultiGpu::max_owners];
  int owners;
};

__device__ double2 add(double2 a, double2 b) {
  return {a.x + b.x, a.y + b.y};
}
__device__ float2 add(float2 a, float2 b) {
  return {a.x + b.x, a.y + b.y};
}

template <class Value>
__global__ void add_windows(const __grid_constant__ Windows windows, std::size_t count,
                            Value* total) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= count) return;
  Value sum = static_cast<const Value*>(windows.of[0])[i];
  for (int owner = 1; owner < windows.owners; ++owner)
    sum = add(sum, static_cast<const Value*>(windows.of[owner])[i]);
  total[i] = sum;
}

/// Where GPUs wait until all are there.
struct GpuMeeting {
  /// Arrivals at each owner, [owners]: how often each owner has come, itself included.
  unsigned* arrived[MultiGpu::max_owners];
  int owner, owners;
  const volatile int* let_go;  ///< do not wait: an owner has failed
};

/// A thread for each owner. Everything that this stream was given before is seen by what
/// the others' are given afterwards.
__global__ void meet_others(const __grid_constant__ GpuMeeting all) {
  using Count = cuda::atomic_ref<unsigned, cuda::thread_scope_system>;
  constexpr unsigned rounds_between_looks = 1024;  // at the host's memory
  unsigned* const here = all.arrived[all.owner];
  const auto other = static_cast<int>(threadIdx.x);
  const unsigned turn = here[all.owner] + 1;
  __syncthreads();
  if (other == all.owner) {
    here[other] = turn;
    return;
  }
  Count(all.arrived[other][all.owner]).store(turn, cuda::memory_order_release);
  const Count arrived(here[other]);
  // Counts may wrap around.
  const auto behind = [&] {
    return static_cast<int>(arrived.load(cuda::memory_order_acquire) - turn) < 0;
  };
  for (unsigned round = 1; behind(); ++round)
    if (round % rounds_between_looks == 0 && *all.let_go != 0) return;
}

/// Throws Error{device} where an owner has failed.
void wait(ThreadMeeting& meeting, const std::atomic<bool>& failed) {
  if (!meeting.wait(failed))
    throw Error(ErrorKind::device, std::string(gpu_purpose) +
                                       ": another GPU of the same solve has failed. "
                                       "See its own message.");
}

/// A window's memory: on the owner's GPU, or pinned on the host.
struct Window {
  Window() = default;
  Window(bool through_host, std::size_t bytes) {
    if (through_host)
      on_host = std::make_unique<MappedBuffer<std::byte>>(bytes, gpu_purpose);
    else
      on_device = {bytes, gpu_purpose};
  }
  DeviceBuffer<std::byte> on_device;
  std::unique_ptr<MappedBuffer<std::byte>> on_host;
  void* data() const {
    return on_host ? static_cast<void*>(on_host->data()) : on_device.data();
  }
};

}  // namespace

bool peers_reach_each_other(std::span<const int> devices) {
  for (const int from : devices)
    for (const int to : devices) {
      int can = 1;
      if (from != to)
        check_cuda(cudaDeviceCanAccessPeer(&can, from, to), gpu_purpose,
                   "cudaDeviceCanAccessPeer");
      if (can == 0) return false;
    }
  return true;
}

void prepare_exchange(std::span<const int> devices) {
  // Several threads may have one GPU: each waits until it reaches the others.
  static std::mutex mutex;
  static std::map<std::pair<int, int>, std::once_flag> prepared;
  const bool peers = peers_reach_each_other(devices);
  int own = 0;
  check_cuda(cudaGetDevice(&own), gpu_purpose, "cudaGetDevice");
  for (const int device : devices) {
    if (device != own && !peers) continue;
    std::unique_lock lock(mutex);
    std::once_flag& once = prepared[{own, device}];
    lock.unlock();
    std::call_once(once, [&] {
      if (device == own) {
        const MappedBuffer<int> first(1, gpu_purpose);  // later ones take microseconds
      } else {
        const cudaError_t status = cudaDeviceEnablePeerAccess(device, 0);
        if (status == cudaErrorPeerAccessAlreadyEnabled)
          (void)cudaGetLastError();  // NCCL has enabled it
        else
          check_cuda(status, gpu_purpose, "cudaDeviceEnablePeerAccess");
      }
    });
  }
}

struct MultiGpu::State {
  State(std::span<const int> devices_in, std::string detour_in)
      : devices(devices_in.begin(), devices_in.end()),
        detour(std::move(detour_in)),
        meeting(static_cast<int>(devices.size())),
        members(devices.size()) {}

  /// Two sets of buffers, used alternately: a window is written again only after a call
  /// in which its owner's stream waited until all others had come to it, and so had read
  /// it.
  struct Member {
    std::array<Window, 2> window;
    Window arrived;  ///< of GpuMeeting
    std::unique_ptr<MappedBuffer<int>> let_go;
    std::array<std::unique_ptr<Signal>, 2> written;
    std::array<std::size_t, 2> count = {};
    std::size_t value = 0;  ///< of least()
  };
  bool through_host() const { return !detour.empty(); }

  std::vector<int> devices;
  std::string detour;  ///< why windows are in the host's memory
  ThreadMeeting meeting;
  std::vector<Member> members;
};

class MultiGpuExchange final : public DeviceExchange {
 public:
  MultiGpuExchange(MultiGpu::State& peers, int owner, std::size_t window_bytes,
                   const std::atomic<bool>& failed)
      : peers_(peers), owner_(owner), window_bytes_(window_bytes), failed_(failed) {}

  int owner() const override { return owner_; }
  int owners() const override { return static_cast<int>(peers_.members.size()); }
  std::size_t window_bytes() const override { return window_bytes_; }
  void* window() const override { return mine().window[turn_].data(); }

  void sum_windows(Complex* total, std::size_t count,
                   const DeviceStream& stream) override {
    add(parts(total), count, stream);
  }
  void sum_windows(std::complex<float>* total, std::size_t count,
                   const DeviceStream& stream) override {
    add(reinterpret_cast<float2*>(total), count, stream);
  }

  const std::string& detour() const override { return peers_.detour; }
  void broadcast_window(int root, int taker, void* to, std::size_t bytes,
                        const DeviceStream& stream) override {
    meet(bytes, stream);
    if (takes(root, taker))
      copy_bytes(to, peers_.members[static_cast<std::size_t>(root)].window[turn_].data(),
                 bytes, stream);
    turn_ ^= 1;
  }

  std::size_t least(std::size_t value) override {
    mine().value = value;
    wait(peers_.meeting, failed_);
    for (const auto& member : peers_.members) value = std::min(value, member.value);
    wait(peers_.meeting, failed_);  // until all have read
    return value;
  }
  void start_anew() override {
    check_cuda(cudaDeviceSynchronize(), gpu_purpose, "cudaDeviceSynchronize");
    (void)least(0);  // nobody's GPU reads a window any more
    turn_ = 0;
    *mine().let_go->data() = 0;
    const DeviceStream stream;
    set_bytes(mine().arrived.data(), 0, arrived_bytes, stream);
    stream.synchronize();
    (void)least(0);
  }

  bool fits_graph() const override { return true; }
  bool others_failed() const override { return failed_.load(); }
  void let_others_go() override {
    for (const auto& member : peers_.members)
      *static_cast<volatile int*>(member.let_go->data()) = 1;
  }

 private:
  MultiGpu::State::Member& mine() const {
    return peers_.members[static_cast<std::size_t>(owner_)];
  }

  /// Waits for the others' calls, and lets the stream wait for what their streams had
  /// been given before.
  void meet(std::size_t count, const DeviceStream& stream) {
    if (stream.captured()) return meet_on_gpus(stream);
    mine().count[turn_] = count;
    mine().written[turn_]->record(stream);
    wait(peers_.meeting, failed_);
    for (auto& member : peers_.members) {
      if (member.count[turn_] != count)
        throw Error(ErrorKind::device,
                    std::string(gpu_purpose) + ": GPUs are out of step (" +
                        std::to_string(count) + " and " +
                        std::to_string(member.count[turn_]) +
                        " values in one call). This is a mistake in thinwire: report "
                        "it, and use one GPU.");
      if (&member != &mine()) member.written[turn_]->hold(stream);
    }
  }

  void meet_on_gpus(const DeviceStream& stream) {
    GpuMeeting all = {{}, owner_, owners(), mine().let_go->data()};
    for (int owner = 0; owner < owners(); ++owner)
      all.arrived[owner] = static_cast<unsigned*>(
          peers_.members[static_cast<std::size_t>(owner)].arrived.data());
    meet_others<<<1, static_cast<unsigned>(owners()), 0, stream.get()>>>(all);
    check_launch("exchange between GPUs, meeting");
  }

  template <class Value>
  void add(Value* total, std::size_t count, const DeviceStream& stream) {
    meet(count, stream);
    Windows windows = {{}, owners()};
    for (int owner = 0; owner < owners(); ++owner)
      windows.of[owner] =
          peers_.members[static_cast<std::size_t>(owner)].window[turn_].data();
    add_windows<<<pass_blocks(count), pass_threads, 0, stream.get()>>>(windows, count,
                                                                       total);
    check_launch("exchange between GPUs, sum");
    turn_ ^= 1;
  }

  MultiGpu::State& peers_;
  int owner_;
  std::size_t window_bytes_;
  const std::atomic<bool>& failed_;
  unsigned turn_ = 0;
};

MultiGpu::MultiGpu(std::span<const int> devices, bool through_host) {
  if (devices.empty() || devices.size() > max_owners)
    throw Error(ErrorKind::usage, "GPUs that share a solve must be 1 .. " +
                                      std::to_string(max_owners) + " (got " +
                                      std::to_string(devices.size()) + ").");
  const char* const detour = through_host ? "as asked"
                             : peers_reach_each_other(devices)
                                 ? ""
                                 : "not all of them reach each other's";
  state_ = std::make_unique<State>(devices, detour);
}
MultiGpu::~MultiGpu() = default;

std::unique_ptr<DeviceExchange> MultiGpu::join(int owner, std::size_t window_bytes,
                                               const std::atomic<bool>& failed) {
  State& peers = *state_;
  auto& member = peers.members[static_cast<std::size_t>(owner)];
  const int own = peers.devices[static_cast<std::size_t>(owner)];
  use_device(own);
  prepare_exchange(peers.through_host() ? std::span(&own, 1) : std::span(peers.devices));
  for (std::size_t turn = 0; turn < 2; ++turn) {
    member.window[turn] = {peers.through_host(), window_bytes};
    member.written[turn] = std::make_unique<Signal>();
  }
  member.arrived = {peers.through_host(), arrived_bytes};
  member.let_go = std::make_unique<MappedBuffer<int>>(1, gpu_purpose);
  wait(peers.meeting, failed);
  auto exchange = std::make_unique<MultiGpuExchange>(peers, owner, window_bytes, failed);
  exchange->start_anew();
  return exchange;
}

}  // namespace thinwire
