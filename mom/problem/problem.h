#pragma once

#include <algorithm>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "geometry/structure.h"
#include "kernels/base/choice.h"
#include "mom/problem/ground.h"

namespace thinwire {

using Complex = std::complex<double>;

/// Place on a NEC segment where a voltage acts and its current is measured.
/// - `segment`, NEC's EX 0: a uniform field, voltage over length, along the segment; the
///   port current is the mean current of the segment.
/// - `start`, `end`: a gap of zero length between that end of the segment and its node;
///   the port current is the current in that end. Gaps at one node, but in the ends of
///   different segments, are in series.
enum class Gap { segment, start, end };

/// A source on one NEC segment.
struct Source {
  Gap gap = Gap::segment;
  std::size_t segment = 0;  ///< index into Structure::segments()
  Complex voltage_v = 1.0;
  std::optional<Complex> current_a;  ///< of a current source; voltage_v is not used then
  int line = 0;                      ///< of its card in the deck; 0: none

  bool same_place(const Source& other) const {
    return gap == other.gap && segment == other.segment;
  }
};

/// A plane wave that comes from (theta, phi). Its field at the origin is
/// E = cos(eta) theta^ + sin(eta) phi^ V/m, peak; with elliptic polarisation this is the
/// major axis of the ellipse. Over ground the reflected wave is added.
struct IncidentWave {
  enum class Kind { linear, right_elliptic, left_elliptic };  ///< NEC's EX 1, 2, 3
  Kind kind = Kind::linear;
  double theta_deg = 0, phi_deg = 0;
  double eta_deg = 0;
  double axial_ratio = 0;  ///< minor over major axis
};

/// NEC's EX 1 to 3: plane waves from a grid of directions, one after the other.
struct IncidentWaves {
  IncidentWave first;
  std::int64_t theta_count = 1, phi_count = 1;
  double theta_step_deg = 0, phi_step_deg = 0;
  int line = 0;  ///< of their card in the deck; 0: none

  std::size_t count() const { return static_cast<std::size_t>(theta_count * phi_count); }
  /// Wave i; theta runs fastest.
  IncidentWave at(std::size_t i) const {
    IncidentWave wave = first;
    const auto row = static_cast<std::size_t>(theta_count);
    wave.theta_deg += theta_step_deg * static_cast<double>(i % row);
    wave.phi_deg += phi_step_deg * static_cast<double>(i / row);
    return wave;
  }
};

/// NEC's LD and IS cards, on segments first..last (inclusive indices into
/// Structure::segments()).
struct Load {
  enum class Kind {
    series_rlc,    ///< LD 0: ohm, henry, farad for each segment; zero means absent
    parallel_rlc,  ///< LD 1
    series_rlc_per_metre,  ///< LD 2: ohm/m, henry/m, farad/m, times the segment's length
    parallel_rlc_per_metre,  ///< LD 3
    impedance,               ///< LD 4: resistance and reactance, ohm, at every frequency
    conductivity,            ///< LD 5: S/m, and relative permeability (0 means 1)
    trap,        ///< LD 6: Q of the coil at every frequency, henry, farad in parallel
    insulation,  ///< LD 7, IS: relative permittivity, S/m and outer radius, m, of a
                 ///< sheath
  };
  Kind kind = Kind::impedance;
  std::size_t first = 0;
  std::size_t last = 0;
  double value[3] = {0, 0, 0};  ///< as above
  int line = 0;                 ///< of its card in the deck; 0: none
  Gap gap = Gap::segment;       ///< of lumped loads (LD 0, 1, 4, 6), in each segment

