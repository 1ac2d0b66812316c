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

/// The largest modulus of complex numbers side by side.
double largest(std::span<const double> parts) {
  double size = 0;
  for (std::size_t n = 0; n < parts.size(); n += 2)
    size = std::max(size, parts[n] * parts[n] + parts[n + 1] * parts[n + 1]);
  return std::sqrt(size);
}

/// to[n] = sum over m of matrix[n][m] from[m], for rows n and m of `row` numbers each, in
/// every one of `blocks` blocks of `count` rows.
THINWIRE_SIMD_CLONES
void multiply(const double* matrix, int count, std::size_t row, std::size_t blocks,
              const double* from, double* to) {
  constexpr std::size_t eight = 8;
  for (std::size_t block = 0; block < blocks; ++block, from += count * row)
    for (int n = 0; n < count; ++n, to += row) {
      const double* factor = matrix + n * most;
      std::size_t i = 0;
      for (; i + eight <= row; i += eight) {
        EightSums sum{};
        for (int m = 0; m < count; ++m) {
          EightSums one;
          __builtin_memcpy(&one, from + m * row + i, sizeof one);
          sum += factor[m] * one;
        }
        __builtin_memcpy(to + i, &sum, sizeof sum);
      }
      for (; i < row; ++i) {
        double sum = 0;
        for (int m = 0; m < count; ++m) sum += factor[m] * from[m * row + i];
        to[i] = sum;
      }
    }
}

}  // namespace

std::span<const double> chebyshev_nodes(int count) {
  return {rule(count).node.data(), static_cast<std::size_t>(count)};
}

ChebyshevBox::ChebyshevBox(std::array<int, 3> nodes, int numbers,
                           std::vector<double> values)
    : nodes_(nodes), numbers_(numbers), c_(std::move(values)) {
  for (int variable = 0; variable < 3; ++variable)
    apply(variable, rule(nodes_[variable]).transform);
}

void ChebyshevBox::apply(int variable, const Matrix& matrix) {
  std::size_t row = numbers_;
  for (int after = variable + 1; after < 3; ++after) row *= nodes_[after];
  std::vector<double> to(c_.size());
  multiply(matrix[0].data(), nodes_[variable], row, c_.size() / (row * nodes_[variable]),
           c_.data(), to.data());
  c_ = std::move(to);
}

template <class Visit>
void ChebyshevBox::for_each(const Visit& visit) const {
  const double* c = c_.data();
  for (int i = 0; i < nodes_[0]; ++i)
    for (int j = 0; j < nodes_[1]; ++j)
      for (int l = 0; l < nodes_[2]; ++l, c += numbers_)
        visit(std::array{i, j, l}, largest({c, static_cast<std::size_t>(numbers_)}));
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
  some.numbers_ = numbers_;
  some.c_.reserve(static_cast<std::size_t>(nodes[0]) * nodes[1] * nodes[2] * numbers_);
  for (int i = 0; i < nodes[0]; ++i)
    for (int j = 0; j < nodes[1]; ++j) {
      const double* from = c_.data() + (i * nodes_[1] + j) * nodes_[2] * numbers_;
      some.c_.insert(some.c_.end(), from, from + nodes[2] * numbers_);
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
  double* next = kept.c_.data();
  for (int i = 0; i <= powers.most[0]; ++i)
    for (int j = 0; j <= powers.most[1]; ++j)
      for (int l = 0; l <= powers.most[2]; ++l, next += numbers_)
        if (i + j + l > powers.degree) std::fill_n(next, numbers_, 0.0);
  Matrix power_in{};  // of x^n in T_m
  power_in[0][0] = power_in[1][1] = 1;
  for (int m = 2; m < max_nodes; ++m)
    for (int n = 0; n <= m; ++n)
      power_in[n][m] = (n > 0 ? 2 * power_in[n - 1][m - 1] : 0) - power_in[n][m - 2];
  for (int v = 0; v < 3; ++v) kept.apply(v, power_in);
  for (int l = powers.most[2]; l >= 0; --l)
    for (int j = std::min(powers.most[1], powers.degree - l); j >= 0; --j)
      for (int i = std::min(powers.most[0], powers.degree - l - j); i >= 0; --i) {
        const double* c =
            kept.c_.data() + ((i * kept.nodes_[1] + j) * kept.nodes_[2] + l) * numbers_;
        coefficients.insert(coefficients.end(), c, c + numbers_);
      }
}

}  // namespace thinwire
