#include "mom/systems/device_group.h"

#include <gtest/gtest.h>

#include <cmath>

#include "cg/device_product_rates.h"
#include "kernels/base/constants.h"
#include "kernels/device/device.h"
#include "mom/systems/device_system.h"
#include "tests/cg/dense_system.h"
#include "tests/mom/wire_antennas.h"

namespace thinwire {
namespace {

using testing::random_vector;
using testing::relative_difference;

constexpr double k_rad_per_m = 2 * pi;

/// Owners of one GPU, and of two where there are two.
class DeviceGroups : public ::testing::Test {
 protected:
  void SetUp() override {
    const DeviceReport report = device_report();
    if (!report.problem.empty()) GTEST_SKIP() << report.problem;
    groups = {{0, 0}, {0, 0, 0}};
    if (report.devices.size() > 1) groups.push_back({0, 1});
    use_device(0);
  }
  std::vector<std::vector<int>> groups;
};

/// 30 half-wave dipoles of 31 segments: 15 rows of tiles.
struct Array {
  Array() {
    for (int i = 0; i < 30; ++i) {
      const Vec3 at = {0.6 * (i % 6), 0.5 * (i / 6), 0};
      structure.add_wire(i, 31, at, at + Vec3{0, 0.01 * i, 0.5}, 1e-3);
    }
    MeshOptions as_given;
    as_given.graded = false;
    antenna.emplace(structure, as_given);
    loads.emplace(*antenna, std::vector<Load>(), test::one_metre_wave_hz);
  }
  std::vector<Complex> solved_by(const Backend& backend, PrecisionChoice precision,
                                 SolverChoice solver, std::span<const Complex> v) const {
    Options options;
    options.precision = precision;
    const auto system =
        backend.make_system({*antenna, options, {k_rad_per_m, k_rad_per_m, 1}, {}});
    system->fill({k_rad_per_m, Ground::none, *loads}, {}, {});
    system->prepare(
        {solver, solver == SolverChoice::direct ? PreconditionerChoice::none
                                                : PreconditionerChoice::block},
        {});
    std::vector<Complex> current(v.size());
    SolverControl control;
    control.tolerance = 1e-10;
    for (const SolveResult& result : system->solve(v, current, control))
      EXPECT_EQ(result.status, SolveStatus::converged);
    return current;
  }

  Structure structure;
  std::optional<Discretization> antenna;
  std::optional<LoadModel> loads;
};

TEST_F(DeviceGroups, SharesOfAnySizeGiveTheSameSolution) {
  const Array array;
  const std::vector<Complex> v = random_vector(array.antenna->unknowns(), 5);
  for (const PrecisionChoice precision :
       {PrecisionChoice::in_double, PrecisionChoice::mixed})
    for (const SolverChoice solver : {SolverChoice::direct, SolverChoice::cocg}) {
      const std::vector<Complex> one =
          array.solved_by(*make_device_backend("cuda:0"), precision, solver, v);
      for (const std::vector<int>& group : groups)
        // The last one's share is capped, to nothing in the end.
        for (const double capped : {1.0, 0.25, 0.0}) {
          std::vector<double> weights(group.size(), 1.0);
          weights.back() = capped;
          const auto backend = make_device_group_backend(group, weights);
          EXPECT_LT(
              relative_difference(array.solved_by(*backend, precision, solver, v), one),
              1e-8)
              << group.size() << " owners, " << capped << ", " << name_of(solver);
        }
    }
}

TEST_F(DeviceGroups, FieldsHaveTheBitsOfOneGpu) {
  const Array array;
  const auto& elements = array.antenna->elements();
  std::vector<Complex> current(2 * elements.size());
  for (std::size_t i = 0; i < current.size(); ++i)
    current[i] = {std::cos(0.1 * static_cast<double>(i)), 0.3};
  const CurrentMoments moments = current_moments(
      elements, current, k_rad_per_m, GreensKernel::exact, Medium::perfect_ground());
  const NearFieldSources sources = near_field_sources(
      elements, current, k_rad_per_m, GreensKernel::exact, Medium::perfect_ground());
  // So many are shared; so few are not.
  for (const std::size_t places : {200'000, 1'000'000, 10}) {
    std::vector<Direction> directions;
    std::vector<Vec3> points_m;
    for (std::size_t i = 0; i < places; ++i) {
      const double t = static_cast<double>(i) / static_cast<double>(places);
      directions.push_back({pi * t, 500 * t});
      points_m.push_back({3 * t, 2 * std::cos(500 * t), 0.7 * std::sin(300 * t)});
    }
    const auto fields_by = [&](const Backend& backend) {
      std::vector<Complex> all(8 * places);
      const std::span<Complex> to = all;
      backend.far_field(moments, directions, k_rad_per_m, to.first(places),
                        to.subspan(places, places));
      backend.electric_field(sources, points_m, k_rad_per_m,
                             to.subspan(2 * places, 3 * places));
      backend.magnetic_field(sources, points_m, k_rad_per_m, to.subspan(5 * places));
      return all;
    };
    const std::vector<Complex> one = fields_by(*make_device_backend("cuda:0"));
    for (const std::vector<int>& group : groups) {
      const auto backend =
          make_device_group_backend(group, std::vector<double>(group.size(), 1.0));
      EXPECT_TRUE(fields_by(*backend) == one)
          << group.size() << " owners, " << places << " places";
    }
  }
}

TEST_F(DeviceGroups, RatesAreMeasuredOnceAndOneGpuHasOne) {
  const std::vector<int> twice = {0, 0};
  const std::vector<double> rates = device_product_rates(twice),
                            again = device_product_rates(twice);
  EXPECT_EQ(rates[0], rates[1]);
  EXPECT_EQ(rates, again);
  if (rates[0] > 0) {  // where 0.6 GB are free
    EXPECT_GT(rates[0], 1e10);
    EXPECT_LT(rates[0], 1e14);
  }
  EXPECT_EQ(current_device().index, 0);
}

}  // namespace
}  // namespace thinwire
