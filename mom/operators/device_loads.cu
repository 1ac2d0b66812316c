#include "mom/operators/device_loads.h"

#include <map>
#include <utility>
#include <vector>

#include "kernels/device/check.cuh"
#include "kernels/device/complex.cuh"
#include "kernels/device/pass.cuh"

namespace thinwire {
namespace {

using namespace device;

/// A thread for each row that has loads.
__global__ void add_loads(const std::uint32_t* rows, const std::uint32_t* first,
                          const std::uint32_t* columns, const double2* values,
                          std::size_t count, const double2* x, double2* y) {
  const std::size_t r = std::size_t{blockIdx.x} * pass_threads + threadIdx.x;
  if (r >= count) return;
  double2 sum = y[rows[r]];
  for (std::uint32_t at = first[r]; at < first[r + 1]; ++at)
    add_product(sum, values[at], x[columns[at]]);
  y[rows[r]] = sum;
}

}  // namespace

DeviceLoads::DeviceLoads(std::span<const MatrixUpdate> updates,
                         const DeviceStream& stream) {
  if (updates.empty()) return;
  // Both triangles, row by row.
  std::map<std::pair<std::uint32_t, std::uint32_t>, Complex> entries;
  for (const MatrixUpdate& update : updates) {
    entries[{update.row, update.column}] += update.value;
    if (update.row != update.column) entries[{update.column, update.row}] += update.value;
  }
  std::vector<std::uint32_t> rows, first, columns;
  std::vector<Complex> values;
  for (const auto& [place, value] : entries) {
    if (rows.empty() || rows.back() != place.first) {
      rows.push_back(place.first);
      first.push_back(static_cast<std::uint32_t>(columns.size()));
    }
    columns.push_back(place.second);
    values.push_back(value);
  }
  first.push_back(static_cast<std::uint32_t>(columns.size()));
  const char* what = "loads";
  row_ = uploaded(rows, what, stream);
  first_ = uploaded(first, what, stream);
  column_ = uploaded(columns, what, stream);
  value_ = uploaded(values, what, stream);
}

void DeviceLoads::add_product(const Complex* x, Complex* y,
                              const DeviceStream& stream) const {
  if (row_.size() == 0) return;
  add_loads<<<pass_blocks(row_.size()), pass_threads, 0, stream.get()>>>(
      row_.data(), first_.data(), column_.data(), parts(value_.data()), row_.size(),
      parts(x), parts(y));
  check_launch("product, loads");
}

}  // namespace thinwire
