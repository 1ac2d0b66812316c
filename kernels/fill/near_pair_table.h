#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "kernels/base/monitor.h"
#include "kernels/device/device.h"
#include "kernels/element/close_pairs.h"
#include "kernels/element/element.h"
#include "kernels/element/medium.h"
#include "kernels/element/quadrature_order.h"
#include "kernels/fill/pair_classes.h"
#include "kernels/fill/wavenumber_nodes.h"

namespace thinwire {

/// The element matrices of all near pairs of a mesh over a range of frequencies.
///
/// Near pairs cost a hundred times what far pairs do. Pairs that lie alike
/// (pair_shape.h), as most do on grids and lattices, are integrated once, and matrices
/// are smooth functions of frequency: a sweep of many integrates only at the few nodes of
/// wavenumber_nodes.h and interpolates between. Where there are none, or the matrices at
/// all nodes would take more than `max_bytes`, every frequency is integrated by itself.
class NearPairTable {
 public:
  /// Finds the near pairs (far_order of quadrature_order.h, at the range's last). A pair
  /// is a source of an element in the medium, itself or an image, and an element.
  /// limit_radii, nats: PairLimit's. `elements` must outlive the table. Throws
  /// Error{interrupted} where the monitor requests a stop.
  NearPairTable(std::span<const Element> elements, WavenumberRange range,
                GreensKernel kernel, Medium medium,
                std::size_t max_bytes = std::numeric_limits<std::size_t>::max(),
                const Monitor& monitor = {}, double limit_radii = series_radii,
                double nats = near_pair_nats);

  /// bytes() of such a table after set_wavenumber(): its pairs are found, and nothing is
  /// integrated.
  static std::size_t bytes_of(std::span<const Element> elements, WavenumberRange range,
                              GreensKernel kernel, Medium medium, std::size_t max_bytes);

  /// Makes the matrices for one wave number in the range; at() then answers for it.
  void set_wavenumber(double k_rad_per_m, const Monitor& monitor = {});

  /// The matrix of source s of p (medium.h) and q, a near pair; without the factor that
  /// the source acts with.
  ElementMatrix at(std::uint32_t p, std::uint32_t q, int s) const;

  /// Distinguishes near and far pairs, by the wave number of the shortest wave.
  PairLimit limit() const { return limit_; }
  std::size_t pairs() const;
  std::size_t classes() const;  ///< of pairs that lie alike
  std::size_t bytes() const;

 private:
  struct Pairs : ElementPairs {
    PairClasses classes;
    // Matrices of the representative pairs (pair_shape.h):
    std::vector<ElementMatrix> nodes;    ///< what is interpolated, [classes][nodes]
    std::vector<ElementMatrix> current;  ///< z at the wave number set, [classes]
  };

  Monitor of_source(int s, const Monitor& monitor) const;
  Pairs find(int s, const Monitor& monitor);
  template <class Body>
  void for_classes(const Pairs& pairs, const Monitor& monitor, const Body& body) const;
  void integrate(int s, const Monitor& monitor);
  void evaluate(int s, double k, const Monitor& monitor);
  void interpolate(Pairs& pairs, std::span<const double> weight, double k) const;
  double smoothing(std::uint32_t p, std::uint32_t q, double k) const;

  std::span<const Element> elements_;
  PairLimit limit_;
  GreensKernel kernel_;
  Medium medium_;
  double reach_m_ = 0;  ///< longest near_pair_reach
  WavenumberNodes nodes_;
  std::vector<Pairs> pairs_;  // of each source of the medium
};

/// Which pairs (p, q), q <= p, are left out; of each p, on the GPU, null: none.
struct OmittedPairs {
  const std::uint32_t* first_partner = nullptr;  ///< those with q before; not descending
  const std::uint8_t* needed = nullptr;          ///< all, where it is 0
};

/// The near pairs of a mesh on the GPU, with their element matrices at one wave number:
/// what NearPairTable is on the CPU.
class DeviceNearPairs {
 public:
  /// Finds the pairs that far_order (quadrature_order.h) leaves to near_pair. elements:
  /// on the GPU, [count]. A pair is one source of an element in the medium and an
  /// element. Throws Error{memory}.
  DeviceNearPairs(const Element* elements, std::size_t count, GreensKernel kernel,
                  Medium medium, int source, PairLimit limit, const DeviceStream& stream,
                  OmittedPairs omitted = {});

  /// Integrates at the nodes, between which set_wavenumber then interpolates; without, or
  /// with none, it integrates. Waits. Throws Error{memory}.
  void tabulate(const WavenumberNodes& nodes, const DeviceStream& stream);
  std::size_t table_bytes(const WavenumberNodes& nodes) const;

  /// Makes the matrices for this wave number. Waits. Throws Error{interrupted} where the
  /// monitor requests a stop; reports no progress.
  void set_wavenumber(double k_rad_per_m, const DeviceStream& stream,
                      const Monitor& monitor);

  std::size_t pairs() const { return second_.size(); }
  std::size_t classes() const { return classes_.size(); }  ///< of pairs that lie alike
  double reach_m() const { return reach_m_; }              ///< longest near_pair_reach
  std::size_t bytes() const {
    return row_.bytes() + second_.bytes() + classes_.bytes() + matrix_.bytes() +
           table_.bytes();
  }

  /// Pairs (p, q), q <= p, ordered by p, then q; row p is row[p] .. row[p + 1] - 1. The
  /// matrix of pair i is PairSymmetry::of(turns[i]).undo(matrix[of_pair[i]]).
  struct View {
    const std::uint64_t* row = nullptr;
    const std::uint32_t* second = nullptr;
    const std::uint32_t* of_pair = nullptr;
    const std::uint8_t* symmetry = nullptr;
    const ElementMatrix* matrix = nullptr;
  };
  View view() const {
    return {row_.data(), second_.data(), classes_.of_pair.data(),
            classes_.symmetry.data(), matrix_.data()};
  }

 private:
  const Element* elements_ = nullptr;
  GreensKernel kernel_ = GreensKernel::exact;
  Medium medium_;
  int source_ = 0;
  double nats_ = near_pair_nats;
  double reach_m_ = 0;
  WavenumberNodes nodes_;               // empty: no interpolation
  DeviceBuffer<std::uint64_t> row_;     // [elements + 1]
  DeviceBuffer<std::uint32_t> second_;  // q
  DevicePairClasses classes_;
  DeviceBuffer<ElementMatrix> matrix_;  // [classes]
  DeviceBuffer<double> table_;          // what is interpolated, [nodes][classes][8]
};

}  // namespace thinwire
