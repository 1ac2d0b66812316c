#include "cli/command.h"
#include "cli/parse.h"
#include "cli/python.h"
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
  become_python("serve", "serve", "[serve]", arguments.words);
}

}  // namespace thinwire::cli
