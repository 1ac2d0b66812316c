#include "kernels/element/coaxial_lanes.h"

#include <cmath>

#include "kernels/base/simd_clones.h"
#include "kernels/base/sincos.h"

namespace thinwire {
namespace {

/// The widest vectors hold so many numbers.
constexpr int lanes = 8;

struct alignas(64) Lanes {
  double at[lanes];
};

/// Points of a quadrature over the axial offset; few enough for the cache.
struct Offsets {
  static constexpr int capacity = 8 * lanes;
  alignas(64) double t[capacity], weight[capacity];
  int count = 0;
};

/// The Green's function of an OffAxisKernel with the exact kernel, and what the points of
/// one piece have in common.
struct CoaxialPiece {
  double centre2, swing, inner2;  ///< as ring_mean's, less t^2
  double k, origin;
};

/// ring_statics of each lane.
THINWIRE_INLINE void ring_statics_of_lanes(const Lanes& centre2, double swing,
                                           const Lanes& inner2, Lanes& inverse,
                                           Lanes& distance) {
  double near = 0;
#pragma omp simd reduction(+ : near)
  for (int l = 0; l < lanes; ++l) near += swing < 0.3 * centre2.at[l] ? 0 : 1;
  if (near == 0) {
#pragma omp simd
    for (int l = 0; l < lanes; ++l) {
      const double ratio = swing / centre2.at[l];
      const RingStatics<double> s = ring_statics_series(centre2.at[l], ratio * ratio);
      inverse.at[l] = s.inverse;
      distance.at[l] = s.distance;
    }
    return;
  }
  Lanes a, b, sum;
#pragma omp simd
  for (int l = 0; l < lanes; ++l) {
    a.at[l] = std::sqrt(centre2.at[l] + swing);
    b.at[l] = std::sqrt(inner2.at[l]);
    sum.at[l] = 0;
  }
  double weight = 1;
  for (int i = 0; i < 40; ++i) {
    double left = 0;
#pragma omp simd reduction(+ : left)
    for (int l = 0; l < lanes; ++l) left += a.at[l] - b.at[l] > 2e-8 * a.at[l] ? 1 : 0;
    if (left == 0) break;
#pragma omp simd
    for (int l = 0; l < lanes; ++l) {
      const double c = 0.5 * (a.at[l] - b.at[l]);
      const double g = std::sqrt(a.at[l] * b.at[l]);
      sum.at[l] += weight * c * c;
      a.at[l] = 0.5 * (a.at[l] + b.at[l]);
      b.at[l] = g;
    }
    weight *= 2;
  }
#pragma omp simd
  for (int l = 0; l < lanes; ++l) {
    inverse.at[l] = 2 / (a.at[l] + b.at[l]);
    distance.at[l] = (centre2.at[l] - sum.at[l]) * inverse.at[l];
  }
}

/// ring_mean of each lane.
THINWIRE_INLINE void ring_means(const CoaxialPiece& piece, const double* t, Lanes& re,
                                Lanes& im) {
  Lanes centre2, inner2, inverse, distance;
  double others = 0;
#pragma omp simd reduction(+ : others)
  for (int l = 0; l < lanes; ++l) {
    const double t2 = t[l] * t[l];
    centre2.at[l] = piece.centre2 + t2;
    inner2.at[l] = piece.inner2 + t2;
    const double r0 = std::sqrt(centre2.at[l]);
    others +=
        ring_series_holds(piece.k * r0, r0, std::sqrt(inner2.at[l]), piece.k) ? 0 : 1;
  }
  if (others > 0) {
    for (int l = 0; l < lanes; ++l) {
      const HdComplex g = ring_mean(centre2.at[l], piece.swing, inner2.at[l], piece.k);
      re.at[l] = g.re;
      im.at[l] = g.im;
    }
    return;
  }
  ring_statics_of_lanes(centre2, piece.swing, inner2, inverse, distance);
#pragma omp simd
  for (int l = 0; l < lanes; ++l) {
    const double r0 = std::sqrt(centre2.at[l]);
    const double x = piece.k * r0;
    const RingStatics<double> s{inverse.at[l], distance.at[l]};
    const HdComplex sum =
        ring_series(ring_moments(s, r0, piece.swing / centre2.at[l]), x);
    double sine, cosine;
    sincos_simd(x, sine, cosine);
    re.at[l] = (cosine * sum.re + sine * sum.im) / r0;
    im.at[l] = (cosine * sum.im - sine * sum.re) / r0;
  }
}

/// Adds what the offsets give, whose number is filled up to whole lanes.
THINWIRE_SIMD_CLONES
void add_offsets(const CoaxialPiece& piece, const Offsets& offsets,
                 OffsetMoments<double>& sum) {
  Lanes cosine_re{}, cosine_im{}, sine_re{}, sine_im{};
  for (int first = 0; first < offsets.count; first += lanes) {
    const double *t = offsets.t + first, *weight = offsets.weight + first;
    Lanes re, im;
    ring_means(piece, t, re, im);
#pragma omp simd
    for (int l = 0; l < lanes; ++l) {
      double sine, cosine;
      sincos_simd(piece.k * (t[l] - piece.origin), sine, cosine);
      const double c = weight[l] * cosine, s = weight[l] * sine;
      cosine_re.at[l] += c * re.at[l];
      cosine_im.at[l] += c * im.at[l];
      sine_re.at[l] += s * re.at[l];
      sine_im.at[l] += s * im.at[l];
    }
  }
  for (int l = 0; l < lanes; ++l) {
    sum.cosine += HdComplex{cosine_re.at[l], cosine_im.at[l]};
    sum.sine += HdComplex{sine_re.at[l], sine_im.at[l]};
  }
}

/// Takes the place of an OffAxisKernel with the exact kernel in parallel_matrix.
struct CoaxialLanes {
  OffAxisKernel<double, double> kernel;
  double scale_m, width_m;
};

OffsetMoments<double> offset_moments(const CoaxialLanes& green, double t0, double t1,
                                     double origin, double k, double sliver) {
  const double a = green.kernel.kernel.a_m, b = green.kernel.kernel.b_m,
               distance2 = green.kernel.distance2;
  const CoaxialPiece piece{distance2 + a * a + b * b, 2 * a * b,
                           distance2 + (a - b) * (a - b), k, origin};
  OffsetMoments<double> sum;
  Offsets offsets;
  const auto add_all = [&] {
    // The last lanes are filled up with a point of the piece that has no weight.
    while (offsets.count % lanes != 0) {
      offsets.t[offsets.count] = offsets.t[offsets.count - 1];
      offsets.weight[offsets.count++] = 0;
    }
    add_offsets(piece, offsets, sum);
    offsets.count = 0;
  };
  for_offsets(green, t0, t1, k, sliver, [&](double t, double weight) {
    offsets.t[offsets.count] = t;
    offsets.weight[offsets.count] = weight;
    if (++offsets.count == Offsets::capacity) add_all();
  });
  if (offsets.count > 0) add_all();
  return sum;
}

}  // namespace

ElementMatrix near_pair_by_lanes(Element p, Element q, PairSymmetry turns, double k,
                                 GreensKernel kernel, double nats) {
  turns.apply(p, q);
  if (kernel == GreensKernel::exact && depend_on_offset(p, q, kernel)) {
    const ParallelPlace<double> place(p, q);
    if (tubes_overlap(place.distance, p.radius_m + q.radius_m)) {
      const auto one = off_axis_kernel(p.radius_m, q.radius_m, place.distance, k, kernel);
      const ElementMatrix m = parallel_matrix(CoaxialLanes{one, one.scale_m, one.width_m},
                                              p.length_m, q.length_m, place.offset, k);
      return place.opposed ? second_reversed(m) : m;
    }
  }
  return near_pair_turned(p, q, {}, k, kernel, nats);
}

}  // namespace thinwire
