#pragma once

#include <atomic>
#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace thinwire {

/// Throws Error{file} with the text "path: problem. next_step."
[[noreturn]] void fail_file(const std::filesystem::path& path, std::string_view problem,
                            std::string_view next_step);

/// Returns the remedy where the system refuses to write with this errno, as a sentence's
/// beginning: "Free space there". Empty where none is known.
std::string_view remedy_of(int code);

/// The words by which thinwire knows its own text files: in the first kilobyte.
inline constexpr std::string_view text_signature = "written by thinwire";

/// "-", "/dev/stdout" or one of its other names: there a table behind the result would
/// overwrite it.
bool is_stdout(const std::filesystem::path& path);

/// Returns what a name ends in from its last point on, in lower case: ".stl".
std::string suffix_of(const std::filesystem::path& path);

/// True for what has no name to be given at the end: standard output, pipes, devices and
/// what else stands under /dev. Bytes go straight there.
bool is_written_directly(const std::filesystem::path& path);

/// Throws Error{usage} where `path` is standard output and that is a terminal, which
/// nothing but text should go to.
void refuse_terminal(const std::filesystem::path& path);

/// Whether processes of several hosts may write parts of one file there at once: not over
/// NFS, SMB and the like, where each host may write whole pages of what it believes to be
/// there.
bool may_be_written_by_several(const std::filesystem::path& path);

/// The folder of a file that is named.
std::filesystem::path folder_of(const std::filesystem::path& path);

/// A file under construction: NAME.part beside NAME, removed unless commit() or leave()
/// was reached. So a crash or an interrupt never leaves a half file under the final name.
class PartFile {
 public:
  explicit PartFile(std::filesystem::path final_path);
  ~PartFile();
  PartFile(const PartFile&) = delete;
  PartFile& operator=(const PartFile&) = delete;

  const std::filesystem::path& path() const { return part_; }

  /// Replaces what NAME.part holds. Throws Error{file}.
  void write(std::string_view text);
  /// Writes there from byte `offset` on, once write() has made the file. Throws
  /// Error{file}.
  void write_at(std::size_t offset, std::string_view bytes);

  /// In place of write(): takes part in what another process has made, which begins with
  /// these bytes. False where this process does not see that file.
  bool join(std::string_view begins_with);
  /// Syncs what this process wrote to the disk; the file is the other's from here on.
  /// Throws Error{file}.
  void leave();

  /// Syncs NAME.part, which write() has made, to the disk and renames it to NAME. Throws
  /// Error{interrupted} when `stop` is set, Error{file} when the disk refuses.
  void commit(const std::atomic<bool>* stop = nullptr);

 private:
  void sync();
  void close();

  std::filesystem::path final_, part_;
  int descriptor_ = -1;  ///< open until the end: what the disk refuses late is heard then
  bool stays_ = true;    ///< NAME.part is not this one's to remove
};

/// Writes a whole file: through a PartFile, but for what is_written_directly(). Throws as
/// PartFile does.
void write_result_file(const std::filesystem::path& path, std::string_view bytes,
                       const std::atomic<bool>* stop = nullptr);
/// Writes parts, one after another.
void write_result_file(const std::filesystem::path& path,
                       std::span<const std::string_view> parts,
                       const std::atomic<bool>* stop = nullptr);

}  // namespace thinwire
