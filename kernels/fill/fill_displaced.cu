#include <algorithm>

#include "kernels/device/complex.cuh"
#include "kernels/device/pass.cuh"
#include "kernels/device/sums.cuh"
#include "kernels/fill/fill_parts.cuh"

namespace thinwire {
namespace {

using namespace device;

/// Limit of a grid's second dimension.
constexpr std::size_t max_blocks = 65535;

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
    const int order = far_order(distance, length, radius, mesh.limit);
    if (order == 0) continue;
    const FarPair pair = FarPair::of(p, q, mesh.k, mesh.exact);
    if (mesh.exact && wants_series(distance, length, radius, mesh.limit))
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

/// take(j, entry) for the entries of function f with each function j displaced by `by`.
/// Along a wire each function begins on the element that the one before ends on, which is
/// computed once.
template <class Take>
__device__ void for_entries(const Mesh& mesh, const BasisFunction* basis, unsigned n,
                            const BasisFunction& f, Vec3 by, const Take& take) {
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
    take(j, double2{sum.re, sum.im});
  }
}

/// A thread for each function i and displacement: neighbouring threads have neighbouring
/// displacements, whose pairs of elements mostly take the same rule.
__global__ void __launch_bounds__(pass_threads)
    fill_displacements(const __grid_constant__ Mesh mesh, const BasisFunction* basis,
                       unsigned n, const Vec3* displacements_m, std::size_t count,
                       std::size_t stride, double2* entries) {
  const std::size_t d = std::size_t{blockIdx.x} * pass_threads + threadIdx.x;
  if (d >= count) return;
  const Vec3 by = displacements_m[d];
  for (unsigned i = blockIdx.y; i < n; i += gridDim.y) {
    for_entries(mesh, basis, n, basis[i], by, [&](unsigned j, double2 entry) {
      entries[(std::size_t{i} * n + j) * stride + d] = entry;
    });
  }
}

/// A thread for each copy; the parts of the threads are summed in fixed order.
__global__ void __launch_bounds__(pass_threads)
    multiply_row(const __grid_constant__ Mesh mesh, const BasisFunction* basis,
                 unsigned n, unsigned row, std::uint32_t own,
                 const __grid_constant__ DeviceFill::Copies copies,
                 const std::uint32_t* left_out, std::size_t left_out_count,
                 const double2* x, SumSpace space, double2* result) {
  double sum[2] = {};
  for (std::size_t c = std::size_t{blockIdx.x} * pass_threads + threadIdx.x;
       c < copies.count; c += std::size_t{gridDim.x} * pass_threads) {
    bool counts = true;
    for (std::size_t l = 0; l < left_out_count; ++l) counts = counts && left_out[l] != c;
    if (!counts) continue;
    double2 product = {0, 0};
    for_entries(mesh, basis, n, basis[row], copies.place_m[c] - copies.place_m[own],
                [&](unsigned j, double2 entry) {
                  add_product(product, entry, x[copies.numbers[c * n + j]]);
                });
    sum[0] += product.x;
    sum[1] += product.y;
  }
  grid_sum<2, pass_threads>(sum, space, [&](const double* total) {
    *result = {total[0], total[1]};
  });
}

}  // namespace

void DeviceFill::fill_displaced(const Vec3* displacements_m, std::size_t count,
                                std::size_t stride, Complex* entries, Medium medium,
                                const DeviceStream& stream) const {
  const std::size_t n = unknowns();
  const dim3 blocks(pass_blocks(count), static_cast<unsigned>(std::min(n, max_blocks)));
  fill_displacements<<<blocks, pass_threads, 0, stream.get()>>>(
      parts_->mesh(medium), parts_->basis.data(), static_cast<unsigned>(n),
      displacements_m, count, stride, reinterpret_cast<double2*>(entries));
  check_launch("fill, displaced antennas");
}

std::vector<Complex> DeviceFill::row_products(std::span<const CopyRow> rows,
                                              const Copies& copies, const Complex* x,
                                              Medium medium,
                                              const DeviceStream& stream) const {
  const char* what = "rows of copies";
  const std::size_t most = max_sum_blocks,
                    blocks = std::min<std::size_t>(most, pass_blocks(copies.count));
  DeviceBuffer<double> partial(blocks * max_sums, what);
  DeviceBuffer<unsigned> ticket(1, what);
  ticket.clear(stream);
  DeviceBuffer<Complex> sums(rows.size(), what);
  std::vector<Complex> products(rows.size());
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const auto left_out = uploaded(rows[r].left_out, what, stream);
    multiply_row<<<static_cast<unsigned>(blocks), pass_threads, 0, stream.get()>>>(
        parts_->mesh(medium), parts_->basis.data(), static_cast<unsigned>(unknowns()),
        rows[r].function, rows[r].copy, copies, left_out.data(), left_out.size(),
        reinterpret_cast<const double2*>(x), SumSpace{partial.data(), ticket.data()},
        reinterpret_cast<double2*>(sums.data()) + r);
    check_launch("fill, row of copies");
    stream.synchronize();
  }
  sums.download(products, stream);
  return products;
}

}  // namespace thinwire
