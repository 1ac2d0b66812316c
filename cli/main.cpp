#include <fcntl.h>
#include <fmt/format.h>
#include <malloc.h>
#include <omp.h>
#include <sys/resource.h>
#include <thinwire_version.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string_view>

#include "cg/blas_threads.h"
#include "cli/command.h"
#include "cli/exit_code.h"
#include "cli/failure.h"
#include "cli/help.h"
#include "cli/processes.h"
#include "cli/seats.h"
#include "cli/suggestion.h"
#include "kernels/base/host_memory.h"
#include "kernels/base/printable.h"
#include "mom/gpu/gpu.h"

namespace thinwire::cli {
namespace {

int run_help(const Arguments& arguments);
int run_version(const Arguments& arguments);

constexpr const char* python_notes =
    "Computed by the Python package: pip install . in a clone.";

constexpr Command commands[] = {
    {"solve", "DECK [options]", "solve a NEC deck: impedances, currents, patterns",
     run_solve, solve_options, true},
    {"sweep", "DECK [options]", "solve a deck for many values of its symbols", run_sweep,
     sweep_options, true,
     "Small antennas are solved one on each thread, with --device cuda (or where auto "
     "predicts it to be faster) in batches on a GPU; large ones one after the other."},
    {"optimize", "DECK [options]", "find values of a deck's symbols that reach goals",
     run_optimize, optimize_options, false,
     "Goals have functions (vswr, r, x, |z|, gain, fb, efficiency), weights (2 * "
     "fb(90,0,145) max) and, over bands, min_, max_ or mean_."},
    {"check", "DECK [options]", "list what a deck holds and what may be wrong with it",
     run_check, check_options},
    {"converge", "DECK [options]",
     "solve a series of meshes: impedance with an error bar", run_converge,
     converge_options},
    {"convert", "IN OUT", "write a deck as plain NEC, or a result for other programs",
     run_convert, convert_options},
    {"info", "RESULT.h5", "list what a result file holds", run_info, info_options},
    {"report", "FILE...", "draw results, or decks, as one HTML page", run_report,
     report_options, false, "The first result is compared with the others."},
    {"serve", "[DECK] [options]", "open a page on which decks are edited and solved live",
     run_serve, serve_options, false,
     "The page is Python's: pip install \".[serve]\" in a clone."},
    {"match", "DECK [options]", "design networks that match an antenna to a line",
     run_match, match_options, false, python_notes},
    {"exposure", "DECK --power W", "find where fields exceed limits of human exposure",
     run_exposure, exposure_options, false, python_notes},
    {"rcs", "DECK [options]", "compute monostatic radar cross sections", run_rcs,
     rcs_options, false, python_notes},
    {"modes", "DECK [options]", "list the characteristic modes of a structure", run_modes,
     modes_options, false, python_notes},
    {"temperature", "DECK [options]", "compute the antenna's noise temperature",
     run_temperature, temperature_options, false, python_notes},
    {"devices", "", "list the CPU and the GPUs that thinwire can use", run_devices},
    {"tune", "[options]", "time a GPU's matrix-vector products by block size", run_tune,
     tune_options},
    {"bench", "[options]", "time whole solves on CPU and GPU side by side", run_bench,
     bench_options},
    {"bench sparse", "[options]", "time sparse matrix-vector products and assembly",
     run_bench_sparse, bench_sparse_options},
    {"bench forecast", "[options]", "predict the time of dense solves on many GPUs",
     run_bench_forecast, bench_forecast_options},
    {"nec2c", "-i DECK [-o OUT]", "solve with nec2c's command line and listing",
     run_nec2c, nec2c_options},
    {"help", "[COMMAND]", "print this page, or the options of a command", run_help},
    {"version", "", "print version and commit", run_version},
    {"complete", "[WORD...]", "", run_complete},
    {"manual", "", "", run_manual},
};

/// The nearest of the commands' names to the unknown one, or to `--verion`.
std::string nearest_command(std::string_view unknown) {
  unknown.remove_prefix(std::min(unknown.find_first_not_of('-'), unknown.size()));
  std::vector<std::string> names;
  for (const Command& command : commands)
    if (*command.summary) names.emplace_back(command.name);
  return did_you_mean(unknown, names, "`thinwire ", "`");
}

const Command& find_or_throw(const std::string& name) {
  if (const Command* command = find_command(name)) return *command;
  std::error_code unknown;
  if (std::filesystem::is_regular_file(name, unknown))
    throw Error(
        ErrorKind::usage,
        fmt::format("'{0}' is a file, not a command. Run `thinwire solve {0}`.", name));
  throw Error(ErrorKind::usage,
              fmt::format("unknown command '{}'.{} Run `thinwire help` for the list.",
                          name, nearest_command(name)));
}

int run_help(const Arguments& arguments) {
  std::size_t count = 1;
  const Command* found = find_command(arguments.words, &count);
  if (arguments.words.size() > std::max<std::size_t>(1, count))
    throw Error(ErrorKind::usage, "help: one command at most. Run `thinwire help`.");
  if (!arguments.words.empty() && !asks_for_help(arguments.words[0])) {
    const Command& command =
        found != nullptr ? *found : find_or_throw(arguments.words[0]);
    if (command.run == run_nec2c) return run_nec2c({{"--help"}, arguments.command_line});
    if (command.run != run_help) {
      fmt::print("{}", help_page(command, false));
      return exit_done;
    }
  }
  fmt::print("thinwire {}: method-of-moments solver for wire antennas\n\n",
             THINWIRE_VERSION);
  for (const Command& command : commands)
    if (*command.summary)
      fmt::print("  thinwire {:<26}{}\n",
                 fmt::format("{} {}", command.name, command.usage), command.summary);
  fmt::print(
      "\n`thinwire help COMMAND` lists a command's everyday options, `thinwire COMMAND\n"
      "--help-all` all of them.\n"
      "Exit status: 0 done, 1 not solved to the tolerance or a goal missed, 2 command\n"
      "line, 3 deck or geometry, 4 device or memory, 5 file, 130 interrupted.\n");
  return exit_done;
}

int run_version(const Arguments& arguments) {
  if (!arguments.words.empty())
    throw Error(ErrorKind::usage, "version: takes no arguments. Run `thinwire version`.");
  fmt::print("thinwire {}\n", THINWIRE_VERSION_TEXT);
  return exit_done;
}

/// Where several processes were started: has them meet for a command that they can
/// share. Of one that works on nothing only the first is to go on: gives false on the
/// others. Throws Error{usage} for a command that has no use for several.
bool meet_processes(const Command& command, char** argv) {
  const Started started = started_as();
  if (started.ranks == 1) return true;
  if (command.shared) {
    join_processes(argv);
    return true;
  }
  if (started.rank > 0) return false;
  if (command.options != nullptr)
    throw Error(ErrorKind::usage,
                fmt::format("{}: runs as one process (mpirun started {}). Run it without "
                            "mpirun; only solve and sweep share their work.",
                            command.name, started.ranks));
  return true;
}

/// Runs nec2c's command line under the name of another program. Errors carry that name.
int run_seat(const std::string& program, const Arguments& arguments) {
  if (!meet_processes(*find_command("nec2c"), arguments.argv)) return exit_done;
  try {
    return run_nec2c(arguments);
  } catch (const Error& error) {
    constexpr std::string_view own = "nec2c:";
    const std::string_view text = error.what();
    if (!text.starts_with(own)) throw;
    throw Error(error.kind(), fmt::format("{}:{}", program, text.substr(own.size())));
  }
}

int dispatch(const std::string& program, std::vector<std::string> words,
             const std::string& command_line, char** argv) {
  // Names under which other programs call NEC.
  if (std::optional<std::vector<std::string>> seat = words_of_seat(program, words, argv))
    return run_seat(program, {*std::move(seat), command_line, argv});
  if (words.empty()) {
    // mpirun ends the first, what it prints perhaps unread, where another one fails.
    if (started_as().rank > 0) return exit_done;
    run_help({});
    return exit_usage;
  }
  if (asks_for_help(words.front())) words.front() = "help";
  if (words.front() == "--version" || words.front() == "-V" || words.front() == "-v")
    words.front() = "version";
  std::size_t count = 1;
  const Command* found = find_command(words, &count);
  const Command& command = found != nullptr ? *found : find_or_throw(words.front());
  words.erase(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(count));
  if (const auto asked = std::ranges::find_if(words, asks_for_help);
      asked != words.end() && *command.summary && command.run != run_nec2c &&
      command.run != run_help) {
    if (started_as().rank == 0)
      fmt::print("{}", help_page(command, *asked == "--help-all"));
    return exit_done;
  }
  if (!meet_processes(command, argv)) return exit_done;
  if (command.options != nullptr) require_thread_stacks(omp_get_max_threads());
  return command.run({std::move(words), command_line, argv});
}

/// OpenBLAS's own, which the program replaces: the number of threads that it starts when
/// it is loaded. Each takes an address range of 8 MiB and asks for a buffer of 128 MiB,
/// over and over where `ulimit -v` refuses it. BlasThreads starts threads when a
/// factorisation needs some.
extern "C" int openblas_num_threads_env() {
  return 1;
}

/// Many allocations of about a megabyte follow each other, HDF5's too: given back to the
/// system each time, they would cost as much in page faults as a small antenna's
/// solution.
void keep_freed_memory() {
  mallopt(M_MMAP_THRESHOLD, 4 << 20);
  mallopt(M_TRIM_THRESHOLD, 16 << 20);
}

/// Has all threads share one heap where `ulimit -v` limits addresses: the C library takes
/// up to 128 MiB of them for the heap of each thread, as long as there are any, and what
/// needs them next fails by chance.
void share_heap_under_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
    mallopt(M_ARENA_MAX, 1);
}

/// Opens those of standard input, output and error that are closed: a result's file would
/// take their place, and messages would go into it. Input that was closed cannot be read.
void open_standard_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(stream, F_GETFD) == -1 && errno == EBADF)
      (void)!open("/dev/null", O_WRONLY);  // gets the lowest number that is free
}

