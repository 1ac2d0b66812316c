#pragma once

namespace thinwire {

/// Into how many runs of tiles each resident block's share of the symmetric product is
/// cut on the GPU, for every DeviceSymv made from now on: tuning.h has the default.
/// Changes the order of the sums, so results may differ in the last bits.
int symv_runs_per_block();

/// runs: 1 .. 16, or 0 for the default. Throws Error{usage}. Not to be called while
/// another thread makes a DeviceSymv.
void set_symv_runs_per_block(int runs);

}  // namespace thinwire
