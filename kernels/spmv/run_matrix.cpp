#include "kernels/spmv/run_matrix.h"

#include <algorithm>
#include <complex>
#include <limits>
#include <string>

#include "kernels/base/error.h"
#include "kernels/base/parallel.h"

namespace thinwire {
namespace {

/// One block while the pattern is made.
struct Block {
  std::vector<std::uint32_t> columns;  // rising
  std::vector<std::uint32_t> masks;    // [chunks][slices]
  std::size_t values = 0, entries = 0;

  std::size_t chunks() const { return (columns.size() + 31) / 32; }
};

struct RowRun {
  ColumnRun run;
  unsigned slice;
};

/// Runs of the rows of a block, cut off at each row's own number.
std::vector<RowRun> runs_of_block(std::size_t first_row, std::size_t last_row,
                                  unsigned piece_rows, const RowRuns& runs_of,
                                  std::size_t& entries) {
  std::vector<RowRun> all;
  std::vector<ColumnRun> runs;
  for (std::size_t row = first_row; row < last_row; ++row) {
    runs.clear();
    runs_of(row, runs);
    std::size_t end = 0;
    for (ColumnRun run : runs) {
      if (run.start > row) break;
      if (run.start < end || run.length == 0)
        throw Error(ErrorKind::numeric,
                    "run matrix: runs of a row must rise and not overlap (row " +
                        std::to_string(row) + ", column " + std::to_string(run.start) +
                        "). Sort and merge them.");
      run.length = static_cast<std::uint32_t>(
          std::min<std::size_t>(run.length, row + 1 - run.start));
      end = std::size_t{run.start} + run.length;
      entries += run.length;
      all.push_back({run, static_cast<unsigned>(row - first_row) / piece_rows});
    }
  }
  return all;
}

Block make_block(std::size_t first_row, std::size_t last_row, RunShape shape,
                 const RowRuns& runs_of) {
  Block block;
  std::vector<RowRun> runs =
      runs_of_block(first_row, last_row, shape.piece_rows, runs_of, block.entries);
  std::sort(runs.begin(), runs.end(),
            [](const RowRun& a, const RowRun& b) { return a.run.start < b.run.start; });
  // A run starts where one before it did, or beyond the columns known so far, or inside
  // their last stretch, whose first is at `stretch`.
  std::size_t stretch = 0;
  std::vector<std::uint32_t>& columns = block.columns;
  for (const auto& [run, slice] : runs) {
    if (columns.empty() || run.start > columns.back()) stretch = columns.size();
    const std::uint32_t end = run.start + run.length;
    for (std::uint32_t next = columns.size() == stretch ? run.start : columns.back() + 1;
         next < end; ++next)
      columns.push_back(next);
    const std::size_t first = stretch + (run.start - columns[stretch]);
    block.masks.resize(block.chunks() * shape.slices);
    for (std::size_t at = first; at < first + run.length; ++at)
      block.masks[at / 32 * shape.slices + slice] |= 1u << (at % 32);
  }
  for (const std::uint32_t mask : block.masks)
    block.values += RunView<double>::bits(mask) * std::size_t{shape.piece_rows};
  return block;
}

/// Appends a block to the pattern, its chunks distributed to as few tasks as possible.
void append(RunPattern<>& pattern, const Block& block, std::uint32_t number) {
  const std::size_t chunks = block.chunks(), S = pattern.slices,
                    tasks = (chunks + pattern.task_chunks - 1) / pattern.task_chunks;
  const auto first_chunk = static_cast<std::uint32_t>(pattern.column.size() / 32);
  for (std::size_t task = 0; task < tasks; ++task) {
    const std::size_t begin = chunks * task / tasks, end = chunks * (task + 1) / tasks;
    pattern.tasks.push_back({static_cast<std::int64_t>(pattern.values),
                             first_chunk + static_cast<std::uint32_t>(begin),
                             static_cast<std::uint32_t>(end - begin), number});
    std::uint32_t columns = 0;
    for (std::size_t slice = 0; slice < S; ++slice) {
      pattern.slice_first.push_back(columns);
      for (std::size_t chunk = begin; chunk < end; ++chunk) {
        pattern.mask.push_back(block.masks[chunk * S + slice]);
        columns += RunView<double>::bits(pattern.mask.back());
      }
    }
    pattern.values += std::size_t{columns} * pattern.piece_rows;
  }
  pattern.column.insert(pattern.column.end(), block.columns.begin(), block.columns.end());
  pattern.column.resize((first_chunk + chunks) * 32, RunView<double>::no_column);
  pattern.entries += block.entries;
  pattern.block_task.push_back(static_cast<std::uint32_t>(pattern.tasks.size()));
}

void find_appearances(RunPattern<>& pattern) {
  std::vector<std::uint32_t>& first = pattern.column_first;
  first.assign(pattern.rows + 1, 0);
  for (const std::uint32_t column : pattern.column)
    if (column != RunView<double>::no_column) ++first[column + 1];
  for (std::size_t column = 0; column < pattern.rows; ++column)
    first[column + 1] += first[column];
  pattern.appearance.resize(first.back());
  std::vector<std::uint32_t> next(first.begin(), first.end() - 1);
  for (std::size_t at = 0; at < pattern.column.size(); ++at)
    if (pattern.column[at] != RunView<double>::no_column)
      pattern.appearance[next[pattern.column[at]]++] = static_cast<std::uint32_t>(at);
}

/// Slices of a block: more share the columns' sums, fewer make more tasks for a GPU. On
/// an H200 with 8 rows a slice, 4 were fastest at 12,800 and 65,000 rows, 8 and 16 level
/// at 605,000.
unsigned slices_for(std::size_t rows, unsigned piece_rows) {
  unsigned slices = 16;
  while (slices > 4 && rows < std::size_t{1000} * slices * piece_rows) slices /= 2;
  return slices;
}

/// Calls body(i) for i < count on all threads and rethrows what it throws.
template <class Body>
void parallel_for(std::size_t count, const Body& body) {
  constexpr std::size_t chunk = 16;
  for_each_parallel(count, body, chunk);
}

}  // namespace

RunShape RunShape::of(std::size_t rows) const {
  RunShape shape = *this;
  if (shape.piece_rows != 4 && shape.piece_rows != 8 && shape.piece_rows != 16)
    throw Error(ErrorKind::usage, "run matrix: rows of a piece must be 4, 8 or 16 (got " +
                                      std::to_string(shape.piece_rows) + ").");
  if (shape.slices > 32)
    throw Error(ErrorKind::usage,
                "run matrix: slices of a block must be 1 .. 32, or 0 (got " +
                    std::to_string(shape.slices) + ").");
  if (shape.task_chunks < 1 || shape.task_chunks > max_task_chunks)
    throw Error(ErrorKind::usage, "run matrix: chunks of a task must be 1 .. 8 (got " +
                                      std::to_string(shape.task_chunks) + ").");
  if (shape.slices == 0) shape.slices = slices_for(rows, shape.piece_rows);
  return shape;
}

void check_run_columns(std::size_t columns) {
  if (columns > std::numeric_limits<std::uint32_t>::max())
    throw Error(ErrorKind::memory,
                "run matrix: too many columns (at most 2^32 in all blocks; got " +
                    std::to_string(columns) +
                    "). Number the rows so that "
                    "neighbours share columns.");
}

RunPattern<> make_run_pattern(std::size_t rows, const RowRuns& runs_of, RunShape shape) {
  shape = shape.of(rows);
  const std::size_t block_rows = std::size_t{shape.piece_rows} * shape.slices;
  std::vector<Block> blocks((rows + block_rows - 1) / block_rows);
  parallel_for(blocks.size(), [&](std::size_t b) {
    blocks[b] =
        make_block(b * block_rows, std::min(rows, (b + 1) * block_rows), shape, runs_of);
  });
  RunPattern<> pattern;
  pattern.rows = rows;
  pattern.piece_rows = shape.piece_rows;
  pattern.slices = shape.slices;
  pattern.task_chunks = shape.task_chunks;
  std::size_t chunks = 0;
  for (const Block& block : blocks) chunks += block.chunks();
  check_run_columns(chunks * 32);
  pattern.block_task.push_back(0);
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    append(pattern, blocks[b], static_cast<std::uint32_t>(b));
    blocks[b] = {};
  }
  pattern.tasks.push_back({static_cast<std::int64_t>(pattern.values),
                           static_cast<std::uint32_t>(chunks), 0,
                           static_cast<std::uint32_t>(blocks.size())});
  find_appearances(pattern);
  return pattern;
}

