#pragma once

#include <span>
#include <vector>

namespace thinwire {

/// Rates to share by, of measured ones: parts of the fastest, in eighths, one at least; 1
/// where none was measured (0). Bits depend on the shares, and what is measured differs a
/// little from run to run: GPUs of one model that are within a sixteenth share evenly in
/// every run, and only one that is clearly slower gets less.
std::vector<double> steady_rates(std::span<const double> measured);

/// Caps for shares_within() in steps of 1/32, so that a little more or less free memory
/// leaves the shares as they are; as given where the whole would no longer fit.
std::vector<double> steady_caps(std::span<const double> caps);

/// Shares of a whole, their sum 1, for owners that work at such rates: in proportion to
/// them, but none larger than its cap; the others take what one cannot. Where the caps
/// add up to less than the whole, in proportion to the caps. rates > 0, caps >= 0, not
/// all 0.
std::vector<double> shares_within(std::span<const double> rates,
                                  std::span<const double> caps);

}  // namespace thinwire
