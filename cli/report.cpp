#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <sstream>

#include "cli/command.h"
#include "cli/exit_code.h"

namespace thinwire::cli {
namespace po = boost::program_options;

po::options_description report_options() {
  po::options_description options("Options");
  auto add = options.add_options();
  add("output,o", po::value<std::string>()->value_name("PAGE.html"),
      "the page (default: <first result>.html here; -: standard output)");
  add("title", po::value<std::string>()->value_name("TEXT"),
      "of the page (default: the first result's name)");
  add("force", po::bool_switch(), "overwrite a file that is no page of thinwire's");
  add("help,h", po::bool_switch(), "this page");
  return options;
}

namespace {

/// Code that Python runs; the arguments follow. A folder thinwire here is not the
/// package.
constexpr const char* python_code = R"(import sys
sys.path[:] = filter(None, sys.path)
try:
    from thinwire.__main__ import main
except ImportError as missing:
    print(f"thinwire: report: {sys.executable} has no thinwire ({missing}). The page is drawn by "
          "the Python package: run `pip install '.[report]'` in the source folder, or activate "
          "the environment that has it.", file=sys.stderr)
    sys.exit(2)
sys.exit(main(["report", *sys.argv[1:]], "thinwire")))";

}  // namespace

/// The page is drawn by the Python package, which takes this program's place.
int run_report(const Arguments& arguments) {
  for (const std::string& word : arguments.words)
    if (word == "--help" || word == "-h") {
      std::ostringstream page;
      page << report_options();
      fmt::print(
          "thinwire report RESULT.h5... [options]\n\n"
          "Draws results of solve or sweep as one page of HTML that needs nothing else; "
          "the first is\ncompared with the others. The Python package draws it (`pip "
          "install '.[report]'` in the source\nfolder): that of the Python which "
          "THINWIRE_PYTHON names, else of python3.\n\n{}",
          page.str());
      return exit_done;
    }
  // The environment's own, where `pip install` put the program (python/launcher).
  const char* python = std::getenv("THINWIRE_PYTHON");
  if (python == nullptr || *python == '\0') python = "python3";
  std::vector<const char*> words = {python, "-c", python_code};
  for (const std::string& word : arguments.words) words.push_back(word.c_str());
  words.push_back(nullptr);
  execvp(python, const_cast<char* const*>(words.data()));
  throw Error(ErrorKind::usage,
              fmt::format("report: {} cannot be started ({}). The page is drawn by the "
                          "Python package: install Python 3.11 or later, then run `pip "
                          "install '.[report]'` in the source folder, or set "
                          "THINWIRE_PYTHON to a Python that has it.",
                          python, std::strerror(errno)));
}

}  // namespace thinwire::cli
