#include "io/page/stored_result.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "io/deck/deck.h"
#include "io/page/packing.h"
#include "io/result/check_shapes.h"
#include "io/result/hdf5_origin.h"
#include "io/result/matrix_file.h"
#include "kernels/base/error.h"
#include "kernels/base/printable.h"

namespace thinwire {
namespace fs = std::filesystem;
namespace {

/// Variants of one file on a page.
constexpr std::size_t max_variants = 12;

[[noreturn]] void refuse(const fs::path& path, std::string_view problem,
                         std::string_view next_step) {
  throw Error(ErrorKind::file,
              fmt::format("{}: {}. {}", shown(path), problem, next_step));
}

}  // namespace

Hdf5Reader open_result(const fs::path& path) {
  constexpr const char* give = "Give the .h5 file that `thinwire solve` wrote.";
  std::error_code unknown;
  if (path.empty())
    throw Error(ErrorKind::file,
                fmt::format("a result file has no name (got ''). {}", give));
  if (!fs::exists(path, unknown))
    refuse(path, "cannot be opened (No such file or directory)",
           "Check the name; `thinwire solve` writes a result.");
  if (fs::is_directory(path, unknown)) refuse(path, "is a folder", give);
  if (!fs::is_regular_file(path, unknown))
    refuse(path, "is no regular file, which HDF5 needs", give);
  std::optional<Hdf5Reader> in;
  try {
    in.emplace(path);
  } catch (const Error& error) {
    std::string what = error.what();
    what.erase(what.find_last_not_of(". ") + 1);
    if (what.find("signature not found") != what.npos && path.extension() != ".h5")
      throw Error(error.kind(),
                  fmt::format("{}. If it is a deck, solve it first: `thinwire solve {}`; "
                              "the .h5 file that this writes is the result.",
                              what, shown(path)));
    throw Error(error.kind(),
                fmt::format("{}. Copy the file again, or solve its deck again.", what));
  }
  check_format_version(*in, path);
  check_shapes(*in);
  return *std::move(in);
}

namespace {

std::string attribute_or_empty(const Hdf5Reader& in, const char* name) {
  return in.has_attribute("/", name) ? in.attribute_text("/", name) : "";
}

/// Returns the values of the symbols of one variant.
std::vector<std::pair<std::string, double>> symbol_values(const Hdf5Reader& in,
                                                          std::size_t variant) {
  std::vector<std::pair<std::string, double>> values;
  const std::vector<std::string> axes = symbol_axes(in);
  for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis) {
    const std::vector<double> all = in.doubles(*axis);
    values.emplace_back(axis->substr(std::string_view("/symbol_").size()),
                        all[variant % all.size()]);
    variant /= all.size();
  }
  return {values.rbegin(), values.rend()};
}

std::size_t count_variants(const Hdf5Reader& in) {
  std::size_t count = 1;
  for (const std::string& axis : symbol_axes(in)) count *= in.shape(axis).at(0);
  return count;
}

}  // namespace

StoredResult::StoredResult(const fs::path& path, std::optional<std::size_t> variant)
    : path_(path), in_(open_result(path)), variant_(variant) {
  if (variant_) variants_ = count_variants(in_);
  (void)rows();  // throws where there are none
  // Behind the frequencies of a variant, NaN fills up to those of the longest.
  const std::vector<double> hz = doubles("/frequency_hz");
  const auto is_finite = [](double f) { return std::isfinite(f); };
  const auto end = std::ranges::find_if_not(hz, is_finite);
  points_ = static_cast<std::size_t>(end - hz.begin());
  if (points_ == 0 || std::any_of(end, hz.end(), is_finite))
    refuse(path_, "/frequency_hz has no numbers where frequencies should be",
           "Solve its deck again.");
  read_problem(path.parent_path());
}

template <class T>
std::vector<T> StoredResult::read(std::vector<T> (Hdf5Reader::*values)(const std::string&)
                                      const,
                                  const std::string& name) const {
  if (!in_.exists(name)) return {};
  std::vector<T> all = (in_.*values)(name);
  if (!variant_) return all;
  const auto size = static_cast<std::ptrdiff_t>(all.size() / variants_);
  const auto first = all.begin() + static_cast<std::ptrdiff_t>(*variant_) * size;
  return {first, first + size};
}

void StoredResult::refuse_count(const std::string& name, std::size_t count) const {
  in_.refuse_changed(
      fmt::format("{} has {} values, which do not fit the rest", name, count));
}

std::vector<double> StoredResult::doubles(const std::string& name) const {
  return read(&Hdf5Reader::doubles, name);
}
std::vector<std::int64_t> StoredResult::integers(const std::string& name) const {
  return read(&Hdf5Reader::integers, name);
}
std::vector<Complex> StoredResult::complexes(const std::string& name) const {
  return read(&Hdf5Reader::complexes, name);
}
std::vector<std::string> StoredResult::strings(const std::string& name) const {
  return in_.exists(name) ? in_.strings(name) : std::vector<std::string>();
}

template <class T>
T StoredResult::setting(const std::string& pointer) const {
  try {
    return nlohmann::json::parse(in_.text("/input/settings"))
        .at(nlohmann::json::json_pointer(pointer))
        .get<T>();
  } catch (const nlohmann::json::exception&) {
    in_.refuse_changed("/input/settings lacks " + pointer);
  }
}

