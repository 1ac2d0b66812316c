#include "cli/convert_result.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <vector>

#include "io/page/stored_result.h"
#include "io/result/output_file.h"
#include "io/result/write_pattern.h"
#include "io/result/write_vtk.h"
#include "kernels/base/counted.h"
#include "kernels/base/error.h"
#include "kernels/base/printable.h"

namespace thinwire::cli {
namespace fs = std::filesystem;
namespace {

/// Points of a result in the order of a dataset: indices of its frequencies.
struct Points {
  std::vector<std::size_t> index;
  std::size_t chosen = 0;  ///< among them
};

class Conversion {
 public:
  Conversion(const fs::path& result, std::optional<double> frequency_hz)
      : path_(result), stored_(result), wanted_hz_(frequency_hz) {
    hz_ = stored_.doubles("/frequency_hz");
    run_ = stored_.integers("/run_index");
  }

  ConvertedResult pattern(const std::string& suffix) {
    for (const std::string& k : children("/pattern")) {
      const std::string group = "/pattern/" + k;
      theta_ = stored_.doubles(group + "/theta_deg");
      phi_ = stored_.doubles(group + "/phi_deg");
      gain_ = stored_.doubles(group + "/gain_dbi");
      const Points points = points_of(group);
      const auto at = [&](std::size_t i) {
        const std::size_t size = theta_.size() * phi_.size();
        const std::vector<double> efficiency = stored_.doubles("/power/efficiency");
        return GainPattern{path_.stem().string(),
                           hz_[points.index[i]],
                           theta_,
                           phi_,
                           std::span(gain_).subspan(i * size, size),
                           efficiency.at(points.index[i])};
      };
      if (!covers_upper_half(at(0))) continue;
      if (suffix == ".n14") {
        std::vector<GainPattern> all;
        for (std::size_t i = 0; i < points.index.size(); ++i) all.push_back(at(i));
        return {voacap_14_text(all), ""};
      }
      const GainPattern pattern = at(points.chosen);
      return {suffix == ".msi" ? msi_text(pattern) : voacap_13_text(pattern),
              note_of(points)};
    }
    refuse("no pattern in all directions", "Solve with --pattern 1.");
  }

  ConvertedResult wires() {
    const Points points = choose(all_points());
    const std::vector<std::int64_t> tag = stored_.integers("/mesh/tag");
    const std::vector<double> tags(tag.begin(), tag.end());
    const std::vector<Complex> current = stored_.complexes("/current/segment_current_a");
    if (current.size() != hz_.size() * tags.size())
      refuse("no currents of its segments", "Solve the deck again.");
    return {wires_vtp(stored_.doubles("/mesh/start_m"), stored_.doubles("/mesh/end_m"),
                      stored_.doubles("/mesh/radius_m"), tags,
                      std::span(current).subspan(
                          points.index[points.chosen] * tags.size(), tags.size())),
            note_of(points)};
  }

  ConvertedResult fields(const std::string& suffix) {
    std::vector<double> position;
    std::vector<std::vector<Complex>> values;
    std::vector<GridField> fields;
    std::array<std::size_t, 3> grid{};
    std::string note;
    std::size_t left_out = 0;
    for (const std::string& k : children("/near_field")) {
      const std::string group = "/near_field/" + k;
      const bool electric = stored_.file().exists(group + "/e_v_per_m");
      const std::string_view name = electric ? "e" : "h";
      const std::vector<double> place = stored_.doubles(group + "/position_m");
      const auto named = [&](const GridField& f) { return f.name == name; };
      if (!fields.empty() && (place != position || std::ranges::any_of(fields, named))) {
        ++left_out;
        continue;
      }
      const Points points = points_of(group);
      position = place;
      const Shape shape = stored_.file().shape(group + "/position_m");
      grid = {shape[2], shape[1], shape[0]};
      const std::string unit = electric ? "v_per_m" : "a_per_m";
      const std::vector<Complex> all =
          stored_.complexes(fmt::format("{}/{}_{}", group, name, unit));
      const auto first =
          all.begin() + static_cast<std::ptrdiff_t>(points.chosen * place.size());
      values.emplace_back(first, first + static_cast<std::ptrdiff_t>(place.size()));
      fields.push_back({name, electric ? "v_per_m" : "a_per_m", {}});
      note = note_of(points);
    }
    if (fields.empty()) refuse("no near field", "Add an NE or NH card to its deck.");
    for (std::size_t i = 0; i < fields.size(); ++i) fields[i].values = values[i];
    if (left_out > 0)
      note += fmt::format("{}{} with other points left out", note.empty() ? "" : "; ",
                          counted(left_out, "near field"));
    return {suffix == ".vti" ? fields_vti(position, grid, fields)
                             : fields_vts(position, grid, fields),
            note};
  }

 private:
  [[noreturn]] void refuse(std::string_view lacks, std::string_view next_step) const {
    throw Error(ErrorKind::file,
                fmt::format("{}: has {}. {}", shown(path_), lacks, next_step));
  }

  std::vector<std::string> children(const std::string& group) const {
    return stored_.file().exists(group) ? stored_.file().children(group)
                                        : std::vector<std::string>();
  }

  std::vector<std::size_t> all_points() const {
    std::vector<std::size_t> index(hz_.size());
    for (std::size_t i = 0; i < index.size(); ++i) index[i] = i;
    return index;
  }

  Points points_of(const std::string& group) const {
    std::vector<std::size_t> index = all_points();
    const std::int64_t run = stored_.file().attribute_integer(group, "run");
    std::erase_if(index, [&](std::size_t i) { return run_.at(i) != run; });
    return choose(std::move(index));
  }

  Points choose(std::vector<std::size_t> index) const {
    if (index.empty()) stored_.refuse_count("/run_index", run_.size());
    const double wanted = wanted_hz_.value_or(hz_[index[index.size() / 2]]);
    const auto distance = [&](std::size_t i) { return std::abs(hz_[i] - wanted); };
    const auto nearest = std::ranges::min_element(index, {}, distance);
    const auto chosen = static_cast<std::size_t>(nearest - index.begin());
    return {std::move(index), chosen};
  }

  std::string note_of(const Points& points) const {
    if (points.index.size() == 1) return "";
    return fmt::format("it holds {:g} MHz; --frequency chooses another",
                       hz_[points.index[points.chosen]] / 1e6);
  }

  fs::path path_;
  StoredResult stored_;
  std::optional<double> wanted_hz_;
  std::vector<double> hz_, theta_, phi_, gain_;
  std::vector<std::int64_t> run_;
};

}  // namespace

bool is_made_of_result(const fs::path& output) {
  constexpr std::string_view kinds[] = {".msi", ".n13", ".n14", ".vtp", ".vts", ".vti"};
  return std::ranges::find(kinds, suffix_of(output)) != std::end(kinds);
}

ConvertedResult convert_result(const fs::path& result, const fs::path& output,
                               std::optional<double> frequency_hz) {
  // Throws for what holds no result.
  if (choose_results({result}).results.at(0).variant)
    throw Error(ErrorKind::file,
                fmt::format("{}: holds variants of thinwire sweep. Solve the one that is "
                            "meant (solve --set) and convert that.",
                            shown(result)));
  const std::string suffix = suffix_of(output);
  Conversion conversion(result, frequency_hz);
  return suffix == ".vtp"           ? conversion.wires()
         : suffix.starts_with(".v") ? conversion.fields(suffix)
                                    : conversion.pattern(suffix);
}

}  // namespace thinwire::cli
