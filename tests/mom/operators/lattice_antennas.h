#pragma once

#include <functional>
#include <memory>
#include <random>

#include "geometry/lattice.h"
#include "kernels/base/constants.h"
#include "kernels/fill/matrix_entries.h"
#include "mom/discretization/discretization.h"
#include "mom/operators/toeplitz_operator.h"
#include "tests/vectors.h"

namespace thinwire::test {

/// Bent antennas of two wires that meet, on some of the places of a lattice, one metre
/// being a wavelength.
class LatticeAntennas {
 public:
  LatticeAntennas(std::array<int, 3> counts, std::array<Vec3, 3> steps,
                  const std::function<bool(int, int, int)>& wanted = {},
                  bool graded = false, bool ground = false) {
    for (int i = 0; i < counts[0]; ++i)
      for (int j = 0; j < counts[1]; ++j)
        for (int k = 0; k < counts[2]; ++k) {
          if (wanted && !wanted(i, j, k)) continue;
          const Vec3 at =
              Vec3{0.1, 0.2, 0.3} + i * steps[0] + j * steps[1] + k * steps[2];
          structure_.add_wire(1, 4, at, at + Vec3{0, 0, 0.3}, 1e-3);
          structure_.add_wire(2, 3, at + Vec3{0, 0, 0.3}, at + Vec3{0.1, 0.05, 0.4},
                              1e-3);
        }
    const LatticeSearch search = find_lattice(structure_);
    lattice_ = search.lattice;
    MeshOptions options;
    options.graded = graded;
    options.perfect_ground = ground;
    if (graded && lattice_) {
      options.gap_segments = {1};
      options.cut_alike = lattice_->within_antenna();
    }
    where_ = std::make_unique<Discretization>(structure_, options);
  }

  const Discretization& where() const { return *where_; }
  LatticeBasis basis() const { return LatticeBasis(*where_, *lattice_); }

  /// Z, [n * n], as the fill gives it.
  std::vector<Complex> dense(const ToeplitzInput& input) const {
    FillInput fill = {where_->elements(), where_->basis().functions(),
                      input.k_rad_per_m,  input.kernel,
                      input.medium,       nullptr};
    fill.ground = input.ground;
    fill.surface = input.surface;
    std::vector<std::uint32_t> all(where_->unknowns());
    for (std::size_t m = 0; m < all.size(); ++m) all[m] = static_cast<std::uint32_t>(m);
    std::vector<Complex> z(all.size() * all.size());
    read_entries(fill, all, all, z);
    return z;
  }

 private:
  Structure structure_;
  std::shared_ptr<const Lattice> lattice_;
  std::unique_ptr<Discretization> where_;
};

inline ToeplitzInput one_metre_waves(Medium medium = {}) {
  return {2 * pi, GreensKernel::exact, medium};
}

using testing::random_vector;
using testing::relative_difference;

inline std::vector<Complex> dense_product(std::span<const Complex> z,
                                          std::span<const Complex> x) {
  std::vector<Complex> y(x.size());
  for (std::size_t j = 0; j < x.size(); ++j)
    for (std::size_t i = 0; i < x.size(); ++i) y[i] += z[i + j * x.size()] * x[j];
  return y;
}

}  // namespace thinwire::test
