#include "mom/operators/fft_plan.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include <fmt/format.h>

#include "kernels/base/bytes_text.h"
#include "kernels/base/constants.h"
#include "kernels/base/disjoint_sets.h"
#include "kernels/base/error.h"
#include "kernels/base/parallel.h"
#include "kernels/base/point_index.h"
#include "kernels/element/pair_shape.h"
#include "kernels/element/quadrature_order.h"
#include "kernels/grid/grid_points.h"
#include "kernels/grid/grid_reflection.h"
#include "kernels/grid/grid_transfer.h"

namespace thinwire {
namespace {

/// Below this no class is sure, and the fill's own far rules are good to 1e-7.
constexpr double finest_tolerance = 1e-9;
/// The longest spacing, wavelengths.
constexpr double longest_spacing = 0.2;

/// Products over which the fill is spread.
constexpr double products_of_a_fill = 100;

// Work of a product, in the bytes that a thread moves in its time: of a transform, for
// each node and log2 of their number; of a stored entry; of a node of a stencil and
// channel, both ways; of a wave vector's sum over two layers.
constexpr double transform_bytes = 4.8, near_entry_bytes = 10.8, stencil_bytes = 17.4,
                 layer_bytes = 6;
// Work of a fill, in entries of a dense fill: of a near pair of elements, for each of the
// class's points; of one that near_pair.h integrates; of a sample of a ground's kernels,
// at a node or between two points.
constexpr double grid_pair_fills = 8.4, shape_fills = 210, sample_fills = 1.7;

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
  return values[values.size() / 2];
}

double largest_radius(std::span<const Element> elements) {
  double radius = 0;
  for (const Element& e : elements) radius = std::max(radius, e.radius_m);
  return radius;
}

/// The shortest spacing at which the second order of the tubes serves beyond r_c: it
/// leaves 2.3 (a / r_c)^4 (far_kernel.h).
double shortest_spacing(std::span<const Element> elements, const GridClass& c) {
  const double radii = std::pow(2.3 / std::max(1e-7, c.tolerance), 0.25);
  return radii / c.near_cells * largest_radius(elements);
}

constexpr std::size_t max_samples = 96;

/// Numbers below `count`, spread evenly from the first on.
std::size_t scattered(std::size_t i, std::size_t count) {
  constexpr double golden = 0.6180339887498949;
  const double place = static_cast<double>(i) * golden;
  return static_cast<std::size_t>((place - std::floor(place)) *
                                  static_cast<double>(count));
}

/// Elements q with centres within reach_of(p, q) of an element p's, on the mean over a
/// sample of p; the reach grows with lengths and radii. take(p, q) is called for each,
/// from several threads. of_q: so many of the elements, spread evenly whatever order they
/// have, stand for all.
template <class Reach, class Take>
double mean_neighbours(std::span<const Element> elements, const Reach& reach_of,
                       const Take& take, std::size_t of_q) {
  const std::size_t samples = std::min(elements.size(), max_samples);
  std::vector<Element> sample;
  for (std::size_t i = 0; i < samples; ++i)
    sample.push_back(elements[i * elements.size() / samples]);
  // Every element looks for the samples that are near along the longest of the axes: few
  // are.
  Vec3 low = centre_of(sample.front()), high = low;
  Element largest;
  for (const Element& p : sample) {
    const Vec3 at = centre_of(p);
    low = {std::min(low.x, at.x), std::min(low.y, at.y), std::min(low.z, at.z)};
    high = {std::max(high.x, at.x), std::max(high.y, at.y), std::max(high.z, at.z)};
    largest.length_m = std::max(largest.length_m, p.length_m);
    largest.radius_m = std::max(largest.radius_m, p.radius_m);
  }
  const Vec3 extent = high - low;
  const double Vec3::*axis = extent.x >= std::max(extent.y, extent.z) ? &Vec3::x
                             : extent.y >= extent.z                   ? &Vec3::y
                                                                      : &Vec3::z;
  const auto place = [axis](const Element& e) { return centre_of(e).*axis; };
  std::sort(sample.begin(), sample.end(),
            [&](const Element& a, const Element& b) { return place(a) < place(b); });
  std::uint64_t pairs = 0;
#pragma omp parallel for schedule(static) reduction(+ : pairs)
  for (std::size_t i = 0; i < of_q; ++i) {
    const Element& q =
        elements[of_q == elements.size() ? i : scattered(i, elements.size())];
    const double at = place(q), most = reach_of(largest, q);
    auto p = std::partition_point(sample.begin(), sample.end(),
                                  [&](const Element& e) { return place(e) < at - most; });
    for (; p != sample.end() && place(*p) <= at + most; ++p) {
      const double reach = reach_of(*p, q);
      const Vec3 d = centre_of(*p) - centre_of(q);
      if (dot(d, d) >= reach * reach) continue;
      ++pairs;
      take(*p, q);
    }
  }
  return static_cast<double>(pairs) * static_cast<double>(elements.size()) /
         (static_cast<double>(of_q) * static_cast<double>(samples));
}

/// Estimates the same number from a sample of q with enough pairs: where many elements
/// are near, all pairs would be millions.
template <class Reach>
double mean_neighbours(std::span<const Element> elements, const Reach& reach_of) {
  constexpr double enough = 1e4;
  const auto of = [&](std::size_t of_q) {
    return mean_neighbours(
        elements, reach_of, [](const Element&, const Element&) {}, of_q);
  };
  for (const std::size_t part : {256, 16})
    if (const std::size_t of_q = elements.size() / part; of_q > 0)
      if (const double neighbours = of(of_q);
          neighbours * max_samples >= enough * static_cast<double>(part))
        return neighbours;
  return of(elements.size());
}

/// Heights between the lowest and the highest wire.
struct Heights {
  double low_m, high_m;

