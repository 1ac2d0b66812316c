#pragma once

#include <boost/program_options.hpp>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "io/result/output_guard.h"
#include "kernels/base/error.h"

namespace thinwire::cli {

/// Returns the path that an output option names: `standard` where it is not given, empty
/// for "none", which is not written. Throws Error{usage} for an empty name.
std::filesystem::path output_path(const std::string& command,
                                  const boost::program_options::variables_map& values,
                                  const char* option,
                                  const std::filesystem::path& standard = {});

/// Overwrite::any with --force.
Overwrite overwrite_of(const boost::program_options::variables_map& values);

/// The end of a command: finished work goes into files, each by a step of its own. A step
/// that fails leaves the others to be taken, and its error is thrown at the end.
class Delivery {
 public:
  /// Writes one file by `step`; nothing where `path` is empty. Rethrows
  /// Error{interrupted} at once.
  void write(const std::filesystem::path& path, const std::function<void()>& step);
  /// Takes a step that writes no file of its own. Returns false where it failed.
  bool take(const std::function<void()>& step);

  bool succeeded() const { return !error_; }
  /// Prints "wrote NAME" on stderr for each file that was written and has a name.
  void print_written() const;
  /// Throws an Error of the first failure's kind with a line for each failure, where a
  /// step failed: to be called when all else is printed. kept: the sentence about what a
  /// journal keeps, which the last line ends with.
  void raise(const std::string& kept = "") const;

 private:
  std::vector<std::filesystem::path> written_;
  std::optional<Error> error_;
};

}  // namespace thinwire::cli
