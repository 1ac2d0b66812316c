#pragma once

#include <memory>
#include <span>
#include <string>

#include "cg/comm.h"
#include "mom/systems/backend.h"

namespace thinwire {

/// The current GPU as one of those of several ranks, which share the dense matrices that
/// SystemInput::ranks says they share: each fills, stores and multiplies its share of the
/// tiles. All else each rank does whole. weights: of the ranks' shares. ranks outlives
/// the backend; all ranks make one, and make the same calls. Throws Error{device}.
std::unique_ptr<Backend> make_device_rank_backend(std::string name, const Comm& ranks,
                                                  std::span<const double> weights);

}  // namespace thinwire
