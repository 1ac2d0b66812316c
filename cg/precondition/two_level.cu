#include "cg/precondition/two_level.h"

#include <algorithm>
#include <complex>
#include <utility>
#include <vector>

#include "cg/precondition/coarse.cuh"
#include "cg/precondition/invert_blocks.cuh"
#include "kernels/base/constants.h"
#include "kernels/device/libraries.cuh"
#include "kernels/device/pass.cuh"
#include "kernels/device/sums.cuh"
#include "kernels/matrix/tile_entries.cuh"

namespace thinwire {
namespace {

using namespace device;
constexpr int mode_threads = tuning::mode_threads;
constexpr int max_modes = 4;
/// Right-hand sides that M may be applied to in one kernel.
constexpr std::size_t sides = 4;

/// The sets of unknowns, and what is wanted of each.
struct Sets {
  std::uint32_t count;
  const std::uint32_t* first;       // [count] position of the first unknown
  const std::uint32_t* first_mode;  // [count + 1]
};

/// sum of conj(a) b over a block, in all threads.
__device__ double2 block_dotc(const double2* a, const double2* b, std::uint32_t m,
                              int stride) {
  __shared__ double2 total;
  double sum[2] = {};
  for (std::uint32_t i = threadIdx.x; i < m; i += mode_threads) {
    const double2 product = conj(a[i * stride]) * b[i * stride];
    sum[0] += product.x;
    sum[1] += product.y;
  }
  __syncthreads();
  block_sum<2, mode_threads>(sum);
  if (threadIdx.x == 0) total = {sum[0], sum[1]};
  __syncthreads();
  return total;
}

/// Modified Gram-Schmidt on the columns v[i * stride + c].
__device__ void orthonormalise(double2* v, std::uint32_t m, int columns, int stride) {
  for (int c = 0; c < columns; ++c) {
    for (int b = 0; b < c; ++b) {
      const double2 overlap = block_dotc(v + b, v + c, m, stride);
      for (std::uint32_t i = threadIdx.x; i < m; i += mode_threads)
        v[i * stride + c] = v[i * stride + c] - overlap * v[i * stride + b];
      __syncthreads();
    }
    const double square = block_dotc(v + c, v + c, m, stride).x;
    const double scale = square > 0 ? 1 / sqrt(square) : 0;
    for (std::uint32_t i = threadIdx.x; i < m; i += mode_threads)
      v[i * stride + c] = scale * v[i * stride + c];
    __syncthreads();
  }
}

/// y = A x, or conj(A) x; A symmetric, so that its columns, which threads read side by
/// side, are its rows.
__device__ void multiply_block(const double2* a, bool conjugated, const double2* x,
                               int x_stride, double2* y, int y_stride, std::uint32_t m) {
  for (std::uint32_t i = threadIdx.x; i < m; i += mode_threads) {
    double2 sum = {0, 0};
    for (std::uint32_t j = 0; j < m; ++j) {
      const double2 entry = a[std::size_t{j} * m + i];
      add_product(sum, conjugated ? conj(entry) : entry, x[j * x_stride]);
    }
    y[i * y_stride] = sum;
  }
  __syncthreads();
}

/// Largest left singular vectors of every inverted block A by subspace iteration with
/// A conj(A), as TwoLevelPreconditioner finds them; a block for each set.
__global__ void __launch_bounds__(mode_threads)
    find_modes(PreconditionerBlocks blocks, Sets sets, int modes, double2* mode,
               double2* half) {
  constexpr int sweeps = 6;
  const std::uint32_t first = sets.first[blockIdx.x], m = blocks.set_size[first];
  const int columns =
      static_cast<int>(sets.first_mode[blockIdx.x + 1] - sets.first_mode[blockIdx.x]);
  const auto* a =
      reinterpret_cast<const double2*>(blocks.inverse) + blocks.row_offset[first];
  double2* v = mode + std::size_t{first} * modes;
  for (std::uint32_t i = threadIdx.x; i < m; i += mode_threads)
    for (int c = 0; c < modes; ++c)
      v[i * modes + c] = {c < columns ? cospi(c * (i + 0.5) / m) : 0.0, 0};
  __syncthreads();
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    orthonormalise(v, m, columns, modes);
    for (int c = 0; c < columns; ++c) {
      multiply_block(a, true, v + c, modes, half + first, 1, m);
      multiply_block(a, false, half + first, 1, v + c, modes, m);
    }
  }
  orthonormalise(v, m, columns, modes);
}

/// coarse = P^T Z P, a warp for each pair of sets, b <= a:
///
///     rows of set a    | . . . . . |     lanes go along the entries; each is used for
///                      | . z_ij  . |     all pairs of modes:
///                      | . . . . . |     sum[c][d] += P_ic z_ij P_jd
///                     columns of set b
///
/// own: the blocks on its diagonal, [set][modes][modes].
template <int M, class Entries>
__global__ void __launch_bounds__(pass_threads)
    coarse_matrix(PreconditionerBlocks blocks, Sets sets, Entries z, const double2* mode,
                  double2* coarse, double2* own) {
  const std::size_t pair = (std::size_t{blockIdx.x} * pass_threads + threadIdx.x) / 32;
  if (pair >= std::size_t{sets.count} * (sets.count + 1) / 2) return;
  auto a = static_cast<std::size_t>((sqrt(8.0 * static_cast<double>(pair) + 1) - 1) / 2);
  while (a * (a + 1) / 2 > pair) --a;
  while ((a + 1) * (a + 2) / 2 <= pair) ++a;
  const std::size_t b = pair - a * (a + 1) / 2;
  const std::uint32_t row = sets.first[a], column = sets.first[b];
  const std::uint32_t rows = blocks.set_size[row], columns = blocks.set_size[column];

  double2 sum[M][M] = {};
  for (std::uint32_t e = threadIdx.x % 32; e < rows * columns; e += 32) {
    const std::uint32_t i = row + e / columns, j = column + e % columns;
    const double2 entry = z.at(blocks.unknown[i], blocks.unknown[j]);
#pragma unroll
    for (int d = 0; d < M; ++d) {
      const double2 right = entry * mode[std::size_t{j} * M + d];
#pragma unroll
      for (int c = 0; c < M; ++c)
        add_product(sum[c][d], mode[std::size_t{i} * M + c], right);
    }
  }
  const std::size_t n = sets.first_mode[sets.count];
  const std::size_t first_a = sets.first_mode[a], first_b = sets.first_mode[b];
#pragma unroll
  for (int c = 0; c < M; ++c)
#pragma unroll
    for (int d = 0; d < M; ++d) {
      const double2 total = warp_sum(sum[c][d]);
      const bool there =
          first_a + c < sets.first_mode[a + 1] && first_b + d < sets.first_mode[b + 1];
      if (!there || threadIdx.x % 32 != 0) continue;
      coarse[(first_a + c) * n + first_b + d] = total;
      coarse[(first_b + d) * n + first_a + c] = total;
      if (a == b) own[(a * M + c) * M + d] = total;
    }
}

__global__ void set_identity(double2* a, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) a[i * n + i] = {1, 0};
}

