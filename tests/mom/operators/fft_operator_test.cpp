#include "mom/operators/fft_operator.h"

#include <cmath>
#include <functional>
#include <memory>
#include <random>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <omp.h>

#include "cg/direct/direct.h"
#include "cg/impedance_matrix.h"
#include "cg/vector_ops.h"
#include "kernels/base/error.h"
#include "kernels/fill/fill.h"
#include "mom/loads/loads.h"
#include "mom/media/real_ground.h"
#include "tests/mom/operators/fft_structures.h"

namespace thinwire::fft_operator_test {
namespace {

using test::MeshedStructure;
using test::raised;

constexpr double k = 2 * pi;

/// A real ground under a structure, for its fill.
struct OverGround {
  std::unique_ptr<RealGround> sommerfeld;
  ReflectingSurface surface;

  OverGround(const Discretization& antenna, const Ground& ground)
      : surface(reflecting_surface(ground, k)) {
    if (ground.kind == Ground::Kind::sommerfeld)
      sommerfeld = std::make_unique<RealGround>(antenna.elements(), ground, k,
                                                GreensKernel::exact);
  }
  FillInput put_in(FillInput fill) const {
    if (sommerfeld)
      sommerfeld->put_in(fill);
    else
      fill.surface = &surface;
    return fill;
  }
};

FillInput exact_of(const Discretization& antenna, Medium medium = {}) {
  return {antenna.elements(),
          antenna.basis().functions(),
          k,
          GreensKernel::exact,
          medium,
          nullptr};
}

ImpedanceMatrix dense_of(const Discretization& antenna, FillInput fill) {
  NearPairTable near(fill.elements, {k, k, 1}, fill.kernel, fill.medium);
  near.set_wavenumber(k);
  fill.near = &near;
  ImpedanceMatrix z(antenna.unknowns());
  fill_impedance(fill, z.tiles());
  return z;
}

ImpedanceMatrix dense_of(const Discretization& antenna, Medium medium = {}) {
  return dense_of(antenna, exact_of(antenna, medium));
}

FftPlanInput plan_input(const Discretization& antenna, double tolerance,
                        Medium medium = {}) {
  return {
      antenna.elements(), antenna.basis().functions(), k, medium, tolerance, 1e10, 0, {}};
}

std::vector<Complex> random_signs(std::size_t n, int seed) {
  std::mt19937 random(seed);
  std::vector<Complex> x(n);
  for (Complex& value : x) value = random() % 2 == 0 ? 1.0 : -1.0;
  return x;
}

std::vector<Complex> difference(const LinearOperator& a, const LinearOperator& b,
                                std::span<const Complex> x) {
  std::vector<Complex> y(x.size()), other(x.size());
  a.apply(x, y);
  b.apply(x, other);
  for (std::size_t i = 0; i < x.size(); ++i) y[i] -= other[i];
  return y;
}

/// |Z' - Z| / |Z|, Frobenius, from three vectors of signs.
double matrix_error(const LinearOperator& z, const LinearOperator& exact) {
  double above = 0, below = 0;
  for (int seed = 1; seed <= 3; ++seed) {
    const auto x = random_signs(z.size(), seed);
    std::vector<Complex> y(x.size());
    exact.apply(x, y);
    above += std::pow(norm2(difference(z, exact, x)), 2);
    below += std::pow(norm2(y), 2);
  }
  return std::sqrt(above / below);
}

/// The relative error of Z_in at segment 0, to first order: with I = Z^-1 V and the port
/// current i = V^T I it is I^T (Z' - Z) I / (i^2 Z_in).
double impedance_error(const LinearOperator& z, const ImpedanceMatrix& exact,
                       const Discretization& antenna) {
  std::vector<Complex> v(z.size());
  for (const BasisWeight& w : antenna.mean_current(0, k)) v[w.function] += w.weight;
  std::vector<Complex> current = v;
  DirectSolver(exact.size(), exact.dense()).solve(current);
  return std::abs(dotu(current, difference(z, exact, current)) / dotu(v, current));
}

/// Near entries of both halves of the matrix over its rows; every diagonal one is near.
double entries_per_row(const FftOperator& z) {
  return 2 * static_cast<double>(z.near().x.column.size()) /
             static_cast<double>(z.size()) -
         1;
}

struct Errors {
  double of_matrix, of_impedance;
  std::string line;
};

Errors errors_of(const MeshedStructure& what, const ImpedanceMatrix& exact,
                 const FftPlan& plan) {
  const FftOperator z(exact_of(*what.antenna), plan, {});
  const double of_matrix = matrix_error(z, exact),
               of_impedance = impedance_error(z, exact, *what.antenna);
  return {of_matrix, of_impedance,
          fmt::format("| {}, N = {} | {:.2g} | {:g} | {:.0f} | {:.1e} | {:.1e} |",
                      what.name, z.size(), plan.spacing_m, plan.grid_class.tolerance,
                      entries_per_row(z), of_matrix, of_impedance)};
}

/// The largest errors of docs/theory/operators-fft.md, twice.
void expect_class_holds(const MeshedStructure& what, const ImpedanceMatrix& exact,
                        const FftPlan& plan, double tolerance) {
  const Errors errors = errors_of(what, exact, plan);
  EXPECT_LT(errors.of_matrix, tolerance == 1e-4   ? 1.2e-4
                              : tolerance == 1e-6 ? 6e-6
                                                  : 3e-7)
      << errors.line;
  EXPECT_LT(errors.of_impedance, tolerance == 1e-4   ? 2e-4
                                 : tolerance == 1e-6 ? 1.2e-5
                                                     : 1e-6)
      << errors.line;
}

void expect_classes_hold(const MeshedStructure& what, std::vector<double> tolerances) {
  const ImpedanceMatrix exact = dense_of(*what.antenna);
  for (const double tolerance : tolerances)
    expect_class_holds(what, exact, plan_fft(plan_input(*what.antenna, tolerance)),
                       tolerance);
}

/// A grid as fine as the cells, so that most pairs are far.
void expect_classes_hold_on_cells(const MeshedStructure& what) {
  const ImpedanceMatrix exact = dense_of(*what.antenna);
  for (int c = 0; c < 2; ++c)
    expect_class_holds(what, exact,
                       plan_fft(plan_input(*what.antenna, grid_classes[c].tolerance),
                                grid_classes[c], 0.1),
                       grid_classes[c].tolerance);
}

TEST(FftOperator, KeepsItsClassOnAPlate) {
  expect_classes_hold_on_cells({"plate", test::plate(12, 0.1)});
}
TEST(FftOperator, KeepsItsClassOnAShip) {
  expect_classes_hold_on_cells({"ship", test::ship(9, 3, 2, 0.1)});
}
TEST(FftOperator, KeepsItsFinestClassOnAPlate) {
  expect_classes_hold({"plate", test::plate(6, 0.1)}, {1e-8});
}

TEST(FftOperator, KeepsItsClassAtTheLowestFrequencyThatItsPlanServes) {
  const MeshedStructure what("ship", test::ship(9, 3, 2, 0.1));
  FftPlanInput highest = plan_input(*what.antenna, 1e-4);
  highest.k_rad_per_m = k / 0.95;
  const FftPlan plan = plan_fft(highest, grid_classes[0], 0.1);
  const auto serves = [&](double wave) {
    return plan.serves(what.antenna->elements().size(), wave, {}, {});
  };
  EXPECT_TRUE(serves(1.0001 * k));
  EXPECT_FALSE(serves(0.999 * k));
  EXPECT_FALSE(serves(1.001 * highest.k_rad_per_m));
  expect_class_holds(what, dense_of(*what.antenna), plan, 1e-4);
}

/// The table of docs/theory/operators-fft.md; --gtest_also_run_disabled_tests.
TEST(FftOperator, DISABLED_Table) {
  std::vector<MeshedStructure> all;
  all.emplace_back("plate 20 x 20", test::plate(20, 0.1));
  all.emplace_back("plate 20 x 20, cells 0.02", test::plate(20, 0.02));
  all.emplace_back("ship", test::ship(14, 5, 4, 0.1));
  all.emplace_back("two helices", test::helices(5, 700));
  all.emplace_back("7 Yagis", test::yagis(7, 8));
  all.emplace_back("60 random dipoles", test::random_dipoles(60, 3));
  all.emplace_back("array 8 x 8", test::array(8, 8));
  all.emplace_back("long elements, steps, junctions", test::uneven());
  for (const MeshedStructure& what : all) {
    const ImpedanceMatrix exact = dense_of(*what.antenna);
    const double cell = what.name.find("0.02") != std::string::npos ? 0.02 : 0.1;
    for (const GridClass& c : grid_classes)
      for (const double spacing : {cell, 2 * cell})
        fmt::print("{}\n",
                   errors_of(what, exact,
                             plan_fft(plan_input(*what.antenna, c.tolerance), c, spacing))
                       .line);
  }
}

TEST(FftOperator, KeepsItsClassOnHelices) {
  expect_classes_hold({"helices", test::helices(5, 300)}, {1e-4, 1e-6, 1e-8});
}
TEST(FftOperator, KeepsItsClassOnYagis) {
  expect_classes_hold({"Yagis", test::yagis(3, 8)}, {1e-4, 1e-6});
}
TEST(FftOperator, KeepsItsClassOnRandomDipoles) {
  expect_classes_hold({"random dipoles", test::random_dipoles(25, 2)}, {1e-4, 1e-6});
}
TEST(FftOperator, KeepsItsClassOnAnArray) {
  expect_classes_hold({"array", test::array(5, 5)}, {1e-4, 1e-6});
}
TEST(FftOperator, KeepsItsClassOnLongElementsAndSteps) {
  expect_classes_hold({"uneven", test::uneven()}, {1e-4, 1e-6, 1e-8});
}
TEST(FftOperator, KeepsItsClassOnOneStraightWire) {
  Structure dipole;
  dipole.add_wire(1, 21, {0, 0, 0}, {0, 0, 0.47}, 0.001);
  expect_classes_hold({"dipole", std::move(dipole)}, {1e-4, 1e-6, 1e-8});
  Structure wire;  // eight wavelengths: two channels, most pairs far
  wire.add_wire(1, 240, {0, 0, 0}, {0, 0, 8}, 0.001);
  expect_classes_hold({"long wire", std::move(wire)}, {1e-4, 1e-8});
}

// A grid finer than the elements: all of them are longer than r_c.
TEST(FftOperator, TakesElementsLongerThanTheNearRadius) {
  Structure wires;
  for (int i = 0; i < 4; ++i)
    wires.add_wire(i + 1, 5, {0.06 * i, 0.03 * i, 0}, {0.05 * i, 0.08, 0.45}, 0.001);
  const MeshedStructure what("wires", std::move(wires));
  const ImpedanceMatrix exact = dense_of(*what.antenna);
  const FftPlan plan = plan_fft(plan_input(*what.antenna, 1e-6), grid_classes[1], 0.012);
  ASSERT_LT(plan.near_radius_m, what.antenna->elements()[0].length_m);
  EXPECT_LT(matrix_error(FftOperator(exact_of(*what.antenna), plan, {}), exact), 3e-6);
}

TEST(FftOperator, CountsImagesInTheGround) {
  const MeshedStructure what("array", test::array(3, 4, 0.4), true);
  const Medium ground = Medium::perfect_ground();
  const ImpedanceMatrix exact = dense_of(*what.antenna, ground);
  for (const double tolerance : {1e-4, 1e-6}) {
    const FftOperator z(exact_of(*what.antenna, ground),
                        plan_fft(plan_input(*what.antenna, tolerance, ground)), {});
    EXPECT_LT(matrix_error(z, exact), 0.1 * tolerance);
    EXPECT_LT(impedance_error(z, exact, *what.antenna), 10 * tolerance);
  }
}

TEST(FftOperator, CountsMonopolesOnTheGround) {
  Structure s;
  for (int i = 0; i < 12; ++i) {
    const Vec3 foot{0.4 * (i % 4), 0.3 * (i / 4), 0};
    s.add_wire(i + 1, 12, foot, foot + Vec3{0.02 * i, 0, 0.25}, 0.002);
  }
  const MeshedStructure what("monopoles", std::move(s), true);
  const Medium ground = Medium::perfect_ground();
  const ImpedanceMatrix exact = dense_of(*what.antenna, ground);
  const FftOperator z(exact_of(*what.antenna, ground),
                      plan_fft(plan_input(*what.antenna, 1e-6, ground)), {});
  EXPECT_LT(matrix_error(z, exact), 3e-6);
  EXPECT_LT(impedance_error(z, exact, *what.antenna), 1e-5);
}

/// Wires at 0.05 wavelengths over the ground: a bent one, verticals, a junction.
Structure low_wires() {
  Structure s;
  s.add_wire(1, 12, {0, 0, 0.05}, {0.6, 0.1, 0.05}, 0.001);
  s.add_wire(2, 8, {0.6, 0.1, 0.05}, {0.7, 0.1, 0.45}, 0.001);
  s.add_wire(3, 6, {0.6, 0.1, 0.05}, {0.6, 0.5, 0.1}, 0.002);
  for (int i = 0; i < 4; ++i) {
    const Vec3 foot{0.3 * i, -0.4, 0.05};
    s.add_wire(4 + i, 8, foot, foot + Vec3{0.1, 0.05 * i, 0.4}, 0.001);
  }
  return s;
}

void expect_class_holds_over(const Ground& ground, const MeshedStructure& what,
                             double tolerance, double spacing_m = 0) {
  const OverGround over(*what.antenna, ground);
  const FillInput fill = over.put_in(exact_of(*what.antenna));
  const ImpedanceMatrix exact = dense_of(*what.antenna, fill);
  FftPlanInput input = plan_input(*what.antenna, tolerance);
  input.ground_eps = ground_eps_of(fill);
  const FftPlan plan = spacing_m > 0
                           ? plan_fft(input, grid_class_for(tolerance), spacing_m)
                           : plan_fft(input);
  const FftOperator z(fill, plan, {});
  const double of_matrix = matrix_error(z, exact),
               of_impedance = impedance_error(z, exact, *what.antenna);
  EXPECT_LT(of_matrix, 1.2 * tolerance) << what.name << ' ' << plan.text();
  EXPECT_LT(of_impedance, 2 * tolerance) << what.name << ' ' << plan.text();
  // The reflection counts, or all this would say nothing.
  EXPECT_GT(matrix_error(FftOperator(exact_of(*what.antenna), plan, {}), exact),
            3 * of_matrix)
      << what.name;
}

TEST(FftOperator, KeepsItsClassOverRealGround) {
  const Ground soil = Ground::sommerfeld(13, 0.005);
  expect_class_holds_over(soil, {"plate", raised(test::plate(6, 0.1), 0.3)}, 1e-4, 0.1);
  expect_class_holds_over(soil, {"low plate", raised(test::plate(5, 0.1), 0.05)}, 1e-4);
  expect_class_holds_over(soil, {"low wires", low_wires()}, 1e-4);
  expect_class_holds_over(soil, {"uneven", raised(test::uneven(), 0.1)}, 1e-4);
  expect_class_holds_over(soil, {"array", test::array(3, 3, 0.3)}, 1e-4);
  expect_class_holds_over(Ground::sommerfeld(80, 5), {"low wires", low_wires()}, 1e-4);
  expect_class_holds_over(Ground::sommerfeld(4, 1e-3),
                          {"dipoles", raised(test::random_dipoles(8, 1), 0.3)}, 1e-4);
}

TEST(FftOperator, KeepsItsClassOverRealGroundOnAPlaneWithAWhip) {
  const auto plate = [](double height_m) {
    return MeshedStructure("plate", raised(test::plate(18, 0.1), height_m));
  };
  EXPECT_EQ(plan_fft(plan_input(*plate(0.3).antenna, 1e-4)).grid.off_plane.size(), 5u);
  const Ground soil = Ground::sommerfeld(13, 0.005);
  expect_class_holds_over(soil, plate(0.05), 1e-4);
  expect_class_holds_over(soil, plate(0.3), 1e-4);
  // Reflection by coefficients takes wires for thin, which the grid does not.
  expect_class_holds_over(Ground::coefficients(13, 0.005), plate(0.5), 2e-4);
}

TEST(FftOperator, KeepsItsClassOverRealGroundWhereHeightsHardlyDiffer) {
  const Ground soil = Ground::sommerfeld(13, 0.005);
  for (const double tilt_deg : {1e-10, 1e-7, 1e-4, 0.1}) {
    Structure plate = test::plate(6, 0.1);
    plate.move(0, 0, {tilt_deg, 0, 0}, {0, 0, 0.3}, 0);
    expect_class_holds_over(soil, {"tilted plate", std::move(plate)}, 1e-4, 0.1);
    Structure thin;
    thin.add_wire(1, 14, {0, 0, 0.2}, {1.4, 0, 0.2}, 0.001);
    thin.add_wire(2, 14, {0, 0.3, 0.2}, {1.4, 0.3, 0.2 + 1e-3 * tilt_deg}, 0.001);
    expect_class_holds_over(soil, {"thin wires", std::move(thin)}, 1e-4, 0.1);
  }
}

TEST(FftOperator, HasNoNearFieldOfWhatHighWiresReflect) {
  const Ground soil = Ground::sommerfeld(13, 0.005);
  for (const double height_m : {0.2, 0.25, 0.5}) {
    const MeshedStructure plate("plate", raised(test::plate(6, 0.1), height_m));
    expect_class_holds_over(soil, plate, 1e-4, 0.1);
    const OverGround over(*plate.antenna, soil);
    const FillInput fill = over.put_in(exact_of(*plate.antenna));
    FftPlanInput input = plan_input(*plate.antenna, 1e-4);
    input.ground_eps = ground_eps_of(fill);
    const FftPlan plan = plan_fft(input, grid_class_for(1e-4), 0.1);
    EXPECT_EQ(FftOperator(fill, plan, {}).near_reflected().x.value.empty(),
              height_m > 0.24)
        << height_m;
  }
}

TEST(FftOperator, NeedsNoNearImagesWhereProductsAreFast) {
  const Ground soil = Ground::sommerfeld(13, 0.005);
  const MeshedStructure plate("plate", raised(test::plate(12, 0.1), 0.3));
  const OverGround over(*plate.antenna, soil);
  FftPlanInput input = plan_input(*plate.antenna, 1e-4);
  input.ground_eps = ground_eps_of(over.put_in(exact_of(*plate.antenna)));
  const FftPlan of_cpu = plan_fft(input);
  input.rates.bytes_per_s *= 1000;
  input.rates.entries_per_s *= 1000;
  const FftPlan of_gpu = plan_fft(input);
  EXPECT_EQ(of_gpu.work.image_entries, 0) << of_gpu.text();
  EXPECT_GT(of_cpu.work.image_entries, 0) << of_cpu.text();
}

TEST(FftOperator, KeepsItsClassOverReflectionCoefficients) {
  const Ground soil = Ground::coefficients(13, 0.005);
  expect_class_holds_over(soil, {"plate", raised(test::plate(4, 0.1), 0.5)}, 1e-4);
  expect_class_holds_over(soil, {"low wires", raised(low_wires(), 0.15)}, 1e-4);
}

TEST(FftOperator, IsSymmetricAndTheSameWithAnyNumberOfThreads) {
  const MeshedStructure what("uneven", test::uneven());
  const FftPlan plan = plan_fft(plan_input(*what.antenna, 1e-4), grid_classes[0], 0.1);
  const int threads = omp_get_max_threads();
  const auto product = [&](std::span<const Complex> x, int with_threads) {
    omp_set_num_threads(with_threads);
    const FftOperator z(exact_of(*what.antenna), plan, {});
    std::vector<Complex> y(x.size());
    z.apply(x, y);
    omp_set_num_threads(threads);
    return y;
  };
  const auto x = random_signs(what.antenna->unknowns(), 5),
             w = random_signs(what.antenna->unknowns(), 6);
  const auto zx = product(x, 1), again = product(x, 3), zw = product(w, 2);
  EXPECT_TRUE(zx == again);
  EXPECT_LT(std::abs(dotu(w, zx) - dotu(x, zw)), 1e-13 * norm2(w) * norm2(zx));
}

TEST(FftOperator, AddsLoads) {
  const MeshedStructure what("dipoles", test::random_dipoles(3, 1));
  const std::vector<MatrixUpdate> loads = {{3, 3, {50, 20}}, {5, 2, {0, -7}}};
  const FftPlan plan = plan_fft(plan_input(*what.antenna, 1e-4));
  const FftOperator bare(exact_of(*what.antenna), plan, {}),
      loaded(exact_of(*what.antenna), plan, loads);
  const auto x = random_signs(bare.size(), 2);
  std::vector<Complex> added = difference(loaded, bare, x), expected(x.size());
  expected[3] += Complex(50, 20) * x[3];
  expected[5] += Complex(0, -7) * x[2];
  expected[2] += Complex(0, -7) * x[5];
  for (std::size_t i = 0; i < x.size(); ++i)
    EXPECT_LT(std::abs(added[i] - expected[i]), 1e-11);
}

void expect_refused(const std::function<void()>& attempt,
                    std::vector<std::string> words) {
  try {
    attempt();
    FAIL() << "not refused";
  } catch (const Error& error) {
    for (const std::string& word : words)
      EXPECT_NE(std::string(error.what()).find(word), std::string::npos)
          << word << ": " << error.what();
  }
}

TEST(FftPlan, RefusesInOneLine) {
  Structure tilted = test::plate(30, 0.1);  // no plane of the grid's
  tilted.move(0, 0, {5, 0, 0}, {}, 0);
  const MeshedStructure plate("plate", std::move(tilted));
  FftPlanInput input = plan_input(*plate.antenna, 1e-6);
  input.tolerance = 1e-10;
  expect_refused([&] { plan_fft(input); }, {"1e-10", "1e-09", "--operator dense"});
  // Too little for class 1e-6, enough for 1e-4.
  input.tolerance = 1e-6;
  double need = 1e12;
  for (double h = 0.1; h < 0.2; h *= 1.1)
    need = std::min(need, plan_fft(input, grid_classes[0], h).bytes);
  input.free_bytes = 1.05 * need;
  expect_refused([&] { plan_fft(input); }, {"needs", "free", "0.0001", "would fit"});
  // A wire far away blows the grid up.
  Structure with_satellite = test::plate(6, 0.1);
  with_satellite.add_wire(99999, 1, {0, 0, 3000}, {0, 0, 3000.1}, 0.001);
  const MeshedStructure far("far", std::move(with_satellite));
  input = plan_input(*far.antenna, 1e-4);
  input.free_bytes = 1e8;
  expect_refused([&] { plan_fft(input); }, {"(0, 0, 3000)", "cells"});
}

TEST(FftPlan, RefusesTubesTooThickForTheGrid) {
  Structure pair;
  for (const int i : {0, 1})
    pair.add_wire(i + 1, 11, {3.0 * i, 0, -0.25}, {3.0 * i, 0, 0.25}, 0.05);
  const MeshedStructure thick("thick", std::move(pair));
  // (k a)^4 / 64 is 1.5e-4.
  expect_refused([&] { plan_fft(plan_input(*thick.antenna, 1e-5)); },
                 {"radius 0.05", "too thick", "--operator dense"});
  EXPECT_GT(plan_fft(plan_input(*thick.antenna, 1e-4)).bytes, 0);
}

TEST(FftPlan, GivesAResonantArrayTheNextClass) {
  const MeshedStructure array("array", test::array(5, 5));
  EXPECT_EQ(plan_fft(plan_input(*array.antenna, 1e-4)).grid_class.tolerance, 1e-6);
  const MeshedStructure plate("plate", test::plate(6, 0.1));
  EXPECT_EQ(plan_fft(plan_input(*plate.antenna, 1e-4)).grid_class.tolerance, 1e-4);
  // Two dipoles before a reflector are no array.
  Structure fed = test::plate(8, 0.1);
  for (const double z : {0.25, 0.45})
    fed.add_wire(1000, 11, {0.15, 0.4, z}, {0.65, 0.4, z}, 0.001);
  const MeshedStructure reflector("reflector", std::move(fed));
  EXPECT_EQ(plan_fft(plan_input(*reflector.antenna, 1e-4)).grid_class.tolerance, 1e-4);
  // Many are, however large the reflector.
  Structure many = test::plate(16, 0.1);
  for (int i = 0; i < 20; ++i)
    many.add_wire(1000, 11, {0.3 * (i % 5), 0.1, 0.25 + 0.3 * (i / 5)},
                  {0.3 * (i % 5), 0.6, 0.25 + 0.3 * (i / 5)}, 0.001);
  const MeshedStructure fed_array("fed array", std::move(many));
  ASSERT_GT(fed_array.antenna->elements().size(), 2U * 20 * 11);
  EXPECT_EQ(plan_fft(plan_input(*fed_array.antenna, 1e-4)).grid_class.tolerance, 1e-6);
}

TEST(FftPlan, PredictsNearEntriesAndBytes) {
  const MeshedStructure what("plate", test::plate(16, 0.1));
  const FftPlan plan = plan_fft(plan_input(*what.antenna, 1e-4), grid_classes[0], 0.1);
  const FftOperator z(exact_of(*what.antenna), plan, {});
  EXPECT_NEAR(entries_per_row(z) / plan.near_entries_per_row, 1, 0.15);
  EXPECT_LT(static_cast<double>(z.bytes()), plan.bytes);
  EXPECT_GT(static_cast<double>(z.bytes()), 0.2 * plan.bytes);
}

}  // namespace
}  // namespace thinwire::fft_operator_test
