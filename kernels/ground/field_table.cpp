#include "kernels/ground/field_table.h"

#include <atomic>
#include <cmath>

#include "kernels/base/constants.h"
#include "kernels/ground/far_path.h"

namespace thinwire {
namespace {

/// Truncation of a box, as a sum of moduli.
constexpr double tolerance = 3e-8;
constexpr int max_cuts = 24;
/// Octaves of max(rho, zeta) from 2^-27 on, up to 2^33.
constexpr int first_octave = -27, octaves = 60;
/// Nearer places lie at this rho: there is no table at 0.
constexpr double min_distance = 1e-12;

/// e^{jR} R^2 / (1 + R).
Complex over_scale(double rho, double zeta) {
  const double r = std::sqrt(rho * rho + zeta * zeta);
  return std::polar(r * r / (1 + r), r);
}

}  // namespace

FieldTable::FieldTable(FieldKind kind, Complex eps) : kind_(kind), eps_(eps) {
  for (int octave = 0; octave < octaves; ++octave) {
    const double s = std::ldexp(1.0, octave + first_octave);
    boxes_.push_back({{s, 2 * s, 0, s}});
    boxes_.push_back({{0, s, s, 2 * s}});
    boxes_.push_back({{s, 2 * s, s, 2 * s}});
  }
}

FieldTable::Found FieldTable::find(double rho, double zeta) const {
  if (std::max(rho, zeta) < min_distance) rho = min_distance;
  int octave = std::ilogb(std::max(rho, zeta)) - first_octave;
  if (octave < 0) {
    rho = std::ldexp(rho, -octave);
    zeta = std::ldexp(zeta, -octave);
    octave = 0;
  }
  const double s = std::ldexp(1.0, octave + first_octave);
  std::size_t box = 3 * static_cast<std::size_t>(octave) + (zeta < s  ? 0
                                                            : rho < s ? 1
                                                                      : 2);
  while (boxes_[box].cut >= 0) {
    const Box& here = boxes_[box];
    const ReflectionRange& range = here.range;
    const bool upper = here.cut == in_rho ? rho >= 0.5 * (range.rho_0 + range.rho_1)
                                          : zeta >= 0.5 * (range.zeta_0 + range.zeta_1);
    box = here.next + (upper ? 1 : 0);
  }
  return {box, rho, zeta};
}

void FieldTable::cover(const std::function<void(const Mark&)>& visit) {
  for (;;) {
    std::vector<std::uint8_t> wanted(boxes_.size(), 0);
    visit([&](double rho, double zeta) {
      const std::size_t box = find(rho, zeta).box;
      if (boxes_[box].cut == unknown)
        std::atomic_ref(wanted[box]).store(1, std::memory_order_relaxed);
    });
    std::vector<std::size_t> missing;
    for (std::size_t box = 0; box < wanted.size(); ++box)
      if (wanted[box] != 0) missing.push_back(box);
    if (missing.empty()) return;
    std::vector<Fit> fits(missing.size());
#pragma omp parallel for schedule(dynamic)
    for (std::size_t i = 0; i < missing.size(); ++i) fits[i] = fit(boxes_[missing[i]]);
    for (std::size_t i = 0; i < missing.size(); ++i) {
      Box& box = boxes_[missing[i]];
      box.cut = fits[i].cut;
      if (box.cut == leaf) {
        box.next = static_cast<std::uint32_t>(leaves());
        coefficients_.insert(coefficients_.end(), fits[i].coefficients.begin(),
                             fits[i].coefficients.end());
        continue;
      }
      box.next = static_cast<std::uint32_t>(boxes_.size());
      Box lower = box, upper = box;
      lower.cut = upper.cut = unknown;
      lower.cuts = upper.cuts = static_cast<std::int8_t>(box.cuts + 1);
      ReflectionRange &below = lower.range, &above = upper.range;
      if (box.cut == in_rho)
        below.rho_1 = above.rho_0 = 0.5 * (below.rho_0 + below.rho_1);
      else
        below.zeta_1 = above.zeta_0 = 0.5 * (below.zeta_0 + below.zeta_1);
      boxes_.push_back(lower);
      boxes_.push_back(upper);
    }
  }
}

/// Chebyshev sums through the nodes of a box; which way to halve it where they fall too
/// slowly.
FieldTable::Fit FieldTable::fit(const Box& box) const {
  // Far away the path is short for low places: a box is not to keep them from it.
  const ReflectionRange& range = box.range;
  if (!is_far(eps_, range) && box.cuts < max_cuts &&
      is_far(eps_, {range.rho_0, range.rho_1, range.zeta_0, range.zeta_0}))
    return {in_zeta, {}};
  double node[nodes], transform[nodes][nodes], rho[nodes], zeta[nodes];
  for (int a = 0; a < nodes; ++a) {
    const double angle = pi * (a + 0.5) / nodes;
    node[a] = std::cos(angle);
    for (int i = 0; i < nodes; ++i)
      transform[i][a] = (i == 0 ? 1.0 : 2.0) / nodes * std::cos(i * angle);
    rho[a] = range.rho_0 + 0.5 * (range.rho_1 - range.rho_0) * (1 + node[a]);
    zeta[a] = range.zeta_0 + 0.5 * (range.zeta_1 - range.zeta_0) * (1 + node[a]);
  }
  std::vector<FieldKernels> values(nodes * nodes);
  field_kernels_grid(kind_, eps_, range, rho, zeta, values);
  const Complex c0 = image_strength(eps_);
  std::vector<double> half(nodes * nodes * numbers), c(nodes * nodes * numbers);
  for (int a = 0; a < nodes; ++a)
    for (int b = 0; b < nodes; ++b) {
      const FieldKernels image = image_field_kernels(kind_, rho[a], zeta[b]);
      const Complex scale = over_scale(rho[a], zeta[b]);
      for (int n = 0; n < numbers / 2; ++n) {
        const Complex rest = scale * (values[a * nodes + b][n] - c0 * image[n]);
        for (int j = 0; j < nodes; ++j) {
          half[(a * nodes + j) * numbers + 2 * n] += transform[j][b] * rest.real();
          half[(a * nodes + j) * numbers + 2 * n + 1] += transform[j][b] * rest.imag();
        }
      }
    }
  for (int i = 0; i < nodes; ++i)
    for (int a = 0; a < nodes; ++a)
      for (int jn = 0; jn < nodes * numbers; ++jn)
        c[i * nodes * numbers + jn] += transform[i][a] * half[a * nodes * numbers + jn];
  double left_out[2] = {0, 0};  // of high degree in rho, in zeta
  for (int n = 0; n < numbers; n += 2) {
    double high[2] = {0, 0};
    for (int i = 0; i < nodes; ++i)
      for (int j = std::max(0, degree + 1 - i); j < nodes; ++j) {
        const double* both = &c[(i * nodes + j) * numbers + n];
        high[i > j ? in_rho : in_zeta] += std::hypot(both[0], both[1]);
      }
    for (const int way : {in_rho, in_zeta})
      left_out[way] = std::max(left_out[way], high[way]);
  }
  if (left_out[0] + left_out[1] > tolerance && box.cuts < max_cuts)
    return {
        static_cast<std::int8_t>(left_out[in_rho] > left_out[in_zeta] ? in_rho : in_zeta),
        {}};
  Fit fit{leaf, {}};
  for (int j = 0; j <= degree; ++j)
    for (int i = 0; i <= degree - j; ++i) {
      const double* all = &c[(i * nodes + j) * numbers];
      fit.coefficients.insert(fit.coefficients.end(), all, all + numbers);
    }
  return fit;
}

FieldKernels FieldTable::at(double rho, double zeta) const {
  const Found found = find(rho, zeta);
  const Box& box = boxes_[found.box];
  const ReflectionRange& range = box.range;
  const double x =
      (2 * found.rho - range.rho_0 - range.rho_1) / (range.rho_1 - range.rho_0);
  const double y =
      (2 * found.zeta - range.zeta_0 - range.zeta_1) / (range.zeta_1 - range.zeta_0);
  double tx[degree + 1] = {1, x};
  for (int i = 2; i <= degree; ++i) tx[i] = 2 * x * tx[i - 1] - tx[i - 2];
  double sum[numbers] = {};
  const double* c = coefficients_.data() + std::size_t{box.next} * (terms * numbers);
  double ty = 1, ty_before = y;  // T_1 = T_-1
  for (int j = 0; j <= degree; ++j) {
    double row[numbers] = {};
    for (int i = 0; i <= degree - j; ++i, c += numbers)
      for (int n = 0; n < numbers; ++n) row[n] += tx[i] * c[n];
    for (int n = 0; n < numbers; ++n) sum[n] += ty * row[n];
    const double ty_next = 2 * y * ty - ty_before;
    ty_before = ty;
    ty = ty_next;
  }
  const Complex scale = 1.0 / over_scale(std::max(rho, min_distance), zeta);
  FieldKernels kernels;
  for (int n = 0; n < numbers / 2; ++n)
    kernels[n] = scale * Complex(sum[2 * n], sum[2 * n + 1]);
  return kernels;
}

}  // namespace thinwire
