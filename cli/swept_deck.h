#pragma once

#include <boost/program_options.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "cli/deck_input.h"
#include "io/result/variants.h"
#include "mom/problem/options.h"

namespace thinwire::cli {

/// A deck and what --vary has its symbols take: a problem for each variant.
class SweptDeck {
 public:
  /// values: --vary and deck_options(). Throws Error{usage}, and as read_deck_input().
  SweptDeck(const std::filesystem::path& deck,
            const boost::program_options::variables_map& values);

  const DeckInput& input() const { return input_; }
  /// Without settings; nothing in it is solved.
  const VariantSweep& sweep() const { return sweep_; }

  /// Throws as the deck's reader does, naming the variant.
  Problem problem(std::size_t variant) const;

  /// Reads every variant, so that errors are reported before hours of work, and gives
  /// their warnings. Throws as problem() does, and Error{usage} where --z0 is not given
  /// and the deck's differs from options.reference_ohm; for the first that is wrong.
  std::vector<std::vector<std::string>> check(const Options& options) const;

 private:
  void take_variations(const std::vector<std::string>& words);
  void take_frequencies(const std::vector<double>& mhz);
  Problem problem(std::size_t variant, std::vector<std::string>& warnings) const;
  void check_reference(std::size_t variant, const Problem& problem,
                       double reference_ohm) const;

  DeckInput input_;
  VariantSweep sweep_;
  bool reference_given_;  ///< by --z0
};

}  // namespace thinwire::cli
