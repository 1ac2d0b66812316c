#include "io/result/journal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>
#include <set>
#include <sstream>
#include <string_view>

#include <thinwire_version.h>

#include "io/result/checksum.h"
#include "io/result/output_file.h"
#include "kernels/base/error.h"
#include "kernels/base/printable.h"

namespace thinwire {
namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

std::string line_of(std::string_view text) {
  return fmt::format("{} {}\n", checksum_digits(text), text);
}

/// The text of a line without its end; nothing where the line is damaged.
std::optional<std::string> text_of(const std::string& line) {
  const std::size_t blank = line.find(' ');
  if (blank == line.npos) return std::nullopt;
  std::string text = line.substr(blank + 1);
  if (line.compare(0, blank, checksum_digits(text)) != 0) return std::nullopt;
  return text;
}

/// Whether a file is empty or the beginning of a header: its process was killed, or the
/// disk was full, before the header was there.
bool is_headless(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::string line;
  std::getline(in, line);
  if (!in.eof()) return false;
  constexpr std::size_t digits = 16;
  return line.empty() ||
         (line.find_first_not_of("0123456789abcdef") == digits &&
          std::string_view(line).substr(digits).starts_with(" {\"command\":"));
}

/// Has the disk keep the names of new files too, as far as the file system can.
void sync_folder(const fs::path& path) {
  const int folder = ::open(folder_of(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return;
  (void)::fsync(folder);
  ::close(folder);
}

/// Returns "process 1234 (thinwire solve a.nec)", which holds the lock of a file;
/// "another process" where the system does not name it.
std::string lock_owner(int file) {
  struct stat status = {};
  std::ifstream locks("/proc/locks");  // 1: FLOCK ADVISORY WRITE 1234 fd:01:5678 0 EOF
  for (std::string line; ::fstat(file, &status) == 0 && std::getline(locks, line);) {
    std::istringstream words(line);
    std::string number, kind, mode, access, place;
    long process = 0;
    words >> number >> kind >> mode >> access >> process >> place;
    if (kind != "FLOCK" || process <= 0 ||
        !place.ends_with(fmt::format(":{}", status.st_ino)))
      continue;
    std::ifstream command_line(fmt::format("/proc/{}/cmdline", process));
    std::string command(std::istreambuf_iterator<char>(command_line), {});
    while (!command.empty() && command.back() == '\0') command.pop_back();
    std::ranges::replace(command, '\0', ' ');
    return command.empty() ? fmt::format("process {}", process)
                           : fmt::format("process {} ({})", process, printable(command));
  }
  return "another process";
}

/// Locks a file until it is closed. Throws Error{file} where another process has it.
void lock(const fs::path& path, std::FILE* file) {
  if (::flock(::fileno(file), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    throw Error(
        ErrorKind::file,
        fmt::format(
            "{}: is in use: {} writes it. Wait for it, or choose another --output.",
            shown(path), lock_owner(::fileno(file))));
}

/// Whether the path still names an open file.
bool is_file_at(const fs::path& path, std::FILE* file) {
  struct stat opened = {}, named = {};
  return ::fstat(::fileno(file), &opened) == 0 && ::stat(path.c_str(), &named) == 0 &&
         opened.st_ino == named.st_ino && opened.st_dev == named.st_dev;
}

/// Names of members in which two objects differ: "--mesh, --vary".
std::string differing(const Json& a, const Json& b) {
  std::set<std::string> names;
  for (const auto& [of, other] : {std::pair(&a, &b), std::pair(&b, &a)})
    for (const auto& [name, value] : of->items())
      if (!other->contains(name) || other->at(name) != value) names.insert("--" + name);
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

fs::path Journal::beside(const fs::path& output) {
  return output.string() + ".journal";
}

bool Journal::is_left(const fs::path& path) {
  if (!fs::is_regular_file(path)) return fs::exists(path);
  if (is_headless(path)) return false;
  std::ifstream in(path, std::ios::binary);
  std::string header;
  std::getline(in, header);
  if (in.eof() || in.peek() != std::ifstream::traits_type::eof()) return true;
  // One line: the header of a journal without results, or somebody else's file.
  const Json json = Json::parse(text_of(header).value_or(""), nullptr, false);
  return !json.is_object() || json.value("format", "") != "thinwire-journal";
}

void Journal::refuse_left(const fs::path& path, bool resume, bool force) {
  if (fs::is_regular_file(path))
    if (const File file(std::fopen(path.c_str(), "rb")); file) lock(path, file.get());
  if (resume || force || !is_left(path)) return;
  throw Error(ErrorKind::usage,
              fmt::format("{} is left over from interrupted work. Give --resume to "
                          "continue it, or --force to start again.",
                          shown(path)));
}

Journal::Journal(fs::path path, const Json& work) : path_(std::move(path)) {
  Json header = work;
  header["format"] = "thinwire-journal";
  // Results mean the same to the program that wrote them only.
  header["version"] = THINWIRE_VERSION " (" THINWIRE_GIT_COMMIT ")";
  // As it is read back: what is no UTF-8 in a deck is replaced.
  header_ = Json::parse(header.dump(-1, ' ', false, Json::error_handler_t::replace));
}

void Journal::refuse_other(const Json& kept) const {
  const auto refuse = [this](const std::string& what) {
    throw Error(ErrorKind::usage,
                fmt::format("--resume: {} belongs to {}. Give the same again, or give "
                            "--force instead of --resume.",
                            shown(path_), what));
  };
  for (const char* name : {"format", "version"})
    if (kept.value(name, Json()) != header_.at(name))
      refuse("another version of this program");
  for (const auto& [name, value] : header_.items()) {
    const Json before = kept.value(name, Json());
    if (before == value) continue;
    if (value.is_object() && before.is_object())
      refuse(fmt::format("other {} ({})", name, differing(before, value)));
    refuse("another " + name);
  }
}

std::size_t Journal::resume(const Take& take) {
  if (!fs::exists(path_))
    throw Error(ErrorKind::file,
                fmt::format("{}: is not there: the work is finished, or was too short to "
                            "be kept. Leave --resume out.",
                            shown(path_)));
  open();
  has_begun_ = true;
  if (is_headless(path_)) {
    write_header();
    return 1;
  }
  std::ifstream in(path_, std::ios::binary);
  std::string line;
  std::getline(in, line);
  const Json header =
      Json::parse(in.eof() ? "" : text_of(line).value_or(std::string()), nullptr, false);
  if (!header.is_object())
    throw Error(ErrorKind::file,
                fmt::format("{}: is no journal of this program, or its first line is "
                            "damaged. Leave --resume out and give --force.",
                            shown(path_)));
  refuse_other(header);
  std::size_t left_out = 0;
  auto whole = static_cast<std::uintmax_t>(in.tellg());
  while (std::getline(in, line)) {
    bool is_taken = false;
    if (!in.eof()) {
      whole = static_cast<std::uintmax_t>(in.tellg());
      if (const std::optional<std::string> text = text_of(line)) try {
          const std::size_t blank = text->find(' ');
          take(text->substr(0, blank), text->substr(blank + 1));
          is_taken = true;
        } catch (const std::exception&) {
        }
    }
    left_out += is_taken ? 0 : 1;
  }
  truncate(whole);
  return left_out;
}

Journal::~Journal() {
  std::error_code ignored;
  if (file_ && !has_begun_) fs::remove(path_, ignored);
}

void Journal::claim() {
  const std::lock_guard lock(one_at_a_time_);
  take_path();
}

void Journal::begin() {
  const std::lock_guard lock(one_at_a_time_);
  start_file();
}

void Journal::add(const std::string& key, const std::string& text) {
  const std::string line = line_of(key + ' ' + text);
  const std::lock_guard lock(one_at_a_time_);
  if (has_begun_) return write(line);
  waiting_ += line;
  if (Clock::now() - start_ >= worth_keeping) start_file();
}

bool Journal::has_begun() const {
  const std::lock_guard lock(one_at_a_time_);
  return has_begun_;
}

void Journal::remove() {
  const std::lock_guard lock(one_at_a_time_);
  if (!file_) return;
  // A power cut leaves the journal or the result beside it.
  if (has_begun_) sync_folder(path_);
  // While the lock holds: the next process may have the name at once.
  fs::remove(path_);
  file_.reset();
}

void Journal::open() {
  if (fs::exists(path_) && !fs::is_regular_file(path_))
    refuse("it is no regular file", 0);
  File file;
  do {
    file.reset(std::fopen(path_.c_str(), "ab"));
    if (!file) refuse(std::strerror(errno), errno);
    lock(path_, file.get());
    // Another process may have removed what was opened before it was locked.
  } while (!is_file_at(path_, file.get()));
  file_ = std::move(file);
}

void Journal::take_path() {
  open();
  write_header();
}

void Journal::write_header() {
  truncate(0);
  write(line_of(header_.dump()));
}

void Journal::start_file() {
  if (!file_) take_path();
  has_begun_ = true;
  write(waiting_);
  waiting_.clear();
  sync_folder(path_);
}

void Journal::write(const std::string& lines) {
  if (std::fwrite(lines.data(), 1, lines.size(), file_.get()) != lines.size() ||
      std::fflush(file_.get()) != 0)
    refuse(std::strerror(errno), errno);
  if (Clock::now() >= next_sync_) sync();
}

void Journal::sync() {
  const Clock::time_point start = Clock::now();
  // Files that cannot be synced, as on some network file systems, are written all the
  // same.
  if (::fdatasync(::fileno(file_.get())) != 0 && errno != EINVAL && errno != EROFS)
    refuse(std::strerror(errno), errno);
  const Clock::time_point end = Clock::now();
  next_sync_ = end + 20 * (end - start);
}

void Journal::truncate(std::uintmax_t size) const {
  if (::ftruncate(::fileno(file_.get()), static_cast<off_t>(size)) != 0)
    refuse(std::strerror(errno), errno);
}

void Journal::refuse(const char* why, int code) const {
  const std::string_view remedy = remedy_of(code);
  throw Error(
      ErrorKind::file,
      fmt::format("{}: cannot be written ({}). {} another --output.", shown(path_), why,
                  remedy.empty()
                      ? "Choose"
                      : fmt::format("{}, then go on with --resume, or choose", remedy)));
}

}  // namespace thinwire
