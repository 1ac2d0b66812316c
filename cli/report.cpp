#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "cli/command.h"
#include "kernels/base/error.h"

namespace thinwire::cli {
namespace po = boost::program_options;

po::options_description report_options() {
  po::options_description options;
  auto add = options.add_options();
  add("result", po::value<std::string>()->value_name("RESULT.h5..."),
      "results of solve or sweep");
  add("output,o", po::value<std::string>()->value_name("PAGE.html"),
      "the page (default: the first result's name with .html)");
  add("title", po::value<std::string>()->value_name("TEXT"),
      "title of the page (default: the first result's name)");
  add("force", po::bool_switch(), "overwrite a foreign file");
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
