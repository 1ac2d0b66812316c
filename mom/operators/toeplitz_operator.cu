#include <algorithm>
#include <utility>

#include "kernels/base/error.h"
#include "kernels/device/check.cuh"
#include "kernels/device/complex.cuh"
#include "kernels/device/pass.cuh"
#include "kernels/device/tuning.h"
#include "kernels/fill/fill.h"
#include "mom/operators/device_toeplitz.h"

namespace thinwire {
namespace {

using namespace device;

constexpr const char* lattice_purpose = "toeplitz operator";

/// Blocks for [rows][count] threads.
dim3 blocks_of(std::size_t count, std::size_t rows) {
  return {pass_blocks(count), static_cast<unsigned>(rows)};
}

constexpr int tile_antennas = tuning::lattice_tile_antennas,
              tile_functions = tuning::lattice_tile_functions;

/// Between vectors, in which an antenna's functions mostly stand together, and arrays
/// [functions][points], in which antennas of neighbouring places do: a block for some
/// antennas, both sides read or written in runs.
///
///     vector  | antenna 0: f0 f1 f2 .. | antenna 1: f0 f1 ..     array  | f0: antenna 0
///     1 2 ..
///                                                                       | f1: antenna 0
///                                                                       1 2 ..
template <bool to_array>
__global__ void __launch_bounds__(pass_threads)
    exchange(const double2* from, double2* to, const std::uint32_t* numbers,
             const std::uint32_t* points_of, std::size_t antennas, int functions,
             std::size_t points) {
  __shared__ double2 tile[tile_antennas][tile_functions + 1];
  const std::size_t first = std::size_t{blockIdx.x} * tile_antennas;
  const int here = static_cast<int>(min(std::size_t{tile_antennas}, antennas - first));
  for (int begin = 0; begin < functions; begin += tile_functions) {
    const int some = min(tile_functions, functions - begin);
    const auto number = [&](int a, int i) {
      return numbers[(first + a) * functions + begin + i];
    };
    const auto point = [&](int a, int i) {
      return std::size_t(begin + i) * points + points_of[first + a];
    };
    if constexpr (to_array)
      for (int k = threadIdx.x; k < here * some; k += pass_threads)
        tile[k / some][k % some] = from[number(k / some, k % some)];
    else
      for (int k = threadIdx.x; k < here * some; k += pass_threads)
        tile[k % here][k / here] = from[point(k % here, k / here)];
    __syncthreads();
    if constexpr (to_array)
      for (int k = threadIdx.x; k < here * some; k += pass_threads)
        to[point(k % here, k / here)] = tile[k % here][k / here];
    else
      for (int k = threadIdx.x; k < here * some; k += pass_threads)
        to[number(k / some, k % some)] = tile[k / some][k % some];
    __syncthreads();
  }
}

/// Entries (i, j) and (j, i), of which there is one array (toeplitz_operator.cpp).
struct EntryPair {
  std::uint32_t upper, lower;
};

__global__ void place_blocks(const EntryPair* pairs, const std::uint32_t* ahead,
                             const std::uint32_t* behind, std::size_t displacements,
                             std::size_t stride, std::size_t points, double scale,
                             const double2* entries, double2* array) {
  const std::size_t d = std::size_t{blockIdx.x} * pass_threads + threadIdx.x;
  if (d >= displacements) return;
  const EntryPair pair = pairs[blockIdx.y];
  double2* to = array + blockIdx.y * points;
  to[behind[d]] = scale * entries[pair.upper * stride + d];
  if (d > 0) to[ahead[d]] = scale * entries[pair.lower * stride + d];
}

__global__ void take_spectra(const EntryPair* pairs, const std::uint32_t* plus,
                             const std::uint32_t* minus, std::size_t count,
                             std::size_t points, const double2* array, double2* entries) {
  const std::size_t t = std::size_t{blockIdx.x} * pass_threads + threadIdx.x;
  if (t >= count) return;
  const EntryPair pair = pairs[blockIdx.y];
  const double2* from = array + blockIdx.y * points;
  entries[pair.upper * count + t] = from[plus[t]];
  entries[pair.lower * count + t] = from[minus[t]];
}

/// Blocks [numbers][entries] to entries[entry][number].
__global__ void put_blocks(const double2* blocks, const std::uint32_t* numbers,
                           std::size_t count, std::size_t entries_each,
                           std::size_t stride, double2* entries) {
  const std::size_t at = std::size_t{blockIdx.x} * pass_threads + threadIdx.x;
  if (at >= count * entries_each) return;
  entries[at % entries_each * stride + numbers[at / entries_each]] = blocks[at];
}

/// c(q) = p^T Z(q) p.
__global__ void project(const double2* entries, const double2* mode, int functions,
                        const std::uint32_t* plus, const std::uint32_t* minus,
                        std::size_t count, double2* c) {
  const std::size_t t = std::size_t{blockIdx.x} * pass_threads + threadIdx.x;
  if (t >= count) return;
  double2 sum = {0, 0};
  for (int i = 0; i < functions; ++i) {
    double2 row = {0, 0};
    for (int j = 0; j < functions; ++j)
      add_product(row, mode[j], entries[(std::size_t(i) * functions + j) * count + t]);
    add_product(sum, mode[i], row);
  }
  c[plus[t]] = sum;
  c[minus[t]] = sum;
}

}  // namespace

DeviceToeplitzOperator::DeviceToeplitzOperator(LatticeBasis basis,
                                               const ToeplitzInput& input,
                                               std::vector<MatrixUpdate> loads,
                                               const Monitor& monitor)
    : basis_(std::move(basis)),
      grid_(basis_),
      input_(input),
      loads_(std::move(loads)),
      half_(grid_.half()),
      fft_({grid_.lengths(), {}}, basis_.size()),
      spectra_(basis_.size() * basis_.size() * half_.count(), lattice_purpose),
      array_(basis_.size() * grid_.points(), lattice_purpose) {
  check_toeplitz_ground(basis_, input);
  numbers_ = uploaded(basis_.number_of, lattice_purpose, stream());
  points_of_ = uploaded(grid_.antenna_points(), lattice_purpose, stream());
  device_loads_ = DeviceLoads(loads_, stream());
  if (input.over_real_ground()) {
    fill_on_host(input, monitor.part(0, 0.6));
  } else {
    fill(input, monitor.part(0, 0.3));
    fill_near(input, monitor.part(0.3, 0.6));
  }
  transform(monitor.part(0.6, 1));
}

/// A few displacements' worth at a time would not be faster: the CPU takes longer to
/// compute them than they take to travel.
void DeviceToeplitzOperator::fill_on_host(const ToeplitzInput& input,
                                          const Monitor& monitor) {
  const std::size_t each = basis_.size() * basis_.size();
  std::vector<Complex> entries(spectra_.size());
  fill_toeplitz_blocks(basis_, grid_, input, half_.count(), entries, monitor);
  for (std::size_t entry = 0; entry < each; ++entry)
    own_block_.push_back(entries[entry * half_.count()]);
  spectra_.upload(entries, stream());
  stream().synchronize();
}

/// All displacements, as if no antenna were near another.
void DeviceToeplitzOperator::fill(const ToeplitzInput& input, const Monitor& monitor) {
  monitor.report("fill", 0);
  std::vector<Vec3> displacements_m(grid_.displacements());
#pragma omp parallel for schedule(static)
  for (std::size_t d = 0; d < displacements_m.size(); ++d)
    displacements_m[d] = grid_.displacement_m(d);
  const DeviceBuffer<Vec3> displacements =
      uploaded(displacements_m, lattice_purpose, stream());
  DeviceFill antenna(basis_.elements, basis_.functions, input.kernel, input.medium,
                     input.k_rad_per_m);
  antenna.set_wavenumber(input.k_rad_per_m);
  antenna.fill_displaced(displacements.data(), displacements_m.size(), half_.count(),
                         spectra_.data(), input.medium, stream());
  stream().synchronize();
}

void DeviceToeplitzOperator::fill_near(const ToeplitzInput& input,
                                       const Monitor& monitor) {
  monitor.report("fill", 0);
  near_ = near_displacements(basis_, grid_, input);
  std::vector<std::uint32_t> near = near_;
  const std::size_t each = basis_.size() * basis_.size();
  own_block_ = own_toeplitz_block(basis_, input);
  near.insert(near.begin(), 0);
  std::vector<Complex> blocks(own_block_);
  blocks.resize(near.size() * each);
#pragma omp parallel for schedule(dynamic)
  for (std::size_t i = 1; i < near.size(); ++i) {
    const std::vector<Complex> block =
        toeplitz_block(basis_, input, grid_.displacement_m(near[i]));
    std::copy(block.begin(), block.end(), blocks.begin() + i * each);
  }
  const DeviceBuffer<Complex> device_blocks = uploaded(blocks, lattice_purpose, stream());
  const DeviceBuffer<std::uint32_t> numbers = uploaded(near, lattice_purpose, stream());
  put_blocks<<<pass_blocks(blocks.size()), pass_threads, 0, stream().get()>>>(
      thinwire::parts(device_blocks.data()), numbers.data(), near.size(), each,
      half_.count(), thinwire::parts(spectra_.data()));
  check_launch("toeplitz operator, near blocks");
  stream().synchronize();
}

/// As many pairs of entries at a time as there are arrays.
void DeviceToeplitzOperator::transform(const Monitor& monitor) {
  const std::size_t n = basis_.size(), points = grid_.points(),
                    displacements = grid_.displacements();
  std::vector<std::uint32_t> ahead(displacements), behind(displacements);
#pragma omp parallel for schedule(static)
  for (std::size_t d = 0; d < displacements; ++d) {
    ahead[d] = static_cast<std::uint32_t>(grid_.point_of(d, 1));
    behind[d] = static_cast<std::uint32_t>(grid_.point_of(d, -1));
  }
  std::vector<EntryPair> pairs;
  for (std::uint32_t i = 0; i < n; ++i)
    for (std::uint32_t j = 0; j <= i; ++j)
      pairs.push_back(
          {static_cast<std::uint32_t>(i * n + j), static_cast<std::uint32_t>(j * n + i)});
  const auto device_ahead = uploaded(ahead, lattice_purpose, stream()),
             device_behind = uploaded(behind, lattice_purpose, stream());
  const auto device_pairs = uploaded(pairs, lattice_purpose, stream());
  const double scale = 1 / static_cast<double>(points);
  for (std::size_t first = 0; first < pairs.size(); first += n) {
    monitor.report("fill",
                   static_cast<double>(first) / static_cast<double>(pairs.size()));
    const std::size_t some = std::min(n, pairs.size() - first);
    array_.clear(stream());
    place_blocks<<<blocks_of(displacements, some), pass_threads, 0, stream().get()>>>(
        device_pairs.data() + first, device_ahead.data(), device_behind.data(),
        displacements, half_.count(), points, scale, thinwire::parts(spectra_.data()),
        thinwire::parts(array_.data()));
    check_launch("toeplitz operator, blocks");
    fft_.forward(array_.data(), stream());
    take_spectra<<<blocks_of(half_.count(), some), pass_threads, 0, stream().get()>>>(
        device_pairs.data() + first, half_.plus(), half_.minus(), half_.count(), points,
        thinwire::parts(array_.data()), thinwire::parts(spectra_.data()));
    check_launch("toeplitz operator, spectra");
    stream().synchronize();
  }
}

/// Right-hand sides for which there are arrays, of 1 or max_rhs_count.
int DeviceToeplitzOperator::rhs_at_once(int rhs_count) const {
  const std::size_t each = basis_.size() * grid_.points();
  if (rhs_count == 1 || one_by_one_ || !half_.fits(basis_.size(), rhs_count)) return 1;
  if (array_.size() < rhs_count * each) {
    try {
      array_ = {rhs_count * each, lattice_purpose};
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::memory) throw;
      one_by_one_ = true;
      return 1;
    }
  }
  return rhs_count;
}