  /// True if kind, gap and values are equal. The segments may differ.
  bool does_the_same(const Load& other) const {
    return kind == other.kind && gap == other.gap &&
           std::equal(value, value + 3, other.value);
  }
  /// True if kind, place and values are equal.
  bool operator==(const Load& other) const {
    return first == other.first && last == other.last && does_the_same(other);
  }
  bool is_lumped() const {
    return kind == Kind::series_rlc || kind == Kind::parallel_rlc ||
           kind == Kind::impedance || kind == Kind::trap;
  }
};
constexpr auto words_of(Load::Kind) {
  using enum Load::Kind;
  return std::to_array<Word<Load::Kind>>(
      {{series_rlc, "series_rlc"},
       {parallel_rlc, "parallel_rlc"},
       {series_rlc_per_metre, "series_rlc_per_metre"},
       {parallel_rlc_per_metre, "parallel_rlc_per_metre"},
       {impedance, "impedance"},
       {conductivity, "conductivity"},
       {trap, "trap"},
       {insulation, "insulation"}});
}

/// A part of a ladder network.
struct LadderBranch {
  enum class Place {
    series,       ///< on the way from end 1 to end 2
    shunt,        ///< across it
    transformer,  ///< ideal; value[0] of the part: turns of end 2 over those of end 1
  };
  Place place = Place::series;
  Load part;  ///< lumped (LD 0, 1, 4 or 6); its segments are not used
};

/// NEC's TL and NT, and LN: a reciprocal two-port that connects two gaps, in parallel
/// with any source there. Currents into it count from the segment's start to its end.
struct Network {
  enum class Kind { line, admittance, ladder };
  Kind kind = Kind::line;
  std::size_t segment[2] = {0, 0};  ///< may be one and the same
  /// Parameters of a line; its length is electrical, with the wavelength of free space.
  double impedance_ohm = 0, length_m = 0;
  bool crossed = false;
  /// NT: its admittances, Y21 = Y12. TL: y11_s and y22_s are the shunts at its ends.
  Complex y11_s = 0, y12_s = 0, y22_s = 0;
  int line = 0;                               ///< of its card in the deck; 0: none
  Gap gap[2] = {Gap::segment, Gap::segment};  ///< where on the segments
  /// Attenuation of a line at 1 MHz, Np per metre of length_m: that of its conductors,
  /// which grows with the root of the frequency, and of its dielectric, which grows with
  /// the frequency.
  double loss_np_per_m[2] = {0, 0};
  std::vector<LadderBranch> branches = {};  ///< LN: from end 1 to end 2
};

/// NEC's RP 0 and RP 2 to 6: a far-field pattern on a grid.
struct PatternRequest {
  /// Ground that reflects: `plain`, the ground in force everywhere; `line` and `circle`,
  /// the second medium beyond the line x = edge or a circle around the origin; `screen`,
  /// the radial screen within its radius; the last two combine screen and second medium.
  enum class Mode {
    plain = 0,
    line = 2,
    circle = 3,
    screen = 4,
    screen_line,
    screen_circle
  };
  Mode mode = Mode::plain;
  std::optional<SecondMedium> second = {};  ///< in force at the card
  std::int64_t theta_count = 1;
  std::int64_t phi_count = 1;
  double theta_start_deg = 0, phi_start_deg = 0;
  double theta_step_deg = 0, phi_step_deg = 0;
  double distance_m = 0;  ///< field range for V/m; 0: the factor e^{-jkr}/r is left out
  double gain_normal_dbi =
      0;  ///< normalisation of the normalised-gain table; 0: to the maximum
  // The digits of XNDA.
  bool vertical_horizontal =
      true;            ///< X: 0 major/minor axis gains, 1 vertical/horizontal
  int normalised = 0;  ///< N: 0 none; 1 major, 2 minor, 3 vertical, 4 horizontal, 5 total
  bool directive = false;  ///< D: false, power gain; true, directive gain
  int average = 0;  ///< A: 0 no; 1 average gain; 2 average gain, no pattern printed
  /// True if the request comes after the frequency loop of the run. As in NEC, it is then
  /// computed at the last frequency only.
  bool last_frequency_only = false;
};

/// NEC's NE and NH: the electric or magnetic field on a grid of points; and RP 1, the
/// electric field near the ground.
struct NearFieldRequest {
  enum class Field { electric, magnetic };
  enum class Grid { rectangular, spherical, near_ground };
  Field field = Field::electric;
  Grid grid = Grid::rectangular;
  /// Along x, y, z (m), or r (m), phi, theta (deg), or for RP 1 z (m), phi (deg) and the
  /// horizontal distance (m); the first runs fastest. The field has the components x, y,
  /// z on all grids.
  std::int64_t count[3] = {1, 1, 1};
  double start[3] = {0, 0, 0};
  double step[3] = {0, 0, 0};
  /// Number of the run's patterns that come before it.
  std::size_t patterns_before = 0;
  bool last_frequency_only = false;  ///< as in PatternRequest
};

/// An LD or IS card as the deck gives it, for the listing; Run::loads has the segments
/// that it acts on.
struct LoadCard {
  int type = 0;                 ///< LDTYP 0..7; of IS: 7
  int tag = 0;                  ///< 0: segment numbers are absolute
  int first = 0, last = 0;      ///< as on the card; both 0: all of the tag
  double value[3] = {0, 0, 0};  ///< as Load has them
  Gap gap = Gap::segment;       ///< as Load has it
};

/// Segments that a table of the listing has. If `all` is false, only the segments
/// first..last (inclusive indices into Structure::segments()) that have the tag (0: any).
struct ListedSegments {
  /// I1 of PT and PQ: -2 all, -1 none, 0 selected. PT of incident waves, 1 to 3: a
  /// receiving pattern (1 as it is, 2 also normalised, 3 normalised only).
  int mode = -1;
  std::size_t first = 0, last = 0;
  int tag = 0;
  bool all = true;

