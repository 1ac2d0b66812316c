#pragma once

#include "kernels/device/check.cuh"
#include "kernels/device/device.h"
#include "kernels/spmv/csr.h"
#include "papers/tuning.h"

namespace thinwire::device {

/// CRS-vector (Mukunoki and Takahashi 2013): NT threads of a warp share a row and take
/// its entries in turns; blocks of 128 threads. The paper's versions differ in three
/// things that Kepler brought:
///
///     version   x               rows               sums over the NT threads
///     0         texture         in turns (Fermi)   shared memory
///     1         read-only cache in turns           shared memory
///     2         texture         one for NT threads shared memory
///     3         texture         in turns           shuffles
///     4         read-only cache one for NT threads shuffles
using tuning::crs_threads;
/// Fermi's most blocks.
inline constexpr std::size_t crs_fermi_blocks = 65535;

template <class V>
__device__ inline V from_texture(cudaTextureObject_t x, std::uint32_t at) {
  if constexpr (sizeof(V) == 4) {
    return tex1Dfetch<float>(x, static_cast<int>(at));
  } else if constexpr (sizeof(V) == 8) {
    const int2 bits = tex1Dfetch<int2>(x, static_cast<int>(at));
    return *reinterpret_cast<const V*>(&bits);
  } else {
    const int4 bits = tex1Dfetch<int4>(x, static_cast<int>(at));
    return *reinterpret_cast<const V*>(&bits);
  }
}

template <class V>
__device__ inline V from_lane_xor(V value, int bit) {
  if constexpr (NumberOf<V>::parts == 2)
    return {__shfl_xor_sync(0xffffffffu, value.re, bit),
            __shfl_xor_sync(0xffffffffu, value.im, bit)};
  else
    return __shfl_xor_sync(0xffffffffu, value, bit);
}

template <int NT, bool read_only, bool one_turn, bool shuffles, class A, class V>
__global__ void __launch_bounds__(crs_threads)
    crs_vector_kernel(CsrView<A> matrix, V alpha, const V* __restrict__ x,
                      cudaTextureObject_t texture, V beta, V* y) {
  const unsigned lane = threadIdx.x % NT;
  const std::size_t each = crs_threads / NT, step = gridDim.x * each;
  // Rows of a block's turn: all its threads go through the same turns, rows or not, so
  // that whole warps shuffle.
  for (std::size_t begin = blockIdx.x * each; begin < matrix.rows;
       begin = one_turn ? matrix.rows : begin + step) {
    const std::size_t row = begin + threadIdx.x / NT;
    V sum{};
    if (row < matrix.rows) {
      const std::int64_t end = matrix.row_ptr[row + 1];
      for (std::int64_t k = matrix.row_ptr[row] + lane; k < end; k += NT) {
        const std::uint32_t column = matrix.column[k];
        if constexpr (read_only)
          add_product(sum, matrix.value[k], read(x + column));
        else
          add_product(sum, matrix.value[k], from_texture<V>(texture, column));
      }
    }
    if constexpr (shuffles) {
#pragma unroll
      for (int bit = NT / 2; bit > 0; bit /= 2) sum = sum + from_lane_xor(sum, bit);
    } else {
      __shared__ V shared[crs_threads];
      shared[threadIdx.x] = sum;
#pragma unroll
      for (unsigned half = NT / 2; half > 0; half /= 2) {
        __syncthreads();
        if (lane < half)
          shared[threadIdx.x] = shared[threadIdx.x] + shared[threadIdx.x + half];
      }
      __syncthreads();
      sum = shared[threadIdx.x];
      __syncthreads();
    }
    if (row < matrix.rows && lane == 0) store_result(alpha, sum, beta, y + row);
  }
}

/// A vector as a texture, which versions 0, 2 and 3 read x through.
template <class V>
class VectorTexture {
 public:
  VectorTexture(const V* x, std::size_t size) {
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = const_cast<V*>(x);
    resource.res.linear.sizeInBytes = size * sizeof(V);
    resource.res.linear.desc = sizeof(V) == 4   ? cudaCreateChannelDesc<float>()
                               : sizeof(V) == 8 ? cudaCreateChannelDesc<int2>()
                                                : cudaCreateChannelDesc<int4>();
    cudaTextureDesc texture = {};
    texture.readMode = cudaReadModeElementType;
    check_cuda(cudaCreateTextureObject(&object_, &resource, &texture, nullptr),
               "crs-vector, x as a texture", "cudaCreateTextureObject");
  }
  ~VectorTexture() { (void)cudaDestroyTextureObject(object_); }
  VectorTexture(const VectorTexture&) = delete;
  VectorTexture& operator=(const VectorTexture&) = delete;
  cudaTextureObject_t get() const { return object_; }

 private:
  cudaTextureObject_t object_ = 0;
};

template <int NT, class A, class V>
void crs_vector_with(const CsrView<A>& matrix, int version, std::size_t columns, V alpha,
                     const V* x, V beta, V* y, const DeviceStream& stream) {
  const std::size_t each = crs_threads / NT, all = (matrix.rows + each - 1) / each,
                    some = std::min(all, crs_fermi_blocks);
  const auto launch = [&](auto kernel, std::size_t blocks, cudaTextureObject_t texture) {
    kernel<<<static_cast<unsigned>(blocks), crs_threads, 0, stream.get()>>>(
        matrix, alpha, x, texture, beta, y);
    check_launch("crs-vector");
  };
  if (version == 4) return launch(crs_vector_kernel<NT, true, true, true, A, V>, all, 0);
  if (version == 1)
    return launch(crs_vector_kernel<NT, true, false, false, A, V>, some, 0);
  const VectorTexture<V> texture(x, columns);
  if (version == 0)
    launch(crs_vector_kernel<NT, false, false, false, A, V>, some, texture.get());
  if (version == 2)
    launch(crs_vector_kernel<NT, false, true, false, A, V>, all, texture.get());
  if (version == 3)
    launch(crs_vector_kernel<NT, false, false, true, A, V>, some, texture.get());
  // The texture must outlive its kernel.
  stream.synchronize();
}

/// threads: NT, a power of two up to 32. Versions 0, 2 and 3 wait for their kernel.
template <class A, class V>
void crs_vector(const CsrView<A>& matrix, int version, int threads, std::size_t columns,
                V alpha, const V* x, V beta, V* y, const DeviceStream& stream) {
  const auto run = [&]<int NT>(std::integral_constant<int, NT>) {
    if (threads == NT)
      crs_vector_with<NT>(matrix, version, columns, alpha, x, beta, y, stream);
  };
  run(std::integral_constant<int, 1>());
  run(std::integral_constant<int, 2>());
  run(std::integral_constant<int, 4>());
  run(std::integral_constant<int, 8>());
  run(std::integral_constant<int, 16>());
  run(std::integral_constant<int, 32>());
}

}  // namespace thinwire::device
