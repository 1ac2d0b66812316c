#include "kernels/fill/alike_pairs.h"

namespace thinwire {
namespace {

bool continues(const Element& first, std::size_t number, const Element& e) {
  constexpr double rounding = 4e-16;
  const Vec3 off = e.start_m - (first.start_m + static_cast<double>(number) *
                                                    first.length_m * first.tangent);
  const Vec3 turn = e.tangent - first.tangent;
  const double most = alike_hair * first.length_m + rounding * norm(first.start_m);
  return norm(off) <= most && norm(turn) * first.length_m <= most &&
         std::fabs(e.length_m - first.length_m) <= most && e.radius_m == first.radius_m;
}

}  // namespace

std::vector<std::uint32_t> straight_runs(std::span<const Element> elements) {
  std::vector<std::uint32_t> first;
  for (std::uint32_t e = 0; e < elements.size(); ++e) {
    const std::uint32_t run = e == 0 ? 0 : first.back();
    first.push_back(continues(elements[run], e - run, elements[e]) ? run : e);
  }
  return first;
}

}  // namespace thinwire
