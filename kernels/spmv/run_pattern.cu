#include <cub/device/device_radix_sort.cuh>

#include <algorithm>
#include <vector>

#include "kernels/device/check.cuh"
#include "kernels/device/cub_work.cuh"
#include "kernels/device/pass.cuh"
#include "kernels/spmv/run_matrix.h"

namespace thinwire {
namespace {

using namespace device;

constexpr unsigned whole_warp = 0xffffffffu;
constexpr std::uint32_t none = 0xffffffffu;
constexpr unsigned max_warps = 16;  ///< of a block of rows: 32 slices of 16

/// Entries on and below the diagonal by rows.
struct Entries {
  const std::uint64_t* row;
  const std::uint32_t* column;
  std::size_t rows;
  unsigned piece_rows, slices;

  __host__ __device__ unsigned block_rows() const { return piece_rows * slices; }
  unsigned threads() const { return (block_rows() + 31) / 32 * 32; }
};

/// The columns of a block of rows, a thread a row, 32 numbers at a time:
///
///     columns    0 .. 31     32 .. 63    64 .. 95
///     row 0     |xxxx    x |           | xxx      |   a thread waits where its next
///     row 1     |  xxxxx   |           |   xxxx   |   entry is, and the block goes to
///     ...                                             the nearest of these
///
/// Calls found(first, mask of the thread's slice, mask of the block), rising.
template <class Found>
__device__ void walk_block(const Entries& entries, const Found& found) {
  __shared__ std::uint32_t nearest[max_warps], together[max_warps];
  const unsigned warp = threadIdx.x / 32, warps = blockDim.x / 32;
  const std::size_t row = std::size_t{blockIdx.x} * entries.block_rows() + threadIdx.x;
  const bool mine = threadIdx.x < entries.block_rows() && row < entries.rows;
  std::uint64_t at = mine ? entries.row[row] : 0;
  const std::uint64_t end = mine ? entries.row[row + 1] : 0;
  std::uint32_t next = at < end ? entries.column[at] : none;
  while (true) {
    std::uint32_t least = next;
    for (int bit = 16; bit > 0; bit /= 2)
      least = min(least, __shfl_xor_sync(whole_warp, least, bit));
    if (threadIdx.x % 32 == 0) nearest[warp] = least;
    __syncthreads();
    for (unsigned w = 0; w < warps; ++w) least = min(least, nearest[w]);
    if (least == none) return;
    const std::uint32_t first = least / 32 * 32;
    std::uint32_t mask = 0;
    while (next - first < 32) {
      mask |= 1u << (next - first);
      next = ++at < end ? entries.column[at] : none;
    }
    for (unsigned bit = 1; bit < entries.piece_rows; bit *= 2)
      mask |= __shfl_xor_sync(whole_warp, mask, bit);
    std::uint32_t of_warp = mask;
    for (unsigned bit = entries.piece_rows; bit < 32; bit *= 2)
      of_warp |= __shfl_xor_sync(whole_warp, of_warp, bit);
    if (threadIdx.x % 32 == 0) together[warp] = of_warp;
    __syncthreads();
    std::uint32_t of_block = 0;
    for (unsigned w = 0; w < warps; ++w) of_block |= together[w];
    found(first, mask, of_block);
  }
}

__global__ void count_columns(Entries entries, std::uint32_t* columns) {
  std::uint32_t count = 0;
  walk_block(entries, [&](std::uint32_t, std::uint32_t, std::uint32_t of_block) {
    count += __popc(of_block);
  });
  if (threadIdx.x == 0) columns[blockIdx.x] = count;
}

/// Distribution of the chunks of a block to its tasks, as even as possible.
struct Deal {
  std::uint32_t chunks, tasks;

