#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "io/result/journal.h"
#include "io/result/variants.h"

namespace thinwire {

/// The variants solved so far.
class VariantJournal {
 public:
  /// Starts a journal in the place of what is at `path`. Throws as Journal does.
  VariantJournal(const std::filesystem::path& path, const VariantSweep& sweep);
  /// Goes on with the one at `path`, whose variants are put into `sweep`. Throws as
  /// Journal::resumed() does.
  static VariantJournal resumed(const std::filesystem::path& path, VariantSweep& sweep);

  /// What add() takes of a variant: threads make lines side by side.
  static std::string line_of(std::size_t variant, const Variant& solved);
  /// Throws Error{file} where the disk refuses.
  void add(const std::string& line);

 private:
  explicit VariantJournal(Journal journal) : journal_(std::move(journal)) {}
  Journal journal_;
};

}  // namespace thinwire
