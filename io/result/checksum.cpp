#include "io/result/checksum.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <fstream>

#include "kernels/base/error.h"
#include "kernels/base/printable.h"

namespace thinwire {
namespace {

constexpr std::string_view head = "\nthinwire crc64 ";
constexpr std::size_t line_size = head.size() + 16 + 1;

/// tables[n][b]: what byte b changes in the state when n more bytes follow it.
using Tables = std::array<std::array<std::uint64_t, 256>, 8>;

constexpr Tables make_tables() {
  constexpr std::uint64_t polynomial = 0xc96c5795d7870f42;
  Tables tables{};
  for (std::uint64_t byte = 0; byte < 256; ++byte) {
    std::uint64_t state = byte;
    for (int bit = 0; bit < 8; ++bit)
      state = (state >> 1) ^ ((state & 1) != 0 ? polynomial : 0);
    tables[0][byte] = state;
  }
  for (std::size_t n = 1; n < 8; ++n)
    for (std::size_t byte = 0; byte < 256; ++byte) {
      const std::uint64_t before = tables[n - 1][byte];
      tables[n][byte] = (before >> 8) ^ tables[0][before & 0xff];
    }
  return tables;
}

constexpr Tables tables = make_tables();
static_assert(std::endian::native == std::endian::little);

std::string line_of(std::uint64_t value) {
  return fmt::format("{}{:016x}\n", head, value);
}

/// The last bytes of a file, as many as the line has; empty where it has fewer.
std::string last_line(std::ifstream& in) {
  std::string line(line_size, '\0');
  in.seekg(-static_cast<std::streamoff>(line_size), std::ios::end);
  if (!in.read(line.data(), static_cast<std::streamsize>(line_size))) return {};
  return line;
}

/// Adds `size` bytes from where `in` stands, or as many as there are; gives how many.
/// Ends before where `stop` is set.
std::size_t add_from(std::ifstream& in, std::size_t size, Crc64& crc,
                     const std::atomic<bool>* stop = nullptr) {
  std::size_t added = 0;
  std::string part(std::size_t{1} << 20, '\0');
  while (added < size && !(stop && *stop) &&
         in.read(part.data(),
                 static_cast<std::streamsize>(std::min(size - added, part.size())))) {
    const auto got = static_cast<std::size_t>(in.gcount());
    crc.add(std::string_view(part).substr(0, got));
    added += got;
  }
  return added;
}

}  // namespace

void Crc64::add(std::string_view bytes) {
  while (bytes.size() >= 8) {
    std::uint64_t word;
    std::memcpy(&word, bytes.data(), 8);
    word ^= state_;
    state_ = 0;
    for (std::size_t n = 0; n < 8; ++n) state_ ^= tables[7 - n][(word >> (8 * n)) & 0xff];
    bytes.remove_prefix(8);
  }
  for (const char c : bytes)
    state_ = (state_ >> 8) ^ tables[0][(state_ ^ static_cast<unsigned char>(c)) & 0xff];
}

std::string checksum_digits(std::string_view text) {
  Crc64 crc;
  crc.add(text);
  return fmt::format("{:016x}", crc.value());
}

void append_checksum(std::string& file) {
  Crc64 crc;
  crc.add(file);
  file += line_of(crc.value());
}

std::string checksum_line(std::span<const std::string_view> parts) {
  Crc64 crc;
  for (const std::string_view part : parts) crc.add(part);
  return line_of(crc.value());
}

std::string checksum_line(const std::filesystem::path& path,
                          const std::atomic<bool>* stop) {
  std::error_code unknown;
  const std::size_t size = std::filesystem::file_size(path, unknown);
  std::ifstream in(path, std::ios::binary);
  Crc64 crc;
  if (!unknown && add_from(in, size, crc, stop) == size) return line_of(crc.value());
  if (stop && *stop)
    throw Error(ErrorKind::interrupted, shown(path) + ": not finished (interrupted).");
  throw Error(ErrorKind::file,
              shown(path) + ": cannot be read again for its checksum. Write elsewhere.");
}

bool has_checksum(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return last_line(in).starts_with(head);
}

void require_checksum(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  const std::string line = last_line(in);
  Crc64 crc;
  if (!line.empty()) {
    const auto size = static_cast<std::size_t>(in.tellg()) - line_size;
    in.seekg(0);
    add_from(in, size, crc);
  }
  if (line != line_of(crc.value()))
    throw Error(ErrorKind::file,
                fmt::format("{}: is damaged (its checksum does not match its contents).",
                            shown(path)));
}

}  // namespace thinwire
