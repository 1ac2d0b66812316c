#include <fcntl.h>
#include <spawn.h>
#include <unistd.h>

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string_view>

#include "cli/command.h"
#include "cli/deck_input.h"
#include "cli/exit_code.h"
#include "cli/openmp_wait.h"
#include "cli/outputs.h"
#include "cli/parse.h"
#include "io/page/results_page.h"
#include "io/result/output_file.h"

namespace thinwire::cli {
namespace fs = std::filesystem;
namespace po = boost::program_options;

po::options_description report_options() {
  po::options_description options;
  options.add_options()  //
      ("result",
       po::value<std::vector<std::string>>()->composing()->value_name("FILE..."),
       "results (.h5) of solve or sweep, or decks, which are solved first")  //
      ("output,o", po::value<std::string>()->value_name("PAGE.html"),
       "the page (default: the first file's name with .html)")  //
      ("title", po::value<std::string>()->value_name("TEXT"),
       "title of the page (default: the first file's name)")  //
      ("no-browser", po::bool_switch(),
       "leave the page of a deck closed; else a browser shows it, where there is a "
       "display")                                               //
      ("force", po::bool_switch(), "overwrite a foreign file")  //
      ("quiet", po::bool_switch(), "no progress, notes or warnings");
  return options;
}

namespace {

/// Whether a file is to be solved first: what HDF5 did not write, and what can be read
/// only once.
bool is_deck(const fs::path& path) {
  std::error_code unknown;
  const fs::file_status status = fs::status(path, unknown);
  if (is_standard_input(path) || fs::is_fifo(status) || fs::is_character_file(status))
    return true;
  if (path.extension() == ".h5" || !fs::is_regular_file(status)) return false;
  char begin[4] = {};
  std::ifstream(path, std::ios::binary).read(begin, sizeof begin);
  return std::string_view(begin, sizeof begin) != "\x89HDF";
}

/// Shows a page in the user's browser, where there is a display. Returns at once: the
/// browser is a process of its own, and that it cannot be started is no error.
void open_in_browser(const fs::path& page) {
#if defined(__APPLE__) || defined(_WIN32)
  const char* const opener = "open";
#else
  const char* const opener = "xdg-open";
  const auto is_set = [](const char* name) {
    const char* const value = std::getenv(name);
    return value != nullptr && *value != '\0';
  };
  if (!is_set("DISPLAY") && !is_set("WAYLAND_DISPLAY")) return;
#endif
  std::string path = fs::absolute(page).string(), name = opener;
  char* const words[] = {name.data(), path.data(), nullptr};
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    posix_spawn_file_actions_addopen(&files, stream, "/dev/null", O_RDWR, 0);
  posix_spawnattr_t session;
  posix_spawnattr_init(&session);
  posix_spawnattr_setflags(&session, POSIX_SPAWN_SETSID);
  pid_t browser = 0;
  (void)posix_spawnp(&browser, opener, &files, &session, words, environ);
  posix_spawnattr_destroy(&session);
  posix_spawn_file_actions_destroy(&files);
}

}  // namespace

int run_report(const Arguments& arguments) {
  const po::variables_map values =
      parse("report", arguments.words, report_options(), "result");
  if (!given(values, "result"))
    throw Error(ErrorKind::usage, "report: no file given. Run `thinwire help report`.");
  std::vector<fs::path> inputs;
  for (const std::string& word : values["result"].as<std::vector<std::string>>())
    inputs.emplace_back(word);
  const std::string output = given(values, "output")
                                 ? text_of(values, "output")
                                 : deck_name(inputs.front()).stem().string() + ".html";
  if (output.empty() || output == "none")
    throw Error(ErrorKind::usage,
                fmt::format("report: --output {}: a page needs a file. Give one: -o "
                            "page.html, or - for standard output.",
                            output.empty() ? "''" : output));
  refuse_terminal(output);
  std::vector<PlannedOutput> planned = {
      {output, std::string(file_kind::page), overwrite_of(values)}};
  std::vector<fs::path> files = inputs;
  for (const fs::path& input : inputs)
    if (is_deck(input)) {
      planned.push_back({deck_name(input).stem().string() + ".h5",
                         std::string(file_kind::result), Overwrite::any, true});
      std::ranges::move(matrices_named_in(input), std::back_inserter(files));
    }
  check_outputs("report", planned, files);

  // One deck's solution may restart the program; none has been solved yet here.
  if (std::ranges::any_of(inputs, is_deck)) wait_without_spinning(arguments.argv);
  std::vector<fs::path> results;
  int code = exit_done;
  for (const fs::path& input : inputs) {
    if (!is_deck(input)) {
      results.push_back(input);
      continue;
    }
    std::vector<std::string> words = {input.string()};
    for (const char* option : {"force", "quiet"})
      if (values[option].as<bool>()) words.push_back(std::string("--") + option);
    code = std::max(code, solve_for_page(words, arguments, results));
  }
  const bool solved = results != inputs;
  if (values["no-browser"].as<bool>() && !solved)
    throw Error(
        ErrorKind::usage,
        "report: --no-browser has no effect: a browser shows pages of decks only. "
        "Leave it out.");

  ChosenResults chosen = choose_results(results);
  if (const std::string title = text_of(values, "title"); !title.empty())
    chosen.title = title;
  const std::string page = results_page(chosen);
  Delivery delivery;
  delivery.write(output, [&] { write_result_file(output, page); });
  if (!values["quiet"].as<bool>()) delivery.print_written();
  delivery.raise();
  if (solved && !values["no-browser"].as<bool>() && !is_stdout(output))
    open_in_browser(output);
  return code;
}

}  // namespace thinwire::cli
