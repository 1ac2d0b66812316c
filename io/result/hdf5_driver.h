#pragma once

#include <cstddef>

#include "io/result/hdf5_file.h"

namespace thinwire {

/// The bytes of one open HDF5 file, which the HDF5 library reads and writes through a
/// file driver instead of on the disk by itself. No function throws.
class Hdf5Driver {
 public:
  virtual ~Hdf5Driver() = default;

  /// Returns access properties for H5Fcreate or H5Fopen. This must outlive the file.
  Hdf5Id access();

  /// Reads bytes from `first` on; zeros behind the end. Returns false on failure.
  virtual bool read(std::size_t first, char* bytes, std::size_t size) = 0;
  virtual bool write(std::size_t first, const char* bytes, std::size_t size) = 0;
  /// Returns the number of bytes there are.
  virtual std::size_t size() const = 0;

  /// Bytes that HDF5 has given out.
  std::size_t length = 0;
};

}  // namespace thinwire
