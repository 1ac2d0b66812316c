#include "io/result/matrix_file.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <thinwire_version.h>

#include "io/result/checksum.h"
#include "io/result/hdf5_file.h"
#include "io/result/output_file.h"
#include "kernels/base/error.h"
#include "kernels/base/printable.h"

namespace thinwire {
namespace {

constexpr const char* content = "matrix";
constexpr std::int64_t version = 2;

/// Throws Error{file} unless what was read fits together.
void require(const std::filesystem::path& path, bool fits) {
  if (!fits)
    throw Error(
        ErrorKind::file,
        fmt::format("{}: is damaged (its parts do not fit each other).", shown(path)));
}

template <Choice Kind>
Kind kind_called(const std::filesystem::path& path, std::string_view name) {
  for (const auto& [kind, word] : words_of(Kind()))
    if (word == name) return kind;
  require(path, false);
  return {};
}

void write_structure(Hdf5Writer& out, const Structure& structure) {
  std::vector<double> places, radius;
  std::vector<std::int64_t> tag;
  for (const Segment& s : structure.segments()) {
    for (const Vec3 end : {s.start_m, s.end_m})
      places.insert(places.end(), {end.x, end.y, end.z});
    radius.push_back(s.radius_m);
    tag.push_back(s.tag);
  }
  out.counting_axis("/segment_number", radius.size(), 1, "NEC segment, from 1");
  out.axis("/coordinate", {"x1", "y1", "z1", "x2", "y2", "z2"}, "of both ends");
  out.dataset("/structure/ends_m", places, {"/segment_number", "/coordinate"},
              {"m", "start and end of the segments"});
  out.dataset("/structure/radius_m", radius, {"/segment_number"}, {"m", "wire radius"});
  out.dataset("/structure/tag", tag, {"/segment_number"}, {"1", "tag"});
}

void read_structure(const std::filesystem::path& path, const Hdf5Reader& in,
                    Structure& structure) {
  const std::vector<double> places = in.doubles("/structure/ends_m"),
                            radius = in.doubles("/structure/radius_m");
  const std::vector<std::int64_t> tag = in.integers("/structure/tag");
  require(path, places.size() == 6 * radius.size() && tag.size() == radius.size());
  for (std::size_t s = 0; s < radius.size(); ++s) {
    const double* p = places.data() + 6 * s;
    structure.add_wire(static_cast<int>(tag[s]), 1, {p[0], p[1], p[2]},
                       {p[3], p[4], p[5]}, radius[s]);
  }
}

void write_loads(Hdf5Writer& out, const StoredMatrix& stored) {
  if (stored.loads.empty()) return;
  std::vector<std::string> kind;
  std::vector<std::int64_t> where, card;
  std::vector<double> value, card_value;
  for (const Load& load : stored.loads) {
    kind.emplace_back(name_of(load.kind));
    where.insert(where.end(), {static_cast<std::int64_t>(load.first),
                               static_cast<std::int64_t>(load.last)});
    value.insert(value.end(), load.value, load.value + 3);
  }
  for (const LoadCard& load : stored.load_cards) {
    card.insert(card.end(), {load.type, load.tag, load.first, load.last});
    card_value.insert(card_value.end(), load.value, load.value + 3);
  }
  out.counting_axis("/load_number", stored.loads.size(), 1, "load");
  out.counting_axis("/load_card_number", stored.load_cards.size(), 1, "LD card");
  out.axis("/load_place", {"first", "last"}, "segments from 0");
  out.axis("/load_card_field", {"type", "tag", "first", "last"}, "as on the card");
  out.axis("/load_value", {"1", "2", "3"}, "value of a load");
  out.dataset("/load/kind", kind, {"/load_number"}, "what its values are");
  out.dataset("/load/place", where, {"/load_number", "/load_place"}, {"1", "where"});
  out.dataset("/load/value", value, {"/load_number", "/load_value"}, {"1", "values"});
  out.dataset("/load/card", card, {"/load_card_number", "/load_card_field"},
              {"1", "LD cards"});
  out.dataset("/load/card_value", card_value, {"/load_card_number", "/load_value"},
              {"1", "their values"});
}

void read_loads(const std::filesystem::path& path, const Hdf5Reader& in,
                StoredMatrix& stored) {
  if (!in.exists("/load/place")) return;
  const std::vector<std::string> kind = in.strings("/load/kind");
  const std::vector<std::int64_t> where = in.integers("/load/place"),
                                  card = in.integers("/load/card");
  const std::vector<double> value = in.doubles("/load/value"),
                            card_value = in.doubles("/load/card_value");
  require(path, where.size() == 2 * kind.size() && value.size() == 3 * kind.size() &&
                    card.size() % 4 == 0 && 4 * card_value.size() == 3 * card.size());
  for (std::size_t i = 0; i < kind.size(); ++i)
    stored.loads.push_back({kind_called<Load::Kind>(path, kind[i]),
                            static_cast<std::size_t>(where[2 * i]),
                            static_cast<std::size_t>(where[2 * i + 1]),
                            {value[3 * i], value[3 * i + 1], value[3 * i + 2]}});
  for (std::size_t i = 0; 4 * i < card.size(); ++i)
    stored.load_cards.push_back(
        {static_cast<int>(card[4 * i]),
         static_cast<int>(card[4 * i + 1]),
         static_cast<int>(card[4 * i + 2]),
         static_cast<int>(card[4 * i + 3]),
         {card_value[3 * i], card_value[3 * i + 1], card_value[3 * i + 2]}});
}

/// As read_matrix_file(), but that messages name no next step.
void read_all(const std::filesystem::path& path, Problem& problem) {
  check_readable(path);
  const auto refuse = [&] {
    throw Error(ErrorKind::file,
                shown(path) +
                    ": is no matrix that this version's WG wrote (NEC-2's NGF files "
                    "are none).");
  };
  // Files without checksum are not shown to HDF5, which damage can crash.
  if (!has_checksum(path)) refuse();
  const Hdf5Reader in(path);
  if (!in.has_attribute("/", "content") || in.attribute_text("/", "content") != content ||
      in.attribute_integer("/", "format_version") != version)
    refuse();
  auto stored = std::make_shared<StoredMatrix>();
  stored->name = shown(path.filename());
  stored->path = path;
  stored->frequency_hz = in.attribute_real("/", "frequency_hz");
  stored->ground = {kind_called<Ground::Kind>(path, in.attribute_text("/", "ground")),
                    in.attribute_real("/", "relative_permittivity"),
                    in.attribute_real("/", "conductivity_s_per_m"),
                    {static_cast<int>(in.attribute_integer("/", "radials")),
                     in.attribute_real("/", "screen_radius_m"),
                     in.attribute_real("/", "screen_wire_radius_m")}};
  stored->mesh = choice_named<MeshChoice>(stored->name, in.attribute_text("/", "mesh"));
  stored->refinement = static_cast<int>(in.attribute_integer("/", "refine"));
  stored->kernel =
      choice_named<GreensKernel>(stored->name, in.attribute_text("/", "kernel"));
  stored->proximity =
      in.has_attribute("/", "proximity") && in.attribute_integer("/", "proximity") != 0;
  if (in.attribute_integer("/", "gaps") > 0)
    for (const std::int64_t gap : in.integers("/gap_segments"))
      stored->gap_segments.push_back(static_cast<std::size_t>(gap));
  read_loads(path, in, *stored);
  stored->matrix_ohm = in.complexes("/matrix_ohm");
  read_structure(path, in, problem.structure);
  const std::size_t segments = problem.structure.segments().size();
  require(path, std::all_of(stored->gap_segments.begin(), stored->gap_segments.end(),
                            [&](std::size_t gap) { return gap < segments; }) &&
                    std::all_of(stored->loads.begin(), stored->loads.end(),
                                [&](const Load& load) {
                                  return load.first <= load.last && load.last < segments;
                                }));
  problem.ground_plane = static_cast<int>(in.attribute_integer("/", "ground_plane"));
  problem.ground_contact = problem.ground_plane == 1;
  problem.stored = std::move(stored);
}

}  // namespace

void write_matrix_file(const std::filesystem::path& path, const Problem& problem,
                       const StoredMatrix& stored, const std::atomic<bool>* stop) {
  Hdf5Writer out(path);
  out.attribute("/", "format", "thinwire");
  out.attribute("/", "content", content);
  out.attribute("/", "format_version", version);
  out.attribute("/", "program_version", THINWIRE_VERSION);
  out.attribute("/", "deck", problem.name);
  out.attribute("/", "ground_plane", static_cast<std::int64_t>(problem.ground_plane));
  out.attribute("/", "frequency_hz", stored.frequency_hz);
  out.attribute("/", "ground", name_of(stored.ground.kind));
  out.attribute("/", "relative_permittivity", stored.ground.relative_permittivity);
  out.attribute("/", "conductivity_s_per_m", stored.ground.conductivity_s_per_m);
  const RadialScreen& screen = stored.ground.screen;
  out.attribute("/", "radials", static_cast<std::int64_t>(screen.radials));
  out.attribute("/", "screen_radius_m", screen.radius_m);
  out.attribute("/", "screen_wire_radius_m", screen.wire_radius_m);
  out.attribute("/", "mesh", name_of(stored.mesh));
  out.attribute("/", "refine", static_cast<std::int64_t>(stored.refinement));
  out.attribute("/", "kernel", name_of(stored.kernel));
  out.attribute("/", "proximity", std::int64_t{stored.proximity});
  write_structure(out, problem.structure);
  write_loads(out, stored);
  const std::vector<std::int64_t> gaps(stored.gap_segments.begin(),
                                       stored.gap_segments.end());
  out.attribute("/", "gaps", static_cast<std::int64_t>(gaps.size()));
  if (!gaps.empty()) {
    out.counting_axis("/gap_number", gaps.size(), 1, "segment that the mesh is fine at");
    out.dataset("/gap_segments", gaps, {"/gap_number"}, {"1", "these segments, from 0"});
  }
  const auto n = static_cast<std::size_t>(
      std::lround(std::sqrt(static_cast<double>(stored.matrix_ohm.size()))));
  out.counting_axis("/row", n, 1, "unknown of the field");
  out.counting_axis("/column", n, 1, "unknown of the current");
  out.dataset_left_out("/matrix_ohm", {"/row", "/column"},
                       {"ohm", "impedance matrix, loads included"});
  write_result_file(path, out, stored.matrix_ohm, stop);
}

void read_matrix_file(const std::filesystem::path& path, Problem& problem) {
  try {
    read_all(path, problem);
  } catch (const Error& error) {
    throw Error(
        error.kind(),
        fmt::format("{} Name a file that WG wrote, or solve its deck with WG again.",
                    error.what()));
  }
}

void read_matrix_file(const std::filesystem::path& folder, const std::string& name,
                      Problem& problem) {
  std::error_code unknown;
  const std::filesystem::path beside = folder / name;
  read_matrix_file(
      std::filesystem::exists(beside, unknown) ? beside : std::filesystem::path(name),
      problem);
}

}  // namespace thinwire
