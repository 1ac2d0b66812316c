#include "cg/precondition/entry_reader.h"

#include <cstddef>
#include <unordered_map>

namespace thinwire {

void add_updates(std::span<const MatrixUpdate> updates,
                 std::span<const std::uint32_t> rows,
                 std::span<const std::uint32_t> columns, std::span<Complex> entries) {
  if (updates.empty()) return;
  std::unordered_map<std::uint32_t, std::size_t> row_place, column_place;
  for (std::size_t i = 0; i < rows.size(); ++i) row_place.emplace(rows[i], i);
  for (std::size_t j = 0; j < columns.size(); ++j) column_place.emplace(columns[j], j);
  const auto add = [&](std::uint32_t row, std::uint32_t column, Complex value) {
    const auto i = row_place.find(row), j = column_place.find(column);
    if (i != row_place.end() && j != column_place.end())
      entries[i->second + j->second * rows.size()] += value;
  };
  for (const MatrixUpdate& update : updates) {
    add(update.row, update.column, update.value);
    if (update.row != update.column) add(update.column, update.row, update.value);
  }
}

}  // namespace thinwire
