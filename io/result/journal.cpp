#include "io/result/journal.h"

#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>

#include "kernels/base/error.h"

namespace thinwire {
namespace {

using Json = nlohmann::json;
using Clock = std::chrono::steady_clock;
namespace fs = std::filesystem;

std::string dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// The first line; null where it is none of a journal of this kind.
Json read_header(std::istream& in, const Json& wanted) {
  std::string line;
  std::getline(in, line);
  Json header = Json::parse(line, nullptr, false);
  if (header.is_object() && header.value("format", Json()) == wanted.at("format"))
    return header;
  return nullptr;
}

void refuse_other(const fs::path& path, const Json& kept, const Json& wanted) {
  constexpr std::pair<const char*, const char*> parts[] = {
      {"version", "of another version of this program"},
      {"deck", "of another deck"},
      {"vary", "of another variation (--vary)"},
      {"frequency_hz", "of another variation (--vary f)"},
      {"settings", "of other values or solver options (--set, --mesh, ..)"}};
  for (const auto& [key, what] : parts)
    if (wanted.contains(key) &&
        kept.value(key, Json()) != Json::parse(dump(wanted.at(key))))
      throw Error(ErrorKind::usage,
                  fmt::format("--resume: {} is {}. Give what it was begun "
                              "with, or leave --resume out and give --force.",
                              path.string(), what));
}

}  // namespace

fs::path Journal::beside(const fs::path& output) {
  return output.string() + ".journal";
}

void Journal::refuse_left(const fs::path& path, bool resume, bool force) {
  if (resume || force || !fs::exists(path)) return;
  throw Error(ErrorKind::usage,
              fmt::format("{} is left of work that was stopped. Give --resume to go on "
                          "with it, or --force to begin anew.",
                          path.string()));
}

Journal::Journal(const fs::path& path)
    : path_(path), file_(std::fopen(path.c_str(), "ab")) {
  if (!file_) refuse(std::strerror(errno));
  if (::flock(::fileno(file_.get()), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    throw Error(ErrorKind::file,
                fmt::format("{}: another process is writing it. Wait for that, or choose "
                            "another --output.",
                            path_.string()));
}

Journal::Journal(const fs::path& path, const Json& header) : Journal(path) {
  truncate(0);
  add(line_of(header));
}

Journal Journal::resumed(const fs::path& path, const Json& header,
                         const std::function<void(const Json&)>& take) {
  if (!fs::exists(path))
    throw Error(ErrorKind::file,
                fmt::format("{}: is not there: the work is finished, or was not long "
                            "enough to be kept. Leave --resume out.",
                            path.string()));
  std::ifstream in(path, std::ios::binary);
  const Json kept = read_header(in, header);
  if (kept.is_null())
    throw Error(ErrorKind::file,
                fmt::format("{}: no journal of such work, nothing to go on with. Leave "
                            "--resume out and give --force.",
                            path.string()));
  refuse_other(path, kept, header);
  if (in.eof())
    throw Error(ErrorKind::file,
                fmt::format("{}: cut short before its first result. Leave --resume out "
                            "and give --force.",
                            path.string()));
  Journal journal(path);
  auto whole = static_cast<std::uintmax_t>(in.tellg());
  for (std::string line; std::getline(in, line) && !in.eof();) {
    try {
      take(Json::parse(line, nullptr, false));
    } catch (const std::exception&) {
      throw Error(ErrorKind::file,
                  fmt::format("{}: damaged at byte {}. Leave --resume out and give "
                              "--force.",
                              path.string(), whole));
    }
    whole = static_cast<std::uintmax_t>(in.tellg());
  }
  journal.truncate(whole);
  return journal;
}

std::string Journal::line_of(const Json& json) {
  return dump(json) + '\n';
}

void Journal::add(const std::string& line) {
  if (std::fwrite(line.data(), 1, line.size(), file_.get()) != line.size() ||
      std::fflush(file_.get()) != 0)
    refuse(std::strerror(errno));
  if (Clock::now() >= next_sync_) sync();
}

void Journal::sync() {
  const Clock::time_point start = Clock::now();
  // What can't be synced, as on some file systems of networks, is written all the same.
  if (::fdatasync(::fileno(file_.get())) != 0 && errno != EINVAL && errno != EROFS)
    refuse(std::strerror(errno));
  const Clock::time_point end = Clock::now();
  next_sync_ = end + 20 * (end - start);
}

void Journal::truncate(std::uintmax_t size) const {
  if (::ftruncate(::fileno(file_.get()), static_cast<off_t>(size)) != 0)
    refuse(std::strerror(errno));
}

void Journal::refuse(const char* why) const {
  throw Error(ErrorKind::file,
              fmt::format("{}: cannot be written ({}). Free space, then go on with "
                          "--resume, or choose another --output.",
                          path_.string(), why));
}

}  // namespace thinwire
