#include "io/result/hdf5_image.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

namespace thinwire {

void Hdf5Image::leave_out(std::size_t first, std::size_t size) {
  std::string& before = parts_.before;
  if (before.size() > first + size) parts_.after = before.substr(first + size);
  before.resize(first);
  left_out_ = size;
}

bool Hdf5Image::write(std::size_t first, const char* bytes, std::size_t size) try {
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
} catch (const std::bad_alloc&) {
  return false;  // no exception may pass through the library
}

bool Hdf5Image::read(std::size_t first, char* bytes, std::size_t size) {
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
