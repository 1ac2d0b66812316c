// Whole solves of arrays of half-wave dipoles on a GPU, through thinwire::solve:
//   gpu_solve fill|shares|ground|askew|pattern|nearfield|sweep NX NY ...
//   gpu_solve reflector CELLS CELL_MM ...
//   gpu_solve table|radials
//   gpu_solve [--cpu] NX NY [double|mixed|single [SOLVER [PLACEMENT]]] ...
// Dipoles along z of 21 segments, radius 0.001 wavelengths, half a wavelength apart in x
// and y, one in the middle fed, mesh as given, tolerance 1e-6. A small solve comes first,
// so that the start of CUDA is not counted; then each array is solved three times.
// ground: their fill over average soil; askew: that of as many dipoles in all directions;
// table: tables of five grounds, all distances up to 10 wavelengths. radials: a vertical
// of 50 segments for 7.1 MHz on 120 radials of 21, 5 cm deep in average soil.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "kernels/base/constants.h"
#include "kernels/fields/far_field.h"
#include "kernels/fields/near_field.h"
#include "kernels/fill/fill.h"
#include "kernels/ground/box_fitter.h"
#include "mom/discretization/discretization.h"
#include "mom/media/real_ground.h"
#include "mom/solve.h"

namespace thinwire {
namespace {

Problem dipole_array(int nx, int ny, double lowest = -0.25) {
  Problem problem;
  for (int i = 0; i < nx; ++i)
    for (int j = 0; j < ny; ++j)
      problem.structure.add_wire(1 + i * ny + j, 21, {0.5 * i, 0.5 * j, lowest},
                                 {0.5 * i, 0.5 * j, lowest + 0.5}, 0.001);
  Run run;
  run.frequency_hz = {speed_of_light_m_per_s};
  Source source;
  source.segment = static_cast<std::size_t>((nx / 2) * ny + ny / 2) * 21 + 10;
  run.sources.push_back(source);
  problem.runs.push_back(run);
  return problem;
}

void report(const char* name, const Solution& solution) {
  const FrequencyResult& f = solution.frequencies.front();
  const Timings& t = solution.timings_s;
  std::printf(
      "%-8s %7zu %-6s %-9s %3d it %.1e  Z %.7f%+.7fj  mesh %.3f fill %.4f "
      "factor %.4f solve %.4f post %.4f total %.4f\n",
      name, solution.unknowns, f.solver.name.c_str(), f.solver.preconditioner.c_str(),
      f.solver.iterations, f.solver.relative_residual, f.ports[0].impedance_ohm.real(),
      f.ports[0].impedance_ohm.imag(), t.mesh, t.fill, t.factor, t.solve, t.post,
      t.total);
  std::fflush(stdout);
}

double now() {
  return std::chrono::duration<double>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

void bench_fill(int nx, int ny, Storage storage) {
  const Problem problem = dipole_array(nx, ny);
  MeshOptions as_given;
  as_given.graded = false;
  const Discretization where(problem.structure, as_given);
  double start = now();
  DeviceFill fill(where.elements(), where.basis().functions(), GreensKernel::exact,
                  Medium::free_space(), 2 * pi);
  const double found = now() - start;
  const DeviceStream stream;
  DeviceTiles z(PackedTiles{where.unknowns()}, storage);
  std::vector<double> near, far;
  for (int r = 0; r < 7; ++r) {
    start = now();
    fill.set_wavenumber(2 * pi);
    near.push_back(now() - start);
    DeviceEvent begin, end;
    begin.record(stream);
    fill.fill(z, Medium::free_space(), stream);
    end.record(stream);
    far.push_back(end.seconds_since(begin));
  }
  std::sort(near.begin(), near.end());
  std::sort(far.begin(), far.end());
  const auto n = static_cast<double>(where.unknowns());
  std::printf(
      "fill %s N %zu: %zu near pairs found in %.4f s, integrated in %.4f s; fill "
      "%.4f s (%.4f .. %.4f), %.2e entries/s\n",
      storage == Storage::complex_double ? "double" : "single", where.unknowns(),
      fill.near_pairs(), found, near[3], far[3], far.front(), far.back(),
      0.5 * n * n / far[3]);
  std::fflush(stdout);
}

/// Memory, near pairs and fill of the share that each of 1, 2 and 4 GPUs has: the longest
/// is what they take side by side where they do not disturb each other.
void bench_shares(int nx, int ny) {
  const Problem problem = dipole_array(nx, ny);
  MeshOptions as_given;
  as_given.graded = false;
  const Discretization where(problem.structure, as_given);
  const PackedTiles layout{where.unknowns()};
  std::printf("N %zu: %8s %8s %8s %8s %8s %8s %8s\n", where.unknowns(), "GPUs", "owner",
              "find, s", "memory", "near", "fill", "sum");
  double alone = 0;
  for (const std::size_t gpus : {1, 2, 4}) {
    const std::vector<TileShare> shares =
        TileShare::rows_by(layout, std::vector<double>(gpus, 1.0));
    double longest = 0;
    for (std::size_t owner = 0; owner < gpus; ++owner) {
      std::vector<double> steps(5, 1e9);
      for (int repeat = 0; repeat < 5; ++repeat) {
        std::vector<double> at = {now()};
        DeviceFill fill(where.elements(), where.basis().functions(), GreensKernel::exact,
                        Medium::free_space(), 2 * pi, {}, shares[owner]);
        at.push_back(now());
        const DeviceStream stream;
        DeviceTiles z(layout, Storage::complex_double, shares[owner]);
        at.push_back(now());
        fill.set_wavenumber(2 * pi);
        at.push_back(now());
        fill.fill(z, Medium::free_space(), stream);
        stream.synchronize();
        at.push_back(now());
        const double sum = at.back() - at.front();
        if (sum > steps.back()) continue;
        for (std::size_t i = 0; i + 1 < at.size(); ++i) steps[i] = at[i + 1] - at[i];
        steps.back() = sum;
      }
      std::printf("%17zu %8zu", gpus, owner);
      for (const double step : steps) std::printf(" %8.4f", step);
      longest = std::max(longest, steps.back());
      if (gpus == 1) alone = longest;
      if (owner + 1 == gpus) std::printf("  %.2f times", alone / longest);
      std::printf("\n");
    }
  }
}

/// As many dipoles as of dipole_array, each turned into a direction of its own (Halton's
/// points), none lower than `lowest`.
Problem askew_dipoles(int nx, int ny, double lowest) {
  const auto halton = [](int base, int n) {
    double place = 0, digit = 1;
    for (; n > 0; n /= base) place += (digit /= base) * (n % base);
    return place;
  };
  Problem problem;
  for (int n = 0; n < nx * ny; ++n) {
    const double z = 2 * halton(2, n + 1) - 1, angle = 2 * pi * halton(3, n + 1);
    const Vec3 half = 0.25 * Vec3{std::sqrt(1 - z * z) * std::cos(angle),
                                  std::sqrt(1 - z * z) * std::sin(angle), z};
    const Vec3 middle = {0.5 * (n / ny), 0.5 * (n % ny), lowest + std::fabs(half.z)};
    problem.structure.add_wire(1 + n, 21, middle - half, middle + half, 0.001);
  }
  return problem;
}

void bench_table() {
  const ReflectionPlaces places = ReflectionPlaces::all(2e-6 * pi, 20 * pi);
  for (const Complex eps : {Complex{13, -3}, Complex{13, -0.3}, Complex{3, -0.06},
                            Complex{80, -0.06}, Complex{81, -300}}) {
    double bytes = 0;
    const auto least = [&](MakeBoxFitter make_fitter) {
      double seconds = 1e300;
      for (int r = 0; r < 5; ++r) {
        const double start = now();
        const GroundTable table(eps, places, GroundSide::above,
                                {default_table_error, make_fitter});
        seconds = std::min(seconds, now() - start);
        bytes = static_cast<double>(table.bytes());
      }
      return seconds;
    };
    const double cpu = least(cpu_box_fitter), gpu = least(device_box_fitter);
    std::printf("table eps %g%+gj: %.1f MB, CPU %.2f ms, GPU %.2f ms\n", eps.real(),
                eps.imag(), 1e-6 * bytes, 1e3 * cpu, 1e3 * gpu);
    std::fflush(stdout);
  }
}

void bench_radials(const Options& options) {
  constexpr int radials = 120;
  constexpr double depth_m = 0.05, length_m = 10.4;
  Problem problem;
  for (int n = 0; n < radials; ++n) {
    const double angle = 2 * pi * n / radials;
    problem.structure.add_wire(
        1 + n, 21, {0, 0, -depth_m},
        {length_m * std::cos(angle), length_m * std::sin(angle), -depth_m}, 0.001);
  }
  problem.structure.add_wire(1 + radials, 50, {0, 0, -depth_m},
                             {0, 0, length_m - depth_m}, 0.005);
  Run run;
  run.frequency_hz = {7.1e6};
  run.ground = Ground::sommerfeld(13, 0.005);
  Source source;
  source.segment = radials * 21 + 1;
  run.sources.push_back(source);
  problem.runs.push_back(run);
  for (int r = 0; r < 3; ++r) report("radials", solve(problem, options));
}

/// Average soil at 300 MHz, lowest points 0.02, 0.1 and 1 wavelengths above it.
void bench_ground(int nx, int ny, bool askew) {
  for (const double height : {0.02, 0.1, 1.0}) {
    const Problem problem =
        askew ? askew_dipoles(nx, ny, height) : dipole_array(nx, ny, height);
    MeshOptions as_given;
    as_given.graded = false;
    const Discretization where(problem.structure, as_given);
    DeviceFill fill(where.elements(), where.basis().functions(), GreensKernel::exact,
                    Medium::free_space(), 2 * pi);
    fill.set_wavenumber(2 * pi);
    double start = now();
    const RealGround ground(where.elements(), Ground::sommerfeld(13, 0.005), 2 * pi,
                            GreensKernel::exact, {},
                            {default_table_error, device_box_fitter});
    const double made = now() - start;
    const DeviceStream stream;
    DeviceTiles z(PackedTiles{where.unknowns()}, Storage::complex_double);
    const auto median = [&](const auto& run) {
      std::vector<double> seconds;
      for (int r = 0; r < 5; ++r) {
        DeviceEvent begin, end;
        begin.record(stream);
        run();
        end.record(stream);
        seconds.push_back(end.seconds_since(begin));
      }
      std::sort(seconds.begin(), seconds.end());
      return seconds[2];
    };
    const double free = median([&] { fill.fill(z, Medium::free_space(), stream); });
    std::printf(
        "%s N %zu, %.2f m above: table %.1f MB and near pairs %.4f s; fill %.4f s",
        askew ? "askew" : "ground", where.unknowns(), height,
        1e-6 * static_cast<double>(ground.table().bytes()), made, free);
    for (const Storage storage : {Storage::complex_double, Storage::complex_single}) {
      start = now();
      fill.set_ground(ground.table(), ground.near(), storage);
      const double sent = now() - start,
                   over = median([&] { fill.fill_over_ground(z, stream); });
      std::printf(", %s %.4f s (sent %.4f s), %.2f times",
                  storage == Storage::complex_double ? "table in double" : "single", over,
                  sent, over / free);
    }
    std::printf("\n");
    std::fflush(stdout);
  }
}

void bench_pattern(int nx, int ny) {
  const Problem problem = dipole_array(nx, ny);
  MeshOptions as_given;
  as_given.graded = false;
  const Discretization where(problem.structure, as_given);
  const std::vector<Complex> current(2 * where.elements().size(), {1, 0.5});
  const CurrentMoments moments = current_moments(
      where.elements(), current, 2 * pi, GreensKernel::exact, Medium::free_space());
  std::vector<Direction> directions;
  for (int theta = 0; theta <= 180; ++theta)
    for (int phi = 0; phi < 360; ++phi)
      directions.push_back({theta * pi / 180, phi * pi / 180});
  std::vector<Complex> e_theta(directions.size()), e_phi(directions.size());
  std::vector<double> seconds;
  for (int r = 0; r < 7; ++r) {
    const double start = now();
    device_far_field(moments, directions, 2 * pi, e_theta, e_phi);
    seconds.push_back(now() - start);
  }
  std::sort(seconds.begin(), seconds.end());
  std::printf("pattern N %zu, %zu moments, %zu directions: %.4f s (%.4f .. %.4f)\n",
              where.unknowns(), moments.size(), directions.size(), seconds[3],
              seconds.front(), seconds.back());
  std::fflush(stdout);
}

/// Near pairs in a sweep of 41 frequencies over an octave: each dipole is crossed, five
/// radii off, by another one at an angle, whose pairs take longest.
void bench_sweep(int nx, int ny) {
  Problem problem = dipole_array(nx, ny);
  for (int i = 0; i < nx; ++i)
    for (int j = 0; j < ny; ++j)
      problem.structure.add_wire(1 + nx * ny + i * ny + j, 21,
                                 {0.5 * i + 0.005, 0.5 * j - 0.12, -0.16},
                                 {0.5 * i + 0.005, 0.5 * j + 0.12, 0.16}, 0.001);
  MeshOptions as_given;
  as_given.graded = false;
  const Discretization where(problem.structure, as_given);
  const WavenumberRange range = {pi, 2 * pi, 41};
  DeviceFill fill(where.elements(), where.basis().functions(), GreensKernel::exact,
                  Medium::free_space(), range.last);
  const auto seconds_at = [&](double k) {
    const double start = now();
    fill.set_wavenumber(k);
    return now() - start;
  };
  (void)seconds_at(range.last);
  const double integrated = seconds_at(1.5 * pi), start = now();
  const bool pays = fill.tabulate_near_pairs(range, std::size_t{1} << 32);
  const double tabulated = now() - start;
  (void)seconds_at(range.last);
  std::printf(
      "sweep N %zu: %zu near pairs integrated in %.4f s, at all nodes in %.4f s%s; "
      "interpolated in %.5f s\n",
      where.unknowns(), fill.near_pairs(), integrated, tabulated,
      pays ? "" : " (no table)", seconds_at(1.5 * pi));
  std::fflush(stdout);
}

/// Near pairs of a paraboloid of wires over a square lattice, few of which lie alike.
void bench_reflector(int cells, int cell_mm) {
  const double cell = 0.001 * cell_mm, half = 0.5 * cells * cell;
  Structure structure;
  const auto node = [&](int i, int j) {
    const double x = i * cell - half, y = j * cell - half;
    return Vec3{x, y, (x * x + y * y) / (3.2 * half)};
  };
  const auto inside = [&](Vec3 r) { return r.x * r.x + r.y * r.y <= half * half; };
  for (int i = 0; i <= cells; ++i)
    for (int j = 0; j <= cells; ++j)
      for (const Vec3 to : {node(i + 1, j), node(i, j + 1)})
        if (inside(node(i, j)) && inside(to))
          structure.add_wire(1, 1, node(i, j), to, cell / (2 * pi));
  MeshOptions as_given;
  as_given.graded = false;
  const Discretization where(structure, as_given);
  double start = now();
  DeviceFill fill(where.elements(), where.basis().functions(), GreensKernel::exact,
                  Medium::free_space(), 2 * pi);
  const double found = now() - start;
  start = now();
  fill.set_wavenumber(2 * pi);
  std::printf(
      "reflector %d: %zu elements, %zu near pairs found in %.3f s, integrated in "
      "%.3f s\n",
      cells, where.elements().size(), fill.near_pairs(), found, now() - start);
  std::fflush(stdout);
}

/// E and H at 100 x 100 points: in a plane through the middles of the dipoles, then in
/// one above them, where no element is close.
void bench_near_field(int nx, int ny) {
  const Problem problem = dipole_array(nx, ny);
  MeshOptions as_given;
  as_given.graded = false;
  const Discretization where(problem.structure, as_given);
  const std::vector<Complex> current(2 * where.elements().size(), {1, 0.5});
  const NearFieldSources sources = near_field_sources(
      where.elements(), current, 2 * pi, GreensKernel::exact, Medium::free_space());
  for (const double z : {0.013, 1.0}) {
    std::vector<Vec3> points;
    for (int i = 0; i < 100; ++i)
      for (int j = 0; j < 100; ++j) points.push_back({0.005 * i * nx, 0.005 * j * ny, z});
    std::vector<Complex> field(3 * points.size());
    for (const auto field_of : {device_electric_field, device_magnetic_field}) {
      std::vector<double> seconds;
      for (int r = 0; r < 7; ++r) {
        const double start = now();
        field_of(sources, points, 2 * pi, field, 0);
        seconds.push_back(now() - start);
      }
      std::sort(seconds.begin(), seconds.end());
      std::printf(
          "near field %s, N %zu, %zu elements, %zu points at z = %g m: %.4f s "
          "(%.4f .. %.4f), %.2e terms/s\n",
          field_of == device_electric_field ? "E" : "H", where.unknowns(),
          sources.elements.size(), points.size(), z, seconds[3], seconds.front(),
          seconds.back(),
          static_cast<double>(points.size() * sources.x.size()) / seconds[3]);
      std::fflush(stdout);
    }
  }
}

}  // namespace
}  // namespace thinwire

int main(int argc, char** argv) {
  using namespace thinwire;
  Options options;
  options.mesh = MeshChoice::as_given;
  options.device = device_named("device", "cuda");
  options.threads = 0;
  int at = 1, repeats = 3;
  if (argc > at && std::string(argv[at]) == "--cpu") {
    options.device = device_named("device", "cpu");
    repeats = 1;
    ++at;
  }
  try {
    (void)solve(dipole_array(3, 3), options);
    const std::string first = argc > at ? argv[at] : "";
    if (first == "table" || first == "radials") {
      if (first == "table")
        bench_table();
      else
        bench_radials(options);
      return 0;
    }
    for (const std::string what : {"fill", "shares", "ground", "askew", "pattern",
                                   "nearfield", "sweep", "reflector"}) {
      if (argc <= at || argv[at] != what) continue;
      for (++at; at + 1 < argc; at += 2) {
        const int nx = std::atoi(argv[at]), ny = std::atoi(argv[at + 1]);
        const bool single = at + 2 < argc && std::string(argv[at + 2]) == "single";
        if (what == "ground" || what == "askew")
          bench_ground(nx, ny, what == "askew");
        else if (what == "shares")
          bench_shares(nx, ny);
        else if (what == "pattern")
          bench_pattern(nx, ny);
        else if (what == "nearfield")
          bench_near_field(nx, ny);
        else if (what == "sweep")
          bench_sweep(nx, ny);
        else if (what == "reflector")
          bench_reflector(nx, ny);
        else
          bench_fill(nx, ny, single ? Storage::complex_single : Storage::complex_double);
        at += single;
      }
      return 0;
    }
    while (at + 1 < argc) {
      const int nx = std::atoi(argv[at]), ny = std::atoi(argv[at + 1]);
      at += 2;
      options.precision = PrecisionChoice::in_double;
      options.solver = SolverChoice::automatic;
      options.placement = PlacementChoice::resident;
      const auto is = [&](const char* word) {
        return at < argc && std::string(argv[at]) == word && ++at;
      };
      for (const char* precision : {"double", "mixed", "single"})
        if (is(precision))
          options.precision = choice_named<PrecisionChoice>("precision", precision);
      if (is("direct")) options.solver = SolverChoice::direct;
      if (is("cocg")) options.solver = SolverChoice::cocg;
      if (is("gmres")) options.solver = SolverChoice::gmres;
      if (is("cg")) options.solver = SolverChoice::cg;
      for (const char* placement : {"product", "resident", "graph"})
        if (is(placement))
          options.placement = choice_named<PlacementChoice>("placement", placement);
      const Problem problem = dipole_array(nx, ny);
      const std::string name = std::to_string(nx) + "x" + std::to_string(ny);
      for (int r = 0; r < repeats; ++r) report(name.c_str(), solve(problem, options));
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "gpu_solve: %s\n", error.what());
    return 1;
  }
}