template <class A>
RunMatrix<A> make_run_matrix_of_half(std::span<const std::uint64_t> row_ptr,
                                     std::span<const std::uint32_t> column,
                                     std::span<const A> value, RunShape shape) {
  const std::size_t rows = row_ptr.size() - 1;
  RunMatrix<A> result(make_run_pattern(
      rows,
      [&](std::size_t row, std::vector<ColumnRun>& runs) {
        for (std::uint64_t k = row_ptr[row]; k < row_ptr[row + 1]; ++k)
          if (!runs.empty() && runs.back().start + runs.back().length == column[k])
            ++runs.back().length;
          else
            runs.push_back({column[k], 1});
      },
      shape));
  const RunView<Plain<A>> view = result.view();
  parallel_for(rows, [&](std::size_t row) {
    for (std::uint64_t k = row_ptr[row]; k < row_ptr[row + 1] && column[k] <= row; ++k)
      view.set(row, column[k], plain_value(value[k]));
  });
  return result;
}

template <class A>
RunMatrix<A> make_run_matrix(const Csr<A>& matrix, int piece_rows) {
  if (!is_symmetric(matrix))
    throw Error(
        ErrorKind::numeric,
        "run matrix: half of the matrix is stored, and this one is not symmetric. "
        "Use another format.");
  const std::vector<std::uint64_t> row_ptr(matrix.row_ptr.begin(), matrix.row_ptr.end());
  return make_run_matrix_of_half<A>(row_ptr, matrix.column, matrix.value,
                                    {static_cast<unsigned>(piece_rows)});
}

