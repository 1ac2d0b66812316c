#pragma once

#include <chrono>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include <nlohmann/json.hpp>

namespace thinwire {

/// Results of long work in a file that grows by a line for each as soon as it is there,
/// so that work that was killed can go on. Each line begins with the CRC-64 of its rest
/// in 16 hexadecimal digits. The first line is the header: the version of the program and
/// what the results depend on. One process at a time writes the file.
class Journal {
 public:
  /// Gets a result that was kept. Throws std::exception where it is none.
  using Take = std::function<void(const std::string& key, const std::string& text)>;

  /// Where the journal of work with this output is.
  static std::filesystem::path beside(const std::filesystem::path& output);
  /// Whether there is a file of work that was stopped. A header without results, a part
  /// of it or an empty file is none: its process was killed before the first result.
  static bool is_left(const std::filesystem::path& path);
  /// Throws Error{usage} where one is left there and the user wants neither to go on
  /// with it (`resume`) nor to begin anew (`force`); Error{file}, which names the
  /// process, where one writes it.
  static void refuse_left(const std::filesystem::path& path, bool resume, bool force);

  /// work: texts and objects that results depend on, each with a name for refusals:
  /// "command", "deck", "options". Touches no file.
  Journal(std::filesystem::path path, const nlohmann::json& work);
  Journal(const Journal&) = delete;
  /// Removes the file of claim() where no result was kept.
  ~Journal();
  Journal& operator=(const Journal&) = delete;

  /// Goes on with the file at the path, in place of begin(): gives the results that it
  /// holds to `take`, and returns the number of lines that were left out because they
  /// were damaged or cut short. Begins anew where the first line is cut short or missing.
  /// Throws Error{usage} that names what differs where the file is of other work,
  /// Error{file} where its header is damaged.
  std::size_t resume(const Take& take);
  /// Takes the path for this process, with a header in the place of what is there, so
  /// that no other process does the same work. Throws Error{file}, also where another
  /// process has it.
  void claim();
  /// Starts the file, in the place of what is at the path, and has it kept whatever
  /// comes. Throws as claim() does.
  void begin();
  /// Adds a result, from any thread. Starts the file once a second of work would be lost
  /// without it. A line is synced to the disk unless such syncs would take over a
  /// twentieth of the time. key: without blanks. text: without line breaks. Throws
  /// Error{file} where the disk refuses.
  void add(const std::string& key, const std::string& text);
  /// True once there is a file with results, or begin() was called.
  bool has_begun() const;
  /// Removes the file: the work is finished.
  void remove();

  const std::filesystem::path& path() const { return path_; }

 private:
  using Clock = std::chrono::steady_clock;
  /// A file is started once so much work would be lost without it.
  static constexpr std::chrono::seconds worth_keeping{1};
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  using File = std::unique_ptr<std::FILE, Close>;

  void open();
  void take_path();
  void write_header();
  void start_file();
  void write(const std::string& lines);
  void sync();
  void truncate(std::uintmax_t size) const;
  void refuse_other(const nlohmann::json& kept) const;
  /// code: errno, 0 for another reason.
  [[noreturn]] void refuse(const char* why, int code) const;

  std::filesystem::path path_;
  nlohmann::json header_;
  mutable std::mutex one_at_a_time_;
  File file_;
  bool has_begun_ = false;  ///< the file is to stay
  std::string waiting_;     ///< lines that are not in a file yet
  Clock::time_point start_ = Clock::now(), next_sync_ = start_ + worth_keeping;
};

}  // namespace thinwire