/// Means of the inverse's two halves, so that M is exactly symmetric.
template <class Entry>
__global__ void symmetrise(Entry* a, std::size_t n) {
  const std::size_t i = blockIdx.x;
  for (std::size_t j = threadIdx.x; j < i; j += blockDim.x) {
    Entry &lower = a[i * n + j], &upper = a[j * n + i];
    lower.x = upper.x = (lower.x + upper.x) / 2;
    lower.y = upper.y = (lower.y + upper.y) / 2;
  }
}

/// Subtracts the inverse of each block on the diagonal; a thread for each set.
__global__ void subtract_own(Sets sets, int modes, const double2* own, double2* inverse) {
  const std::size_t b = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (b >= sets.count) return;
  const std::size_t first = sets.first_mode[b], n = sets.first_mode[sets.count];
  const int m = static_cast<int>(sets.first_mode[b + 1] - first);
  double2 a[max_modes][2 * max_modes] = {};
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j < m; ++j) a[i][j] = own[(b * modes + i) * modes + j];
    a[i][m + i] = {1, 0};
  }
  // Gauss-Jordan with row pivots.
  for (int k = 0; k < m; ++k) {
    int pivot = k;
    for (int i = k + 1; i < m; ++i)
      if (norm(a[i][k]) > norm(a[pivot][k])) pivot = i;
    for (int j = 0; j < 2 * m; ++j) {
      const double2 kept = a[k][j];
      a[k][j] = a[pivot][j];
      a[pivot][j] = kept;
    }
    const double2 scale = double2{1, 0} / a[k][k];
    for (int j = 0; j < 2 * m; ++j) a[k][j] = scale * a[k][j];
    for (int i = 0; i < m; ++i) {
      if (i == k) continue;
      const double2 factor = a[i][k];
      for (int j = 0; j < 2 * m; ++j) a[i][j] = a[i][j] - factor * a[k][j];
    }
  }
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < m; ++j) {
      // The two halves of the small inverse differ by rounding.
      const double2 mean = 0.5 * (a[i][m + j] + a[j][m + i]);
      double2& entry = inverse[(first + i) * n + first + j];
      entry = entry - mean;
    }
}

