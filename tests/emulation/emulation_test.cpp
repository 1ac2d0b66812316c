#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "tests/emulation/cuda_device.h"
#include "tests/emulation/gpus.h"

/// Kernels are functions here: launch() is what `<<<...>>>` becomes.
namespace {

using emulation::Config;
using emulation::lane;
using emulation::launch;

template <class T>
struct OnGpu {
  T* data = nullptr;
  explicit OnGpu(std::size_t count) {
    cudaMalloc(reinterpret_cast<void**>(&data), count * sizeof(T));
  }
  ~OnGpu() { cudaFree(data); }
};

struct Emulation : testing::Test {
  void SetUp() override { cudaSetDevice(0); }
  void TearDown() override { cudaSetDevice(0); }
};

TEST_F(Emulation, LanesOfABlockSeeEachOthersSharedMemoryAfterABarrier) {
  const OnGpu<unsigned> out(3 * 70);
  launch(Config(3, 70), [out = out.data] {
    __shared__ unsigned number[70];
    const unsigned t = lane().thread.x;
    number[t] = t;
    __syncthreads();
    out[70 * lane().block.x + t] = number[69 - t];
  });
  cudaDeviceSynchronize();
  for (unsigned i = 0; i < 3 * 70; ++i) EXPECT_EQ(out.data[i], 69 - i % 70);
}

TEST_F(Emulation, ThreadsCountAlongXFirst) {
  const OnGpu<unsigned> out(2 * 3 * 4);
  launch(Config(1, dim3(2, 3, 4)), [out = out.data] {
    const uint3 t = lane().thread;
    out[t.x + 2 * (t.y + 3 * t.z)] = lane().number;
  });
  cudaDeviceSynchronize();
  for (unsigned i = 0; i < 24; ++i) EXPECT_EQ(out.data[i], i);
}

TEST_F(Emulation, ShufflesSumAWarp) {
  const OnGpu<double> out(64);
  launch(Config(1, 64), [out = out.data] {
    double sum = lane().number;
    for (int bits = 16; bits > 0; bits /= 2) sum += __shfl_xor_sync(~0u, sum, bits);
    out[lane().number] = sum;
  });
  cudaDeviceSynchronize();
  for (int i = 0; i < 64; ++i) EXPECT_EQ(out.data[i], i < 32 ? 496 : 1520);
}

TEST_F(Emulation, ShufflesStayInTheirWidth) {
  const OnGpu<int> up(32), down(32), from(32);
  launch(Config(1, 32), [up = up.data, down = down.data, from = from.data] {
    const int me = emulation::lane_of_warp();
    up[me] = __shfl_up_sync(~0u, me, 1, 8);
    down[me] = __shfl_down_sync(~0u, me, 1, 8);
    from[me] = __shfl_sync(~0u, me, 3, 8);
  });
  cudaDeviceSynchronize();
  for (int i = 0; i < 32; ++i) {
    EXPECT_EQ(up.data[i], i % 8 == 0 ? i : i - 1);
    EXPECT_EQ(down.data[i], i % 8 == 7 ? i : i + 1);
    EXPECT_EQ(from.data[i], i / 8 * 8 + 3);
  }
}

TEST_F(Emulation, NobodyWaitsForLanesThatHaveReturned) {
  const OnGpu<unsigned> ballot(1), count(1);
  launch(Config(1, 48), [ballot = ballot.data, count = count.data] {
    if (lane().number % 2 == 1) return;
    const unsigned even = __ballot_sync(~0u, lane().number < 8);
    const int voters = __syncthreads_count(1);
    if (lane().number == 0) *ballot = even, *count = voters;
  });
  cudaDeviceSynchronize();
  EXPECT_EQ(*ballot.data, 0x55u);
  EXPECT_EQ(*count.data, 24u);
}

TEST_F(Emulation, VotesAreOfOneBarrier) {
  const OnGpu<int> out(3);
  launch(Config(1, 33), [out = out.data] {
    const bool last = lane().number == 32;
    const int any = __syncthreads_or(last), none = __syncthreads_or(0),
              all = __syncthreads_and(!last);
    if (last) out[0] = any, out[1] = none, out[2] = all;
  });
  cudaDeviceSynchronize();
  EXPECT_EQ(out.data[0], 1);
  EXPECT_EQ(out.data[1], 0);
  EXPECT_EQ(out.data[2], 0);
}

TEST_F(Emulation, PairsAreStoredInTheirOrder) {
  const OnGpu<int> ints(2);
  emulation::store_pair(ints.data, 3, 4);
  EXPECT_EQ(ints.data[0], 3);
  EXPECT_EQ(ints.data[1], 4);
  const OnGpu<long long> numbers(2);
  emulation::store_pair(numbers.data, 5ll, 6ll);
  EXPECT_EQ(numbers.data[0], 5);
  EXPECT_EQ(numbers.data[1], 6);
}

TEST_F(Emulation, MemoryBeginsPoisonedAndIsCounted) {
  std::size_t before = 0, after = 0, total = 0;
  cudaMemGetInfo(&before, &total);
  const OnGpu<unsigned> some(100);
  cudaMemGetInfo(&after, &total);
  EXPECT_EQ(some.data[99], 0xCBCBCBCBu);
  EXPECT_EQ(before - after, 400u);
  void* much = nullptr;
  EXPECT_EQ(cudaMalloc(&much, total), cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaGetLastError(), cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

cudaStream_t stream_on(int device) {
  cudaStream_t stream = nullptr;
  cudaSetDevice(device);
  cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, 0);
  return stream;
}

TEST_F(Emulation, AStreamWaitsForAnEventOfAnother) {
  if (emulation::gpu_count() < 2) GTEST_SKIP() << "one GPU";
  const OnGpu<int> value(1);
  const cudaStream_t first = stream_on(0);
  cudaEvent_t event = nullptr;
  cudaEventCreate(&event);
  launch(Config(1, 1, 0, first), [at = value.data] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    *at = 1;
  });
  cudaEventRecord(event, first);
  const cudaStream_t second = stream_on(1);
  cudaStreamWaitEvent(second, event, 0);
  launch(Config(1, 1, 0, second), [at = value.data] { *at = 10 * *at + 2; });
  cudaStreamSynchronize(second);
  EXPECT_EQ(*value.data, 12);
  cudaEventDestroy(event);
  cudaStreamDestroy(first);
  cudaStreamDestroy(second);
}

TEST_F(Emulation, AGraphRepeatsItsBodyAsLongAsItsKernelsWant) {
  const OnGpu<int> count(1);
  *count.data = 0;
  const cudaStream_t stream = stream_on(0);
  cudaGraph_t graph = nullptr, captured = nullptr;
  cudaGraphCreate(&graph, 0);
  cudaGraphConditionalHandle again;
  cudaGraphConditionalHandleCreate(&again, graph, 1, cudaGraphCondAssignDefault);
  cudaGraphNodeParams node = {};
  node.type = cudaGraphNodeTypeConditional;
  node.conditional.handle = again;
  node.conditional.type = cudaGraphCondTypeWhile;
  cudaGraphNode_t added;
  cudaGraphAddNode(&added, graph, nullptr, nullptr, 0, &node);
  cudaStreamBeginCaptureToGraph(stream, node.conditional.phGraph_out[0], nullptr, nullptr,
                                0, cudaStreamCaptureModeRelaxed);
  launch(Config(1, 1, 0, stream), [at = count.data, again] {
    ++*at;
    cudaGraphSetConditional(again, *at % 5 != 0);
  });
  cudaStreamEndCapture(stream, &captured);
  EXPECT_EQ(*count.data, 0);
  cudaGraphExec_t executable = nullptr;
  cudaGraphInstantiate(&executable, graph, 0);
  cudaGraphDestroy(graph);
  for (const int expected : {5, 10}) {
    cudaGraphLaunch(executable, stream);
    cudaStreamSynchronize(stream);
    EXPECT_EQ(*count.data, expected);
  }
  cudaGraphExecDestroy(executable);
  cudaStreamDestroy(stream);
}

using EmulationDeathTest = Emulation;

TEST_F(EmulationDeathTest, ABarrierThatSomeLanesNeverReach) {
  EXPECT_DEATH(
      {
        launch(Config(1, 32), [] {
          if (lane().number == 0)
            __syncwarp();
          else
            __syncthreads();
        });
        cudaDeviceSynchronize();
      },
      "wait for each other for ever");
}

TEST_F(EmulationDeathTest, WorkForAStreamOfAnotherGpu) {
  if (emulation::gpu_count() < 2) GTEST_SKIP() << "one GPU";
  EXPECT_DEATH(
      {
        const cudaStream_t stream = stream_on(1);
        cudaSetDevice(0);
        launch(Config(1, 1, 0, stream), [] {});
      },
      "a thread whose GPU is cuda:0 gives work to a stream of cuda:1");
}

TEST_F(EmulationDeathTest, TooManyThreadsInABlock) {
  EXPECT_DEATH(
      {
        launch(Config(1, 1025), [] {});
        cudaDeviceSynchronize();
      },
      "more than 1024 threads a block");
}

TEST_F(EmulationDeathTest, MemoryThatIsFreedTwice) {
  void* memory = nullptr;
  cudaMalloc(&memory, 8);
  cudaFree(memory);
  EXPECT_DEATH(cudaFree(memory), "not allocated");
}

}  // namespace
