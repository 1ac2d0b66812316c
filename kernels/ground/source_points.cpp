#include "kernels/ground/source_points.h"

namespace thinwire {

const std::vector<double>& second_derivatives(int points) {
  static const std::array<std::vector<double>, max_gauss_points + 1> all = [] {
    std::array<std::vector<double>, max_gauss_points + 1> rules;
    for (int n = 1; n <= max_gauss_points; ++n) {
      const double* x = gauss_rule(n).node;
      for (int at = 0; at < n; ++at)
        for (int b = 0; b < n; ++b) {
          // Pairs of factors of the product over c != b of (x - x_c) / (x_b - x_c) that
          // are derived.
          double sum = 0;
          for (int p = 0; p < n; ++p)
            for (int q = 0; q < n; ++q) {
              if (p == b || q == b || p == q) continue;
              double product = 1 / ((x[b] - x[p]) * (x[b] - x[q]));
              for (int c = 0; c < n; ++c)
                if (c != b && c != p && c != q) product *= (x[at] - x[c]) / (x[b] - x[c]);
              sum += product;
            }
          rules[n].push_back(sum);
        }
    }
    return rules;
  }();
  return all[points];
}

}  // namespace thinwire
