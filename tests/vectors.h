#pragma once

#include <cmath>
#include <complex>
#include <random>
#include <span>
#include <vector>

namespace thinwire::testing {

inline std::vector<std::complex<double>> random_vector(std::size_t n, unsigned seed) {
  std::mt19937_64 generator(seed);
  std::normal_distribution<double> normal;
  std::vector<std::complex<double>> x(n);
  for (std::complex<double>& value : x) {
    const double re = normal(generator);
    value = {re, normal(generator)};
  }
  return x;
}

/// ||x - reference|| / ||reference||
inline double relative_difference(std::span<const std::complex<double>> x,
                                  std::span<const std::complex<double>> reference) {
  double difference = 0, size = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    difference += std::norm(x[i] - reference[i]);
    size += std::norm(reference[i]);
  }
  return std::sqrt(difference / size);
}

}  // namespace thinwire::testing
