#pragma once

#include "io/result/hdf5_file.h"
#include "mom/problem/solution.h"

namespace thinwire {

/// Writes /coupling/<k>, a group for each run that ends a group of CP cards: the pairs of
/// segments [K] and, for each frequency of the run and pair, what CouplingResult holds
/// [f, K], NaN where nothing follows.
void write_couplings(Hdf5Writer& out, const Solution& solution);

}  // namespace thinwire
