#pragma once

namespace thinwire {

/// What is differentiated of the gains of patterns, by Problem::parameters.
enum class GainDerivativesOf {
  gain_and_ratio,  ///< the front-to-back ratio, too
  gain             ///< it alone: GainDerivatives has no ratio then
};

}  // namespace thinwire
