#include "kernels/device/check.cuh"
#include "kernels/device/complex.cuh"
#include "kernels/device/pass.cuh"
#include "mom/operators/device_toeplitz.h"

namespace thinwire {
namespace {

using namespace device;

constexpr const char* what = "toeplitz preconditioner";

/// moments[place] = p^T r of the antenna, a thread for each.
__global__ void take_moments(const double2* r, const std::uint32_t* numbers,
                             const std::uint32_t* place_of, const double2* mode,
                             std::size_t antennas, int functions, double2* moments) {
  const std::size_t a = std::size_t{blockIdx.x} * pass_threads + threadIdx.x;
  if (a >= antennas) return;
  double2 sum = {0, 0};
  for (int i = 0; i < functions; ++i)
    add_product(sum, mode[i], r[numbers[i * antennas + a]]);
  moments[place_of[a]] = sum;
}

__global__ void scale_moments(const double2* correction, std::size_t places,
                              double2* moments) {
  const std::size_t q = std::size_t{blockIdx.x} * pass_threads + threadIdx.x;
  if (q < places) moments[q] = moments[q] * correction[q];
}

/// z = B^-1 r + p times the antenna's moment, a thread for each row of an antenna.
/// moments: null without modes.
__global__ void apply_blocks(const double2* r, const std::uint32_t* numbers,
                             const std::uint32_t* inverse_of, const double2* inverses,
                             const std::uint32_t* place_of, const double2* mode,
                             const double2* moments, std::size_t antennas, int functions,
                             double2* z) {
  const std::size_t a = std::size_t{blockIdx.x} * pass_threads + threadIdx.x;
  const int i = blockIdx.y;
  if (a >= antennas) return;
  // Symmetric: its column i is its row i.
  const double2* row =
      inverses + (std::size_t{inverse_of[a]} * functions + i) * functions;
  double2 sum = {0, 0};
  for (int j = 0; j < functions; ++j)
    add_product(sum, row[j], r[numbers[j * antennas + a]]);
  if (moments) add_product(sum, mode[i], moments[place_of[a]]);
  z[numbers[i * antennas + a]] = sum;
}

template <class T>
DeviceBuffer<T> uploaded(const std::vector<T>& values, const DeviceStream& stream) {
  DeviceBuffer<T> buffer(values.size(), what);
  buffer.upload(values, stream);
  stream.synchronize();
  return buffer;
}

}  // namespace

DeviceToeplitzPreconditioner::DeviceToeplitzPreconditioner(
    const DeviceToeplitzOperator& z, bool two_level)
    : z_(z), two_level_(two_level) {
  const DeviceStream stream;
  const LatticeBasis& basis = z.basis();
  const ToeplitzBlocks blocks(basis, z.own_block(), z.loads());
  std::vector<Complex> inverses;
  for (const auto& inverse : blocks.inverses)
    inverses.insert(inverses.end(), inverse.begin(), inverse.end());
  inverses_ = uploaded(inverses, stream);
  inverse_of_ = uploaded(blocks.inverse_of, stream);
  if (!two_level) return;
  place_of_ = uploaded(
      std::vector<std::uint32_t>(basis.place_of.begin(), basis.place_of.end()), stream);
  mode_ = uploaded(blocks.mode, stream);
  std::vector<Complex> c = z.coarse_matrix(blocks.mode);
  c[0] += blocks.load_of_mode;
  correction_ =
      uploaded(circulant_correction(z.grid().places(), z.grid().lengths(), c), stream);
  moments_ = {correction_.size(), what};
  fft_ = std::make_unique<DeviceFft>(FftShape{z.grid().places(), {}}, 1);
}

void DeviceToeplitzPreconditioner::multiply(const Complex* r, Complex* z,
                                            const DeviceStream& stream) const {
  const std::size_t antennas = z_.basis().antennas();
  const auto functions = static_cast<int>(z_.basis().size());
  if (two_level_) {
    set_bytes(moments_.data(), 0, moments_.bytes(), stream);
    take_moments<<<pass_blocks(antennas), pass_threads, 0, stream.get()>>>(
        parts(r), z_.numbers(), place_of_.data(), parts(mode_.data()), antennas,
        functions, parts(moments_.data()));
    check_launch("toeplitz preconditioner, moments");
    fft_->forward(moments_.data(), stream);
    scale_moments<<<pass_blocks(moments_.size()), pass_threads, 0, stream.get()>>>(
        parts(correction_.data()), moments_.size(), parts(moments_.data()));
    check_launch("toeplitz preconditioner, circulant");
    fft_->backward(moments_.data(), stream);
  }
  apply_blocks<<<dim3(pass_blocks(antennas), static_cast<unsigned>(functions)),
                 pass_threads, 0, stream.get()>>>(
      parts(r), z_.numbers(), inverse_of_.data(), parts(inverses_.data()),
      place_of_.data(), parts(mode_.data()),
      two_level_ ? parts(moments_.data()) : nullptr, antennas, functions, parts(z));
  check_launch("toeplitz preconditioner, blocks");
}

std::size_t DeviceToeplitzPreconditioner::bytes() const {
  return inverses_.bytes() + inverse_of_.bytes() + place_of_.bytes() + mode_.bytes() +
         correction_.bytes() + moments_.bytes() + (fft_ ? fft_->bytes() : 0);
}

}  // namespace thinwire
