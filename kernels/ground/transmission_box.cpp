#include "kernels/ground/transmission_box.h"

#include <algorithm>
#include <cmath>

#include "kernels/base/constants.h"
#include "kernels/base/simd_clones.h"
#include "kernels/ground/ground_table.h"

namespace thinwire {
namespace {

constexpr int most = ChebyshevBox::max_nodes;

/// Nodes of n a variable, and the coefficient of T_i from values at them.
struct Rule {
  std::array<double, most> node;
  std::array<std::array<double, most>, most> transform;  ///< [i][node]
};

const Rule& rule(int count) {
  static const std::array<Rule, most + 1> rules = [] {
    std::array<Rule, most + 1> all{};
    for (int n = 1; n <= most; ++n)
      for (int a = 0; a < n; ++a) {
        const double angle = pi * (a + 0.5) / n;
        all[n].node[a] = n == 1 ? 0 : std::cos(angle);
        for (int i = 0; i < n; ++i)
          all[n].transform[i][a] = (i == 0 ? 1.0 : 2.0) / n * std::cos(i * angle);
      }
    return all;
  }();
  return rules[count];
}

double largest(const EightNumbers& c) {
  double size = 0;
  for (int n = 0; n < 8; n += 2) size = std::max(size, c[n] * c[n] + c[n + 1] * c[n + 1]);
  return std::sqrt(size);
}

/// to[n] = sum over m of matrix[n][m] from[m], in lines of `count` that are `stride`
/// apart.
THINWIRE_SIMD_CLONES
void multiply(const double* matrix, int count, std::size_t stride, std::size_t lines,
              const EightNumbers* from, EightNumbers* to) {
  for (std::size_t line = 0; line < lines; ++line) {
    const std::size_t start = line / stride * (stride * count) + line % stride;
    for (int n = 0; n < count; ++n) {
      EightSums sum{};
      for (int m = 0; m < count; ++m) {
        EightSums one;
        __builtin_memcpy(&one, &from[start + m * stride], sizeof one);
        sum += matrix[n * most + m] * one;
      }
      __builtin_memcpy(&to[start + n * stride], &sum, sizeof sum);
    }
  }
}

}  // namespace

std::span<const double> chebyshev_nodes(int count) {
  return {rule(count).node.data(), static_cast<std::size_t>(count)};
}

ChebyshevBox::ChebyshevBox(std::array<int, 3> nodes, std::vector<EightNumbers> values)
    : nodes_(nodes), c_(std::move(values)) {
  for (int variable = 0; variable < 3; ++variable)
    apply(variable, rule(nodes_[variable]).transform);
}

void ChebyshevBox::apply(int variable, const Matrix& matrix) {
  std::size_t stride = 1;
  for (int after = variable + 1; after < 3; ++after) stride *= nodes_[after];
  std::vector<EightNumbers> to(c_.size());
  multiply(matrix[0].data(), nodes_[variable], stride, c_.size() / nodes_[variable],
           c_.data(), to.data());
  c_ = std::move(to);
}

template <class Visit>
void ChebyshevBox::for_each(const Visit& visit) const {
  const EightNumbers* c = c_.data();
  for (int i = 0; i < nodes_[0]; ++i)
    for (int j = 0; j < nodes_[1]; ++j)
      for (int l = 0; l < nodes_[2]; ++l) visit(std::array{i, j, l}, largest(*c++));
}

std::array<double, 3> ChebyshevBox::tails() const {
  std::array<double, 3> tail{};
  for_each([&](const std::array<int, 3>& at, double size) {
    for (int v = 0; v < 3; ++v)
      if (nodes_[v] > 1 && at[v] >= nodes_[v] - (nodes_[v] > 3 ? 2 : 1)) tail[v] += size;
  });
  return tail;
}

ChebyshevBox ChebyshevBox::half(int variable, bool upper) const {
  const int count = nodes_[variable];
  const Rule& at = rule(count);
  Matrix matrix{};
  for (int a = 0; a < count; ++a) {
    const double angle = std::acos(0.5 * (at.node[a] + (upper ? 1 : -1)));
    for (int m = 0; m < count; ++m)
      for (int n = 0; n < count; ++n)
        matrix[n][m] += at.transform[n][a] * std::cos(m * angle);
  }
  ChebyshevBox part = *this;
  part.apply(variable, matrix);
  return part;
}

int ChebyshevBox::Powers::terms() const {
  int count = 0;
  for (int l = 0; l <= most[2]; ++l)
    for (int j = 0; j <= std::min(most[1], degree - l); ++j)
      count += 1 + std::min(most[0], degree - l - j);
  return count;
}

ChebyshevBox ChebyshevBox::first(const std::array<int, 3>& nodes) const {
  ChebyshevBox some;
  some.nodes_ = nodes;
  some.c_.reserve(static_cast<std::size_t>(nodes[0]) * nodes[1] * nodes[2]);
  for (int i = 0; i < nodes[0]; ++i)
    for (int j = 0; j < nodes[1]; ++j) {
      const EightNumbers* from = c_.data() + (i * nodes_[1] + j) * nodes_[2];
      some.c_.insert(some.c_.end(), from, from + nodes[2]);
    }
  return some;
}

ChebyshevBox ChebyshevBox::shortened(double tolerance) const {
  std::array<int, 3> nodes = powers_within(tolerance).most;
  for (int& n : nodes) ++n;
  return first(nodes);
}

ChebyshevBox::Powers ChebyshevBox::powers_within(double tolerance) const {
  std::array<double, 3 * max_nodes> of_degree{};
  std::array<std::array<double, max_nodes>, 3> of_power{};
  for_each([&](const std::array<int, 3>& at, double size) {
    of_degree[at[0] + at[1] + at[2]] += size;
    for (int v = 0; v < 3; ++v) of_power[v][at[v]] += size;
  });
  // The four conditions share what may be left out.
  const auto least = [tolerance](std::span<const double> sizes) {
    int power = static_cast<int>(sizes.size()) - 1;
    for (double left = sizes[power]; power > 0 && left < 0.25 * tolerance; --power)
      left += sizes[power - 1];
    return power;
  };
  Powers powers{least(of_degree), {}};
  for (int v = 0; v < 3; ++v)
    powers.most[v] = std::min(least(of_power[v]), powers.degree);
  return powers;
}

void ChebyshevBox::append(const Powers& powers, std::vector<double>& coefficients) const {
  ChebyshevBox kept = first({powers.most[0] + 1, powers.most[1] + 1, powers.most[2] + 1});
  // The truncation of T_i is applied before powers are taken, so that nothing of it
  // remains.
  EightNumbers* next = kept.c_.data();
  for (int i = 0; i <= powers.most[0]; ++i)
    for (int j = 0; j <= powers.most[1]; ++j)
      for (int l = 0; l <= powers.most[2]; ++l, ++next)
        if (i + j + l > powers.degree) *next = {};
  Matrix power_in{};  // of x^n in T_m
  power_in[0][0] = power_in[1][1] = 1;
  for (int m = 2; m < max_nodes; ++m)
    for (int n = 0; n <= m; ++n)
      power_in[n][m] = (n > 0 ? 2 * power_in[n - 1][m - 1] : 0) - power_in[n][m - 2];
  for (int v = 0; v < 3; ++v) kept.apply(v, power_in);
  for (int l = powers.most[2]; l >= 0; --l)
    for (int j = std::min(powers.most[1], powers.degree - l); j >= 0; --j)
      for (int i = std::min(powers.most[0], powers.degree - l - j); i >= 0; --i) {
        const EightNumbers& c = kept.c_[(i * kept.nodes_[1] + j) * kept.nodes_[2] + l];
        coefficients.insert(coefficients.end(), c.begin(), c.end());
      }
}

}  // namespace thinwire
