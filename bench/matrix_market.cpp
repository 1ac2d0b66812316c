#include "bench/matrix_market.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>

#include "kernels/base/error.h"

namespace thinwire {
namespace {

struct Entry {
  std::uint32_t row, column;
  double value;
};

class Reader {
 public:
  explicit Reader(const std::filesystem::path& file) : file_(file), in_(file) {
    if (!in_)
      throw Error(
          ErrorKind::file,
          fmt::format("{}: cannot be read. Check name and permissions.", file_.string()));
  }

  Csr<double> read() {
    read_banner();
    read_size();
    for (std::size_t k = 0; k < count_; ++k) read_entry(k);
    if (next_line())
      refuse("more entries than the size line says", "Remove them or correct it");
    return assemble();
  }

 private:
  [[noreturn]] void refuse(const std::string& why, const char* next) const {
    throw Error(ErrorKind::file,
                fmt::format("{}: line {}: {}. {}.", file_.string(), number_, why, next));
  }

  /// The next line that is neither empty nor a comment.
  bool next_line() {
    while (std::getline(in_, line_)) {
      ++number_;
      const std::size_t first = line_.find_first_not_of(" \t\r");
      if (first != std::string::npos && line_[first] != '%') return true;
    }
    return false;
  }

  void read_banner() {
    std::getline(in_, line_);
    ++number_;
    std::transform(line_.begin(), line_.end(), line_.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    std::istringstream words(line_);
    std::string banner, object, form;
    words >> banner >> object >> form >> field_ >> symmetry_;
    if (banner != "%%matrixmarket")
      refuse("no Matrix Market file (its first line must start with %%MatrixMarket)",
             "Give another file");
    if (object != "matrix" || form != "coordinate")
      refuse(fmt::format("'{} {}' is not read (only 'matrix coordinate')", object, form),
             "Store the matrix by coordinates");
    if (field_ != "real" && field_ != "integer" && field_ != "pattern" &&
        field_ != "complex")
      refuse(
          fmt::format("unknown field '{}' (real, integer, pattern or complex)", field_),
          "Correct the first line");
    if (symmetry_ != "general" && symmetry_ != "symmetric" &&
        symmetry_ != "skew-symmetric" && symmetry_ != "hermitian")
      refuse(fmt::format("unknown symmetry '{}' (general, symmetric, skew-symmetric or "
                         "hermitian)",
                         symmetry_),
             "Correct the first line");
  }

  void read_size() {
    std::int64_t rows = -1, columns = -1, count = -1;
    if (next_line()) std::istringstream(line_) >> rows >> columns >> count;
    if (rows < 1 || columns < 1 || count < 0)
      refuse("no size line (rows, columns, entries)", "The file is cut or broken");
    if (rows != columns)
      refuse(fmt::format("the matrix is not square ({} x {})", rows, columns),
             "Give a square one");
    if (rows > std::numeric_limits<std::uint32_t>::max())
      refuse(fmt::format("{} rows are more than column numbers of 32 bits reach", rows),
             "Give a smaller one");
    n_ = static_cast<std::size_t>(rows);
    count_ = static_cast<std::size_t>(count);
  }

  void read_entry(std::size_t k) {
    if (!next_line())
      refuse(fmt::format("the file ends after {} of {} entries", k, count_),
             "It is cut: fetch it again");
    const char* at = line_.c_str();
    char* end = nullptr;
    const long long row = std::strtoll(at, &end, 10);
    bool sound = end != at;
    const long long column = std::strtoll(at = end, &end, 10);
    sound = sound && end != at;
    double value = 1;
    if (field_ != "pattern") {
      value = std::strtod(at = end, &end);
      sound = sound && end != at;
    }
    if (!sound)
      refuse(fmt::format("'{}' is no entry of row, column{}", line_,
                         field_ == "pattern" ? "" : " and value"),
             "Correct it");
    const auto n = static_cast<long long>(n_);
    if (row < 1 || row > n || column < 1 || column > n)
      refuse(fmt::format("entry ({}, {}) is out of range (1 .. {})", row, column, n_),
             "Correct it");
    const auto i = static_cast<std::uint32_t>(row - 1),
               j = static_cast<std::uint32_t>(column - 1);
    entries_.push_back({i, j, value});
    if (symmetry_ != "general" && i != j)
      entries_.push_back({j, i, symmetry_ == "skew-symmetric" ? -value : value});
  }

  Csr<double> assemble() {
    std::stable_sort(entries_.begin(), entries_.end(),
                     [](const Entry& a, const Entry& b) {
                       return a.row != b.row ? a.row < b.row : a.column < b.column;
                     });
    Csr<double> matrix{n_, n_, std::vector<std::int64_t>(n_ + 1), {}, {}};
    for (std::size_t k = 0; k < entries_.size(); ++k) {
      const Entry& entry = entries_[k];
      if (k > 0 && entry.row == entries_[k - 1].row &&
          entry.column == entries_[k - 1].column) {
        matrix.value.back() += entry.value;
        continue;
      }
      matrix.column.push_back(entry.column);
      matrix.value.push_back(entry.value);
      ++matrix.row_ptr[entry.row + 1];
    }
    for (std::size_t row = 0; row < n_; ++row)
      matrix.row_ptr[row + 1] += matrix.row_ptr[row];
    return matrix;
  }

  std::filesystem::path file_;
  std::ifstream in_;
  std::string line_, field_, symmetry_;
  std::size_t number_ = 0, n_ = 0, count_ = 0;
  std::vector<Entry> entries_;
};

}  // namespace

Csr<double> read_matrix_market(const std::filesystem::path& file) {
  return Reader(file).read();
}

}  // namespace thinwire
