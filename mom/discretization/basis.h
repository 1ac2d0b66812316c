#pragma once

#include <complex>
#include <cstddef>
#include <span>

#include "geometry/wire_mesh.h"
#include "kernels/base/large_vector.h"
#include "kernels/element/basis_function.h"
#include "kernels/element/element.h"

namespace thinwire {

using Complex = std::complex<double>;

/// A complex coefficient of one basis function: an entry of a sparse vector.
struct BasisWeight {
  std::size_t function = 0;
  double weight = 0;
};

/// The piecewise-sinusoidal basis of a mesh (Richmond and Geary 1975): a function for
/// every pair of neighbouring element ends, M - 1 at a junction of M ends, none at a free
/// end, and one for every end on a perfect ground.
class Basis {
 public:
  explicit Basis(const WireMesh& mesh);

  std::size_t size() const { return functions_.size(); }
  const LargeVector<BasisFunction>& functions() const { return functions_; }

  /// The basis functions that have a term u_end on `element`, with its sign.
  std::span<const BasisWeight> at(std::size_t element, int end) const;

  /// Current at the start and the end of `element`, ampere, for the coefficients
  /// [size()].
  Complex end_current(std::span<const Complex> coefficients, std::size_t element,
                      int end) const;
  /// These of all elements, [2 elements].
  LargeVector<Complex> end_currents(std::span<const Complex> coefficients) const;

 private:
  LargeVector<BasisFunction> functions_;
  LargeVector<BasisWeight> weights_;
  LargeVector<std::size_t> first_;  ///< [2 elements + 1] into weights_
};

}  // namespace thinwire
