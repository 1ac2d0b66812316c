#pragma once

#include <boost/program_options/options_description.hpp>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace thinwire::cli {

/// Arguments of a command.
struct Arguments {
  std::vector<std::string> words;  ///< after the command's name
  std::string command_line;        ///< the whole line, kept with the results
  char** argv = nullptr;           ///< main's own, for starting the program once more
};

/// One command of the program. Each returns an ExitCode or throws Error.
struct Command {
  const char* name;     ///< one word, or two: "bench sparse"
  const char* usage;    ///< what follows the name
  const char* summary;  ///< one line; empty where only other programs need the command
  int (*run)(const Arguments&);
  boost::program_options::options_description (*options)() = nullptr;
  bool shared = false;     ///< several processes (mpirun) can share its work
  const char* notes = "";  ///< sentences below the options on its page of help
};

/// In the order in which `help` lists them.
std::span<const Command> all_commands();

/// The command called `name`, or null.
const Command* find_command(const std::string& name);

/// The command that the words start with, by two words or by one, and how many of them
/// are its name; or null.
const Command* find_command(std::span<const std::string> words, std::size_t* count);

boost::program_options::options_description solve_options();
boost::program_options::options_description sweep_options();
boost::program_options::options_description optimize_options();
boost::program_options::options_description check_options();
boost::program_options::options_description converge_options();
boost::program_options::options_description convert_options();
boost::program_options::options_description info_options();
boost::program_options::options_description report_options();
boost::program_options::options_description serve_options();
boost::program_options::options_description match_options();
boost::program_options::options_description exposure_options();
boost::program_options::options_description rcs_options();
boost::program_options::options_description modes_options();
boost::program_options::options_description temperature_options();
boost::program_options::options_description tune_options();
boost::program_options::options_description bench_options();
boost::program_options::options_description bench_sparse_options();
boost::program_options::options_description bench_forecast_options();
boost::program_options::options_description nec2c_options();

int run_solve(const Arguments& arguments);
/// Solves a deck as `thinwire solve` with these words does, with a pattern in all
/// directions where it asks for none such, and prints no table. Appends the files with
/// the results. Returns an ExitCode.
int solve_for_page(const std::vector<std::string>& words, const Arguments& arguments,
                   std::vector<std::filesystem::path>& results);
int run_sweep(const Arguments& arguments);
int run_optimize(const Arguments& arguments);
int run_check(const Arguments& arguments);
int run_converge(const Arguments& arguments);
int run_convert(const Arguments& arguments);
int run_info(const Arguments& arguments);
int run_report(const Arguments& arguments);
int run_serve(const Arguments& arguments);
int run_match(const Arguments& arguments);
int run_exposure(const Arguments& arguments);
int run_rcs(const Arguments& arguments);
int run_modes(const Arguments& arguments);
int run_temperature(const Arguments& arguments);
int run_devices(const Arguments& arguments);
int run_tune(const Arguments& arguments);
int run_bench(const Arguments& arguments);
int run_bench_sparse(const Arguments& arguments);
int run_bench_forecast(const Arguments& arguments);
int run_nec2c(const Arguments& arguments);
int run_complete(const Arguments& arguments);
int run_manual(const Arguments& arguments);

}  // namespace thinwire::cli
