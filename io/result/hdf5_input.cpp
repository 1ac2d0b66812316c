#include "io/result/hdf5_input.h"

#include <fcntl.h>
#include <hdf5.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

#include "io/result/hdf5_calls.h"

namespace thinwire {
namespace {

/// An open file, as HDF5 knows it.
struct Input : H5FD_t {
  int descriptor = -1;
  struct stat opened = {};
  haddr_t end = 0;  ///< of what HDF5 has given out

  Input() : H5FD_t() {}
  Input(const Input&) = delete;
  Input& operator=(const Input&) = delete;
  ~Input() {
    if (descriptor >= 0) ::close(descriptor);
  }

  bool is_unchanged() const {
    struct stat now = {};
    return ::fstat(descriptor, &now) == 0 && now.st_size == opened.st_size &&
           now.st_mtim.tv_sec == opened.st_mtim.tv_sec &&
           now.st_mtim.tv_nsec == opened.st_mtim.tv_nsec;
  }
};

H5FD_t* open_input(const char* path, unsigned flags, hid_t, haddr_t) {
  if ((flags & H5F_ACC_RDWR) != 0) return nullptr;
  std::unique_ptr<Input> input(new (std::nothrow) Input);
  if (!input) return nullptr;
  input->descriptor = ::open(path, O_RDONLY | O_CLOEXEC);
  const bool opened =
      input->descriptor >= 0 && ::fstat(input->descriptor, &input->opened) == 0;
  return opened ? input.release() : nullptr;
}

herr_t close_input(H5FD_t* file) {
  delete static_cast<Input*>(file);
  return 0;
}

herr_t query_input(const H5FD_t*, unsigned long* flags) {
  *flags = H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE;
  return 0;
}

haddr_t input_end(const H5FD_t* file, H5FD_mem_t) {
  return static_cast<const Input*>(file)->end;
}

herr_t set_input_end(H5FD_t* file, H5FD_mem_t, haddr_t end) {
  static_cast<Input*>(file)->end = end;
  return 0;
}

haddr_t input_length(const H5FD_t* file, H5FD_mem_t) {
  return static_cast<haddr_t>(static_cast<const Input*>(file)->opened.st_size);
}

herr_t fail_read(const char* why) {
  (void)H5Epush2(H5E_DEFAULT, __FILE__, __func__, __LINE__, H5E_ERR_CLS, H5E_VFL,
                 H5E_READERROR, "%s", why);
  return -1;
}

/// Space that HDF5 has given out behind the end of the file is zero.
herr_t read_input(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t first, std::size_t size,
                  void* to) {
  const auto& input = *static_cast<const Input*>(file);
  auto* bytes = static_cast<char*>(to);
  while (size > 0) {
    const ssize_t got = ::pread(input.descriptor, bytes, size, static_cast<off_t>(first));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail_read(std::strerror(errno));
    if (got == 0) break;
    bytes += got;
    first += static_cast<haddr_t>(got);
    size -= static_cast<std::size_t>(got);
  }
  std::memset(bytes, 0, size);
  return input.is_unchanged()
             ? 0
             : fail_read("it was changed while it was open: open it again");
}

herr_t write_nothing(H5FD_t*, H5FD_mem_t, hid_t, haddr_t, std::size_t, const void*) {
  return -1;
}

hid_t input_driver() {
  H5FD_class_t driver = {};
  driver.name = "thinwire_input";
  driver.open = open_input;
  driver.close = close_input;
  driver.query = query_input;
  driver.get_eoa = input_end;
  driver.set_eoa = set_input_end;
  driver.get_eof = input_length;
  driver.read = read_input;
  driver.write = write_nothing;
  return register_driver(driver, 301);
}

}  // namespace

Hdf5Id input_access() {
  static const hid_t driver = input_driver();
  Hdf5Id access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  if (H5Pset_driver(access.get(), driver, nullptr) < 0) return {};
  return access;
}

}  // namespace thinwire
