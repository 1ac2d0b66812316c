#include "kernels/fields/near_field.h"

#include <algorithm>
#include <cstdint>

#include "kernels/device/check.cuh"
#include "kernels/device/device.h"
#include "kernels/device/pass.cuh"
#include "kernels/device/tuning.h"
#include "kernels/fields/near_field_terms.h"

namespace thinwire {
namespace {

constexpr int far_threads = tuning::near_field_threads;
constexpr int close_threads = tuning::near_field_close_threads;
constexpr int near_staged =
    tuning::near_field_staged;  // elements in shared memory at a time
constexpr unsigned all_lanes = 0xffffffffu;

/// A Gauss point, and what the points of an element have in common; aligned for wide
/// loads.
struct alignas(16) FarPoint {
  Vec3 at_m;
  HdComplex moment, derivative;
};
struct alignas(16) FarElement {
  CloseSphere close;
  Vec3 tangent;
  double a2;
};

/// NearFieldSources on the GPU.
struct Sources {
  const FarPoint* points;
  const FarElement* far;       // [elements]
  const std::uint32_t* first;  // [elements + 1], into the points
  const Element* elements;
  const HdComplex* end_current;  // [2 elements]
  std::uint32_t count;           // of elements
  GreensKernel kernel;
  double k;
};

__device__ inline double from_lane(double x, int lane) {
  return __shfl_sync(all_lanes, x, lane);
}
__device__ inline double over_warp(double x) {
  for (int bit = 16; bit > 0; bit /= 2) x += __shfl_xor_sync(all_lanes, x, bit);
  return x;
}

/// off_the_sheets of near_field.cpp by a warp: 32 elements at a time, those that move the
/// point one after another.
__device__ inline Vec3 off_the_sheets(const Sources& s, int lane, Vec3 at) {
  for (std::uint32_t first = 0; first < s.count; first += 32) {
    const std::uint32_t e = first + lane;
    unsigned to_come = all_lanes;
    while (true) {
      Vec3 way;
      bool moves = false;
      if (e < s.count && is_close(s.far[e].close, at)) {
        const Cylindrical place(s.elements[e], at);
        moves = on_sheet(s.elements[e], place);
        way = way_off_sheet(s.elements[e], place);
      }
      const unsigned movers = __ballot_sync(all_lanes, moves) & to_come;
      if (movers == 0) break;
      const int mover = __ffs(movers) - 1;
      at = at + Vec3{from_lane(way.x, mover), from_lane(way.y, mover),
                     from_lane(way.z, mover)};
      // Threads after the mover.
      to_come = ~1u << mover;
    }
  }
  return at;
}

__device__ inline void store(double* sums, std::size_t count, std::size_t point,
                             const FieldVector& sum) {
  const double all[6] = {sum.x.re, sum.x.im, sum.y.re, sum.y.im, sum.z.re, sum.z.im};
  for (int c = 0; c < 6; ++c) sums[c * count + point] = all[c];
}

/// moved[point]: the points off the tubes' surfaces; sums[6][points]: what close elements
/// add there. A warp for each point:
///
///     elements      32 lanes look at 32 at a time
///       close ones  wait in line, in the order of their numbers
///       32 of them  a lane integrates over each
template <class Terms>
__global__ void __launch_bounds__(close_threads)
    sum_close(const __grid_constant__ Sources s, const Vec3* asked, std::size_t count,
              Vec3* moved, double* sums) {
  __shared__ std::uint32_t lines[close_threads / 32][64];
  const int lane = threadIdx.x % 32;
  std::uint32_t* line = lines[threadIdx.x / 32];
  const std::size_t point =
      std::size_t{blockIdx.x} * (close_threads / 32) + threadIdx.x / 32;
  if (point >= count) return;
  Vec3 at = asked[point];
  if (s.kernel == GreensKernel::exact) at = off_the_sheets(s, lane, at);

  FieldVector sum;
  int waiting = 0;
  for (std::uint32_t first = 0;; first += 32) {
    const bool more = first < s.count;
    if (more) {
      const std::uint32_t e = first + lane;
      const bool close = e < s.count && is_close(s.far[e].close, at);
      const unsigned found = __ballot_sync(all_lanes, close);
      if (close) line[waiting + __popc(found & ((1u << lane) - 1))] = e;
      waiting += __popc(found);
      __syncwarp();
    }
    if (waiting >= 32 || !more) {
      if (lane < waiting) {
        const std::uint32_t e = line[lane];
        add_close_element<Terms>(s.elements[e], s.end_current[2 * e],
                                 s.end_current[2 * e + 1], at, s.k, s.k, {1, 0}, s.kernel,
                                 sum);
      }
      if (!more) break;
      waiting -= 32;
      if (lane < waiting) line[lane] = line[32 + lane];
      __syncwarp();
    }
  }
  for (HdComplex* part : {&sum.x, &sum.y, &sum.z})
    *part = {over_warp(part->re), over_warp(part->im)};
  if (lane != 0) return;
  moved[point] = at;
  store(sums, count, point, sum);
}

/// sums[part][6][points]: what elements that are not close add, a part of them for each
/// blockIdx.y.
///
///     elements  | staged | staged | ...   with their points: a block walks its part
///     points    a thread each: its sums stay in registers
///
/// All threads read the same source at a time: a broadcast.
template <class Terms>
__global__ void __launch_bounds__(far_threads)
    sum_far(const __grid_constant__ Sources s, std::uint32_t a_part, const Vec3* points,
            std::size_t count, double* sums) {
  constexpr int words_a_point = sizeof(FarPoint) / sizeof(double),
                words_an_element = sizeof(FarElement) / sizeof(double);
  __shared__ FarPoint shared_points[near_staged * near_field_max_points];
  __shared__ FarElement shared_elements[near_staged];
  __shared__ int shared_first[near_staged + 1];
  const std::size_t point = std::size_t{blockIdx.x} * far_threads + threadIdx.x;
  const Vec3 at = points[min(point, count - 1)];
  FieldVector sum;
  const std::uint32_t last = min(s.count, (blockIdx.y + 1) * a_part);
  for (std::uint32_t start = blockIdx.y * a_part; start < last; start += near_staged) {
    const int here = min(last - start, near_staged);
    const std::uint32_t from = s.first[start];
    const int points_here = static_cast<int>(s.first[start + here] - from);
    __syncthreads();
    for (int i = threadIdx.x; i < points_here * words_a_point; i += far_threads)
      reinterpret_cast<double*>(shared_points)[i] =
          reinterpret_cast<const double*>(s.points + from)[i];
    for (int i = threadIdx.x; i < here * words_an_element; i += far_threads)
      reinterpret_cast<double*>(shared_elements)[i] =
          reinterpret_cast<const double*>(s.far + start)[i];
    for (int i = threadIdx.x; i <= here; i += far_threads)
      shared_first[i] = static_cast<int>(s.first[start + i] - from);
    __syncthreads();
    for (int e = 0; e < here; ++e) {
      const FarElement& element = shared_elements[e];
      if (is_close(element.close, at)) continue;
      const Vec3 t = element.tangent;
      const double a2 = element.a2;
      for (int p = shared_first[e]; p < shared_first[e + 1]; ++p) {
        const FarPoint& source = shared_points[p];
        const FieldVector term = Terms::of_point(at - source.at_m, t, a2, source.moment,
                                                 source.derivative, s.k, s.k);
        sum.x += term.x;
        sum.y += term.y;
        sum.z += term.z;
      }
    }
  }
  if (point < count) store(sums + blockIdx.y * 6 * count, count, point, sum);
}

/// field[3 points]: factor times the parts, added in order.
__global__ void add_parts(const double* sums, std::size_t parts, std::size_t count,
                          HdComplex factor, HdComplex* field) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= 3 * count) return;
  const std::size_t point = i / 3, c = i % 3;
  HdComplex sum;
  for (std::size_t part = 0; part < parts; ++part) {
    const double* from = sums + (part * 6 + 2 * c) * count + point;
    sum += {from[0], from[count]};
  }
  field[i] = factor * sum;
}

