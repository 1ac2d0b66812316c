#pragma once

#include <cusparse.h>

#include <complex>
#include <limits>
#include <string>

#include "kernels/device/libraries.cuh"
#include "papers/sparse/sparse_product.h"

namespace thinwire {

/// cuSPARSE's own products, for comparison only.

inline constexpr LibraryUse cusparse_use = {"cuSPARSE product",
                                            "Leave the cusparse formats out."};

inline void check_cusparse(cusparseStatus_t status, const char* call) {
  if (status != CUSPARSE_STATUS_SUCCESS)
    throw_library_error(cusparse_use, call, cusparseGetErrorString(status),
                        status == CUSPARSE_STATUS_ALLOC_FAILED ||
                            status == CUSPARSE_STATUS_INSUFFICIENT_RESOURCES);
}

template <class T>
constexpr cudaDataType cuda_type() {
  constexpr bool wide = sizeof(RealOf<T>) == 8;
  if (NumberOf<T>::parts == 2) return wide ? CUDA_C_64F : CUDA_C_32F;
  return wide ? CUDA_R_64F : CUDA_R_32F;
}

enum class CusparseFormat { csr, bsr, sell };
inline constexpr std::pair<const char*, CusparseFormat> cusparse_formats[] = {
    {"cusparse-csr", CusparseFormat::csr},
    {"cusparse-bsr", CusparseFormat::bsr},
    {"cusparse-sell", CusparseFormat::sell}};

/// Square blocks with zeros where the matrix has none, row by row.
template <class A>
struct BlockRows {
  static constexpr std::int64_t side = 4;
  std::vector<int> row_ptr, column;
  std::vector<A> value;
};

template <class A>
BlockRows<A> make_block_rows(const Csr<A>& matrix) {
  constexpr std::int64_t side = BlockRows<A>::side;
  BlockRows<A> blocks;
  const auto rows = static_cast<std::int64_t>(matrix.rows);
  std::vector<std::int64_t> at(matrix.columns / side + 1, -1);
  blocks.row_ptr.push_back(0);
  for (std::int64_t first = 0; first < rows; first += side) {
    const std::int64_t last = std::min(rows, first + side);
    std::vector<int> columns;
    for (std::int64_t k = matrix.row_ptr[first]; k < matrix.row_ptr[last]; ++k)
      columns.push_back(static_cast<int>(matrix.column[k] / side));
    std::sort(columns.begin(), columns.end());
    columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
    for (const int column : columns) {
      at[column] = static_cast<std::int64_t>(blocks.column.size());
      blocks.column.push_back(column);
    }
    blocks.value.resize(blocks.column.size() * side * side);
    for (std::int64_t row = first; row < last; ++row)
      for (std::int64_t k = matrix.row_ptr[row]; k < matrix.row_ptr[row + 1]; ++k)
        blocks.value[(at[matrix.column[k] / side] * side + row - first) * side +
                     matrix.column[k] % side] = matrix.value[k];
    blocks.row_ptr.push_back(static_cast<int>(blocks.column.size()));
  }
  return blocks;
}

/// Slices of 32 rows, each padded to its longest row, columns of -1 where there is none.
template <class A>
struct SlicedRows {
  static constexpr std::int64_t height = 32;
  std::vector<int> slice_ptr, column;
  std::vector<A> value;
};

/// Throws Error{memory} for more entries than indices of 32 bits can number.
inline void refuse_beyond_int(std::int64_t entries) {
  if (entries > std::numeric_limits<int>::max())
    throw Error(ErrorKind::memory,
                "cuSPARSE product: " + std::to_string(entries) +
                    " entries are too many for 32-bit indices, which are what is "
                    "compared. Use a smaller matrix.");
}

template <class A>
SlicedRows<A> make_sliced_rows(const Csr<A>& matrix) {
  constexpr std::size_t height = SlicedRows<A>::height;
  std::vector<std::int64_t> ptr = {0};
  for (std::size_t first = 0; first < matrix.rows; first += height) {
    std::int64_t width = 0;
    for (std::size_t row = first; row < std::min(matrix.rows, first + height); ++row)
      width = std::max(width, matrix.row_ptr[row + 1] - matrix.row_ptr[row]);
    ptr.push_back(ptr.back() + width * static_cast<std::int64_t>(height));
  }
  refuse_beyond_int(ptr.back());
  SlicedRows<A> slices{{ptr.begin(), ptr.end()},
                       std::vector<int>(ptr.back(), -1),
                       std::vector<A>(ptr.back())};
  for (std::size_t row = 0; row < matrix.rows; ++row)
    for (std::int64_t k = matrix.row_ptr[row]; k < matrix.row_ptr[row + 1]; ++k) {
      const std::size_t to =
          ptr[row / height] + (k - matrix.row_ptr[row]) * height + row % height;
      slices.column[to] = static_cast<int>(matrix.column[k]);
      slices.value[to] = matrix.value[k];
    }
  return slices;
}

template <class V>
class CusparseProduct final : public DeviceSparseProduct<V, V> {
 public:
  CusparseProduct(CusparseFormat format, const Csr<V>& matrix)
      : rows_(static_cast<std::int64_t>(matrix.rows)),
        columns_(static_cast<std::int64_t>(matrix.columns)) {
    check_cusparse(cusparseCreate(&handle_), "cusparseCreate");
    refuse_beyond_int(static_cast<std::int64_t>(matrix.entries()));
    if (format == CusparseFormat::csr) make_csr(matrix);
    if (format == CusparseFormat::bsr) make_bsr(matrix);
    if (format == CusparseFormat::sell) make_sell(matrix);
  }
  ~CusparseProduct() override {
    (void)cusparseDestroySpMat(matrix_);
    (void)cusparseDestroy(handle_);
  }

