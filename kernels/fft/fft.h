#pragma once

#include <array>
#include <memory>
#include <vector>

#include "kernels/base/complex.h"
#include "kernels/device/device.h"

namespace thinwire {

/// Discrete Fourier transforms over one to three axes, in place and not normalised:
///
///     forward:  X(q) = sum over i of x(i) exp(-2 pi j sum_a q_a i_a / length_a)
///     backward: the same with +j; backward(forward(x)) is x times the lengths' product.
///
/// On the CPU by kissfft (M. Borgerding), on the GPU by cuFFT.

/// Whether cuFFT transforms lines of n = 2^a 3^b 5^c points in one pass over memory.
/// Others take two, or three if 2, 3 and 5 are all factors (512 x 512 x 36 doubles on an
/// H200: 26 ps a point; with lines of 576 points 38, of 540 points 55).
bool is_one_pass(std::size_t n);

/// The smallest 2^a 3^b 5^c of at least n that both libraries are fast at: one that cuFFT
/// takes in one pass, or an even one that it takes in two. Other lengths take up to their
/// largest prime factor as long on the CPU.
std::size_t good_fft_size(std::size_t n);

/// One array: row-major, the last axis contiguous; axes that are not wanted have
/// length 1.
struct FftShape {
  std::array<std::size_t, 3> lengths = {1, 1, 1};
  /// Extent of the data: everything beyond `used` in an axis is zero before forward() and
  /// not needed after backward(), as in convolutions with zero padding. Lines known to be
  /// zero or unneeded are skipped where that pays. 0: the whole axis.
  std::array<std::size_t, 3> used = {0, 0, 0};

  std::size_t size() const { return lengths[0] * lengths[1] * lengths[2]; }
};

/// Transforms on the CPU. May be shared by threads; one call uses all of OpenMP's.
class Fft {
 public:
  /// Throws Error{numeric} for a length of 0, or below `used`.
  explicit Fft(const FftShape& shape);
  ~Fft();
  Fft(Fft&&) noexcept;
  Fft& operator=(Fft&&) noexcept;

  const FftShape& shape() const { return shape_; }
  /// x: [count][lengths[0]][lengths[1]][lengths[2]]. Beyond `used` it must be zero before
  /// forward(), and holds any numbers after backward().
  void forward(Complex* x, std::size_t count) const;
  void backward(Complex* x, std::size_t count) const;

 private:
  struct Axis;
  void transform(Complex* x, std::size_t count, std::size_t axis, bool inverse) const;

  FftShape shape_;
  std::array<std::unique_ptr<Axis>, 3> axes_;  ///< null where there is nothing to do
};

/// Transforms on the current GPU, for one `count`. Skips planes of the first axis beyond
/// FftShape::used where that axis takes one pass: strided lines of several are slow. One
/// call at a time: the workspace is this object's own.
class DeviceFft {
 public:
  enum class Numbers { complex_double, complex_single };

  /// Throws Error{memory} where the workspace does not fit, Error{device} where cuFFT
  /// cannot do it.
  DeviceFft(const FftShape& shape, std::size_t count,
            Numbers numbers = Numbers::complex_double);
  ~DeviceFft();
  DeviceFft(const DeviceFft&) = delete;
  DeviceFft& operator=(const DeviceFft&) = delete;

  /// x: [count][lengths[0]][lengths[1]][lengths[2]] on the GPU, of complex doubles or
  /// singles. Gives work to the stream and neither waits nor allocates, so that a graph
  /// can hold it.
  void forward(void* x, const DeviceStream& stream) const;
  void backward(void* x, const DeviceStream& stream) const;
  /// Returns the bytes of the workspace on the GPU.
  std::size_t bytes() const { return work_.bytes(); }

 private:
  struct Pass;
  void transform(const Pass& pass, void* x, int direction,
                 const DeviceStream& stream) const;

  Numbers numbers_;
  std::vector<std::unique_ptr<Pass>> passes_;  ///< of forward(), in their order
  DeviceBuffer<char> work_;
};

}  // namespace thinwire
