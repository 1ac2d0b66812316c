#include "io/result/hdf5_file.h"

#include <fmt/format.h>
#include <hdf5.h>
#include <hdf5_hl.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <type_traits>

#include "kernels/base/error.h"

namespace thinwire {
namespace {

static_assert(std::is_same_v<hid_t, std::int64_t>);
static_assert(std::is_same_v<herr_t, int>);

/// Keeps HDF5 from printing its error stack; the reason goes into our Error instead.
class QuietErrors {
 public:
  QuietErrors() {
    H5Eget_auto2(H5E_DEFAULT, &function_, &data_);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  }
  ~QuietErrors() { H5Eset_auto2(H5E_DEFAULT, function_, data_); }
  QuietErrors(const QuietErrors&) = delete;
  QuietErrors& operator=(const QuietErrors&) = delete;

 private:
  H5E_auto2_t function_ = nullptr;
  void* data_ = nullptr;
};

/// The innermost description on HDF5's error stack: the cause.
std::string reason() {
  std::string text;
  const auto keep_last = [](unsigned, const H5E_error2_t* error, void* out) -> herr_t {
    if (error->desc && *error->desc) *static_cast<std::string*>(out) = error->desc;
    return 0;
  };
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_DOWNWARD, keep_last, &text);
  H5Eclear2(H5E_DEFAULT);
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text.empty() ? "no reason given by HDF5" : text;
}

[[noreturn]] void fail(const std::filesystem::path& path, std::string_view what) {
  throw Error(ErrorKind::file,
              fmt::format("{}: {} ({}).", path.string(), what, reason()));
}

/// `status` of an HDF5 call, which is negative on failure.
template <class T>
T checked(T status, const std::filesystem::path& path, std::string_view what) {
  if (status < 0) fail(path, what);
  return status;
}

Hdf5Id make_complex_type() {
  Hdf5Id type(H5Tcreate(H5T_COMPOUND, sizeof(Complex)), H5Tclose);
  H5Tinsert(type.get(), "r", 0, H5T_NATIVE_DOUBLE);
  H5Tinsert(type.get(), "i", sizeof(double), H5T_NATIVE_DOUBLE);
  return type;
}

/// A UTF-8 string type of `size` bytes, or of variable length.
Hdf5Id make_string_type(std::size_t size) {
  Hdf5Id type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type.get(), size);
  H5Tset_cset(type.get(), H5T_CSET_UTF8);
  H5Tset_strpad(type.get(), H5T_STR_NULLPAD);
  return type;
}

Hdf5Id make_space(const Shape& shape) {
  if (shape.empty()) return {H5Screate(H5S_SCALAR), H5Sclose};
  const std::vector<hsize_t> extent(shape.begin(), shape.end());
  return {H5Screate_simple(static_cast<int>(extent.size()), extent.data(), nullptr),
          H5Sclose};
}

std::vector<const char*> pointers_to(const std::vector<std::string>& texts) {
  std::vector<const char*> pointers;
  for (const std::string& text : texts) pointers.push_back(text.c_str());
  return pointers;
}

std::size_t product(const Shape& shape) {
  return std::accumulate(shape.begin(), shape.end(), std::size_t{1}, std::multiplies<>());
}

}  // namespace

Hdf5Writer::Hdf5Writer(const std::filesystem::path& path) : path_(path) {
  const QuietErrors quiet;
  constexpr std::size_t growth_bytes = 1 << 20;
  constexpr hbool_t to_disk = 0;
  const Hdf5Id access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  checked(H5Pset_fapl_core(access.get(), growth_bytes, to_disk), path_,
          "cannot be built in memory");
  // The name is not used, but HDF5 refuses to open one name twice.
  const std::string name = fmt::format("{}#{}", path.string(), static_cast<void*>(this));
  file_ =
      Hdf5Id(checked(H5Fcreate(name.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.get()),
                     path_, "cannot be built in memory"),
             H5Fclose);
  text_type_ = make_string_type(H5T_VARIABLE);
  one_ = make_space({});
  links_ = Hdf5Id(H5Pcreate(H5P_LINK_CREATE), H5Pclose);
  H5Pset_create_intermediate_group(links_.get(), 1);
  // HDF5 converts texts in a buffer that it clears, of a megabyte unless told otherwise.
  transfer_ = Hdf5Id(H5Pcreate(H5P_DATASET_XFER), H5Pclose);
  H5Pset_buffer(transfer_.get(), 1 << 14, nullptr, nullptr);
}

