#include "io/deck/control.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "geometry/wires_below.h"
#include "io/deck/formula.h"
#include "io/deck/unsupported.h"
#include "kernels/base/error.h"
#include "mom/plan/frequency_checks.h"
#include "mom/problem/stored_matrix.h"

namespace thinwire {

ControlCards::ControlCards(Problem& problem, DeckMessages& messages,
                           const DeckLimits& limits, WorkBudget& budget, Dialect dialect)
    : problem_(problem),
      messages_(messages),
      limits_(limits),
      budget_(budget),
      dialect_(dialect),
      index_(problem.structure.segments()) {
  next_.frequency_hz = {299.8e6};  // NEC-2's default: a wavelength of 1 m, nearly
  if (problem.stored) {
    next_.frequency_hz = {problem.stored->frequency_hz};
    next_.ground = problem.stored->ground;
    frequency_given_ = true;
  }
}

const ControlCards::Entry* ControlCards::find(Mnemonic mnemonic) {
  static constexpr Entry entries[] = {
      {"FR", &ControlCards::frequency},
      {"EX", &ControlCards::excitation},
      {"TL", &ControlCards::network},
      {"LN", &ControlCards::network},
      {"NT", &ControlCards::network},
      {"CP", &ControlCards::coupling},
      {"WG", &ControlCards::write_matrix},
      {"MP", &ControlCards::ignored},
      {"LD", &ControlCards::load},
      {"IS", &ControlCards::insulation},
      {"GN", &ControlCards::ground},
      {"GD", &ControlCards::second_medium},
      {"EK", &ControlCards::extended_kernel},
      {"KH", &ControlCards::extended_kernel},
      {"Z0", &ControlCards::reference_impedance},
      {"ZO", &ControlCards::reference_impedance},
      {"PT", &ControlCards::print_currents},
      {"PQ", &ControlCards::print_charges},
      {"PL", &ControlCards::plot},
      {"XQ", &ControlCards::execute},
      {"RP", &ControlCards::pattern},
      {"NE", &ControlCards::near_field},
      {"NH", &ControlCards::near_field},
  };
  const auto at =
      std::find_if(std::begin(entries), std::end(entries),
                   [&](const Entry& entry) { return mnemonic == entry.mnemonic; });
  return at == std::end(entries) ? nullptr : at;
}

bool ControlCards::knows(Mnemonic mnemonic) {
  return find(mnemonic) != nullptr;
}

void ControlCards::read(const CardFields& card) {
  const Mnemonic mnemonic = card.card().mnemonic;
  const Entry* entry = find(mnemonic);
  if (const std::string text = foreign_card(card, dialect_); !text.empty())
    messages_.refuse(card.line(), text);
  // As in NEC-2, the print controls do not end a group of EX or LD cards.
  const bool ends_group = entry->act != &ControlCards::print_currents &&
                          entry->act != &ControlCards::print_charges &&
                          entry->act != &ControlCards::plot &&
                          entry->act != &ControlCards::ignored &&
                          entry->act != &ControlCards::reference_impedance;
  (this->*entry->act)(card);
  if (ends_group) group_ = mnemonic == "NT" || mnemonic == "LN" ? "TL" : mnemonic;
}

/// Notes that something changed, so that the next XQ or RP solves again.
void ControlCards::change(Run::Start start) {
  next_.start = changed_ ? std::min(next_.start, start) : start;
  changed_ = true;
}

void ControlCards::frequency(const CardFields& card) {
  const int type = card.integer(1, "stepping");
  if (type != 0 && type != 1) {
    card.refuse(1, "stepping",
                fmt::format("expected 0 (linear) or 1 (multiplicative), got "
                            "{}.",
                            type));
  }
  const int steps = std::max(1, card.count(2, "number of frequencies"));
  const double first_mhz = card.real(5, "frequency in MHz");
  const double step = card.real(6, "step");
  // Fields 3, 4 and from 7 on are blank in NEC-2; xnec2c keeps the last frequency there.
  count_items(static_cast<std::size_t>(steps), card.line());
  if (steps > 1 && type == 1 && !(step > 0)) {
    card.refuse(6, "step",
                fmt::format("must be positive for several frequencies (got {}).", step));
  }
  std::vector<double> frequency_hz;
  frequency_hz.reserve(static_cast<std::size_t>(steps));
  for (int i = 0; i < steps; ++i) {
    const double mhz = type == 0 ? first_mhz + i * step : first_mhz * std::pow(step, i);
    if (!(mhz >= 1e-6 * lowest_frequency_hz) || mhz > 1e-6 * highest_frequency_hz) {
      card.refuse(fmt::format(
          "frequencies must be between {:g} and {:g} MHz (got {} MHz "
          "at step {} of {}).",
          1e-6 * lowest_frequency_hz, 1e-6 * highest_frequency_hz, mhz, i + 1, steps));
    }
    frequency_hz.push_back(mhz * 1e6);
  }
  next_.frequency_hz = std::move(frequency_hz);
  frequency_given_ = true;
  change(Run::Start::frequency);
}

/// The segment `within` the tag, which may be missing for an error in the geometry.
std::size_t ControlCards::find_segment(const CardFields& card, int tag,
                                       int within) const {
  try {
    return index_.find(tag, within);
  } catch (const Error& error) {
    card.refuse(Cause::structure, error.what());
  }
}

/// Reads the number of a segment of a tag, or 4nec2's place on its wire in percent. NEC-5
/// has the numbers of nodes in the same fields.
int ControlCards::segment_number(const CardFields& card, int tag, std::size_t field,
                                 std::string_view meaning) const {
  if (card.is_percentage(field) &&
      (dialect_ == Dialect::automatic || dialect_ == Dialect::fournec2))
    return segment_at(card, tag, field, problem_.structure.segments(), index_);
  const int number = card.rounded(field, meaning);
  if (number >= 0) return number;
  card.refuse(field, meaning,
              fmt::format("segments count from 1 (got {}).{}", number,
                          at_nodes() ? ""
                                     : " NEC-5 decks give nodes here, -1 being the start "
                                       "of a wire: use --dialect nec5 if this is one."));
}

/// Reads the place that a tag and the number in `field` name: a segment, or NEC-5's node,
/// the far end of that segment or, -1, the start of the first one.
ControlCards::Place ControlCards::find_place(const CardFields& card, int tag,
                                             std::size_t field,
                                             std::string_view meaning) const {
  if (at_nodes() && card.integer(field, meaning) == -1)
    return {find_segment(card, tag, 1), Gap::start};
  const std::size_t segment =
      find_segment(card, tag, segment_number(card, tag, field, meaning));
  return {segment, at_nodes() ? Gap::end : Gap::segment};
}

void ControlCards::extended_kernel(const CardFields& card) {
  if (card.card().mnemonic == "EK") {
    // nec2c takes whatever is not -1 for 0.
    next_.extended_kernel = card.integer(1, "kernel") != -1;
    card.unused(2, 10);
  } else {
    card.real(5, "range of the approximation");
    card.warn("has no effect: all interactions are computed in full.");
  }
  change(Run::Start::environment);
}

/// xnec2c's card: a reference impedance in field 1.
void ControlCards::reference_impedance(const CardFields& card) {
  const double ohm = card.real(1, "reference impedance");
  if (!(ohm > 0) || ohm > 1e30) {
    card.refuse(1, "reference impedance",
                fmt::format("must be positive and at most 1e30 ohm (got {}).", ohm));
  }
  card.unused(2, 10);
  problem_.reference_ohm = ohm;
}

/// WG FILE: keeps the matrix of the environment in force for a GF card of another deck.
void ControlCards::write_matrix(const CardFields& card) {
  if (problem_.stored)
    card.refuse("cannot be used in a deck with GF: it would repeat that file.");
  if (at_nodes())
    card.refuse(
        "cannot be used in a NEC-5 deck: the file keeps no loads at nodes. Leave it "
        "out.");
  std::string file(messages_.name().substr(0, messages_.name().rfind('.')));
  file += ".wg.h5";
  if (card.has(1) && !card.is_number(card.card().fields.size())) {
    file = card.card().fields.back();
  }
  if (file.find('/') != std::string::npos || file.front() == '.') {
    card.refuse(
        fmt::format("needs a file name without a folder (got {}).", quote_text(file)));
  }
  for (const Run& run : problem_.runs) {
    if (run.matrix_file.empty()) continue;
    card.refuse("keeps a second matrix. Give one WG card in a deck.");
  }
  if (next_.frequency_hz.size() != 1) {
    card.refuse(fmt::format("keeps one matrix, but FR asks for {} frequencies. Give one.",
                            next_.frequency_hz.size()));
  }
  start_run(card.line(), false);
  if (problem_.runs.back().frequency_hz.size() != 1) {
    card.refuse(
        "keeps one matrix, but the run before it has several frequencies. Give FR "
        "with one before it.");
  }
  problem_.runs.back().matrix_file = file;
}

/// The environment of a deck with GF is that of the file.
void ControlCards::check_stored(int line) {
  const StoredMatrix& stored = *problem_.stored;
  const double mhz = stored.frequency_hz * 1e-6;
  if (next_.frequency_hz.size() != 1 ||
      std::abs(next_.frequency_hz[0] / stored.frequency_hz - 1) > 1e-9) {
    messages_.refuse(line,
                     fmt::format("{} holds the matrix at {:.9g} MHz, and FR asks for "
                                 "another frequency. Leave FR out.",
                                 stored.name, mhz));
  }
  if (next_.ground != stored.ground) {
    messages_.refuse(line, fmt::format("{} was made over another ground than GN says. "
                                       "Leave GN out.",
                                       stored.name));
  }
  for (const Source& source : next_.sources) {
    const auto& fine = stored.gap_segments;
    if (stored.mesh == MeshChoice::as_given ||
        std::find(fine.begin(), fine.end(), source.segment) != fine.end()) {
      continue;
    }
    messages_.warn(
        line, fmt::format("the mesh of {} is not fine at segment {} of tag {}, which is "
                          "fed: Z is off by about 1 %. Feed it in the deck with WG too.",
                          stored.name, index_.within_tag(source.segment),
                          problem_.structure.segments()[source.segment].tag));
  }
  if (!load_.cards.empty() || !sheaths_.cards.empty()) {
    messages_.refuse(line, fmt::format("{} holds its loads in its matrix, and LD or IS "
                                       "adds others. Leave them out.",
                                       stored.name));
  }
}

/// MP asks for processes.
void ControlCards::ignored(const CardFields& card) {
  card.warn("has no effect: --threads says how many processors to use.");
}

/// PL asks for a file to plot from, beside the listing; results are the same.
void ControlCards::plot(const CardFields& card) {
  card.warn("writes no plot file: use -o (HDF5) or --csv.");
}

void ControlCards::execute(const CardFields& card) {
  const int option = card.integer(1, "pattern option");
  if (option < 0 || option > 3) {
    card.refuse(1, "pattern option", fmt::format("expected 0 to 3, got {}.", option));
  }
  card.unused(2, 10);
  const bool new_run = start_run(card.line());
  if (option == 0) return;
  PatternRequest request = {.theta_count = 91, .theta_step_deg = 1};
  request.phi_count = option == 3 ? 2 : 1;
  request.phi_start_deg = option == 2 ? 90 : 0;
  request.phi_step_deg = option == 3 ? 90 : 0;
  request.vertical_horizontal = false;
  add_pattern(request, new_run, card.line());
}

/// Makes a run of the environment in force, unless nothing changed since the last one.
bool ControlCards::start_run(int line, bool needs_excitation) {
  run_asked_ = true;
  if (!changed_) return false;
  if (problem_.stored) check_stored(line);
  if (needs_excitation && !is_excited()) {
    messages_.refuse(line, Cause::sources,
                     "nothing is excited (no EX card is in force). Give an EX card "
                     "before XQ or RP.");
  }
  if (!frequency_given_) {
    messages_.warn(line, fmt::format("{}: the frequency is NEC-2's 299.8 MHz.",
                                     no_frequency_warning));
    frequency_given_ = true;
  }
  if (next_.listing.current.mode > 0 && !next_.waves) {
    messages_.warn(line,
                   "PT 1 to 3 need a plane wave (EX 1 to 3): the currents are listed as "
                   "by PT 0.");
    next_.listing.current.mode = 0;
  }
  if (next_.ground != Ground::none) check_ground(line);
  if (next_.ground.is_real()) check_real_ground(line);
  check_contact(line);
  check_gap_networks(line);
  if (next_.waves && next_.ground != Ground::none) check_waves_over_ground();
  resolve(load_);
  resolve(sheaths_);
  count_items(next_.frequency_hz.size() * (next_.waves ? next_.waves->count() : 1) +
                  next_.sources.size() + next_.networks.size() + load_.loads.size() +
                  load_.cards.size() + sheaths_.loads.size() + sheaths_.cards.size(),
              line);
  Run run = next_;
  if (problem_.stored) {
    run.loads = problem_.stored->loads;
    run.load_cards = problem_.stored->load_cards;
  }
  for (const LoadGroup* group : {&load_, &sheaths_}) {
    run.loads.insert(run.loads.end(), group->loads.begin(), group->loads.end());
    run.load_cards.insert(run.load_cards.end(), group->cards.begin(), group->cards.end());
  }
  if (waiting_) {
    check_near_field(waiting_->request, waiting_->line);
    run.near_fields.push_back(waiting_->request);
  }
  waiting_.reset();
  problem_.runs.push_back(std::move(run));
  // Cards after the loop over frequencies act at its last frequency.
  next_.frequency_hz = {next_.frequency_hz.back()};
  next_.start = Run::Start::excitation;
  changed_ = false;
  sources_used_ = loads_used_ = true;
  return true;
}

void ControlCards::count_items(std::size_t items, int line) {
  items_ += static_cast<std::int64_t>(items);
  if (items_ > limits_.run_items) {
    messages_.give_up(line, fmt::format("the runs of the deck hold more than {} "
                                        "frequencies, sources, loads and patterns in "
                                        "all. Split the deck.",
                                        limits_.run_items));
  }
}

void ControlCards::finish(int last_line) {
  const bool silent = problem_.runs.empty() && !run_asked_;
  if (silent && !is_excited()) {
    messages_.warn(0, "no XQ or RP card: the deck computes nothing.");
    return;
  }
  if (silent) {
    messages_.warn(0, "no XQ or RP card; the deck is run as if XQ stood at its end.");
    start_run(last_line);
  }
  drop_waiting("computes nothing: no XQ or RP follows.");
  check_coupling();
  if (problem_.ground_plane != 0 && !ground_checked_) check_missing_ground();
}

/// GE says that there is a ground, and GN does not say which.
void ControlCards::check_missing_ground() const {
  const auto& segments = problem_.structure.segments();
  const auto below = std::find_if(segments.begin(), segments.end(), reaches_below);
  if (problem_.ground_contact && below != segments.end()) {
    const auto index = static_cast<std::size_t>(below - segments.begin());
    throw Error(ErrorKind::geometry,
                fmt::format("{}: segment {} (tag {}) extends below the ground that GE 1 "
                            "announces, and no GN gives. Give GN 2 for wires in the "
                            "ground, or GE 0 for free space.",
                            problem_.structure.origin(index), index + 1, below->tag));
  }
  if (problem_.ground_contact) {
    messages_.warn(0,
                   "GE 1 without GN: there is no ground, and wire ends at z = 0 are "
                   "open. Give GN 1 for perfect ground, GN 2 for a real one.");
  } else if (below != segments.end()) {
    messages_.warn(0,
                   "GE -1 without GN: there is no ground, and wires below z = 0 are in "
                   "free space. Give GN 2 for wires in the ground, or GE 0.");
  }
}

}  // namespace thinwire
