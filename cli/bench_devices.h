#pragma once

#include <boost/program_options.hpp>
#include <string>

namespace thinwire::cli {

/// `bench --devices LIST`: how products scale over so many GPUs. Returns the exit code.
int bench_devices(const boost::program_options::variables_map& values,
                  const std::string& command_line);

}  // namespace thinwire::cli
