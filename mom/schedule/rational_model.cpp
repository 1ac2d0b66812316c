#include "mom/schedule/rational_model.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "cg/direct/least_vector.h"

namespace thinwire {

using Complex = RationalModel::Complex;

double relative_difference(std::span<const Complex> a, std::span<const Complex> b,
                           std::span<const double> scale) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double difference = std::abs(a[i] - b[i]) / scale[i];
    if (!(difference <= largest)) largest = difference;  // NaN stays
  }
  return largest;
}

void RationalModel::add(double x, std::vector<Complex> values,
                        std::vector<double> scale) {
  samples_.push_back({x, std::move(values), std::move(scale)});
}

bool RationalModel::is_support(std::size_t sample) const {
  return std::find(support_.begin(), support_.end(), sample) != support_.end();
}

/// As long as the other samples have more equations than there are weights.
bool RationalModel::may_grow() const {
  const std::size_t size = support_.size() + 1;
  return size < samples_.size() &&
         (samples_.size() - size) * samples_.front().values.size() >= size;
}

void RationalModel::fit() {
  if (support_.empty()) {
    support_ = {0};
    weights_ = {1.0};
  } else {
    find_weights();
  }
  while (may_grow()) {
    const auto [sample, misfit] = worst();
    if (misfit <= fit_) return;
    support_.push_back(sample);
    find_weights();
  }
}

std::pair<std::size_t, double> RationalModel::worst() const {
  std::pair<std::size_t, double> found{0, -1};
  for (std::size_t i = 0; i < samples_.size(); ++i) {
    if (is_support(i)) continue;
    const Sample& sample = samples_[i];
    const double misfit =
        relative_difference(values(sample.x), sample.values, sample.scale);
    if (!(misfit <= found.second)) found = {i, misfit};
  }
  return found;
}

/// Least squares of sum_j w_j (F(x_i) - F(x_j)) / (x_i - x_j) over all other samples i.
void RationalModel::find_weights() {
  const std::size_t components = samples_.front().values.size();
  const std::size_t columns = support_.size();
  const std::size_t rows = components * (samples_.size() - columns);
  std::vector<Complex> equations(rows * columns);
  std::vector<double> length(columns);
  for (std::size_t j = 0; j < columns; ++j) {
    const Sample& at = samples_[support_[j]];
    const std::span<Complex> column = std::span(equations).subspan(j * rows, rows);
    auto equation = column.begin();
    for (std::size_t i = 0; i < samples_.size(); ++i) {
      if (is_support(i)) continue;
      const Sample& other = samples_[i];
      for (std::size_t c = 0; c < components; ++c, ++equation) {
        *equation =
            (other.values[c] - at.values[c]) / ((other.x - at.x) * other.scale[c]);
        length[j] += std::norm(*equation);
      }
    }
    length[j] = length[j] > 0 ? std::sqrt(length[j]) : 1;
    for (Complex& value : column) value /= length[j];
  }
  weights_ = least_vector(rows, columns, std::move(equations));
  for (std::size_t j = 0; j < columns; ++j) weights_[j] /= length[j];
}

std::vector<Complex> RationalModel::coefficients(double x) const {
  std::vector<Complex> b(support_.size());
  Complex sum = 0;
  for (std::size_t j = 0; j < b.size(); ++j) {
    const double distance = x - samples_[support_[j]].x;
    if (distance == 0) {
      std::fill(b.begin(), b.end(), Complex());
      b[j] = 1;
      return b;
    }
    b[j] = weights_[j] / distance;
    sum += b[j];
  }
  for (Complex& value : b) value /= sum;
  return b;
}

std::vector<Complex> RationalModel::values(double x) const {
  const std::vector<Complex> b = coefficients(x);
  std::vector<Complex> sum(samples_.front().values.size());
  for (std::size_t j = 0; j < b.size(); ++j)
    for (std::size_t c = 0; c < sum.size(); ++c)
      sum[c] += b[j] * samples_[support_[j]].values[c];
  return sum;
}

}  // namespace thinwire
