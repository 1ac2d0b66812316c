#include "io/result/hdf5_image.h"

#include <hdf5.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "io/result/hdf5_calls.h"

namespace thinwire {
namespace {

/// An open file, as HDF5 knows it.
struct OpenImage : H5FD_t {
  Hdf5Image* image = nullptr;
};

Hdf5Image& image_of(const H5FD_t* file) {
  return *static_cast<const OpenImage*>(file)->image;
}

/// Data of the access properties: HDF5 copies it byte by byte.
struct Info {
  Hdf5Image* image;
};

H5FD_t* open(const char*, unsigned, hid_t access, haddr_t) {
  const auto* info = static_cast<const Info*>(H5Pget_driver_info(access));
  if (info == nullptr) return nullptr;
  auto* file = new (std::nothrow) OpenImage{};
  if (file != nullptr) file->image = info->image;
  return file;
}

herr_t close(H5FD_t* file) {
  delete static_cast<OpenImage*>(file);
  return 0;
}

/// Small pieces are collected into larger ones before they are written.
herr_t query(const H5FD_t*, unsigned long* flags) {
  *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA |
           H5FD_FEAT_DATA_SIEVE | H5FD_FEAT_AGGREGATE_SMALLDATA;
  return 0;
}

haddr_t get_length(const H5FD_t* file, H5FD_mem_t) {
  return image_of(file).length;
}

herr_t set_length(H5FD_t* file, H5FD_mem_t, haddr_t length) {
  image_of(file).length = length;
  return 0;
}

herr_t read(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t first, std::size_t size, void* to) {
  return image_of(file).read(first, static_cast<char*>(to), size) ? 0 : -1;
}

herr_t write(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t first, std::size_t size,
             const void* from) {
  try {
    return image_of(file).write(first, static_cast<const char*>(from), size) ? 0 : -1;
  } catch (const std::bad_alloc&) {
    return -1;  // no exception may pass through the library
  }
}

hid_t registered_driver() {
  H5FD_class_t driver = {};
  driver.name = "thinwire_image";
  driver.fapl_size = sizeof(Info);
  driver.open = open;
  driver.close = close;
  driver.query = query;
  driver.get_eoa = get_length;
  driver.set_eoa = set_length;
  driver.get_eof = get_length;
  driver.read = read;
  driver.write = write;
  return register_driver(driver, 300);
}

}  // namespace

Hdf5Id Hdf5Image::access() {
  static const hid_t driver = registered_driver();
  const Info info = {this};
  Hdf5Id access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  if (H5Pset_driver(access.get(), driver, &info) < 0) return {};
  return access;
}

void Hdf5Image::leave_out(std::size_t first, std::size_t size) {
  std::string& before = parts_.before;
  if (before.size() > first + size) parts_.after = before.substr(first + size);
  before.resize(first);
  left_out_ = size;
}

bool Hdf5Image::write(std::size_t first, const char* bytes, std::size_t size) {
  const std::size_t gap_end = parts_.before.size() + left_out_;
  if (left_out_ > 0 && first < gap_end && first + size > parts_.before.size())
    return false;
  const bool behind = left_out_ > 0 && first >= gap_end;
  std::string& part = behind ? parts_.after : parts_.before;
  const std::size_t at = behind ? first - gap_end : first, end = at + size;
  // A quarter more, as it grows in many steps.
  if (end > part.capacity()) part.reserve(end + end / 4);
  if (end > part.size()) part.resize(end);
  std::memcpy(part.data() + at, bytes, size);
  return true;
}

bool Hdf5Image::read(std::size_t first, char* bytes, std::size_t size) const {
  const std::size_t gap_end = parts_.before.size() + left_out_;
  if (left_out_ > 0 && first < gap_end && first + size > parts_.before.size())
    return false;
  const bool behind = left_out_ > 0 && first >= gap_end;
  const std::string& part = behind ? parts_.after : parts_.before;
  const std::size_t at = behind ? first - gap_end : first,
                    there = std::min(size, part.size() - std::min(at, part.size()));
  std::memcpy(bytes, part.data() + std::min(at, part.size()), there);
  std::memset(bytes + there, 0, size - there);
  return true;
}

Hdf5Image::Parts Hdf5Image::take() {
  Parts parts = std::exchange(parts_, {});
  // Space that was allocated and not written is zero.
  if (left_out_ > 0)
    parts.after.resize(length - parts.before.size() - left_out_);
  else
    parts.before.resize(length);
  return parts;
}

}  // namespace thinwire
