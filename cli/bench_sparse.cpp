#include <fmt/format.h>

#include "cli/command.h"
#include "cli/exit_code.h"
#include "cli/interrupt.h"
#include "cli/machine.h"
#include "cli/openmp_wait.h"
#include "cli/parse.h"
#include "cli/progress_line.h"
#include "cli/report_files.h"
#include "kernels/base/counted.h"
#include "mom/gpu/gpu.h"
#include "mom/problem/options.h"
#include "papers/sparse/sparse_method.h"
#include "papers/study/compare_assembly.h"
#include "papers/study/compare_sparse.h"
#include "papers/study/sparse_matrices.h"

namespace thinwire::cli {
namespace po = boost::program_options;
namespace {

constexpr const char* sparse_command = "bench sparse";
/// Without a GPU the samples are so much smaller.
constexpr double cpu_scale = 0.1;

}  // namespace

po::options_description bench_sparse_options() {
  const auto names = [](const char* value) {
    return po::value<std::vector<std::string>>()->multitoken()->value_name(value);
  };
  po::options_description options;
  options.add_options()  //
      ("matrix", names("NAME"),
       "samples, by name (--list shows them), or FILE.mtx (default: all samples)")  //
      ("format", names("NAME"),
       "formats of the product (--list shows them; default: those of the papers)")  //
      ("type", choice("d|z|s|c"),
       "numbers: double, complex double, single or complex single")  //
      ("scale", po::value<double>()->value_name("X"),
       "factor on the rows of the samples; 1 is the papers' size (default: 1 on a GPU, "
       "0.1 on a CPU)")  //
      ("repeats", po::value<int>()->default_value(20)->value_name("N"),
       "timed runs of each product")  //
      ("gmres", po::value<int>()->default_value(0)->value_name("N"),
       "also time at most N iterations of GMRES with each format (default 0: none)")  //
      ("assembly", po::bool_switch(),
       "time the assembly of an elasticity matrix on 100^3 hexahedra, times --scale, "
       "instead of products")  //
      ("colours", po::value<std::vector<int>>()->multitoken()->value_name("N"),
       "with --assembly: numbers of colours (default: 8, 16, .. 2048)")  //
      ("device", choice("auto|cpu|cuda|cuda:N"),
       "auto: a GPU where there is one, else the CPU")  //
      ("list", po::bool_switch(), "list samples and formats, and stop");
  add_report_options(options);
  return options;
}

namespace {

SparseType type_named(const std::string& word) {
  if (word == "d") return SparseType::real_double;
  if (word == "z") return SparseType::complex_double;
  if (word == "s") return SparseType::real_single;
  if (word == "c") return SparseType::complex_single;
  throw Error(ErrorKind::usage,
              fmt::format("bench sparse: --type must be d, z, s or c (got '{}').", word));
}

std::vector<std::string> names_of(const po::variables_map& values, const char* option) {
  return given(values, option) ? values[option].as<std::vector<std::string>>()
                               : std::vector<std::string>();
}

SparseBenchOptions read_options(const po::variables_map& values) {
  SparseBenchOptions options;
  options.matrices = names_of(values, "matrix");
  options.formats = names_of(values, "format");
  options.type = type_named(text_of(values, "type"));
  options.repeats =
      in_range(sparse_command, "repeats", values["repeats"].as<int>(), 1, 100000);
  options.gmres = in_range(sparse_command, "gmres", values["gmres"].as<int>(), 0, 100000);
  const DeviceRequest device = one_device(sparse_command, text_of(values, "device"));
  using Kind = DeviceRequest::Kind;
  if (device.kind == Kind::cuda) require_gpu().use(device.index);
  options.gpu = device.kind == Kind::cuda;
  options.gpu_index = device.index;
  if (device.kind == Kind::automatic) {
    const DeviceReport report = gpu_report();
    const DeviceInfo* const gpu = report.first_usable();
    options.gpu = gpu != nullptr;
    if (options.gpu) options.gpu_index = gpu->index;
  }
  options.scale = options.gpu ? 1 : cpu_scale;
  if (given(values, "scale")) options.scale = values["scale"].as<double>();
  if (!(options.scale > 0 && options.scale <= 100))
    throw Error(ErrorKind::usage,
                fmt::format("bench sparse: --scale must be above 0 and at most 100 (got "
                            "{:g}).",
                            options.scale));
  return options;
}

void print_list() {
  fmt::print("Matrices\n");
  for (const SparseSample& sample : sparse_samples())
    fmt::print("  {:<18}{}\n", sample.name, sample.what);
  fmt::print("  {:<18}{}\n\nFormats\n", "FILE.mtx", "a Matrix Market file");
  for (const SparseMethod& method : sparse_methods()) fmt::print("  {}\n", method.name);
  fmt::print(
      "  runs-real, of complex types: half of a real matrix on complex vectors\n"
      "  cusparse-csr, cusparse-bsr, cusparse-sell: on a GPU\n");
}

/// Throws where nothing was measured before the interrupt.
void require_rows(bool interrupted, std::size_t rows) {
  if (interrupted && rows == 0)
    throw Error(ErrorKind::interrupted,
                "bench sparse: interrupted. Nothing was written.");
}

ReportContents measure_products(const SparseBenchOptions& options,
                                const std::string& type) {
  const SparseReport report = compare_sparse(options);
  require_rows(report.interrupted, report.rows.size());
  const std::string measured = fmt::format(
      "y = A x in type {}, samples at {:g} of their rows; medians of {} {}; GB/s: "
      "matrix as allocated, x and y once; error against sums in long double",
      type, options.scale, counted(static_cast<std::size_t>(options.repeats), "run"),
      report.gpu ? "by events on the GPU" : "on the CPU");
  return {sparse_command,        "thinwire: sparse products",
          sparse_tables(report), machine_header({{"measured", measured}}),
          sparse_plots(report),  sparse_findings(report),
          report.interrupted};
}

AssemblyBenchOptions assembly_options(const po::variables_map& values,
                                      const SparseBenchOptions& common) {
  AssemblyBenchOptions options;
  options.scale = common.scale;
  options.repeats = common.repeats;
  options.gpu = common.gpu;
  options.gpu_index = common.gpu_index;
  options.monitor = common.monitor;
  if (given(values, "colours")) {
    options.colours.clear();
    for (const int colours : values["colours"].as<std::vector<int>>())
      options.colours.push_back(static_cast<std::size_t>(
          in_range(sparse_command, "colours", colours, 1, 100000)));
  }
  if (options.gpu) {
    options.gpus = {options.gpu_index};
    for (const DeviceInfo& gpu : gpu_report().devices)
      if (gpu.index != options.gpu_index && gpu.usable())
        options.gpus.push_back(gpu.index);
  }
  return options;
}

ReportContents measure_assembly(const AssemblyBenchOptions& options) {
  const AssemblyReport report = compare_assembly(options);
  require_rows(report.interrupted, report.rows.size());
  const std::string measured = fmt::format(
      "stiffness of {} trilinear hexahedra, 8 Gauss points, {} nodes, {} blocks of 3 x 3 "
      "doubles; medians of up to {}; difference: of A x from that of one thread",
      report.elements, report.nodes, report.blocks,
      counted(static_cast<std::size_t>(options.repeats), "run"));
  return {sparse_command,          "thinwire: assembly",
          assembly_tables(report), machine_header({{"measured", measured}}),
          assembly_plots(report),  assembly_findings(report),
          report.interrupted};
}

int bench_sparse(const po::variables_map& values, const std::string& command_line) {
  const bool quiet = values["quiet"].as<bool>();
  SparseBenchOptions options = read_options(values);
  std::vector<std::filesystem::path> inputs;
  for (const std::string& matrix : options.matrices)
    if (matrix.ends_with(".mtx")) inputs.emplace_back(matrix);
  const ReportFiles files = read_report_files(sparse_command, values, "html", inputs);
  const InterruptGuard guard(files.all(), OnInterrupt::keep);
  ProgressLine progress(quiet ? ProgressMode::none : ProgressMode::automatic);
  options.monitor = progress.monitor();
  const ReportContents contents =
      values["assembly"].as<bool>() ? measure_assembly(assembly_options(values, options))
                                    : measure_products(options, text_of(values, "type"));
  progress.clear();
  deliver_report(files, contents, quiet, command_line).raise();
  if (contents.interrupted) throw_interrupted(sparse_command);
  return exit_done;
}

}  // namespace

int run_bench_sparse(const Arguments& arguments) {
  const po::variables_map values =
      parse(sparse_command, arguments.words, bench_sparse_options());
  if (values["list"].as<bool>()) {
    print_list();
    return exit_done;
  }
  wait_without_spinning(arguments.argv);
  return bench_sparse(values, arguments.command_line);
}

}  // namespace thinwire::cli
