#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "geometry/structure.h"

namespace thinwire {

using Complex = std::complex<double>;

/// A voltage source on one NEC segment. `applied_field` is NEC's EX 0: the uniform field
/// voltage / length over the whole segment, the port current being the mean over it.
struct Source {
  enum class Kind { applied_field, delta_gap };
  Kind kind = Kind::applied_field;
  std::size_t segment = 0;  ///< index into Structure::segments()
  Complex voltage_v = 1.0;
};

/// NEC's LD card, on segments first..last (inclusive indices into Structure::segments()).
struct Load {
  enum class Kind {
    series_rlc,    ///< LD 0: ohm, henry, farad for each segment; zero means absent
    parallel_rlc,  ///< LD 1
    series_rlc_per_metre,    ///< LD 2: ohm/m, henry/m, farad*m
    parallel_rlc_per_metre,  ///< LD 3
    impedance,               ///< LD 4: resistance and reactance, ohm, at every frequency
    conductivity,            ///< LD 5: S/m, and relative permeability (0 means 1)
  };
  Kind kind = Kind::impedance;
  std::size_t first = 0;
  std::size_t last = 0;
  double value[3] = {0, 0, 0};  ///< the card's three numbers, in its order
};

/// What fills the half space below z = 0.
enum class Ground { none, perfect };

/// NEC's RP 0: a far-field pattern on a grid.
struct PatternRequest {
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
};

/// How the listing prints currents (PT) and charges (PQ), in NEC's own numbers.
struct ListingControl {
  int current_mode =
      0;  ///< PT I1: -2 all (default 0 too), -1 none, 0 selected, 1..3 receiving forms
  std::size_t current_first = 0, current_last = 0;
  bool current_all = true;
  int charge_mode = -1;  ///< PQ I1: -1 none, 0 selected
  std::size_t charge_first = 0, charge_last = 0;
  bool charge_all = true;
};

/// One execute group of a deck: the environment in force when XQ or RP ran it, and what
/// it asked for.
struct Run {
  std::vector<double> frequency_hz;
  Ground ground = Ground::none;
  std::vector<Load> loads;
  std::vector<Source> sources;
  std::vector<PatternRequest> patterns;
  ListingControl listing;
};

/// All that a deck says: the input of thinwire::solve.
struct Problem {
  std::string name;                   ///< deck's file name, for messages
  std::string deck_text;              ///< the deck as read, kept with the results
  std::vector<std::string> comments;  ///< CM and CE texts
  Structure structure;
  bool ground_contact = false;  ///< GE 1: ends at z = 0 connect to their image
  std::vector<Run> runs;
};

}  // namespace thinwire
