#pragma once

#include "io/result/hdf5_file.h"

namespace thinwire {

/// Returns access properties for H5Fopen to read a file by. HDF5's own driver shares one
/// state among all that have a file open, and gives zeros for what was cut off since.
/// This one has a state for each, and reads nothing of a file whose size or time of
/// change is not what it was when it was opened.
Hdf5Id input_access();

}  // namespace thinwire
