#include "kernels/fill/fill.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <stdexcept>

#include <gtest/gtest.h>

#include "kernels/base/constants.h"
#include "kernels/element/near_pair.h"
#include "kernels/fill/matrix_entries.h"
#include "tests/kernels/fill/chain.h"
#include "tests/messages.h"

namespace thinwire {
namespace {

constexpr Medium free_space = Medium::free_space(), ground = Medium::perfect_ground();

Complex entry_by_near_pairs(const Chain& chain, std::size_t m, std::size_t n, double k,
                            GreensKernel kernel, Medium medium) {
  Complex sum = 0;
  for (int s = 0; s < 2; ++s)
    for (int t = 0; t < 2; ++t) {
      const BasisFunction &f = chain.basis[m], &g = chain.basis[n];
      if (f.sign[s] == 0 || g.sign[t] == 0) continue;
      const Element &p = chain.elements[f.element[s]], &q = chain.elements[g.element[t]];
      const double sign = f.sign[s] * g.sign[t];
      sum += sign * Complex(near_pair(p, q, k, kernel).z[f.end[s]][g.end[t]]);
      if (medium.sources() == 1) continue;
      // The image, by hand: mirrored in z = 0, with the opposite charge.
      const Element image = {{p.start_m.x, p.start_m.y, -p.start_m.z},
                             {p.tangent.x, p.tangent.y, -p.tangent.z},
                             p.length_m,
                             p.radius_m};
      sum -= sign * Complex(near_pair(image, q, k, kernel).z[f.end[s]][g.end[t]]);
    }
  return sum;
}

/// The whole fill, far rules and tables included, against the near-pair integral of every
/// pair.
void expect_fill_right(std::size_t count, double length_m, GreensKernel kernel,
                       Medium medium) {
  const Chain chain = chain_of(count, length_m, 0.05);
  const double k = 2 * pi;
  NearPairTable near(chain.elements, {k, k, 1}, kernel, medium);
  near.set_wavenumber(k);
  const PackedTiles layout{chain.basis.size()};
  // Poisoned: every entry must be written.
  std::vector<Complex> z(layout.entries(), Complex(NAN, NAN));
  fill_impedance({chain.elements, chain.basis, k, kernel, medium, &near}, z);
  double largest = 0, worst = 0;
  for (std::size_t m = 0; m < layout.n; m += 3)
    for (std::size_t n = 0; n <= m; n += 2) {
      const Complex right = entry_by_near_pairs(chain, m, n, k, kernel, medium);
      largest = std::max(largest, std::abs(right));
      worst = std::max(worst, std::abs(z[PackedTiles::offset(m, n)] - right));
    }
  EXPECT_LT(worst, 1e-7 * largest) << count << " elements of " << length_m << " m";
  for (std::size_t m = 0; m < layout.n; ++m)
    for (std::size_t n = m / 64 * 64; n < m; ++n)
      EXPECT_EQ(z[PackedTiles::tile_offset(m / 64, m / 64) + m % 64 * 64 + n % 64],
                z[PackedTiles::tile_offset(m / 64, m / 64) + n % 64 * 64 + m % 64]);
  for (std::size_t m = layout.n; m < layout.padded(); ++m)
    EXPECT_EQ(z[PackedTiles::offset(m, m)], Complex{});
}

TEST(Fill, FarAndNearRulesGiveTheIntegralsOfEveryPair) {
  expect_fill_right(80, 0.02, GreensKernel::exact, free_space);
  expect_fill_right(130, 0.005, GreensKernel::exact, free_space);
  expect_fill_right(20, 0.1, GreensKernel::exact, free_space);
  expect_fill_right(80, 0.02, GreensKernel::reduced, free_space);
}

TEST(Fill, ImagesStandForPerfectGround) {
  expect_fill_right(70, 0.02, GreensKernel::exact, ground);
}

TEST(Fill, TwiceTheSameBits) {
  const Chain chain = chain_of(150, 0.02, 0.1);
  const double k = 2 * pi;
  NearPairTable near(chain.elements, {k, k, 1}, GreensKernel::exact, free_space);
  near.set_wavenumber(k);
  const FillInput input{chain.elements,      chain.basis, k,
                        GreensKernel::exact, free_space,  &near};
  const PackedTiles layout{chain.basis.size()};
  std::vector<Complex> a(layout.entries()), b(layout.entries(), Complex(1, 1));
  fill_impedance(input, a);
  fill_impedance(input, b);
  EXPECT_EQ(a, b);
}

/// Two owners fill what one does, bit for bit.
TEST(Fill, SharesOfTheTilesAreThoseOfTheWhole) {
  const Chain chain = chain_of(300, 0.02, 0.1);
  const double k = 2 * pi;
  NearPairTable near(chain.elements, {k, k, 1}, GreensKernel::exact, ground);
  near.set_wavenumber(k);
  const FillInput input{chain.elements,      chain.basis, k,
                        GreensKernel::exact, ground,      &near};
  const PackedTiles layout{chain.basis.size()};
  std::vector<Complex> whole(layout.entries()), joined;
  fill_impedance(input, whole);
  for (const TileShare share :
       {TileShare::part(layout, 0, 2), TileShare::part(layout, 1, 2)}) {
    EXPECT_GT(share.size(), 3u);
    std::vector<Complex> part(share.entries(), Complex(NAN, NAN));
    fill_impedance(input, share, part);
    joined.insert(joined.end(), part.begin(), part.end());
  }
  EXPECT_EQ(joined, whole);
}

/// Any rows and columns, in any order, with the table of near pairs and without.
TEST(Fill, EntriesReadAloneAreThoseOfTheWhole) {
  const Chain chain = chain_of(200, 0.02, 0.1);
  const double k = 2 * pi;
  NearPairTable near(chain.elements, {k, k, 1}, GreensKernel::exact, ground);
  near.set_wavenumber(k);
  FillInput input{chain.elements, chain.basis, k, GreensKernel::exact, ground, &near};
  std::vector<Complex> whole(PackedTiles{chain.basis.size()}.entries());
  fill_impedance(input, whole);
  double largest = 0;
  for (const Complex& entry : whole) largest = std::max(largest, std::abs(entry));
  std::mt19937 random(3);
  std::vector<std::uint32_t> all(chain.basis.size());
  std::iota(all.begin(), all.end(), 0u);
  std::shuffle(all.begin(), all.end(), random);
  const std::span<const std::uint32_t> rows(all.data(), 90), columns(all.data() + 70, 65);
  for (const NearPairTable* table : {&near, static_cast<NearPairTable*>(nullptr)}) {
    input.near = table;
    std::vector<Complex> entries(rows.size() * columns.size(), Complex(NAN, NAN));
    read_entries(input, rows, columns, entries);
    for (std::size_t j = 0; j < columns.size(); ++j)
      for (std::size_t i = 0; i < rows.size(); ++i)
        EXPECT_LT(std::abs(entries[i + j * rows.size()] -
                           whole[PackedTiles::offset(rows[i], columns[j])]),
                  1e-7 * largest);
    std::vector<Complex> square(rows.size() * rows.size());
    read_entries(input, rows, rows, square);
    for (std::size_t j = 0; j < rows.size(); ++j)
      for (std::size_t i = 0; i < j; ++i)
        EXPECT_EQ(square[i + j * rows.size()], square[j + i * rows.size()]);
  }
}

/// Input of fill_impedance for tests of monitors.
struct Watched {
  Chain chain = chain_of(150, 0.02, 0.1);
  NearPairTable near{chain.elements, {6, 6, 1}, GreensKernel::exact, free_space};
  std::vector<Complex> z =
      std::vector<Complex>(PackedTiles{chain.basis.size()}.entries());

