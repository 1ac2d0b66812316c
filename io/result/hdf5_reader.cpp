#include <fcntl.h>
#include <fmt/format.h>
#include <hdf5.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>

#include "io/result/checksum.h"
#include "io/result/hdf5_calls.h"
#include "io/result/hdf5_driver.h"
#include "io/result/hdf5_file.h"
#include "kernels/base/error.h"
#include "kernels/base/printable.h"

namespace thinwire {
namespace {

[[noreturn]] void refuse_to_open(const std::filesystem::path& path) {
  throw Error(ErrorKind::file, fmt::format("{}: cannot be opened ({}).", shown(path),
                                           std::strerror(errno)));
}

/// A file to read from. HDF5's own driver shares one state among all that have a file
/// open, and gives zeros for what was cut off since. This one has a state for each, and
/// reads nothing of a file whose size or time of change is not what it was when it was
/// opened.
class Input : public Hdf5Driver {
 public:
  explicit Input(const std::filesystem::path& path)
      : descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (descriptor_ < 0 || ::fstat(descriptor_, &opened_) != 0) refuse_to_open(path);
  }
  Input(const Input&) = delete;
  Input& operator=(const Input&) = delete;
  ~Input() override { ::close(descriptor_); }

  bool read(std::size_t first, char* bytes, std::size_t size) override {
    while (size > 0) {
      const ssize_t got = ::pread(descriptor_, bytes, size, static_cast<off_t>(first));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return fail(std::strerror(errno));
      if (got == 0) break;
      bytes += got;
      first += static_cast<std::size_t>(got);
      size -= static_cast<std::size_t>(got);
    }
    std::memset(bytes, 0, size);
    struct stat now = {};
    return (::fstat(descriptor_, &now) == 0 && now.st_size == opened_.st_size &&
            now.st_mtim.tv_sec == opened_.st_mtim.tv_sec &&
            now.st_mtim.tv_nsec == opened_.st_mtim.tv_nsec) ||
           fail("it was changed while it was open: open it again");
  }
  bool write(std::size_t, const char*, std::size_t) override { return false; }
  std::size_t size() const override { return static_cast<std::size_t>(opened_.st_size); }

 private:
  static bool fail(const char* why) {
    (void)H5Epush2(H5E_DEFAULT, "hdf5_reader.cpp", __func__, __LINE__, H5E_ERR_CLS,
                   H5E_VFL, H5E_READERROR, "%s", why);
    return false;
  }

  int descriptor_;
  struct stat opened_ = {};
};

}  // namespace

void check_readable(const std::filesystem::path& path) {
  std::error_code unknown;
  const std::filesystem::file_status status = std::filesystem::status(path, unknown);
  if (std::filesystem::is_directory(status))
    throw Error(ErrorKind::file, shown(path) + ": is a folder.");
  // A pipe without a writer would be waited for.
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
    throw Error(ErrorKind::file, shown(path) + ": is not a regular file.");
  if (::access(path.c_str(), R_OK) != 0) refuse_to_open(path);
}

Hdf5Reader::Hdf5Reader(const std::filesystem::path& path, Checksum checksum)
    : path_(path) {
  check_readable(path);
  if (checksum == Checksum::checked && has_checksum(path)) require_checksum(path);
  const QuietErrors quiet;
  input_ = std::make_shared<Input>(path);
  const Hdf5Id access = input_->access();
  file_ = Hdf5Id(checked(H5Fopen(path.string().c_str(), H5F_ACC_RDONLY, access.get()),
                         path_, "cannot be read as an HDF5 file"),
                 H5Fclose);
}

bool Hdf5Reader::exists(const std::string& name) const {
  const QuietErrors quiet;
  // Every link on the way must exist before the next may be asked for.
  for (std::size_t slash = name.find('/', 1);; slash = name.find('/', slash + 1)) {
    if (H5Lexists(file_.get(), name.substr(0, slash).c_str(), H5P_DEFAULT) <= 0)
      return false;
    if (slash == std::string::npos) return true;
  }
}

