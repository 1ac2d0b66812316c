#pragma once

#include <cmath>
#include <cstddef>

#include "kernels/element/close_pairs.h"
#include "kernels/element/medium.h"
#include "kernels/element/pair_shape.h"
#include "kernels/element/tube_blend.h"

namespace thinwire {

/// Which pairs of elements the near field is made of: source s of p (medium.h) and q;
/// same: p is q.
struct NearRule {
  Medium medium;
  double cut_m, k_rad_per_m;
  double tolerance;     ///< the grid's class
  bool tubes;           ///< the grid knows the wires' radii
  double real_reach_m;  ///< most that the centres of a pair in R are apart

  /// Returns by how much the box around one element of a pair in X, or in R, is to be
  /// grown to touch the other's.
  THINWIRE_HD double reach_m(bool real_part) const {
    return real_part ? std::fmin(cut_m, real_reach_m) : cut_m;
  }

  /// Whether the fourth order of a radius counts for the grid, (ka)^4 / 64.
  THINWIRE_HD bool is_thick(double radius_m) const {
    const double ka = k_rad_per_m * radius_m;
    return ka * ka * ka * ka / 64 > 3 * tolerance;
  }

  /// In X: the axes come as near as r_c and both radii.
  THINWIRE_HD bool close(const Element& p, const Element& q, bool same, int s) const {
    return elements_close(medium.source(p, s), q, cut_m, same && s == 0);
  }

  /// In R too: the grid has the real part less well than its class, because wires are
  /// thick, or because the fill takes tubes that run into one another at a bend for
  /// coaxial rings (tube_blend.h). Of close pairs.
  THINWIRE_HD bool real_part_kept(const Element& p, const Element& q, bool same,
                                  int s) const {
    if (!tubes) return false;
    if (is_thick(std::fmax(p.radius_m, q.radius_m))) return true;
    if (same && s == 0) return false;
    const Element one = medium.source(p, s);
    const double radii = one.radius_m + q.radius_m;
    // Most are too far apart for a closer look.
    if (norm(centre_of(one) - centre_of(q)) >
        0.5 * (one.length_m + q.length_m) + blend_reach * radii)
      return false;
    return !elements_parallel(one, q) && BlendZone(one, q).any();
  }

  /// Bit s: whether source s counts, in X or in R.
  THINWIRE_HD unsigned sources(const Element& p, const Element& q, bool same,
                               bool real_part) const {
    unsigned bits = 0;
    for (int s = 0; s < medium.sources(); ++s)
      if ((!real_part || real_part_kept(p, q, same, s)) && close(p, q, same, s))
        bits |= 1u << s;
    return bits;
  }
};

/// Rows first .. last - 1 of X and R, of GPUs that have some each.
struct NearShare {
  std::size_t first = 0, last = static_cast<std::size_t>(-1);
  THINWIRE_HD bool has(std::size_t row) const { return first <= row && row < last; }
};

}  // namespace thinwire