Hdf5Id Hdf5Writer::write(const std::string& name, std::int64_t type, const void* values,
                         std::size_t count, const Shape& shape, Quantity quantity) {
  const QuietErrors quiet;
  if (count != product(shape))
    throw Error(ErrorKind::file,
                fmt::format("{}: {} does not fill its shape ({} values for {} places).",
                            path_.string(), name, count, product(shape)));
  const Hdf5Id space = make_space(shape);
  Hdf5Id data(H5Dcreate2(file_.get(), name.c_str(), type, space.get(), links_.get(),
                         H5P_DEFAULT, H5P_DEFAULT),
              H5Dclose);
  checked(data.get(), path_, "cannot create " + name);
  if (count > 0)
    checked(H5Dwrite(data.get(), type, H5S_ALL, H5S_ALL, transfer_.get(), values), path_,
            "cannot write " + name);
  write_text(data, name, "units", quantity.units);
  write_text(data, name, "long_name", quantity.long_name);
  return data;
}

void Hdf5Writer::make_axis(const std::string& name, Hdf5Id data, std::size_t length) {
  const QuietErrors quiet;
  checked(H5DSset_scale(data.get(), name.substr(name.rfind('/') + 1).c_str()), path_,
          "cannot make an axis of " + name);
  axes_.insert_or_assign(name, Axis{length, std::move(data)});
}

void Hdf5Writer::axis(const std::string& name, std::span<const double> values,
                      Quantity quantity) {
  make_axis(name,
            write(name, H5T_NATIVE_DOUBLE, values.data(), values.size(), {values.size()},
                  quantity),
            values.size());
}

void Hdf5Writer::axis(const std::string& name, std::span<const std::int64_t> values,
                      Quantity quantity) {
  make_axis(name,
            write(name, H5T_NATIVE_INT64, values.data(), values.size(), {values.size()},
                  quantity),
            values.size());
}

void Hdf5Writer::axis(const std::string& name, const std::vector<std::string>& values,
                      std::string_view long_name) {
  const std::vector<const char*> pointers = pointers_to(values);
  make_axis(name,
            write(name, text_type_.get(), pointers.data(), pointers.size(),
                  {values.size()}, {"1", long_name}),
            values.size());
}

void Hdf5Writer::counting_axis(const std::string& name, std::size_t count,
                               std::int64_t first, std::string_view long_name) {
  std::vector<std::int64_t> values(count);
  std::iota(values.begin(), values.end(), first);
  axis(name, values, {"1", long_name});
}

void Hdf5Writer::write_along(const std::string& name, std::int64_t type,
                             const void* values, std::size_t count, const Axes& axes,
                             Quantity quantity) {
  Shape shape;
  std::vector<const Axis*> known;
  for (const std::string& along : axes) {
    const auto found = axes_.find(along);
    if (found == axes_.end())
      throw Error(ErrorKind::file,
                  fmt::format("{}: {} has no axis {}.", path_.string(), name, along));
    shape.push_back(found->second.length);
    known.push_back(&found->second);
  }
  const Hdf5Id data = write(name, type, values, count, shape, quantity);
  const QuietErrors quiet;
  for (unsigned i = 0; i < known.size(); ++i)
    checked(H5DSattach_scale(data.get(), known[i]->data.get(), i), path_,
            fmt::format("cannot attach {} to {}", axes[i], name));
}

std::int64_t Hdf5Writer::complex_type() {
  if (complex_type_.get() >= 0) return complex_type_.get();
  const QuietErrors quiet;
  complex_type_ = make_complex_type();
  checked(H5Tcommit2(file_.get(), "/complex", complex_type_.get(), H5P_DEFAULT,
                     H5P_DEFAULT, H5P_DEFAULT),
          path_, "cannot name the type of complex numbers");
  return complex_type_.get();
}

void Hdf5Writer::dataset(const std::string& name, std::span<const double> values,
                         const Axes& axes, Quantity quantity) {
  write_along(name, H5T_NATIVE_DOUBLE, values.data(), values.size(), axes, quantity);
}

void Hdf5Writer::dataset(const std::string& name, std::span<const Complex> values,
                         const Axes& axes, Quantity quantity) {
  write_along(name, complex_type(), values.data(), values.size(), axes, quantity);
}

void Hdf5Writer::dataset(const std::string& name, std::span<const std::int64_t> values,
                         const Axes& axes, Quantity quantity) {
  write_along(name, H5T_NATIVE_INT64, values.data(), values.size(), axes, quantity);
}

