#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace thinwire {

// The HDF5 library trusts what it reads: a file with flipped bits can crash it. So each
// HDF5 file that thinwire writes ends, behind what HDF5 takes for the end, in one line
//   thinwire crc64 0123456789abcdef
// which reveals damage before the library reads the file, unless the line itself is
// damaged; then it is as if cut off. Programs that change such a file through HDF5 cut it
// off.

/// CRC-64 of the bytes that are added: the polynomial of ECMA-182, bits reflected, as in
/// xz. It misses no change within 64 bits in a row, and of others one in 2^64.
class Crc64 {
 public:
  void add(std::string_view bytes);
  std::uint64_t value() const { return ~state_; }

 private:
  std::uint64_t state_ = ~std::uint64_t{0};
};

/// The CRC-64 of a text in 16 hexadecimal digits.
std::string checksum_digits(std::string_view text);

/// Appends the line.
void append_checksum(std::string& file);

/// The line for a file of these parts, one after another.
std::string checksum_line(std::span<const std::string_view> parts);
/// The line for what a file holds, which is read piece by piece. Throws Error{file}, and
/// Error{interrupted} where `stop` is set.
std::string checksum_line(const std::filesystem::path& path,
                          const std::atomic<bool>* stop = nullptr);

/// Whether the file ends in such a line, right or wrong.
bool has_checksum(const std::filesystem::path& path);

/// Reads the whole file and throws Error{file} unless it ends in the line that the bytes
/// before it ask for.
void require_checksum(const std::filesystem::path& path);

}  // namespace thinwire
