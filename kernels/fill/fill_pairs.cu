#include "kernels/device/pass.cuh"
#include "kernels/element/close_pairs.h"
#include "kernels/fill/fill_parts.cuh"
#include "kernels/fill/fill_tile.cuh"

namespace thinwire {
namespace {

using namespace device;

/// z += what source s of p gives in q, by the rules of the pair's own distance.
__device__ void add_pair_alone(const Mesh& mesh, std::uint32_t p_index, int s,
                               std::uint32_t q_index, HdComplex (&z)[2][2]) {
  const Element p = mesh.medium.source(mesh.element(p_index), s),
                q = mesh.element(q_index);
  const double scale = mesh.medium.factor(s),
               distance = norm(centre_of(p) - centre_of(q)),
               length = fmax(p.length_m, q.length_m),
               radius = mesh.exact ? fmax(p.radius_m, q.radius_m) : 0;
  const int order = far_order(distance, length, radius, mesh.limit);
  if (order == 0) return add_near(mesh.near[s], p_index, q_index, scale, z);
  const FarPair pair = FarPair::of(p, q, mesh.k, mesh.exact);
  if (mesh.exact && wants_series(distance, length, radius, mesh.limit))
    add_far<true>(mesh, pair, p_index, q_index, order, scale, z);
  else
    add_far<false>(mesh, pair, p_index, q_index, order, scale, z);
}

/// A warp has an element, its lanes those that are paired with it: neighbouring lanes
/// have neighbouring elements, which mostly take the same rule.
template <bool imaginary>
__global__ void __launch_bounds__(pass_threads)
    fill_pair_rows(const __grid_constant__ Mesh mesh, DeviceFill::PairRows pairs,
                   PartMatrix* part) {
  const std::size_t i = (std::size_t{blockIdx.x} * pass_threads + threadIdx.x) / 32;
  if (i >= pairs.count) return;
  const std::uint32_t p = pairs.first[i];
  for (std::uint64_t n = pairs.row[i] + threadIdx.x % 32; n < pairs.row[i + 1]; n += 32) {
    HdComplex z[2][2];
    for (int s = 0; s < mesh.medium.sources(); ++s)
      if (pairs.sources[n] >> s & 1) add_pair_alone(mesh, p, s, pairs.second[n], z);
    for (int e = 0; e < 2; ++e)
      for (int f = 0; f < 2; ++f) part[n].z[e][f] = imaginary ? z[e][f].im : z[e][f].re;
  }
}

}  // namespace

void DeviceFill::fill_pairs(const PairRows& pairs, bool imaginary, PartMatrix* part,
                            Medium medium, const DeviceStream& stream) const {
  const auto kernel = imaginary ? fill_pair_rows<true> : fill_pair_rows<false>;
  kernel<<<pass_blocks(32 * pairs.count), pass_threads, 0, stream.get()>>>(
      parts_->mesh(medium), pairs, part);
  check_launch("fill, pairs of elements");
}

}  // namespace thinwire
