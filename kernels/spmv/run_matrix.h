#pragma once

#include <functional>
#include <span>
#include <vector>

#include "kernels/device/device.h"
#include "kernels/spmv/csr.h"

namespace thinwire {

/// A sparse symmetric matrix (A = A^T, real or complex, nothing conjugated) of which half
/// is stored, in dense pieces: for near fields, whose rows have runs of columns and share
/// most of them with the rows beside.
///
///     block of S slices, R rows each       columns of the block, a chunk for each 32
///     slice 0   | xxxx  xxxxxxxxxx |        x: an entry of one of the R rows: R values
///     slice 1   | xxxxxxxxxx    xx |        are stored, zero where a row has none
///     slice 2   |     xxxxxxxxxxxx |
///
/// A column number of 4 bytes serves all rows of a block, a bit for each slice says
/// whether it has the column. Each value is used for its row and for its column. Only
/// columns up to the row are stored, the diagonal halved, because it is used for both,
/// too.
///
/// Chunks are distributed to tasks, one warp each. What tasks add to rows and columns of
/// y goes to memory and is summed up in a second pass, in fixed order.

struct ColumnRun {
  std::uint32_t start, length;
};

/// Puts the runs of columns of a row, rising and disjoint, into the cleared vector; what
/// is beyond the row's own number is not looked at. Called from several threads.
using RowRuns = std::function<void(std::size_t row, std::vector<ColumnRun>& runs)>;

/// Most chunks that a task may have: what a warp can keep on the chip.
inline constexpr unsigned max_task_chunks = 8;

/// Some consecutive chunks of a block.
struct RunTask {
  std::int64_t first_value;
  std::uint32_t first_chunk, chunks, block;
};

/// Where entries are; values of type A.
template <class A>
struct RunView {
  std::size_t rows;
  unsigned piece_rows, slices;       ///< R, S
  unsigned task_chunks;              ///< of a task, at most
  const RunTask* tasks;              ///< [tasks + 1]
  const std::uint32_t* block_task;   ///< [blocks + 1]: first task
  const std::uint32_t* column;       ///< [chunks][32], beyond the last one no_column
  const std::uint32_t* mask;         ///< of each task [S][its chunks]
  const std::uint32_t* slice_first;  ///< of each task [S]: columns of slices before
  A* value;                          ///< of each task, slice, chunk [R / W][columns][W]

  static constexpr std::uint32_t no_column = 0xffffffff;
  static constexpr unsigned W = 16 / sizeof(A);  ///< values of one load

  THINWIRE_HD unsigned block_rows() const { return piece_rows * slices; }

  /// Index into `value` of entry (row, column) or, the same, (column, row); -1 where
  /// neither is stored. row, column < rows.
  THINWIRE_HD std::int64_t place(std::size_t row, std::size_t col) const {
    if (col > row) {
      const std::size_t other = row;
      row = col;
      col = other;
    }
    const std::size_t block = row / block_rows();
    const RunTask *task = tasks + block_task[block], *end = tasks + block_task[block + 1];
    if (task == end) return -1;
    // The columns of a block rise from chunk to chunk and task to task.
    std::size_t low = std::size_t{task->first_chunk} * 32,
                high = std::size_t{end->first_chunk} * 32;
    while (low + 1 < high) {
      const std::size_t middle = (low + high) / 2;
      (column[middle] <= col ? low : high) = middle;
    }
    if (column[low] != col) return -1;
    while (low >= std::size_t{task[1].first_chunk} * 32) ++task;
    const auto slice = static_cast<unsigned>(row % block_rows()) / piece_rows,
               chunk = static_cast<unsigned>(low / 32) - task->first_chunk,
               lane = static_cast<unsigned>(low % 32);
    const std::uint32_t* masks =
        mask + std::size_t{task->first_chunk} * slices + slice * task->chunks;
    if ((masks[chunk] >> lane & 1) == 0) return -1;
    std::int64_t before = slice_first[(task - tasks) * slices + slice];
    for (unsigned c = 0; c < chunk; ++c) before += bits(masks[c]);
    const auto r = static_cast<unsigned>(row % piece_rows);
    return task->first_value + before * piece_rows +
           (r / W * bits(masks[chunk]) + bits(masks[chunk] & ((1u << lane) - 1))) * W +
           r % W;
  }