  Watched() { near.set_wavenumber(6); }
  void fill(const Monitor& monitor) {
    fill_impedance(
        {chain.elements, chain.basis, 6, GreensKernel::exact, free_space, &near}, z,
        monitor);
  }
};

TEST(Fill, TellsHowFarItIs) {
  Watched watched;
  std::vector<double> told;
  watched.fill(Monitor([&](const Progress& progress) {
    EXPECT_EQ(progress.step, "fill");
    told.push_back(progress.fraction);
  }));
  EXPECT_TRUE(std::is_sorted(told.begin(), told.end()));
  EXPECT_EQ(told.back(), 1);
}

TEST(Fill, StopsWhenAsked) {
  Watched watched;
  const std::atomic<bool> stop = true;
  EXPECT_EQ(test::error_kind([&] { watched.fill(Monitor({}, &stop)); }),
            ErrorKind::interrupted);
  EXPECT_EQ(watched.z, std::vector<Complex>(watched.z.size()));
}

TEST(Fill, AListenerMayEndIt) {
  Watched watched;
  EXPECT_THROW(
      watched.fill(Monitor([](const Progress&) { throw std::runtime_error("enough"); })),
      std::runtime_error);
}

TEST(NearPairTable, SweepInterpolatesToItsTolerance) {
  for (const GreensKernel kernel : {GreensKernel::exact, GreensKernel::reduced}) {
    const Chain chain = chain_of(24, 0.03, 0.04);
    NearPairTable sweep(chain.elements, {3.0, 9.0, 200}, kernel, ground);
    EXPECT_GT(sweep.pairs(), 50u);
    for (const double k : {3.0, 4.321, 6.0, 8.9, 9.0}) {
      NearPairTable single(chain.elements, {k, 9.0, 1}, kernel, ground);
      sweep.set_wavenumber(k);
      single.set_wavenumber(k);
      for (std::uint32_t p = 0; p < 24; ++p)
        for (const std::uint32_t q : {p, p > 0 ? p - 1 : p}) {
          const ElementMatrix a = sweep.at(p, q, 0), b = single.at(p, q, 0);
          const double scale = std::abs(Complex(b.z[0][0]));
          for (int i = 0; i < 2; ++i)
            for (int j = 0; j < 2; ++j)
              EXPECT_LT(std::abs(Complex(a.z[i][j]) - Complex(b.z[i][j])), 3e-8 * scale)
                  << k;
        }
    }
  }
}

TEST(NearPairTable, IntegratesEveryFrequencyWhereItsTableIsTooLarge) {
  const Chain chain = chain_of(24, 0.03, 0.04);
  const auto table = [&](std::size_t max_bytes) {
    return NearPairTable(chain.elements, {3.0, 9.0, 200}, GreensKernel::exact, free_space,
                         max_bytes);
  };
  NearPairTable whole = table(std::numeric_limits<std::size_t>::max());
  const std::size_t at_nodes = whole.bytes() - table(0).bytes();
  ASSERT_GT(at_nodes, 2 * whole.classes() * sizeof(ElementMatrix));
  EXPECT_EQ(table(at_nodes).bytes(), whole.bytes());
  NearPairTable bounded = table(at_nodes - 1);
  EXPECT_EQ(bounded.pairs(), whole.pairs());
  EXPECT_EQ(bounded.bytes(), whole.bytes() - at_nodes);
  constexpr double k = 4.321;
  NearPairTable single(chain.elements, {k, 9.0, 1}, GreensKernel::exact, free_space);
  bounded.set_wavenumber(k);
  single.set_wavenumber(k);
  for (std::uint32_t p = 0; p < 24; ++p)
    EXPECT_EQ(Complex(bounded.at(p, p, 0).z[0][1]), Complex(single.at(p, p, 0).z[0][1]));
}

TEST(NearPairTable, WideSweepKeepsWhatIsLeftAroundALoop) {
  // A current that is the same at both ends leaves no static charge.
  const auto circulating = [](const ElementMatrix& m) {
    return Complex(m.z[0][0]) + Complex(m.z[0][1]) + Complex(m.z[1][0]) +
           Complex(m.z[1][1]);
  };
  const Chain chain = chain_of(24, 0.03, 0.04);
  constexpr double k_last = 9;
  for (const double k : {0.1, 1e-3}) {
    NearPairTable sweep(chain.elements, {k, k_last, 200}, GreensKernel::exact,
                        free_space);
    NearPairTable single(chain.elements, {k, k_last, 1}, GreensKernel::exact, free_space);
    sweep.set_wavenumber(k);
    single.set_wavenumber(k);
    for (std::uint32_t p = 1; p < 24; ++p)
      for (const std::uint32_t q : {p, p - 1}) {
        const Complex got = circulating(sweep.at(p, q, 0));
        const Complex right = circulating(single.at(p, q, 0));
        EXPECT_LT(std::abs(got - right), 1e-8 * std::abs(right)) << k << " " << p;
      }
  }
}

TEST(NearPairTable, ExchangedPairIsTransposed) {
  const Chain chain = chain_of(12, 0.03, 0.04);
  NearPairTable table(chain.elements, {6, 6, 1}, GreensKernel::exact, ground);
  table.set_wavenumber(6);
  for (int source = 0; source < ground.sources(); ++source) {
    const ElementMatrix a = table.at(4, 3, source), b = table.at(3, 4, source);
    EXPECT_EQ(Complex(a.z[0][1]), Complex(b.z[1][0]));
    EXPECT_EQ(Complex(a.z[1][0]), Complex(b.z[0][1]));
  }
}

}  // namespace
}  // namespace thinwire
