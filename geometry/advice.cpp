#include "geometry/advice.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "geometry/pair_search.h"
#include "geometry/wire_mesh.h"
#include "kernels/base/disjoint_sets.h"
#include "kernels/element/close_pairs.h"

namespace thinwire {
namespace {

constexpr double sharp_angle_deg = 20;
constexpr double large_step = 5;
/// Open ends that face each other look like one wire where the gap is shorter than a
/// segment, or than this fraction of the wire on its two sides.
constexpr double small_gap = 0.03;
/// Cosine of the angle at which an end still faces another.
constexpr double facing = 0.7;
/// A radius beyond this fraction of an antenna's wire, or beyond so many metres, was
/// meant in other units more often than not.
constexpr double thick_fraction = 0.05, thick_m = 0.5;

double radian_to_degree(double x) {
  return x * (180 / 3.14159265358979323846);
}

/// Ends of a junction that are compared with each other.
constexpr std::size_t max_ends = 1000;

/// Lines of one kind, cut after a number of them.
class Kind {
 public:
  explicit Kind(std::size_t most) : max_(most) {}
  /// make_line() -> std::string is called only for lines that are kept.
  template <class MakeLine>
  void add(const MakeLine& make_line) {
    if (lines_.size() < max_) lines_.push_back(make_line());
    ++count_;
  }
  void move_to(std::vector<std::string>& out, const char* what) {
    if (count_ > lines_.size())
      lines_.push_back(fmt::format("... and {} more: {}", count_ - lines_.size(), what));
    out.insert(out.end(), lines_.begin(), lines_.end());
  }

 private:
  std::size_t max_, count_ = 0;
  std::vector<std::string> lines_;
};

MeshOptions as_given() {
  MeshOptions options;
  options.graded = false;
  return options;
}

class Advice {
 public:
  Advice(const Structure& structure, std::size_t most, const Monitor& monitor)
      : structure_(structure),
        segments_(structure.segments()),
        mesh_(structure, as_given(), monitor.part(0, 0.3)),
        duplicates_(most),
        overlaps_(most),
        close_(most),
        gaps_(most),
        thick_(most),
        crossings_(most),
        angles_(most),
        steps_(most),
        short_(most) {}

  std::vector<std::string> all(const Monitor& monitor) {
    std::vector<std::string> lines = serious(monitor, true);
    const bool reported = !all_compared_;
    monitor.report("check", 0.9);
    find_junctions();
    for (std::size_t s = 0; s < segments_.size(); ++s) {
      const double length = norm(segments_[s].end_m - segments_[s].start_m);
      if (length < segments_[s].radius_m)
        short_.add([&] {
          return fmt::format(
              "{} is shorter than its radius ({:.3g} m, {:.3g} m): the current around "
              "its circumference may matter",
              name(s), length, segments_[s].radius_m);
        });
    }
    crossings_.move_to(lines, "crossing wires close together");
    angles_.move_to(lines, "sharp angles");
    steps_.move_to(lines, "steps at junctions");
    short_.move_to(lines, "segments shorter than their radius");
    if (!reported) add_what_was_left_out(lines);
    return lines;
  }

  std::vector<std::string> serious(const Monitor& monitor, bool with_proximity) {
    find_duplicates();
    with_proximity_ = with_proximity;
    find_close_wires(monitor.part(0.3, 0.6));
    monitor.report("check", 0.6);
    const std::vector<double> wire_m =
        sum_of_antennas([&](std::size_t s) { return length(s); });
    find_gaps(wire_m, monitor.part(0.7, 0.75));
    monitor.report("check", 0.75);
    find_thick_wires(wire_m);
    std::vector<std::string> lines;
    duplicates_.move_to(lines, "segments in one place");
    overlaps_.move_to(lines, "overlapping wires");
    close_.move_to(lines, "wires close together");
    gaps_.move_to(lines, "ends that face each other");
    thick_.move_to(lines, "thick wires");
    add_what_was_left_out(lines);
    return lines;
  }

 private:
  void add_what_was_left_out(std::vector<std::string>& lines) const {
    if (!all_compared_)
      lines.push_back(
          fmt::format("too many wires lie close together to compare all of them ({} "
                      "pairs were compared, and {} ends of a junction at most)",
                      looked_at_, max_ends));
  }

  std::string name(std::size_t segment) const {
    return fmt::format("tag {} segment {}", segments_[segment].tag,
                       structure_.within_tag(segment));
  }

  double length(std::size_t segment) const {
    return norm(segments_[segment].end_m - segments_[segment].start_m);
  }
  Vec3 centre(std::size_t segment) const {
    return 0.5 * (segments_[segment].start_m + segments_[segment].end_m);
  }

