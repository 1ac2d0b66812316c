#include "kernels/ground/box_fitter.h"

#include <algorithm>
#include <cmath>

#include "kernels/base/constants.h"
#include "tests/kernels/device/device_test_support.h"

namespace thinwire {
namespace {

using namespace testing;

using BoxFitterOnDevice = OnDevice;

/// Fails unless both have the same boxes and cells; the largest difference of their
/// coefficients.
double difference(const GroundTable& a, const GroundTable& b) {
  EXPECT_EQ(a.boxes().size(), b.boxes().size());
  EXPECT_EQ(a.coefficients().size(), b.coefficients().size());
  if (a.boxes().size() != b.boxes().size() ||
      a.coefficients().size() != b.coefficients().size())
    return 1;
  for (std::size_t i = 0; i < a.boxes().size(); ++i) {
    const GroundTableView::Box &of_a = a.boxes()[i], &of_b = b.boxes()[i];
    EXPECT_EQ(of_a.next, of_b.next) << i;
    EXPECT_EQ(of_a.cut, of_b.cut) << i;
    EXPECT_EQ(of_a.rho, of_b.rho) << i;
    EXPECT_EQ(of_a.zeta_scale, of_b.zeta_scale) << i;
  }
  double worst = 0;
  for (std::size_t i = 0; i < a.coefficients().size(); ++i) {
    const double here = std::fabs(a.coefficients()[i] - b.coefficients()[i]);
    // Written so that NaN shows.
    if (!(here <= worst)) worst = here;
  }
  return worst;
}

const TableMaking on_gpu = {default_table_error, device_box_fitter};

// All octaves from 1e-6 to 10 wavelengths; soil, sand, fresh water and sea water.
TEST_F(BoxFitterOnDevice, MakesTheTableOfTheCpu) {
  const ReflectionPlaces places = ReflectionPlaces::all(2 * pi * 1e-6, 20 * pi);
  for (const Complex eps : {Complex{13, -3}, Complex{3, -0.06}, Complex{80, -0.06},
                            Complex{81, -300}, Complex{1.0001, 0}}) {
    const GroundTable cpu(eps, places), gpu(eps, places, GroundSide::above, on_gpu);
    EXPECT_GT(cpu.bytes(), eps == 1.0001 ? 1e4 : 1e6);
    EXPECT_LT(difference(cpu, gpu), 1e-12) << eps;
    const GroundTable again(eps, places, GroundSide::above, on_gpu);
    EXPECT_EQ(difference(gpu, again), 0) << eps << ": not the same bits twice";
  }
}

TEST_F(BoxFitterOnDevice, MakesTheTableBelowTheSurface) {
  ReflectionPlaces places(2 * pi * 1e-5, 2 * pi * 1.5);
  places.add({0, 2 * pi * 1.5, 0.02, 0.4});
  for (const Complex eps : {Complex{13, -50}, Complex{3, -0.06}, Complex{81, -9e5}}) {
    const GroundTable cpu(eps, places, GroundSide::below),
        gpu(eps, places, GroundSide::below, on_gpu);
    EXPECT_LT(difference(cpu, gpu), 1e-12) << eps;
  }
}

// No octave at all in use, and air.
TEST_F(BoxFitterOnDevice, MakesEmptyTables) {
  const GroundTable nowhere({13, -3}, ReflectionPlaces(0.1, 1), GroundSide::above,
                            on_gpu);
  EXPECT_EQ(nowhere.coefficients().size(), 8u * GroundTableView::terms);
  const GroundTable air(1.0, ReflectionPlaces::all(1e-3, 1), GroundSide::above, on_gpu);
  EXPECT_EQ(abs(air.view().at(0.3, 0.01).phi), 0);
}

}  // namespace
}  // namespace thinwire