  __device__ std::uint32_t begin(std::uint32_t task) const {
    return static_cast<std::uint32_t>(std::uint64_t{chunks} * task / tasks);
  }
  __device__ std::uint32_t task_of(std::uint32_t chunk) const {
    return static_cast<std::uint32_t>(((chunk + std::uint64_t{1}) * tasks - 1) / chunks);
  }
};

/// The bits of `mask` at places where `of` has ones, close together.
__device__ std::uint32_t packed(std::uint32_t mask, std::uint32_t of) {
  std::uint32_t to = 0;
  for (std::uint32_t left = mask & of; left != 0; left &= left - 1)
    to |= 1u << __popc(of & ((left & (0 - left)) - 1));
  return to;
}

__global__ void write_columns(Entries entries, const std::uint32_t* first_chunk,
                              const std::uint32_t* block_task, RunTask* tasks,
                              std::uint32_t* column, std::uint32_t* masks) {
  const std::uint32_t first = first_chunk[blockIdx.x],
                      first_task = block_task[blockIdx.x];
  const Deal deal = {first_chunk[blockIdx.x + 1] - first,
                     block_task[blockIdx.x + 1] - first_task};
  for (std::uint32_t t = threadIdx.x; t < deal.tasks; t += blockDim.x)
    tasks[first_task + t] = {0, first + deal.begin(t), deal.begin(t + 1) - deal.begin(t),
                             blockIdx.x};
  std::uint32_t count = 0, chunk = 0;
  std::uint64_t pending = 0;  // of the slice, from chunk `chunk` on
  const bool of_slice =
      threadIdx.x % entries.piece_rows == 0 && threadIdx.x < entries.block_rows();
  const auto put_mask = [&] {
    if (of_slice) {
      const std::uint32_t task = deal.task_of(chunk), begin = deal.begin(task),
                          chunks = deal.begin(task + 1) - begin;
      masks[std::size_t{first + begin} * entries.slices +
            threadIdx.x / entries.piece_rows * chunks + (chunk - begin)] =
          static_cast<std::uint32_t>(pending);
    }
    pending >>= 32;
    ++chunk;
  };
  walk_block(
      entries, [&](std::uint32_t from, std::uint32_t mask, std::uint32_t of_block) {
        if (threadIdx.x < 32 && (of_block >> threadIdx.x & 1) != 0)
          column[std::size_t{first} * 32 + count +
                 __popc(of_block & ((1u << threadIdx.x) - 1))] = from + threadIdx.x;
        if (of_slice) pending |= std::uint64_t{packed(mask, of_block)} << (count % 32);
        count += __popc(of_block);
        if (count / 32 > chunk) put_mask();
      });
  if (chunk == deal.chunks) return;
  put_mask();
  if (threadIdx.x < 32 && threadIdx.x >= count % 32)
    column[std::size_t{first} * 32 + count / 32 * 32 + threadIdx.x] = none;
}

/// A warp a task, a lane a slice: the columns of the slices before, and of all.
__global__ void __launch_bounds__(pass_threads)
    count_values(const RunTask* tasks, std::size_t task_count, unsigned slices,
                 const std::uint32_t* masks, std::uint32_t* slice_first,
                 std::uint32_t* columns) {
  const std::size_t t = (std::size_t{blockIdx.x} * pass_threads + threadIdx.x) / 32;
  const unsigned lane = threadIdx.x % 32;
  if (t >= task_count) return;
  const RunTask task = tasks[t];
  std::uint32_t mine = 0;
  if (lane < slices)
    for (std::uint32_t c = 0; c < task.chunks; ++c)
      mine +=
          __popc(masks[std::size_t{task.first_chunk} * slices + lane * task.chunks + c]);
  std::uint32_t until = mine;
  for (unsigned step = 1; step < 32; step *= 2) {
    const std::uint32_t before = __shfl_up_sync(whole_warp, until, step);
    if (lane >= step) until += before;
  }
  if (lane < slices) slice_first[t * slices + lane] = until - mine;
  if (lane == 31) columns[t] = until;
}

__global__ void __launch_bounds__(pass_threads)
    number_places(std::size_t count, std::uint32_t* place) {
  const std::size_t i = std::size_t{blockIdx.x} * pass_threads + threadIdx.x;
  if (i < count) place[i] = static_cast<std::uint32_t>(i);
}

/// first[c]: numbers below c among the sorted ones.
__global__ void __launch_bounds__(pass_threads)
    find_first(const std::uint32_t* sorted, std::size_t count, std::size_t rows,
               std::uint32_t* first) {
  const std::size_t c = std::size_t{blockIdx.x} * pass_threads + threadIdx.x;
  if (c > rows) return;
  std::size_t low = 0, high = count;
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    if (sorted[middle] < c)
      low = middle + 1;
    else
      high = middle;
  }
  first[c] = static_cast<std::uint32_t>(low);
}

/// column_first and appearance of the pattern, which has that many columns.
void find_appearances(RunPattern<DeviceBuffer>& pattern, std::size_t columns,
                      const DeviceStream& stream) {
  const char* what = "run matrix";
  const std::size_t places = pattern.column.size();
  DeviceBuffer<std::uint32_t> place(places, what), sorted(places, what),
      sorted_place(places, what);
  pattern.column_first = {pattern.rows + 1, what};
  pattern.appearance = {columns, what};
  if (places > 0) {
    number_places<<<pass_blocks(places), pass_threads, 0, stream.get()>>>(places,
                                                                          place.data());
    check_launch("run matrix, places");
    with_work(
        [&](void* work, std::size_t& bytes) {
          return cub::DeviceRadixSort::SortPairs(
              work, bytes, pattern.column.data(), sorted.data(), place.data(),
              sorted_place.data(), static_cast<std::int64_t>(places), 0, 32,
              stream.get());
        },
        what);
    // Beyond them are the places that are none.
    copy_bytes(pattern.appearance.data(), sorted_place.data(),
               columns * sizeof(std::uint32_t), stream);
  }
  find_first<<<pass_blocks(pattern.rows + 1), pass_threads, 0, stream.get()>>>(
      sorted.data(), places, pattern.rows, pattern.column_first.data());
  check_launch("run matrix, appearances");
  stream.synchronize();
}

}  // namespace