  explicit Heights(std::span<const Element> elements)
      : low_m(elements.front().start_m.z), high_m(low_m) {
    for (const Element& e : elements)
      for (const double z : {e.start_m.z, e.start_m.z + e.length_m * e.tangent.z}) {
        low_m = std::min(low_m, z);
        high_m = std::max(high_m, z);
      }
  }
};

/// Whether a grid of this spacing carries the wave that runs along the surface in the
/// ground, e^{-j k2 rho} at the surface, or nothing of it is left beyond the near radius.
bool carries_ground_wave(const FftPlanInput& input, const GridClass& c, double spacing) {
  const double k = input.k_rad_per_m, low = std::max(0.0, Heights(input.elements).low_m),
               near =
                   reflection_near_m(c, spacing, k, low, largest_radius(input.elements));
  const Complex k2 = k * std::sqrt(input.ground_eps),
                steep = k * std::sqrt(input.ground_eps - 1.0);
  // Its share of what an image gives, at most.
  constexpr double share = 0.03;
  const double zeta = 2 * low,
               left = share * std::exp(k2.imag() * near - steep.real() * zeta);
  // The class's largest wave number, with some room for how it dies away.
  return k2.real() * spacing * c.near_cells <= 0.75 * c.beta || left <= c.tolerance;
}

/// Pairs of elements for which near_pair.h integrates, and of how many shapes they are.
struct NearIntegrals {
  double pairs = 0, shapes = 0;
};

NearIntegrals near_integrals(const FftPlanInput& input, const GridClass& c) {
  const auto reach = [&](const Element& p, const Element& q) {
    return near_reach(std::max(p.length_m, q.length_m), std::max(p.radius_m, q.radius_m),
                      PairLimit(input.k_rad_per_m, c.pair_radii));
  };
  const double elements = static_cast<double>(input.elements.size()),
               neighbours = mean_neighbours(input.elements, reach);
  // Thick wires are near to all others: shapes of some of their pairs.
  constexpr double max_hashes = 2e5;
  const auto every = static_cast<std::size_t>(1 + max_samples * neighbours / max_hashes);
  std::vector<std::uint64_t> hashes;
  const auto hash_pair = [&](const Element& p, const Element& q) {
    const std::uint64_t hash = shaped_pair(p, q).shape.hash();
#pragma omp critical(near_integrals)
    hashes.push_back(hash);
  };
  (void)mean_neighbours(input.elements, reach, hash_pair,
                        std::max<std::size_t>(1, input.elements.size() / every));
  std::sort(hashes.begin(), hashes.end());
  // The share of pairs that are of no shape met so far is that of the shapes that were
  // met once (Good 1953).
  std::size_t once = 0;
  for (std::size_t i = 0; i < hashes.size(); ++i)
    once += (i == 0 || hashes[i] != hashes[i - 1]) &&
            (i + 1 == hashes.size() || hashes[i] != hashes[i + 1]);
  NearIntegrals integrals;
  integrals.pairs = 0.5 * input.medium.sources() * elements * neighbours;
  integrals.shapes = integrals.pairs * static_cast<double>(once) /
                     std::max(1.0, static_cast<double>(hashes.size()));
  return integrals;
}

/// The few elements that lie far from most others, if the grid would be large only
/// because of them.
struct Outliers {
  std::vector<Element> others;
  Element farthest;
};

Outliers outliers(std::span<const Element> elements) {
  std::vector<double> x, y, z;
  for (const Element& e : elements) {
    const Vec3 c = centre_of(e);
    x.push_back(c.x), y.push_back(c.y), z.push_back(c.z);
  }
  const Vec3 middle{median(x), median(y), median(z)};
  std::vector<double> distance;
  for (const Element& e : elements) distance.push_back(norm(centre_of(e) - middle));
  // No part of a plate, a sphere or a straight wire is farther than 2.5 times the median.
  constexpr double far = 5;
  const double usual = median(distance);
  Outliers result;
  double farthest = -1;
  for (std::size_t i = 0; i < elements.size(); ++i) {
    if (distance[i] <= far * usual) result.others.push_back(elements[i]);
    if (distance[i] > farthest) {
      farthest = distance[i];
      result.farthest = elements[i];
    }
  }
  return result;
}

/// The grid carries tubes to second order in their radii a, which leaves about (k a)^4 /
/// 64 of what two far ones give each other: measured 2.4e-4 of a current at a = 0.05
/// wavelengths. Refuses wires for which that is not small and far beyond the tolerance.
void check_radii(const FftPlanInput& input) {
  constexpr double beyond = 4, small = 1e-6;
  double thickest = 0;
  for (const Element& e : input.elements) thickest = std::max(thickest, e.radius_m);
  const double left = std::pow(input.k_rad_per_m * thickest, 4) / 64;
  if (left > beyond * std::max(input.tolerance, small))
    throw Error(
        ErrorKind::usage,
        fmt::format("operator fft: wires of radius {:.3g} m, {:.2g} wavelengths, are too "
                    "thick for its grid at --operator-tolerance {:g} (an error of about "
                    "{:.1g}). Use --operator dense, or a tolerance of {:.0e}.",
                    thickest, input.k_rad_per_m * thickest / (2 * pi), input.tolerance,
                    left, left));
}

}  // namespace

