#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "io/variation.h"
#include "mom/problem/solution.h"

namespace thinwire {

/// Results of a variant of a deck that are kept.
struct VariantRow {
  std::size_t run = 0;
  double frequency_hz = 0;
  bool converged = true;
  std::optional<double> model_error;   ///< SolverReport::model_error
  std::optional<double> gain_max_dbi;  ///< over its patterns
  std::vector<PortResult> ports;
  std::vector<Complex> segment_current_a;
  std::vector<Complex> port_impedance_ohm;  ///< FrequencyResult::port_impedance_ohm
};

/// A deck solved with values for its symbols.
struct Variant {
  std::size_t unknowns = 0;
  std::vector<VariantRow> rows;  ///< as Solution::frequencies
  std::vector<std::string> warnings;

  static Variant of(const Solution& solution);
};

/// A deck and the values of symbols that it is solved with: all combinations, the last
/// symbol running fastest.
struct VariantSweep {
  std::string deck_name, deck_text;
  std::string deck_dialect = "auto", deck_patches = "refuse";  ///< as Problem has them
  std::vector<Variation> variations;
  /// Frequencies of every run; empty: the deck's own.
  std::vector<double> frequency_hz;
  std::string settings;  ///< all else that results depend on, as JSON
  std::vector<std::optional<Variant>> variants;  ///< those solved so far

  std::size_t count() const;
  /// Returns the values of the symbols in one variant, in the order of `variations`.
  std::vector<double> values(std::size_t variant) const;
  /// "h=0.45, w=2": to name it in messages.
  std::string name(std::size_t variant) const;
};

/// Without the segments' currents.
nlohmann::json variant_json(const Variant& variant);
/// All of a variant as bytes, for other processes of this program and for its next start.
std::string variant_bytes(const Variant& variant);
/// The variant that gave these bytes. Throws Error{file} where they were cut short.
Variant variant_of(std::string_view bytes);

}  // namespace thinwire
