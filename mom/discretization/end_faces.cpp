#include "mom/discretization/end_faces.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

#include "kernels/base/constants.h"
#include "kernels/base/disjoint_sets.h"
#include "kernels/base/parallel.h"
#include "kernels/base/quadrature.h"
#include "kernels/element/coaxial_kernel.h"
#include "mom/discretization/smooth_ramp.h"

namespace thinwire {
namespace {

/// Steps in radius count in full from the second on, and not at all up to the first; ends
/// in line likewise, by cosines (5 and 1 degrees).
constexpr double min_step = 1.2, full_step = 1.5;
constexpr double min_cosine_in_line = 0.9961947, full_cosine_in_line = 0.9998477;
/// Distance up to which elements and faces count, in radii of the face.
constexpr double face_reach_radii = 10;
/// Rings of a face, narrower by half one after the other towards its rim, where the
/// charge density grows without limit.
constexpr int rings = 5;

struct Face {
  Vec3 centre_m, axis;  ///< axis: out of the thick wire
  std::uint32_t element;
  double inner_m, radius_m, weight;
  std::vector<std::uint32_t> near = {};  ///< elements in line, ascending
};

/// A surface of revolution along a straight line in the plane of radius and distance
/// along the axis, with a uniform charge: a tube or a ring.
struct Strip {
  double radius_m[2], along_m[2];

  struct Point {
    double radius_m, along_m;
  };
  Point at(double t) const {
    return {radius_m[0] + t * (radius_m[1] - radius_m[0]),
            along_m[0] + t * (along_m[1] - along_m[0])};
  }
  double width() const {
    return std::hypot(radius_m[1] - radius_m[0], along_m[1] - along_m[0]);
  }
  /// Charge per width at t, where all of it is 1.
  double density(double t) const {
    return at(t).radius_m / (0.5 * (radius_m[0] + radius_m[1]));
  }
};

/// Returns the mean of 1/R from a point to a strip, 1/m.
double potential(const Strip& strip, Strip::Point from) {
  const Strip::Point first = strip.at(0), last = strip.at(1);
  const double dr = last.radius_m - first.radius_m, dz = last.along_m - first.along_m,
               width = strip.width();
  const double foot = std::clamp(
      ((from.radius_m - first.radius_m) * dr + (from.along_m - first.along_m) * dz) /
          (width * width),
      0.0, 1.0);
  const Strip::Point nearest = strip.at(foot);
  const double distance =
      std::hypot(from.radius_m - nearest.radius_m, from.along_m - nearest.along_m) /
      width;
  const GaussRule rule = gauss_rule(6);
  const auto add = [&](double t0, double t1) {
    double sum = 0;
    for (int i = 0; i < rule.points; ++i) {
      const double t = 0.5 * (t0 + t1 + rule.node[i] * (t1 - t0));
      const auto [r, z] = strip.at(t);
      const double apart = r - from.radius_m, off = z - from.along_m,
                   inner2 = apart * apart + off * off, swing = 2 * r * from.radius_m;
      sum += 0.5 * std::fabs(t1 - t0) * rule.weight[i] * strip.density(t) *
             ring_statics(inner2 + swing, swing, inner2).inverse;
    }
    return sum;
  };
  if (distance > 1) return add(0, 1);
  // Pieces that shrink towards the foot, where 1/R has its peak or its logarithm.
  constexpr double shrink = 0.2, shortest = 1e-6;
  double sum = 0;
  for (const double end : {0.0, 1.0}) {
    double far = end - foot;
    while (std::fabs(far) > std::max(distance, shortest)) {
      sum += add(foot + far, foot + shrink * far);
      far *= shrink;
    }
    if (far != 0) sum += add(foot + far, foot);
  }
  return sum;
}

/// Returns the mean of 1/R between two strips, the first of several sources.
double mean(const Strip& on, std::span<const Strip> sources) {
  const GaussRule rule = gauss_rule(6);
  double sum = 0;
  for (int i = 0; i < rule.points; ++i) {
    const double t = 0.5 * (1 + rule.node[i]);
    // The others are images of charges.
    for (std::size_t s = 0; s < sources.size(); ++s)
      sum += (s == 0 ? 0.5 : -0.5) * rule.weight[i] * on.density(t) *
             potential(sources[s], on.at(t));
  }
  return sum;
}

/// Finds the faces, and the elements in line with them.
class FaceSearch {
 public:
  FaceSearch(std::span<const Element> elements, const Basis& basis)
      : elements_(elements), basis_(basis) {}

