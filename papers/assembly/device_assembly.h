#pragma once

#include "kernels/device/device.h"
#include "papers/assembly/assembly.h"

namespace thinwire {

/// A body and its connectivity as kernels see them.
struct BodyView {
  const Vec3* node;
  const std::uint32_t* corner;   ///< [element][8]
  const std::int64_t* at_first;  ///< NodeElements
  const std::uint32_t* at_place;
  const std::int64_t* row_ptr;  ///< BlockPattern
  const std::uint32_t* column;
  Elasticity material;
  unsigned longest_row;
};

/// Assembles the matrix of assembly.h on a GPU, equal up to rounding and bitwise
/// repeatable. Copies body and connectivity to the current GPU; the caller chooses the
/// rows to assemble, into memory there.
class DeviceAssembly {
 public:
  /// body and connectivity must outlive it. Throws Error{memory}; Error{geometry} where a
  /// node has more neighbours than a multiprocessor holds a row of, about 2,000.
  DeviceAssembly(const ElasticBody& body, const Connectivity& connectivity);

  /// Gather: rows first .. last - 1; value: [their blocks][9], need not be cleared. Gives
  /// work to the stream and does not wait.
  void rows(std::size_t first, std::size_t last, double* value,
            const DeviceStream& stream) const;

  const ElasticBody& body() const { return body_; }
  const Connectivity& connectivity() const { return connectivity_; }
  BodyView view() const;

 private:
  const ElasticBody& body_;
  const Connectivity& connectivity_;
  unsigned longest_row_;
  DeviceBuffer<Vec3> node_;
  DeviceBuffer<std::array<std::uint32_t, 8>> element_;
  DeviceBuffer<std::int64_t> at_first_, row_ptr_;
  DeviceBuffer<std::uint32_t> at_place_, column_;
};

/// Scatters by colours on the current GPU: (1) to (3) of the methods.
class DeviceScatter {
 public:
  /// assembly and colouring must outlive it. Throws Error{memory}.
  DeviceScatter(const DeviceAssembly& assembly, const Colouring& colouring,
                AssemblyMethod method);

  /// Adds colours first .. last - 1 to value, [blocks][9]. Gives work to the stream and
  /// does not wait, but for the search on the CPU. One call at a time.
  void add(std::size_t first, std::size_t last, double* value,
           const DeviceStream& stream);

 private:
  void search(std::span<const std::uint32_t> elements, const DeviceStream& stream);

  const DeviceAssembly& assembly_;
  const Colouring& colouring_;
  AssemblyMethod method_;
  DeviceBuffer<std::uint32_t> element_;  // in the order of colours
  DeviceBuffer<double> gradients_;       // of a colour [element][point][axis][corner]
  DeviceBuffer<std::uint32_t> place_;    // of a colour [element][a][b], in a's row
  std::vector<std::uint32_t> host_place_;
};

}  // namespace thinwire
