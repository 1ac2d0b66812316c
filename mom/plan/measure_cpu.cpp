#include "mom/plan/measure_cpu.h"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <functional>
#include <limits>
#include <vector>

#include <omp.h>

#include "cg/direct/direct.h"
#include "cg/impedance_matrix.h"
#include "kernels/base/constants.h"
#include "kernels/base/openmp_threads.h"
#include "kernels/base/stopwatch.h"
#include "kernels/fields/far_field.h"
#include "kernels/fill/fill.h"
#include "mom/discretization/discretization.h"
#include "mom/plan/cost_model.h"

namespace thinwire {
namespace {

/// Half-wave dipoles side by side, half a wavelength of one metre apart.
constexpr int dipoles = 12, segments = 21;
constexpr double k_rad_per_m = 2 * pi;
/// Unknowns of the matrix that no cache holds (39 MB), and of one that a thread factors
/// by itself (cg/direct/direct.cpp).
constexpr std::size_t large = 2200, small = 400;
/// Directions of a far field for each thread, so that all threads together take as long
/// as one.
constexpr std::size_t directions = 500;
constexpr int max_threads = 64;  // that more directions are made for

Structure array_of_dipoles() {
  Structure structure;
  for (int i = 0; i < dipoles; ++i)
    structure.add_wire(1 + i, segments, {0.5 * i, 0, -0.25}, {0.5 * i, 0, 0.25}, 0.001);
  return structure;
}

/// CPU time of this thread: what others take of its core meanwhile does not count.
double thread_seconds() {
  timespec now = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// The fastest run of some milliseconds: the first runs find caches cold. By the wall
/// clock; of one thread, by its own.
double seconds(const std::function<void()>& run) {
  constexpr double settle_s = 0.015;
  double (*const now)() =
      omp_get_max_threads() == 1 ? thread_seconds : [] { return omp_get_wtime(); };
  double fastest = std::numeric_limits<double>::infinity(), all = 0;
  for (int r = 0; r < 2 || all < settle_s; ++r) {
    const double before = now();
    run();
    const double s = now() - before;
    fastest = std::min(fastest, s);
    all += s;
  }
  return fastest;
}

/// The rate of one thread, and how many times that all of them reach.
struct Rate {
  double of_one, times;
};
/// rate_with(count): that of so many threads. OpenBLAS's own threads spin on the cores
/// for 0.1 s and more after the program's start (0.3.21): where all threads seem to carry
/// little further than one, they are asked again until that may be over.
Rate compare(int threads, const std::function<double(int)>& rate_with) {
  const auto with = [&](int count) {
    const OpenMpThreads scope(count);
    return rate_with(count);
  };
  constexpr double patience_s = 0.25, satisfying = 0.6;
  const double one = with(1);
  double all = one, waited_s = 0;
  while (threads > 1 && all < satisfying * threads * one && waited_s < patience_s) {
    const Stopwatch watch(waited_s);
    all = std::max(all, with(threads));
  }
  return {one, std::clamp(all / one, 1.0, static_cast<double>(threads))};
}

/// Entries a second of one thread: the matrix is too small for more.
double fill_rate(const Discretization& discretization) {
  NearPairTable near(discretization.elements(), {k_rad_per_m, k_rad_per_m, 1},
                     GreensKernel::exact, Medium::free_space());
  near.set_wavenumber(k_rad_per_m);
  const FillInput input = {discretization.elements(),
                           discretization.basis().functions(),
                           k_rad_per_m,
                           GreensKernel::exact,
                           Medium::free_space(),
                           &near};
  ImpedanceMatrix z(discretization.unknowns());
  // Diagonal tiles are filled whole.
  const auto n = static_cast<double>(discretization.unknowns());
  const double entries = 0.5 * n * (n + static_cast<double>(PackedTiles::tile));
  const OpenMpThreads scope(1);
  return entries / seconds([&] { fill_impedance(input, z.tiles()); });
}

Rate product_rate(int threads) {
  ImpedanceMatrix z(large);
  const std::span<Complex> tiles = z.tiles();
  std::fill(tiles.begin(), tiles.end(), Complex(1e-3, 1e-3));
  const std::vector<Complex> x(large, 1.0);
  std::vector<Complex> y(large);
  return compare(threads, [&](int) {
    return static_cast<double>(ImpedanceMatrix::bytes(large)) /
           seconds([&] { z.apply(x, y); });
  });
}

/// Seconds of factoring `small` unknowns.
double factor_seconds() {
  std::vector<Complex> z(small * small);
  for (std::size_t j = 0; j < small; ++j)
    for (std::size_t i = 0; i < small; ++i) {
      const double apart = std::abs(static_cast<double>(i) - static_cast<double>(j));
      z[i + j * small] = std::polar(1 / (0.1 + apart), apart);
    }
  const OpenMpThreads scope(1);
  return seconds([&] { DirectSolver(small, std::vector<Complex>(z)); });
}

/// Terms a second, pieces of wire times directions.
Rate field_rate(const Discretization& discretization, int threads) {
  const std::size_t elements = discretization.elements().size();
  const std::vector<Complex> current(2 * elements, 1.0);
  const CurrentMoments moments =
      current_moments(discretization.elements(), current, k_rad_per_m,
                      GreensKernel::exact, Medium::free_space());
  return compare(threads, [&](int count) {
    std::vector<Direction> where(directions * std::min(count, max_threads));
    for (std::size_t i = 0; i < where.size(); ++i)
      where[i] = {0.5 * pi, 2 * pi * static_cast<double>(i) / directions};
    std::vector<Complex> e_theta(where.size()), e_phi(where.size());
    return static_cast<double>(moments.size() * where.size()) /
           seconds([&] { far_field(moments, where, k_rad_per_m, e_theta, e_phi); });
  });
}

}  // namespace

CpuRates measured_cpu_rates(int threads) {
  const Structure structure = array_of_dipoles();
  MeshOptions mesh;
  mesh.graded = false;
  const Discretization discretization(structure, mesh);
  const Rate field = field_rate(discretization, threads), product = product_rate(threads);
  CpuRates rates;
  rates.fill_entries_per_s = fill_rate(discretization);
  rates.product_bytes_per_s = product.of_one;
  rates.factor_flops_per_s *= factor_seconds_on_cpu(small, {}, 1) / factor_seconds();
  rates.field_terms_per_s = field.of_one;
  rates.computing_threads = field.times;
  rates.reading_threads = product.times;
  return rates;
}

}  // namespace thinwire
