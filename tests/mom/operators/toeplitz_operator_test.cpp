#include "mom/operators/toeplitz_operator.h"

#include <gtest/gtest.h>

#include "cg/krylov/solver.h"
#include "kernels/base/error.h"
#include "mom/loads/loads.h"
#include "mom/media/real_ground.h"
#include "mom/operators/toeplitz_preconditioner.h"
#include "tests/mom/operators/lattice_antennas.h"

namespace thinwire {
namespace {

using namespace test;

constexpr std::array<Vec3, 3> rectangular = {Vec3{0.5, 0, 0}, Vec3{0, 0.4, 0},
                                             Vec3{0, 0, 0.7}};
constexpr std::array<Vec3, 3> oblique = {Vec3{0.5, 0.1, 0}, Vec3{0.25, 0.43, 0},
                                         Vec3{0.1, 0, 0.8}};

/// The matrix of the operator's own blocks, assembled pair by pair, [n * n].
std::vector<Complex> assembled(const LatticeBasis& basis, const ToeplitzInput& input) {
  const ToeplitzGrid grid(basis);
  const std::size_t n = basis.size(), all = basis.unknowns(),
                    stride = grid.displacements();
  std::vector<Complex> blocks(n * n * stride), z(all * all);
  fill_toeplitz_blocks(basis, grid, input, stride, blocks, {});
  const auto place = [&](std::size_t a) {
    std::array<std::int64_t, 3> at{};
    std::uint64_t rest = basis.place_of[a];
    for (std::size_t i = 3; i-- > 0; rest /= basis.places[i])
      at[i] = static_cast<std::int64_t>(rest % basis.places[i]);
    return at;
  };
  for (std::size_t a = 0; a < basis.antennas(); ++a)
    for (std::size_t b = 0; b < basis.antennas(); ++b)
      for (std::size_t d = 0; d < stride; ++d) {
        const auto from = place(a), to = place(b), by = grid.displacement(d);
        if (from[0] + by[0] != to[0] || from[1] + by[1] != to[1] ||
            from[2] + by[2] != to[2])
          continue;
        for (std::size_t i = 0; i < n; ++i)
          for (std::size_t j = 0; j < n; ++j) {
            const std::size_t row = basis.number_of[a * n + i],
                              column = basis.number_of[b * n + j];
            z[row + column * all] = z[column + row * all] =
                blocks[(i * n + j) * stride + d];
          }
      }
  return z;
}

/// The product against that with the same entries, and these against the fill's.
void expect_right(const LatticeAntennas& antennas,
                  const ToeplitzInput& input = one_metre_waves()) {
  const ToeplitzOperator z(antennas.basis(), input, {});
  const std::vector<Complex> x = random_vector(z.size(), 1);
  std::vector<Complex> y(x.size());
  z.apply(x, y);
  const std::vector<Complex> own = assembled(antennas.basis(), input),
                             dense = antennas.dense(input);
  EXPECT_LE(relative_difference(y, dense_product(own, x)), 1e-12);
  // The rules of the fill: elements side by side share an order of quadrature.
  EXPECT_LE(relative_difference(own, dense), 1e-7);
}

TEST(ToeplitzOperator, IsTheDenseProductOnLatticesOfOneToThreeDimensions) {
  expect_right(LatticeAntennas({7, 1, 1}, rectangular));
  expect_right(LatticeAntennas({4, 5, 1}, rectangular));
  expect_right(LatticeAntennas({2, 3, 4}, rectangular));
}

TEST(ToeplitzOperator, IsTheDenseProductOnObliqueOnesAndWithGaps) {
  expect_right(LatticeAntennas({4, 4, 1}, oblique));
  expect_right(LatticeAntennas({3, 2, 3}, oblique));
  expect_right(LatticeAntennas({5, 5, 1}, rectangular,
                               [](int i, int j, int) { return (i + 2 * j) % 3 != 1; }));
}

TEST(ToeplitzOperator, IsTheDenseProductOfGradedMeshes) {
  expect_right(LatticeAntennas({2, 3, 1}, oblique, {}, true));
}

TEST(ToeplitzOperator, IsTheDenseProductOverPerfectGround) {
  expect_right(LatticeAntennas({3, 4, 1}, oblique, {}, false, true),
               one_metre_waves(Medium::perfect_ground()));
  const LatticeAntennas risen({2, 2, 2}, rectangular, {}, false, true);
  try {
    (void)ToeplitzOperator(risen.basis(), one_metre_waves(Medium::perfect_ground()), {});
    FAIL() << "a lattice with vertical steps has no images on a lattice";
  } catch (const Error& error) {
    EXPECT_EQ(
        std::string(error.what()),
        "toeplitz operator: antennas stand at different heights over the ground, a step "
        "of the lattice rising by 0.7 m, so that their images form no lattice. Use "
        "--operator dense.");
  }
}

TEST(ToeplitzOperator, IsTheDenseProductOverRealGround) {
  const LatticeAntennas antennas({3, 4, 1}, oblique);
  const RealGround ground(antennas.where().elements(), Ground::sommerfeld(13, 0.005),
                          2 * pi, GreensKernel::exact);
  ToeplitzInput input = one_metre_waves();
  input.ground = &ground.at();
  expect_right(antennas, input);
  const ReflectingSurface surface =
      reflecting_surface(Ground::coefficients(13, 0.005), 2 * pi);
  input.ground = nullptr;
  input.surface = &surface;
  expect_right(antennas, input);
  const LatticeAntennas risen({2, 2, 2}, rectangular);
  EXPECT_THROW((void)ToeplitzOperator(risen.basis(), input, {}), Error);
}

/// Displacements of six dipoles of 0.1 m long segments in a row that are near.
std::vector<std::uint32_t> near_of_a_row(double pitch_m, double radius_m) {
  Structure structure;
  for (int i = 0; i < 6; ++i)
    structure.add_wire(1, 5, {pitch_m * i, 0, 0}, {pitch_m * i, 0, 0.5}, radius_m);
  MeshOptions options;
  options.graded = false;
  const Discretization where(structure, options);
  const LatticeBasis basis(where, *find_lattice(structure).lattice);
  return near_displacements(basis, ToeplitzGrid(basis), one_metre_waves());
}

// Centres 1.75 lengths apart are far; tubes of k a above 0.12 never are.
TEST(ToeplitzOperator, KnowsWhereAntennasAreNear) {
  using Numbers = std::vector<std::uint32_t>;
  EXPECT_EQ(near_of_a_row(0.05, 1e-4), (Numbers{1, 2, 3}));
  EXPECT_EQ(near_of_a_row(0.1, 1e-4), (Numbers{1}));
  EXPECT_EQ(near_of_a_row(0.2, 1e-4), Numbers{});
  EXPECT_EQ(near_of_a_row(0.2, 0.02), (Numbers{1, 2, 3, 4, 5}));
}

TEST(ToeplitzOperator, AddsLoads) {
  const LatticeAntennas antennas({3, 3, 1}, rectangular);
  Load load = {.first = 9, .last = 23, .value = {50, -20}};
  const std::vector<Load> some = {load};
  const LoadModel loads(antennas.where(), some, speed_of_light_m_per_s);
  const ToeplitzInput input = one_metre_waves();
  const ToeplitzOperator z(antennas.basis(), input, loads.updates());
  const std::vector<Complex> x = random_vector(z.size(), 2);
  std::vector<Complex> y(x.size()),
      right = dense_product(assembled(antennas.basis(), input), x);
  add_updates(loads.updates(), x, right);
  z.apply(x, y);
  EXPECT_LE(relative_difference(y, right), 1e-12);
}

TEST(ToeplitzOperator, SaysWhatItTakes) {
  const LatticeAntennas antennas({4, 5, 1}, rectangular);
  const ToeplitzOperator z(antennas.basis(), one_metre_waves(), {});
  // 6 functions on 20 antennas; 8 x 9 points, of which (72 + 2) / 2 wave vectors.
  const std::size_t own = 16 * (36 * 37 + 36 + 6 * 72) + 8 * 37 + 4 * 20 * 7;
  EXPECT_EQ(ToeplitzOperator::bytes(6, {4, 5, 1}, 20), own);
  EXPECT_EQ(z.spectra().size(), 36u * 37);
}

double symmetry(const LinearOperator& z) {
  const std::vector<Complex> x = random_vector(z.size(), 3),
                             y = random_vector(z.size(), 4);
  std::vector<Complex> zx(x.size()), zy(x.size());
  z.apply(x, zx);
  z.apply(y, zy);
  Complex a = 0, b = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    a += y[i] * zx[i];
    b += x[i] * zy[i];
  }
  return std::abs(a - b) / std::abs(a);
}

TEST(ToeplitzOperator, IsSymmetricToRounding) {
  const LatticeAntennas antennas({4, 5, 1}, oblique);
  EXPECT_LE(symmetry(ToeplitzOperator(antennas.basis(), one_metre_waves(), {})), 1e-13);
}

/// As an operator, for symmetry().
struct AsOperator final : LinearOperator {
  explicit AsOperator(const Preconditioner& of) : m(of) {}
  std::size_t size() const override { return m.size(); }
  void apply(std::span<const Complex> x, std::span<Complex> y) const override {
    m.apply(x, y);
  }
  const Preconditioner& m;
};

TEST(ToeplitzPreconditioner, IsSymmetricAndTakesLoadsIntoTheBlocks) {
  const LatticeAntennas antennas({4, 3, 1}, oblique,
                                 [](int i, int j, int) { return i != 1 || j != 1; });
  std::vector<MatrixUpdate> loads = {{8, 8, 30.0}, {9, 8, {0, 4}}, {25, 25, 1e4}};
  const ToeplitzOperator z(antennas.basis(), one_metre_waves(), loads);
  const ToeplitzPreconditioner blocks(z, false), two_level(z, true);
  EXPECT_LE(symmetry(AsOperator(two_level)), 1e-12);
  // Blocks alone are the inverses of what stands on the diagonal.
  const std::vector<Complex> own = assembled(antennas.basis(), one_metre_waves());
  const std::vector<Complex> x = random_vector(z.size(), 5);
  std::vector<Complex> r(x.size()), back(x.size());
  for (std::size_t i = 0; i < x.size(); ++i)
    for (std::size_t j = i / 6 * 6; j < i / 6 * 6 + 6; ++j)
      r[i] += own[i + j * x.size()] * x[j];
  add_updates(loads, x, r);
  blocks.apply(r, back);
  EXPECT_LE(relative_difference(back, x), 1e-11);
}

// Chan's circulant of a matrix that is one already is that matrix.
TEST(ToeplitzPreconditioner, CirculantCorrectionInvertsACirculant) {
  const std::size_t n = 5;
  std::vector<Complex> row = random_vector(n, 6), c(9);
  row[0] += 10.0;
  row[3] = row[2];
  row[4] = row[1];
  for (std::size_t d = 0; d < n; ++d) c[d] = row[d];
  for (std::size_t d = 1; d < n; ++d) c[9 - d] = row[(n - d) % n];
  const std::vector<Complex> correction = circulant_correction({n, 1, 1}, {9, 1, 1}, c);
  // The result for e_0, plus e_0 / c_0, times the circulant is e_0 again.
  std::vector<Complex> x(correction);
  Fft(FftShape{{n, 1, 1}, {}}).backward(x.data(), 1);
  x[0] += 1.0 / c[0];
  for (std::size_t i = 0; i < n; ++i) {
    Complex sum = 0;
    for (std::size_t j = 0; j < n; ++j) sum += row[(i + n - j) % n] * x[j];
    EXPECT_LE(std::abs(sum - (i == 0 ? 1.0 : 0.0)), 1e-14) << i;
  }
}

/// Steps of COCG to 1e-6, one dipole of 21 segments of a square of them fed.
int iterations(int side, bool two_level) {
  Structure structure;
  for (int i = 0; i < side; ++i)
    for (int j = 0; j < side; ++j)
      structure.add_wire(1, 21, {0.5 * i, 0.5 * j, -0.25}, {0.5 * i, 0.5 * j, 0.25},
                         1e-3);
  MeshOptions options;
  options.graded = false;
  const Discretization where(structure, options);
  const LatticeBasis basis(where, *find_lattice(structure).lattice);
  const ToeplitzOperator z(basis, one_metre_waves(), {});
  const ToeplitzPreconditioner m(z, two_level);
  std::vector<Complex> v(z.size()), current(z.size());
  v[20 * (side / 2 * side + side / 2) + 9] = v[20 * (side / 2 * side + side / 2) + 10] =
      0.5;
  const SolveResult result = solve(Recurrence::cocg, z, &m, v, current, {});
  EXPECT_EQ(result.status, SolveStatus::converged);
  return result.iterations;
}

// A prototype took 20 and 61 on 10 x 10.
TEST(ToeplitzPreconditioner, ConvergesInAThirdOfTheStepsOfBlocks) {
  EXPECT_LE(iterations(10, true), 22);
  EXPECT_GE(iterations(10, false), 50);
}

}  // namespace
}  // namespace thinwire
