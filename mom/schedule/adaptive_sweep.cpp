#include "mom/schedule/adaptive_sweep.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <utility>

namespace thinwire {
namespace {

using Complex = AdaptiveSweep::Complex;

/// Solved before there is a model.
constexpr std::size_t first_frequencies = AdaptiveSweep::fewest_frequencies / 2;
/// Solutions in a row that must have been predicted.
constexpr std::size_t checks_wanted = 4;
/// A port's current counts beside its own size, but not below this share of the largest
/// port current of the side.
constexpr double min_port_share = 1e-3;
/// Conductance over admittance below which rounding takes part.
constexpr double min_real_share = 1e-7;

/// Random sums watched of each side's coefficients, whatever their number.
std::size_t sums_of_rhs(std::size_t rhs_count) {
  return std::max<std::size_t>(4, 16 / rhs_count);
}

/// Returns the numbers that represent a sample in the model: for each right-hand side its
/// port currents, then sums of its coefficients with random signs.
std::vector<Complex> watched_numbers(const SweepSample& sample) {
  std::vector<Complex> numbers;
  for (std::size_t s = 0; s < sample.rhs.size(); ++s) {
    numbers.insert(numbers.end(), sample.port_current_a[s].begin(),
                   sample.port_current_a[s].end());
    std::mt19937 signs(1);  // the same signs for every sample
    for (std::size_t i = 0; i < sums_of_rhs(sample.rhs.size()); ++i) {
      Complex sum = 0;
      for (const Complex& c : sample.rhs[s]) sum += signs() & 1U ? c : -c;
      numbers.push_back(sum);
    }
  }
  return numbers;
}

/// Beside what errors of the watched numbers are small: ports' currents beside
/// themselves, that of the port which drives the side beside its real part, which is
/// what the resistance follows from, sums beside their mean size in the same side.
std::vector<double> scale_of(const std::vector<Complex>& numbers, std::size_t rhs_count,
                             bool to_rounding) {
  const std::size_t per_rhs = numbers.size() / rhs_count, sums = sums_of_rhs(rhs_count);
  const std::size_t ports = per_rhs - sums;
  std::vector<double> scale;
  for (std::size_t s = 0; s < rhs_count; ++s) {
    const Complex* const first = numbers.data() + s * per_rhs;
    double largest = 0, square = 0;
    for (std::size_t p = 0; p < ports; ++p)
      largest = std::max(largest, std::abs(first[p]));
    for (std::size_t i = ports; i < per_rhs; ++i) square += std::norm(first[i]);
    const auto own = [&](Complex current) {
      return to_rounding
                 ? std::max(std::abs(current.real()), min_real_share * std::abs(current))
                 : std::abs(current);
    };
    for (std::size_t i = 0; i < per_rhs; ++i)
      scale.push_back(i == s && i < ports ? own(first[i])
                      : i < ports ? std::max(std::abs(first[i]), min_port_share * largest)
                                  : std::sqrt(square / static_cast<double>(sums)));
  }
  for (double& value : scale)
    if (value == 0) value = 1;
  return scale;
}

/// |a - b| / |b|, zero where both are.
double distance(const std::vector<Complex>& a, const std::vector<Complex>& b) {
  double difference = 0, size = 0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    difference += std::norm(a[i] - b[i]);
    size += std::norm(b[i]);
  }
  return difference == 0 ? 0 : std::sqrt(difference / size);
}

}  // namespace

AdaptiveSweep::AdaptiveSweep(std::vector<double> frequency_hz, SweepControl control)
    : frequency_hz_(std::move(frequency_hz)),
      control_(control),
      model_(control.fit),
      solved_(frequency_hz_.size(), 0) {}

/// -1 to 1 over the sweep.
double AdaptiveSweep::place(std::size_t index) const {
  const double low = frequency_hz_.front(), high = frequency_hz_.back();
  return ((frequency_hz_[index] - low) - (high - frequency_hz_[index])) / (high - low);
}

std::vector<std::size_t> AdaptiveSweep::next() {
  const std::size_t count = frequency_hz_.size();
  std::vector<std::size_t> rest;
  for (std::size_t i = 0; i < count; ++i)
    if (!solved(i)) rest.push_back(i);
  const bool few = count < fewest_frequencies;
  if (rest.empty() || few || 2 * solved_count() > count) return rest;
  if (index_.empty()) return spread();
  update();
  auto worst =
      *std::max_element(rest.begin(), rest.end(), [this](std::size_t a, std::size_t b) {
        return disagreement_[a] < disagreement_[b];
      });
  const bool predicted =
      check_.size() >= checks_wanted &&
      std::all_of(check_.end() - static_cast<std::ptrdiff_t>(checks_wanted), check_.end(),
                  [this](double error) { return error <= control_.tolerance; });
  if (predicted && disagreement_[worst] <= control_.tolerance) return {};
  // A single model cannot disagree with another one yet.
  if (std::isinf(disagreement_[worst])) worst = widest_gap(solved_);
  std::vector<char> taken = solved_;
  taken[worst] = 1;
  if (rest.size() < 2) return {worst};
  return {worst, widest_gap(taken)};
}

