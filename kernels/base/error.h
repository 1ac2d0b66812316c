#pragma once

#include <stdexcept>
#include <string>

namespace thinwire {

/// Kind of an error, for programs that react to it; the CLI maps it to an exit code.
enum class ErrorKind {
  usage,
  deck,
  geometry,
  device,
  memory,
  file,
  numeric,
  interrupted
};

/// The one exception type of the libraries. The text is one line, or for a deck with
/// several problems a line each: `where: problem (why or limit; what was got). next
/// step.`
class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& text)
      : std::runtime_error(text), kind_(kind) {}
  ErrorKind kind() const noexcept { return kind_; }

 private:
  ErrorKind kind_;
};

}  // namespace thinwire
