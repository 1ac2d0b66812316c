#pragma once

#include <string>
#include <string_view>

#include "mom/problem/cpu_rates.h"

namespace thinwire {

/// Processor and libraries that rates belong to: they are of no use elsewhere.
struct CpuIdentity {
  std::string cpu;  ///< the processor's name
  std::string blas;
  int threads = 1;  ///< that solves may take
};

/// "cpu-intel-r-xeon-r-processor-2-threads-0.1.0.json": the processor's name in letters,
/// digits and dashes, the threads, and the version of the program.
std::string cpu_rates_file_name(const CpuIdentity& identity);

/// The file's text, JSON.
std::string cpu_rates_json(const CpuIdentity& identity, const CpuRates& rates);

/// Parses the text of a rates file. Throws Error{file}, with the reason alone as its
/// text, if the text is damaged, a number is out of range, or the file belongs to another
/// format, processor, BLAS or version of the program.
CpuRates parse_cpu_rates(const std::string& text, const CpuIdentity& identity);

}  // namespace thinwire