template <class Entries>
void launch_coarse_matrix(const PreconditionerBlocks& blocks, const Sets& sets, int modes,
                          Entries z, const double2* mode, double2* coarse, double2* own,
                          const DeviceStream& stream) {
  const std::size_t pairs = std::size_t{sets.count} * (sets.count + 1) / 2;
  const unsigned grid = pass_blocks(pairs * 32);
  const auto kernel = modes == 1   ? coarse_matrix<1, Entries>
                      : modes == 2 ? coarse_matrix<2, Entries>
                      : modes == 3 ? coarse_matrix<3, Entries>
                                   : coarse_matrix<4, Entries>;
  kernel<<<grid, pass_threads, 0, stream.get()>>>(blocks, sets, z, mode, coarse, own);
  check_launch("coarse level, matrix");
}

constexpr LibraryUse coarse_use = {"two-level preconditioner", "Use --precond block."};
constexpr const char* coarse_purpose = "coarse level";

/// The matrix in single precision, beyond its n rows and columns the identity.
__global__ void narrow(const double2* matrix, std::size_t n, float2* single,
                       std::size_t leading) {
  const std::size_t i = blockIdx.x;
  for (std::size_t j = threadIdx.x; j < leading; j += blockDim.x) {
    const double2 entry =
        i < n && j < n ? matrix[i * n + j] : double2{i == j ? 1.0 : 0.0, 0};
    single[i * leading + j] = {static_cast<float>(entry.x), static_cast<float>(entry.y)};
  }
}

__global__ void widen(const float2* single, std::size_t leading, double2* matrix,
                      std::size_t n) {
  const std::size_t i = blockIdx.x;
  for (std::size_t j = threadIdx.x; j < n; j += blockDim.x)
    matrix[i * n + j] = {single[i * leading + j].x, single[i * leading + j].y};
}

/// y = A x, a warp for each row of A, [n][leading].
template <class Entry>
__global__ void multiply_rows(const Entry* a, std::size_t leading, std::size_t n,
                              const double2* x, double2* y) {
  const std::size_t i = (std::size_t{blockIdx.x} * blockDim.x + threadIdx.x) / 32;
  if (i >= n) return;
  double2 sum = {0, 0};
  for (std::size_t j = threadIdx.x % 32; j < n; j += 32) {
    const Entry entry = a[i * leading + j];
    add_product(sum, double2{entry.x, entry.y}, x[j]);
  }
  sum = warp_sum(sum);
  if (threadIdx.x % 32 == 0) y[i] = sum;
}

/// The inverse in complex single, [leading][leading]; none where a pivot is zero.
struct SingleInverse {
  std::size_t leading = 0;
  DeviceBuffer<float2> entries;
};

/// Whether matrix times inverse is the identity as far as a preconditioner cares, by one
/// vector of ones with signs.
bool holds(const DeviceBuffer<Complex>& matrix, const SingleInverse& inverse,
           std::size_t n, const DeviceStream& stream) {
  constexpr double close = 1e-3;
  if (inverse.entries.size() == 0) return false;
  std::vector<Complex> signs(n);
  for (std::size_t i = 0; i < n; ++i) signs[i] = i * 2654435761u >> 16 & 1 ? 1 : -1;
  DeviceBuffer<Complex> x(n, coarse_purpose), y(n, coarse_purpose);
  x.upload(signs, stream);
  const unsigned blocks = pass_blocks(32 * n);
  multiply_rows<<<blocks, pass_threads, 0, stream.get()>>>(
      inverse.entries.data(), inverse.leading, n, parts(x.data()), parts(y.data()));
  check_launch("coarse level, solution");
  multiply_rows<<<blocks, pass_threads, 0, stream.get()>>>(
      parts(matrix.data()), n, n, parts(y.data()), parts(x.data()));
  check_launch("coarse level, residual");
  std::vector<Complex> back(n);
  x.download(back, stream);
  for (std::size_t i = 0; i < n; ++i)
    // Written so that NaN is not close.
    if (!(std::abs(back[i] - signs[i]) <= close)) return false;
  return true;
}

