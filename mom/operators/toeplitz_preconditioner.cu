#include "kernels/device/check.cuh"
#include "kernels/device/complex.cuh"
#include "kernels/device/launch.cuh"
#include "kernels/device/pass.cuh"
#include "mom/operators/device_toeplitz.h"

namespace thinwire {
namespace {

using namespace device;

constexpr const char* circulant_purpose = "toeplitz preconditioner";

constexpr int max_antennas = 32;
constexpr std::size_t max_circulant_bytes = 224 << 10;

/// Antennas of a block: what it holds of them fits into its shared memory.
int antennas_at_once(int functions) {
  int antennas = max_antennas;
  while (antennas > 1 && 2 * antennas * functions * sizeof(double2) > max_circulant_bytes)
    antennas /= 2;
  return antennas;
}

/// moments[place] = p^T r of the antenna, a block for some, a thread for each sum.
__global__ void __launch_bounds__(pass_threads)
    take_moments(const double2* r, const std::uint32_t* numbers,
                 const std::uint32_t* place_of, const double2* mode, std::size_t antennas,
                 int at_once, int functions, double2* moments) {
  extern __shared__ double2 shared[];
  const std::size_t first = std::size_t{blockIdx.x} * at_once;
  const int here = static_cast<int>(min(std::size_t(at_once), antennas - first));
  for (int k = threadIdx.x; k < here * functions; k += pass_threads)
    shared[k] = r[numbers[first * functions + k]] * mode[k % functions];
  __syncthreads();
  if (threadIdx.x >= here) return;
  double2 sum = {0, 0};
  for (int i = 0; i < functions; ++i) sum = sum + shared[threadIdx.x * functions + i];
  moments[place_of[first + threadIdx.x]] = sum;
}

__global__ void scale_moments(const double2* correction, std::size_t places,
                              double2* moments) {
  const std::size_t q = std::size_t{blockIdx.x} * pass_threads + threadIdx.x;
  if (q < places) moments[q] = moments[q] * correction[q];
}

/// z = B^-1 r + p times the antenna's moment, a block for some antennas.
/// moments: null without modes.
///
///     shared: r of the antennas -> a thread for each row of each -> shared -> z
__global__ void __launch_bounds__(pass_threads)
    apply_blocks(const double2* r, const std::uint32_t* numbers,
                 const std::uint32_t* inverse_of, const double2* inverses,
                 const std::uint32_t* place_of, const double2* mode,
                 const double2* moments, std::size_t antennas, int at_once, int functions,
                 double2* z) {
  extern __shared__ double2 shared[];
  const std::size_t first = std::size_t{blockIdx.x} * at_once;
  const int here = static_cast<int>(min(std::size_t(at_once), antennas - first));
  double2 *in = shared, *out = shared + at_once * functions;
  for (int k = threadIdx.x; k < here * functions; k += pass_threads)
    in[k] = r[numbers[first * functions + k]];
  __syncthreads();
  for (int k = threadIdx.x; k < here * functions; k += pass_threads) {
    const int a = k % here, i = k / here;
    // Symmetric: its column i is its row i.
    const double2* row =
        inverses + (std::size_t{inverse_of[first + a]} * functions + i) * functions;
    double2 sum = {0, 0};
    for (int j = 0; j < functions; ++j) add_product(sum, row[j], in[a * functions + j]);
    if (moments) add_product(sum, mode[i], moments[place_of[first + a]]);
    out[a * functions + i] = sum;
  }
  __syncthreads();
  for (int k = threadIdx.x; k < here * functions; k += pass_threads)
    z[numbers[first * functions + k]] = out[k];
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
  inverses_ = uploaded(inverses, circulant_purpose, stream);
  inverse_of_ = uploaded(blocks.inverse_of, circulant_purpose, stream);
  if (!two_level) return;
  place_of_ =
      uploaded(std::vector<std::uint32_t>(basis.place_of.begin(), basis.place_of.end()),
               circulant_purpose, stream);
  mode_ = uploaded(blocks.mode, circulant_purpose, stream);
  std::vector<Complex> c = z.coarse_matrix(blocks.mode);
  c[0] += blocks.load_of_mode;
  correction_ = uploaded(circulant_correction(z.grid().places(), z.grid().lengths(), c),
                         circulant_purpose, stream);
  moments_ = {correction_.size(), circulant_purpose};
  fft_ = std::make_unique<DeviceFft>(FftShape{z.grid().places(), {}}, 1);
}

void DeviceToeplitzPreconditioner::multiply(const Complex* r, Complex* z,
                                            const DeviceStream& stream) const {
  const std::size_t antennas = z_.basis().antennas();
  const auto functions = static_cast<int>(z_.basis().size());
  const int at_once = antennas_at_once(functions);
  const std::size_t bytes = std::size_t(at_once) * functions * sizeof(double2);
  const auto blocks = static_cast<unsigned>((antennas + at_once - 1) / at_once);
  if (two_level_) {
    set_bytes(moments_.data(), 0, moments_.bytes(), stream);
    allow_shared(take_moments, bytes, circulant_purpose);
    take_moments<<<blocks, pass_threads, bytes, stream.get()>>>(
        parts(r), z_.numbers(), place_of_.data(), parts(mode_.data()), antennas, at_once,
        functions, parts(moments_.data()));
    check_launch("toeplitz preconditioner, moments");
    fft_->forward(moments_.data(), stream);
    scale_moments<<<pass_blocks(moments_.size()), pass_threads, 0, stream.get()>>>(
        parts(correction_.data()), moments_.size(), parts(moments_.data()));
    check_launch("toeplitz preconditioner, circulant");
    fft_->backward(moments_.data(), stream);
  }
  allow_shared(apply_blocks, 2 * bytes, circulant_purpose);
  apply_blocks<<<blocks, pass_threads, 2 * bytes, stream.get()>>>(
      parts(r), z_.numbers(), inverse_of_.data(), parts(inverses_.data()),
      place_of_.data(), parts(mode_.data()),
      two_level_ ? parts(moments_.data()) : nullptr, antennas, at_once, functions,
      parts(z));
  check_launch("toeplitz preconditioner, blocks");
}

std::size_t DeviceToeplitzPreconditioner::bytes() const {
  return inverses_.bytes() + inverse_of_.bytes() + place_of_.bytes() + mode_.bytes() +
         correction_.bytes() + moments_.bytes() + (fft_ ? fft_->bytes() : 0);
}

}  // namespace thinwire
