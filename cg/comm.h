#pragma once

#include <algorithm>
#include <complex>
#include <span>

namespace thinwire {

/// The ranks that share one vector, each with a part of it. Every dot product goes
/// through a Comm, so that a solver written for one process runs unchanged when each rank
/// holds a part of the unknowns. All ranks make the same calls in the same order, with
/// sizes that fit.
class Comm {
 public:
  virtual ~Comm() = default;
  virtual int rank() const = 0;
  virtual int ranks() const = 0;
  /// Replaces each value by its sum over the ranks. All ranks get the same bits.
  virtual void sum(std::span<double> values) const = 0;
  /// The parts of all ranks, one after another in the order of ranks, to every rank.
  /// Parts may differ in length; whole is as long as all of them.
  virtual void gather(std::span<const double> part, std::span<double> whole) const = 0;
  /// Gathers to rank `root` alone; `whole` is not used on the others.
  virtual void gather(std::span<const double> part, std::span<double> whole,
                      int root) const = 0;
  /// Copies the `values` of rank `root` to every rank.
  virtual void broadcast(std::span<double> values, int root) const = 0;

  void sum(std::span<std::complex<double>> values) const { sum(as_doubles(values)); }
  void sum(double& value) const { sum(std::span<double>(&value, 1)); }
  void gather(std::span<const std::complex<double>> part,
              std::span<std::complex<double>> whole) const {
    gather({reinterpret_cast<const double*>(part.data()), 2 * part.size()},
           as_doubles(whole));
  }
  void gather(std::span<const std::complex<double>> part,
              std::span<std::complex<double>> whole, int root) const {
    gather({reinterpret_cast<const double*>(part.data()), 2 * part.size()},
           as_doubles(whole), root);
  }
  void broadcast(std::span<std::complex<double>> values, int root) const {
    broadcast(as_doubles(values), root);
  }

 private:
  /// std::complex<double> is laid out as double[2].
  static std::span<double> as_doubles(std::span<std::complex<double>> values) {
    return {reinterpret_cast<double*>(values.data()), 2 * values.size()};
  }
};

/// One process: the sum over ranks is the value itself, and its part is the whole.
class SerialComm final : public Comm {
 public:
  using Comm::broadcast;
  using Comm::gather;
  using Comm::sum;
  int rank() const override { return 0; }
  int ranks() const override { return 1; }
  void sum(std::span<double>) const override {}
  void gather(std::span<const double> part, std::span<double> whole) const override {
    std::copy(part.begin(), part.end(), whole.begin());
  }
  void gather(std::span<const double> part, std::span<double> whole, int) const override {
    gather(part, whole);
  }
  void broadcast(std::span<double>, int) const override {}
};

inline const Comm& serial_comm() {
  static const SerialComm comm;
  return comm;
}

}  // namespace thinwire
