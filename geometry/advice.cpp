#include "geometry/advice.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "geometry/wire_mesh.h"

namespace thinwire {
namespace {

/// Tubes closer than this many times the sum of their radii influence each other's
/// current around the circumference, which the thin-wire method takes as uniform.
constexpr double close_radii = 2.0;
constexpr double sharp_angle_deg = 20;
constexpr double large_step = 5;

double radian_to_degree(double x) {
  return x * (180 / 3.14159265358979323846);
}

/// Least distance between two segments (Ericson 2005, section 5.1.9).
double segment_distance(const Segment& a, const Segment& b) {
  const Vec3 u = a.end_m - a.start_m, v = b.end_m - b.start_m, r = a.start_m - b.start_m;
  const double uu = dot(u, u), vv = dot(v, v), uv = dot(u, v), ur = dot(u, r),
               vr = dot(v, r);
  const double determinant = uu * vv - uv * uv;
  double s = determinant > 1e-12 * uu * vv
                 ? std::clamp((uv * vr - ur * vv) / determinant, 0.0, 1.0)
                 : 0.0;
  double t = (uv * s + vr) / vv;
  if (t < 0 || t > 1) {
    t = std::clamp(t, 0.0, 1.0);
    s = std::clamp((uv * t - ur) / uu, 0.0, 1.0);
  }
  return norm(r + s * u - t * v);
}

/// Lines of one kind, cut after a number of them.
class Kind {
 public:
  explicit Kind(std::size_t most) : most_(most) {}
  void add(std::string line) {
    if (lines_.size() < most_) lines_.push_back(std::move(line));
    ++count_;
  }
  void move_to(std::vector<std::string>& out, const char* what) {
    if (count_ > lines_.size())
      lines_.push_back(fmt::format("... and {} more: {}", count_ - lines_.size(), what));
    out.insert(out.end(), lines_.begin(), lines_.end());
  }

 private:
  std::size_t most_, count_ = 0;
  std::vector<std::string> lines_;
};

MeshOptions as_given() {
  MeshOptions options;
  options.graded = false;
  return options;
}

class Advice {
 public:
  Advice(const Structure& structure, std::size_t most)
      : structure_(structure),
        segments_(structure.segments()),
        mesh_(structure, as_given()),
        overlaps_(most),
        close_(most),
        angles_(most),
        steps_(most),
        short_(most) {}

  std::vector<std::string> all() {
    find_close_wires();
    find_junctions();
    for (std::size_t s = 0; s < segments_.size(); ++s) {
      const double length = norm(segments_[s].end_m - segments_[s].start_m);
      if (length < segments_[s].radius_m)
        short_.add(fmt::format(
            "{} is shorter than its radius ({:.3g} m, {:.3g} m): the current around "
            "its circumference may matter",
            name(s), length, segments_[s].radius_m));
    }
    std::vector<std::string> lines;
    overlaps_.move_to(lines, "overlapping wires");
    close_.move_to(lines, "wires close together");
    angles_.move_to(lines, "sharp angles");
    steps_.move_to(lines, "steps at junctions");
    short_.move_to(lines, "segments shorter than their radius");
    return lines;
  }

  std::vector<std::string> overlaps() {
    find_close_wires();
    std::vector<std::string> lines;
    overlaps_.move_to(lines, "overlapping wires");
    return lines;
  }

 private:
  std::string name(std::size_t segment) const {
    return fmt::format("tag {} segment {}", segments_[segment].tag,
                       structure_.within_tag(segment));
  }

  bool joined(std::size_t a, std::size_t b) const {
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 2; ++j)
        if (mesh_.node_of(a, i) == mesh_.node_of(b, j)) return true;
    return false;
  }

