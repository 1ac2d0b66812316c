#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "geometry/tag_index.h"
#include "io/deck/card.h"
#include "io/deck/dialect.h"
#include "io/deck/geometry.h"

namespace thinwire {

/// Begins the warning of a deck without frequencies.
inline constexpr std::string_view no_frequency_warning = "no FR card is in force";

/// Limit of coordinates, heights and distances, m: products of larger ones with
/// wavenumbers lose digits.
inline constexpr double largest_coordinate = 1e9;

/// Returns the segment of a tag, from 1, whose centre is nearest to the place that a
/// field gives in percent of the wire's length, and the first of two with a warning.
/// Throws Error{deck} for tag 0, tags that do not exist and places beyond the wire.
int segment_at(const CardFields& card, int tag, std::size_t field,
               std::span<const Segment> segments, const TagIndex& index);

/// The cards behind GE: keeps the environment they set up, and makes a Run of it at each
/// XQ, RP, NE or NH.
class ControlCards {
 public:
  /// `problem.structure` must be complete.
  ControlCards(Problem& problem, DeckMessages& messages, const DeckLimits& limits,
               WorkBudget& budget, Dialect dialect);

  static bool knows(Mnemonic mnemonic);

  /// Acts on a control card.
  void read(const CardFields& card);

  /// After the last card: runs a deck that has sources but never asked for a run.
  void finish(int last_line);

 private:
  /// Inclusive ranges of segment indices, ascending.
  using Ranges = std::vector<std::pair<std::size_t, std::size_t>>;

  void frequency(const CardFields& card);
  void excitation(const CardFields& card);
  void start_excitation(const CardFields& card, bool of_waves);
  void source(const CardFields& card, int type);
  void plane_waves(const CardFields& card, int type);
  void network(const CardFields& card);
  void load(const CardFields& card);
  void insulation(const CardFields& card);
  void ground(const CardFields& card);
  void second_medium(const CardFields& card);
  void extended_kernel(const CardFields& card);
  void reference_impedance(const CardFields& card);
  void coupling(const CardFields& card);
  void write_matrix(const CardFields& card);
  void ignored(const CardFields& card);
  void print_currents(const CardFields& card);
  void print_charges(const CardFields& card);
  void plot(const CardFields& card);
  void execute(const CardFields& card);
  void pattern(const CardFields& card);
  void field_near_ground(const CardFields& card);
  void near_field(const CardFields& card);

  struct Entry {
    Mnemonic mnemonic;
    void (ControlCards::*act)(const CardFields&);
  };
  static const Entry* find(Mnemonic mnemonic);

  bool in_group(Mnemonic mnemonic) const { return group_ == mnemonic; }
  bool is_excited() const { return !next_.sources.empty() || next_.waves; }
  void change(Run::Start start);
  bool start_run(int line, bool needs_excitation = true);
  void check_stored(int line);
  void add_pattern(const PatternRequest& request, bool new_run, int line);
  void add_near_field(const NearFieldRequest& request, bool new_run, int line);
  void check_near_field(const NearFieldRequest& request, int line) const;
  void drop_waiting(const std::string& why);
  void count_items(std::size_t items, int line);
  void check_ground(int line);
  void lift_onto_surface(int line);
  void check_missing_ground() const;
  void check_gap_networks(int line) const;
  void check_coupling() const;
  void check_waves_over_ground();
  void check_real_ground(int line);
  void check_contact(int line);
  Ground real_ground(const CardFields& card, std::size_t field) const;
  RadialScreen radial_screen(const CardFields& card, int radials) const;
  SecondMedium read_second_medium(const CardFields& card, std::size_t field) const;
  PatternRequest::Mode pattern_mode(const CardFields& card) const;
  void check_edge(const CardFields& card, PatternRequest::Mode mode) const;
  std::size_t find_segment(const CardFields& card, int tag, int within) const;
  int segment_number(const CardFields& card, int tag, std::size_t field,
                     std::string_view meaning) const;

  /// Where a source, a load or an end of a network is.
  struct Place {
    std::size_t segment;
    Gap gap;
  };
  Place find_place(const CardFields& card, int tag, std::size_t field,
                   std::string_view meaning) const;
  bool at_nodes() const { return dialect_ == Dialect::nec5; }
  void ground_of_nec5(const CardFields& card, Ground::Kind kind);
  void load_at_node(const CardFields& card, LoadCard& load) const;
  void check_gap(const CardFields& card, std::size_t segment) const;

  Ranges selection(const CardFields& card, int tag, int first, int last);
  void list_segments(const CardFields& card, int max_mode, const char* modes,
                     ListedSegments& listed);

  /// Cards of loads in force, and what each names.
  struct LoadGroup {
    std::vector<LoadCard> cards;
    std::vector<Ranges> segments;
    std::vector<int> lines;
    std::vector<Load> loads;
    bool resolved = true;
  };
  void keep(LoadGroup& group, const CardFields& card, const LoadCard& load);
  void check_sheath(const CardFields& card, const LoadCard& sheath,
                    std::size_t segment) const;
  void check_sheathed_once(const CardFields& card, std::size_t first,
                           std::size_t last) const;
  void resolve(LoadGroup& group);

  Problem& problem_;
  DeckMessages& messages_;
  const DeckLimits& limits_;
  WorkBudget& budget_;
  Dialect dialect_;
  TagIndex index_;

  /// A near field that waits for the loop over frequencies, and its card.
  struct Waiting {
    NearFieldRequest request;
    Mnemonic mnemonic;
    int line = 0;
  };

  Run next_;                                   ///< the environment in force
  std::optional<SecondMedium> second_medium_;  ///< in force for RP 2 to 6
  std::optional<Waiting> waiting_;
  LoadGroup load_;             ///< LD
  LoadGroup sheaths_;          ///< IS
  int refused_wave_line_ = 0;  ///< of the EX card that was last refused over ground
  int coupling_line_ = 0;
  Mnemonic group_;  ///< EX, LD, CP or TL (with NT) while such cards follow one another
  bool changed_ = true;       ///< since the last run
  bool sources_used_ = true;  ///< by a run
  bool loads_used_ = true;
  bool ground_checked_ = false;  ///< some run has a ground
  /// Whether check_ground accepted wires in the surface, and below it.
  bool surface_checked_ = false, above_checked_ = false;
  bool contact_checked_ = false;  ///< of wires on a ground by coefficients
  bool frequency_given_ = false;
  bool run_asked_ = false;  ///< by a card, refused or not
  std::int64_t items_ = 0;
};

}  // namespace thinwire
