#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <span>

#include "geometry/wires_below.h"
#include "io/result/listing_blocks.h"

namespace thinwire::listing {
namespace {
/// NEC takes two ends for joined when they are closer than this part of a segment.
constexpr double joined = 1e-3;

bool touch(Vec3 a, Vec3 b, double tolerance_m) {
  return std::abs(a.x - b.x) + std::abs(a.y - b.y) + std::abs(a.z - b.z) <= tolerance_m;
}

/// True when `next` goes on straight from `s` with the same tag and radius, so that both
/// may come from one GW card.
bool same_wire(const Segment& s, const Segment& next) {
  const Vec3 d = s.end_m - s.start_m, e = next.end_m - next.start_m;
  const double length = norm(d);
  return s.tag == next.tag && s.radius_m == next.radius_m &&
         touch(s.end_m, next.start_m, joined * length) &&
         norm(cross(d, e)) <= 1e-9 * length * norm(e) && dot(d, e) > 0;
}

std::string wire_rows(std::span<const Segment> segments) {
  std::string out;
  int wire = 0;
  for (std::size_t first = 0; first < segments.size();) {
    std::size_t last = first;
    while (last + 1 < segments.size() && same_wire(segments[last], segments[last + 1]))
      ++last;
    const Vec3 a = segments[first].start_m, b = segments[last].end_m;
    fmt::format_to(std::back_inserter(out),
                   "{:6}  {:10.5f} {:10.5f} {:10.5f} {:10.5f} {:10.5f} {:10.5f} {:10.5f} "
                   "{:5} {:5} {:5} {:4}\n",
                   ++wire, a.x, a.y, a.z, b.x, b.y, b.z, segments[first].radius_m,
                   last - first + 1, first + 1, last + 1, segments[first].tag);
    first = last + 1;
  }
  return out;
}

/// Whether a wire goes on below the ground at a point of its surface.
bool goes_below(std::span<const Segment> segments, Vec3 point, double tolerance_m) {
  return std::any_of(segments.begin(), segments.end(), [&](const Segment& s) {
    return reaches_below(s) &&
           (touch(point, s.start_m, tolerance_m) || touch(point, s.end_m, tolerance_m));
  });
}

/// NEC's connection number of one end of segment `at`: the next segment in cyclic order
/// that joins there, negative when like ends meet; its own number at ground; 0 when free.
std::int64_t connection(std::span<const Segment> segments, std::size_t at, bool end,
                        bool ground) {
  const Vec3 point = end ? segments[at].end_m : segments[at].start_m;
  const double tolerance_m = joined * norm(segments[at].end_m - segments[at].start_m);
  if (ground && std::abs(point.z) <= tolerance_m &&
      !goes_below(segments, point, tolerance_m))
    return static_cast<std::int64_t>(at) + 1;
  for (std::size_t step = 1; step < segments.size(); ++step) {
    const std::size_t other = (at + step) % segments.size();
    const auto number = static_cast<std::int64_t>(other) + 1;
    if (touch(point, segments[other].start_m, tolerance_m)) return end ? number : -number;
    if (touch(point, segments[other].end_m, tolerance_m)) return end ? -number : number;
  }
  return 0;
}

std::string segment_rows(std::span<const Segment> segments, bool ground) {
  std::string out;
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const Segment& s = segments[i];
    const Vec3 centre = 0.5 * (s.start_m + s.end_m), d = s.end_m - s.start_m;
    const double across = std::hypot(d.x, d.y);
    fmt::format_to(std::back_inserter(out),
                   "{:6} {:9.4f} {:9.4f} {:9.4f} {:9.4f} {:9.4f} {:9.4f} {:9.4f} {:5} "
                   "{:5} {:5} {:5}\n",
                   i + 1, centre.x, centre.y, centre.z, norm(d),
                   std::atan2(d.z, across) * deg,
                   across > 0 ? std::atan2(d.y, d.x) * deg : 0.0, s.radius_m,
                   connection(segments, i, false, ground), i + 1,
                   connection(segments, i, true, ground), s.tag);
  }
  return out;
}

/// "ITAG FROM THRU": ALL, or what is not zero.
std::string load_place(const LoadCard& load) {
  if (load.tag == 0 && load.first == 0 && load.last == 0) return "  ALL          ";
  std::string out = " ";
  for (const int number : {load.tag, load.first, load.last})
    out += number != 0 ? fmt::format("{:5}", number) : std::string(5, ' ');
  return out;
}

std::string load_row(const LoadCard& load) {
  constexpr const char* names[] = {" SERIES ",
                                   "PARALLEL",
                                   "SERIES (PER METER)",
                                   "PARALLEL (PER METER)",
                                   "FIXED IMPEDANCE ",
                                   "  WIRE  ",
                                   "TRAP",
                                   "INSULATION"};
  constexpr int impedance = 4, wire = 5, trap = 6, insulation = 7;
  // Six columns of which each type fills its own; NEC leaves zeros blank.
  std::array<double, 6> columns{};
  if (load.type == impedance)
    columns = {0, 0, 0, load.value[0], load.value[1], 0};
  else if (load.type == wire)
    columns[5] = load.value[0];
  else if (load.type == trap)
    columns = {0, load.value[1], load.value[2], 0, 0, 0};
  else if (load.type == insulation)
    columns[5] = load.value[1];
  else
    std::copy(load.value, load.value + 3, columns.begin());

  std::string out = load_place(load);
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const bool shown = columns[c] != 0 || (load.type == impedance && (c == 3 || c == 4));
    out += shown ? fmt::format(" {:11.4E}", columns[c]) : std::string(12, ' ');
  }
  out += std::string("   ") + names[std::clamp(load.type, 0, insulation)];
  if (load.type == trap) out += fmt::format(", Q {:g}", load.value[0]);
  if (load.type == insulation)
    out += fmt::format(", EPS {:g}, RADIUS {:g} M", load.value[0], load.value[2]);
  return out + "\n";
}

