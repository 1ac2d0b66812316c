#include <complex>
#include <utility>

#include "kernels/device/async_copy.cuh"
#include "kernels/device/check.cuh"
#include "kernels/device/launch.cuh"
#include "kernels/device/pass.cuh"
#include "kernels/spmv/run_matrix.h"

namespace thinwire {
namespace {

using namespace device;

/// The values of a task, a stream that one warp reads from end to end, as it passes
/// through shared memory: a ring of 8 stages, filled ahead. A piece of 32 columns is two
/// stages at most and so lies in three. A task has less than 2^32 bytes: 8 chunks of at
/// most 32 slices.
template <unsigned piece_bytes>
class RunStream {
 public:
  static constexpr unsigned stage = piece_bytes / 2, ring = 8 * stage;

  __device__ RunStream(unsigned char* shared, const void* from, unsigned bytes)
      : shared_(shared), from_(static_cast<const unsigned char*>(from)), bytes_(bytes) {
    for (int k = 0; k < 8; ++k) start_stage();
  }
  /// Until the next piece is there.
  __device__ void wait() const {
    wait_for_copies<5>();
    __syncwarp();
  }
  /// 16 bytes of the next piece.
  __device__ const void* at(unsigned offset) const {
    return shared_ + ((position_ + offset) & (ring - 1));
  }
  /// The warp has read the next piece; whole stages behind it are filled anew.
  __device__ void pass(unsigned bytes) {
    __syncwarp();
    position_ += bytes;
    while (started_ - position_ <= ring - stage) start_stage();
  }

 private:
  __device__ void start_stage() {
#pragma unroll
    for (unsigned offset = 0; offset < stage; offset += 512) {
      const unsigned byte = started_ + offset + 16 * threadIdx.x;
      if (offset + 16 * threadIdx.x < stage && byte < bytes_)
        copy_later(shared_ + (byte & (ring - 1)), from_ + byte);
    }
    started_ += stage;
    end_copy_group();
  }