  void multiply(V alpha, const V* x, V beta, V* y,
                const DeviceStream& stream) const override {
    check_cusparse(cusparseSetStream(handle_, stream.get()), "cusparseSetStream");
    cusparseConstDnVecDescr_t from;
    cusparseDnVecDescr_t to;
    check_cusparse(cusparseCreateConstDnVec(&from, columns_, x, cuda_type<V>()),
                   "cusparseCreateConstDnVec");
    check_cusparse(cusparseCreateDnVec(&to, rows_, y, cuda_type<V>()),
                   "cusparseCreateDnVec");
    constexpr auto as_it_is = CUSPARSE_OPERATION_NON_TRANSPOSE;
    if (work_.size() == 0) {
      std::size_t bytes = 0;
      check_cusparse(
          cusparseSpMV_bufferSize(handle_, as_it_is, &alpha, matrix_, from, &beta, to,
                                  cuda_type<V>(), CUSPARSE_SPMV_ALG_DEFAULT, &bytes),
          "cusparseSpMV_bufferSize");
      work_ = {std::max<std::size_t>(bytes, 16), "cuSPARSE product"};
      // Only CSR and COO have something to prepare; others say so and go on.
      (void)cusparseSpMV_preprocess(handle_, as_it_is, &alpha, matrix_, from, &beta, to,
                                    cuda_type<V>(), CUSPARSE_SPMV_ALG_DEFAULT,
                                    work_.data());
    }
    check_cusparse(cusparseSpMV(handle_, as_it_is, &alpha, matrix_, from, &beta, to,
                                cuda_type<V>(), CUSPARSE_SPMV_ALG_DEFAULT, work_.data()),
                   "cusparseSpMV");
    (void)cusparseDestroyDnVec(from);
    (void)cusparseDestroyDnVec(to);
  }
  std::size_t bytes() const override {
    return row_ptr_.bytes() + column_.bytes() + value_.bytes();
  }
  std::size_t work_bytes() const override { return work_.bytes(); }

 private:
  /// Copies of the arrays on the GPU.
  void upload(const std::vector<int>& row_ptr, const std::vector<int>& column,
              const std::vector<V>& value) {
    const DeviceStream stream;
    row_ptr_ = uploaded(row_ptr, "cuSPARSE matrix", stream);
    column_ = uploaded(column, "cuSPARSE matrix", stream);
    value_ = uploaded(value, "cuSPARSE matrix", stream);
  }

  void make_csr(const Csr<V>& matrix) {
    upload({matrix.row_ptr.begin(), matrix.row_ptr.end()},
           {matrix.column.begin(), matrix.column.end()}, matrix.value);
    check_cusparse(
        cusparseCreateCsr(&matrix_, rows_, columns_,
                          static_cast<std::int64_t>(value_.size()), row_ptr_.data(),
                          column_.data(), value_.data(), CUSPARSE_INDEX_32I,
                          CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, cuda_type<V>()),
        "cusparseCreateCsr");
  }

  void make_bsr(const Csr<V>& matrix) {
    const BlockRows<V> blocks = make_block_rows(matrix);
    constexpr std::int64_t side = BlockRows<V>::side;
    upload(blocks.row_ptr, blocks.column, blocks.value);
    check_cusparse(
        cusparseCreateBsr(
            &matrix_, (rows_ + side - 1) / side, (columns_ + side - 1) / side,
            static_cast<std::int64_t>(column_.size()), side, side, row_ptr_.data(),
            column_.data(), value_.data(), CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
            CUSPARSE_INDEX_BASE_ZERO, cuda_type<V>(), CUSPARSE_ORDER_ROW),
        "cusparseCreateBsr");
    // Vectors of whole blocks.
    rows_ = (rows_ + side - 1) / side * side;
    columns_ = (columns_ + side - 1) / side * side;
  }

  void make_sell(const Csr<V>& matrix) {
    const SlicedRows<V> slices = make_sliced_rows(matrix);
    upload(slices.slice_ptr, slices.column, slices.value);
    check_cusparse(
        cusparseCreateSlicedEll(
            &matrix_, rows_, columns_, static_cast<std::int64_t>(matrix.entries()),
            static_cast<std::int64_t>(value_.size()), SlicedRows<V>::height,
            row_ptr_.data(), column_.data(), value_.data(), CUSPARSE_INDEX_32I,
            CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, cuda_type<V>()),
        "cusparseCreateSlicedEll");
  }

  std::int64_t rows_, columns_;
  cusparseHandle_t handle_ = nullptr;
  cusparseSpMatDescr_t matrix_ = nullptr;
  DeviceBuffer<int> row_ptr_, column_;
  DeviceBuffer<V> value_;
  mutable DeviceBuffer<char> work_;
};

}  // namespace thinwire
