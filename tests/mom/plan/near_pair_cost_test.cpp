#include "mom/plan/near_pair_cost.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "kernels/base/constants.h"
#include "kernels/element/near_pair.h"
#include "kernels/element/quadrature_order.h"
#include "kernels/fill/near_pair_table.h"

namespace thinwire {
namespace {

constexpr double k_rad_per_m = 0.6;

/// Wires of five elements from `start` along `direction`.
void add_wire(Vec3 start, Vec3 direction, double length_m, std::vector<Element>& mesh) {
  constexpr int count = 5;
  const Vec3 along = (1 / norm(direction)) * direction;
  const double each = length_m / count;
  for (int i = 0; i < count; ++i)
    mesh.push_back({start + i * each * along, along, each, 5e-4});
}

class Random {
 public:
  double number(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(engine_);
  }
  Vec3 direction() {
    std::normal_distribution<double> normal;
    return {normal(engine_), normal(engine_), normal(engine_)};
  }

 private:
  std::mt19937 engine_{7};
};

/// No two of its pairs lie alike.
std::vector<Element> fan(int wires) {
  Random random;
  std::vector<Element> mesh;
  for (int i = 0; i < wires; ++i)
    add_wire({}, random.direction(), random.number(0.5, 1), mesh);
  return mesh;
}

std::vector<Element> radials(int wires) {
  std::vector<Element> mesh;
  for (int i = 0; i < wires; ++i)
    add_wire({}, {std::cos(2 * pi * i / wires), std::sin(2 * pi * i / wires), 0}, 1,
             mesh);
  return mesh;
}

std::vector<Element> cloud(int wires) {
  Random random;
  std::vector<Element> mesh;
  for (int i = 0; i < wires; ++i)
    add_wire({random.number(-0.3, 0.3), random.number(-0.3, 0.3), random.number(0, 0.6)},
             random.direction(), 0.2, mesh);
  return mesh;
}

std::vector<Element> grid(int lines) {
  std::vector<Element> mesh;
  for (int i = 0; i < lines; ++i) {
    add_wire({0, 0.05 * i, 0}, {1, 0, 0}, 0.05 * (lines - 1), mesh);
    add_wire({0.05 * i, 0, 0}, {0, 1, 0}, 0.05 * (lines - 1), mesh);
  }
  return mesh;
}

/// Pairs, classes and evaluations of the pairs that the fill has.
NearPairCost counted(const std::vector<Element>& mesh, Medium medium) {
  NearPairTable table(mesh, {k_rad_per_m, k_rad_per_m, 1}, GreensKernel::exact, medium);
  NearPairCost cost = {static_cast<double>(table.pairs()),
                       static_cast<double>(table.classes()), 0};
  for (int s = 0; s < medium.sources(); ++s) {
    ElementPairs pairs = {{0}, {}};
    for (std::uint32_t p = 0; p < mesh.size(); ++p) {
      for (std::uint32_t q = 0; q <= p; ++q)
        if (far_order(norm(centre_of(medium.source(mesh[p], s)) - centre_of(mesh[q])),
                      std::max(mesh[p].length_m, mesh[q].length_m), mesh[p].radius_m,
                      k_rad_per_m) == 0)
          pairs.second.push_back(q);
      pairs.row.push_back(pairs.second.size());
    }
    const PairClasses classes = classify_pairs(mesh, medium, s, pairs);
    for (std::size_t i = 0; i < classes.size(); ++i) {
      Element p = medium.source(mesh[classes.p[i]], s), q = mesh[classes.q[i]];
      PairSymmetry::of(classes.first_turns[i]).apply(p, q);
      cost.evaluations += near_pair_evaluations(p, q, k_rad_per_m, GreensKernel::exact);
    }
  }
  return cost;
}

void expect_within_two(double predicted, double counted, const char* what) {
  EXPECT_LT(predicted, 2 * counted) << what;
  EXPECT_GT(predicted, counted / 2) << what;
}

TEST(NearPairCost, IsWithinTwoOfWhatTheFillIntegrates) {
  const std::pair<const char*, std::vector<Element>> meshes[] = {
      {"fan", fan(100)},
      {"radials", radials(120)},
      {"cloud", cloud(300)},
      {"grid", grid(40)}};
  for (const auto& [name, mesh] : meshes)
    for (const Medium medium : {Medium::free_space(), Medium::perfect_ground()}) {
      SCOPED_TRACE(name);
      const NearPairCost all = counted(mesh, medium),
                         predicted = near_pair_cost(mesh, k_rad_per_m,
                                                    GreensKernel::exact, medium);
      ASSERT_GT(all.pairs, 2 * 2048) << "nothing was left to be predicted";
      expect_within_two(predicted.pairs, all.pairs, "pairs");
      expect_within_two(predicted.classes, all.classes, "classes");
      expect_within_two(predicted.evaluations, all.evaluations, "evaluations");
    }
}

TEST(NearPairCost, CountsAllPairsOfASmallMesh) {
  const std::vector<Element> mesh = radials(5);
  const NearPairCost all = counted(mesh, {}),
                     predicted =
                         near_pair_cost(mesh, k_rad_per_m, GreensKernel::exact, {});
  EXPECT_EQ(predicted.pairs, all.pairs);
  EXPECT_EQ(predicted.classes, all.classes);
  EXPECT_NEAR(predicted.evaluations, all.evaluations, 1e-9 * all.evaluations);
}

}  // namespace
}  // namespace thinwire
