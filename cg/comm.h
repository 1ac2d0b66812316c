#pragma once

#include <complex>
#include <span>

namespace thinwire {

/// Sums over the ranks that share one vector. Every dot product goes through a Comm, so
/// that a solver written for one process runs unchanged when each rank holds a part of
/// the unknowns.
class Comm {
 public:
  virtual ~Comm() = default;
  virtual int rank() const = 0;
  virtual int ranks() const = 0;
  /// Replaces each value by its sum over the ranks. All ranks get the same bits.
  virtual void sum(std::span<double> values) const = 0;

  void sum(std::span<std::complex<double>> values) const {
    // std::complex<double> is laid out as double[2].
    sum({reinterpret_cast<double*>(values.data()), 2 * values.size()});
  }
  void sum(double& value) const { sum(std::span<double>(&value, 1)); }
};

/// One process: the sum over ranks is the value itself.
class SerialComm final : public Comm {
 public:
  using Comm::sum;
  int rank() const override { return 0; }
  int ranks() const override { return 1; }
  void sum(std::span<double>) const override {}
};

inline const Comm& serial_comm() {
  static const SerialComm comm;
  return comm;
}

}  // namespace thinwire
