#pragma once

#include <boost/program_options.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "bench/table.h"
#include "cli/outputs.h"

namespace thinwire::cli {

/// Where `tune` and `bench` write; empty paths are not written.
struct ReportFiles {
  std::filesystem::path hdf5, csv, picture;

  std::vector<std::filesystem::path> all() const;
  /// One of them is standard output: then nothing else is printed there.
  bool take_stdout() const;
};

/// From --output, --csv and the option called `picture`, each checked by check_outputs()
/// against the files that the command reads. --force, none, and - for standard output as
/// in `solve`.
ReportFiles read_report_files(const std::string& command,
                              const boost::program_options::variables_map& values,
                              const char* picture,
                              const std::vector<std::filesystem::path>& inputs = {});

/// Contents of the files.
struct ReportContents {
  const char* command;
  std::vector<Table> tables;
  ReportHeader header;
  std::string picture;
  /// The command was interrupted: what it has is still written, though a stop is set.
  bool interrupted = false;
};

/// Writes them. The caller raises the errors when all else is printed.
Delivery write_report_files(const ReportFiles& files, const ReportContents& contents,
                            const std::string& command_line);

/// The header with command and date (UTC) before it, for what has no other place for
/// them.
ReportHeader with_origin(const ReportHeader& header, const std::string& command_line);

/// The entry of the header by which a report says that it was cut short.
inline const ReportHeader::value_type interrupted_entry = {
    "interrupted", "yes: these are the measurements made until then"};

/// Throws Error{interrupted}, to be called when what there is has been written.
[[noreturn]] void throw_interrupted(const std::string& command);

/// "name  value" lines of the header.
std::string header_text(const ReportHeader& header);

}  // namespace thinwire::cli