  /// Sweeps along the longest axis of the structure, so that only neighbours are
  /// compared.
  void find_close_wires() {
    const auto low_high = [&](std::size_t s, int axis) {
      const auto pick = [axis](Vec3 r) {
        return axis == 0 ? r.x : axis == 1 ? r.y : r.z;
      };
      const double a = pick(segments_[s].start_m), b = pick(segments_[s].end_m);
      const double reach = close_radii * segments_[s].radius_m;
      return std::pair{std::min(a, b) - reach, std::max(a, b) + reach};
    };
    int axis = 0;
    double widest = -1;
    for (int candidate = 0; candidate < 3; ++candidate) {
      double low = 1e300, high = -1e300;
      for (std::size_t s = 0; s < segments_.size(); ++s) {
        low = std::min(low, low_high(s, candidate).first);
        high = std::max(high, low_high(s, candidate).second);
      }
      if (high - low > widest) {
        widest = high - low;
        axis = candidate;
      }
    }
    std::vector<std::size_t> order(segments_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return low_high(a, axis).first < low_high(b, axis).first;
    });
    for (std::size_t i = 0; i < order.size(); ++i)
      for (std::size_t j = i + 1; j < order.size() && low_high(order[j], axis).first <=
                                                          low_high(order[i], axis).second;
           ++j)
        compare(std::min(order[i], order[j]), std::max(order[i], order[j]));
  }

  void compare(std::size_t a, std::size_t b) {
    const double radii = segments_[a].radius_m + segments_[b].radius_m;
    const double reach = close_radii * radii;
    const Vec3 between = 0.5 * (segments_[a].start_m + segments_[a].end_m) -
                         0.5 * (segments_[b].start_m + segments_[b].end_m);
    const double lengths = 0.5 * (norm(segments_[a].end_m - segments_[a].start_m) +
                                  norm(segments_[b].end_m - segments_[b].start_m));
    if (norm(between) > lengths + reach || joined(a, b)) return;
    const double distance = segment_distance(segments_[a], segments_[b]);
    if (distance < radii * (1 - 1e-9)) {
      // Neighbours of a junction overlap where segments are about as short as the wire is
      // thick.
      if (lengths > 2 * radii || distance == 0)
        overlaps_.add(fmt::format(
            "{} and {} overlap without being joined (axes {:.3g} m apart, radii "
            "{:.3g} + {:.3g} m): end a segment where they are to connect",
            name(a), name(b), distance, segments_[a].radius_m, segments_[b].radius_m));
    } else if (distance < reach && lengths > 2 * radii) {
      close_.add(fmt::format(
          "{} and {} nearly touch ({:.3g} m between axes, radii {:.3g} + {:.3g} m): "
          "the proximity effect around the circumference is left out",
          name(a), name(b), distance, segments_[a].radius_m, segments_[b].radius_m));
    }
  }

  void find_junctions() {
    for (const Node& node : mesh_.nodes()) {
      for (std::size_t i = 0; i < node.ends.size(); ++i)
        for (std::size_t j = i + 1; j < node.ends.size(); ++j)
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
      angles_.add(fmt::format("{} and {} meet at {:.3g} degrees", name(a.element),
                              name(b.element), angle));
    const auto ratio = [](double x, double y) { return std::max(x, y) / std::min(x, y); };
    const Segment &s = segments_[a.element], &t = segments_[b.element];
    const double lengths = ratio(norm(s.end_m - s.start_m), norm(t.end_m - t.start_m));
    if (lengths > large_step)
      steps_.add(fmt::format("{} and {} meet and differ {:.3g} times in length",
                             name(a.element), name(b.element), lengths));
  }

  const Structure& structure_;
  const std::vector<Segment>& segments_;
  WireMesh mesh_;
  Kind overlaps_, close_, angles_, steps_, short_;
};

}  // namespace

std::vector<std::string> geometry_advice(const Structure& structure, std::size_t most) {
  if (structure.segments().empty()) return {};
  return Advice(structure, most).all();
}

std::vector<std::string> overlap_advice(const Structure& structure, std::size_t most) {
  if (structure.segments().empty()) return {};
  return Advice(structure, most).overlaps();
}

}  // namespace thinwire
