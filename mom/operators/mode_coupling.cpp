#include "mom/operators/mode_coupling.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "kernels/base/parallel.h"
#include "kernels/base/point_index.h"

namespace thinwire {
namespace {

/// Integral of the function along its wire, m.
Vec3 moment_of(const BasisFunction& f, std::span<const Element> elements, double k) {
  Vec3 moment;
  for (int t = 0; t < 2; ++t) {
    if (f.sign[t] == 0) continue;
    const Element& e = elements[f.element[t]];
    moment = moment + f.sign[t] * std::tan(k * e.length_m / 2) / k * e.tangent;
  }
  return moment;
}

/// The diagonal of the box around a block's elements.
double size_of_block(std::span<const std::uint32_t> set, const FillInput& exact) {
  Vec3 low = place_of(exact.basis[set[0]], exact.elements), high = low;
  const auto extend = [&](Vec3 at) {
    low = {std::min(low.x, at.x), std::min(low.y, at.y), std::min(low.z, at.z)};
    high = {std::max(high.x, at.x), std::max(high.y, at.y), std::max(high.z, at.z)};
  };
  for (const std::uint32_t m : set)
    for (int t = 0; t < 2; ++t) {
      if (exact.basis[m].sign[t] == 0) continue;
      const Element& e = exact.elements[exact.basis[m].element[t]];
      extend(e.start_m);
      extend(e.start_m + e.length_m * e.tangent);
    }
  return norm(high - low);
}

double group_length_m(const BlockModes& modes, const FillInput& exact) {
  double largest_m = 0;
  for (std::size_t b = 0; b < modes.blocks().blocks(); ++b)
    largest_m = std::max(largest_m, size_of_block(modes.blocks().set(b), exact));
  return std::min(2 * pi / exact.k_rad_per_m / 8, largest_m / 4);
}

/// A mode of a set as dipoles: functions that follow each other and are within a group's
/// length of the first.
void append_group(std::span<const std::uint32_t> set, std::span<const Complex> mode,
                  const FillInput& exact, double length_m, DipoleGroups& groups) {
  for (std::size_t i = 0; i < set.size();) {
    const Vec3 first = place_of(exact.basis[set[i]], exact.elements);
    PointDipole<double> dipole = {};
    Vec3 sum;
    double weights = 0;
    for (; i < set.size(); ++i) {
      const Vec3 at = place_of(exact.basis[set[i]], exact.elements);
      if (norm(at - first) > length_m) break;
      const Vec3 moment =
          moment_of(exact.basis[set[i]], exact.elements, exact.k_rad_per_m);
      const double weight = std::abs(mode[i]) * norm(moment);
      sum = sum + weight * at;
      weights += weight;
      const double along[3] = {moment.x, moment.y, moment.z};
      for (int c = 0; c < 3; ++c) {
        dipole.moment_re[c] += mode[i].real() * along[c];
        dipole.moment_im[c] += mode[i].imag() * along[c];
      }
    }
    const Vec3 at = weights > 0 ? (1 / weights) * sum : first;
    dipole.at_m[0] = at.x;
    dipole.at_m[1] = at.y;
    dipole.at_m[2] = at.z;
    groups.dipole.push_back(dipole);
  }
  groups.first.push_back(static_cast<std::uint32_t>(groups.dipole.size()));
}

using BlockPair = std::pair<std::uint32_t, std::uint32_t>;

/// Blocks a > b with dipoles within near_m of each other, each pair once.
std::vector<BlockPair> near_blocks(const BlockModes& modes, const DipoleGroups& groups,
                                   double near_m) {
  std::vector<Vec3> place;
  std::vector<std::uint32_t> block;
  for (std::size_t b = 0; b < modes.blocks().blocks(); ++b)
    for (std::uint32_t d = groups.first[modes.first_mode(b)];
         d < groups.first[modes.first_mode(b + 1)]; ++d) {
      const double* at = groups.dipole[d].at_m;
      place.push_back({at[0], at[1], at[2]});
      block.push_back(static_cast<std::uint32_t>(b));
    }
  const PointIndex index(place);
  std::vector<BlockPair> pairs;
  const Vec3 reach = {near_m, near_m, near_m};
  for (std::size_t d = 0; d < place.size(); ++d)
    index.visit(place[d] - reach, place[d] + reach, [&](std::size_t other) {
      if (block[other] < block[d] && norm(place[d] - place[other]) <= near_m)
        pairs.emplace_back(block[d], block[other]);
    });
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  return pairs;
}

/// Appends the coupling of two blocks' modes minus that of their dipoles.
void append_near(const BlockModes& modes, const DipoleGroups& groups,
                 const FillInput& exact, std::size_t a, std::size_t b,
                 std::span<const Complex> coupling, std::vector<MatrixUpdate>& near) {
  auto value = coupling.begin();
  for (std::size_t j = modes.first_mode(b); j < modes.first_mode(b + 1); ++j)
    for (std::size_t i = modes.first_mode(a); i < modes.first_mode(a + 1); ++i, ++value) {
      if (j > i) continue;
      const Complex far =
          i == j ? 0 : group_coupling(groups, i, j, exact.k_rad_per_m, exact.medium);
      near.push_back(
          {static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(j), *value - far});
    }
}

}  // namespace

ModeCoupling mode_coupling(const BlockModes& modes, const FillInput& exact,
                           const EntryReader& read) {
  const BlockPreconditioner& blocks = modes.blocks();
  const double length_m = group_length_m(modes, exact);
  ModeCoupling coupling;
  coupling.groups.min_distance_m = length_m / 2;
  for (std::size_t b = 0; b < blocks.blocks(); ++b)
    for (std::size_t c = modes.first_mode(b); c < modes.first_mode(b + 1); ++c)
      append_group(blocks.set(b),
                   modes.of(b).subspan((c - modes.first_mode(b)) * blocks.set(b).size(),
                                       blocks.set(b).size()),
                   exact, length_m, coupling.groups);

  for (std::size_t b = 0; b < blocks.blocks(); ++b)
    append_near(modes, coupling.groups, exact, b, b, modes.own(b), coupling.near);
  const std::vector<BlockPair> pairs = near_blocks(modes, coupling.groups, 2 * length_m);
  std::vector<std::vector<MatrixUpdate>> of_pair(pairs.size());
  for_each_parallel(pairs.size(), [&](std::size_t p) {
    const auto [a, b] = pairs[p];
    const auto &rows = blocks.set(a), &columns = blocks.set(b);
    std::vector<Complex> entries(rows.size() * columns.size());
    read(rows, columns, entries);
    append_near(modes, coupling.groups, exact, a, b, modes.between(a, b, entries),
                of_pair[p]);
  });
  for (const auto& updates : of_pair)
    coupling.near.insert(coupling.near.end(), updates.begin(), updates.end());
  return coupling;
}

std::vector<Complex> coarse_matrix(const ModeCoupling& coupling, const FillInput& exact) {
  const std::size_t n = coupling.groups.size();
  std::vector<Complex> coarse =
      group_couplings(coupling.groups, exact.k_rad_per_m, exact.medium);
  for (const MatrixUpdate& u : coupling.near) {
    coarse[u.row + u.column * n] += u.value;
    if (u.row != u.column) coarse[u.column + u.row * n] += u.value;
  }
  return coarse;
}

}  // namespace thinwire
