#include "kernels/grid/near_matrix.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "kernels/base/constants.h"
#include "kernels/device/check.cuh"
#include "kernels/device/pass.cuh"
#include "kernels/fill/fill.h"
#include "kernels/grid/smooth_pair.h"

namespace thinwire {
namespace {

using namespace device;

/// part -= the smooth sums over the same pairs, of G_s or of -Im G_s. A warp has an
/// element.
template <class Kernel>
__global__ void __launch_bounds__(pass_threads)
    subtract_smooth(SmoothView view, Kernel kernel, DeviceFill::PairRows pairs,
                    PartMatrix* part) {
  const std::size_t i = (std::size_t{blockIdx.x} * pass_threads + threadIdx.x) / 32;
  if (i >= pairs.count) return;
  const std::uint32_t p = pairs.first[i];
  for (std::uint64_t n = pairs.row[i] + threadIdx.x % 32; n < pairs.row[i + 1]; n += 32) {
    const std::uint32_t q = pairs.second[n];
    PartMatrix to = part[n];
    for (int s = 0; s < view.medium.sources(); ++s) {
      if ((pairs.sources[n] >> s & 1) == 0) continue;
      const SmoothPair smooth = view.pair(kernel, p, q, s);
      const double factor = view.factor * view.medium.factor(s);
      for (int e = 0; e < 2; ++e)
        for (int f = 0; f < 2; ++f) to.z[e][f] -= factor * smooth.sum[e][f];
    }
    part[n] = to;
  }
}

/// Sums up entries from the matrices of pairs. A warp has a row, its lanes the columns:
///
///     row m = ends (p, e), (p', e')     list of p:  | q q q q q q |
///     column n = ends (q, f), (q', f')  list of p': |   q q q q q q q |
///
/// of whose elements it looks up two in each of two lists, which rise.
__global__ void __launch_bounds__(pass_threads)
    store_entries(const BasisFunction* basis, const std::uint32_t* list_of,
                  DeviceFill::PairRows pairs, const PartMatrix* part,
                  const std::uint64_t* row, const std::uint32_t* column,
                  std::size_t first_row, std::size_t rows, RunView<double> to) {
  const std::size_t i = (std::size_t{blockIdx.x} * pass_threads + threadIdx.x) / 32;
  if (i >= rows) return;
  const std::size_t m = first_row + i;
  const BasisFunction f = basis[m];
  for (std::uint64_t n = row[m] + threadIdx.x % 32; n < row[m + 1]; n += 32) {
    const BasisFunction g = basis[column[n]];
    double sum = 0;
    for (int t = 0; t < 2; ++t) {
      if (f.sign[t] == 0) continue;
      const std::uint32_t list = list_of[f.element[t]];
      for (int u = 0; u < 2; ++u) {
        if (g.sign[u] == 0) continue;
        std::uint64_t low = pairs.row[list], high = pairs.row[list + 1];
        while (low < high) {
          const std::uint64_t middle = (low + high) / 2;
          if (pairs.second[middle] < g.element[u])
            low = middle + 1;
          else
            high = middle;
        }
        if (low < pairs.row[list + 1] && pairs.second[low] == g.element[u])
          sum += f.sign[t] * g.sign[u] * part[low].z[f.end[t]][g.end[u]];
      }
    }
    to.set(m, column[n], sum);
  }
}

/// Fills X and R, some rows at a time.
class NearFiller {
 public:
  NearFiller(const DeviceFill& fill, const FillInput& input, const GridOperator& grid,
             std::uint64_t entries_at_once, NearShare rows,
             const DeviceGridOperator* on_gpu)
      : fill_(fill),
        input_(input),
        rule_(near_rule(grid)),
        entries_at_once_(entries_at_once),
        rows_(rows),
        list_of_(input.elements.size(), "near field"),
        list_of_host_(input.elements.size(), 0),
        met_(input.elements.size(), 0) {
    const SplitKernelView kernel = grid.kernel().view();
    coefficient_ =
        uploaded(std::span<const double>(kernel.coefficient, SplitKernelView::panels *
                                                                 SplitKernelView::terms),
                 "near field", stream_);
    if (!on_gpu) {
      points_ = uploaded(grid.transfer().points().point, "near field", stream_);
      first_point_ = uploaded(grid.transfer().points().first, "near field", stream_);
    }
    view_ = grid.smooth_view();
    view_.elements = fill.elements();
    view_.points = on_gpu ? on_gpu->points() : points_.data();
    view_.first_point = on_gpu ? on_gpu->first_point() : first_point_.data();
    view_.kernel.coefficient = coefficient_.data();
  }

  using Matrix = DeviceRunMatrix<double, Complex>;

  /// Whether R has its entries at the same places at all wave numbers: those of thick
  /// wires depend on it.
  bool has_lasting_places() const { return std::isfinite(rule_.real_reach_m); }
  /// Returns where X or, of the real parts, R has entries.
  DeviceNearPlaces places(bool real_part) {
    return find_near_places(mesh(), rule_, real_part, rows_, stream_);
  }
  /// Returns a matrix for the entries of these places; null where there are none.
  std::unique_ptr<Matrix> room_for(const DeviceNearPlaces& places) {
    if (places.entries() == 0) return nullptr;
    return std::make_unique<Matrix>(
        make_device_run_pattern(places.device_row, places.column, stream_));
  }
  void fill(bool real_part, const DeviceNearPlaces& places, Matrix& matrix,
            const Monitor& monitor);

