#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace thinwire {

/// Whether an output may replace what is there.
enum class Overwrite {
  own,      ///< only a file that thinwire wrote, and of the same kind
  foreign,  ///< also one that thinwire did not write, as nec2c does
  any,      ///< `--force`
};

// Kinds of files that thinwire writes, as messages name them. A report of `bench` is
// report_kind("bench").
namespace file_kind {
inline constexpr std::string_view result = "a result of solve";
inline constexpr std::string_view sweep = "a result of sweep";
inline constexpr std::string_view optimization = "a result of optimize";
inline constexpr std::string_view matrix = "a matrix of WG";
inline constexpr std::string_view table = "a table of solve (CSV)";
inline constexpr std::string_view sweep_table = "a table of sweep (CSV)";
inline constexpr std::string_view report_table = "tables of a report (CSV)";
inline constexpr std::string_view touchstone = "S-parameters (Touchstone)";
inline constexpr std::string_view listing = "a listing";
inline constexpr std::string_view deck = "a deck of optimize or convert";
inline constexpr std::string_view page = "a page (HTML)";
inline constexpr std::string_view pattern = "a pattern of convert";
inline constexpr std::string_view vtk = "a VTK file of convert";
}  // namespace file_kind

std::string report_kind(std::string_view command);

/// Returns the kind of a regular file; empty for one that thinwire did not write, and
/// "damaged" for one of its HDF5 files that cannot be read.
std::string kind_of_file(const std::filesystem::path& path);

/// A file that a command is going to write.
struct PlannedOutput {
  std::filesystem::path path;
  std::string kind;
  Overwrite overwrite = Overwrite::own;
  bool journal = false;  ///< long work may be kept beside it
};

/// Throws Error{file} where writing `output` later would fail or would destroy something:
/// its folder is missing, its name or NAME.part (or the journal's) cannot be made, it is
/// a folder, or it holds another kind of file and `overwrite` does not allow that.
void check_writable(const PlannedOutput& output);

/// Throws as check_writable() for each output of `command`, Error{usage} where two of
/// them, temporary names included, are one file, and Error{file} where one of them is
/// one of `inputs` ("-" is standard input). To be called before the work, so that hours
/// of it are not lost at the end.
void check_outputs(std::string_view command, std::span<const PlannedOutput> outputs,
                   std::span<const std::filesystem::path> inputs);

}  // namespace thinwire
