#pragma once

#include <span>
#include <vector>

namespace thinwire {

/// Shares of a whole, their sum 1, for owners that work at such rates: in proportion to
/// them, but none larger than its cap; the others take what one cannot. Where the caps
/// add up to less than the whole, in proportion to the caps. rates > 0, caps >= 0, not
/// all 0.
std::vector<double> shares_within(std::span<const double> rates,
                                  std::span<const double> caps);

}  // namespace thinwire
