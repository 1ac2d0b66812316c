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
  std::filesystem::path hdf5, csv, page;

  std::vector<std::filesystem::path> all() const;
  /// One of them is standard output: then nothing else is printed there.
  bool take_stdout() const;
};

/// Returns the path of the page that an option names, as output_path(). Throws
/// Error{usage} for a name that ends as a picture's.
std::filesystem::path page_path(const std::string& command,
                                const boost::program_options::variables_map& values,
                                const char* option);

/// From --output, --csv and the option called `page`, each checked by check_outputs()
/// against the files that the command reads. --force, none, and - for standard output as
/// in `solve`.
ReportFiles read_report_files(const std::string& command,
                              const boost::program_options::variables_map& values,
                              const char* page,
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

/// Adds the options that name ReportFiles, and --force and --quiet. page: the option of
/// the page and what it is.
void add_report_options(boost::program_options::options_description& options,
                        const char* page = "html",
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
