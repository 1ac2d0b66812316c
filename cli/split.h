#pragma once

#include <boost/program_options.hpp>

#include "mom/plan/planner.h"
#include "mom/problem/options.h"

namespace thinwire::cli {

/// --split, of commands that several processes share.
boost::program_options::options_description split_options(const char* part);

/// Into how many groups the processes are divided to solve `count` parts (frequencies,
/// variants) of a problem, each group a part at a time: --split none is one group that
/// shares every matrix; auto and `part` take as many as have work, with enough ranks in
/// each for its matrix to fit. undivided: why the parts cannot be distributed, empty if
/// they can. The same on all processes. Throws Error{usage} for another word, or where
/// `part` is asked for and undivided.
int group_count(const boost::program_options::variables_map& values, const char* part,
                std::size_t count, const std::string& undivided, Planner& planner,
                const Options& options);

}  // namespace thinwire::cli
