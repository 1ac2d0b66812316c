#include "kernels/device/pass.cuh"
#include "kernels/element/close_pairs.h"
#include "kernels/fill/fill_parts.cuh"
#include "kernels/fill/fill_tile.cuh"

namespace thinwire {
namespace {

using namespace device;

/// What term (q, end f) gives in term (p, end e), of those sources of p whose axis comes
/// within `cut` and both radii of q's.
__device__ HdComplex close_terms(const Mesh& mesh, std::uint32_t p_index, int e,
                                 std::uint32_t q_index, int f, double cut) {
  const Element q = mesh.element(q_index);
  HdComplex z[2][2];
  for (int s = 0; s < mesh.medium.sources(); ++s) {
    const Element p = mesh.medium.source(mesh.element(p_index), s);
    if (!elements_close(p, q, cut, p_index == q_index && s == 0)) continue;
    const double scale = mesh.medium.factor(s);
    const double distance = norm(centre_of(p) - centre_of(q)),
                 length = fmax(p.length_m, q.length_m),
                 radius = mesh.exact ? fmax(p.radius_m, q.radius_m) : 0;
    const int order = far_order(distance, length, radius, mesh.sorting_k);
    if (order == 0) {
      add_near(mesh.near[s], p_index, q_index, scale, z);
      continue;
    }
    const FarPair pair = FarPair::of(p, q, mesh.k, mesh.exact);
    if (mesh.exact && wants_series(distance, length, radius, mesh.sorting_k))
      add_far<true>(mesh, pair, p_index, q_index, order, scale, z);
    else
      add_far<false>(mesh, pair, p_index, q_index, order, scale, z);
  }
  return e == 0 ? (f == 0 ? z[0][0] : z[0][1]) : (f == 0 ? z[1][0] : z[1][1]);
}

/// A warp has a row, its lanes the row's columns: neighbouring lanes have functions that
/// are close, whose pairs of elements mostly take the same rule.
__global__ void __launch_bounds__(pass_threads)
    fill_close_entries(const __grid_constant__ Mesh mesh, const BasisFunction* basis,
                       const std::uint64_t* row, const std::uint32_t* column,
                       std::size_t first_row, std::size_t rows, double cut,
                       double2* entries) {
  const std::size_t i = (std::size_t{blockIdx.x} * pass_threads + threadIdx.x) / 32;
  if (i >= rows) return;
  const BasisFunction f = basis[first_row + i];
  const std::uint64_t start = row[first_row];
  for (std::uint64_t n = row[first_row + i] + threadIdx.x % 32;
       n < row[first_row + i + 1]; n += 32) {
    const BasisFunction g = basis[column[n]];
    HdComplex sum;
    for (int t = 0; t < 2; ++t)
      for (int u = 0; u < 2; ++u)
        if (f.sign[t] != 0 && g.sign[u] != 0)
          sum += static_cast<double>(f.sign[t] * g.sign[u]) *
                 close_terms(mesh, f.element[t], f.end[t], g.element[u], g.end[u], cut);
    entries[n - start] = {sum.re, sum.im};
  }
}

}  // namespace

void DeviceFill::fill_close(const SparseRows& rows, double cut_m, Complex* entries,
                            Medium medium, const DeviceStream& stream) const {
  fill_close_entries<<<pass_blocks(32 * rows.count), pass_threads, 0, stream.get()>>>(
      parts_->mesh(medium), parts_->basis.data(), rows.row, rows.column, rows.first,
      rows.count, cut_m, reinterpret_cast<double2*>(entries));
  check_launch("fill, close pairs");
}

}  // namespace thinwire
