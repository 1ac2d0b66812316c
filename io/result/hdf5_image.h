#pragma once

#include <cstddef>
#include <string>

#include "io/result/hdf5_driver.h"

namespace thinwire {

/// The bytes of an HDF5 file under construction, in memory. One range of the file may be
/// left out: the bytes of a dataset that HDF5 itself never writes or reads.
///
///     | before | left out | after |
class Hdf5Image : public Hdf5Driver {
 public:
  /// Leaves out `size` bytes from `first` on: once, and where nothing was written yet.
  void leave_out(std::size_t first, std::size_t size);

  /// Both return false where the range left out is touched.
  bool write(std::size_t first, const char* bytes, std::size_t size) override;
  bool read(std::size_t first, char* bytes, std::size_t size) override;
  std::size_t size() const override { return length; }

  struct Parts {
    std::string before, after;
  };
  /// Returns the contents once the file is closed, and forgets them.
  Parts take();

 private:
  Parts parts_;
  std::size_t left_out_ = 0;  ///< bytes between them; 0: all is before
};

}  // namespace thinwire
