#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "geometry/end_nodes.h"
#include "geometry/mesh_options.h"
#include "geometry/structure.h"
#include "kernels/base/monitor.h"

namespace thinwire {

/// The fraction of its length, between 0 and 1, at which a segment from start to end
/// passes through z = 0; 0: it does not.
double surface_cut(Vec3 start_m, Vec3 end_m);

/// Where the segments are cut into elements: where the mesh is as given and not refined,
/// only where they are longer than elements may be, and where wires pass through the
/// surface of a ground. Duplicates stay whole. Throws what the monitor does.
class SegmentCuts {
 public:
  SegmentCuts(std::span<const Segment> segments, const EndNodes& nodes,
              const MeshOptions& options, const Monitor& monitor = {});

  /// Inner cuts of a segment, ascending fractions of its length.
  std::span<const double> of(std::size_t segment) const {
    if (first_.empty() || std::binary_search(whole_.begin(), whole_.end(), segment))
      return {};
    const std::size_t list = list_of_.empty() ? segment : list_of_[segment];
    return {cuts_.data() + first_[list], cuts_.data() + first_[list + 1]};
  }

 private:
  void grade(std::span<const Segment> segments, const EndNodes& nodes,
             const MeshOptions& options, const Monitor& monitor);
  template <class MakeCutter>
  void make_lists(std::size_t segments, const MakeCutter& make_cutter,
                  const Monitor& monitor);
  void refine(std::size_t segments, int pieces);
  void share(const std::vector<std::uint32_t>& cut_alike);

  std::vector<double> cuts_;            ///< list after list
  std::vector<std::size_t> first_;      ///< [lists + 1]; empty: no cuts
  std::vector<std::uint32_t> list_of_;  ///< of each segment; empty: its own
  std::vector<std::size_t> whole_;      ///< segments without cuts, ascending
};

}  // namespace thinwire
