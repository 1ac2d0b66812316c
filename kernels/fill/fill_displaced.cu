#include <algorithm>

#include "kernels/device/pass.cuh"
#include "kernels/fill/fill_parts.cuh"

namespace thinwire {
namespace {

using namespace device;

/// Of a grid's second direction.
constexpr std::size_t most_blocks = 65535;

/// What term (q, end f) displaced by `by` gives in term (p, end e), all sources of p.
__device__ HdComplex far_terms(const Mesh& mesh, std::uint32_t p_index, int e,
                               std::uint32_t q_index, int f, Vec3 by) {
  Element q = mesh.element(q_index);
  q.start_m = q.start_m + by;
  HdComplex z[2][2];
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
  return e == 0 ? (f == 0 ? z[0][0] : z[0][1]) : (f == 0 ? z[1][0] : z[1][1]);
}

/// A thread for each entry: neighbouring threads have neighbouring displacements, whose
/// pairs of elements mostly take the same rule.
__global__ void __launch_bounds__(pass_threads)
    fill_displacements(const __grid_constant__ Mesh mesh, const BasisFunction* basis,
                       unsigned n, const Vec3* displacements_m, std::size_t count,
                       std::size_t stride, double2* entries) {
  const std::size_t d = std::size_t{blockIdx.x} * pass_threads + threadIdx.x;
  if (d >= count) return;
  const Vec3 by = displacements_m[d];
  for (unsigned entry = blockIdx.y; entry < n * n; entry += gridDim.y) {
    const BasisFunction f = basis[entry / n], g = basis[entry % n];
    HdComplex sum;
    for (int t = 0; t < 2; ++t)
      for (int u = 0; u < 2; ++u)
        if (f.sign[t] != 0 && g.sign[u] != 0)
          sum += static_cast<double>(f.sign[t] * g.sign[u]) *
                 far_terms(mesh, f.element[t], f.end[t], g.element[u], g.end[u], by);
    entries[entry * stride + d] = {sum.re, sum.im};
  }
}

}  // namespace

void DeviceFill::fill_displaced(const Vec3* displacements_m, std::size_t count,
                                std::size_t stride, Complex* entries, Medium medium,
                                const DeviceStream& stream) const {
  const std::size_t n = unknowns();
  const dim3 blocks(pass_blocks(count),
                    static_cast<unsigned>(std::min(n * n, most_blocks)));
  fill_displacements<<<blocks, pass_threads, 0, stream.get()>>>(
      parts_->mesh(medium), parts_->basis.data(), static_cast<unsigned>(n),
      displacements_m, count, stride, reinterpret_cast<double2*>(entries));
  check_launch("fill, displaced antennas");
}

}  // namespace thinwire
