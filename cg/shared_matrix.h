#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "cg/comm.h"
#include "cg/linear_operator.h"
#include "cg/spread_tiles.h"
#include "kernels/matrix/matrix_update.h"
#include "kernels/matrix/packed_tiles.h"
#include "kernels/matrix/row_bands.h"
#include "kernels/matrix/tile_share.h"

namespace thinwire {

/// A vector that every rank has whole: sums over its entries are those of the first rank.
/// So all ranks of a solver take the same decisions, even where their processors round in
/// different ways.
class WholeVectors final : public Comm {
 public:
  using Comm::broadcast;
  using Comm::gather;
  using Comm::sum;

  explicit WholeVectors(const Comm& ranks) : ranks_(ranks) {}
  int rank() const override { return 0; }
  int ranks() const override { return 1; }
  void sum(std::span<double> values) const override { ranks_.broadcast(values, 0); }
  void gather(std::span<const double> part, std::span<double> whole) const override {
    serial_comm().gather(part, whole);
  }
  void gather(std::span<const double> part, std::span<double> whole, int) const override {
    gather(part, whole);
  }
  void broadcast(std::span<double>, int) const override {}

 private:
  const Comm& ranks_;
};

/// One rank's share of a dense complex-symmetric matrix whose tiles lie spread over the
/// ranks, none of which ever has another's. Vectors are whole on every rank:
///
///     y = sum over ranks of (Z in the rank's tiles) x
///
/// in the order of Comm::sum, the same bits on all. What says "together" is to be called
/// on all ranks at once.
class SharedMatrix final : public LinearOperator {
 public:
  /// share: of this rank; those of all ranks are all tiles once, in the order of ranks.
  /// Throws Error{memory} where it does not fit.
  SharedMatrix(std::size_t n, TileShare share, const Comm& comm);

  std::size_t size() const override { return layout_.n; }
  /// Together.
  void apply(std::span<const Complex> x, std::span<Complex> y) const override;
  void apply_many(std::span<const Complex> x, std::span<Complex> y) const override {
    apply(x, y);
  }

  const Comm& comm() const { return comm_; }
  PackedTiles layout() const { return layout_; }
  TileShare share() const { return share_; }
  /// [share().entries()], not initialised before something fills them.
  std::span<Complex> tiles() {
    return {reinterpret_cast<Complex*>(storage_.get()), share_.entries()};
  }
  std::span<const Complex> tiles() const {
    return {reinterpret_cast<const Complex*>(storage_.get()), share_.entries()};
  }

  /// Adds those whose tiles this rank has.
  void add(std::span<const MatrixUpdate> updates);

  /// Writes Z[rows[i], columns[j]] to entries[i + j * rows.size()] where this rank has
  /// it, and 0 elsewhere. For several threads at once.
  void read_own(std::span<const std::uint32_t> rows,
                std::span<const std::uint32_t> columns, std::span<Complex> entries) const;
  /// Whether this rank may have an entry of functions first .. last, in some order, with
  /// other_first .. other_last.
  bool may_have(std::uint32_t first, std::uint32_t last, std::uint32_t other_first,
                std::uint32_t other_last) const;

  /// Tiles (column, column), (column + 1, column) .. one below the other, to every rank:
  /// [layout().rows() - column][64][64]. Together.
  void gather_column(std::size_t column, std::span<Complex> tiles) const;
  /// As SpreadTiles gives them. Together.
  void gather_rows(const TakeRows& take) const { spread().gather_rows(take); }
  void scatter_rows(const TakeRows& take) const { spread().scatter_rows(take); }
  /// The whole matrix, [n][n], on the first rank; the others get nothing. Together.
  std::vector<Complex> dense() const {
    return collect_rows([this](const TakeRows& take) { gather_rows(take); });
  }
  /// Largest sum of the absolute values of a column; NaN and infinity show. Together.
  double norm1() const;

 private:
  SpreadTiles spread() const;

  PackedTiles layout_;
  TileShare share_;
  const Comm& comm_;
  // Plain doubles: std::complex would set every entry to zero first, on one thread.
  std::unique_ptr<double[]> storage_;
};

}  // namespace thinwire