Complex ground_eps_of(const FillInput& fill) {
  return fill.ground ? fill.ground->eps : fill.surface ? fill.surface->eps : 0;
}

std::string FftPlan::text() const {
  return fmt::format(
      "{} x {} x {} grid, spacing {:.3g} m, near radius {:.3g} m, {:.0f} near entries a "
      "row",
      grid.size[0], grid.size[1], grid.size[2], spacing_m, near_radius_m,
      near_entries_per_row);
}

bool resonant_array(std::span<const Element> elements,
                    std::span<const BasisFunction> basis, double k) {
  DisjointSets connected(elements.size());
  for_each_cheap(basis.size(), [&](std::size_t m) {
    const BasisFunction& f = basis[m];
    if (f.sign[1] != 0) connected.unite(f.element[0], f.element[1]);
  });
  struct Antenna {
    double length_m = 0;
    Vec3 moment;
    std::size_t elements = 0;
  };
  std::vector<Antenna> of_root(elements.size());
  for (std::size_t e = 0; e < elements.size(); ++e) {
    Antenna& antenna = of_root[connected.root(e)];
    ++antenna.elements;
    antenna.length_m += elements[e].length_m;
    antenna.moment = antenna.moment + elements[e].length_m * centre_of(elements[e]);
  }
  const double wavelength = 2 * pi / k;
  std::vector<Vec3> centre;
  std::size_t antennas = 0, in_these = 0;
  for (const Antenna& antenna : of_root) {
    antennas += antenna.elements > 0;
    if (antenna.length_m > 0.4 * wavelength && antenna.length_m < 0.6 * wavelength) {
      centre.push_back((1 / antenna.length_m) * antenna.moment);
      in_these += antenna.elements;
    }
  }
  if (centre.size() < 2 || 2 * centre.size() < antennas) return false;
  const PointIndex index(centre);
  const Vec3 half = 0.6 * wavelength * Vec3{1, 1, 1};
  std::size_t coupled = 0;
  for (const Vec3& c : centre) {
    int near = 0;
    index.visit(c - half, c + half, [&](std::size_t) { return ++near < 2; });
    coupled += near > 1;  // not itself alone
  }
  constexpr std::size_t few = 16;
  return 2 * coupled > centre.size() &&
         (coupled >= few || 2 * in_these >= elements.size());
}

