#include "mom/real_ground.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "kernels/base/error.h"

namespace thinwire {
namespace {

/// Points of quadrature that matter are no nearer to an end on the ground than this much
/// of the element; below its first octave the table goes on.
constexpr double nearest_of_length = 1e-4;

struct Distances {
  double least_m, most_m;
};

/// From points of elements to images of such.
Distances distances_of(std::span<const Element> elements) {
  Vec3 low = elements.front().start_m, high = low;
  double shortest = elements.front().length_m;
  for (const Element& e : elements) {
    shortest = std::min(shortest, e.length_m);
    for (const Vec3 r : {e.start_m, e.start_m + e.length_m * e.tangent}) {
      low = {std::min(low.x, r.x), std::min(low.y, r.y), std::min(low.z, r.z)};
      high = {std::max(high.x, r.x), std::max(high.y, r.y), std::max(high.z, r.z)};
    }
  }
  const double tall = 2 * high.z;
  const double most = norm(Vec3{high.x - low.x, high.y - low.y, tall});
  return {std::clamp(2 * low.z, nearest_of_length * shortest, most), 1.0001 * most};
}

}  // namespace

RealGround::RealGround(std::span<const Element> elements, const Ground& ground,
                       double k) {
  const Distances distances = distances_of(elements);
  const Complex eps = ground.permittivity(k);
  table_ = std::make_unique<const GroundTable>(eps, k * distances.least_m,
                                               k * distances.most_m);
  at_ = {k, eps, table_->view()};
}

void check_real_ground(const Problem& problem, const Options& options) {
  const auto real = [](const Run& run) { return run.ground.is_real(); };
  const auto run = std::find_if(problem.runs.begin(), problem.runs.end(), real);
  if (run == problem.runs.end()) return;
  if (options.device.kind == DeviceRequest::Kind::cuda)
    throw Error(ErrorKind::usage,
                "--device cuda: real ground (GN 2) is solved on the CPU only. Use "
                "--device cpu, or GN 1 for perfect ground.");
  if (options.precision != PrecisionChoice::in_double)
    throw Error(ErrorKind::usage,
                fmt::format("--precision {}: real ground (GN 2) is solved on the CPU, in "
                            "double only. Use --precision double.",
                            name_of(options.precision)));
  if (options.operator_choice != OperatorChoice::dense &&
      options.operator_choice != OperatorChoice::automatic)
    throw Error(ErrorKind::usage,
                fmt::format("--operator {}: real ground (GN 2) needs the whole matrix. "
                            "Use --operator dense.",
                            name_of(options.operator_choice)));
  if (std::any_of(problem.runs.begin(), problem.runs.end(),
                  [&](const Run& r) { return real(r) && !r.near_fields.empty(); }))
    throw Error(ErrorKind::usage,
                "near fields over real ground (GN 2) are not computed. Leave them out, "
                "or use GN 1 for perfect ground.");
}

}  // namespace thinwire
