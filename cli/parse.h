#pragma once

#include <fmt/format.h>

#include <boost/program_options.hpp>
#include <string>
#include <type_traits>
#include <vector>

#include "kernels/base/error.h"
#include "mom/problem/options.h"
#include "mom/problem/problem.h"

namespace thinwire::cli {

/// A text option whose word may be left out: --json [full]; --pattern [STEP] where the
/// word is in capitals and stands for a number.
class OptionalWord : public boost::program_options::typed_value<std::string> {
 public:
  OptionalWord(const char* word_or_none, const char* value_without)
      : typed_value(nullptr), word(word_or_none), without(value_without) {}
  std::string name() const override { return '[' + word + ']'; }
  bool is_number() const;
  /// True for the word, or for a number.
  bool takes(const std::string& given) const;

  const std::string word, without;
};

/// Parses the user's options, by name; positional words go to `positional`: one, or any
/// number where that option is composing (none where the name is empty). Throws
/// Error{usage}, which names `command`, for abbreviated, unknown or repeated options and
/// missing values.
boost::program_options::variables_map parse(
    const std::string& command, const std::vector<std::string>& words,
    const boost::program_options::options_description& options,
    const char* positional = "");

/// Returns the value of an option that has choices, "graded|as-given": their list is its
/// name, the first its default.
boost::program_options::typed_value<std::string>* choice(const std::string& words);

/// Returns the value of an option that names a file.
boost::program_options::typed_value<std::string>* file_name();

/// True when the option was on the command line, not just defaulted.
bool given(const boost::program_options::variables_map& values, const char* name);

/// Returns a number that an option gave. Throws Error{usage} where it is not in low ..
/// high.
template <class T>
T in_range(const char* command, const char* option, T value, T low, T high) {
  if (low <= value && value <= high) return value;
  constexpr const char* text = std::is_floating_point_v<T>
                                   ? "{}: --{} must be {:g} .. {:g} (got {:g})."
                                   : "{}: --{} must be {} .. {} (got {}).";
  throw Error(ErrorKind::usage,
              fmt::format(fmt::runtime(text), command, option, low, high, value));
}

/// Value of a text option, or "" when it was not given.
std::string text_of(const boost::program_options::variables_map& values,
                    const char* name);

/// --solver, --precond, --mesh, ...: what goes into thinwire::Options.
boost::program_options::options_description solver_options();

/// Options from those, each word and range checked with Error{usage}. Threads beyond the
/// cores are left out, with a warning.
Options read_solver_options(const boost::program_options::variables_map& values,
                            std::vector<std::string>& warnings);

/// Throws Error{usage} with this text.
[[noreturn]] void refuse_usage(const std::string& text);

/// --device of a command that uses one GPU: Error{usage} where it names several.
DeviceRequest one_device(const char* command, const std::string& word);

}  // namespace thinwire::cli
