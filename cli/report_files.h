#pragma once

#include <boost/program_options.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "bench/line_plot.h"
#include "bench/table.h"
#include "cli/outputs.h"

namespace thinwire::cli {

/// Where `tune`, `converge` and `bench` write; empty paths are not written.
struct ReportFiles {
  std::filesystem::path hdf5, csv, picture;
  bool page = false;  ///< the picture is an HTML page of all, not an SVG of the plots

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
  std::string title;  ///< of the page
  std::vector<Table> tables;
  ReportHeader header;
  std::vector<LinePlot> plots;
  std::vector<std::string> findings = {};
  /// True if the command was interrupted: the report states it, and is still written
  /// although a stop is set.
  bool interrupted = false;
};

/// Adds the options that name ReportFiles, and --force and --quiet. picture: the
/// option of the picture and what it is.
void add_report_options(boost::program_options::options_description& options,
                        const char* picture = "html",
                        const char* what = "one page with findings, plots and tables");

/// Writes the files. The caller raises the errors when all else is printed.
Delivery write_report_files(const ReportFiles& files, const ReportContents& contents,
                            const std::string& command_line);

/// Writes the files, and prints header, tables and findings as far as standard output is
/// free and the command is not quiet. The caller raises the errors.
Delivery deliver_report(const ReportFiles& files, ReportContents contents, bool quiet,
                        const std::string& command_line);

/// Throws Error{interrupted}, to be called when what there is has been written.
[[noreturn]] void throw_interrupted(const std::string& command);

}  // namespace thinwire::cli