  unsigned char* shared_;
  const unsigned char* from_;
  unsigned bytes_, position_ = 0, started_ = 0;
};

/// Numbers in shared memory, each in one access.
template <class V>
__device__ inline V from_shared(const V* at) {
  if constexpr (sizeof(V) == 16) {
    const double2 two = *reinterpret_cast<const double2*>(at);
    return {two.x, two.y};
  } else if constexpr (NumberOf<V>::parts == 2) {
    const float2 two = *reinterpret_cast<const float2*>(at);
    return {two.x, two.y};
  } else {
    return *at;
  }
}
template <class V>
__device__ inline void to_shared(V* at, V value) {
  if constexpr (sizeof(V) == 16)
    *reinterpret_cast<double2*>(at) = {value.re, value.im};
  else if constexpr (NumberOf<V>::parts == 2)
    *reinterpret_cast<float2*>(at) = {value.re, value.im};
  else
    *at = value;
}

/// 16 bytes of values.
template <class A, int W>
__device__ inline void load_values(const void* from, A (&a)[W]) {
  *reinterpret_cast<uint4*>(a) = *static_cast<const uint4*>(from);
}

/// One step of a transposed butterfly: adds K values over the lanes that differ in `bit`;
/// each lane keeps half of them, or, of one, the sum.
template <int K, class Real>
__device__ inline void fold_reals(Real* value, int lane, int bit) {
  if constexpr (K == 1) {
    value[0] += __shfl_xor_sync(0xffffffffu, value[0], bit);
  } else {
    const bool upper = (lane & bit) != 0;
#pragma unroll
    for (int k = 0; k < K / 2; ++k) {
      const Real keep = upper ? value[k + K / 2] : value[k];
      const Real give = upper ? value[k] : value[k + K / 2];
      value[k] = keep + __shfl_xor_sync(0xffffffffu, give, bit);
    }
  }
}
template <int K, class Real>
__device__ inline void store_sums(Real* value, int lane, Real* to) {
  int index = 0, kept = K;
  bool mine = true;
  const auto after = [&](int bit) {
    if (kept > 1) {
      kept /= 2;
      index += (lane & bit) != 0 ? kept : 0;
    } else {
      mine = mine && (lane & bit) == 0;  // the other lanes hold copies
    }
  };
  constexpr int K2 = K > 1 ? K / 2 : 1, K4 = K > 3 ? K / 4 : 1, K8 = K > 7 ? K / 8 : 1,
                K16 = K > 15 ? K / 16 : 1;
  static_assert(K <= 32);
  fold_reals<K>(value, lane, 1), after(1);
  fold_reals<K2>(value, lane, 2), after(2);
  fold_reals<K4>(value, lane, 4), after(4);
  fold_reals<K8>(value, lane, 8), after(8);
  fold_reals<K16>(value, lane, 16), after(16);
  if (mine) to[index] = value[0];
}

/// First pass, a warp a task. Lane l has column l of each chunk; a slice's R rows stay in
/// registers from chunk to chunk, the columns' sums in shared memory from slice to slice:
///
///              chunk 0          chunk 1           registers
///     slice 0  lane 0 .. 31     lane 0 .. 31  ->  sums of R rows, a butterfly at the end
///     slice 1  lane 0 .. 31     lane 0 .. 31  ->  the next R rows
///                 |                |
///              sums of 32       sums of 32        shared memory, a cell for each lane
///
/// No sum leaves its lane but at the end of a slice, so that a piece of 2 KiB costs
/// little more than its multiplications. Masks and x are fetched before the first slice:
/// under way through it, a warp waits for nothing but its stream. Measured as RunShape
/// says: 0.85 ms where masks and x of a slice's rows were fetched at its start; 0.744
/// with two pieces at a time; no gain from prefetching 256 bytes into L2. Bulk copies of
/// a stage by one thread are slower: 199 and not 181 us on 120,000 rows.
template <class A, class V, int R>
__global__ void __launch_bounds__(32)
    run_first_pass(RunView<const A> matrix, const V* __restrict__ x, V* row_parts,
                   V* column_parts) {
  using Stream = RunStream<32 * R * sizeof(A)>;
  constexpr int W = RunView<const A>::W, parts = NumberOf<V>::parts;
  extern __shared__ __align__(16) unsigned char shared[];
  const unsigned lane = threadIdx.x, block_rows = matrix.block_rows();
  V* const x_columns = reinterpret_cast<V*>(shared + Stream::ring);
  V* const sums = x_columns + 32 * matrix.task_chunks;
  V* const x_rows = sums + 32 * matrix.task_chunks;
  auto* const masks = reinterpret_cast<std::uint32_t*>(x_rows + block_rows);
  const RunTask task = matrix.tasks[blockIdx.x];
  const std::int64_t end = matrix.tasks[blockIdx.x + 1].first_value;
  Stream values(shared, matrix.value + task.first_value,
                static_cast<unsigned>((end - task.first_value) * sizeof(A)));

  std::uint32_t column[max_task_chunks];
#pragma unroll
  for (unsigned c = 0; c < max_task_chunks; ++c)
    column[c] = c < task.chunks
                    ? matrix.column[(std::size_t{task.first_chunk} + c) * 32 + lane]
                    : RunView<const A>::no_column;
  const std::uint32_t* mask = matrix.mask + std::size_t{task.first_chunk} * matrix.slices;
#pragma unroll 4
  for (unsigned k = lane; k < matrix.slices * task.chunks; k += 32) masks[k] = mask[k];
  const std::size_t first_row = std::size_t{task.block} * block_rows;
#pragma unroll 4
  for (unsigned k = lane; k < block_rows; k += 32)
    to_shared(x_rows + k, first_row + k < matrix.rows ? read(x + first_row + k) : V{});
#pragma unroll
  for (unsigned c = 0; c < max_task_chunks; ++c) {
    if (c >= task.chunks) break;
    to_shared(x_columns + c * 32 + lane,
              column[c] < matrix.rows ? read(x + column[c]) : V{});
    to_shared(sums + c * 32 + lane, V{});
  }
  __syncwarp();

  V* to_rows = row_parts + std::size_t{blockIdx.x} * block_rows;
  for (unsigned slice = 0; slice < matrix.slices; ++slice) {
    const std::uint32_t of_chunk =
        lane < task.chunks ? masks[slice * task.chunks + lane] : 0;
    V row_sum[R], x_row[R];
#pragma unroll
    for (int r = 0; r < R; ++r) {
      row_sum[r] = V{};
      x_row[r] = from_shared(x_rows + slice * R + r);
    }
    for (unsigned left = __ballot_sync(0xffffffffu, of_chunk != 0); left != 0;
         left &= left - 1) {
      const int chunk = __ffs(left) - 1;
      const std::uint32_t here = __shfl_sync(0xffffffffu, of_chunk, chunk);
      const unsigned count = __popc(here), index = __popc(here & ((1u << lane) - 1));
      values.wait();
      if ((here >> lane & 1) != 0) {
        const V x_column = from_shared(x_columns + chunk * 32 + lane);
        V sum = from_shared(sums + chunk * 32 + lane);
#pragma unroll
        for (int q = 0; q < R / W; ++q) {
          A a[W];
          load_values(values.at((q * count + index) * 16), a);
#pragma unroll
          for (int w = 0; w < W; ++w) {
            add_product(row_sum[q * W + w], a[w], x_column);
            add_product(sum, a[w], x_row[q * W + w]);
          }
        }
        to_shared(sums + chunk * 32 + lane, sum);
      }
      values.pass(count * R * sizeof(A));
    }
    store_sums<R * parts>(reinterpret_cast<RealOf<V>*>(row_sum), static_cast<int>(lane),
                          reinterpret_cast<RealOf<V>*>(to_rows));
    to_rows += R;
  }
  for (unsigned c = 0; c < task.chunks; ++c)
    column_parts[(std::size_t{task.first_chunk} + c) * 32 + lane] = sums[c * 32 + lane];
}

template <class V>
__global__ void __launch_bounds__(pass_threads)
    run_second_pass(std::size_t rows, RunParts<V> parts, V alpha, V beta, V* y) {
  const std::size_t row = std::size_t{blockIdx.x} * pass_threads + threadIdx.x;
  wait_for_kernel_before();
  if (row < rows) store_result(alpha, run_row_total(parts, row), beta, y + row);
}

template <class A, class V, int R>
void first_pass(const RunPattern<DeviceBuffer>& pattern, const A* value, const V* x,
                V* row_parts, V* column_parts, const DeviceStream& stream) {
  const char* where = "run matrix, first pass";
  const unsigned rows = pattern.piece_rows * pattern.slices;
  const auto bytes =
      static_cast<int>(RunStream<32 * R * sizeof(A)>::ring +
                       (2 * 32 * pattern.task_chunks + rows) * sizeof(V) +
                       pattern.slices * pattern.task_chunks * sizeof(std::uint32_t));
  const auto kernel = run_first_pass<A, V, R>;
  check_cuda(
      cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes),
      where, "cudaFuncSetAttribute");
  kernel<<<static_cast<unsigned>(pattern.task_count()), 32, bytes, stream.get()>>>(
      pattern.view(value), x, row_parts, column_parts);
  check_launch(where);
}

RunPattern<DeviceBuffer> on_device(const RunPattern<>& host) {
  const DeviceStream stream;
  RunPattern<DeviceBuffer> pattern;
  pattern.rows = host.rows;
  pattern.piece_rows = host.piece_rows;
  pattern.slices = host.slices;
  pattern.task_chunks = host.task_chunks;
  pattern.values = host.values;
  pattern.entries = host.entries;
  pattern.tasks = uploaded(host.tasks, "run matrix", stream);
  pattern.block_task = uploaded(host.block_task, "run matrix", stream);
  pattern.column = uploaded(host.column, "run matrix", stream);
  pattern.mask = uploaded(host.mask, "run matrix", stream);
  pattern.slice_first = uploaded(host.slice_first, "run matrix", stream);
  pattern.column_first = uploaded(host.column_first, "run matrix", stream);
  pattern.appearance = uploaded(host.appearance, "run matrix", stream);
  stream.synchronize();
  return pattern;
}

}  // namespace