  std::vector<Face> faces() const {
    std::vector<Face> faces;
    for (const BasisFunction& f : basis_.functions()) {
      const double straight =
          smooth_ramp(cosine(f), min_cosine_in_line, full_cosine_in_line);
      if (straight == 0) continue;
      const double radius[] = {elements_[f.element[0]].radius_m,
                               elements_[f.element[1]].radius_m};
      const int thick = radius[0] >= radius[1] ? 0 : 1;
      const double weight =
          straight * smooth_ramp(radius[thick] / radius[1 - thick], min_step, full_step);
      if (weight == 0) continue;
      const Element& wire = elements_[f.element[thick]];
      Face face{place_of(f, elements_), (f.end[thick] == 1 ? 1.0 : -1.0) * wire.tangent,
                f.element[thick],       radius[1 - thick],
                radius[thick],          weight};
      for (const int side : {0, 1}) add_run(f, side, face);
      std::sort(face.near.begin(), face.near.end());
      face.near.erase(std::unique(face.near.begin(), face.near.end()), face.near.end());
      faces.push_back(std::move(face));
    }
    return faces;
  }

 private:
  /// Returns the cosine of the angle by which the current turns, for a function that
  /// joins two ends alone, and -1 for others.
  double cosine(const BasisFunction& f) const {
    if (f.sign[1] == 0 || basis_.at(f.element[0], f.end[0]).size() != 1 ||
        basis_.at(f.element[1], f.end[1]).size() != 1)
      return -1;
    return f.sign[0] * f.sign[1] *
           dot(elements_[f.element[0]].tangent, elements_[f.element[1]].tangent);
  }

  /// Adds the elements on one side of a face as far as they are in line and near.
  void add_run(const BasisFunction& start, int side, Face& face) const {
    std::uint32_t e = start.element[side];
    int end = start.end[side];
    double along_m = 0;
    while (along_m < face_reach_radii * face.radius_m) {
      face.near.push_back(e);
      along_m += elements_[e].length_m;
      const auto at = basis_.at(e, 1 - end);
      if (at.size() != 1) return;
      const BasisFunction& next = basis_.functions()[at[0].function];
      if (cosine(next) <= min_cosine_in_line) return;
      const int other = next.element[0] == e && next.end[0] == 1 - end ? 1 : 0;
      e = next.element[other];
      end = next.end[other];
    }
  }

  std::span<const Element> elements_;
  const Basis& basis_;
};

/// Faces on one line that are near each other, and all elements near them.
class FaceGroup {
 public:
  FaceGroup(std::span<const Element> elements, Medium medium,
            std::vector<const Face*> faces)
      : elements_(elements), faces_(std::move(faces)) {
    const Face& first = *faces_.front();
    origin_m_ = first.centre_m;
    axis_ = first.axis;
    if (medium.sources() > 1 && std::fabs(axis_.z) > min_cosine_in_line)
      image_ = -2 * origin_m_.z / axis_.z;
    // In order, so that P has a band.
    std::ranges::sort(faces_, {}, [this](const Face* f) { return along(f->centre_m); });
    for (const Face* face : faces_) {
      near_.insert(near_.end(), face->near.begin(), face->near.end());
      const double z = along(face->centre_m);
      for (int ring = 0; ring < rings; ++ring) {
        const double width = face->radius_m - face->inner_m;
        const auto edge = [&](int n) {
          return n == rings ? face->radius_m : face->radius_m - width / (1 << n);
        };
        rings_.push_back({{edge(ring), edge(ring + 1)}, {z, z}});
      }
    }
    std::sort(near_.begin(), near_.end());
    near_.erase(std::unique(near_.begin(), near_.end()), near_.end());
  }

