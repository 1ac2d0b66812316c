#include <unistd.h>
#include <cstdlib>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/exit_code.h"
#include "cli/parse.h"
#include "kernels/base/error.h"

namespace thinwire::cli {
namespace po = boost::program_options;

po::options_description serve_options() {
  po::options_description options;
  options.add_options()                                                             //
      ("deck", po::value<std::string>()->value_name("[DECK]"), "NEC deck to open")  //
      ("port", po::value<int>()->value_name("N")->default_value(0),
       "port of 127.0.0.1 (0: any that is free)")  //
      ("no-browser", po::bool_switch(), "print the address, and open no browser");
  return options;
}

/// Becomes the Python module that serves the page.
int run_serve(const Arguments& arguments) {
  const po::variables_map values =
      parse("serve", arguments.words, serve_options(), "deck");
  if (values["port"].as<int>() < 0 || values["port"].as<int>() > 65535)
    throw Error(ErrorKind::usage, "serve: --port must be 0 to 65535.");
  const std::string start =
      "import sys\n"
      "try:\n"
      "    from thinwire.serve import main\n"
      "except ImportError as error:\n"
      "    print(f'thinwire: serve: {sys.executable} lacks the Python package ({error}). "
      "Run: pip install \"thinwire[serve]\"', file=sys.stderr)\n"
      "    sys.exit(" +
      std::to_string(int{exit_file}) +
      ")\n"
      "main()\n";
  std::vector<std::string> words = {"python3", "-c", start};
  words.insert(words.end(), arguments.words.begin(), arguments.words.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  execvp(argv[0], argv.data());
  throw Error(ErrorKind::file,
              "serve: python3 cannot be started. Install Python, then run: pip install "
              "\"thinwire[serve]\"");
}

}  // namespace thinwire::cli
