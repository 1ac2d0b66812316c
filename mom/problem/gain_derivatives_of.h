#pragma once

namespace thinwire {

/// Which quantities of patterns are differentiated by Problem::parameters.
enum class GainDerivativesOf {
  gain_and_ratio,  ///< the front-to-back ratio, too
  gain             ///< it alone: GainDerivatives has no ratio then
};

}  // namespace thinwire
