#include "bench/table.h"

#include <fmt/format.h>

#include <thinwire_version.h>
#include <algorithm>
#include <cmath>

#include "io/result/hdf5_file.h"
#include "io/result/hdf5_origin.h"
#include "io/result/output_file.h"
#include "kernels/base/printable.h"

namespace thinwire {
namespace {

std::string csv_cell(const Column& column, std::size_t row) {
  if (!column.is_text)
    return std::isfinite(column.numbers[row]) ? fmt::format("{}", column.numbers[row])
                                              : "";
  const std::string& text = column.texts[row];
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + '"';
}

/// "CPU threads" -> "cpu_threads": an attribute's name.
std::string attribute_name(const std::string& heading) {
  std::string name;
  for (const char c : heading)
    name += ('A' <= c && c <= 'Z') ? static_cast<char>(c - 'A' + 'a')
            : (('a' <= c && c <= 'z') || ('0' <= c && c <= '9')) ? c
                                                                 : '_';
  return name;
}

}  // namespace

std::string shown_cell(const Column& column, std::size_t row) {
  if (column.is_text) return column.texts[row];
  const double value = column.numbers[row] * column.scale;
  if (!std::isfinite(value)) return "-";
  // Whole and large numbers as such, so that 131072 does not become 1.311e+05.
  const double magnitude = std::abs(value);
  if ((value == std::floor(value) || magnitude >= 1000) && magnitude < 1e15)
    return fmt::format("{:.0f}", value);
  return fmt::format("{:.4g}", value);
}

void Table::add_numbers(std::string name, std::string heading, std::string units,
                        std::vector<double> values, double scale) {
  columns_.push_back({std::move(name),
                      std::move(heading),
                      std::move(units),
                      std::move(values),
                      {},
                      false,
                      scale});
}

void Table::add_texts(std::string name, std::string heading,
                      std::vector<std::string> values) {
  columns_.push_back(
      {std::move(name), std::move(heading), "1", {}, std::move(values), true, 1});
}

std::size_t Table::rows() const {
  if (columns_.empty()) return 0;
  const Column& first = columns_.front();
  return first.is_text ? first.texts.size() : first.numbers.size();
}

std::string table_text(const Table& table) {
  std::vector<std::size_t> width;
  for (const Column& column : table.columns()) {
    std::size_t widest = column.heading.size();
    for (std::size_t row = 0; row < table.rows(); ++row)
      widest = std::max(widest, shown_cell(column, row).size());
    width.push_back(widest);
  }
  std::string out = table.title() + '\n';
  const auto line = [&](auto&& cell) {
    std::string text;
    for (std::size_t c = 0; c < width.size(); ++c) {
      const Column& column = table.columns()[c];
      text += column.is_text ? fmt::format("{:<{}}  ", cell(column), width[c])
                             : fmt::format("{:>{}}  ", cell(column), width[c]);
    }
    text.erase(text.find_last_not_of(' ') + 1);
    out += "  " + text + '\n';
  };
  line([](const Column& column) { return column.heading; });
  for (std::size_t row = 0; row < table.rows(); ++row)
    line([&](const Column& column) { return shown_cell(column, row); });
  return out;
}

std::string tables_csv(const std::vector<Table>& tables, const ReportHeader& header) {
  std::string out = fmt::format("# {} {}\n", text_signature, THINWIRE_VERSION);
  for (const auto& [name, value] : header)
    out += fmt::format("# {}: {}\n", name, printable(value));
  std::vector<std::string> names;
  for (const Table& table : tables) {
    out += fmt::format("# table {}: {}\n", table.name(), table.title());
    for (const Column& column : table.columns())
      if (std::find(names.begin(), names.end(), column.name) == names.end())
        names.push_back(column.name);
  }
  out += "table";
  for (const std::string& name : names) out += ',' + name;
  out += '\n';
  for (const Table& table : tables)
    for (std::size_t row = 0; row < table.rows(); ++row) {
      out += table.name();
      for (const std::string& name : names) {
        out += ',';
        for (const Column& column : table.columns())
          if (column.name == name) out += csv_cell(column, row);
      }
      out += '\n';
    }
  return out;
}

void write_tables_hdf5(Hdf5Writer& out, const std::vector<Table>& tables,
                       const ReportHeader& header, std::string_view content,
                       std::string_view command_line) {
  write_origin(out, std::string(command_line), std::string(content));
  for (const auto& [name, value] : header)
    out.attribute("/", attribute_name(name).c_str(), value);
  for (const Table& table : tables) {
    if (table.rows() == 0) continue;
    const std::string row = fmt::format("/{}/row", table.name());
    out.counting_axis(row, table.rows(), 0, "row of the table");
    for (const Column& column : table.columns()) {
      const std::string name = fmt::format("/{}/{}", table.name(), column.name);
      const std::string meaning = table.title() + ": " + column.name;
      if (column.is_text)
        out.dataset(name, column.texts, {row}, meaning);
      else
        out.dataset(name, column.numbers, {row}, {column.units, meaning});
    }
  }
}

}  // namespace thinwire