namespace {

double bytes_to_transform(double nodes) {
  return transform_bytes * nodes * std::log2(nodes);
}

/// Adds what a real ground takes: layers, their spectra, and the near field of images.
void add_reflection(const FftPlanInput& input, double points, FftPlan& plan) {
  const auto elements = static_cast<double>(input.elements.size()),
             unknowns = static_cast<double>(input.basis.size());
  const Heights heights(input.elements);
  const double near =
      reflection_near_m(plan.grid_class, plan.spacing_m, input.k_rad_per_m,
                        std::max(0.0, heights.low_m), largest_radius(input.elements));
  // From an image: what lies side by side counts that is nearer by the heights.
  const double neighbours = std::min(
      elements, mean_neighbours(input.elements, [&](const Element& p, const Element& q) {
        const double reach =
            near + 0.7 * (p.length_m + q.length_m) + p.radius_m + q.radius_m;
        return std::sqrt(
            std::max(0.0, reach * reach - 4 * centre_of(p).z * centre_of(q).z));
      }));
  const double layers = plan.grid.is_across(2)
                            ? 1
                            : static_cast<double>(ReflectionLayers::count_for(
                                  heights.low_m, heights.high_m,
                                  2 * pi / input.k_rad_per_m, plan.spacing_m)),
               plane = static_cast<double>(plan.grid.size[0] * plan.grid.size[1]),
               channels = static_cast<double>(plan.channels),
               kernels = channels * (channels + 1) / 2, arrays = channels * layers,
               stored = 0.5 * neighbours * unknowns * unknowns / elements,
               pairs = 0.5 * neighbours * elements;
  // X and R; the layers; spectra, and while they are made a plane of each.
  plan.bytes += 2 * 12 * stored + 16 * arrays * plane +
                16 * kernels * plane * (0.25 * (2 * layers - 1) + 1) + 37 * pairs;
  // Two sets of layers, cuFFT's workspace.
  plan.reflection_bytes = 2 * 12 * stored + 16 * 3 * arrays * plane +
                          16 * kernels * plane * 0.25 * (2 * layers - 1);
  plan.work.product_bytes += 2 * arrays * bytes_to_transform(plane) +
                             2 * near_entry_bytes * stored +
                             layer_bytes * kernels * layers * layers * plane;
  const double on_each = points / elements;
  plan.work.fill_entries += sample_fills * plane / 4 * (2 * layers - 1);
  plan.work.image_entries = sample_fills * pairs * (on_each * on_each + 10);
}

FftPlan plan_with(const FftPlanInput& input, const StructureExtents& structure,
                  const NearIntegrals& integrals, const GridClass& c, double spacing) {
  FftPlan plan;
  plan.grid_class = c;
  plan.spacing_m = spacing;
  plan.grid = UniformGrid::around(structure, spacing, c);
  plan.near_radius_m = c.near_cells * spacing;
  plan.channels = grid_channels(input.elements).size();
  const double elements = static_cast<double>(input.elements.size()),
               unknowns = static_cast<double>(input.basis.size()),
               channels = static_cast<double>(plan.channels),
               sources = input.medium.sources();
  const double neighbours = std::min(
      elements, mean_neighbours(input.elements, [&](const Element& p, const Element& q) {
        // Functions reach beyond their elements' centres, too.
        return plan.near_radius_m + 0.7 * (p.length_m + q.length_m) + p.radius_m +
               q.radius_m;
      }));
  plan.near_entries_per_row = std::min(unknowns, neighbours * unknowns / elements);
  std::uint64_t point_count = 0;
#pragma omp parallel for schedule(static) reduction(+ : point_count)
  for (std::size_t e = 0; e < input.elements.size(); ++e) {
    const PieceRule rule =
        grid_piece_rule(input.elements[e].length_m, input.k_rad_per_m, spacing, c);
    point_count += static_cast<std::uint64_t>(rule.pieces) * rule.points;
  }
  const auto points = static_cast<double>(point_count);
  const double stored = 0.5 * plan.near_entries_per_row * unknowns,
               pairs = 0.5 * neighbours * elements * sources,
               off_pairs = static_cast<double>(plan.grid.off_plane.size()) * elements,
               box = static_cast<double>(plan.grid.box_nodes()),
               data = static_cast<double>(plan.grid.data_nodes());
  // Kept: X, the grid's arrays, spectra, points. Beside them while X is made: the pairs
  // three times over, the elements' sides, X in parts, the near pairs of the fill.
  const double kept = 12 * stored + 16 * (box + channels * data) +
                      16 * box * (0.125 + 0.25 * (sources - 1)) + 90 * points +
                      sizeof(ElementMatrix) * off_pairs,
               passing = 12 * pairs + 800 * elements + 12 * stored + 9 * integrals.pairs +
                         sizeof(ElementMatrix) * integrals.shapes;
  plan.bytes = kept + passing;
  const double stencil_nodes = std::pow(c.width, plan.grid.order.flat ? 2 : 3);
  plan.work.product_bytes = 2 * channels * bytes_to_transform(box) +
                            near_entry_bytes * stored +
                            stencil_bytes * points * stencil_nodes * channels +
                            sizeof(ElementMatrix) * off_pairs;
  plan.work.fill_bytes = 2 * sources * bytes_to_transform(box);
  plan.work.fill_entries =
      grid_pair_fills * c.points * (pairs + off_pairs) + shape_fills * integrals.shapes;
  if (input.ground_eps != 0.0) add_reflection(input, points, plan);
  plan.elements = input.elements.size();
  plan.k_rad_per_m = input.k_rad_per_m;
  plan.medium = input.medium;
  plan.ground_eps = input.ground_eps;
  plan.rates = input.rates;
  return plan;
}

[[noreturn]] void throw_too_large(const FftPlanInput& input,
                                  const StructureExtents& structure,
                                  const NearIntegrals& integrals, const FftPlan& plan) {
  const Outliers far = outliers(input.elements);
  const auto cells = [](const UniformGrid& grid) {
    return static_cast<double>(grid.box_nodes());
  };
  const std::string need =
      fmt::format("operator fft: needs {}, {} are free ({})", bytes_text(plan.bytes),
                  bytes_text(input.free_bytes), plan.text());
  if (!far.others.empty() && far.others.size() < input.elements.size()) {
    const double without = cells(UniformGrid::around(StructureExtents(far.others),
                                                     plan.spacing_m, plan.grid_class));
    if (without < 0.5 * cells(plan.grid)) {
      const Vec3 at = centre_of(far.farthest);
      throw Error(
          ErrorKind::memory,
          fmt::format("{}: the wire at ({:.4g}, {:.4g}, {:.4g}) m is far from the "
                      "others and costs {:.2g} of the grid's {:.2g} cells. Move "
                      "or remove it, or use --operator dense.",
                      need, at.x, at.y, at.z, cells(plan.grid) - without,
                      cells(plan.grid)));
    }
  }
  // Tries the classes from this one to the coarsest, at any spacing.
  for (const GridClass* c = grid_classes + 2; c >= grid_classes; --c) {
    if (c->tolerance < plan.grid_class.tolerance) continue;
    for (double h = 0.25 * plan.spacing_m; h < 16 * plan.spacing_m; h *= std::sqrt(2.0)) {
      if (h * input.k_rad_per_m > 2 * pi * longest_spacing) break;
      if (const FftPlan other = plan_with(input, structure, integrals, *c, h);
          other.bytes <= input.free_bytes)
        throw Error(
            ErrorKind::memory,
            fmt::format("{}. Spacing {:.3g} m and --operator-tolerance {:g} would "
                        "fit, in {}.",
                        need, h, c->tolerance, bytes_text(other.bytes)));
    }
  }
  throw Error(ErrorKind::memory, need + ". Use fewer segments or a machine with more.");
}

}  // namespace

