#pragma once

#include <boost/program_options.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "io/table.h"

namespace thinwire::cli {

/// Where `tune` and `bench` write; empty paths are not written.
struct ReportFiles {
  std::filesystem::path hdf5, csv, picture;

  std::vector<std::filesystem::path> all() const;
};

/// From --output, --csv and the option called `picture`. Checks that each can be written
/// and that no two are the same: throws Error{file}, Error{usage}. --force as in `solve`.
ReportFiles read_report_files(const std::string& command,
                              const boost::program_options::variables_map& values,
                              const char* picture);

/// What to write into them.
struct ReportContents {
  const char* command;
  std::vector<Table> tables;
  ReportHeader header;
  std::string picture;
};

void write_report_files(const ReportFiles& files, const ReportContents& contents,
                        const std::string& command_line);

/// "name  value" lines of the header.
std::string header_text(const ReportHeader& header);

}  // namespace thinwire::cli
