#include <cufft.h>

#include <cmath>
#include <complex>
#include <map>
#include <mutex>
#include <numbers>
#include <vector>

#include "tests/emulation/stream.h"

/// Transforms of any length and number of dimensions, in double, in place or not; of one
/// dimension also with a stride.
namespace {

using Complex = std::complex<double>;

struct Plan {
  std::vector<long long> lengths;  // the last is the fastest
  long long points = 1, stride = 1, distance = 0, batch = 0;
  cudaStream_t stream = nullptr;
};

std::mutex mutex;
std::map<cufftHandle, Plan> plans;
cufftHandle made = 0;

Plan& plan_of(cufftHandle handle) {
  const std::lock_guard lock(mutex);
  return plans.at(handle);
}

std::size_t smallest_factor(std::size_t n) {
  for (std::size_t factor = 2; factor * factor <= n; ++factor)
    if (n % factor == 0) return factor;
  return n;
}

/// Cooley and Tukey, with the smallest factor of the length at each level.
void transform_line(std::vector<Complex>& line, int sign) {
  const std::size_t n = line.size();
  if (n == 1) return;
  const std::size_t factor = smallest_factor(n), part = n / factor;
  std::vector<std::vector<Complex>> parts(factor, std::vector<Complex>(part));
  for (std::size_t i = 0; i < n; ++i) parts[i % factor][i / factor] = line[i];
  for (auto& each : parts) transform_line(each, sign);
  for (std::size_t k = 0; k < n; ++k) {
    line[k] = 0;
    for (std::size_t r = 0; r < factor; ++r) {
      const double turns = static_cast<double>(r * k % n) / static_cast<double>(n);
      line[k] +=
          parts[r][k % part] * std::polar(1.0, sign * 2 * std::numbers::pi * turns);
    }
  }
}

/// Along one dimension, of `n` points that are `step` apart.
void transform_lines(std::vector<Complex>& values, long long n, long long step,
                     int sign) {
  std::vector<Complex> line(n);
  for (std::size_t block = 0; block < values.size(); block += n * step)
    for (long long first = 0; first < step; ++first) {
      Complex* const at = values.data() + block + first;
      for (long long k = 0; k < n; ++k) line[k] = at[k * step];
      transform_line(line, sign);
      for (long long k = 0; k < n; ++k) at[k * step] = line[k];
    }
}

template <class Cuda>
void transform(const Plan& plan, const Cuda* in, Cuda* out, int sign) {
  std::vector<Complex> values(plan.points);
  for (long long b = 0; b < plan.batch; ++b, in += plan.distance, out += plan.distance) {
    for (long long i = 0; i < plan.points; ++i)
      values[i] = {in[i * plan.stride].x, in[i * plan.stride].y};
    long long step = 1;
    for (auto n = plan.lengths.rbegin(); n != plan.lengths.rend(); step *= *n++)
      transform_lines(values, *n, step, sign);
    using Real = decltype(out->x);
    for (long long i = 0; i < plan.points; ++i)
      out[i * plan.stride] = {static_cast<Real>(values[i].real()),
                              static_cast<Real>(values[i].imag())};
  }
}

template <class Cuda>
cufftResult execute(cufftHandle handle, const Cuda* in, Cuda* out, int sign) {
  const Plan& plan = plan_of(handle);
  emulation::submit(plan.stream, [=] { transform(plan, in, out, sign); });
  return CUFFT_SUCCESS;
}

}  // namespace

cufftResult cufftCreate(cufftHandle* handle) {
  const std::lock_guard lock(mutex);
  *handle = ++made;
  plans[*handle] = {};
  return CUFFT_SUCCESS;
}
cufftResult cufftDestroy(cufftHandle handle) {
  const std::lock_guard lock(mutex);
  plans.erase(handle);
  return CUFFT_SUCCESS;
}
cufftResult cufftSetAutoAllocation(cufftHandle, int) {
  return CUFFT_SUCCESS;
}
cufftResult cufftMakePlanMany64(cufftHandle handle, int rank, long long* lengths,
                                long long* embedding, long long stride,
                                long long distance, long long*, long long, long long,
                                cufftType, long long batch, size_t* work_bytes) {
  Plan& plan = plan_of(handle);
  plan.lengths.assign(lengths, lengths + rank);
  for (const long long n : plan.lengths) plan.points *= n;
  plan.stride = embedding != nullptr ? stride : 1;
  plan.distance = distance != 0 ? distance : plan.points;
  plan.batch = batch;
  *work_bytes = 1;
  return CUFFT_SUCCESS;
}
cufftResult cufftSetWorkArea(cufftHandle, void*) {
  return CUFFT_SUCCESS;
}
cufftResult cufftSetStream(cufftHandle handle, cudaStream_t stream) {
  plan_of(handle).stream = stream;
  return CUFFT_SUCCESS;
}
cufftResult cufftExecZ2Z(cufftHandle handle, cufftDoubleComplex* in,
                         cufftDoubleComplex* out, int sign) {
  return execute(handle, in, out, sign);
}
cufftResult cufftExecC2C(cufftHandle handle, cufftComplex* in, cufftComplex* out,
                         int sign) {
  return execute(handle, in, out, sign);
}