void StoredResult::read_problem(const fs::path& folder) {
  SymbolValues values;
  std::size_t structure = 0;
  if (variant_) {
    values = setting<SymbolValues>("/set");
    structure = setting<std::size_t>("/structure");
    for (const auto& [name, value] : symbol_values(in_, *variant_)) values[name] = value;
  }
  try {
    DeckReading reading;
    if (in_.has_attribute("/input/deck", "dialect"))
      reading = {
          dialect_named("dialect", in_.attribute_text("/input/deck", "dialect")),
          patch_grids_named("patches", in_.attribute_text("/input/deck", "patches"))};
    std::vector<std::string> warnings;
    std::vector<Problem> all = read_structures(
        in_.text("/input/deck"), in_.attribute_text("/input/deck", "file_name"), warnings,
        {}, values,
        [&](const std::string& file, Problem& problem) {
          read_matrix_file(folder, file, problem);
        },
        {}, reading);
    if (structure > 0)
      problem_ = std::move(all.at(structure - 1));
    else if (all.size() == 1)
      problem_ = std::move(all.front());
  } catch (const Error&) {
    // A deck of an earlier version, or whose matrix file is gone: pictures go without
    // marks. A variant has its structure from nowhere else.
    if (variant_) throw;
  }
}

std::size_t StoredResult::rows() const {
  return in_.length("/frequency_hz");
}

Segments StoredResult::segments() const {
  if (!variant_) {
    Segments all{doubles("/mesh/start_m"), doubles("/mesh/end_m"), integers("/mesh/tag")};
    for (const auto* ends : {&all.start_m, &all.end_m})
      if (ends->size() != 3 * all.tag.size() || all.tag.empty())
        refuse_count("/mesh", ends->size());
    return all;
  }
  Segments all;
  for (const Segment& s : problem_->structure.segments()) {
    all.start_m.insert(all.start_m.end(), {s.start_m.x, s.start_m.y, s.start_m.z});
    all.end_m.insert(all.end_m.end(), {s.end_m.x, s.end_m.y, s.end_m.z});
    all.tag.push_back(s.tag);
  }
  return all;
}

PortPlaces StoredResult::ports() const {
  PortPlaces ports{integers("/port/tag"), integers("/port/segment"),
                   integers("/port/gap")};
  ports.gap.resize(ports.tag.size());  // files of earlier versions have none
  if (variant_) {                      // each row of a sweep's file has them
    ports.tag.resize(ports.tag.size() / rows());
    ports.segment.resize(ports.tag.size());
    ports.gap.resize(ports.tag.size());
  }
  return ports;
}

double StoredResult::reference_ohm() const {
  if (variant_) return problem_->reference_ohm.value_or(50);
  return in_.exists("/port") ? in_.attribute_real("/port", "reference_impedance_ohm")
                             : 50;
}

std::string StoredResult::device() const {
  if (!variant_) return in_.attribute_text("/", "device");
  const auto device = setting<std::string>("/options/device");
  return device == "auto" ? "" : device;
}

std::int64_t StoredResult::unknowns() const {
  return variant_ ? in_.integers("/unknowns").at(*variant_)
                  : in_.attribute_integer("/", "unknowns");
}

ChosenResults choose_results(const std::vector<fs::path>& files) {
  ChosenResults chosen;
  const auto name_of = [&](const fs::path& file) {
    const auto same = [&](const fs::path& other) { return other.stem() == file.stem(); };
    return shown(std::count_if(files.begin(), files.end(), same) == 1
                     ? file.stem()
                     : fs::path(file).replace_extension());
  };
  // Sweeps of several files may have variants with the same values.
  const bool several = files.size() > 1;
  for (const fs::path& file : files) {
    const Hdf5Reader in = open_result(file);
    const std::string content = attribute_or_empty(in, "content");
    if (chosen.title.empty()) chosen.title = name_of(file);
    if (attribute_or_empty(in, "format") != "thinwire" || !in.exists("/frequency_hz")) {
      if (content == "optimization")
        refuse(file, "is the history of a thinwire optimize, not a result",
               "Solve the deck with the best values (DECK-optimized.nec) by `thinwire "
               "solve` and take that.");
      refuse(
          file,
          content.empty()
              ? "holds no result"
              : fmt::format("holds measurements of thinwire {}, not a result", content),
          "Give a file that `thinwire solve` wrote.");
    }
    if (content != "sweep") {
      chosen.results.push_back({name_of(file), file});
      continue;
    }
    const std::size_t count = count_variants(in);
    for (const std::size_t variant : evenly(count, max_variants)) {
      std::string name;
      for (const auto& [symbol, value] : symbol_values(in, variant))
        name += fmt::format("{}{} = {:g}", name.empty() ? "" : ", ", symbol, value);
      if (name.empty()) name = in.attribute_text("/input/deck", "file_name");
      if (several) name = fmt::format("{}: {}", name_of(file), name);
      chosen.results.push_back({name, file, variant});
    }
    if (count > max_variants)
      chosen.title += fmt::format(", {} of {} variants", max_variants, count);
  }
  return chosen;
}

}  // namespace thinwire