namespace {

/// Adds the contributions of a task to its rows and columns.
template <class A, class V>
void run_task(const RunView<const A>& matrix, std::size_t number, const V* x,
              V* row_parts, V* column_parts) {
  constexpr unsigned W = RunView<const A>::W;
  const RunTask& task = matrix.tasks[number];
  const unsigned R = matrix.piece_rows;
  const std::size_t first_row = std::size_t{task.block} * matrix.block_rows();
  const std::uint32_t* mask = matrix.mask + std::size_t{task.first_chunk} * matrix.slices;
  const A* value = matrix.value + task.first_value;
  std::fill_n(column_parts, std::size_t{task.chunks} * 32, V{});
  for (unsigned slice = 0; slice < matrix.slices; ++slice) {
    V* rows = row_parts + slice * R;
    std::fill_n(rows, R, V{});
    for (unsigned chunk = 0; chunk < task.chunks; ++chunk, ++mask) {
      const unsigned count = matrix.bits(*mask);
      unsigned index = 0;
      for (unsigned lane = 0; lane < 32; ++lane) {
        if ((*mask >> lane & 1) == 0) continue;
        const V x_column =
            x[matrix.column[std::size_t{task.first_chunk + chunk} * 32 + lane]];
        V& sum = column_parts[chunk * 32 + lane];
        for (unsigned r = 0; r < R; ++r) {
          const std::size_t row = first_row + slice * R + r;
          if (row >= matrix.rows) break;
          const A a = value[(r / W * count + index) * W + r % W];
          add_product(rows[r], a, x_column);
          add_product(sum, a, x[row]);
        }
        ++index;
      }
      value += count * R;
    }
  }
}

}  // namespace

template <class A, class V>
void run_multiply(const RunMatrix<A>& matrix, V alpha, std::span<const V> x, V beta,
                  std::span<V> y) {
  const RunPattern<>& pattern = matrix.pattern;
  const RunView<const Plain<A>> view = pattern.view(plain(matrix.value.data()));
  const std::size_t block_rows = view.block_rows();
  std::vector<Plain<V>> row_parts(pattern.task_count() * block_rows),
      column_parts(pattern.column.size());
  parallel_for(pattern.task_count(), [&](std::size_t task) {
    run_task(view, task, plain(x.data()), row_parts.data() + task * block_rows,
             column_parts.data() + std::size_t{view.tasks[task].first_chunk} * 32);
  });
  const RunParts<Plain<V>> parts =
      pattern.parts<Plain<V>>(row_parts.data(), column_parts.data());
  const Plain<V> a = plain_value(alpha), b = plain_value(beta);
#pragma omp parallel for schedule(static)
  for (std::int64_t row = 0; row < static_cast<std::int64_t>(pattern.rows); ++row)
    store_result(a, run_row_total(parts, static_cast<std::size_t>(row)), b,
                 plain(y.data()) + row);
}

using Double = std::complex<double>;
using Single = std::complex<float>;
using RowPtr = std::span<const std::uint64_t>;
using Columns = std::span<const std::uint32_t>;
template RunMatrix<double> make_run_matrix_of_half(RowPtr, Columns,
                                                   std::span<const double>, RunShape);
template RunMatrix<float> make_run_matrix_of_half(RowPtr, Columns, std::span<const float>,
                                                  RunShape);
template RunMatrix<Double> make_run_matrix_of_half(RowPtr, Columns,
                                                   std::span<const Double>, RunShape);
template RunMatrix<Single> make_run_matrix_of_half(RowPtr, Columns,
                                                   std::span<const Single>, RunShape);
template RunMatrix<double> make_run_matrix(const Csr<double>&, int);
template RunMatrix<float> make_run_matrix(const Csr<float>&, int);
template RunMatrix<Double> make_run_matrix(const Csr<Double>&, int);
template RunMatrix<Single> make_run_matrix(const Csr<Single>&, int);
template void run_multiply(const RunMatrix<double>&, double, std::span<const double>,
                           double, std::span<double>);
template void run_multiply(const RunMatrix<float>&, float, std::span<const float>, float,
                           std::span<float>);
template void run_multiply(const RunMatrix<Double>&, Double, std::span<const Double>,
                           Double, std::span<Double>);
template void run_multiply(const RunMatrix<Single>&, Single, std::span<const Single>,
                           Single, std::span<Single>);
template void run_multiply(const RunMatrix<double>&, Double, std::span<const Double>,
                           Double, std::span<Double>);
template void run_multiply(const RunMatrix<float>&, Single, std::span<const Single>,
                           Single, std::span<Single>);
template void run_multiply(const RunMatrix<float>&, Double, std::span<const Double>,
                           Double, std::span<Double>);

}  // namespace thinwire
