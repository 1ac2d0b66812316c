#pragma once

#include <span>

#include "kernels/base/large_vector.h"
#include "papers/assembly/block_crs.h"

namespace thinwire {

/// Stiffness of a body of trilinear hexahedra, whose nodes are free, in the 3 x 3 blocks
/// of connect(body.mesh).pattern. Element matrices are integrated and added up
///   by rows (gather): each row is summed up by one thread or warp from the elements at
///     its node. Nothing is shared, nothing has to be cleared, and the rows can be
///     distributed to any workers. A gradient is made for each row that wants it.
///   by colours (scatter): elements of a colour share no node and are added at once, one
///     colour after another.
///   in order (scatter): element by element, on one thread.
/// By rows and in order are the same bits, whatever the number of threads; by colours has
/// bits of its own, the same from every run. S. Ohshima, M. Hayashi, T. Katagiri, K.
/// Nakajima (in Japanese), IPSJ SIG technical report, 2011, has the scatters, in five
/// versions.

enum class AssemblyMethod {
  rows,           ///< gather, on CPU and GPU
  fused,          ///< (1) on a GPU: one kernel a colour, its parts' results on the chip
  search_on_cpu,  ///< (2) on a GPU, a kernel for each part; the CPU searches for places
  split,          ///< (3) on a GPU, a kernel for each part, also for the search
  colours,        ///< (4) on all threads of the CPU
  in_order        ///< (5) on one
};

/// Whether it wants colours.
inline bool wants_colours(AssemblyMethod method) {
  return method != AssemblyMethod::rows && method != AssemblyMethod::in_order;
}

/// Zeros on the host for a whole matrix, which all threads have touched.
LargeVector<double> zero_values(std::size_t count);
/// Sets values to zero, on all threads.
void clear(std::span<double> value);

/// Rows first .. last - 1, on all threads. value: [their blocks][9], need not be cleared.
void assemble_rows(const ElasticBody& body, const Connectivity& connectivity,
                   std::size_t first, std::size_t last, std::span<double> value);

/// On one thread. value: [blocks][9].
void assemble_in_order(const ElasticBody& body, const Connectivity& connectivity,
                       std::span<double> value);

/// On all threads: adds colours first .. last - 1 to value, [blocks][9].
void add_colours(const ElasticBody& body, const Connectivity& connectivity,
                 const Colouring& colouring, std::size_t first, std::size_t last,
                 std::span<double> value);

}  // namespace thinwire
