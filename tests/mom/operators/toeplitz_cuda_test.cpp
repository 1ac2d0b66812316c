#include <cstring>

#include "cg/krylov/device_solver.h"
#include "kernels/base/error.h"
#include "mom/media/real_ground.h"
#include "mom/operators/device_toeplitz.h"
#include "mom/operators/toeplitz_preconditioner.h"
#include "mom/solve.h"
#include "tests/kernels/device/device_test_support.h"
#include "tests/mom/operators/lattice_antennas.h"
#include "tests/mom/wire_antennas.h"

namespace thinwire {
namespace {

using namespace test;
using ToeplitzOnDevice = testing::OnDevice;

constexpr std::array<Vec3, 3> oblique = {Vec3{0.5, 0.1, 0}, Vec3{0.25, 0.43, 0},
                                         Vec3{0.1, 0, 0.8}};

std::vector<LatticeAntennas> lattices(bool ground) {
  std::vector<LatticeAntennas> some;
  some.emplace_back(std::array<int, 3>{9, 1, 1}, oblique, nullptr, false, ground);
  some.emplace_back(
      std::array<int, 3>{7, 8, 1}, oblique,
      [](int i, int j, int) { return (i + 2 * j) % 3 != 1; }, false, ground);
  some.emplace_back(std::array<int, 3>{2, 3, 1}, oblique, nullptr, true, ground);
  if (!ground) some.emplace_back(std::array<int, 3>{3, 4, 5}, oblique);
  return some;
}

std::vector<Complex> product(const LinearOperator& z, std::span<const Complex> x) {
  std::vector<Complex> y(z.size(), Complex(NAN, NAN));
  z.apply(x, y);
  return y;
}

const std::vector<MatrixUpdate> some_loads = {
    {8, 8, 30.0}, {9, 8, {0, 4}}, {25, 25, 1e4}};

// The entries' orders of quadrature are each pair's own here, those of a group of pairs
// there: 1e-7. Spectra, transforms and sums are held against the CPU's below.
TEST_F(ToeplitzOnDevice, OperatorAgreesWithTheCpu) {
  for (const bool ground : {false, true})
    for (const LatticeAntennas& antennas : lattices(ground)) {
      const ToeplitzInput input =
          one_metre_waves(ground ? Medium::perfect_ground() : Medium());
      const ToeplitzOperator cpu(antennas.basis(), input, some_loads);
      const DeviceToeplitzOperator gpu(antennas.basis(), input, some_loads);
      const std::vector<Complex> x = random_vector(cpu.size(), 1);
      EXPECT_LE(relative_difference(product(gpu, x), product(cpu, x)), 1e-7);
    }
}

TEST_F(ToeplitzOnDevice, OperatorAgreesWithTheCpuOverRealGround) {
  const LatticeAntennas antennas({4, 3, 1}, oblique);
  const RealGround ground(antennas.where().elements(), Ground::sommerfeld(13, 0.005),
                          2 * pi, GreensKernel::exact);
  const ReflectingSurface surface =
      reflecting_surface(Ground::coefficients(13, 0.005), 2 * pi);
  for (const bool sommerfeld : {false, true}) {
    ToeplitzInput input = one_metre_waves();
    if (sommerfeld)
      input.ground = &ground.at();
    else
      input.surface = &surface;
    const ToeplitzOperator cpu(antennas.basis(), input, some_loads);
    const DeviceToeplitzOperator gpu(antennas.basis(), input, some_loads);
    const std::vector<Complex> x = random_vector(cpu.size(), 1);
    EXPECT_LE(relative_difference(product(gpu, x), product(cpu, x)), 1e-12);
  }
}

// Near ones to rounding, others to the order of quadrature.
TEST_F(ToeplitzOnDevice, RowsOfTheMatrixAreThoseOfTheWholeOne) {
  for (const bool ground : {false, true})
    for (const LatticeAntennas& antennas : lattices(ground)) {
      const ToeplitzInput input =
          one_metre_waves(ground ? Medium::perfect_ground() : Medium());
      const DeviceToeplitzOperator gpu(antennas.basis(), input, some_loads);
      const std::size_t n = gpu.size();
      const FillInput exact = {antennas.where().elements(),
                               antennas.where().basis().functions(),
                               input.k_rad_per_m,
                               input.kernel,
                               input.medium,
                               nullptr};
      const std::vector<Complex> x = random_vector(n, 4),
                                 right = dense_product(antennas.dense(input), x);
      DeviceBuffer<Complex> on_device(n, "x");
      on_device.upload(x, gpu.stream());
      const std::vector<std::uint32_t> rows = {0, 7, static_cast<std::uint32_t>(n / 2),
                                               static_cast<std::uint32_t>(n - 1)};
      const std::vector<Complex> got = gpu.exact_rows(exact, rows, x, on_device.data());
      double largest = 0;
      for (const Complex value : right) largest = std::max(largest, std::abs(value));
      for (std::size_t r = 0; r < rows.size(); ++r)
        EXPECT_LE(std::abs(got[r] - right[rows[r]]), 1e-7 * largest);
      EXPECT_EQ(gpu.exact_rows(exact, rows, x, on_device.data()), got);
    }
}

TEST_F(ToeplitzOnDevice, OperatorIsSymmetricAndGivesTheSameBitsTwice) {
  for (const LatticeAntennas& antennas : lattices(false)) {
    const DeviceToeplitzOperator z(antennas.basis(), one_metre_waves(), some_loads),
        again(antennas.basis(), one_metre_waves(), some_loads);
    const std::vector<Complex> x = random_vector(z.size(), 2),
                               y = random_vector(z.size(), 3), zy = product(z, y);
    std::vector<Complex> zx = product(z, x);
    Complex a = 0, b = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      a += y[i] * zx[i];
      b += x[i] * zy[i];
    }
    EXPECT_LE(std::abs(a - b), 1e-13 * std::abs(a));
    EXPECT_EQ(product(z, x), zx);
    EXPECT_EQ(product(again, x), zx);
    // Two right-hand sides at once, which apply_many() fills up to four.
    std::vector<Complex> both(x), products(2 * x.size());
    both.insert(both.end(), y.begin(), y.end());
    z.apply_many(both, products);
    zx.insert(zx.end(), zy.begin(), zy.end());
    EXPECT_EQ(products, zx);
  }
}

TEST_F(ToeplitzOnDevice, SpectraMultiplyAsOnTheCpu) {
  const DeviceStream stream;
  for (const std::size_t functions : {1u, 7u, 20u, 41u, 450u}) {
    const std::array<std::size_t, 3> lengths = functions > 100
                                                   ? std::array<std::size_t, 3>{3, 4, 1}
                                                   : std::array<std::size_t, 3>{6, 5, 9};
    const HalfSpectra half(lengths);
    const std::vector<Complex> spectra =
        random_vector(functions * functions * half.count(), 4);
    const std::vector<Complex> x = random_vector(functions * half.points(), 5);
    std::vector<Complex> expected(x), all;
    multiply_spectra(half, functions, spectra, expected);
    DeviceBuffer<Complex> device_spectra(spectra.size(), "spectra");
    device_spectra.upload(spectra, stream);
    for (int rhs_count = 1; rhs_count <= 4; ++rhs_count) {
      all.insert(all.end(), x.begin(), x.end());
      DeviceBuffer<Complex> array(all.size(), "x");
      array.upload(all, stream);
      DeviceHalfSpectra(half).multiply(functions, device_spectra.data(), array.data(),
                                       rhs_count, stream);
      std::vector<Complex> got(all.size());
      array.download(got, stream);
      // Where q is -q and random spectra are not symmetric, both keep what is at q.
      for (int rhs = 0; rhs < rhs_count; ++rhs)
        EXPECT_LE(relative_difference(std::span(got).subspan(rhs * x.size(), x.size()),
                                      expected),
                  testing::sum_tolerance(functions));
    }
  }
}

TEST_F(ToeplitzOnDevice, PreconditionerAgreesWithTheCpu) {
  for (const LatticeAntennas& antennas : lattices(false))
    for (const bool two_level : {false, true}) {
      const ToeplitzOperator cpu(antennas.basis(), one_metre_waves(), some_loads);
      const DeviceToeplitzOperator gpu(antennas.basis(), one_metre_waves(), some_loads);
      const ToeplitzPreconditioner right(cpu, two_level);
      const DeviceToeplitzPreconditioner m(gpu, two_level);
      const std::vector<Complex> r = random_vector(cpu.size(), 6);
      std::vector<Complex> z(r.size()), expected(r.size());
      right.apply(r, expected);
      m.apply(r, z);
      EXPECT_LE(relative_difference(z, expected), 1e-5);
    }
}

/// 12 x 12 dipoles on a lattice, some loaded, two fed.
Problem array() {
  Problem problem;
  for (int i = 0; i < 144; ++i)
    problem.structure.add_wire(1, 21, {0.5 * (i / 12), 0.5 * (i % 12), -0.25},
                               {0.5 * (i / 12), 0.5 * (i % 12), 0.25}, 1e-3);
  Run run;
  run.frequency_hz = {one_metre_wave_hz, 1.02 * one_metre_wave_hz};
  run.sources = {volt_on(10), volt_on(21 * 70 + 10, {0, 1})};
  Load load = {.first = 21 * 9 + 10, .last = 21 * 9 + 10, .value = {50}};
  run.loads = {load};
  problem.runs.push_back(run);
  return problem;
}

TEST_F(ToeplitzOnDevice, SolvesAsTheCpuInEveryPlacement) {
  Options options = options_for(MeshChoice::as_given);
  options.operator_choice = OperatorChoice::toeplitz;
  options.tolerance = 1e-10;
  options.device.kind = DeviceRequest::Kind::cpu;
  options.port_matrix = true;
  const Solution right = solve(array(), options);
  options.device.kind = DeviceRequest::Kind::cuda;
  for (const PlacementChoice placement :
       {PlacementChoice::product, PlacementChoice::resident, PlacementChoice::graph}) {
    options.placement = placement;
    const Solution got = solve(array(), options);
    for (std::size_t f = 0; f < 2; ++f) {
      EXPECT_EQ(got.frequencies[f].solver.operator_name, "toeplitz");
      EXPECT_TRUE(got.frequencies[f].solver.converged);
      EXPECT_LE(*got.frequencies[f].solver.operator_error, 1e-6);
      for (std::size_t p = 0; p < 2; ++p)
        EXPECT_LE(relative_error(got.frequencies[f].ports[p].impedance_ohm,
                                 right.frequencies[f].ports[p].impedance_ohm),
                  1e-8);
      EXPECT_NEAR(got.frequencies[f].solver.iterations,
                  right.frequencies[f].solver.iterations, 6);
    }
  }
}

}  // namespace
}  // namespace thinwire
