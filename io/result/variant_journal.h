#pragma once

#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <memory>

#include "io/result/variants.h"

namespace thinwire {

/// The variants solved so far, in a file that grows by a line for each as soon as it is
/// solved, so that a sweep that was killed can go on. The first line says of what sweep;
/// a line cut short by the kill is left out.
class VariantJournal {
 public:
  /// Starts a journal in the place of what is at `path`. Throws Error{file}.
  VariantJournal(const std::filesystem::path& path, const VariantSweep& sweep);
  /// Goes on with the one at `path`, whose variants are put into `sweep`. Throws
  /// Error{usage} that names what differs where it is of another sweep, Error{file}.
  static VariantJournal resumed(const std::filesystem::path& path, VariantSweep& sweep);

  /// Throws Error{file} where the disk refuses.
  void add(std::size_t variant, const Variant& solved);

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  VariantJournal(const std::filesystem::path& path, const char* mode);
  void write_line(const std::string& text);

  std::filesystem::path path_;
  std::unique_ptr<std::FILE, Close> file_;
};

}  // namespace thinwire
