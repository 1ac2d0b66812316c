#include <algorithm>

#include "kernels/device/pass.cuh"
#include "kernels/fill/fill_parts.cuh"

namespace thinwire {
namespace {

using namespace device;

/// Of a grid's second direction.
constexpr std::size_t most_blocks = 65535;

/// z += what element q displaced by `by` gives in element p, all sources of p.
__device__ void add_displaced(const Mesh& mesh, std::uint32_t p_index,
                              std::uint32_t q_index, Vec3 by, HdComplex (&z)[2][2]) {
  Element q = mesh.element(q_index);
  q.start_m = q.start_m + by;
  for (int s = 0; s < mesh.medium.sources(); ++s) {
    const Element p = mesh.medium.source(mesh.element(p_index), s);
    const double scale = mesh.medium.factor(s);
    const Vec3 between = (p.start_m + 0.5 * p.length_m * p.tangent) -
                         (q.start_m + 0.5 * q.length_m * q.tangent);
    const double distance = norm(between), length = fmax(p.length_m, q.length_m),
                 radius = mesh.exact ? fmax(p.radius_m, q.radius_m) : 0;
    const int order = far_order(distance, length, radius, mesh.sorting_k);
    if (order == 0) continue;
    const FarPair pair = FarPair::of(p, q, mesh.k, mesh.exact);
    if (mesh.exact && wants_series(distance, length, radius, mesh.sorting_k))
      add_far<true>(mesh, pair, p_index, q_index, order, scale, z);
    else
      add_far<false>(mesh, pair, p_index, q_index, order, scale, z);
  }
}

/// A function's entries with both shape functions of one element.
struct ElementEntries {
  std::uint32_t element = 0xffffffffu;
  HdComplex end[2];
};

__device__ ElementEntries element_entries(const Mesh& mesh, const BasisFunction& f,
                                          std::uint32_t q, Vec3 by) {
  ElementEntries entries;
  entries.element = q;
  for (int t = 0; t < 2; ++t) {
    if (f.sign[t] == 0) continue;
    HdComplex z[2][2];
    add_displaced(mesh, f.element[t], q, by, z);
    const double sign = f.sign[t];
    for (int end = 0; end < 2; ++end)
      entries.end[end] += sign * (f.end[t] == 0 ? z[0][end] : z[1][end]);
  }
  return entries;
}

/// A thread for each function i and displacement: neighbouring threads have neighbouring
/// displacements, whose pairs of elements mostly take the same rule. Along a wire each
/// function j begins on the element that the one before ends on, which is computed once.
__global__ void __launch_bounds__(pass_threads)
    fill_displacements(const __grid_constant__ Mesh mesh, const BasisFunction* basis,
                       unsigned n, const Vec3* displacements_m, std::size_t count,
                       std::size_t stride, double2* entries) {
  const std::size_t d = std::size_t{blockIdx.x} * pass_threads + threadIdx.x;
  if (d >= count) return;
  const Vec3 by = displacements_m[d];
  for (unsigned i = blockIdx.y; i < n; i += gridDim.y) {
    const BasisFunction f = basis[i];
    ElementEntries of_element;
    for (unsigned j = 0; j < n; ++j) {
      const BasisFunction g = basis[j];
      HdComplex sum;
      for (int u = 0; u < 2; ++u) {
        if (g.sign[u] == 0) continue;
        if (of_element.element != g.element[u])
          of_element = element_entries(mesh, f, g.element[u], by);
        sum += static_cast<double>(g.sign[u]) *
               (g.end[u] == 0 ? of_element.end[0] : of_element.end[1]);
      }
      entries[(std::size_t{i} * n + j) * stride + d] = {sum.re, sum.im};
    }
  }
}

}  // namespace

void DeviceFill::fill_displaced(const Vec3* displacements_m, std::size_t count,
                                std::size_t stride, Complex* entries, Medium medium,
                                const DeviceStream& stream) const {
  const std::size_t n = unknowns();
  const dim3 blocks(pass_blocks(count), static_cast<unsigned>(std::min(n, most_blocks)));
  fill_displacements<<<blocks, pass_threads, 0, stream.get()>>>(
      parts_->mesh(medium), parts_->basis.data(), static_cast<unsigned>(n),
      displacements_m, count, stride, reinterpret_cast<double2*>(entries));
  check_launch("fill, displaced antennas");
}

}  // namespace thinwire
