#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "mom/problem/problem.h"

namespace thinwire {

/// Owner of one HDF5 identifier; closes it. HDF5's hid_t is a 64-bit integer.
class Hdf5Id {
 public:
  using Close = int (*)(std::int64_t);
  Hdf5Id() = default;
  Hdf5Id(std::int64_t id, Close close) : id_(id), close_(close) {}
  Hdf5Id(Hdf5Id&& other) noexcept { *this = std::move(other); }
  Hdf5Id& operator=(Hdf5Id&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
    return *this;
  }
  ~Hdf5Id() {
    if (id_ >= 0) close_(id_);
  }
  std::int64_t get() const { return id_; }
  std::int64_t release() { return std::exchange(id_, -1); }

 private:
  std::int64_t id_ = -1;
  Close close_ = nullptr;
};

/// Meaning of a number, for the attributes `units` and `long_name`.
struct Quantity {
  std::string_view units;  ///< "1" where it has none
  std::string_view long_name;
};

using Shape = std::vector<std::size_t>;

class Hdf5Driver;
class Hdf5Image;

/// Names of axes, one for each dimension of a dataset.
using Axes = std::vector<std::string>;

/// Builds one HDF5 file in memory, so that a full disk meets our own write and not the
/// HDF5 library, which crashes there. One dataset that is too large for that may be left
/// out. Groups on the way to a dataset are made as needed. Every failure is an
/// Error{file} that names the file, the object and HDF5's own reason.
///
/// What it builds is a netCDF-4 file too: every dimension of a dataset runs along an
/// axis, a dimension scale of the dataset's own group or of one above. Complex numbers
/// are the compound {r, i} of doubles, kept as the named type /complex, without which
/// the netCDF library passes over them.
class Hdf5Writer {
 public:
  /// `path` is for the messages only.
  explicit Hdf5Writer(const std::filesystem::path& path);

  /// The axis called as the last part of `name`: its numbers or words, one dimension.
  void axis(const std::string& name, std::span<const double> values, Quantity quantity);
  void axis(const std::string& name, std::span<const std::int64_t> values,
            Quantity quantity);
  void axis(const std::string& name, const std::vector<std::string>& values,
            std::string_view long_name);
  /// An axis that counts from `first`.
  void counting_axis(const std::string& name, std::size_t count, std::int64_t first,
                     std::string_view long_name);

  /// Values along `axes`, the last running fastest, which must have been made before.
  void dataset(const std::string& name, std::span<const double> values, const Axes& axes,
               Quantity quantity);
  void dataset(const std::string& name, std::span<const Complex> values, const Axes& axes,
               Quantity quantity);
  void dataset(const std::string& name, std::span<const std::int64_t> values,
               const Axes& axes, Quantity quantity);
  void dataset(const std::string& name, const std::vector<std::string>& values,
               const Axes& axes, std::string_view long_name);
  /// A complex dataset whose bytes the caller writes to the file: real and imaginary part
  /// of each entry as two doubles, the last axis running fastest, from the offset that is
  /// returned on. One a file, not empty.
  std::size_t dataset_left_out(const std::string& name, const Axes& axes,
                               Quantity quantity);
  void scalar(const std::string& name, double value, Quantity quantity);
  /// One UTF-8 text.
  void text(const std::string& name, std::string_view value, std::string_view long_name);

  void attribute(const std::string& object, const char* name, std::string_view value);
  void attribute(const std::string& object, const char* name, std::int64_t value);
  void attribute(const std::string& object, const char* name, double value);

  /// Closes and gives the bytes of the file, with their checksum (checksum.h). No dataset
  /// was left out.
  std::string take_image();
  /// Closes and gives the bytes before the dataset that was left out and those behind it.
  /// The checksum is the caller's to add.
  struct Parts {
    std::string before, after;
  };
  Parts take_parts();

