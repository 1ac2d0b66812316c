#include "io/result/output_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "kernels/base/error.h"
#include "kernels/base/printable.h"

namespace thinwire {
namespace fs = std::filesystem;
namespace {

[[noreturn]] void fail_with_errno(const fs::path& path, std::string_view what) {
  const int code = errno;
  const std::string_view remedy = remedy_of(code);
  fail_file(
      path, fmt::format("{} ({})", what, std::strerror(code)),
      remedy.empty() ? "Write elsewhere" : fmt::format("{} or write elsewhere", remedy));
}

/// A POSIX file descriptor.
class Descriptor {
 public:
  Descriptor(const fs::path& path, int flags) : fd_(::open(path.c_str(), flags)) {
    if (fd_ < 0) fail_with_errno(path, "cannot be opened for writing");
  }
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

void write_all(int descriptor, std::string_view bytes, const fs::path& path) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail_with_errno(path, "cannot be written");
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

[[noreturn]] void fail_interrupted(const fs::path& path) {
  throw Error(ErrorKind::interrupted, shown(path) + ": not written (interrupted).");
}

}  // namespace

std::string_view remedy_of(int code) {
  switch (code) {
    case ENOSPC:
    case EDQUOT:
      return "Free space there";
    case EFBIG:
      return "Raise the limit on the size of files (ulimit -f)";
    case EACCES:
    case EPERM:
      return "Change its permissions";
    default:
      return "";
  }
}

[[noreturn]] void fail_file(const fs::path& path, std::string_view problem,
                            std::string_view next_step) {
  throw Error(ErrorKind::file,
              fmt::format("{}: {}. {}.", shown(path), problem, next_step));
}

bool may_be_written_by_several(const fs::path& path) {
  struct statfs system = {};
  if (::statfs(path.c_str(), &system) != 0) return false;
  constexpr unsigned nfs = 0x6969, smb = 0x517b, cifs = 0xff534d42, smb2 = 0xfe534d42,
                     afs = 0x5346414f, plan_9 = 0x01021997, fuse = 0x65735546;
  constexpr unsigned by_pages[] = {nfs, smb, cifs, smb2, afs, plan_9, fuse};
  return std::ranges::find(by_pages, static_cast<unsigned>(system.f_type)) ==
         std::end(by_pages);
}

fs::path folder_of(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

std::string suffix_of(const fs::path& path) {
  std::string suffix = path.extension().string();
  std::ranges::transform(suffix, suffix.begin(), [](unsigned char c) {
    return static_cast<char>(std::tolower(c));
  });
  return suffix;
}

bool is_stdout(const fs::path& path) {
  return path == "-" || path == "/dev/stdout" || path == "/dev/fd/1" ||
         path == "/proc/self/fd/1";
}

bool is_written_directly(const fs::path& path) {
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  return is_stdout(path) || fs::is_fifo(status) || fs::is_character_file(status) ||
         (path.string().starts_with("/dev/") && !path.string().starts_with("/dev/shm/"));
}

void refuse_terminal(const fs::path& path) {
  if (is_stdout(path) && ::isatty(STDOUT_FILENO) != 0)
    throw Error(
        ErrorKind::usage,
        "--output -: standard output is a terminal, and HDF5 is not text. Redirect "
        "it or name a file.");
}

PartFile::PartFile(fs::path final_path)
    : final_(std::move(final_path)), part_(final_.string() + ".part") {}

PartFile::~PartFile() {
  close();
  std::error_code ignored;
  if (!stays_) fs::remove(part_, ignored);
}

void PartFile::sync() {
  if (::fsync(descriptor_) != 0) fail_with_errno(part_, "cannot be synced to the disk");
}

void PartFile::close() {
  if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
}

void PartFile::write(std::string_view text) {
  close();
  descriptor_ = ::open(part_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor_ < 0) fail_with_errno(part_, "cannot be opened for writing");
  stays_ = false;
  write_all(descriptor_, text, part_);
}

void PartFile::write_at(std::size_t offset, std::string_view bytes) {
  if (::lseek(descriptor_, static_cast<off_t>(offset), SEEK_SET) < 0)
    fail_with_errno(part_, "cannot be written");
  write_all(descriptor_, bytes, part_);
}

bool PartFile::join(std::string_view begins_with) {
  close();
  descriptor_ = ::open(part_.c_str(), O_RDWR | O_CLOEXEC);
  std::string there(begins_with.size(), '\0');
  stays_ = descriptor_ < 0 ||
           ::pread(descriptor_, there.data(), there.size(), 0) !=
               static_cast<ssize_t>(there.size()) ||
           there != begins_with;
  return !stays_;
}

void PartFile::leave() {
  sync();
  close();
  stays_ = true;
}

void PartFile::commit(const std::atomic<bool>* stop) {
  if (stop && *stop) fail_interrupted(final_);
  sync();
  close();
  if (::rename(part_.c_str(), final_.c_str()) != 0)
    fail_with_errno(final_, "cannot be given its name");
  stays_ = true;
}

void write_result_file(const fs::path& path, std::string_view bytes,
                       const std::atomic<bool>* stop) {
  write_result_file(path, std::span(&bytes, 1), stop);
}

void write_result_file(const fs::path& path, std::span<const std::string_view> parts,
                       const std::atomic<bool>* stop) {
  if (is_stdout(path)) {
    if (stop && *stop) fail_interrupted("standard output");
    // Earlier output must come first.
    std::fflush(stdout);
    for (const std::string_view part : parts)
      write_all(STDOUT_FILENO, part, "standard output");
  } else if (is_written_directly(path)) {
    if (stop && *stop) fail_interrupted(path);
    const Descriptor file(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
    for (const std::string_view part : parts) write_all(file.get(), part, path);
  } else {
    PartFile file(path);
    file.write({});
    std::size_t offset = 0;
    for (const std::string_view part : parts) {
      file.write_at(offset, part);
      offset += part.size();
    }
    file.commit(stop);
  }
}

}  // namespace thinwire
