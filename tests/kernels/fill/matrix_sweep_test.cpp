#include "kernels/fill/matrix_sweep.h"

#include <algorithm>
#include <atomic>
#include <cmath>

#include <gtest/gtest.h>

#include "kernels/base/constants.h"
#include "kernels/base/error.h"
#include "kernels/fill/fill.h"
#include "tests/kernels/fill/chain.h"

namespace thinwire {
namespace {

constexpr auto exact = GreensKernel::exact;
constexpr std::size_t enough = std::size_t{1} << 30;

std::shared_ptr<const MatrixSweep> sweep_of(const Chain& chain, WavenumberRange range,
                                            GreensKernel kernel, Medium medium) {
  return MatrixSweep::make(chain.elements, chain.basis, range, kernel, medium, enough);
}

/// The matrix itself, its pairs sorted as in a sweep over the range.
std::vector<Complex> matrix_at(const Chain& chain, double k, WavenumberRange range,
                               GreensKernel kernel, Medium medium) {
  NearPairTable near(chain.elements, {range.first, range.last, 1}, kernel, medium);
  near.set_wavenumber(k);
  std::vector<Complex> z(PackedTiles{chain.basis.size()}.entries());
  fill_impedance({chain.elements, chain.basis, k, kernel, medium, &near}, z);
  return z;
}

/// Largest difference of the parts that `part` takes, over the largest of them.
template <class Part>
double difference(const std::vector<Complex>& a, const std::vector<Complex>& b,
                  const Part& part) {
  double worst = 0, largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    worst = std::max(worst, std::abs(part(a[i] - b[i])));
    largest = std::max(largest, std::abs(part(b[i])));
  }
  return worst / largest;
}
Complex whole(Complex z) {
  return z;
}
double resistance(Complex z) {
  return z.real();
}

TEST(MatrixSweep, IsTheMatrixEverywhereInTheRange) {
  // Two tiles a side with padding, elements of 1/20 and of 1/4 of the shortest wave.
  for (const auto& [count, length_m] : {std::pair(75, 0.05), std::pair(12, 0.25)})
    for (const Medium medium : {Medium::free_space(), Medium::perfect_ground()})
      for (const GreensKernel kernel : {exact, GreensKernel::reduced}) {
        const Chain chain = chain_of(count, length_m, 0.05);
        const WavenumberRange octave = {pi, 2 * pi, 1000};
        const auto sweep = sweep_of(chain, octave, kernel, medium);
        ASSERT_TRUE(sweep);
        EXPECT_EQ(
            sweep->bytes(),
            MatrixSweep::table_bytes(chain.elements, chain.basis.size(), octave, medium));
        for (const double k : {pi, 3.4, 4.7, 2 * pi}) {
          std::vector<Complex> z(PackedTiles{chain.basis.size()}.entries(),
                                 Complex(NAN, NAN));
          sweep->fill(k, z);
          EXPECT_LT(difference(z, matrix_at(chain, k, octave, kernel, medium), whole),
                    1e-9)
              << count << " elements, k " << k << ", " << sweep->nodes() << " nodes";
        }
      }
}

TEST(MatrixSweep, FillsSeveralAtOnceToTheSameBits) {
  const Chain chain = chain_of(75, 0.05, 0.05);
  const auto sweep = sweep_of(chain, {pi, 2 * pi, 1000}, exact, Medium::perfect_ground());
  ASSERT_TRUE(sweep);
  const std::vector<double> k = {6.1, 3.3, 4.7, 5};
  ASSERT_EQ(k.size(), LineTable::at_once);
  const std::size_t entries = PackedTiles{chain.basis.size()}.entries();
  std::vector<Complex> together(k.size() * entries, Complex(NAN, NAN)), alone(entries);
  sweep->fill_at_once(k, together);
  for (std::size_t i = 0; i < k.size(); ++i) {
    sweep->fill(k[i], alone);
    EXPECT_TRUE(std::equal(alone.begin(), alone.end(), &together[i * entries])) << i;
  }
}

TEST(MatrixSweep, KeepsResistancesFarBelowResonance) {
  // Some 1e8 times smaller than reactances.
  const Chain chain = chain_of(20, 0.05, 0.05);
  const WavenumberRange range = {0.05, 0.1, 1000};
  const auto sweep = sweep_of(chain, range, exact, Medium::free_space());
  ASSERT_TRUE(sweep);
  for (const double k : {0.05, 0.0637, 0.09}) {
    std::vector<Complex> z(PackedTiles{chain.basis.size()}.entries());
    sweep->fill(k, z);
    EXPECT_LT(difference(z, matrix_at(chain, k, range, exact, Medium::free_space()),
                         resistance),
              1e-8)
        << k;
  }
}

TEST(MatrixSweep, IsLeftOutWhereItDoesNotPay) {
  const Chain chain = chain_of(20, 0.05, 0.05);
  const Medium medium;
  EXPECT_FALSE(sweep_of(chain, {pi, 2 * pi, 10}, exact, medium));
  EXPECT_FALSE(sweep_of(chain, {pi, pi, 1}, exact, medium));
  EXPECT_FALSE(sweep_of(chain, {0.1, 1.1, 1000}, exact, medium));
  EXPECT_FALSE(MatrixSweep::make(chain.elements, chain.basis, {pi, 2 * pi, 1000}, exact,
                                 medium, 1000));
}

TEST(MatrixSweep, StopsWhereItIsAskedTo) {
  const Chain chain = chain_of(20, 0.05, 0.05);
  const std::atomic<bool> stop = true;
  EXPECT_THROW((void)MatrixSweep::make(chain.elements, chain.basis, {pi, 2 * pi, 1000},
                                       exact, Medium(), enough, Monitor({}, &stop)),
               Error);
}

}  // namespace
}  // namespace thinwire
