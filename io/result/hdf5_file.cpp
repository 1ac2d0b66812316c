#include "io/result/hdf5_file.h"

#include <fmt/format.h>
#include <hdf5.h>
#include <hdf5_hl.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "io/result/checksum.h"
#include "io/result/hdf5_calls.h"
#include "io/result/hdf5_image.h"
#include "io/result/output_file.h"
#include "kernels/base/error.h"
#include "kernels/base/printable.h"

namespace thinwire {
namespace {

Hdf5Id make_space(const Shape& shape) {
  if (shape.empty()) return {H5Screate(H5S_SCALAR), H5Sclose};
  const std::vector<hsize_t> extent(shape.begin(), shape.end());
  return {H5Screate_simple(static_cast<int>(extent.size()), extent.data(), nullptr),
          H5Sclose};
}

/// Texts as HDF5 takes them: UTF-8, as their type promises.
class Texts {
 public:
  explicit Texts(const std::vector<std::string>& texts) {
    for (const std::string& text : texts) texts_.push_back(utf8_text(text));
    for (const std::string& text : texts_) pointers_.push_back(text.c_str());
  }
  const char* const* data() const { return pointers_.data(); }
  std::size_t size() const { return pointers_.size(); }

 private:
  std::vector<std::string> texts_;
  std::vector<const char*> pointers_;
};

}  // namespace

Hdf5Writer::Hdf5Writer(const std::filesystem::path& path)
    : path_(path), image_(std::make_shared<Hdf5Image>()) {
  const QuietErrors quiet;
  const char* what = "cannot be built in memory";
  const Hdf5Id access = image_->access();
  checked(access.get(), path_, what);
  file_ = Hdf5Id(
      checked(H5Fcreate(path.string().c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.get()),
              path_, what),
      H5Fclose);
  text_type_ = make_string_type(H5T_VARIABLE);
  one_ = make_space({});
  links_ = Hdf5Id(H5Pcreate(H5P_LINK_CREATE), H5Pclose);
  H5Pset_create_intermediate_group(links_.get(), 1);
  // HDF5 converts texts in a buffer that it clears, of a megabyte unless told otherwise.
  transfer_ = Hdf5Id(H5Pcreate(H5P_DATASET_XFER), H5Pclose);
  H5Pset_buffer(transfer_.get(), 1 << 14, nullptr, nullptr);
}

Hdf5Id Hdf5Writer::create(const std::string& name, std::int64_t type, const Shape& shape,
                          Quantity quantity, std::int64_t creation) {
  const QuietErrors quiet;
  const Hdf5Id space = make_space(shape);
  Hdf5Id data(H5Dcreate2(file_.get(), name.c_str(), type, space.get(), links_.get(),
                         creation, H5P_DEFAULT),
              H5Dclose);
  checked(data.get(), path_, "cannot create " + name);
  write_text(data, name, "units", quantity.units);
  write_text(data, name, "long_name", quantity.long_name);
  return data;
}

Hdf5Id Hdf5Writer::write(const std::string& name, std::int64_t type, const void* values,
                         std::size_t count, const Shape& shape, Quantity quantity) {
  const QuietErrors quiet;
  if (count != product(shape))
    throw Error(ErrorKind::file,
                fmt::format("{}: {} does not fill its shape ({} values for {} places).",
                            shown(path_), name, count, product(shape)));
  Hdf5Id data = create(name, type, shape, quantity, H5P_DEFAULT);
  if (count > 0)
    checked(H5Dwrite(data.get(), type, H5S_ALL, H5S_ALL, transfer_.get(), values), path_,
            "cannot write " + name);
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
  const Texts texts(values);
  make_axis(name,
            write(name, text_type_.get(), texts.data(), texts.size(), {values.size()},
                  {"1", long_name}),
            values.size());
}

void Hdf5Writer::counting_axis(const std::string& name, std::size_t count,
                               std::int64_t first, std::string_view long_name) {
  std::vector<std::int64_t> values(count);
  std::iota(values.begin(), values.end(), first);
  axis(name, values, {"1", long_name});
}

Shape Hdf5Writer::shape_along(const std::string& name, const Axes& axes) const {
  Shape shape;
  for (const std::string& along : axes) {
    const auto found = axes_.find(along);
    if (found == axes_.end())
      throw Error(ErrorKind::file,
                  fmt::format("{}: {} has no axis {}.", shown(path_), name, along));
    shape.push_back(found->second.length);
  }
  return shape;
}

void Hdf5Writer::attach(const std::string& name, const Hdf5Id& data, const Axes& axes) {
  const QuietErrors quiet;
  for (unsigned i = 0; i < axes.size(); ++i)
    checked(H5DSattach_scale(data.get(), axes_.at(axes[i]).data.get(), i), path_,
            fmt::format("cannot attach {} to {}", axes[i], name));
}

void Hdf5Writer::write_along(const std::string& name, std::int64_t type,
                             const void* values, std::size_t count, const Axes& axes,
                             Quantity quantity) {
  attach(name, write(name, type, values, count, shape_along(name, axes), quantity), axes);
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
  const Texts texts(values);
  write_along(name, text_type_.get(), texts.data(), texts.size(), axes, {"1", long_name});
}

std::size_t Hdf5Writer::dataset_left_out(const std::string& name, const Axes& axes,
                                         Quantity quantity) {
  const QuietErrors quiet;
  const Shape shape = shape_along(name, axes);
  // Its place is given out at once, and nothing is written there.
  const Hdf5Id creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  H5Pset_alloc_time(creation.get(), H5D_ALLOC_TIME_EARLY);
  H5Pset_fill_time(creation.get(), H5D_FILL_TIME_NEVER);
  const Hdf5Id data = create(name, complex_type(), shape, quantity, creation.get());
  const haddr_t offset = H5Dget_offset(data.get());
  if (offset == HADDR_UNDEF) fail_with_reason(path_, "has no place for " + name);
  image_->leave_out(offset, product(shape) * sizeof(Complex));
  attach(name, data, axes);
  return offset;
}

void Hdf5Writer::scalar(const std::string& name, double value, Quantity quantity) {
  write(name, H5T_NATIVE_DOUBLE, &value, 1, {}, quantity);
}

void Hdf5Writer::text(const std::string& name, std::string_view bytes,
                      std::string_view long_name) {
  const std::string value = utf8_text(std::string(bytes));
  const Hdf5Id type = make_string_type(std::max<std::size_t>(value.size(), 1));
  const std::string padded(value.empty() ? std::string(1, '\0') : value);
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
  const std::string terminated = utf8_text(std::string(value));
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

void Hdf5Writer::close() {
  const QuietErrors quiet;
  // The axes and the named type keep the file open.
  axes_.clear();
  complex_type_ = Hdf5Id();
  checked(H5Fclose(file_.release()), path_, "cannot be put together");
}

std::string Hdf5Writer::take_image() {
  std::string image = take_parts().before;
  append_checksum(image);
  return image;
}

Hdf5Writer::Parts Hdf5Writer::take_parts() {
  close();
  Hdf5Image::Parts parts = image_->take();
  return {std::move(parts.before), std::move(parts.after)};
}

void write_result_file(const std::filesystem::path& path, Hdf5Writer& out,
                       std::span<const Complex> left_out, const std::atomic<bool>* stop) {
  const Hdf5Writer::Parts parts = out.take_parts();
  const std::string_view values(reinterpret_cast<const char*>(left_out.data()),
                                left_out.size_bytes());
  const std::string line =
      checksum_line(std::array<std::string_view, 3>{parts.before, values, parts.after});
  write_result_file(
      path, std::array<std::string_view, 4>{parts.before, values, parts.after, line},
      stop);
}

}  // namespace thinwire
