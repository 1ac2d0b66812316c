#include "io/result/hdf5_calls.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <string>
#include <type_traits>

#include "kernels/base/error.h"
#include "kernels/base/printable.h"

namespace thinwire {

static_assert(std::is_same_v<hid_t, std::int64_t>);
static_assert(std::is_same_v<herr_t, int>);

namespace {

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

}  // namespace

QuietErrors::QuietErrors() {
  H5Eget_auto2(H5E_DEFAULT, &function_, &data_);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

QuietErrors::~QuietErrors() {
  H5Eset_auto2(H5E_DEFAULT, function_, data_);
}

void fail_with_reason(const std::filesystem::path& path, std::string_view what) {
  throw Error(ErrorKind::file, fmt::format("{}: {} ({}).", shown(path), what, reason()));
}

Hdf5Id make_complex_type() {
  Hdf5Id type(H5Tcreate(H5T_COMPOUND, sizeof(Complex)), H5Tclose);
  H5Tinsert(type.get(), "r", 0, H5T_NATIVE_DOUBLE);
  H5Tinsert(type.get(), "i", sizeof(double), H5T_NATIVE_DOUBLE);
  return type;
}

Hdf5Id make_string_type(std::size_t size) {
  Hdf5Id type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type.get(), size);
  H5Tset_cset(type.get(), H5T_CSET_UTF8);
  H5Tset_strpad(type.get(), H5T_STR_NULLPAD);
  return type;
}

std::size_t product(const Shape& shape) {
  return std::accumulate(shape.begin(), shape.end(), std::size_t{1}, std::multiplies<>());
}

}  // namespace thinwire
