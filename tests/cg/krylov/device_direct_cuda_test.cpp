#include "cg/krylov/device_direct.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <string>

#include "kernels/base/error.h"
#include "tests/cg/dense_system.h"
#include "tests/cg/every_recurrence.h"
#include "tests/cg/packed_system.h"
#include "tests/messages.h"

namespace thinwire {
namespace {

using namespace testing;

using DeviceDirect = testing::OnDevice;

TEST_F(DeviceDirect, LuAgreesWithLapack) {
  for (const std::size_t n : {1, 31, 33, 63, 65, 257, 1000}) {
    const DenseOperator z = random_symmetric(n, 11, 0.1);
    const OnGpu gpu(z);
    const std::vector<Complex> v = random_vector(n, 12);
    std::vector<Complex> current = v;
    DeviceLu(gpu.tiles).solve(current);
    EXPECT_LE(relative_difference(current, lapack_solution(z, v)), 1e-11) << n;
  }
}

TEST_F(DeviceDirect, LdltAloneHasThreeDigitsInTf32SixInSingleAndAllInDouble) {
  // Around blocks of 64, panels of 512 and block columns of 2048.
  for (const std::size_t n : {1, 31, 33, 63, 64, 65, 257, 511, 512, 513, 576, 577, 1000,
                              1100, 2047, 2048, 2049, 2112, 2625}) {
    const DenseOperator z = random_symmetric(n, 11, {1.2, 0.9});
    const OnGpu gpu(z);
    const std::vector<Complex> v = random_vector(n, 12);
    std::vector<Complex> current(n);
    DeviceLdlt(gpu.tiles).apply(v, current);
    EXPECT_LE(relative_residual(z, current, v), 3e-3) << n;
    DeviceLdlt(gpu.tiles, LdltProducts::single).apply(v, current);
    EXPECT_LE(relative_residual(z, current, v), 3e-6) << n;
    DeviceLdlt(gpu.tiles, LdltProducts::complex_double).apply(v, current);
    EXPECT_LE(relative_residual(z, current, v), 1e-13) << n;
  }
}

TEST_F(DeviceDirect, LdltGivesTheSameBitsEveryTime) {
  const OnGpu gpu(random_symmetric(1100, 11, {1.2, 0.9}));
  const std::vector<Complex> v = random_vector(1100, 12);
  std::vector<Complex> once(1100), again(1100);
  DeviceLdlt(gpu.tiles).apply(v, once);
  DeviceLdlt(gpu.tiles).apply(v, again);
  EXPECT_EQ(once, again);
}

TEST_F(DeviceDirect, FactorsAMatrixStoredInSingle) {
  const DenseOperator z = random_symmetric(700, 11, {1.2, 0.9});
  const OnGpu gpu(z, Storage::complex_single);
  const std::vector<Complex> v = random_vector(700, 12);
  std::vector<Complex> current(700);
  DeviceLdlt(gpu.tiles, LdltProducts::single).apply(v, current);
  EXPECT_LE(relative_residual(z, current, v), 3e-6);
}

TEST_F(DeviceDirect, RefinementReachesTheLastDigits) {
  for (const std::size_t n : {65, 700, 2112}) {
    const DenseOperator z = random_symmetric(n, 11, {1.2, 0.9});
    const OnGpu gpu(z);
    const std::vector<Complex> v = random_vector(n, 12);
    std::vector<Complex> current(n, std::nan(""));
    DeviceDirectSolver solver(gpu.product);
    const SolveResult result = solver.solve(v, current, to(1e-12));
    EXPECT_EQ(result.status, SolveStatus::converged) << n;
    EXPECT_GT(result.iterations, 0) << n;
    EXPECT_LE(result.iterations, 6) << n;
    EXPECT_LE(relative_residual(z, current, v), 1.01e-12) << n;
    EXPECT_EQ(solver.fallback(), "") << n;
  }
}

TEST_F(DeviceDirect, PivotsWithinABlockAreFound) {
  // Zero diagonal, one block: no elimination in the given order.
  std::vector<Complex> a(16, 0);
  for (int i = 0; i < 4; ++i) a[i + 4 * (3 - i)] = {0, double(i < 2 ? i + 1 : 4 - i)};
  const DenseOperator z(4, std::move(a));
  const OnGpu gpu(z);
  const std::vector<Complex> v = random_vector(4, 12);
  std::vector<Complex> current(4);
  DeviceDirectSolver solver(gpu.product);
  EXPECT_EQ(solver.solve(v, current, to(1e-12)).status, SolveStatus::converged);
  EXPECT_LE(relative_difference(current, lapack_solution(z, v)), 1e-10);
}

/// [0, I; I, 0] times 1 + 0.5j: its first panel is zero.
DenseOperator exchange(std::size_t n) {
  std::vector<Complex> a(n * n, 0);
  for (std::size_t i = 0; i < n; ++i) a[i + n * (n - 1 - i)] = {1, 0.5};
  return {n, std::move(a)};
}

/// A solution that counts its steps of refinement.
struct Solved {
  explicit Solved(const DenseOperator& z) : gpu(z), solver(gpu.product) {
    const std::vector<Complex> v = random_vector(z.size(), 12);
    std::vector<Complex> current(z.size());
    SolverControl control = to(1e-10);
    control.on_iteration = [this](int, double, Complex) { ++steps; };
    result = solver.solve(v, current, control);
    residual = relative_residual(z, current, v);
  }
  bool says(const char* text) const {
    return solver.fallback().find(text) != std::string::npos;
  }
  OnGpu gpu;
  DeviceDirectSolver solver;
  SolveResult result;
  double residual = 1;
  int steps = 0;
};

TEST_F(DeviceDirect, FallsBackToLuWhereBlocksAreSingular) {
  const Solved solved(exchange(1100));
  EXPECT_EQ(solved.result.status, SolveStatus::converged);
  EXPECT_EQ(solved.result.iterations, 0);
  EXPECT_LE(solved.residual, 1e-12);
  // More digits would not have helped, and were not tried.
  EXPECT_LE(solved.steps, 1);
  EXPECT_TRUE(solved.says("met a singular block, so LU")) << solved.solver.fallback();
  EXPECT_FALSE(solved.says("single")) << solved.solver.fallback();
}

TEST_F(DeviceDirect, FallsBackToLuAfterAFewStepsWhereTheFactorsGrow) {
  // The first panel is 1e-7 I: eliminated first, it leaves nothing of the rest.
  const std::size_t n = 1100, small = 512;
  std::vector<Complex> a = random_symmetric(n, 11, {1.2, 0.9}).entries();
  for (std::size_t j = 0; j < small; ++j)
    for (std::size_t i = 0; i < small; ++i) a[i + j * n] = i == j ? 1e-7 : 0.0;
  const Solved solved(DenseOperator(n, std::move(a)));
  EXPECT_EQ(solved.result.status, SolveStatus::converged);
  EXPECT_LE(solved.residual, 1e-10);
  EXPECT_LE(solved.steps, 12);
  EXPECT_TRUE(solved.says("TF32")) << solved.solver.fallback();
  EXPECT_TRUE(solved.says("so LU in complex double")) << solved.solver.fallback();
}

TEST_F(DeviceDirect, TakesSingleWhereThreeDigitsAreTooFew) {
  // G G^T + 0.001 I, G of 380 columns for 700 rows: TF32 rounds the small eigenvalues
  // away. With products rounded to TF32 on a CPU, GMRES is at 0.98 after 5 steps; with
  // single it takes 7.
  const std::size_t n = 700, rank = 380;
  std::vector<Complex> g = random_vector(n * rank, 5), a(n * n, 0);
  for (std::size_t k = 0; k < rank; ++k)
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t i = 0; i < n; ++i)
        a[i + j * n] += g[i + k * n].real() * g[j + k * n].real() / double(n);
  for (std::size_t i = 0; i < n; ++i) a[i + i * n] += 1e-3;
  for (Complex& entry : a) entry *= Complex(1, 0.5);
  const Solved solved(DenseOperator(n, std::move(a)));
  EXPECT_EQ(solved.result.status, SolveStatus::converged);
  EXPECT_LE(solved.residual, 1.01e-10);
  EXPECT_GT(solved.result.iterations, 0);
  EXPECT_LE(solved.result.iterations, 15);
  EXPECT_TRUE(solved.says("TF32")) << solved.solver.fallback();
  EXPECT_TRUE(solved.says("so LDL^T in complex single")) << solved.solver.fallback();
  EXPECT_FALSE(solved.says("LU")) << solved.solver.fallback();
}

TEST_F(DeviceDirect, WhatRoundingAllowsIsEnoughWhereItMeetsTheTolerance) {
  const DenseOperator z = random_symmetric(700, 11, {1.2, 0.9});
  const OnGpu gpu(z);
  DeviceDirectSolver solver(gpu.product);
  const std::vector<Complex> v = random_vector(700, 12);
  std::vector<Complex> current(700);
  const SolveResult result = solver.solve(v, current, to(1e-6), 1e-18);
  EXPECT_EQ(result.status, SolveStatus::converged);
  EXPECT_LE(relative_residual(z, current, v), 1e-12);
  EXPECT_EQ(solver.fallback(), "");
}

/// Takes the GPU's memory, all but about `left` bytes.
std::vector<DeviceBuffer<std::byte>> fill_memory(std::size_t left) {
  std::vector<DeviceBuffer<std::byte>> taken;
  std::size_t chunk = current_device().memory_bytes;
  while (chunk >= (1u << 20)) {
    const std::size_t free = current_device().free_bytes;
    if (free <= left) break;
    try {
      taken.emplace_back(std::min(chunk, free - left), "what fills the memory");
    } catch (const Error&) {
      chunk /= 2;
    }
  }
  return taken;
}

void expect_in(const std::string& text, std::initializer_list<const char*> parts) {
  for (const char* part : parts) EXPECT_TRUE(contains(text, part));
}

TEST_F(DeviceDirect, TooLittleMemoryForLdltIsSaid) {
  const OnGpu gpu(random_symmetric(2000, 11, {1.2, 0.9}));
  const auto taken = fill_memory(8u << 20);
  expect_in(
      test::error_message(ErrorKind::memory, [&] { const DeviceLdlt ldlt(gpu.tiles); }),
      {"LDL^T factors needs", "cuda:0 has", "free (N = 2000)", "--solver cocg"});
}

TEST_F(DeviceDirect, TooLittleMemoryForTheFallBackIsSaid) {
  // Loading kernels takes memory, too.
  std::vector<Complex> current(4000), ones(4000, 1.0);
  {
    std::vector<Complex> a(ones.size() * ones.size(), 0);
    for (std::size_t i = 0; i < ones.size(); ++i) a[i + i * ones.size()] = {1, 0.5};
    const OnGpu benign(DenseOperator(ones.size(), std::move(a)));
    DeviceDirectSolver(benign.product).solve(ones, current, to(1e-6));
  }
  const OnGpu gpu(exchange(ones.size()));
  DeviceDirectSolver solver(gpu.product);
  // LDL^T gives 110 MB back and cuBLAS its workspace; LU wants 256.
  const auto taken = fill_memory(8u << 20);
  const std::string error = test::error_message(
      ErrorKind::memory, [&] { solver.solve(ones, current, to(1e-6)); });
  expect_in(error, {"met a singular block; LU in complex double needs 24", "cuda:0 has",
                    "free (N = 4000)", "--solver cocg"});
}

TEST_F(DeviceDirect, ASingularMatrixIsAnError) {
  const OnGpu gpu(DenseOperator(3, std::vector<Complex>(9, 0)));
  EXPECT_THROW(DeviceLu{gpu.tiles}, Error);
}

}  // namespace
}  // namespace thinwire
