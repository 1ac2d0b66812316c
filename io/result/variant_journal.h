#pragma once

#include <cstddef>
#include <filesystem>

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

  /// Throws Error{file} where the disk refuses.
  void add(std::size_t variant, const Variant& solved);

 private:
  explicit VariantJournal(Journal journal) : journal_(std::move(journal)) {}
  Journal journal_;
};

}  // namespace thinwire
