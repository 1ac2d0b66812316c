#pragma once

#include <string>
#include <vector>

namespace thinwire::cli {

/// What one command is called with.
struct Arguments {
  std::vector<std::string> words;  ///< after the command's name
  std::string command_line;        ///< the whole line, kept with the results
  char** argv = nullptr;           ///< main's own, for starting the program once more
};

/// One command of the program. Each returns an ExitCode or throws Error.
struct Command {
  const char* name;
  const char* usage;    ///< what follows the name
  const char* summary;  ///< one line
  int (*run)(const Arguments&);
};

int run_solve(const Arguments& arguments);
int run_check(const Arguments& arguments);
int run_info(const Arguments& arguments);
int run_devices(const Arguments& arguments);
int run_tune(const Arguments& arguments);
int run_bench(const Arguments& arguments);
int run_nec2c(const Arguments& arguments);

}  // namespace thinwire::cli
