#include "mom/operators/toeplitz_levels.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include "cg/direct/direct.h"
#include "kernels/fft/fft.h"

namespace thinwire {
namespace {

/// An antenna's loads: row, column, and real and imaginary part of the value.
using Loads = std::vector<std::tuple<std::uint32_t, std::uint32_t, double, double>>;

std::vector<Loads> loads_of_antennas(const LatticeBasis& basis,
                                     std::span<const MatrixUpdate> loads) {
  std::vector<Loads> of(basis.antennas());
  std::vector<std::uint32_t> place(basis.unknowns());
  for (std::size_t i = 0; i < place.size(); ++i)
    place[basis.number_of[i]] = static_cast<std::uint32_t>(i);
  const auto n = static_cast<std::uint32_t>(basis.size());
  for (const MatrixUpdate& load : loads)
    of[place[load.row] / n].emplace_back(place[load.row] % n, place[load.column] % n,
                                         load.value.real(), load.value.imag());
  return of;
}

/// The inverse of a complex-symmetric matrix, made exactly symmetric.
std::vector<Complex> inverse_of(std::vector<Complex> matrix, std::size_t n) {
  std::vector<Complex> inverse(n * n);
  for (std::size_t i = 0; i < n; ++i) inverse[i + i * n] = 1;
  DirectSolver(n, std::move(matrix)).solve(inverse);
  for (std::size_t j = 0; j < n; ++j)
    for (std::size_t i = 0; i < j; ++i)
      inverse[i + j * n] = inverse[j + i * n] =
          0.5 * (inverse[i + j * n] + inverse[j + i * n]);
  return inverse;
}

/// The largest left singular vector of A = A^T, by powers of A A^H = A conj(A).
std::vector<Complex> largest_mode(std::span<const Complex> a, std::size_t n) {
  constexpr int sweeps = 20;
  std::vector<Complex> v(n, 1.0), half(n);
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    std::fill(half.begin(), half.end(), Complex{});
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t i = 0; i < n; ++i) half[i] += std::conj(a[i + j * n]) * v[j];
    std::fill(v.begin(), v.end(), Complex{});
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t i = 0; i < n; ++i) v[i] += a[i + j * n] * half[j];
    double size = 0;
    for (const Complex value : v) size += std::norm(value);
    for (Complex& value : v) value /= std::sqrt(size);
  }
  return v;
}

}  // namespace

ToeplitzBlocks::ToeplitzBlocks(const LatticeBasis& basis,
                               std::span<const Complex> own_block,
                               std::span<const MatrixUpdate> loads) {
  const std::size_t n = basis.size();
  inverse_of.assign(basis.antennas(), 0);
  std::map<Loads, std::uint32_t> known;
  std::vector<std::size_t> antennas_with;
  if (loads.empty()) {
    known.emplace(Loads{}, 0);
    antennas_with.push_back(basis.antennas());
  } else {
    const std::vector<Loads> of = loads_of_antennas(basis, loads);
    for (std::size_t a = 0; a < basis.antennas(); ++a) {
      const auto [entry, is_new] =
          known.emplace(of[a], static_cast<std::uint32_t>(known.size()));
      inverse_of[a] = entry->second;
      if (is_new) antennas_with.push_back(0);
      ++antennas_with[entry->second];
    }
  }
  const auto most = static_cast<std::uint32_t>(
      std::max_element(antennas_with.begin(), antennas_with.end()) -
      antennas_with.begin());
  inverses.resize(known.size());
  for (const auto& [mine, number] : known) {
    std::vector<Complex> block(own_block.begin(), own_block.end());
    for (const auto& [row, column, re, im] : mine) {
      block[row + column * n] += Complex(re, im);
      if (row != column) block[column + row * n] += Complex(re, im);
    }
    inverses[number] = thinwire::inverse_of(std::move(block), n);
    if (number != most) continue;
    mode = largest_mode(inverses[number], n);
    for (const auto& [row, column, re, im] : mine)
      load_of_mode +=
          Complex(re, im) * mode[row] * mode[column] * (row == column ? 1.0 : 2.0);
  }
}

// Chan's circulant has on each of its diagonals the mean of the Toeplitz matrix there:
// of n places in a direction, n - d pairs are d apart and d pairs d - n.
std::vector<Complex> circulant_correction(std::array<std::size_t, 3> places,
                                          std::array<std::size_t, 3> lengths,
                                          std::span<const Complex> c) {
  const std::size_t count = places[0] * places[1] * places[2];
  std::vector<Complex> circulant(count);
  const auto at = [&](std::array<std::size_t, 3> d, int wrapped) {
    double weight = 1;
    std::size_t point = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      const bool wraps = (wrapped >> i & 1) != 0;
      const double share = static_cast<double>(d[i]) / static_cast<double>(places[i]);
      weight *= wraps ? share : 1 - share;
      point = point * lengths[i] + (wraps ? lengths[i] - places[i] + d[i] : d[i]);
    }
    // Where nothing wraps there is no such displacement.
    return weight == 0 ? Complex{} : weight * c[point];
  };
#pragma omp parallel for schedule(static)
  for (std::size_t d = 0; d < count; ++d)
    for (int wrapped = 0; wrapped < 8; ++wrapped)
      circulant[d] +=
          at({d / (places[1] * places[2]), d / places[2] % places[1], d % places[2]},
             wrapped);
  Fft(FftShape{places, {}}).forward(circulant.data(), 1);
  const double scale = 1 / static_cast<double>(count);
  for (Complex& value : circulant) value = scale * (1.0 / value - 1.0 / c[0]);
  return circulant;
}

}  // namespace thinwire