  bool has(std::size_t index, const Segment& segment) const {
    return all || (first <= index && index <= last && (tag == 0 || segment.tag == tag));
  }
};

/// Settings of the listing for currents (PT) and charges (PQ).
struct ListingControl {
  ListedSegments current = {.mode = -2}, charge;
};

struct StoredMatrix;
struct Problem;

/// A parameter of a problem, usually an SY symbol, by which impedances are
/// differentiated. `less` and `more` are the problem with the parameter at value - step
/// and value + step.
struct Parameter {
  std::string name;
  double value = 0, step = 0;
  std::shared_ptr<const Problem> less, more;
};

/// One computation that a deck requests: the frequencies, ground, loads and sources in
/// force at an XQ, RP, NE or NH card, and the outputs requested there.
struct Run {
  /// The first card group that changed since the previous run; nec2c prints its headings
  /// from there on: frequency, then loading and environment, then input parameters.
  enum class Start { frequency, environment, excitation };
  Start start = Start::frequency;
  std::vector<double> frequency_hz;
  Ground ground = Ground::none;
  std::vector<Load> loads;
  std::vector<LoadCard> load_cards;  ///< the cards that `loads` were made from
  /// EK. It affects the listing only, because the kernel is always exact.
  bool extended_kernel = false;
  std::vector<Source> sources;
  std::optional<IncidentWaves> waves;  ///< instead of sources
  std::vector<Network> networks;
  /// CP: segments between which the maximum coupling is computed. Each must be excited
  /// alone, in this order, in consecutive runs.
  std::vector<std::size_t> coupling_segments;
  std::vector<PatternRequest> patterns;
  std::vector<NearFieldRequest> near_fields;
  ListingControl listing;
  /// WG: the file to which the matrix is written; empty: none. A run with such a file may
  /// lack sources, and then has no result.
  std::string matrix_file;
};

/// Content of a deck: the input of thinwire::solve.
struct Problem {
  std::string name;       ///< deck's file name, for messages
  std::string deck_text;  ///< the deck as read, kept with the results
  /// Values of --dialect (`auto` replaced by what it found) and of --patches.
  std::string deck_dialect = "auto", deck_patches = "refuse";
  std::vector<std::string> comments;  ///< CM and CE texts
  Structure structure;
  bool ground_contact = false;  ///< GE 1: ends at z = 0 connect to their image
  int ground_plane = 0;         ///< GE I1: 0 none, 1 with contact, -1 without
  std::vector<Run> runs;
  /// GF: the stored matrix that all runs use, with its ground and loads; null: none.
  std::shared_ptr<const StoredMatrix> stored;
  std::map<std::string, double> symbols;  ///< that SY cards define, names in lower case
  /// Derivatives by these are FrequencyResult::impedance_derivative_ohm.
  std::vector<Parameter> parameters;
  /// Reference impedance of the deck (Z0), used for Options::reference_ohm.
  std::optional<double> reference_ohm;
};

}  // namespace thinwire