  void find_duplicates() {
    for (const Duplicate& duplicate : mesh_.duplicates())
      duplicates_.add([&] {
        return fmt::format(
            "{} ({}) is the same piece of wire as {} ({}): it is left out, and shown "
            "with the other's current",
            name(duplicate.segment), structure_.origin(duplicate.segment),
            name(duplicate.original), structure_.origin(duplicate.original));
      });
  }

  void find_close_wires(const Monitor& monitor) {
    const PairSearch search = close_wires(structure_, mesh_, monitor);
    note(search);
    for (const auto& [a, b] : search.pairs) compare(a, b);
  }

  void note(const PairSearch& search) {
    looked_at_ += search.candidates;
    all_compared_ = all_compared_ && search.complete;
  }

  void compare(std::size_t a, std::size_t b) {
    const double radii = segments_[a].radius_m + segments_[b].radius_m;
    const double lengths = 0.5 * (length(a) + length(b));
    const double distance = segment_distance(segments_[a], segments_[b]);
    if (distance < radii * (1 - 1e-9)) {
      if (overlap_beyond_bend(a, b, radii))
        overlaps_.add([&] {
          return fmt::format(
              "{} and {} overlap without being joined (axes {:.3g} m apart, radii "
              "{:.3g} + {:.3g} m): end a segment where they are to connect",
              name(a), name(b), distance, segments_[a].radius_m, segments_[b].radius_m);
        });
    } else {
      const Vec3 along = away({static_cast<std::uint32_t>(a), 0});
      const bool parallel =
          std::abs(dot(along, away({static_cast<std::uint32_t>(b), 0}))) > beside_cosine;
      // One behind the other they are no line; whether they face each other over a gap is
      // looked at elsewhere.
      if (parallel && std::abs(dot(along, centre(b) - centre(a))) >=
                          std::max(lengths - radii, 0.5 * lengths))
        return;
      const auto line = [&] {
        return fmt::format(
            "{} and {} nearly touch ({:.3g} m between axes, radii {:.3g} + {:.3g} m): "
            "the proximity effect around the circumference is neglected",
            name(a), name(b), distance, segments_[a].radius_m, segments_[b].radius_m);
      };
      // The effect of wires that nearly touch is not included in full.
      constexpr double included_from = 1.05;
      if (parallel && with_proximity_ && distance >= included_from * radii) return;
      if (parallel)
        close_.add([&] {
          return fmt::format(
              "{}, which makes the impedance of their line {:.0f} % too high", line(),
              100 * proximity_excess(distance, radii));
        });
      else
        crossings_.add(line);
    }
  }

  /// Whether two overlapping segments still overlap where more wire than `at_bend` times
  /// their radii lies between: closer by, tubes overlap wherever a wire bends.
  bool overlap_beyond_bend(std::size_t a, std::size_t b, double radii) const {
    constexpr double at_bend = 2;
    const auto far_part_overlaps = [&](std::size_t one, std::size_t other) {
      const Segment& s = segments_[one];
      double cut[2];
      for (const int end : {0, 1})
        cut[end] = std::max(at_bend * radii -
                                wire_between_m(mesh_, one, end, other, at_bend * radii),
                            0.0) /
                   length(one);
      if (cut[0] + cut[1] >= 1) return false;
      Segment far = s;
      far.start_m = s.start_m + cut[0] * (s.end_m - s.start_m);
      far.end_m = s.end_m - cut[1] * (s.end_m - s.start_m);
      return segment_distance(far, segments_[other]) < radii;
    };
    return far_part_overlaps(a, b) || far_part_overlaps(b, a);
  }

  /// For each segment the sum of value(s) of all segments s that it is connected to.
  template <class Value>
  std::vector<double> sum_of_antennas(const Value& value) const {
    DisjointSets nodes(mesh_.node_count());
    for (std::size_t s = 0; s < segments_.size(); ++s)
      nodes.unite(mesh_.node_of(s, 0), mesh_.node_of(s, 1));
    std::vector<double> sum(nodes.size(), 0), of_segment(segments_.size());
    for (std::size_t s = 0; s < segments_.size(); ++s)
      sum[nodes.root(mesh_.node_of(s, 0))] += value(s);
    for (std::size_t s = 0; s < segments_.size(); ++s)
      of_segment[s] = sum[nodes.root(mesh_.node_of(s, 0))];
    return of_segment;
  }

  struct OpenEnd {
    std::size_t segment;
    Vec3 at_m, outward;
    double reach_m;  ///< a gap of less than this looks like a wire that was cut
  };

