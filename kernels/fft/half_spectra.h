#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/base/complex.h"
#include "kernels/device/device.h"

namespace thinwire {

/// Half of the wave vectors of a transform: of q and -q the one that comes first.
/// Matrices with Z(-q) = Z(q)^T are known by half of their spectra. A wave vector is its
/// place in the row-major array [lengths[0]][lengths[1]][lengths[2]], below 2^32.
struct HalfSpectra {
  explicit HalfSpectra(std::array<std::size_t, 3> lengths);

  std::array<std::size_t, 3> lengths;
  std::vector<std::uint32_t> plus;   ///< q of each stored one, ascending
  std::vector<std::uint32_t> minus;  ///< -q; q itself where it is its own

  std::size_t count() const { return plus.size(); }
  std::size_t points() const { return lengths[0] * lengths[1] * lengths[2]; }
  /// count() before anything is built.
  static std::size_t count(std::array<std::size_t, 3> lengths);
  std::size_t bytes() const { return 2 * sizeof(std::uint32_t) * count(); }
};

/// Small dense products, one a wave vector, in place: X(q) <- Z(q) X(q) for all q.
/// spectra: [functions][functions][half.count()], entry [i][j] of Z(q) for the stored q.
/// x: [functions][half.points()].
/// 16 functions^2 flop a wave vector; reads the spectra once.
void multiply_spectra(const HalfSpectra& half, std::size_t functions,
                      std::span<const Complex> spectra, std::span<Complex> x);

/// The wave vectors on the current GPU.
class DeviceHalfSpectra {
 public:
  /// Throws Error{memory}.
  explicit DeviceHalfSpectra(const HalfSpectra& half);

  /// multiply_spectra with spectra and x, [rhs_count][functions][points()], on the GPU.
  /// rhs_count: 1 to 4, which read the spectra once. Gives work to the stream and neither
  /// waits nor allocates, so that a graph can hold it. Throws Error{device} for so many
  /// functions that those of one wave vector do not fit on a multiprocessor (7000 with
  /// one right-hand side).
  void multiply(std::size_t functions, const Complex* spectra, Complex* x, int rhs_count,
                const DeviceStream& stream) const;
  /// Whether a multiprocessor holds a wave vector of so many functions.
  static bool fits(std::size_t functions, int rhs_count);
  std::size_t count() const { return plus_.size(); }
  std::size_t points() const { return points_; }
  const std::uint32_t* plus() const { return plus_.data(); }
  const std::uint32_t* minus() const { return minus_.data(); }
  std::size_t bytes() const { return plus_.bytes() + minus_.bytes(); }

 private:
  std::size_t points_;
  DeviceBuffer<std::uint32_t> plus_, minus_;
};

}  // namespace thinwire
