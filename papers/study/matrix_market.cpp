#include "papers/study/matrix_market.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include "kernels/base/error.h"
#include "kernels/base/printable.h"

namespace thinwire {
namespace {

using Complex = std::complex<double>;

bool is_integer(const std::string& word) {
  const std::size_t digits = word.find_first_not_of("+-");
  return digits != std::string::npos && digits <= 1 &&
         word.find_first_not_of("0123456789", digits) == std::string::npos;
}

class Reader {
 public:
  explicit Reader(const std::filesystem::path& file) : file_(file), in_(file) {
    if (std::filesystem::is_directory(file))
      throw Error(ErrorKind::file,
                  fmt::format("{}: is a folder. Name a file.", shown(file_)));
    if (!in_)
      throw Error(
          ErrorKind::file,
          fmt::format("{}: cannot be read. Check name and permissions.", shown(file_)));
    read_banner();
  }

  bool is_complex() const { return field_ == "complex"; }

  template <class A>
  Csr<A> read() {
    constexpr bool complex_result = NumberOf<A>::parts == 2;
    if (is_complex() && !complex_result)
      refuse("the values are complex", "Read them as complex numbers (--type z)");
    read_size();
    std::vector<Entry<A>> entries;
    for (std::size_t k = 0; k < count_; ++k) read_entry(k, entries);
    if (next_line())
      refuse("more entries than the size line says", "Remove them or correct it");
    return assemble(std::move(entries));
  }

 private:
  template <class A>
  struct Entry {
    std::uint32_t row, column;
    A value;
  };

  [[noreturn]] void refuse(const std::string& why, const char* next) const {
    throw Error(ErrorKind::file,
                fmt::format("{}: line {}: {}. {}.", shown(file_), number_, why, next));
  }

  /// The next line that is neither empty nor a comment.
  bool next_line() {
    while (std::getline(in_, line_)) {
      ++number_;
      if (!line_.empty() && line_.back() == '\r') line_.pop_back();
      const std::size_t first = line_.find_first_not_of(" \t");
      if (first != std::string::npos && line_[first] != '%') return true;
    }
    return false;
  }

  /// The line's words.
  void split() {
    words_.clear();
    const char* const blanks = " \t\r";
    for (std::size_t end = 0;;) {
      const std::size_t begin = line_.find_first_not_of(blanks, end);
      if (begin == std::string::npos) return;
      end = std::min(line_.find_first_of(blanks, begin), line_.size());
      words_.push_back(line_.substr(begin, end - begin));
    }
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
    if (symmetry_ == "hermitian" && !is_complex())
      refuse(fmt::format("a hermitian matrix of field '{}' (hermitian are complex ones)",
                         field_),
             "Say symmetric");
  }

  void read_size() {
    if (!next_line()) refuse("the file ends before its size line", "Fetch it again");
    split();
    if (words_.size() != 3 || !std::all_of(words_.begin(), words_.end(), is_integer))
      refuse(fmt::format("'{}' is no size line (rows, columns, entries)", line_),
             "Correct it");
    const long long rows = integer(words_[0]), columns = integer(words_[1]),
                    count = integer(words_[2]);
    if (rows < 0 || columns < 0 || count < 0)
      refuse(fmt::format("'{}' has a negative size", line_), "Correct it");
    if (rows == 0 || columns == 0)
      refuse(fmt::format("the matrix is empty ({} x {})", words_[0], words_[1]),
             "Give one with rows and columns");
    if (rows != columns)
      refuse(fmt::format("the matrix is not square ({} x {})", words_[0], words_[1]),
             "Give a square one");
    if (rows > std::numeric_limits<std::uint32_t>::max())
      refuse(
          fmt::format("{} rows are more than column numbers of 32 bits reach", words_[0]),
          "Give a smaller one");
    n_ = static_cast<std::size_t>(rows);
    count_ = static_cast<std::size_t>(count);
  }

  /// Beyond 64 bits: the nearest that fits, which is out of every range.
  static long long integer(const std::string& word) {
    return std::strtoll(word.c_str(), nullptr, 10);
  }

  double number(const std::string& word) const {
    if (field_ == "integer" && !is_integer(word))
      refuse(fmt::format("'{}' is no integer, of which the first line speaks", word),
             "Correct the value or the first line");
    char* end = nullptr;
    const double value = std::strtod(word.c_str(), &end);
    if (end == word.c_str() || *end != '\0')
      refuse(fmt::format("'{}' is no number", word), "Correct it");
    if (!std::isfinite(value))
      refuse(fmt::format("the value '{}' is not finite in double precision", word),
             "Correct it");
    return value;
  }

  template <class A>
  void read_entry(std::size_t k, std::vector<Entry<A>>& entries) {
    if (!next_line())
      refuse(fmt::format("the file ends after {} of {} entries", k, count_),
             "It is cut: fetch it again");
    split();
    const std::size_t values = field_ == "pattern" ? 0 : is_complex() ? 2 : 1;
    const char* what = values == 0   ? "row and column"
                       : values == 1 ? "row, column and value"
                                     : "row, column, real and imaginary part";
    if (words_.size() < 2 + values || !is_integer(words_[0]) || !is_integer(words_[1]))
      refuse(fmt::format("'{}' is no entry of {}", line_, what), "Correct it");
    if (words_.size() > 2 + values)
      refuse(fmt::format("'{}' comes after {}", words_[2 + values], what), "Remove it");
    const long long row = integer(words_[0]), column = integer(words_[1]);
    const auto n = static_cast<long long>(n_);
    if (row < 1 || row > n || column < 1 || column > n)
      refuse(fmt::format("entry ({}, {}) is out of range (1 .. {})", words_[0], words_[1],
                         n_),
             "Correct it");
    A value = 1;
    if (values > 0) value = number(words_[2]);
    if constexpr (NumberOf<A>::parts == 2)
      if (values == 2) value = A(value.real(), number(words_[3]));
    const auto i = static_cast<std::uint32_t>(row - 1),
               j = static_cast<std::uint32_t>(column - 1);
    entries.push_back({i, j, value});
    if (symmetry_ != "general" && i != j) entries.push_back({j, i, mirrored(value)});
  }

  /// The value at (j, i) where `value` is at (i, j).
  template <class A>
  A mirrored(A value) const {
    if (symmetry_ == "skew-symmetric") return -value;
    if constexpr (NumberOf<A>::parts == 2)
      if (symmetry_ == "hermitian") return std::conj(value);
    return value;
  }

  template <class A>
  Csr<A> assemble(std::vector<Entry<A>> entries) const {
    std::stable_sort(entries.begin(), entries.end(),
                     [](const Entry<A>& a, const Entry<A>& b) {
                       return a.row != b.row ? a.row < b.row : a.column < b.column;
                     });
    Csr<A> matrix{n_, n_, std::vector<std::int64_t>(n_ + 1), {}, {}};
    for (std::size_t k = 0; k < entries.size(); ++k) {
      const Entry<A>& entry = entries[k];
      if (k > 0 && entry.row == entries[k - 1].row &&
          entry.column == entries[k - 1].column) {
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
  std::vector<std::string> words_;  // of the line
  std::size_t number_ = 0, n_ = 0, count_ = 0;
};

}  // namespace

template <class A>
Csr<A> read_matrix_market(const std::filesystem::path& file) {
  return Reader(file).read<A>();
}
template Csr<double> read_matrix_market(const std::filesystem::path&);
template Csr<Complex> read_matrix_market(const std::filesystem::path&);

bool matrix_market_is_complex(const std::filesystem::path& file) {
  return Reader(file).is_complex();
}

}  // namespace thinwire