  /// Open ends of different wires that face each other over a short gap.
  void find_gaps(const std::vector<double>& wire_m, const Monitor& monitor) {
    std::vector<OpenEnd> ends;
    std::vector<Vec3> places;
    std::vector<double> reaches;
    for (std::size_t n = 0; n < mesh_.node_count(); ++n) {
      const Node node = mesh_.node(n);
      if (node.ends.size() != 1) continue;
      const ElementEnd end = node.ends.front();
      if (mesh_.duplicate(end.element)) continue;
      const Segment& s = segments_[end.element];
      places.push_back(end.end == 0 ? s.start_m : s.end_m);
      ends.push_back(
          {end.element, places.back(), -away(end),
           std::max(length(end.element), 2 * small_gap * wire_m[end.element])});
      reaches.push_back(ends.back().reach_m);
    }
    const ReachIndex index(places, reaches, monitor);
    // The segment with the smaller reach decides.
    PairSearch search;
    search_pairs(
        ends.size(), monitor,
        [&](std::size_t a, const auto& pair_with) {
          std::size_t candidates = 0;
          index.visit_within(a, places[a], [&](std::uint32_t b) {
            const bool farther = ends[b].reach_m > ends[a].reach_m ||
                                 (ends[b].reach_m == ends[a].reach_m && b > a);
            if (farther && face(ends[a], ends[b])) pair_with(a, b);
            return ++candidates < max_candidates_each;
          });
          return candidates;
        },
        search);
    note(search);
    for (const auto& [a, b] : search.pairs) {
      const auto [first, second] = std::minmax({ends[a].segment, ends[b].segment});
      gaps_.add([&, first = first, second = second, a = a, b = b] {
        return fmt::format(
            "{} and {} end {:.3g} m from each other and are not joined: let them meet if "
            "they are one wire",
            name(first), name(second), norm(places[b] - places[a]));
      });
    }
  }

  static bool face(const OpenEnd& a, const OpenEnd& b) {
    const Vec3 across = b.at_m - a.at_m;
    const double gap = norm(across);
    return gap <= std::min(a.reach_m, b.reach_m) && a.segment != b.segment &&
           dot(a.outward, across) >= facing * gap &&
           -dot(b.outward, across) >= facing * gap;
  }

  void find_thick_wires(const std::vector<double>& wire_m) {
    for (std::size_t s = 0; s < segments_.size(); ++s)
      if (segments_[s].radius_m > std::min(thick_fraction * wire_m[s], thick_m))
        thick_.add([&] {
          return fmt::format(
              "{} has a radius of {:.3g} m on {:.3g} m of wire: is it in metres?",
              name(s), segments_[s].radius_m, wire_m[s]);
        });
  }

  void find_junctions() {
    for (std::size_t n = 0; n < mesh_.node_count(); ++n) {
      const Node node = mesh_.node(n);
      const std::size_t ends = std::min(node.ends.size(), max_ends);
      all_compared_ = all_compared_ && ends == node.ends.size();
      for (std::size_t i = 0; i < ends; ++i)
        for (std::size_t j = i + 1; j < ends; ++j)
          look_at_pair(node.ends[i], node.ends[j]);
    }
  }

  Vec3 away(ElementEnd e) const {
    const Segment& s = segments_[e.element];
    const Vec3 along = e.end == 0 ? s.end_m - s.start_m : s.start_m - s.end_m;
    return (1 / norm(along)) * along;
  }

  void look_at_pair(ElementEnd a, ElementEnd b) {
    const double angle =
        radian_to_degree(std::acos(std::clamp(dot(away(a), away(b)), -1.0, 1.0)));
    if (angle < sharp_angle_deg)
      angles_.add([&] {
        return fmt::format("{} and {} meet at {:.3g} degrees", name(a.element),
                           name(b.element), angle);
      });
    const auto ratio = [](double x, double y) { return std::max(x, y) / std::min(x, y); };
    const Segment &s = segments_[a.element], &t = segments_[b.element];
    const double lengths = ratio(norm(s.end_m - s.start_m), norm(t.end_m - t.start_m));
    if (lengths > large_step)
      steps_.add([&] {
        return fmt::format("{} and {} meet and differ {:.3g} times in length",
                           name(a.element), name(b.element), lengths);
      });
  }

  const Structure& structure_;
  std::span<const Segment> segments_;
  WireMesh mesh_;
  Kind duplicates_, overlaps_, close_, gaps_, thick_, crossings_, angles_, steps_, short_;
  std::size_t looked_at_ = 0;  ///< pairs
  bool all_compared_ = true;
  bool with_proximity_ = false;
};

}  // namespace

double proximity_excess(double spacing_m, double radii_m) {
  const double ratio = std::max(spacing_m / radii_m, 1.001);
  return std::log(2 * ratio) / std::acosh(ratio) - 1;
}

std::vector<std::string> geometry_advice(const Structure& structure, std::size_t most,
                                         const Monitor& monitor) {
  if (structure.segments().empty()) return {};
  return Advice(structure, most, monitor).all(monitor);
}

std::vector<std::string> serious_advice(const Structure& structure, std::size_t most,
                                        const Monitor& monitor, bool with_proximity) {
  if (structure.segments().empty()) return {};
  return Advice(structure, most, monitor).serious(monitor, with_proximity);
}

}  // namespace thinwire