  std::vector<EndFaceForm> forms() const {
    const std::size_t n = rings_.size(), columns = near_.size();
    std::vector<double> p(n * n), b(columns * n);
    for (std::size_t f = 0; f < faces_.size(); ++f) {
      for (std::size_t g = 0; g < faces_.size(); ++g) add_faces(f, g, p);
      for (std::size_t c = 0; c < columns; ++c) add_element(f, c, b);
    }
    for (std::size_t u = 0; u < n; ++u)
      for (std::size_t v = 0; v < u; ++v)
        p[u * n + v] = p[v * n + u] = 0.5 * (p[u * n + v] + p[v * n + u]);
    const std::vector<std::size_t> start = reduce(p, b, n, columns);
    double radius_m = 0;
    for (const Face* face : faces_) radius_m = std::max(radius_m, face->radius_m);
    const auto product = [&](std::size_t i, std::size_t j) {
      const std::size_t first = std::max(start[i], start[j]);
      return std::inner_product(b.begin() + static_cast<std::ptrdiff_t>(i * n + first),
                                b.begin() + static_cast<std::ptrdiff_t>((i + 1) * n),
                                b.begin() + static_cast<std::ptrdiff_t>(j * n + first),
                                0.0);
    };
    double largest = 0;
    for (std::size_t i = 0; i < columns; ++i) largest = std::max(largest, product(i, i));
    constexpr double negligible = 1e-12;
    std::vector<EndFaceForm> forms;
    for (std::size_t i = 0; i < columns; ++i)
      for (std::size_t j = 0; j <= i; ++j)
        if (const double sum = product(i, j); std::fabs(sum) > negligible * largest)
          forms.push_back({near_[i], near_[j], -0.5 * sum, radius_m});
    return forms;
  }

 private:
  double along(const Vec3& place) const { return dot(place - origin_m_, axis_); }

  Strip tube(std::uint32_t e) const {
    const Element& wire = elements_[e];
    const double z = along(wire.start_m),
                 end = z + wire.length_m * dot(wire.tangent, axis_);
    return {{wire.radius_m, wire.radius_m}, {z, end}};
  }
  std::vector<Strip> with_image(const Strip& strip) const {
    if (!image_) return {strip};
    return {strip,
            {{strip.radius_m[0], strip.radius_m[1]},
             {*image_ - strip.along_m[0], *image_ - strip.along_m[1]}}};
  }
  /// Adds the entries of P of the rings of two faces.
  void add_faces(std::size_t f, std::size_t g, std::vector<double>& p) const {
    const Face &on = *faces_[f], &source = *faces_[g];
    if (std::fabs(along(on.centre_m) - along(source.centre_m)) >
        face_reach_radii * std::max(on.radius_m, source.radius_m))
      return;
    const double weight = f == g ? 1 : std::sqrt(on.weight) * std::sqrt(source.weight);
    const Strip first = tube(on.element);
    const auto second = with_image(tube(source.element));
    const double of_tubes = mean(first, second);
    double on_rings[rings];
    for (int i = 0; i < rings; ++i) on_rings[i] = mean(rings_[f * rings + i], second);
    for (int j = 0; j < rings; ++j) {
      const auto ring = with_image(rings_[g * rings + j]);
      const double of_ring = mean(first, ring);
      for (int i = 0; i < rings; ++i)
        p[(f * rings + i) * rings_.size() + g * rings + j] =
            weight *
            (mean(rings_[f * rings + i], ring) - on_rings[i] - of_ring + of_tubes);
    }
  }

