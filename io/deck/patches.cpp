#include "io/deck/patches.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernels/base/constants.h"
#include "kernels/base/point_index.h"

namespace thinwire {
namespace {

/// Patches are neighbours within this many mean sides, so that those across a corner of a
/// square grid (1.41) are none and those along the longer side of an oblong one are.
constexpr double neighbour_sides = 1.3;
/// Cosine below which two patches face apart: the two sides of a thin plate.
constexpr double facing_apart = -0.5;
/// Length of what stands for a normal, as a fraction of the patch's side.
constexpr double normal_length = 1e-3;

enum PatchShape : int { arbitrary = 0, rectangle = 1, triangle = 2, quadrilateral = 3 };

Vec3 point(const CardFields& card, std::size_t field) {
  return {card.real(field, "x"), card.real(field + 1, "y"), card.real(field + 2, "z")};
}

Vec3 middle(Vec3 a, Vec3 b) {
  return 0.5 * (a + b);
}

/// Adds arms of the radius that their length and the patch's area give.
void add_arms(Structure& structure, Vec3 centre, const std::vector<Vec3>& ends,
              double area_m2) {
  double length_m = 0;
  for (const Vec3 end : ends) length_m += norm(end - centre);
  for (const Vec3 end : ends)
    structure.add_wire(0, 1, centre, end, area_m2 / (pi * length_m));
}

}  // namespace

bool PatchGrid::knows(Mnemonic mnemonic) {
  return mnemonic == "SP" || mnemonic == "SM" || mnemonic == "SC";
}

void PatchGrid::read(const CardFields& card) {
  const Mnemonic mnemonic = card.card().mnemonic;
  if (mnemonic != "SC" && !complete_)
    card.refuse("stands where an SC card is to complete the patch before it.");
  if (mnemonic == "SM") {
    along_ = card.count(1, "patches along the first edge");
    across_ = card.count(2, "patches along the second edge");
    if (along_ < 1 || across_ < 1)
      card.refuse("needs at least one patch along each edge (fields 1 and 2).");
    corners_ = {point(card, 3), point(card, 6)};
    complete_ = false;
    return;
  }
  const int shape = card.integer(2, "shape");
  if (shape < arbitrary || shape > quadrilateral)
    card.refuse(2, "shape", fmt::format("expected 0 to 3, got {}.", shape));
  if (mnemonic == "SP" && shape == arbitrary) {
    const double elevation = card.real(6, "elevation of the normal") * (pi / 180),
                 azimuth = card.real(7, "azimuth of the normal") * (pi / 180),
                 area_m2 = card.real(8, "area");
    if (!(area_m2 > 0))
      card.refuse(8, "area", fmt::format("must be positive (got {} m^2).", area_m2));
    const Vec3 centre = point(card, 3),
               normal = {std::cos(elevation) * std::cos(azimuth),
                         std::cos(elevation) * std::sin(azimuth), std::sin(elevation)};
    const double side_m = std::sqrt(area_m2);
    patches_.add_wire(0, 1, centre, centre + normal_length * side_m * normal, side_m);
    shape_ = 0;
    corners_.clear();
    return;
  }
  if (mnemonic == "SP") {
    shape_ = shape;
    along_ = across_ = 0;
    corners_ = {point(card, 3), point(card, 6)};
    complete_ = false;
    return;
  }
  if (corners_.empty())
    card.refuse("must follow an SM card, or an SP card of a shape with corners.");
  if (complete_) {
    // Goes on from the last edge of the patch before.
    if (corners_.size() < 4 || along_ > 0 ||
        (shape != rectangle && shape != quadrilateral))
      card.refuse(
          "can go on from a rectangle or quadrilateral only, by another one (field 2: 1 "
          "or "
          "3).");
    corners_ = {corners_[3], corners_[2]};
    shape_ = shape;
  }
  corners_.push_back(point(card, 3));
  complete_ = true;
  if (along_ > 0 || shape_ == rectangle)
    corners_.push_back(corners_[0] + corners_[2] - corners_[1]);
  else if (shape_ == quadrilateral)
    corners_.push_back(point(card, 6));
  if (along_ > 0)
    add_surface(along_, across_);
  else
    add_patch(corners_);
}

void PatchGrid::add_surface(int along, int across) {
  const Vec3 first = corners_[0], u = (1.0 / along) * (corners_[1] - corners_[0]),
             v = (1.0 / across) * (corners_[2] - corners_[1]);
  for (int j = 0; j < across; ++j)
    for (int i = 0; i < along; ++i) {
      const Vec3 corner = first + double(i) * u + double(j) * v;
      add_patch({corner, corner + u, corner + u + v, corner + v});
    }
}

void PatchGrid::add_patch(const std::vector<Vec3>& corners) {
  Vec3 centre;
  for (const Vec3 corner : corners) centre = centre + corner;
  centre = (1.0 / static_cast<double>(corners.size())) * centre;
  std::vector<Vec3> ends;
  double area_m2 = 0;
  for (std::size_t i = 0; i < corners.size(); ++i) {
    const Vec3 a = corners[i], b = corners[(i + 1) % corners.size()];
    ends.push_back(middle(a, b));
    area_m2 += 0.5 * norm(cross(a - centre, b - centre));
  }
  add_arms(arms_, centre, ends, area_m2);
  ++with_edges_;
}

std::string PatchGrid::add_to(Structure& structure, bool on_ground) {
  const auto& patches = patches_.segments();
  std::vector<Vec3> centres, normals;
  double widest = 0;
  for (const Segment& patch : patches) {
    centres.push_back(patch.start_m);
    const Vec3 normal = patch.end_m - patch.start_m;
    normals.push_back((1 / norm(normal)) * normal);
    widest = std::max(widest, patch.radius_m);
  }
  const PointIndex index(centres);
  const std::size_t before = structure.segments().size();
  for (const Segment& arm : arms_.segments())
    structure.add_wire(0, 1, arm.start_m, arm.end_m, arm.radius_m);
  for (std::size_t p = 0; p < patches.size(); ++p) {
    const Vec3 centre = centres[p];
    const double side_m = patches[p].radius_m;
    std::vector<Vec3> ends;
    index.visit(centre, centre, neighbour_sides * widest, [&](std::size_t q) {
      const double reach_m = neighbour_sides * 0.5 * (side_m + patches[q].radius_m);
      if (q != p && norm(centres[q] - centre) <= reach_m &&
          dot(normals[p], normals[q]) > facing_apart)
        ends.push_back(middle(centre, centres[q]));
    });
    const bool upright = std::abs(normals[p].z) < std::sqrt(0.5);
    if (on_ground && upright && centre.z > 0 &&
        centre.z <= 0.5 * neighbour_sides * side_m)
      ends.push_back({centre.x, centre.y, 0});
    if (ends.empty()) {
      const Vec3 level = cross({0, 0, 1}, normals[p]),
                 u = norm(level) > 1e-6 ? (1 / norm(level)) * level : Vec3{1, 0, 0},
                 v = cross(normals[p], u);
      for (const Vec3 along : {u, -1.0 * u, v, -1.0 * v})
        ends.push_back(centre + 0.5 * side_m * along);
    }
    add_arms(structure, centre, ends, side_m * side_m);
  }
  const std::size_t made = structure.segments().size() - before;
  double thin = structure.segments()[before].radius_m, thick = thin;
  for (std::size_t s = before; s < before + made; ++s) {
    thin = std::min(thin, structure.segments()[s].radius_m);
    thick = std::max(thick, structure.segments()[s].radius_m);
  }
  return fmt::format(
      "its {} surface patches (SP, SM) are a grid of {} wires with tag 0 behind the "
      "others, segments {} to {}, of equal area (radius {:.3g} to {:.3g} m): expect "
      "gains within 1 dB, and impedances less accurate than a model of wires.",
      with_edges_ + patches.size(), made, before + 1, before + made, thin, thick);
}

}  // namespace thinwire