SingleInverse invert_in_single(const DeviceBuffer<Complex>& matrix, std::size_t n,
                               const DeviceStream& stream) {
  SingleInverse inverse = {(n + inversion_panel - 1) / inversion_panel * inversion_panel,
                           {}};
  const std::size_t leading = inverse.leading;
  inverse.entries = {leading * leading, coarse_purpose};
  DeviceBuffer<std::byte> scratch(inversion_scratch_bytes<float2>(leading),
                                  coarse_purpose);
  DeviceBuffer<int> status(1, coarse_purpose);
  status.clear(stream);
  narrow<<<static_cast<unsigned>(leading), pass_threads, 0, stream.get()>>>(
      parts(matrix.data()), n, inverse.entries.data(), leading);
  check_launch("coarse level, single precision");
  const Cublas cublas(stream, coarse_use);
  invert_blocks<float2>({1, leading, 0, inverse.entries.data()}, scratch.data(),
                        status.data(), cublas, coarse_use, {}, stream);
  int without_pivot = 0;
  status.download({&without_pivot, 1}, stream);
  if (without_pivot != 0) return {};
  symmetrise<<<static_cast<unsigned>(leading), pass_threads, 0, stream.get()>>>(
      inverse.entries.data(), leading);
  check_launch("coarse level, symmetry");
  return inverse;
}

/// By LU in double with pivots; the matrix is lost.
DeviceBuffer<Complex> invert_in_double(DeviceBuffer<Complex>& matrix, std::size_t n,
                                       const DeviceStream& stream) {
  const Cusolver solver(stream, coarse_use);
  const int order = static_cast<int>(n);
  auto* a = reinterpret_cast<cuDoubleComplex*>(matrix.data());
  int work_size = 0;
  check_cusolver(
      coarse_use,
      cusolverDnZgetrf_bufferSize(solver.get(), order, order, a, order, &work_size),
      "cusolverDnZgetrf_bufferSize");
  DeviceBuffer<Complex> work(static_cast<std::size_t>(work_size), coarse_purpose);
  DeviceBuffer<int> pivots(n, coarse_purpose), device_info(2, coarse_purpose);
  device_info.clear(stream);
  check_cusolver(coarse_use,
                 cusolverDnZgetrf(solver.get(), order, order, a, order,
                                  reinterpret_cast<cuDoubleComplex*>(work.data()),
                                  pivots.data(), device_info.data()),
                 "cusolverDnZgetrf");
  DeviceBuffer<Complex> inverse(n * n, coarse_purpose);
  inverse.clear(stream);
  set_identity<<<pass_blocks(n), pass_threads, 0, stream.get()>>>(parts(inverse.data()),
                                                                  n);
  check_launch("coarse level, identity");
  check_cusolver(
      coarse_use,
      cusolverDnZgetrs(solver.get(), CUBLAS_OP_N, order, order, a, order, pivots.data(),
                       reinterpret_cast<cuDoubleComplex*>(inverse.data()), order,
                       device_info.data() + 1),
      "cusolverDnZgetrs");
  int info[2];
  device_info.download(info, stream);
  if (info[0] != 0 || info[1] != 0)
    throw Error(ErrorKind::numeric, "two-level preconditioner: its coarse matrix of " +
                                        std::to_string(n) +
                                        " modes is singular. Use --precond block.");
  return inverse;
}

/// The matrix's inverse, [n][n], symmetric to the last bit; the matrix is lost. In single
/// precision where that is close enough for all owners: it does not want cuSOLVER, which
/// takes 0.1 s to load.
DeviceBuffer<Complex> inverse_of(DeviceBuffer<Complex> matrix, std::size_t n,
                                 DeviceExchange* others, const DeviceStream& stream) {
  SingleInverse single = invert_in_single(matrix, n, stream);
  std::size_t close = holds(matrix, single, n, stream);
  if (others != nullptr) close = others->least(close);
  DeviceBuffer<Complex> inverse;
  if (close != 0) {
    matrix = {};
    inverse = {n * n, coarse_purpose};
    widen<<<static_cast<unsigned>(n), pass_threads, 0, stream.get()>>>(
        single.entries.data(), single.leading, parts(inverse.data()), n);
    check_launch("coarse level, double precision");
    stream.synchronize();
  } else {
    single = {};
    inverse = invert_in_double(matrix, n, stream);
    symmetrise<<<static_cast<unsigned>(n), pass_threads, 0, stream.get()>>>(
        parts(inverse.data()), n);
    check_launch("coarse level, symmetry");
  }
  return inverse;
}

}  // namespace