  /// Stores A_ij = A_ji = entry. False where the pattern has no place for it.
  THINWIRE_HD bool set(std::size_t row, std::size_t col, A entry) const {
    const std::int64_t at = place(row, col);
    if (at < 0) return false;
    value[at] = row == col ? halved(entry) : entry;
    return true;
  }

  THINWIRE_HD static unsigned bits(std::uint32_t word) {
#if defined(__CUDA_ARCH__)
    return static_cast<unsigned>(__popc(word));
#else
    return static_cast<unsigned>(__builtin_popcount(word));
#endif
  }
  template <class T>
  THINWIRE_HD static T halved(T a) {
    return T(0.5) * a;
  }
  template <class T>
  THINWIRE_HD static PlainComplex<T> halved(PlainComplex<T> a) {
    return {T(0.5) * a.re, T(0.5) * a.im};
  }
};

/// Partial sums that the second pass reads, and where those of a row are.
template <class V>
struct RunParts {
  unsigned block_rows;
  const std::uint32_t *block_task, *column_first, *appearance;
  const V* row_parts;     ///< [tasks][block_rows]
  const V* column_parts;  ///< [chunks][32]
};

/// One row of A x: what the tasks of its block add, then what those do that have it as a
/// column.
template <class V>
THINWIRE_HD inline V run_row_total(const RunParts<V>& parts, std::size_t row) {
  V sum{};
  const std::size_t block = row / parts.block_rows, in_block = row % parts.block_rows;
  for (std::uint32_t task = parts.block_task[block]; task < parts.block_task[block + 1];
       ++task)
    sum = sum + parts.row_parts[std::size_t{task} * parts.block_rows + in_block];
  for (std::uint32_t k = parts.column_first[row]; k < parts.column_first[row + 1]; ++k)
    sum = sum + parts.column_parts[parts.appearance[k]];
  return sum;
}

/// How a pattern is cut. NVIDIA H200, 605,000 rows of a wire grid, 954 entries a row,
/// real on complex double vectors: 0.732 ms, 3.69 TB/s of stored bytes. Beside it, pieces
/// of 16 rows 0.775 (fill 1.26, not 1.15), of 4 rows 0.803 (1.11); blocks of 8 slices
/// 0.747, of 32 0.77; tasks of 8 chunks 0.744, of 4 0.736.
struct RunShape {
  unsigned piece_rows = 8;   ///< R: 4, 8 or 16
  unsigned slices = 0;       ///< S: 1 .. 32; 0: by the number of rows
  unsigned task_chunks = 6;  ///< of a task, at most: 1 .. 8

  /// With a number of slices. Throws Error{usage} for a shape that there is not.
  RunShape of(std::size_t rows) const;
};

/// The places of the entries, without values.
template <template <class> class Array = HostArray>
struct RunPattern {
  std::size_t rows = 0;
  unsigned piece_rows = 0, slices = 0, task_chunks = 0;
  std::size_t values = 0;   ///< stored, zeros included
  std::size_t entries = 0;  ///< asked for, of the stored half with the diagonal
  Array<RunTask> tasks;
  Array<std::uint32_t> block_task, column, mask, slice_first;
  /// For the second pass: where in [chunks][32] column j appears, at column_first[j] ..
  /// column_first[j + 1] - 1 of `appearance`, rising.
  Array<std::uint32_t> column_first, appearance;