bool overlapping(std::vector<Load> loads) {
  std::sort(loads.begin(), loads.end(),
            [](const Load& a, const Load& b) { return a.first < b.first; });
  std::size_t reached = 0;
  for (const Load& load : loads) {
    if (load.first < reached) return true;
    reached = std::max(reached, load.last + 1);
  }
  return false;
}

}  // namespace

std::string structure(const Problem& problem) {
  const auto& segments = problem.structure.segments();
  std::string out =
      "\n\n\n"
      "                               -------- STRUCTURE SPECIFICATION --------\n"
      "                                     COORDINATES MUST BE INPUT IN\n"
      "                                     METERS OR BE SCALED TO METERS\n"
      "                                     BEFORE STRUCTURE INPUT IS ENDED\n\n"
      "  WIRE                                                                           "
      "      SEG FIRST  LAST  TAG\n"
      "   No:        X1         Y1         Z1         X2         Y2         Z2       "
      "RADIUS   No:   SEG   SEG  No:\n";
  out += wire_rows(segments);
  if (problem.ground_plane != 0) {
    out += "\n     GROUND PLANE SPECIFIED.\n";
    if (problem.ground_plane > 0)
      out +=
          "     WHERE WIRE ENDS TOUCH GROUND, CURRENT WILL BE INTERPOLATED TO IMAGE IN "
          "GROUND PLANE.\n\n";
  }
  out += fmt::format(
      "\n     TOTAL SEGMENTS USED: {0}   SEGMENTS IN A SYMMETRIC CELL: {0}   SYMMETRY "
      "FLAG: 0\n\n\n",
      segments.size());
  out +=
      "                               ---------- SEGMENTATION DATA ----------\n"
      "                                        COORDINATES IN METERS\n"
      "                            I+ AND I- INDICATE THE SEGMENTS BEFORE AND AFTER I\n\n"
      "   SEG    COORDINATES OF SEGM CENTER     SEGM    ORIENTATION ANGLES    WIRE    "
      "CONNECTION DATA   TAG\n"
      "   No:       X         Y         Z      LENGTH     ALPHA      BETA    RADIUS    "
      "I- "
      "    I    I+   No:\n";
  return out + segment_rows(segments, problem.ground_contact);
}

std::string loading(const Run& run) {
  std::string out =
      "\n\n                          ------ STRUCTURE IMPEDANCE LOADING ------\n";
  if (run.load_cards.empty())
    return out + "                                 THIS STRUCTURE IS NOT LOADED\n";
  out +=
      "  LOCATION        RESISTANCE  INDUCTANCE  CAPACITANCE     IMPEDANCE (OHMS)   "
      "CONDUCTIVITY  CIRCUIT\n"
      "  ITAG FROM THRU     OHMS       HENRYS      FARADS       REAL     IMAGINARY   "
      "MHOS/METER      TYPE\n";
  for (const LoadCard& load : run.load_cards) out += load_row(load);
  if (overlapping(run.loads))
    out +=
        "  NOTE, SOME OF THE ABOVE SEGMENTS HAVE BEEN LOADED TWICE - IMPEDANCES ADDED\n";
  return out;
}

}  // namespace thinwire::listing
