#include "mom/systems/shared_cpu_system.h"

#include <gtest/gtest.h>

#include <numeric>

#include "cg/blas_threads.h"
#include "mom/solve.h"
#include "mom/systems/cpu_system.h"
#include "mom/systems/group_system.h"
#include "tests/cg/dense_system.h"
#include "tests/cg/on_ranks.h"
#include "tests/mom/wire_antennas.h"

namespace thinwire::shared_cpu_system_test {
namespace {

using testing::on_ranks;
using testing::random_vector;
using testing::relative_difference;

constexpr double k_rad_per_m = 2 * pi, frequency_hz = test::one_metre_wave_hz;

/// 15 half-wave dipoles above the ground, with a resistor and a conductor among them.
struct Antenna {
  explicit Antenna(Ground over = Ground::none, int segments = 15) : ground(over) {
    for (int i = 0; i < 15; ++i) {
      const Vec3 at = {0.4 * (i % 5), 0.5 * (i / 5), 0.2};
      structure.add_wire(i, segments, at, at + Vec3{0, 0.02 * i, 0.5}, 1e-3);
    }
    Load resistor, conductor;
    resistor.first = resistor.last = 40;
    resistor.value[0] = 50;
    conductor.kind = Load::Kind::conductivity;
    conductor.first = 60;
    conductor.last = 120;
    conductor.value[0] = 3e6;
    loads = {resistor, conductor};
    discretization.emplace(structure, MeshOptions{});
    model.emplace(*discretization, loads, frequency_hz, ground);
  }
  SystemInput input(const Options& options) const {
    return {*discretization, options, {k_rad_per_m, k_rad_per_m, 1}, medium_of(ground)};
  }
  FillParameters parameters() const { return {k_rad_per_m, ground, *model}; }

  Ground ground;
  Structure structure;
  std::vector<Load> loads;
  std::optional<Discretization> discretization;
  std::optional<LoadModel> model;
};

/// Results of a System for two excitations.
struct Solved {
  std::vector<Complex> current;
  std::vector<SolveResult> results;
  std::vector<Complex> matrix;
};
Solved solved(System& system, const Antenna& antenna, Method method,
              std::span<const Complex> v, double tolerance) {
  system.fill(antenna.parameters(), {}, {});
  system.prepare(method, {});
  Solved solved;
  solved.current.resize(v.size());
  SolverControl control;
  control.tolerance = tolerance;
  solved.results = system.solve(v, solved.current, control);
  solved.matrix = system.dense();
  return solved;
}

constexpr Method methods[] = {
    {SolverChoice::direct},
    {SolverChoice::cg, PreconditionerChoice::block},
    {SolverChoice::cocg, PreconditionerChoice::none},
    {SolverChoice::cocg, PreconditionerChoice::two_level},
    {SolverChoice::cocr, PreconditionerChoice::block},
    {SolverChoice::gmres, PreconditionerChoice::two_level},
    {SolverChoice::gmres, PreconditionerChoice::overlap, LdltProducts::tf32, {8, 2}},
};

/// Recurrences of hundreds of steps, or with the square of Z's condition, carry what sums
/// in another order round differently on to the last digit that is solved for.
bool amplifies_rounding(Method method) {
  return method.solver == SolverChoice::cg ||
         (method.solver != SolverChoice::direct &&
          method.preconditioner == PreconditionerChoice::none);
}

void expect_as_on_one_rank(const Antenna& antenna, std::span<const Method> of,
                           std::span<const int> ranks_tried) {
  const BlasThreads one_thread(1);
  const Options options;
  const std::vector<Complex> v = random_vector(2 * antenna.discretization->unknowns(), 3);
  constexpr double tolerance = 1e-10;
  for (const Method& method : of) {
    CpuSystem alone(antenna.input(options));
    const Solved right = solved(alone, antenna, method, v, tolerance);
    for (const int ranks : ranks_tried)
      on_ranks(ranks, [&](const Comm& comm) {
        SharedCpuSystem shared(antenna.input(options), comm);
        const Solved got = solved(shared, antenna, method, v, tolerance);
        for (std::size_t s = 0; s < 2; ++s) {
          EXPECT_EQ(got.results[s].status, SolveStatus::converged);
          EXPECT_EQ(got.results[s].iterations, right.results[s].iterations)
              << name_of(method.solver) << " " << name_of(method.preconditioner);
        }
        EXPECT_LT(relative_difference(got.current, right.current),
                  amplifies_rounding(method) ? tolerance : 1e-12)
            << name_of(method.solver) << " " << name_of(method.preconditioner);
        if (comm.rank() == 0)
          EXPECT_EQ(got.matrix, right.matrix);
        else
          EXPECT_TRUE(got.matrix.empty());
      });
  }
}

constexpr int ranks[] = {2, 3, 4, 7}, two[] = {2};

TEST(SharedCpuSystem, SolvesAsOneRankDoes) {
  expect_as_on_one_rank(Antenna(), methods, ranks);
}

TEST(SharedCpuSystem, OverEveryGround) {
  const Method few[] = {methods[0], methods[3], methods[6]};
  for (const Ground ground :
       {Ground::perfect, Ground::coefficients(13, 0.005), Ground::sommerfeld(13, 0.005)})
    expect_as_on_one_rank(Antenna(ground), few, two);
}

TEST(SharedCpuSystem, SharesMayDiffer) {
  const Antenna antenna;
  const Options options;
  const std::size_t n = antenna.discretization->unknowns();
  const std::vector<Complex> v = random_vector(2 * n, 3);
  CpuSystem alone(antenna.input(options));
  const Solved right = solved(alone, antenna, methods[3], v, 1e-10);
  const std::vector<double> weights = {1, 0, 5, 0.1};
  on_ranks(4, [&](const Comm& comm) {
    const TileShare share =
        TileShare::part(PackedTiles{n}, static_cast<std::size_t>(comm.rank()), weights);
    SharedCpuSystem shared(antenna.input(options), share, comm);
    const Solved got = solved(shared, antenna, methods[3], v, 1e-10);
    EXPECT_EQ(got.results[0].iterations, right.results[0].iterations);
    EXPECT_LT(relative_difference(got.current, right.current), 1e-12);
  });
}

TEST(SharedCpuSystem, OwnersOfOneProcessAreAGroup) {
  const Antenna antenna;
  const Options options;
  const std::vector<Complex> v = random_vector(2 * antenna.discretization->unknowns(), 3);
  CpuSystem alone(antenna.input(options));
  GroupSystem group(3, antenna.discretization->unknowns(),
                    [&](const Comm& comm, const std::atomic<bool>&) {
                      return std::make_unique<SharedCpuSystem>(antenna.input(options),
                                                               comm);
                    });
  const Solved right = solved(alone, antenna, methods[3], v, 1e-10),
               got = solved(group, antenna, methods[3], v, 1e-10);
  EXPECT_EQ(got.results[1].iterations, right.results[1].iterations);
  EXPECT_LT(relative_difference(got.current, right.current), 1e-12);
  EXPECT_EQ(got.matrix, right.matrix);
  EXPECT_TRUE(group.direct_fits());
}

}  // namespace
}  // namespace thinwire::shared_cpu_system_test
