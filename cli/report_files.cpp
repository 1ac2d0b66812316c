#include "cli/report_files.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <ctime>

#include "bench/study_page.h"
#include "cli/interrupt.h"
#include "cli/option_effects.h"
#include "cli/parse.h"
#include "cli/tell.h"
#include "io/result/hdf5_file.h"
#include "io/result/output_file.h"
#include "kernels/base/error.h"
#include "kernels/base/printable.h"

namespace thinwire::cli {
namespace fs = std::filesystem;

namespace {

/// The header with command and date (UTC) before it, for what has no other place for
/// them.
ReportHeader with_origin(const ReportHeader& header, const std::string& command_line) {
  const std::time_t now = std::time(nullptr);
  ReportHeader all = {{"command", command_line},
                      {"date", fmt::format("{:%Y-%m-%d %H:%M} UTC", fmt::gmtime(now))}};
  all.insert(all.end(), header.begin(), header.end());
  return all;
}

}  // namespace

void add_report_options(boost::program_options::options_description& options,
                        const char* page, const char* what) {
  namespace po = boost::program_options;
  options.add_options()                                        //
      ("output,o", file_name(), "HDF5 result")                 //
      ("csv", file_name(), "the tables as text")               //
      (page, file_name(), what)                                //
      ("force", po::bool_switch(), "overwrite foreign files")  //
      ("quiet", po::bool_switch(), "no progress, header or notes");
}

std::vector<fs::path> ReportFiles::all() const {
  std::vector<fs::path> paths;
  for (const fs::path& path : {hdf5, csv, page})
    if (!path.empty()) paths.push_back(path);
  return paths;
}

bool ReportFiles::take_stdout() const {
  const std::vector<fs::path> paths = all();
  return std::any_of(paths.begin(), paths.end(), is_stdout);
}

fs::path page_path(const std::string& command,
                   const boost::program_options::variables_map& values,
                   const char* option) {
  const fs::path path = output_path(command, values, option);
  for (const char* picture : {".svg", ".png", ".pdf"})
    if (path.extension() == picture)
      throw Error(ErrorKind::usage,
                  fmt::format("{}: --{} {}: writes a page of HTML, no picture. Name it "
                              "{}; its plots can be saved as pictures.",
                              command, option, shown(path),
                              shown(fs::path(path).replace_extension(".html"))));
  return path;
}

ReportFiles read_report_files(const std::string& command,
                              const boost::program_options::variables_map& values,
                              const char* page, const std::vector<fs::path>& inputs) {
  const ReportFiles files = {output_path(command, values, "output"),
                             output_path(command, values, "csv"),
                             page_path(command, values, page)};
  refuse_terminal(files.hdf5);
  const Overwrite overwrite = overwrite_of(values);
  // Its journal is beside the first of them that is a file.
  const bool journal = command == "converge";
  const PlannedOutput planned[] = {
      {files.hdf5, report_kind(command), overwrite, journal},
      {files.csv, std::string(file_kind::report_table), overwrite, journal},
      {files.page, std::string(file_kind::page), overwrite, journal}};
  check_outputs(command, planned, inputs);
  if (std::ranges::all_of(files.all(), is_stdout) && !values["quiet"].as<bool>())
    for (const std::string& warning : idle_option_warnings(values, {"no-files"}))
      tell("warning: {}\n", warning);
  return files;
}

Delivery write_report_files(const ReportFiles& files, const ReportContents& contents,
                            const std::string& command_line) {
  const std::atomic<bool>* stop = contents.interrupted ? nullptr : InterruptGuard::stop();
  const ReportHeader header = with_origin(contents.header, command_line);
  Delivery delivery;
  delivery.write(files.csv, [&] {
    write_result_file(files.csv, tables_csv(contents.tables, header), stop);
  });
  delivery.write(files.page, [&] {
    write_result_file(files.page,
                      study_page(contents.title, header, contents.findings,
                                 contents.plots, contents.tables),
                      stop);
  });
  delivery.write(files.hdf5, [&] {
    Hdf5Writer out(files.hdf5);
    write_tables_hdf5(out, contents.tables, contents.header, contents.command,
                      command_line);
    write_result_file(files.hdf5, out.take_image(), stop);
  });
  return delivery;
}

Delivery deliver_report(const ReportFiles& files, ReportContents contents, bool quiet,
                        const std::string& command_line) {
  if (contents.interrupted)
    contents.header.insert(
        contents.header.begin(),
        {"interrupted", "yes: these are the measurements made until then"});
  Delivery delivery = write_report_files(files, contents, command_line);
  if (!quiet) {
    for (const auto& [name, value] : contents.header) tell("{:<22}{}\n", name, value);
    delivery.print_written();
  }
  if (files.take_stdout()) return delivery;
  for (const Table& table : contents.tables) fmt::print("{}\n", table_text(table));
  for (const std::string& finding : contents.findings) fmt::print("{}\n", finding);
  return delivery;
}

void throw_interrupted(const std::string& command) {
  throw Error(ErrorKind::interrupted,
              command + ": interrupted. The measurements made until then were kept.");
}

}  // namespace thinwire::cli
