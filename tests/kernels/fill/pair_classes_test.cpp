#include "kernels/fill/pair_classes.h"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "kernels/element/near_pair.h"
#include "kernels/element/quadrature_order.h"
#include "kernels/fill/near_pair_table.h"
#include "tests/kernels/element/test_mesh.h"
#include "tests/kernels/fill/pair_lists.h"

namespace thinwire {
namespace {

using namespace testing;

TEST(PairClasses, AreThoseOfEqualShapes) {
  for (const Medium& medium : {Medium::free_space(), Medium::perfect_ground()})
    for (const TestMesh& mesh : {dipole_array(3, 2, 21), every_feature()})
      for (int s = 0; s < medium.sources(); ++s) {
        const ElementPairs pairs = pairs_within(mesh.elements, 0.2);
        const PairClasses classes = classify_pairs(mesh.elements, medium, s, pairs);
        ASSERT_EQ(classes.of_pair.size(), pairs.second.size());
        const auto shape = [&](std::uint32_t p, std::uint32_t q) {
          return shaped_pair(medium.source(mesh.elements[p], s), mesh.elements[q]).shape;
        };
        std::set<std::vector<double>> shapes;
        for (std::uint32_t p = 0; p < mesh.elements.size(); ++p)
          for (std::uint64_t i = pairs.row[p]; i < pairs.row[p + 1]; ++i) {
            const std::uint32_t c = classes.of_pair[i];
            ASSERT_LT(c, classes.size());
            const PairShape own = shape(p, pairs.second[i]);
            EXPECT_TRUE(own == shape(classes.p[c], classes.q[c]));
            EXPECT_LE(classes.p[c], p);
            shapes.insert({own.number, own.number + PairShape::numbers});
          }
        EXPECT_EQ(classes.size(), shapes.size());
      }
}

TEST(PairClasses, AreFewOnEqualWires) {
  const TestMesh mesh = dipole_array(4, 4, 21);
  const ElementPairs pairs = pairs_within(mesh.elements, 0.2);
  const PairClasses classes = classify_pairs(mesh.elements, {}, 0, pairs);
  EXPECT_GT(pairs.second.size(), 1000u);
  EXPECT_LT(classes.size(), 60u);
}

TEST(PairClasses, OfNoPairsAreNone) {
  const TestMesh mesh = dipole_array(1, 1, 3);
  ElementPairs none;
  none.row.assign(mesh.elements.size() + 1, 0);
  EXPECT_EQ(classify_pairs(mesh.elements, {}, 0, none).size(), 0u);
}

// The table gives the same for a pair as without classes.
TEST(PairClasses, LeaveTheMatricesAsTheyAre) {
  constexpr double k = 6;
  const Medium ground = Medium::perfect_ground();
  for (const TestMesh& mesh : {dipole_array(3, 2, 21), every_feature()}) {
    NearPairTable table(mesh.elements, {k, k, 1}, GreensKernel::exact, ground);
    table.set_wavenumber(k);
    EXPECT_LT(table.classes(), table.pairs());
    int near = 0;
    for (int s = 0; s < 2; ++s)
      for (std::uint32_t p = 0; p < mesh.elements.size(); p += 5)
        for (const std::uint32_t q : {p, p > 0 ? p - 1 : p}) {
          const Element source = ground.source(mesh.elements[p], s),
                        &other = mesh.elements[q];
          if (far_order(norm(centre_of(source) - centre_of(other)),
                        std::max(source.length_m, other.length_m),
                        std::max(source.radius_m, other.radius_m), k) != 0)
            continue;
          ++near;
          const ElementMatrix a = table.at(p, q, s),
                              b = near_pair(source, other, k, GreensKernel::exact);
          const double size = std::abs(Complex(b.z[0][0]));
          for (int i = 0; i < 2; ++i)
            for (int j = 0; j < 2; ++j)
              EXPECT_LT(std::abs(Complex(a.z[i][j]) - Complex(b.z[i][j])), 1e-12 * size);
        }
    EXPECT_GT(near, 40);
  }
}

}  // namespace
}  // namespace thinwire
