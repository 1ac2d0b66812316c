#include "io/result/hdf5_driver.h"

#include <hdf5.h>

#include <algorithm>
#include <iterator>
#include <new>

namespace thinwire {
namespace {

/// An open file, as HDF5 knows it.
struct OpenFile : H5FD_t {
  Hdf5Driver* driver = nullptr;
};

Hdf5Driver& driver_of(const H5FD_t* file) {
  return *static_cast<const OpenFile*>(file)->driver;
}

/// Data of the access properties: HDF5 copies it byte by byte.
struct Info {
  Hdf5Driver* driver;
};

H5FD_t* open(const char*, unsigned, hid_t access, haddr_t) {
  const auto* info = static_cast<const Info*>(H5Pget_driver_info(access));
  if (info == nullptr) return nullptr;
  auto* file = new (std::nothrow) OpenFile{};
  if (file != nullptr) file->driver = info->driver;
  return file;
}

herr_t close(H5FD_t* file) {
  delete static_cast<OpenFile*>(file);
  return 0;
}

/// Small pieces are collected into larger ones before they are written.
herr_t query(const H5FD_t*, unsigned long* flags) {
  *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA |
           H5FD_FEAT_DATA_SIEVE | H5FD_FEAT_AGGREGATE_SMALLDATA;
  return 0;
}

haddr_t get_length(const H5FD_t* file, H5FD_mem_t) {
  return driver_of(file).length;
}

herr_t set_length(H5FD_t* file, H5FD_mem_t, haddr_t length) {
  driver_of(file).length = length;
  return 0;
}

haddr_t get_size(const H5FD_t* file, H5FD_mem_t) {
  return driver_of(file).size();
}

herr_t read(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t first, std::size_t size, void* to) {
  return driver_of(file).read(first, static_cast<char*>(to), size) ? 0 : -1;
}

herr_t write(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t first, std::size_t size,
             const void* from) {
  return driver_of(file).write(first, static_cast<const char*>(from), size) ? 0 : -1;
}

hid_t registered_driver() {
  H5FD_class_t driver = {};
#ifdef H5FD_CLASS_VERSION  // HDF5 1.14 and later
  driver.version = H5FD_CLASS_VERSION;
  driver.value = static_cast<H5FD_class_value_t>(300);  // from 300 on free for programs
#endif
  driver.name = "thinwire";
  driver.maxaddr = static_cast<haddr_t>(1) << 62;
  driver.fc_degree = H5F_CLOSE_WEAK;
  driver.fapl_size = sizeof(Info);
  driver.open = open;
  driver.close = close;
  driver.query = query;
  driver.get_eoa = get_length;
  driver.set_eoa = set_length;
  driver.get_eof = get_size;
  driver.read = read;
  driver.write = write;
  constexpr H5FD_mem_t kinds[] = H5FD_FLMAP_DICHOTOMY;
  std::copy(std::begin(kinds), std::end(kinds), driver.fl_map);
  return H5FDregister(&driver);
}

}  // namespace

Hdf5Id Hdf5Driver::access() {
  static const hid_t registered = registered_driver();
  const Info info = {this};
  Hdf5Id access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  if (H5Pset_driver(access.get(), registered, &info) < 0) return {};
  return access;
}

}  // namespace thinwire