  /// Adds the entries of B of a face's rings and an element.
  void add_element(std::size_t f, std::size_t column, std::vector<double>& b) const {
    const Face& face = *faces_[f];
    const std::uint32_t e = near_[column];
    if (!std::binary_search(face.near.begin(), face.near.end(), e)) return;
    const auto sources = with_image(tube(e));
    const double on_tube = mean(tube(face.element), sources);
    for (int i = 0; i < rings; ++i)
      b[column * rings_.size() + f * rings + i] =
          std::sqrt(face.weight) * elements_[e].length_m *
          (mean(rings_[f * rings + i], sources) - on_tube);
  }

  /// Replaces B by L^-1 B, P = L L^T, in place. Returns the first entry of each of its
  /// columns that is not zero.
  static std::vector<std::size_t> reduce(std::vector<double>& p, std::vector<double>& b,
                                         std::size_t n, std::size_t columns) {
    std::vector<std::size_t> start(columns, n);
    for (std::size_t c = 0; c < columns; ++c)
      for (std::size_t i = n; i-- > 0;)
        if (b[c * n + i] != 0) start[c] = i;
    std::vector<std::size_t> first(n);  // of each row that is not zero
    for (std::size_t i = 0; i < n; ++i) {
      while (p[i * n + first[i]] == 0) ++first[i];
      for (std::size_t j = first[i]; j <= i; ++j) {
        double sum = p[i * n + j];
        for (std::size_t k = std::max(first[i], first[j]); k < j; ++k)
          sum -= p[i * n + k] * p[j * n + k];
        p[i * n + j] = i == j ? std::sqrt(sum) : sum / p[j * n + j];
      }
      for (std::size_t c = 0; c < columns; ++c) {
        if (i < start[c]) continue;
        double& value = b[c * n + i];
        for (std::size_t k = std::max(first[i], start[c]); k < i; ++k)
          value -= p[i * n + k] * b[c * n + k];
        value /= p[i * n + i];
      }
    }
    return start;
  }

  std::span<const Element> elements_;
  std::vector<const Face*> faces_;
  std::vector<std::uint32_t> near_;
  std::vector<Strip> rings_;
  Vec3 origin_m_, axis_;
  std::optional<double> image_;  ///< sum of the places of a point and its image
};

}  // namespace

std::vector<EndFaceForm> end_face_forms(std::span<const Element> elements,
                                        const Basis& basis, Medium medium) {
  const std::vector<Face> faces = FaceSearch(elements, basis).faces();
  std::vector<std::pair<std::uint32_t, std::size_t>> of_element;
  for (std::size_t i = 0; i < faces.size(); ++i)
    of_element.emplace_back(faces[i].element, i);
  std::ranges::sort(of_element);
  DisjointSets near_each_other(faces.size());
  for (std::size_t i = 0; i < faces.size(); ++i)
    for (const std::uint32_t e : faces[i].near) {
      auto at = std::lower_bound(of_element.begin(), of_element.end(),
                                 std::pair(e, std::size_t{0}));
      for (; at != of_element.end() && at->first == e; ++at)
        near_each_other.unite(i, at->second);
    }
  std::vector<std::vector<const Face*>> groups(faces.size());
  for (std::size_t i = 0; i < faces.size(); ++i)
    groups[near_each_other.root(i)].push_back(&faces[i]);
  std::erase_if(groups, [](const auto& group) { return group.empty(); });
  std::vector<std::vector<EndFaceForm>> found(groups.size());
  for_each_parallel(
      groups.size(),
      [&](std::size_t g) { found[g] = FaceGroup(elements, medium, groups[g]).forms(); },
      1);
  std::vector<EndFaceForm> forms;
  for (const auto& of_group : found)
    forms.insert(forms.end(), of_group.begin(), of_group.end());
  return forms;
}

}  // namespace thinwire
