#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "io/result/hdf5_file.h"
#include "mom/problem/problem.h"

namespace thinwire {

/// Opens a file for reading. Throws Error{file}, with what to give instead, where that is
/// none of HDF5 or damaged.
Hdf5Reader open_result(const std::filesystem::path& path);

/// Segments of an antenna: ends, x y z each, and tags.
struct Segments {
  std::vector<double> start_m, end_m;
  std::vector<std::int64_t> tag;
};

/// Places of ports: tags, numbers of segments within the tag, from 1, and Gap.
struct PortPlaces {
  std::vector<std::int64_t> tag, segment, gap;
};

/// A result in a file of `thinwire solve`, or one variant in a file of `thinwire sweep`,
/// with the deck that it is of. What the file lacks is empty.
class StoredResult {
 public:
  /// Throws Error{file} where the file, or its variant, cannot be read.
  explicit StoredResult(const std::filesystem::path& path,
                        std::optional<std::size_t> variant = {});

  std::vector<double> doubles(const std::string& name) const;
  std::vector<std::int64_t> integers(const std::string& name) const;
  std::vector<Complex> complexes(const std::string& name) const;
  std::vector<std::string> strings(const std::string& name) const;

  const Hdf5Reader& file() const { return in_; }
  bool is_variant() const { return variant_.has_value(); }
  /// The deck as the result has it; none where it cannot be read any more, or describes
  /// several structures.
  const std::optional<Problem>& problem() const { return problem_; }
  /// Number of frequencies of all runs, or of incident waves.
  std::size_t points() const { return points_; }
  /// Rows of the file's datasets along the frequency: variants may have fewer points.
  std::size_t rows() const;
  Segments segments() const;
  PortPlaces ports() const;
  double reference_ohm() const;
  std::string device() const;
  std::int64_t unknowns() const;
  /// Throws Error{file} for a dataset with a number of values that does not fit.
  [[noreturn]] void refuse_count(const std::string& name, std::size_t count) const;

 private:
  template <class T>
  std::vector<T> read(std::vector<T> (Hdf5Reader::*values)(const std::string&) const,
                      const std::string& name) const;
  /// Returns a setting of a sweep, by its JSON pointer.
  template <class T>
  T setting(const std::string& pointer) const;
  void read_problem(const std::filesystem::path& folder);

  std::filesystem::path path_;
  Hdf5Reader in_;
  std::optional<std::size_t> variant_;
  std::size_t variants_ = 1;
  std::optional<Problem> problem_;
  std::size_t points_ = 0;
};

/// A result and its name on a page.
struct NamedResult {
  std::string name;
  std::filesystem::path path;
  std::optional<std::size_t> variant = {};  ///< of a file of sweep
};

/// Results that a page compares, and its title.
struct ChosenResults {
  std::string title;
  std::vector<NamedResult> results;
};

/// Returns the results in these files: of a sweep at most 12 variants, evenly chosen and
/// named by the values of their symbols. Throws Error{file}, with what to give instead,
/// for what holds no result.
ChosenResults choose_results(const std::vector<std::filesystem::path>& files);

}  // namespace thinwire
