#pragma once

#include <string>
#include <vector>

#include "bench/line_plot.h"
#include "bench/table.h"
#include "kernels/base/monitor.h"
#include "papers/assembly/assembly_bench.h"
#include "papers/assembly/elastic_solve.h"

namespace thinwire {

/// Settings of `thinwire bench sparse --assembly`: trilinear elasticity on a cube of
/// hexahedra (Ohshima et al. 2011).
struct AssemblyBenchOptions {
  double scale = 1;  ///< of the 100^3 elements
  int repeats = 20;
  std::vector<std::size_t> colours = {8, 16, 32, 64, 128, 256, 512, 1024, 2048};
  bool gpu = false;  ///< else the CPU alone
  int gpu_index = 0;
  std::vector<int> gpus;  ///< that share an assembly
  Monitor monitor;        ///< stopped: the comparison ends there
};

/// One way to assemble.
struct AssemblyRow {
  AssemblyMethod method = AssemblyMethod::rows;
  bool gpu = false;
  std::size_t colours = 0;  ///< 0: needs none
  RunTimes times;
  double colouring_s = 0;  ///< on one thread of the CPU, before; NaN where there is none
  double error = 0;        ///< relative 2-norm of the difference of A x from one thread's
};

/// One assembly shared out.
struct ShareRow {
  std::string workers;  ///< "2 GPUs + CPU"
  std::string how;      ///< "rows in slabs", "rows on demand", "colours, copies merged"
  std::size_t colours = 0;
  RunTimes times;
  double merge_s = 0;   ///< NaN: nothing is merged
  double cpu_part = 0;  ///< of the rows or colours; NaN without a CPU
  double error = 0;
};

/// One finite-element solve, in its steps.
struct WholeRow {
  std::string where;
  std::size_t elements = 0;
  double connect_s = 0;
  ElasticSolve solve;

  double seconds() const;
};

struct AssemblyReport {
  std::size_t elements = 0, nodes = 0, blocks = 0;
  std::vector<AssemblyRow> rows;
  std::vector<ShareRow> shares;
  std::vector<WholeRow> wholes;
  bool gpu = false;
  bool interrupted = false;
};

/// Throws Error{memory}, Error{device}.
AssemblyReport compare_assembly(const AssemblyBenchOptions& options);

/// "assembly", "shares" where there is a GPU, "whole".
std::vector<Table> assembly_tables(const AssemblyReport& report);

/// Time against colours.
std::vector<LinePlot> assembly_plots(const AssemblyReport& report);

/// Summarises the figures beside the paper's findings.
std::vector<std::string> assembly_findings(const AssemblyReport& report);

}  // namespace thinwire
