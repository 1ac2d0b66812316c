#include "io/result/output_guard.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <vector>

#include "io/result/checksum.h"
#include "io/result/hdf5_file.h"
#include "io/result/journal.h"
#include "io/result/output_file.h"
#include "kernels/base/error.h"
#include "kernels/base/printable.h"

namespace thinwire {
namespace fs = std::filesystem;
namespace {

/// Checksums of larger files take long to check; their attributes are read without.
constexpr std::uintmax_t small_file_bytes = 64 << 20;

std::string kind_of_hdf5(const fs::path& path) {
  try {
    const Hdf5Reader in(path, fs::file_size(path) <= small_file_bytes
                                  ? Hdf5Reader::Checksum::checked
                                  : Hdf5Reader::Checksum::ignored);
    if (in.attribute_text("/", "format") != "thinwire") return "";
    if (!in.has_attribute("/", "content")) return std::string(file_kind::result);
    const std::string content = in.attribute_text("/", "content");
    if (content == "sweep") return std::string(file_kind::sweep);
    if (content == "optimization") return std::string(file_kind::optimization);
    if (content == "matrix") return std::string(file_kind::matrix);
    return report_kind(content);
  } catch (const Error&) {
    return has_checksum(path) ? "damaged" : "";
  }
}

/// head: the first kilobyte, in which the signature is at `at`.
std::string_view kind_of_text(std::string_view head, std::size_t at) {
  if (head.starts_with("! ")) return file_kind::touchstone;
  if (head.starts_with("CM ")) return file_kind::deck;
  if (head.starts_with("<!")) return file_kind::page;
  if (head.starts_with("<?xml")) return file_kind::vtk;
  if (head.starts_with("NAME ") || head.find("[ 1] Max Gain") != head.npos)
    return file_kind::pattern;
  if (!head.starts_with("# ")) return file_kind::listing;
  const std::string_view line = head.substr(at, head.find('\n', at) - at);
  if (line.find(" sweep from ") != line.npos) return file_kind::sweep_table;
  return line.find(" from ") != line.npos ? file_kind::table : file_kind::report_table;
}

/// The names under which an output stands in the file system, the last one first.
std::vector<fs::path> names_of(const PlannedOutput& output) {
  if (is_stdout(output.path)) return {"-"};
  std::vector<fs::path> names = {output.path};
  if (is_written_directly(output.path)) return names;
  names.emplace_back(output.path.string() + ".part");
  if (output.journal) names.push_back(Journal::beside(output.path));
  return names;
}

/// Whether two names are of one file, which need not be there.
bool are_same(const fs::path& a, const fs::path& b) {
  std::error_code failed;
  if (fs::equivalent(a, b, failed) && !failed) return true;
  return a.filename() == b.filename() &&
         fs::equivalent(folder_of(a), folder_of(b), failed) && !failed;
}

/// False for pipes and devices, which may be read and written at once.
bool is_file_or_new(const fs::path& path) {
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  return !fs::exists(status) || fs::is_regular_file(status);
}

/// Throws unless a file can be made and written there. What is there stays as it is.
void try_to_make(const fs::path& path) {
  std::error_code ignored;
  const fs::file_status there = fs::status(path, ignored);
  if (fs::exists(there) && !fs::is_regular_file(there))
    fail_file(path, "exists and is not a regular file", "Remove it or write elsewhere");
  const int made = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  const int file =
      made < 0 && errno == EEXIST ? ::open(path.c_str(), O_WRONLY | O_CLOEXEC) : made;
  if (file < 0)
    fail_file(path, fmt::format("cannot be made ({})", std::strerror(errno)),
              errno == ENAMETOOLONG ? "Choose a shorter name" : "Write elsewhere");
  ::close(file);
  if (made >= 0) ::unlink(path.c_str());
}

/// Whether a file may be the beginning of one that thinwire was writing when it was
/// killed: nothing yet, HDF5, or a matrix before its heading.
bool is_left_over(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  char first = 0;
  return !in.get(first) || first == 0 || first == '\x89';
}

/// Throws where what is at `path` is of no kind that may be replaced. left_over: it may
/// be the beginning of such a file, too.
void check_kind(const fs::path& path, const PlannedOutput& output, bool left_over) {
  std::error_code ignored;
  if (output.overwrite == Overwrite::any || !fs::exists(path, ignored)) return;
  const std::string kind = kind_of_file(path);
  if (kind == output.kind || kind == "damaged") return;
  if (output.overwrite == Overwrite::foreign && kind.empty()) return;
  if (left_over && kind.empty() && is_left_over(path)) return;
  if (kind.empty())
    fail_file(path, "exists and was not written by thinwire",
              "Choose another name or use --force");
  fail_file(path, fmt::format("exists and is {}, no place for {}", kind, output.kind),
            "Choose another name or use --force");
}

}  // namespace

std::string report_kind(std::string_view command) {
  return fmt::format("a report of {}", command);
}

std::string kind_of_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::string head(1024, '\0');
  in.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(in.gcount()));
  if (head.starts_with("\x89HDF\r\n\x1a\n")) return kind_of_hdf5(path);
  const std::size_t at = head.find(text_signature);
  return at == head.npos ? "" : std::string(kind_of_text(head, at));
}

void check_writable(const PlannedOutput& output) {
  const fs::path& path = output.path;
  if (is_stdout(path)) return;
  std::error_code ignored;
  const fs::path folder = folder_of(path);
  if (!path.has_filename()) fail_file(path, "is not a file name", "Name a file");
  if (is_written_directly(path) && !fs::is_directory(path, ignored)) {
    if (!fs::exists(path, ignored))
      fail_file(path, "does not exist, and no files are made there", "Write elsewhere");
    if (::access(path.c_str(), W_OK) == 0) return;
    fail_file(path, "is not writable", "Change its permissions or write elsewhere");
  }
  if (!fs::is_directory(folder, ignored))
    fail_file(path, fmt::format("folder {} does not exist", shown(folder)),
              "Make it or write elsewhere");
  if (::access(folder.c_str(), W_OK | X_OK) != 0)
    fail_file(path, fmt::format("folder {} is not writable", shown(folder)),
              "Change its permissions or write elsewhere");
  if (fs::exists(path, ignored) && !fs::is_regular_file(path, ignored))
    fail_file(path, "exists and is not a regular file", "Choose another name");
  if (fs::is_symlink(path, ignored) && !fs::exists(path, ignored))
    fail_file(path, "is a link to a file that does not exist", "Remove the link");
  const std::vector<fs::path> names = names_of(output);
  for (std::size_t i = 1; i < names.size(); ++i) try_to_make(names[i]);
  check_kind(path, output, false);
  if (names.size() > 1) check_kind(names[1], output, true);
}

void check_outputs(std::string_view command, std::span<const PlannedOutput> outputs,
                   std::span<const fs::path> inputs) {
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i].path.empty()) continue;
    const std::vector<fs::path> names = names_of(outputs[i]);
    for (const fs::path& name : names) {
      for (const fs::path& input : inputs)
        if (is_file_or_new(name) && are_same(name, input == "-" ? "/dev/stdin" : input))
          fail_file(name,
                    fmt::format("is what {} reads and would be overwritten", command),
                    "Choose another name");
      for (std::size_t j = 0; j < i; ++j)
        for (const fs::path& other : names_of(outputs[j]))
          if (!outputs[j].path.empty() && are_same(name, other))
            throw Error(ErrorKind::usage,
                        fmt::format("{}: {} is named for two outputs. Choose another "
                                    "name for one of them.",
                                    command, shown(name)));
    }
    check_writable(outputs[i]);
  }
}

}  // namespace thinwire