/// The sources' copies on the GPU.
struct DeviceSources {
  DeviceBuffer<FarPoint> points;
  DeviceBuffer<FarElement> far;
  DeviceBuffer<std::uint32_t> first;
  DeviceBuffer<Element> elements;
  DeviceBuffer<Complex> end_current;

  DeviceSources(const NearFieldSources& s, const DeviceStream& stream) {
    const char* what = "sources of the near field";
    std::vector<FarPoint> to_points(s.x.size());
    for (std::size_t i = 0; i < s.x.size(); ++i)
      to_points[i] = {{s.x[i], s.y[i], s.z[i]},
                      {s.moment_re[i], s.moment_im[i]},
                      {s.derivative_re[i], s.derivative_im[i]}};
    std::vector<FarElement> to_far(s.elements.size());
    for (std::size_t e = 0; e < s.elements.size(); ++e)
      to_far[e] = {s.close[e], s.elements[e].tangent, s.a2[s.first[e]]};
    const std::vector<std::uint32_t> to_first(s.first.begin(), s.first.end());
    points = {to_points.size(), what};
    far = {to_far.size(), what};
    first = {to_first.size(), what};
    elements = {s.elements.size(), what};
    end_current = {s.end_current_a.size(), what};
    points.upload(to_points, stream);
    far.upload(to_far, stream);
    first.upload(to_first, stream);
    elements.upload(s.elements, stream);
    end_current.upload(s.end_current_a, stream);
    stream.synchronize();
  }
};

