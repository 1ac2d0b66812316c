#pragma once

#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "tests/io/temporary_folder.h"
#include "tests/messages.h"

namespace thinwire::test {

/// A half-wave dipole with a pattern: solved in milliseconds.
inline constexpr const char* dipole_deck =
    "CE half-wave dipole\n"
    "GW 1 11 0 0 -0.25 0 0 0.25 0.001\n"
    "GE 0\n"
    "EX 0 1 6 0 1 0\n"
    "FR 0 2 0 0 290 10\n"
    "RP 0 7 5 1001 0 0 30 90\n"
    "EN\n";

/// The real program in a folder of its own that holds dipole.nec.
class Program {
 public:
  struct Result {
    int code = 0;
    std::string out, err;
  };

  Program() { write_file(folder_ / "dipole.nec", dipole_deck); }

  /// Runs `thinwire ARGUMENTS` there, the arguments as a shell reads them.
  Result operator()(const std::string& arguments) const {
    return shell(std::string("'") + THINWIRE_PROGRAM + "' " + arguments);
  }

  /// Runs it and expects success.
  Result succeeds(const std::string& arguments) const {
    Result result = (*this)(arguments);
    EXPECT_EQ(result.code, 0) << arguments << ": " << result.err << result.out;
    return result;
  }

  /// Runs a shell command there.
  Result shell(const std::string& command) const {
    // A cache of its own: what a test measures is not the user's.
    const std::string line = "cd '" + folder_.path().string() +
                             "' && export XDG_CACHE_HOME=$PWD/cache && { " + command +
                             "\n} >.stdout 2>.stderr </dev/null";
    const int status = std::system(line.c_str());
    Result result;
    result.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    result.out = read_file(folder_ / ".stdout");
    result.err = read_file(folder_ / ".stderr");
    return result;
  }

  std::filesystem::path operator/(const std::string& name) const {
    return folder_ / name;
  }
  void write(const std::string& name, const std::string& text) const {
    write_file(folder_ / name, text);
  }
  bool has(const std::string& name) const {
    return std::filesystem::exists(folder_ / name);
  }

 private:
  TemporaryFolder folder_;
};

inline std::size_t line_count(const std::string& text) {
  std::size_t lines = 0;
  for (const char c : text) lines += c == '\n';
  return lines;
}

}  // namespace thinwire::test
