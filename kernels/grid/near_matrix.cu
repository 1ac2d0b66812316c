#include <algorithm>

#include "kernels/base/constants.h"
#include "kernels/device/check.cuh"
#include "kernels/device/pass.cuh"
#include "kernels/fill/fill.h"
#include "kernels/grid/near_matrix.h"
#include "kernels/grid/smooth_pair.h"

namespace thinwire {
namespace {

using device::pass_blocks;
using device::pass_threads;

/// Entries whose exact values stand on the GPU at a time: 2 GiB.
constexpr std::uint64_t entries_at_once = std::uint64_t{1} << 27;

/// What the smooth sums are made of, on the GPU.
struct SmoothView {
  const Element* elements;
  const BasisFunction* basis;
  const GridPoint* points;
  const std::uint64_t* first_point;
  SplitKernelView kernel;
  Medium medium;
  double cut_m, factor;
  bool tubes;
};

/// The smooth part of the entry of terms (p, e) and (q, f), of close pairs.
template <class Kernel>
__device__ double smooth_terms(const SmoothView& view, const Kernel& kernel,
                               std::uint32_t p, int e, std::uint32_t q, int f) {
  double sum = 0;
  const GridPoint *points_p = view.points + view.first_point[p],
                  *points_q = view.points + view.first_point[q];
  const auto count_p = static_cast<int>(view.first_point[p + 1] - view.first_point[p]),
             count_q = static_cast<int>(view.first_point[q + 1] - view.first_point[q]);
  for (int s = 0; s < view.medium.sources(); ++s) {
    if (!elements_close(view.medium.source(view.elements[p], s), view.elements[q],
                        view.cut_m, p == q && s == 0))
      continue;
    const SmoothPair pair =
        smooth_pair(kernel, view.elements[p], points_p, count_p, s == 1, view.elements[q],
                    points_q, count_q, view.tubes);
    sum += view.medium.factor(s) * pair.sum[e][f];
  }
  return view.factor * sum;
}

/// A warp has a row: value = Im exact - Re G_s's sum, or Re exact + Im G_s's.
template <bool real>
__global__ void __launch_bounds__(pass_threads)
    store_near(SmoothView view, const std::uint64_t* row, const std::uint32_t* column,
               std::size_t first_row, std::size_t rows, const double2* exact,
               RunView<double> to) {
  const std::size_t i = (std::size_t{blockIdx.x} * pass_threads + threadIdx.x) / 32;
  if (i >= rows) return;
  const std::size_t m = first_row + i;
  const BasisFunction f = view.basis[m];
  for (std::uint64_t n = row[m] + threadIdx.x % 32; n < row[m + 1]; n += 32) {
    const BasisFunction g = view.basis[column[n]];
    double sum = 0;
    for (int t = 0; t < 2; ++t)
      for (int u = 0; u < 2; ++u) {
        if (f.sign[t] == 0 || g.sign[u] == 0) continue;
        const double smooth =
            real ? smooth_terms(view, BoundedWave{view.kernel.k}, f.element[t], f.end[t],
                                g.element[u], g.end[u])
                 : smooth_terms(view, view.kernel, f.element[t], f.end[t], g.element[u],
                                g.end[u]);
        sum += f.sign[t] * g.sign[u] * smooth;
      }
    const double2 z = exact[n - row[first_row]];
    to.set(m, column[n], (real ? z.x : z.y) - sum);
  }
}

}  // namespace

void fill_near_matrix(const DeviceFill& fill, const FillInput& input,
                      const GridOperator& grid, const NearMatrix& pattern,
                      DeviceRunMatrix<double, Complex>& x,
                      DeviceRunMatrix<double, Complex>* r) {
  const DeviceStream stream;
  const GridPoints& points = grid.transfer().points();
  const SplitKernelView kernel = grid.kernel().view();
  const auto elements = uploaded(input.elements, "near field", stream);
  const auto basis = uploaded(input.basis, "near field", stream);
  const auto point =
      uploaded(std::span<const GridPoint>(points.point), "near field", stream);
  const auto first_point =
      uploaded(std::span<const std::uint64_t>(points.first), "near field", stream);
  const auto coefficient =
      uploaded(std::span<const double>(kernel.coefficient,
                                       SplitKernelView::panels * SplitKernelView::terms),
               "near field", stream);
  SmoothView view = {elements.data(),
                     basis.data(),
                     point.data(),
                     first_point.data(),
                     kernel,
                     input.medium,
                     grid.kernel().cut_m(),
                     input.k_rad_per_m * eta0_ohm / (4 * pi),
                     grid.transfer().tubes()};
  view.kernel.coefficient = coefficient.data();
  const auto fill_part = [&](const HalfSparse& places, bool real,
                             DeviceRunMatrix<double, Complex>& to) {
    const auto row =
        uploaded(std::span<const std::uint64_t>(places.row), "near field", stream);
    const auto column =
        uploaded(std::span<const std::uint32_t>(places.column), "near field", stream);
    std::uint64_t most = 0;
    std::vector<std::size_t> cut = {0};
    for (std::size_t m = 0; m < places.rows(); ++m)
      if (places.row[m + 1] - places.row[cut.back()] > entries_at_once && m > cut.back())
        cut.push_back(m);
    cut.push_back(places.rows());
    for (std::size_t c = 0; c + 1 < cut.size(); ++c)
      most = std::max(most, places.row[cut[c + 1]] - places.row[cut[c]]);
    DeviceBuffer<Complex> exact(most, "near field");
    for (std::size_t c = 0; c + 1 < cut.size(); ++c) {
      const std::size_t count = cut[c + 1] - cut[c];
      fill.fill_close({row.data(), column.data(), cut[c], count}, view.cut_m,
                      exact.data(), input.medium, stream);
      const auto store = real ? store_near<true> : store_near<false>;
      store<<<pass_blocks(32 * count), pass_threads, 0, stream.get()>>>(
          view, row.data(), column.data(), cut[c], count,
          reinterpret_cast<const double2*>(exact.data()), to.view());
      check_launch("near field, smooth part");
    }
    stream.synchronize();
  };
  fill_part(pattern.x, false, x);
  if (r) fill_part(pattern.r, true, *r);
}

}  // namespace thinwire
