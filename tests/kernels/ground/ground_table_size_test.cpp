#include "kernels/ground/ground_table_size.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/base/constants.h"
#include "kernels/ground/ground_table.h"

namespace thinwire {
namespace {

/// All distances up to 1 and 10 wavelengths; a low inverted V; a long wire low down.
std::vector<ReflectionPlaces> places() {
  std::vector<ReflectionPlaces> all = {ReflectionPlaces::all(2 * pi * 1e-5, 2 * pi),
                                       ReflectionPlaces::all(2 * pi * 1e-6, 20 * pi),
                                       {0.3, 3.3},
                                       {0.2, 30}};
  for (int i = 0; i < 20; ++i)
    for (int j = 0; j <= i; ++j) {
      const auto height = [](int n) { return 0.15 + 0.05 * std::min(n, 20 - n); };
      const double zeta = height(i) + height(j), rho = 0.15 * (i - j);
      all[2].add({std::max(0.0, rho - 0.15), rho + 0.15, zeta, zeta + 0.1});
    }
  all[3].add({0, 30, 0.1, 0.1});
  return all;
}

TEST(GroundTableSize, IsThatOfTheTableMade) {
  for (const Complex eps : {Complex{13, -3}, Complex{80, -0.06}, Complex{81, -300}})
    for (const ReflectionPlaces& where : places()) {
      const GroundTable table(eps, where);
      const GroundTableSize size = ground_table_size(eps, where);
      const double made = static_cast<double>(table.bytes()),
                   told = static_cast<double>(size.bytes());
      EXPECT_LT(told, 1.5 * made + 1e5) << eps;
      EXPECT_GT(told, made / 1.5 - 1e6) << eps;
      const auto leaves = std::count_if(
          table.boxes().begin(), table.boxes().end(),
          [](const GroundTableView::Box& b) { return b.cut < 0 && b.rho_scale > 0; });
      EXPECT_LT(static_cast<double>(size.boxes), 1.5 * static_cast<double>(leaves));
      EXPECT_GT(1.5 * static_cast<double>(size.boxes), static_cast<double>(leaves));
    }
}

TEST(GroundTableSize, OfNoPlacesIsNothing) {
  EXPECT_EQ(ground_table_size({13, -3}, ReflectionPlaces(0.1, 1)).bytes(), 0u);
}

}  // namespace
}  // namespace thinwire