RunPattern<DeviceBuffer> make_device_run_pattern(
    const DeviceBuffer<std::uint64_t>& row, const DeviceBuffer<std::uint32_t>& column,
    const DeviceStream& stream, RunShape shape) {
  const char* what = "run matrix";
  RunPattern<DeviceBuffer> pattern;
  pattern.rows = row.size() - 1;
  shape = shape.of(pattern.rows);
  pattern.piece_rows = shape.piece_rows;
  pattern.slices = shape.slices;
  pattern.task_chunks = shape.task_chunks;
  pattern.entries = column.size();
  const Entries entries = {row.data(), column.data(), pattern.rows, shape.piece_rows,
                           shape.slices};
  const std::size_t blocks =
      (pattern.rows + entries.block_rows() - 1) / entries.block_rows();
  DeviceBuffer<std::uint32_t> device_columns(blocks, what);
  std::vector<std::uint32_t> columns(blocks);
  if (blocks > 0) {
    count_columns<<<static_cast<unsigned>(blocks), entries.threads(), 0, stream.get()>>>(
        entries, device_columns.data());
    check_launch("run matrix, columns");
    device_columns.download(columns, stream);
  }
  std::size_t chunks = 0, all_columns = 0;
  std::vector<std::uint32_t> first_chunk = {0}, block_task = {0};
  for (const std::uint32_t of_block : columns) {
    const std::uint32_t some = (of_block + 31) / 32;
    chunks += some;
    all_columns += of_block;
    check_run_columns(chunks * 32);
    first_chunk.push_back(static_cast<std::uint32_t>(chunks));
    block_task.push_back(block_task.back() +
                         (some + shape.task_chunks - 1) / shape.task_chunks);
  }
  const std::size_t tasks = block_task.back();
  pattern.block_task = uploaded(block_task, what, stream);
  const auto device_first_chunk = uploaded(first_chunk, what, stream);
  pattern.tasks = {tasks + 1, what};
  pattern.column = {chunks * 32, what};
  pattern.mask = {chunks * shape.slices, what};
  pattern.slice_first = {tasks * shape.slices, what};
  std::vector<RunTask> on_host(tasks + 1);
  if (tasks > 0) {
    write_columns<<<static_cast<unsigned>(blocks), entries.threads(), 0, stream.get()>>>(
        entries, device_first_chunk.data(), pattern.block_task.data(),
        pattern.tasks.data(), pattern.column.data(), pattern.mask.data());
    check_launch("run matrix, pattern");
    DeviceBuffer<std::uint32_t> task_columns(tasks, what);
    count_values<<<pass_blocks(32 * tasks), pass_threads, 0, stream.get()>>>(
        pattern.tasks.data(), tasks, shape.slices, pattern.mask.data(),
        pattern.slice_first.data(), task_columns.data());
    check_launch("run matrix, values");
    std::vector<std::uint32_t> of_task(tasks);
    task_columns.download(of_task, stream);
    pattern.tasks.download(on_host, stream);
    for (std::size_t t = 0; t < tasks; ++t) {
      on_host[t].first_value = static_cast<std::int64_t>(pattern.values);
      pattern.values += std::size_t{of_task[t]} * shape.piece_rows;
    }
  }
  on_host[tasks] = {static_cast<std::int64_t>(pattern.values),
                    static_cast<std::uint32_t>(chunks), 0,
                    static_cast<std::uint32_t>(blocks)};
  pattern.tasks.upload(on_host, stream);
  find_appearances(pattern, all_columns, stream);
  return pattern;
}

}  // namespace thinwire
