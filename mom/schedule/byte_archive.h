#pragma once

#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "kernels/base/error.h"

namespace thinwire {

// Values as bytes, for other processes of this program and for its next start. A value is
// plain, a text, a list, or a type with a function beside it, static and in namespace
// thinwire, that hands on its members:
//
//     static void members(Warning& of, const auto& use) {
//       auto& [text, about] = of;  // the compiler sees that none is forgotten
//       use(text, about);
//     }

class ByteWriter {
 public:
  void copy(const void* from, std::size_t size) {
    bytes.append(static_cast<const char*>(from), size);
  }
  void expect(std::size_t) const {}

  std::string bytes;
};

class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : left_(bytes) {}
  void copy(void* to, std::size_t size) {
    expect(size);
    std::memcpy(to, left_.data(), size);
    left_.remove_prefix(size);
  }
  /// At least so many bytes are to come.
  void expect(std::size_t size) const {
    if (size > left_.size())
      throw Error(ErrorKind::file, "kept results are cut short. Solve them again.");
  }

 private:
  std::string_view left_;
};

template <class T>
inline constexpr bool is_byte_list = false;
template <class T>
inline constexpr bool is_byte_list<std::vector<T>> = true;
template <>
inline constexpr bool is_byte_list<std::string> = true;

/// Writes a value, or reads into it.
template <class Archive, class T>
void pass_bytes(Archive& archive, T& value) {
  if constexpr (std::is_trivially_copyable_v<T>) {
    archive.copy(&value, sizeof value);
  } else if constexpr (is_byte_list<T>) {
    std::size_t count = value.size();
    pass_bytes(archive, count);
    archive.expect(count);
    value.resize(count);
    for (auto& each : value) pass_bytes(archive, each);
  } else {
    members(value, [&archive](auto&... each) { (pass_bytes(archive, each), ...); });
  }
}

/// The bytes of a value.
template <class T>
std::string to_bytes(const T& value) {
  ByteWriter writer;
  // A writer only reads.
  pass_bytes(writer, const_cast<T&>(value));
  return std::move(writer.bytes);
}

/// The value that gave these bytes. Throws Error{file} where they were cut short.
template <class T>
T from_bytes(std::string_view bytes) {
  ByteReader reader(bytes);
  T value;
  pass_bytes(reader, value);
  return value;
}

}  // namespace thinwire
