#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace thinwire {

/// A column of numbers or of texts.
struct Column {
  std::string name;     ///< as in CSV and HDF5: lower case, with its unit, "median_s"
  std::string heading;  ///< as people read it: "median, ms"
  std::string units;    ///< of `numbers`; "1" where they have none
  std::vector<double> numbers;  ///< NaN: absent
  std::vector<std::string> texts;
  bool is_text = false;
  /// People see numbers times this: 1e3 for a heading in ms.
  double scale = 1;
};

/// Columns of one length, as reports print and store them.
class Table {
 public:
  Table(std::string name, std::string title)
      : name_(std::move(name)), title_(std::move(title)) {}

  void add_numbers(std::string name, std::string heading, std::string units,
                   std::vector<double> values, double scale = 1);
  void add_texts(std::string name, std::string heading, std::vector<std::string> values);

  const std::string& name() const { return name_; }
  const std::string& title() const { return title_; }
  const std::vector<Column>& columns() const { return columns_; }
  std::size_t rows() const;

 private:
  std::string name_, title_;
  std::vector<Column> columns_;
};

/// A column's heading, and the factor by which its numbers are shown: {"median, us",
/// 1e6}.
struct Heading {
  const char* text;
  double scale = 1;
  Heading(const char* words, double times = 1) : text(words), scale(times) {}
};

/// Makes a table of a row for each item. A column is a function of an item, or a member.
template <class Item>
class TableOf {
 public:
  TableOf(std::string name, std::string title, const std::vector<Item>& items)
      : table_(std::move(name), std::move(title)), items_(items) {}

  template <class Function>
  TableOf& texts(const char* name, const char* heading, Function&& function) {
    std::vector<std::string> values;
    for (const Item& item : items_) values.emplace_back(std::invoke(function, item));
    table_.add_texts(name, heading, std::move(values));
    return *this;
  }
  template <class Function>
  TableOf& numbers(const char* name, Heading heading, const char* units,
                   Function&& function) {
    std::vector<double> values;
    for (const Item& item : items_)
      values.push_back(static_cast<double>(std::invoke(function, item)));
    table_.add_numbers(name, heading.text, units, std::move(values), heading.scale);
    return *this;
  }
  Table take() { return std::move(table_); }

 private:
  Table table_;
  const std::vector<Item>& items_;
};

/// Circumstances of a report: "GPU" -> "NVIDIA H200".
using ReportHeader = std::vector<std::pair<std::string, std::string>>;

/// One cell as people read it, "-" where a number is absent.
std::string shown_cell(const Column& column, std::size_t row);

/// Aligned columns below the title; "-" where a number is absent.
std::string table_text(const Table& table);

/// Comment lines that start with '#', one line of column names, then the rows of all
/// tables: numbers in their units and in full precision, empty where absent. The first
/// column, `table`, says of which table a row is; the others are those of all tables, a
/// name that several have being one column, empty in the rows of tables without it.
std::string tables_csv(const std::vector<Table>& tables, const ReportHeader& header);

class Hdf5Writer;
/// /<table>/<column> for each column, and root attributes: format, content (what kind of
/// report), program version, created_utc, command_line, and the header's entries.
void write_tables_hdf5(Hdf5Writer& out, const std::vector<Table>& tables,
                       const ReportHeader& header, std::string_view content,
                       std::string_view command_line);

}  // namespace thinwire
