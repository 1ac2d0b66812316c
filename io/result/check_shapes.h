#pragma once

#include <string>
#include <vector>

#include "io/result/hdf5_file.h"

namespace thinwire {

/// Returns the paths of the datasets with the values of a sweep's symbols, in the order
/// of the axes: that of --vary on the command line.
std::vector<std::string> symbol_axes(const Hdf5Reader& in);

/// Throws Error{file} where a dataset of a solve, a sweep, an optimization, a benchmark
/// or a WG card has another number of axes than thinwire gives it, or another length
/// along one than the other datasets. Readers may index all of them alike afterwards.
/// Does nothing for files of other programs and of newer versions.
void check_shapes(const Hdf5Reader& in);

}  // namespace thinwire