void Hdf5Writer::dataset(const std::string& name, const std::vector<std::string>& values,
                         const Axes& axes, std::string_view long_name) {
  const std::vector<const char*> pointers = pointers_to(values);
  write_along(name, text_type_.get(), pointers.data(), pointers.size(), axes,
              {"1", long_name});
}

void Hdf5Writer::scalar(const std::string& name, double value, Quantity quantity) {
  write(name, H5T_NATIVE_DOUBLE, &value, 1, {}, quantity);
}

void Hdf5Writer::text(const std::string& name, std::string_view value,
                      std::string_view long_name) {
  const Hdf5Id type = make_string_type(std::max<std::size_t>(value.size(), 1));
  const std::string padded(value.empty() ? std::string(1, '\0') : std::string(value));
  write(name, type.get(), padded.data(), 1, {}, {"1", long_name});
}

Hdf5Id Hdf5Writer::open(const std::string& object) {
  const QuietErrors quiet;
  Hdf5Id id(H5Oopen(file_.get(), object.c_str(), H5P_DEFAULT), H5Oclose);
  checked(id.get(), path_, "has no " + object);
  return id;
}

void Hdf5Writer::write_attribute(const Hdf5Id& on, const std::string& object,
                                 const char* name, std::int64_t type, const void* value) {
  const QuietErrors quiet;
  const Hdf5Id attribute(
      H5Acreate2(on.get(), name, type, one_.get(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  const std::string what = fmt::format("cannot write attribute {} of {}", name, object);
  checked(attribute.get(), path_, what);
  checked(H5Awrite(attribute.get(), type, value), path_, what);
}

void Hdf5Writer::write_text(const Hdf5Id& on, const std::string& object, const char* name,
                            std::string_view value) {
  // Variable length: h5py then gives a str, not bytes.
  const std::string terminated(value);
  const char* pointer = terminated.c_str();
  write_attribute(on, object, name, text_type_.get(), &pointer);
}

void Hdf5Writer::attribute(const std::string& object, const char* name,
                           std::string_view value) {
  write_text(open(object), object, name, value);
}

void Hdf5Writer::attribute(const std::string& object, const char* name,
                           std::int64_t value) {
  write_attribute(open(object), object, name, H5T_NATIVE_INT64, &value);
}

void Hdf5Writer::attribute(const std::string& object, const char* name, double value) {
  write_attribute(open(object), object, name, H5T_NATIVE_DOUBLE, &value);
}

std::string Hdf5Writer::take_image() {
  const QuietErrors quiet;
  const char* what = "cannot be put together";
  checked(H5Fflush(file_.get(), H5F_SCOPE_LOCAL), path_, what);
  const ssize_t size = checked(H5Fget_file_image(file_.get(), nullptr, 0), path_, what);
  std::string image(static_cast<std::size_t>(size), '\0');
  checked(H5Fget_file_image(file_.get(), image.data(), image.size()), path_, what);
  // The axes and the named type keep the file open.
  axes_.clear();
  complex_type_ = Hdf5Id();
  checked(H5Fclose(file_.release()), path_, what);
  return image;
}

Hdf5Reader::Hdf5Reader(const std::filesystem::path& path) : path_(path) {
  const QuietErrors quiet;
  file_ = Hdf5Id(checked(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), path_,
                         "cannot be read as an HDF5 file"),
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

std::size_t Hdf5Reader::count(const std::string& name) const {
  return product(shape(name));
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
    values.emplace_back(pointer ? pointer : "");
    H5free_memory(pointer);
  }
  return values;
}

std::string Hdf5Reader::text(const std::string& name) const {
  const QuietErrors quiet;
  const Hdf5Id data(H5Dopen2(file_.get(), name.c_str(), H5P_DEFAULT), H5Dclose);
  checked(data.get(), path_, "has no dataset " + name);
  const Hdf5Id type(H5Dget_type(data.get()), H5Tclose);
  if (H5Tget_class(type.get()) != H5T_STRING || H5Tis_variable_str(type.get()) > 0)
    fail(path_, name + " is not a text");
  std::string value(H5Tget_size(type.get()), '\0');
  read(name, type.get(), value.data());
  value.resize(std::min(value.find('\0'), value.size()));
  return value;
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
  if (H5Tis_variable_str(type.get()) <= 0) fail(path_, what);
  char* pointer = nullptr;
  checked(H5Aread(attribute.get(), type.get(), &pointer), path_, what);
  const std::string value(pointer ? pointer : "");
  H5free_memory(pointer);
  return value;
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