FftPlan plan_fft(const FftPlanInput& input, const GridClass& c, double spacing) {
  return plan_with(input, StructureExtents(input.elements), near_integrals(input, c), c,
                   spacing);
}

FftPlan plan_fft(const FftPlanInput& input) {
  if (!(input.tolerance >= finest_tolerance))
    throw Error(ErrorKind::usage,
                fmt::format("operator fft: --operator-tolerance is {:g} (at least {:g}). "
                            "Use --operator dense.",
                            input.tolerance, finest_tolerance));
  check_radii(input);
  const GridClass* c = &grid_class_for(input.tolerance);
  if (c < grid_classes + 2 &&
      resonant_array(input.elements, input.basis, input.k_rad_per_m))
    ++c;
  std::vector<double> lengths;
  for (const Element& e : input.elements) lengths.push_back(e.length_m);
  double longest = longest_spacing * 2 * pi / input.k_rad_per_m;
  if (input.ground_eps != 0.0)
    while (!carries_ground_wave(input, *c, longest)) longest *= 0.9;
  const double usual = median(lengths),
               shortest = std::min(longest, shortest_spacing(input.elements, *c));
  const auto seconds = [&](const FftPlan& plan) {
    return products_of_a_fill * input.rates.seconds_of_product(plan.work) +
           input.rates.seconds_of_fill(plan.work);
  };
  const NearIntegrals integrals = near_integrals(input, *c);
  // Finer grids cost less than the near field that they spare where they are planes.
  const StructureExtents structure(input.elements);
  const double finest = structure.order.flat ? 0.35 : 0.7;
  FftPlan best, smallest;
  for (double h = std::clamp(finest * usual, shortest, longest);; h *= std::sqrt(2.0)) {
    const FftPlan plan = plan_with(input, structure, integrals, *c, std::min(h, longest));
    if (smallest.bytes == 0 || plan.bytes < smallest.bytes) smallest = plan;
    if (plan.bytes <= input.free_bytes &&
        (best.bytes == 0 || seconds(plan) < seconds(best)))
      best = plan;
    if (h >= longest) break;
  }
  if (best.bytes == 0) throw_too_large(input, structure, integrals, smallest);
  return best;
}

}  // namespace thinwire