void DeviceToeplitzOperator::multiply(const Complex* x, Complex* y, int rhs_count,
                                      const DeviceStream& stream) const {
  const std::size_t n = basis_.size(), points = grid_.points(),
                    antennas = basis_.antennas();
  const auto blocks =
      static_cast<unsigned>((antennas + tile_antennas - 1) / tile_antennas);
  const int at_once = rhs_at_once(rhs_count);
  for (int first = 0; first < rhs_count; first += at_once) {
    const auto for_each = [&](const auto& work) {
      for (int rhs = 0; rhs < at_once; ++rhs)
        work(array_.data() + rhs * n * points, (first + rhs) * padded());
    };
    set_bytes(array_.data(), 0, at_once * n * points * sizeof(Complex), stream);
    for_each([&](Complex* array, std::size_t vector) {
      exchange<true><<<blocks, pass_threads, 0, stream.get()>>>(
          thinwire::parts(x + vector), thinwire::parts(array), numbers_.data(),
          points_of_.data(), antennas, static_cast<int>(n), points);
      check_launch("toeplitz product, to the array");
      fft_.forward(array, stream);
    });
    half_.multiply(n, spectra_.data(), array_.data(), at_once, stream);
    for_each([&](Complex* array, std::size_t vector) {
      fft_.backward(array, stream);
      exchange<false><<<blocks, pass_threads, 0, stream.get()>>>(
          thinwire::parts(array), thinwire::parts(y + vector), numbers_.data(),
          points_of_.data(), antennas, static_cast<int>(n), points);
      check_launch("toeplitz product, from the array");
      device_loads_.add_product(x + vector, y + vector, stream);
    });
  }
}

std::vector<Complex> DeviceToeplitzOperator::coarse_matrix(
    std::span<const Complex> mode) const {
  const auto device_mode =
      uploaded(std::vector<Complex>(mode.begin(), mode.end()), lattice_purpose, stream());
  DeviceBuffer<Complex> c(grid_.points(), lattice_purpose);
  project<<<pass_blocks(half_.count()), pass_threads, 0, stream().get()>>>(
      thinwire::parts(spectra_.data()), thinwire::parts(device_mode.data()),
      static_cast<int>(mode.size()), half_.plus(), half_.minus(), half_.count(),
      thinwire::parts(c.data()));
  check_launch("toeplitz preconditioner, coarse matrix");
  const DeviceFft fft({grid_.lengths(), {}}, 1);
  fft.backward(c.data(), stream());
  std::vector<Complex> on_host(c.size());
  c.download(on_host, stream());
  return on_host;
}

std::size_t DeviceToeplitzOperator::bytes() const {
  return half_.bytes() + fft_.bytes() + spectra_.bytes() + array_.bytes() +
         numbers_.bytes() + points_of_.bytes() + device_loads_.bytes();
}

}  // namespace thinwire