 private:
  /// Gives the dataset, still open. creation: its properties.
  Hdf5Id create(const std::string& name, std::int64_t type, const Shape& shape,
                Quantity quantity, std::int64_t creation);
  Hdf5Id write(const std::string& name, std::int64_t type, const void* values,
               std::size_t count, const Shape& shape, Quantity quantity);
  Shape shape_along(const std::string& name, const Axes& axes) const;
  void attach(const std::string& name, const Hdf5Id& data, const Axes& axes);
  void close();
  void write_along(const std::string& name, std::int64_t type, const void* values,
                   std::size_t count, const Axes& axes, Quantity quantity);
  void make_axis(const std::string& name, Hdf5Id data, std::size_t length);
  std::int64_t complex_type();
  Hdf5Id open(const std::string& object);
  /// `object`: its name, for the message.
  void write_attribute(const Hdf5Id& on, const std::string& object, const char* name,
                       std::int64_t type, const void* value);
  void write_text(const Hdf5Id& on, const std::string& object, const char* name,
                  std::string_view value);

  struct Axis {
    std::size_t length;
    Hdf5Id data;
  };

  std::filesystem::path path_;
  std::shared_ptr<Hdf5Image> image_;  ///< before the file, which is in it
  Hdf5Id file_;
  // Opened or made once and used for every object: each time costs as much as writing a
  // small dataset does.
  Hdf5Id text_type_, links_, transfer_, one_;
  Hdf5Id complex_type_;
  std::map<std::string, Axis> axes_;
};

/// Writes the file that `out` made with write_result_file(), `left_out` in the place of
/// the dataset that was left out; empty where none was.
void write_result_file(const std::filesystem::path& path, Hdf5Writer& out,
                       std::span<const Complex> left_out,
                       const std::atomic<bool>* stop = nullptr);

using Hdf5Values = std::variant<std::vector<double>, std::vector<std::int64_t>,
                                std::vector<Complex>, std::vector<std::string>>;

/// Throws Error{file} for a folder and for what cannot be opened for reading; the message
/// names no next step.
void check_readable(const std::filesystem::path& path);

/// Reads what Hdf5Writer writes. A missing object, another type or a damaged file is an
/// Error{file}; files of other programs have no checksum, and damage there is HDF5's own
/// to find.
class Hdf5Reader {
 public:
  /// Whether a checksum that does not fit refuses the file; without it HDF5 may crash on
  /// a damaged one.
  enum class Checksum { checked, ignored };
  explicit Hdf5Reader(const std::filesystem::path& path,
                      Checksum checksum = Checksum::checked);

  bool exists(const std::string& name) const;
  Shape shape(const std::string& name) const;
  /// Returns the length of a dataset's last axis. Throws Error{file} where it has no axis
  /// or no values.
  std::size_t length(const std::string& name) const;
  /// Throws Error{file} for a file that another program changed.
  [[noreturn]] void refuse_changed(const std::string& problem) const;
  std::vector<double> doubles(const std::string& name) const;
  std::vector<std::int64_t> integers(const std::string& name) const;
  std::vector<Complex> complexes(const std::string& name) const;
  std::vector<std::string> strings(const std::string& name) const;
  /// Values of the type that they have in the file.
  Hdf5Values values(const std::string& name) const;
  std::string text(const std::string& name) const;
  std::string attribute_text(const std::string& object, const char* name) const;
  std::int64_t attribute_integer(const std::string& object, const char* name) const;
  double attribute_real(const std::string& object, const char* name) const;
  bool has_attribute(const std::string& object, const char* name) const;
  /// Names of the links in a group, numbers in numerical order.
  std::vector<std::string> children(const std::string& group) const;

 private:
  std::size_t count(const std::string& name) const;
  void read(const std::string& name, std::int64_t type, void* values) const;
  void read_attribute(const std::string& object, const char* name, std::int64_t type,
                      void* value) const;

  std::filesystem::path path_;
  std::shared_ptr<Hdf5Driver> input_;  ///< before the file, which is read through it
  Hdf5Id file_;
};

}  // namespace thinwire