std::vector<std::size_t> AdaptiveSweep::spread() const {
  const double low = frequency_hz_.front(), range = frequency_hz_.back() - low;
  double pieces = first_frequencies - 1;
  if (control_.widest_gap_hz > 0)
    pieces = std::clamp(std::ceil(range / control_.widest_gap_hz), pieces,
                        static_cast<double>(frequency_hz_.size()));
  std::vector<std::size_t> indices;
  for (double i = 0; i <= pieces; ++i) {
    const auto above = std::lower_bound(frequency_hz_.begin(), frequency_hz_.end() - 1,
                                        low + range * (i / pieces));
    auto index = static_cast<std::size_t>(above - frequency_hz_.begin());
    if (index > 0 && low + range * (i / pieces) - frequency_hz_[index - 1] <
                         frequency_hz_[index] - low - range * (i / pieces))
      --index;
    if (indices.empty() || index > indices.back()) indices.push_back(index);
  }
  return indices;
}

/// Returns the frequency that is farthest from all those taken.
std::size_t AdaptiveSweep::widest_gap(const std::vector<char>& taken) const {
  std::vector<double> gap(taken.size());
  double last = -1e300;
  for (std::size_t i = 0; i < taken.size(); ++i) {
    if (taken[i]) last = frequency_hz_[i];
    gap[i] = frequency_hz_[i] - last;
  }
  last = 1e300;
  for (std::size_t i = taken.size(); i-- > 0;) {
    if (taken[i]) last = frequency_hz_[i];
    gap[i] = std::min(gap[i], last - frequency_hz_[i]);
  }
  return static_cast<std::size_t>(std::max_element(gap.begin(), gap.end()) - gap.begin());
}

void AdaptiveSweep::add(std::size_t index, SweepSample sample) {
  if (known_ > 0) check_.push_back(misprediction(index, sample));
  std::vector<Complex> numbers = watched_numbers(sample);
  std::vector<double> scale = scale_of(numbers, sample.rhs.size(), control_.to_rounding);
  model_.add(place(index), std::move(numbers), std::move(scale));
  samples_.push_back(std::move(sample));
  index_.push_back(index);
  solved_[index] = 1;
}

/// How far the last model, which did not know the sample, is off.
double AdaptiveSweep::misprediction(std::size_t index, const SweepSample& sample) const {
  const std::vector<Complex> numbers = watched_numbers(sample);
  double largest =
      relative_difference(watched_[index], numbers,
                          scale_of(numbers, sample.rhs.size(), control_.to_rounding));
  const std::vector<std::vector<Complex>> rhs = modelled(index);
  for (std::size_t s = 0; s < rhs.size(); ++s) {
    const double error = distance(rhs[s], sample.rhs[s]);
    if (!(error <= largest)) largest = error;
  }
  return largest;
}

/// Makes a model of all samples and compares it to the last one.
void AdaptiveSweep::update() {
  model_.fit();
  const std::vector<std::vector<Complex>> before = std::exchange(watched_, {});
  disagreement_.assign(frequency_hz_.size(), std::numeric_limits<double>::infinity());
  for (std::size_t i = 0; i < frequency_hz_.size(); ++i) {
    watched_.push_back(model_.values(place(i)));
    if (known_ > 0)
      disagreement_[i] = relative_difference(
          before[i], watched_[i],
          scale_of(watched_[i], samples_.front().rhs.size(), control_.to_rounding));
  }
  known_ = samples_.size();
}

std::vector<std::vector<Complex>> AdaptiveSweep::modelled(std::size_t index) const {
  const std::vector<Complex> b = model_.coefficients(place(index));
  std::vector<std::vector<Complex>> rhs;
  for (const std::vector<Complex>& one : samples_.front().rhs)
    rhs.emplace_back(one.size());
  for (std::size_t j = 0; j < b.size(); ++j) {
    const SweepSample& sample = samples_[model_.support()[j]];
    for (std::size_t s = 0; s < rhs.size(); ++s)
      for (std::size_t i = 0; i < rhs[s].size(); ++i)
        rhs[s][i] += b[j] * sample.rhs[s][i];
  }
  return rhs;
}

double AdaptiveSweep::error(std::size_t index) const {
  double largest = disagreement_[index];
  for (std::size_t i = check_.size() - std::min(check_.size(), checks_wanted);
       i < check_.size(); ++i)
    largest = std::max(largest, check_[i]);
  return largest;
}

}  // namespace thinwire