  std::size_t task_count() const { return tasks.size() - 1; }
  std::size_t blocks() const { return block_task.size() - 1; }
  /// Stored values for each entry: 1 without zeros.
  double fill() const {
    return static_cast<double>(values) / static_cast<double>(entries);
  }
  /// Returns the bytes of the pattern alone.
  std::size_t bytes() const {
    return array_bytes(tasks) + array_bytes(block_task) + array_bytes(column) +
           array_bytes(mask) + array_bytes(slice_first) + array_bytes(column_first) +
           array_bytes(appearance);
  }
  template <class A>
  RunView<A> view(A* value) const {
    return {rows,          piece_rows,   slices,
            task_chunks,   tasks.data(), block_task.data(),
            column.data(), mask.data(),  slice_first.data(),
            value};
  }
  template <class V>
  RunParts<V> parts(const V* row_parts, const V* column_parts) const {
    return {piece_rows * slices, block_task.data(), column_first.data(),
            appearance.data(),   row_parts,         column_parts};
  }
};

/// On all threads. Throws Error{usage} for a shape that there is not, Error{numeric} when
/// runs do not rise, Error{memory} beyond 2^32 columns of all blocks.
RunPattern<> make_run_pattern(std::size_t rows, const RowRuns& runs_of,
                              RunShape shape = {});

/// Makes the pattern on the current GPU and leaves it there, from entries on that GPU:
/// those of row i at row[i] .. row[i + 1] - 1 of `column`, rising, none beyond i. row:
/// [rows + 1]. Waits. Throws as make_run_pattern, and Error{memory}.
RunPattern<DeviceBuffer> make_device_run_pattern(
    const DeviceBuffer<std::uint64_t>& row, const DeviceBuffer<std::uint32_t>& column,
    const DeviceStream& stream, RunShape shape = {});

/// Throws Error{memory} when columns of all blocks, padded, are more than 2^32.
void check_run_columns(std::size_t columns);

/// Pattern and values, zero at first: to be filled through view().set() or by place.
template <class A>
struct RunMatrix {
  RunPattern<> pattern;
  std::vector<A> value;

  explicit RunMatrix(RunPattern<> places)
      : pattern(std::move(places)), value(pattern.values) {}
  std::size_t bytes() const { return pattern.bytes() + array_bytes(value); }
  RunView<Plain<A>> view() { return pattern.view(plain(value.data())); }
};

/// Makes the runs of a symmetric matrix; throws Error{numeric} for any other.
template <class A>
RunMatrix<A> make_run_matrix(const Csr<A>& matrix, int piece_rows);

/// Makes the runs of the lower half by rows, with the diagonal: entries of row i at
/// row_ptr[i] .. row_ptr[i + 1] - 1, columns rising; those above the diagonal are not
/// read.
template <class A>
RunMatrix<A> make_run_matrix_of_half(std::span<const std::uint64_t> row_ptr,
                                     std::span<const std::uint32_t> column,
                                     std::span<const A> value, RunShape shape = {});

/// y = alpha A x + beta y on the CPU: (A, V) as in sparse_product.h, and float with
/// Complex. x, y: [rows], may not alias.
template <class A, class V>
void run_multiply(const RunMatrix<A>& matrix, V alpha, std::span<const V> x, V beta,
                  std::span<V> y);

/// Run matrix on the current GPU.
template <class A, class V>
class DeviceRunMatrix {
 public:
  /// Values zero. Throws Error{memory}.
  explicit DeviceRunMatrix(RunPattern<DeviceBuffer> pattern);
  explicit DeviceRunMatrix(const RunPattern<>& pattern);
  /// With the values of `matrix`.
  explicit DeviceRunMatrix(const RunMatrix<A>& matrix);

  std::size_t rows() const { return pattern_.rows; }
  double fill() const { return pattern_.fill(); }
  /// For kernels that fill; values are in memory of the GPU.
  RunView<Plain<A>> view() { return pattern_.view(plain(value_.data())); }

  /// y = alpha A x + beta y. x, y: [rows] on the GPU, 16-byte aligned, may not alias. Two
  /// kernels; does not wait. One call at a time: partial sums are this object's own.
  void multiply(V alpha, const V* x, V beta, V* y, const DeviceStream& stream) const;

  /// Returns the bytes of the matrix, and of the partial sums.
  std::size_t bytes() const { return pattern_.bytes() + value_.bytes(); }
  std::size_t work_bytes() const { return row_parts_.bytes() + column_parts_.bytes(); }

 private:
  RunPattern<DeviceBuffer> pattern_;
  DeviceBuffer<A> value_;
  DeviceBuffer<V> row_parts_;     // [tasks][block_rows]
  DeviceBuffer<V> column_parts_;  // [chunks][32]
};

}  // namespace thinwire
