#include "cli/python.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>

#include "cli/exit_code.h"
#include "kernels/base/error.h"

namespace thinwire::cli {

void become_python(const std::string& command, const std::string& module,
                   const std::string& extra, const std::vector<std::string>& words) {
  const std::string start = fmt::format(
      R"(import sys
try:
    from thinwire.{} import main
except ImportError as error:
    own = (error.name or '').split('.')[0] == 'thinwire'
    print(f'thinwire: {}: {{sys.executable}} lacks the Python package ({{error}}). Run'
          + (' in the clone: pip install ".{}"' if own else ': pip install "thinwire{}"'),
          file=sys.stderr)
    sys.exit({})
main()
)",
      module, command, extra, extra, int{exit_file});
  const char* const installed_for = std::getenv("THINWIRE_PYTHON");
  std::vector<std::string> all = {installed_for ? installed_for : "python3", "-P", "-c",
                                  start};
  all.insert(all.end(), words.begin(), words.end());
  std::vector<char*> argv;
  for (std::string& word : all) argv.push_back(word.data());
  argv.push_back(nullptr);
  execvp(argv[0], argv.data());
  throw Error(ErrorKind::file,
              fmt::format("{}: {} cannot be started. Install Python, then run in the "
                          "clone: pip install \".{}\"",
                          command, all[0], extra));
}

}  // namespace thinwire::cli