template <class Terms>
void field_on_device(const NearFieldSources& sources, std::span<const Vec3> points,
                     double k, std::span<Complex> field, std::size_t points_in_all) {
  const char* what = "near field";
  const std::size_t count = points.size();
  if (count == 0) return;
  const DeviceStream stream;
  const DeviceSources on_gpu(sources, stream);
  const auto elements = static_cast<std::uint32_t>(sources.elements.size());
  const Sources s = {on_gpu.points.data(),
                     on_gpu.far.data(),
                     on_gpu.first.data(),
                     on_gpu.elements.data(),
                     reinterpret_cast<const HdComplex*>(on_gpu.end_current.data()),
                     elements,
                     sources.kernel,
                     k};

  // Parts enough to fill the GPU where the points are few.
  const auto blocks_of = [](std::size_t of) {
    return (of + far_threads - 1) / far_threads;
  };
  const std::size_t blocks = blocks_of(count);
  const auto part_count = static_cast<std::uint32_t>(
      std::clamp(tuning::near_field_blocks / blocks_of(std::max(count, points_in_all)),
                 std::size_t{1}, std::max<std::size_t>(elements / near_staged, 1)));
  const std::uint32_t a_part = (elements + part_count - 1) / part_count;
  DeviceBuffer<Vec3> asked(count, what), moved(count, what);
  DeviceBuffer<double> sums((1 + part_count) * 6 * count, what);
  DeviceBuffer<Complex> total(3 * count, what);
  asked.upload(points, stream);
  constexpr int warps = close_threads / 32;
  sum_close<Terms><<<static_cast<unsigned>((count + warps - 1) / warps), close_threads, 0,
                     stream.get()>>>(s, asked.data(), count, moved.data(), sums.data());
  check_launch("near field, close elements");
  sum_far<Terms>
      <<<dim3(static_cast<unsigned>(blocks), part_count), far_threads, 0, stream.get()>>>(
          s, a_part, moved.data(), count, sums.data() + 6 * count);
  check_launch("near field");
  add_parts<<<device::pass_blocks(3 * count), device::pass_threads, 0, stream.get()>>>(
      sums.data(), 1 + part_count, count, Terms::factor(),
      reinterpret_cast<HdComplex*>(total.data()));
  check_launch("near field, sums");
  total.download(field, stream);
}

}  // namespace

void device_electric_field(const NearFieldSources& sources,
                           std::span<const Vec3> points_m, double k,
                           std::span<Complex> e_v_per_m, std::size_t points_in_all) {
  field_on_device<ElectricTerms>(sources, points_m, k, e_v_per_m, points_in_all);
}

void device_magnetic_field(const NearFieldSources& sources,
                           std::span<const Vec3> points_m, double k,
                           std::span<Complex> h_a_per_m, std::size_t points_in_all) {
  field_on_device<MagneticTerms>(sources, points_m, k, h_a_per_m, points_in_all);
}

}  // namespace thinwire
