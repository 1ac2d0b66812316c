#pragma once

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include <nlohmann/json_fwd.hpp>

namespace thinwire {

/// Results of long work in a file that grows by a line for each as soon as it is there,
/// so that work that was killed can go on. The first line says of what work; a line cut
/// short by the kill is left out. One process at a time writes it.
class Journal {
 public:
  /// Where the journal of work with this output is.
  static std::filesystem::path beside(const std::filesystem::path& output);
  /// Throws Error{usage} where one is left there and the user wants neither to go on
  /// with it (`resume`) nor to begin anew (`force`).
  static void refuse_left(const std::filesystem::path& path, bool resume, bool force);

  /// Starts a journal in the place of what is at `path`. header: an object with
  /// "format", "version" and all that results depend on, of which refusals name "deck",
  /// "vary", "frequency_hz", "settings". Throws Error{file}, also where another process
  /// writes it.
  Journal(const std::filesystem::path& path, const nlohmann::json& header);
  /// Goes on with the one at `path`, whose lines are given to `take`. Throws Error{usage}
  /// that names what differs where its header is another, Error{file}, also where `take`
  /// throws.
  static Journal resumed(const std::filesystem::path& path, const nlohmann::json& header,
                         const std::function<void(const nlohmann::json&)>& take);

  static std::string line_of(const nlohmann::json& json);
  /// Adds a line of line_of(). It is synced to the disk unless such syncs would take over
  /// a twentieth of the time. Throws Error{file} where the disk refuses.
  void add(const std::string& line);

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  explicit Journal(const std::filesystem::path& path);
  void truncate(std::uintmax_t size) const;
  void sync();
  [[noreturn]] void refuse(const char* why) const;

  std::filesystem::path path_;
  std::unique_ptr<std::FILE, Close> file_;
  std::chrono::steady_clock::time_point next_sync_;
};

}  // namespace thinwire
