#include <algorithm>
#include <chrono>
#include <memory>

#include <fmt/format.h>

#include "cg/rank_threads.h"
#include "kernels/device/multi_gpu.h"
#include "kernels/grid/near_matrix.h"
#include "mom/media/real_ground.h"
#include "mom/operators/device_fft.h"
#include "tests/kernels/device/device_test_support.h"
#include "tests/mom/operators/fft_structures.h"

namespace thinwire {
namespace {

using namespace testing;
using FftOperatorOnDevice = OnDevice;
using Numbers = DeviceFft::Numbers;

FftOperator operator_on(const Discretization& antenna, double tolerance, Medium medium,
                        std::vector<MatrixUpdate> loads = {},
                        FftOperator::NearField near = FftOperator::NearField::whole) {
  const double k = 2 * pi;
  const FillInput exact = {antenna.elements(),
                           antenna.basis().functions(),
                           k,
                           GreensKernel::exact,
                           medium,
                           nullptr};
  return {exact,
          plan_fft({exact.elements, exact.basis, k, medium, tolerance, 1e11, 0, {}}),
          std::move(loads),
          {},
          {},
          near};
}

void expect_agreement(const Structure& structure, double tolerance, bool ground) {
  const test::MeshedStructure what("antenna", structure, ground);
  const Medium medium = ground ? Medium::perfect_ground() : Medium::free_space();
  const std::vector<MatrixUpdate> loads = {{7, 7, {50, 10}}, {9, 8, {0, -3}}};
  const FftOperator host = operator_on(*what.antenna, tolerance, medium, loads);
  const auto x = random_vector(host.size(), 3);
  std::vector<Complex> expected(x.size()), y(x.size()), again(x.size());
  host.apply(x, expected);
  for (const bool single : {false, true}) {
    const DeviceFftOperator device(
        host, single ? Numbers::complex_single : Numbers::complex_double);
    device.apply(x, y);
    device.apply(x, again);
    EXPECT_LE(relative_difference(y, expected), single ? 1e-6 : 1e-12);
    EXPECT_EQ(y, again);
    // An operator in double can multiply in single as well.
    EXPECT_EQ(device.rough_error() > 0, !single);
    DeviceBuffer<Complex> from(device.padded(), "x"), to(device.padded(), "y");
    from.clear(device.stream());
    from.upload(x, device.stream());
    device.multiply_roughly(from.data(), to.data(), 1, device.stream());
    to.download(y, device.stream());
    const double rough = relative_difference(y, expected);
    EXPECT_LE(rough, 1e-6);
    EXPECT_GE(rough, 1e-10);
    device.apply(x, y);
    EXPECT_EQ(y, again);  // the grids are shared
  }
  // The near field made there: each pair takes the rule of its own distance.
  const DeviceFftOperator filled(operator_on(*what.antenna, tolerance, medium, loads,
                                             FftOperator::NearField::left_out),
                                 Numbers::complex_double);
  filled.apply(x, y);
  EXPECT_LE(relative_difference(y, expected), 5e-6);
  // Five owners share four channels at most, and three where all currents are in a plane.
  for (const std::size_t owners : {2, 5}) {
    std::vector<std::vector<Complex>> sums(owners, y);
    MultiGpu gpus(std::vector<int>(owners, 0));
    RankThreads threads(static_cast<int>(owners));
    threads.run([&](const Comm& comm) {
      const auto exchange = gpus.join(
          comm.rank(), DeviceOperator::window_bytes({x.size()}), threads.failed());
      const DeviceFftOperator part(operator_on(*what.antenna, tolerance, medium, loads,
                                               FftOperator::NearField::left_out),
                                   Numbers::complex_double, {}, exchange.get());
      part.apply(x, sums[exchange->share().owner]);
    });
    for (const std::vector<Complex>& sum : sums) {
      EXPECT_LE(relative_difference(sum, y), 1e-12) << owners;
      EXPECT_EQ(sum, sums[0]);
    }
  }
}

TEST_F(FftOperatorOnDevice, AgreesWithTheCpu) {
  for (const double tolerance : {1e-4, 1e-6}) {
    expect_agreement(test::plate(6, 0.1), tolerance, false);
    expect_agreement(test::random_dipoles(20, 3), tolerance, false);
    expect_agreement(test::array(3, 3, 0.3), tolerance, true);
    expect_agreement(test::uneven(), tolerance, false);
  }
}

TEST_F(FftOperatorOnDevice, AgreesWithTheCpuOverRealGround) {
  const double k = 2 * pi;
  const test::MeshedStructure what("array", test::array(3, 3, 0.3));
  const RealGround ground(what.antenna->elements(), Ground::sommerfeld(13, 0.005), k,
                          GreensKernel::exact);
  FillInput exact = {what.antenna->elements(),
                     what.antenna->basis().functions(),
                     k,
                     GreensKernel::exact,
                     {},
                     nullptr};
  ground.put_in(exact);
  FftPlanInput input = {exact.elements, exact.basis, k, {}, 1e-4, 1e11, 0, {}};
  input.ground_eps = ground_eps_of(exact);
  const FftPlan plan = plan_fft(input);
  const FftOperator host(exact, plan, {});
  ASSERT_FALSE(host.near_reflected().x.value.empty());
  const auto x = random_vector(host.size(), 3);
  std::vector<Complex> expected(x.size()), y(x.size());
  host.apply(x, expected);
  DeviceFftOperator(host, Numbers::complex_double).apply(x, y);
  EXPECT_LE(relative_difference(y, expected), 1e-12);
}

void measure(const Structure& structure, double tolerance) {
  const test::MeshedStructure what("structure", structure);
  const FftOperator host =
      operator_on(*what.antenna, tolerance, {}, {}, FftOperator::NearField::left_out);
  const DeviceStream stream;
  const auto seconds_of = [](const auto& work) {
    const auto before = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - before)
        .count();
  };
  const FillInput input = host.exact_in_order();
  std::unique_ptr<DeviceFill> fill;
  const double pairs = seconds_of([&] {
    fill = std::make_unique<DeviceFill>(input.elements, input.basis, input.kernel,
                                        input.medium, input.k_rad_per_m);
    fill->set_wavenumber(input.k_rad_per_m);
  });
  const double near_field =
      seconds_of([&] { device_near_matrix(*fill, input, host.grid()); });
  fill.reset();
  std::unique_ptr<DeviceFftOperator> made;
  const double all = seconds_of([&] {
    made = std::make_unique<DeviceFftOperator>(
        host, tolerance >= 1e-4 ? Numbers::complex_single : Numbers::complex_double);
  });
  const DeviceFftOperator& device = *made;
  DeviceBuffer<Complex> x(device.padded(), "x"), y(device.padded(), "y");
  x.clear(stream);
  x.upload(random_vector(host.size(), 1), stream);
  DeviceEvent start, middle, end;
  double whole = 1, near = 1;
  for (int repeat = 0; repeat < 5; ++repeat) {
    start.record(stream);
    device.multiply(x.data(), y.data(), 1, stream);
    middle.record(stream);
    device.multiply_near(stream);
    end.record(stream);
    near = std::min(near, end.seconds_since(middle));
    whole = std::min(whole, middle.seconds_since(start));
  }
  const auto near_bytes = static_cast<double>(device.near_bytes());
  fmt::print(
      "{} unknowns, class {:g}: {}, {} entries stored in {:.3f} GB: product {:.3f} ms, "
      "near field {:.3f} ms, {:.2f} TB/s, {:.2f} GB in all; near pairs integrated in "
      "{:.2f} s, the near field filled in {:.2f}, all made in {:.2f} s\n",
      host.size(), host.plan().grid_class.tolerance, host.plan().text(),
      device.near_entries(), 1e-9 * near_bytes, 1e3 * whole, 1e3 * near,
      1e-12 * near_bytes / near, 1e-9 * static_cast<double>(device.bytes()), pairs,
      near_field, all);
}

/// Milliseconds of a product; --gtest_also_run_disabled_tests.
TEST_F(FftOperatorOnDevice, DISABLED_Speed) {
  for (const double tolerance : {1e-4, 1e-6})
    measure(test::random_dipoles(4000, 12), tolerance);
  measure(test::plate(719, 0.1), 1e-4);
}

}  // namespace
}  // namespace thinwire
