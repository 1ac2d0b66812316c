#pragma once

#include <cstddef>
#include <optional>

#include "io/deck/card.h"
#include "io/deck/deck.h"
#include "io/deck/patches.h"

namespace thinwire {

/// Counts steps against a limit of the deck, so that no deck takes time without bound.
class WorkBudget {
 public:
  explicit WorkBudget(std::int64_t limit) : left_(limit) {}
  /// Throws LastError for `line` where more than the limit is spent.
  void spend(std::int64_t steps, int line, const DeckMessages& messages);

 private:
  std::int64_t left_;
};

/// The geometry cards of a deck, from the first GW to GE: builds Problem::structure.
class GeometryCards {
 public:
  GeometryCards(Problem& problem, DeckMessages& messages, const DeckLimits& limits,
                WorkBudget& budget, const MatrixFileReader& read_matrix,
                const DeckReading& reading);

  static bool knows(Mnemonic mnemonic);

  /// To be called before read(): refuses the wire of a GW card with radius 0 that no GC
  /// card follows.
  void finish_wire(Mnemonic mnemonic);

  /// Acts on a geometry card.
  void read(const CardFields& card);
  bool ended() const { return ended_; }

 private:
  void wire(const CardFields& card);
  void taper(const CardFields& card);
  void helix_of_nec4(const CardFields& card);
  void move(const CardFields& card);
  void reflect(const CardFields& card);
  void end(const CardFields& card);
  template <class Act>
  void transform(const Act& act);
  void build(const CardFields& card);
  void take_file(const CardFields& card);

  /// A GW card with radius 0, until its GC card comes.
  struct PendingWire {
    int line, tag, count;
    Vec3 start_m, end_m;
    bool has_hash_comment;
  };

  Problem& problem_;
  DeckMessages& messages_;
  WorkBudget& budget_;
  const MatrixFileReader& read_matrix_;
  DeckReading reading_;
  PatchGrid patches_;
  std::optional<PendingWire> pending_;
  bool ended_ = false;
};

}  // namespace thinwire
