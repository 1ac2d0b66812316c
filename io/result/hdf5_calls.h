#pragma once

#include <fmt/format.h>
#include <hdf5.h>

#include <filesystem>
#include <string_view>

#include "io/result/hdf5_file.h"

// Functions of the HDF5 library that the writer and the reader use.
namespace thinwire {

/// Keeps HDF5 from printing its error stack; the reason goes into our Error instead.
class QuietErrors {
 public:
  QuietErrors();
  ~QuietErrors();
  QuietErrors(const QuietErrors&) = delete;
  QuietErrors& operator=(const QuietErrors&) = delete;

 private:
  H5E_auto2_t function_ = nullptr;
  void* data_ = nullptr;
};

/// Throws Error{file} with HDF5's own reason.
[[noreturn]] void fail_with_reason(const std::filesystem::path& path,
                                   std::string_view what);

/// `status` of an HDF5 call, which is negative on failure.
template <class T>
T checked(T status, const std::filesystem::path& path, std::string_view what) {
  if (status < 0) fail_with_reason(path, what);
  return status;
}

Hdf5Id make_complex_type();

/// A UTF-8 string type of `size` bytes, or of variable length.
Hdf5Id make_string_type(std::size_t size);

/// The places of an array.
std::size_t product(const Shape& shape);

}  // namespace thinwire