Shape Hdf5Reader::shape(const std::string& name) const {
  const QuietErrors quiet;
  const Hdf5Id data(H5Dopen2(file_.get(), name.c_str(), H5P_DEFAULT), H5Dclose);
  checked(data.get(), path_, "has no dataset " + name);
  const Hdf5Id space(H5Dget_space(data.get()), H5Sclose);
  std::vector<hsize_t> extent(
      static_cast<std::size_t>(H5Sget_simple_extent_ndims(space.get())));
  H5Sget_simple_extent_dims(space.get(), extent.data(), nullptr);
  return {extent.begin(), extent.end()};
}

std::size_t Hdf5Reader::length(const std::string& name) const {
  const Shape all = shape(name);
  if (all.empty() || product(all) == 0)
    refuse_changed(fmt::format("{} has no list of values", name));
  return all.back();
}

void Hdf5Reader::refuse_changed(const std::string& problem) const {
  throw Error(ErrorKind::file,
              fmt::format("{}: {}: the file was changed. Solve its deck again.",
                          shown(path_), problem));
}

namespace {

/// Whether an attribute holds a single value, not an array of them.
bool is_one_value(const Hdf5Id& attribute) {
  const Hdf5Id space(H5Aget_space(attribute.get()), H5Sclose);
  return H5Sget_simple_extent_npoints(space.get()) == 1;
}

}  // namespace

std::size_t Hdf5Reader::count(const std::string& name) const {
  const Shape all = shape(name);
  std::size_t most = std::numeric_limits<std::size_t>::max() / sizeof(Complex);
  for (const std::size_t length : all) {
    if (length > most) refuse_changed(fmt::format("{} has too many values", name));
    most /= std::max<std::size_t>(1, length);
  }
  return product(all);
}

