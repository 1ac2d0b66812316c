#pragma once

namespace thinwire {

/// What is differentiated of the gains of patterns, by Problem::parameters.
enum class GainSlopesOf {
  gain_and_ratio,  ///< the front-to-back ratio, too
  gain             ///< it alone: GainSlopes has no ratio then
};

}  // namespace thinwire