 private:
  std::vector<std::uint32_t> elements_of(std::size_t first_row, std::size_t last_row,
                                         const DeviceNearPlaces& places);
  DeviceNearMesh mesh() const {
    return {fill_.elements(), fill_.basis(),
            static_cast<std::uint32_t>(input_.elements.size()),
            static_cast<std::uint32_t>(input_.basis.size())};
  }

  const DeviceFill& fill_;
  const FillInput& input_;
  NearRule rule_;
  std::uint64_t entries_at_once_;
  NearShare rows_;
  DeviceStream stream_;
  DeviceBuffer<GridPoint> points_;  ///< empty where a DeviceGridOperator has them
  DeviceBuffer<std::size_t> first_point_;
  DeviceBuffer<double> coefficient_;
  DeviceBuffer<std::uint32_t> list_of_;  ///< of the rows at hand
  SmoothView view_;
  std::vector<std::uint32_t> list_of_host_, met_;
  std::uint32_t times_ = 0;
};

/// The elements of these rows' functions, and which list each has.
std::vector<std::uint32_t> NearFiller::elements_of(std::size_t first_row,
                                                   std::size_t last_row,
                                                   const DeviceNearPlaces& places) {
  std::vector<std::uint32_t> elements;
  ++times_;
  for (std::size_t m = first_row; m < last_row; ++m) {
    if (places.row[m] == places.row[m + 1]) continue;
    const BasisFunction& f = input_.basis[m];
    for (int t = 0; t < 2; ++t) {
      if (f.sign[t] == 0 || met_[f.element[t]] == times_) continue;
      met_[f.element[t]] = times_;
      list_of_host_[f.element[t]] = static_cast<std::uint32_t>(elements.size());
      elements.push_back(f.element[t]);
    }
  }
  return elements;
}

void NearFiller::fill(bool real_part, const DeviceNearPlaces& places, Matrix& matrix,
                      const Monitor& monitor) {
  const std::size_t rows = input_.basis.size();
  std::uint32_t end = 0;  // of the elements that functions so far have
  DeviceBuffer<PartMatrix> part;
  for (std::size_t first = 0, last; first < rows; first = last) {
    last = first;
    do {
      const BasisFunction& f = input_.basis[last++];
      for (int t = 0; t < 2; ++t)
        if (f.sign[t] != 0) end = std::max(end, f.element[t] + 1);
    } while (last < rows && places.row[last + 1] - places.row[first] <= entries_at_once_);
    const std::vector<std::uint32_t> elements = elements_of(first, last, places);
    if (elements.empty()) continue;
    list_of_.upload(list_of_host_, stream_);
    const DeviceNearLists lists =
        find_near_lists(mesh(), rule_, real_part, elements, end, stream_);
    const DeviceFill::PairRows pairs = {lists.row.data(), lists.first.data(),
                                        lists.second.data(), lists.sources.data(),
                                        elements.size()};
    // Kept from part to part: making gigabytes and freeing them takes milliseconds.
    if (part.size() < lists.second.size()) {
      part = {};
      part = {lists.second.size() + lists.second.size() / 8, "near field"};
    }
    fill_.fill_pairs(pairs, !real_part, part.data(), input_.medium, stream_);
    const unsigned blocks = pass_blocks(32 * elements.size());
    if (real_part)
      subtract_smooth<<<blocks, pass_threads, 0, stream_.get()>>>(
          view_, BoundedWave{view_.kernel.k}, pairs, part.data());
    else
      subtract_smooth<<<blocks, pass_threads, 0, stream_.get()>>>(view_, view_.kernel,
                                                                  pairs, part.data());
    check_launch("near field, smooth part");
    store_entries<<<pass_blocks(32 * (last - first)), pass_threads, 0, stream_.get()>>>(
        fill_.basis(), list_of_.data(), pairs, part.data(), places.device_row.data(),
        places.column.data(), first, last - first, matrix.view());
    check_launch("near field, entries");
    stream_.synchronize();
    monitor.report("fill", static_cast<double>(last) / rows);
  }
}

/// With the values.
std::unique_ptr<DeviceRunMatrix<double, Complex>> on_device(const HalfSparse& half) {
  if (half.column.empty()) return nullptr;
  return std::make_unique<DeviceRunMatrix<double, Complex>>(
      make_run_matrix_of_half<double>(half.row, half.column, half.value));
}

}  // namespace

DeviceNearMatrix device_near_matrix(const DeviceFill& fill, const FillInput& input,
                                    const GridOperator& grid, const Monitor& monitor,
                                    std::uint64_t entries_at_once, NearShare rows,
                                    DeviceNearMatrix earlier,
                                    const DeviceGridOperator* on_gpu) {
  NearFiller filler(fill, input, grid, entries_at_once, rows, on_gpu);
  DeviceNearMatrix near = std::move(earlier);
  if (!near.places) {
    near.places = std::make_unique<DeviceNearPlaces>(filler.places(false));
    near.entries = near.places->entries();
    near.x = filler.room_for(*near.places);
  }
  monitor.report("fill", 0.3);
  if (near.x) filler.fill(false, *near.places, *near.x, monitor.part(0.3, 0.9));
  if (!grid.transfer().tubes()) return near;
  if (!near.places_of_r || !filler.has_lasting_places()) {
    near.places_of_r = std::make_unique<DeviceNearPlaces>(filler.places(true));
    near.r = filler.room_for(*near.places_of_r);
  }
  if (near.r) filler.fill(true, *near.places_of_r, *near.r, monitor.part(0.9, 1));
  if (!filler.has_lasting_places()) near.places_of_r.reset();
  return near;
}

DeviceNearMatrix device_near_matrix(const NearMatrix& host) {
  return {on_device(host.x), on_device(host.r), host.x.column.size(), nullptr, nullptr};
}

}  // namespace thinwire
