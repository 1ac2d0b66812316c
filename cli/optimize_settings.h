#pragma once

#include <boost/program_options.hpp>

#include "mom/optimize/optimize.h"

namespace thinwire::cli {

/// Reads the values of optimize_options(). Throws Error{usage}.
SearchSettings read_search_settings(const boost::program_options::variables_map& values);

}  // namespace thinwire::cli
