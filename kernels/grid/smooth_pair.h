#pragma once

#include "kernels/element/element.h"
#include "kernels/element/medium.h"
#include "kernels/grid/grid_points.h"
#include "kernels/grid/smooth_reflection.h"
#include "kernels/grid/split_kernel.h"

namespace thinwire {

/// sum over the Gauss points of p and q of ((t_p . t_q) u_i u_j - u_i' u_j' / k^2) Re
/// G_s, m: what a near pair's matrix is to be rid of, as the grid has it already.
struct SmoothPair {
  double sum[2][2];
};

/// kernel: SplitKernelView or BoundedWave. p, points_p, count_p: an element and its
/// points; mirrored: its image in z = 0 instead. tubes: with the second order in radii.
template <class Kernel>
THINWIRE_HD inline SmoothPair smooth_pair(const Kernel& kernel, Element p,
                                          const GridPoint* points_p, int count_p,
                                          bool mirrored, const Element& q,
                                          const GridPoint* points_q, int count_q,
                                          bool tubes) {
  if (mirrored) p.tangent.z = -p.tangent.z;
  const double cosine = dot(p.tangent, q.tangent),
               bend_p = TubeMean(kernel.k, p.radius_m).bend_m2,
               bend_q = TubeMean(kernel.k, q.radius_m).bend_m2;
  SmoothPair out{};
  for (int a = 0; a < count_p; ++a) {
    const GridPoint& at = points_p[a];
    Vec3 position = at.position_m;
    if (mirrored) position.z = -position.z;
    double value[2] = {}, derivative[2] = {};
    for (int b = 0; b < count_q; ++b) {
      const Vec3 r = position - points_q[b].position_m;
      const double g = tubes ? bent(kernel.template at<4>(dot(r, r)), r, p.tangent,
                                    q.tangent, bend_p, bend_q)
                             : kernel.template at<0>(dot(r, r)).d[0];
      for (int j = 0; j < 2; ++j) {
        value[j] += g * points_q[b].value[j];
        derivative[j] += g * points_q[b].derivative[j];
      }
    }
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 2; ++j)
        out.sum[i][j] +=
            cosine * at.value[i] * value[j] - at.derivative[i] * derivative[j];
  }
  return out;
}

/// View of the data of smooth sums between elements, for CPU or GPU.
struct SmoothView {
  const Element* elements;
  const GridPoint* points;
  const std::size_t* first_point;  ///< [elements + 1]
  SplitKernelView kernel;
  Medium medium;
  double factor;  ///< k eta0 / 4 pi, ohm / m
  bool tubes;     ///< SplitKernel's sums know the wires' radii
  // Only with a real ground:
  bool has_reflection;
  SmoothReflectionView reflection;
  double reflected_radius_m;  ///< from which on its sums know them

  THINWIRE_HD const GridPoint* of(std::uint32_t e) const {
    return points + first_point[e];
  }
  THINWIRE_HD int count(std::uint32_t e) const {
    return static_cast<int>(first_point[e + 1] - first_point[e]);
  }
  /// Returns the smooth sum of source s of p with q, by the kernel G_s or sin(kr)/r.
  template <class Kernel>
  THINWIRE_HD SmoothPair pair(const Kernel& wave, std::uint32_t p, std::uint32_t q,
                              int s) const {
    return smooth_pair(wave, elements[p], of(p), count(p), s == 1, elements[q], of(q),
                       count(q), tubes);
  }
  /// Adds what the ground reflects, ohm.
  THINWIRE_HD void add_reflection(std::uint32_t p, std::uint32_t q,
                                  ElementMatrix& to) const {
    const Element &one = elements[p], &other = elements[q];
    const ReflectedPair pair = reflected_pair(
        reflection, one, of(p), count(p), other, of(q), count(q),
        (one.radius_m > other.radius_m ? one : other).radius_m > reflected_radius_m);
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 2; ++j)
        to.z[i][j] += HdComplex{-factor * pair.sum[i][j].im, factor * pair.sum[i][j].re};
  }
  /// Returns the smooth part of the element matrix: of all sources and the ground, ohm.
  THINWIRE_HD ElementMatrix matrix(std::uint32_t p, std::uint32_t q) const {
    ElementMatrix to{};
    for (int s = 0; s < medium.sources(); ++s) {
      const SmoothPair smooth = pair(kernel, p, q, s),
                       wave = pair(BoundedWave{kernel.k}, p, q, s);
      const double of_source = factor * medium.factor(s);
      for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j)
          to.z[i][j] +=
              HdComplex{of_source * wave.sum[i][j], of_source * smooth.sum[i][j]};
    }
    if (has_reflection) add_reflection(p, q, to);
    return to;
  }
};

}  // namespace thinwire