int guarded_main(int argc, char** argv) {
  open_standard_streams();
  // Beyond a file-size limit, write() then fails as on a full disk: an error, no signal.
  std::signal(SIGXFSZ, SIG_IGN);
  // A reader of messages or of the table that is gone ends no work.
  std::signal(SIGPIPE, SIG_IGN);
  keep_freed_memory();
  share_heap_under_limit();
  end_idle_blas_threads();
  fail_where_nothing_catches();
  try {
    const std::string program =
        argc > 0 ? std::filesystem::path(argv[0]).filename().string() : "thinwire";
    std::vector<std::string> words(argv + (argc > 0), argv + argc);
    std::string command_line = program;
    for (const std::string& word : words) command_line += ' ' + printable(word);
    const int code = dispatch(program, std::move(words), command_line, argv);
    // A full disk under a redirected stdout shows only here.
    if (std::fflush(stdout) != 0) return fail_for_stdout();
    leave_processes();
    return code;
  } catch (...) {
    return fail(std::current_exception());
  }
}

}  // namespace

std::span<const Command> all_commands() {
  return commands;
}

const Command* find_command(const std::string& name) {
  for (const Command& command : commands)
    if (command.name == name) return &command;
  return nullptr;
}

const Command* find_command(std::span<const std::string> words, std::size_t* count) {
  for (*count = std::min<std::size_t>(2, words.size()); *count > 0; --*count) {
    const std::string name = *count == 2 ? words[0] + ' ' + words[1] : words[0];
    if (const Command* command = find_command(name)) return command;
  }
  return nullptr;
}

}  // namespace thinwire::cli

int main(int argc, char** argv) {
  const int code = thinwire::cli::guarded_main(argc, argv);
  // All files are closed. What CUDA tears down by itself takes a tenth of a second, and
  // the system does it anyway.
  if (thinwire::gpu_module_loaded()) {
    std::fflush(nullptr);
    std::_Exit(code);
  }
  return code;
}