void Hdf5Reader::read(const std::string& name, std::int64_t type, void* values) const {
  const QuietErrors quiet;
  const Hdf5Id data(H5Dopen2(file_.get(), name.c_str(), H5P_DEFAULT), H5Dclose);
  checked(data.get(), path_, "has no dataset " + name);
  checked(H5Dread(data.get(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), path_,
          "cannot read " + name);
}

std::vector<double> Hdf5Reader::doubles(const std::string& name) const {
  std::vector<double> values(count(name));
  read(name, H5T_NATIVE_DOUBLE, values.data());
  return values;
}

std::vector<std::int64_t> Hdf5Reader::integers(const std::string& name) const {
  std::vector<std::int64_t> values(count(name));
  read(name, H5T_NATIVE_INT64, values.data());
  return values;
}

std::vector<Complex> Hdf5Reader::complexes(const std::string& name) const {
  std::vector<Complex> values(count(name));
  read(name, make_complex_type().get(), values.data());
  return values;
}

std::vector<std::string> Hdf5Reader::strings(const std::string& name) const {
  std::vector<char*> pointers(count(name), nullptr);
  const Hdf5Id type = make_string_type(H5T_VARIABLE);
  read(name, type.get(), pointers.data());
  std::vector<std::string> values;
  for (char* pointer : pointers) {
    values.push_back(utf8_text(pointer ? pointer : ""));
    H5free_memory(pointer);
  }
  return values;
}

Hdf5Values Hdf5Reader::values(const std::string& name) const {
  const QuietErrors quiet;
  const Hdf5Id data(H5Dopen2(file_.get(), name.c_str(), H5P_DEFAULT), H5Dclose);
  checked(data.get(), path_, "has no dataset " + name);
  const Hdf5Id type(H5Dget_type(data.get()), H5Tclose);
  switch (H5Tget_class(type.get())) {
    case H5T_INTEGER:
      return integers(name);
    case H5T_COMPOUND:
      return complexes(name);
    case H5T_STRING:
      return strings(name);
    default:
      return doubles(name);
  }
}

std::string Hdf5Reader::text(const std::string& name) const {
  const QuietErrors quiet;
  const Hdf5Id data(H5Dopen2(file_.get(), name.c_str(), H5P_DEFAULT), H5Dclose);
  checked(data.get(), path_, "has no dataset " + name);
  const Hdf5Id type(H5Dget_type(data.get()), H5Tclose);
  if (H5Tget_class(type.get()) != H5T_STRING || H5Tis_variable_str(type.get()) > 0)
    fail_with_reason(path_, name + " is not a text");
  if (count(name) != 1) refuse_changed(name + " is not one text");
  std::string value(H5Tget_size(type.get()), '\0');
  read(name, type.get(), value.data());
  value.resize(std::min(value.find('\0'), value.size()));
  return utf8_text(std::move(value));
}

std::string Hdf5Reader::attribute_text(const std::string& object,
                                       const char* name) const {
  const QuietErrors quiet;
  const std::string what = fmt::format("has no text attribute {} of {}", name, object);
  const Hdf5Id attribute(
      H5Aopen_by_name(file_.get(), object.c_str(), name, H5P_DEFAULT, H5P_DEFAULT),
      H5Aclose);
  checked(attribute.get(), path_, what);
  const Hdf5Id type(H5Aget_type(attribute.get()), H5Tclose);
  if (H5Tis_variable_str(type.get()) <= 0 || !is_one_value(attribute))
    fail_with_reason(path_, what);
  char* pointer = nullptr;
  checked(H5Aread(attribute.get(), type.get(), &pointer), path_, what);
  std::string value(pointer ? pointer : "");
  H5free_memory(pointer);
  return utf8_text(std::move(value));
}

std::int64_t Hdf5Reader::attribute_integer(const std::string& object,
                                           const char* name) const {
  std::int64_t value = 0;
  read_attribute(object, name, H5T_NATIVE_INT64, &value);
  return value;
}

double Hdf5Reader::attribute_real(const std::string& object, const char* name) const {
  double value = 0;
  read_attribute(object, name, H5T_NATIVE_DOUBLE, &value);
  return value;
}

void Hdf5Reader::read_attribute(const std::string& object, const char* name,
                                std::int64_t type, void* value) const {
  const QuietErrors quiet;
  const std::string what = fmt::format("has no number attribute {} of {}", name, object);
  const Hdf5Id attribute(
      H5Aopen_by_name(file_.get(), object.c_str(), name, H5P_DEFAULT, H5P_DEFAULT),
      H5Aclose);
  checked(attribute.get(), path_, what);
  if (!is_one_value(attribute)) fail_with_reason(path_, what);
  checked(H5Aread(attribute.get(), type, value), path_, what);
}

bool Hdf5Reader::has_attribute(const std::string& object, const char* name) const {
  const QuietErrors quiet;
  return H5Aexists_by_name(file_.get(), object.c_str(), name, H5P_DEFAULT) > 0;
}

std::vector<std::string> Hdf5Reader::children(const std::string& group) const {
  const QuietErrors quiet;
  std::vector<std::string> names;
  const auto keep = [](hid_t, const char* name, const H5L_info_t*, void* out) -> herr_t {
    static_cast<std::vector<std::string>*>(out)->emplace_back(name);
    return 0;
  };
  const Hdf5Id id(H5Gopen2(file_.get(), group.c_str(), H5P_DEFAULT), H5Gclose);
  checked(id.get(), path_, "has no group " + group);
  checked(H5Literate(id.get(), H5_INDEX_NAME, H5_ITER_INC, nullptr, keep, &names), path_,
          "cannot list " + group);
  std::sort(names.begin(), names.end(), [](const std::string& a, const std::string& b) {
    return a.size() != b.size() ? a.size() < b.size() : a < b;
  });
  return names;
}

}  // namespace thinwire
