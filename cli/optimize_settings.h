#pragma once

#include <boost/program_options.hpp>

#include "mom/optimize/optimize.h"

namespace thinwire::cli {

/// Of optimize_options(). Throws Error{usage}.
SearchSettings read_search_settings(const boost::program_options::variables_map& values);

}  // namespace thinwire::cli