template <class A, class V>
DeviceRunMatrix<A, V>::DeviceRunMatrix(RunPattern<DeviceBuffer> pattern)
    : pattern_(std::move(pattern)),
      value_(pattern_.values, "run matrix"),
      row_parts_(pattern_.task_count() * pattern_.piece_rows * pattern_.slices,
                 "partial sums of the run matrix"),
      column_parts_(pattern_.column.size(), "partial sums of the run matrix") {
  const DeviceStream stream;
  value_.clear(stream);
  stream.synchronize();
}

template <class A, class V>
DeviceRunMatrix<A, V>::DeviceRunMatrix(const RunPattern<>& pattern)
    : DeviceRunMatrix(on_device(pattern)) {}

template <class A, class V>
DeviceRunMatrix<A, V>::DeviceRunMatrix(const RunMatrix<A>& matrix)
    : DeviceRunMatrix(matrix.pattern) {
  const DeviceStream stream;
  value_.upload(matrix.value, stream);
  stream.synchronize();
}

template <class A, class V>
void DeviceRunMatrix<A, V>::multiply(V alpha, const V* x, V beta, V* y,
                                     const DeviceStream& stream) const {
  if (pattern_.rows == 0) return;
  const auto run = [&]<int R>(std::integral_constant<int, R>) {
    first_pass<Plain<A>, Plain<V>, R>(pattern_, plain(value_.data()), plain(x),
                                      plain(row_parts_.data()),
                                      plain(column_parts_.data()), stream);
  };
  if (pattern_.task_count() > 0) {
    if (pattern_.piece_rows == 4) run(std::integral_constant<int, 4>());
    if (pattern_.piece_rows == 8) run(std::integral_constant<int, 8>());
    if (pattern_.piece_rows == 16) run(std::integral_constant<int, 16>());
  }
  launch_overlapped("run matrix, second pass", run_second_pass<Plain<V>>,
                    pass_blocks(pattern_.rows), pass_threads, 0, stream, pattern_.rows,
                    pattern_.template parts<Plain<V>>(plain(row_parts_.data()),
                                                      plain(column_parts_.data())),
                    plain_value(alpha), plain_value(beta), plain(y));
}

template class DeviceRunMatrix<double, double>;
template class DeviceRunMatrix<float, float>;
template class DeviceRunMatrix<std::complex<double>, std::complex<double>>;
template class DeviceRunMatrix<std::complex<float>, std::complex<float>>;
template class DeviceRunMatrix<double, std::complex<double>>;
template class DeviceRunMatrix<float, std::complex<float>>;
template class DeviceRunMatrix<float, std::complex<double>>;

}  // namespace thinwire
