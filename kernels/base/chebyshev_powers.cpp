#include "kernels/base/chebyshev_powers.h"

namespace thinwire {

std::vector<double> powers_through(const std::vector<double>& values) {
  const auto terms = static_cast<int>(values.size());
  std::vector<double> power(terms, 0.0), before(terms, 0.0), now(terms, 0.0),
      after(terms);
  now[0] = 1;
  for (int n = 0; n < terms; ++n) {
    double c = 0;
    for (int i = 0; i < terms; ++i) c += values[i] * std::cos(pi * n * (i + 0.5) / terms);
    c *= (n == 0 ? 1.0 : 2.0) / terms;
    for (int i = 0; i < terms; ++i) power[i] += c * now[i];
    // T_{n+1} = 2 t T_n - T_{n-1}, T_1 = t.
    for (int i = 0; i < terms; ++i)
      after[i] = (n == 0 ? 1 : 2) * (i > 0 ? now[i - 1] : 0) - before[i];
    before = now;
    now = after;
  }
  return power;
}

}  // namespace thinwire