DeviceTwoLevelPreconditioner::DeviceTwoLevelPreconditioner(const DeviceTiles& z,
                                                           std::span<const IndexSet> sets,
                                                           int modes,
                                                           DeviceExchange* others)
    : DeviceBlockPreconditioner(z, sets, others) {
  modes = std::clamp(modes, 1, max_modes);
  const DeviceStream stream;
  const std::size_t positions = size(), count = sets.size();
  std::vector<std::uint32_t> first, set_first_mode, first_mode, mode_set;
  for (const IndexSet& set : sets) {
    const auto columns = std::min<std::size_t>(modes, set.size());
    first.push_back(static_cast<std::uint32_t>(first_mode.size()));
    set_first_mode.push_back(static_cast<std::uint32_t>(mode_set.size()));
    first_mode.insert(first_mode.end(), set.size(), set_first_mode.back());
    mode_set.insert(mode_set.end(), columns, first.back());
  }
  const std::size_t n = mode_set.size();
  set_first_mode.push_back(static_cast<std::uint32_t>(n));
  require_device_memory(2 * n * n * sizeof(Complex), coarse_purpose, positions,
                        "Use --precond block.");

  first_mode_ = {positions, coarse_purpose};
  mode_set_ = {n, coarse_purpose};
  mode_ = {positions * modes, coarse_purpose};
  moment_ = {sides * n, coarse_purpose};
  amplitude_ = {sides * (n + modes), coarse_purpose};
  first_mode_.upload(first_mode, stream);
  mode_set_.upload(mode_set, stream);
  // Sets with fewer modes than `modes` read beyond theirs and multiply by zero.
  amplitude_.clear(stream);
  DeviceBuffer<std::uint32_t> device_first(count, coarse_purpose),
      device_modes(count + 1, coarse_purpose);
  device_first.upload(first, stream);
  device_modes.upload(set_first_mode, stream);
  const Sets device_sets = {static_cast<std::uint32_t>(count), device_first.data(),
                            device_modes.data()};

  DeviceBuffer<Complex> half(positions, coarse_purpose),
      own(count * modes * modes, coarse_purpose);
  find_modes<<<static_cast<unsigned>(count), mode_threads, 0, stream.get()>>>(
      blocks_, device_sets, modes, parts(mode_.data()), parts(half.data()));
  check_launch("coarse level, modes");
  DeviceBuffer<Complex> coarse(n * n, coarse_purpose);
  with_entries(z, [&](auto entries) {
    launch_coarse_matrix(blocks_, device_sets, modes, entries, parts(mode_.data()),
                         parts(coarse.data()), parts(own.data()), stream);
  });
  if (others != nullptr) {
    others->sum(coarse.data(), coarse.size(), stream);
    others->sum(own.data(), own.size(), stream);
  }
  correction_ = inverse_of(std::move(coarse), n, others, stream);
  subtract_own<<<pass_blocks(count), pass_threads, 0, stream.get()>>>(
      device_sets, modes, parts(own.data()), parts(correction_.data()));
  check_launch("coarse level, correction");
  stream.synchronize();
  blocks_.coarse = {n,
                    modes,
                    first_mode_.data(),
                    mode_set_.data(),
                    mode_.data(),
                    correction_.data(),
                    moment_.data(),
                    amplitude_.data()};
}

std::size_t DeviceTwoLevelPreconditioner::bytes() const {
  return DeviceBlockPreconditioner::bytes() + first_mode_.bytes() + mode_set_.bytes() +
         mode_.bytes() + correction_.bytes() + moment_.bytes() + amplitude_.bytes();
}

std::size_t DeviceTwoLevelPreconditioner::bytes(std::span<const IndexSet> sets,
                                                int modes) {
  std::size_t all = 0, positions = 0;
  for (const IndexSet& set : sets) {
    all += std::min<std::size_t>(std::clamp(modes, 1, max_modes), set.size());
    positions += set.size();
  }
  return BlockPreconditioner::bytes(sets) +
         (all * all + positions * modes) * sizeof(Complex);
}

}  // namespace thinwire
