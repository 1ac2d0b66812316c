#pragma once

#include <optional>
#include <string>

namespace thinwire {

/// Results of the parts of long work, kept as they come, so that work that was killed can
/// go on. Several threads may use it at once.
class ResultStore {
 public:
  virtual ~ResultStore() = default;
  /// The bytes that were kept under this key before the work was stopped, if any.
  virtual std::optional<std::string> find(const std::string& key) const = 0;
  /// Throws Error{file}.
  virtual void keep(const std::string& key, const std::string& bytes) = 0;
};

}  // namespace thinwire
