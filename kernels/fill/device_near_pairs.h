#pragma once

#include <cstdint>
#include <span>

#include "kernels/device/device.h"
#include "kernels/element/element.h"
#include "kernels/fill/wavenumber_nodes.h"

namespace thinwire {

/// The near pairs of a mesh on the GPU, with their element matrices at one wave number:
/// what NearPairTable is on the CPU.
class DeviceNearPairs {
 public:
  /// Finds the pairs that far_order (quadrature_order.h) leaves to near_pair at
  /// `sorting_k`, rad/m, the largest wave number to come. elements: on the GPU, [count],
  /// and the same on the host. image: pairs of an element's image in z = 0 with an
  /// element. Throws Error{memory}.
  DeviceNearPairs(const Element* elements, std::span<const Element> on_host,
                  GreensKernel kernel, bool image, double sorting_k,
                  const DeviceStream& stream);

  /// Integrates at the nodes, between which set_wavenumber then interpolates; without, or
  /// with none, it integrates. Waits. Throws Error{memory}.
  void tabulate(const WavenumberNodes& nodes, const DeviceStream& stream);
  std::size_t table_bytes(const WavenumberNodes& nodes) const;

  /// Makes the matrices for this wave number. Waits.
  void set_wavenumber(double k_rad_per_m, const DeviceStream& stream);

  std::size_t pairs() const { return second_.size(); }
  double reach_m() const { return reach_m_; }  ///< longest near_pair_reach
  std::size_t bytes() const {
    return row_.bytes() + first_.bytes() + second_.bytes() + matrix_.bytes() +
           table_.bytes();
  }

  /// Pairs (p, q), q <= p, ordered by p, then q; row p is row[p] .. row[p + 1] - 1.
  struct View {
    const std::uint64_t* row = nullptr;
    const std::uint32_t* second = nullptr;
    const ElementMatrix* matrix = nullptr;
  };
  View view() const { return {row_.data(), second_.data(), matrix_.data()}; }

 private:
  const Element* elements_ = nullptr;
  GreensKernel kernel_ = GreensKernel::exact;
  bool image_ = false;
  double reach_m_ = 0;
  WavenumberNodes nodes_;               // empty: no interpolation
  DeviceBuffer<std::uint64_t> row_;     // [elements + 1]
  DeviceBuffer<std::uint32_t> first_;   // p
  DeviceBuffer<std::uint32_t> second_;  // q
  DeviceBuffer<ElementMatrix> matrix_;  // [pairs]
  DeviceBuffer<double> table_;          // what is interpolated, [nodes][pairs][8]
};

}  // namespace thinwire
