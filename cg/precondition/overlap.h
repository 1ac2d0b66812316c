#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "cg/precondition/box_size.h"
#include "cg/precondition/entry_reader.h"
#include "cg/preconditioner.h"
#include "kernels/base/monitor.h"

namespace thinwire {

/// A box of unknowns and those around it: the first `own` of `functions` are its own.
struct OverlappingSet {
  static constexpr std::size_t none = ~std::size_t{0};
  std::vector<std::uint32_t> functions;
  std::size_t own = 0;
  /// An earlier set whose matrix is the same, function by function, and which has one of
  /// its own (none): it is inverted once for both.
  std::size_t same_as = none;
};

/// Memory and work of the sets.
struct OverlapExtent {
  std::size_t boxes = 0;
  std::size_t inverses = 0;   ///< of those that are different
  std::size_t own = 0;        ///< the unknowns: own ones of all sets
  std::size_t positions = 0;  ///< functions of all sets
  std::size_t entries = 0;    ///< that are kept: own rows of the inverses
  std::size_t read = 0;       ///< entries of the blocks that are inverted
  std::size_t products = 0;   ///< of entries in one use: own rows of all sets
  std::size_t largest = 0;    ///< functions of one set
  double flops = 0;           ///< of the inversion: LU, and the own columns solved for

  /// again: its matrix is that of a set that has been added.
  void add(std::size_t own_functions, std::size_t functions, bool again = false);
  static OverlapExtent of(std::span<const OverlappingSet> sets);
  /// Returns the bytes of the preconditioner: exact on the CPU; on a GPU up to the
  /// padding of rows.
  std::size_t bytes() const;
  std::size_t device_bytes() const;
  /// Returns the temporary memory of the inversion: on the CPU with so many threads; on a
  /// GPU the minimum.
  std::size_t inversion_bytes(int threads) const;
  std::size_t device_inversion_bytes() const;
};

/// Restricted additive Schwarz (X.-C. Cai, M. Sarkis, "A restricted additive Schwarz
/// preconditioner for general sparse linear systems", SIAM J. Sci. Comput. 21 (1999)
/// 792-797): Z is restricted to each overlapping set and inverted, and of the inverse
/// only the rows of the set's own unknowns are kept,
///
///     z[own of b] = (Z[b, b]^-1 r[b])[own of b],   b = own of b and those around.
///
/// That makes M unsymmetric, for GMRES alone, and takes far fewer iterations than the
/// symmetric variants on wire grids. The inverses are in complex single, so that GMRES is
/// to be `flexible`. Sets with the same matrix share one, which multiplies all of them
/// together.
class OverlapPreconditioner final : public Preconditioner {
 public:
  /// Reads and inverts set by set, as many at a time as there are threads. Throws
  /// Error{numeric} if the own functions do not partition 0 .. n-1, n being their number,
  /// if a set names one twice or none of its own, if same_as names no earlier set of the
  /// same size, if a matrix is exactly singular or has an entry that is not finite;
  /// Error{memory}; and what `read` throws. The monitor may stop it between two panels of
  /// a factorisation.
  OverlapPreconditioner(std::span<const OverlappingSet> sets, const EntryReader& read,
                        const Monitor& monitor = {});

  std::size_t size() const override { return size_; }
  bool symmetric() const override { return false; }
  void apply(std::span<const Complex> r, std::span<Complex> z) const override;
  /// Memory that the inverses and the numbers of their unknowns take.
  std::size_t bytes() const;

 private:
  using Single = std::complex<float>;
  /// One inverse and the sets that use it.
  struct Inverse {
    std::size_t entry;     ///< where its own rows start in rows_, each of `functions`
    std::size_t position;  ///< where the functions of its sets start in functions_
    std::uint32_t own, functions, sets;
  };

  std::size_t size_ = 0;
  std::vector<std::uint32_t> functions_;  ///< set by set, those of one inverse together
  std::vector<Inverse> inverses_;
  std::vector<Single> rows_;  ///< own rows of the inverses, row by row
};

/// Throws Error{numeric} where the sets are none, see OverlapPreconditioner.
void check_sets(std::span<const OverlappingSet> sets);

/// Numbers of the sets that share a matrix, the one that has it first.
std::vector<std::vector<std::size_t>> equal_sets(std::span<const OverlappingSet> sets);

}  // namespace thinwire
