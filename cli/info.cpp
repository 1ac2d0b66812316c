#include <fmt/format.h>

#include <cmath>

#include "cli/command.h"
#include "cli/exit_code.h"
#include "cli/parse.h"
#include "cli/result_table.h"
#include "io/result/check_shapes.h"
#include "io/result/hdf5_file.h"
#include "io/result/hdf5_origin.h"
#include "kernels/base/counted.h"
#include "kernels/base/printable.h"

namespace thinwire::cli {
namespace po = boost::program_options;

po::options_description info_options() {
  po::options_description options;
  options.add_options()("result", po::value<std::string>()->value_name("RESULT.h5"),
                        "result file");
  return options;
}

namespace {

/// Prints a line of what may be foreign text.
void row(const std::string& name, const std::string& value) {
  fmt::print("{:<14}{}\n", printable(name), printable(value));
}

/// Opens a result. Throws Error{file} with what to give instead where the file is none.
Hdf5Reader open_result(const std::string& path) {
  try {
    return Hdf5Reader(path);
  } catch (const Error& error) {
    throw Error(error.kind(),
                fmt::format("{} Give a file that `thinwire solve` wrote.", error.what()));
  }
}

void check_format(const Hdf5Reader& in, const std::string& path) {
  std::string format;
  try {
    format = in.attribute_text("/", "format");
  } catch (const Error&) {
  }
  if (format != "thinwire")
    throw Error(ErrorKind::file,
                fmt::format("{}: is not a thinwire result (no attribute format = "
                            "\"thinwire\"). Give a file that `thinwire solve` wrote.",
                            path));
  check_format_version(in, path);
}

/// As `thinwire version` prints it.
std::string version_in(const Hdf5Reader& in) {
  const std::string version = in.attribute_text("/", "program_version"),
                    commit = in.attribute_text("/", "git_commit");
  return commit == "unknown" ? version : fmt::format("{} ({})", version, commit);
}

void print_origin(const Hdf5Reader& in, const std::string& path) {
  row("file", path);
  row("deck", in.attribute_text("/input/deck", "file_name"));
  row("made by", fmt::format("thinwire {} on {}, {}", version_in(in),
                             in.attribute_text("/", "device"),
                             in.attribute_text("/", "created_utc")));
  row("command", in.attribute_text("/", "command_line"));
  // Where there is a ground that takes wires.
  const std::int64_t below = in.has_attribute("/mesh", "segments_in_ground")
                                 ? in.attribute_integer("/mesh", "segments_in_ground")
                                 : 0;
  row("segments", fmt::format("{}{}", in.length("/mesh/tag"),
                              below > 0 ? fmt::format(", {} in the ground", below) : ""));
  row("unknowns", fmt::format("{}", in.attribute_integer("/", "unknowns")));
  row("frequencies", fmt::format("{}", in.length("/frequency_hz")));
  row("total time", fmt::format("{:.3g} s", in.doubles("/timing/total")[0]));
  if (in.exists("/matrix/impedance_ohm")) row("matrix", "kept");
  if (in.exists("/warnings"))
    for (const std::string& warning : in.strings("/warnings")) row("warning", warning);
}

/// Timings of `thinwire tune` and `thinwire bench`: what tables there are. False where
/// the file holds a solution.
bool print_report(const Hdf5Reader& in, const std::string& path) {
  std::string content;
  try {
    content = in.attribute_text("/", "content");
  } catch (const Error&) {
    return false;
  }
  row("file", path);
  row("timings of", "thinwire " + content);
  row("made by", fmt::format("thinwire {}, {}", version_in(in),
                             in.attribute_text("/", "created_utc")));
  row("command", in.attribute_text("/", "command_line"));
  for (const std::string& table : in.children("/")) {
    std::vector<std::string> columns = in.children("/" + table);
    // The axis of the rows, in files from version 2 on.
    std::erase(columns, "row");
    if (columns.empty()) continue;
    row("table",
        fmt::format("{}, {} x {}", table,
                    counted(in.shape("/" + table + "/" + columns.at(0)).at(0), "row"),
                    counted(columns.size(), "column")));
  }
  return true;
}

void print_patterns(const Hdf5Reader& in) {
  if (!in.exists("/pattern")) return;
  for (const std::string& k : in.children("/pattern")) {
    const Shape shape = in.shape("/pattern/" + k + "/gain_dbi");
    double peak = -999.99;
    for (const double gain : in.doubles("/pattern/" + k + "/gain_dbi"))
      peak = std::max(peak, gain);
    fmt::print("{:<14}{} x {} theta x {} phi, peak {:.2f} dBi\n", "pattern " + k,
               counted(shape[0], "frequency"), shape[1], shape[2], peak);
  }
}

void print_near_fields(const Hdf5Reader& in) {
  if (!in.exists("/near_field")) return;
  for (const std::string& k : in.children("/near_field")) {
    const std::string group = "/near_field/" + k;
    const bool electric = in.exists(group + "/e_v_per_m");
    const std::string values = group + (electric ? "/e_v_per_m" : "/h_a_per_m");
    const Shape shape = in.shape(values);
    const std::vector<Complex> field = in.complexes(values);
    double largest = 0;
    for (std::size_t i = 0; i + 3 <= field.size(); i += 3)
      largest = std::max(largest, std::norm(field[i]) + std::norm(field[i + 1]) +
                                      std::norm(field[i + 2]));
    fmt::print("{:<14}{} x {} x {} x {} points, largest {} {:.4g} {}\n",
               "near field " + k, counted(shape[0], "frequency"), shape[3], shape[2],
               shape[1], electric ? "|E|" : "|H|", std::sqrt(largest),
               electric ? "V/m" : "A/m");
  }
}

/// Variants of a deck (`thinwire sweep`); false for other files.
bool print_variants(const Hdf5Reader& in, const std::string& path) {
  if (!in.has_attribute("/", "content") || in.attribute_text("/", "content") != "sweep")
    return false;
  row("file", path);
  row("variants of", in.attribute_text("/input/deck", "file_name"));
  row("command", in.attribute_text("/", "command_line"));
  for (const std::string& name : in.children("/"))
    if (name.starts_with("symbol_")) {
      const std::vector<double> values = in.doubles("/" + name);
      row("symbol",
          fmt::format("{}, {}, {:g} to {:g}", name.substr(7),
                      counted(values.size(), "value"), values.front(), values.back()));
    }
  row("results", fmt::format("{} for each", in.shape("/result_number").at(0)));
  return true;
}

/// The history of `thinwire optimize`; false for other files.
bool print_optimization(const Hdf5Reader& in, const std::string& path) {
  if (!in.has_attribute("/", "content") ||
      in.attribute_text("/", "content") != "optimization")
    return false;
  row("file", path);
  row("variants of", in.attribute_text("/input/deck", "file_name"));
  row("command", in.attribute_text("/", "command_line"));
  const std::vector<std::string> variables = in.strings("/variable"),
                                 goals = in.strings("/goal");
  const std::vector<double> values = in.doubles("/variable_value"),
                            reached = in.doubles("/goal_value");
  const auto best =
      static_cast<std::size_t>(in.attribute_integer("/", "best_evaluation") - 1);
  row("evaluations",
      fmt::format("{} of {} for {}, until {}", in.shape("/variable_value").at(0),
                  counted(variables.size(), "variable"), counted(goals.size(), "goal"),
                  in.attribute_text("/", "ended")));
  for (std::size_t v = 0; v < variables.size(); ++v)
    row("best",
        fmt::format("{} = {:.6g}", variables[v], values.at(best * variables.size() + v)));
  for (std::size_t g = 0; g < goals.size(); ++g)
    row("goal", fmt::format("{}: {:.6g}", goals[g], reached.at(best * goals.size() + g)));
  return true;
}

/// Prints the contents of a file of a WG card; returns false for other files.
bool print_matrix(const Hdf5Reader& in, const std::string& path) {
  if (!in.has_attribute("/", "content") || in.attribute_text("/", "content") != "matrix")
    return false;
  row("file", path);
  row("matrix",
      fmt::format("of {} (WG), for GF 0 {}", in.attribute_text("/", "deck"), path));
  row("frequency",
      fmt::format("{:.9g} MHz", in.attribute_real("/", "frequency_hz") * 1e-6));
  row("segments", fmt::format("{}", in.shape("/structure/radius_m").at(0)));
  row("unknowns", fmt::format("{}", in.shape("/matrix_ohm").at(0)));
  return true;
}

/// Where Z was not made as a whole; files of earlier versions do not say.
void print_operator(const Hdf5Reader& in) {
  if (!in.exists("/solver/operator_error")) return;
  double largest = -1;
  for (const double error : in.doubles("/solver/operator_error"))
    largest = std::fmax(largest, error);
  if (largest >= 0)
    row("operator", fmt::format("{}, estimated error of impedances {:.1e} at most",
                                in.strings("/solver/operator").at(0), largest));
}

void print_ports(const Hdf5Reader& in) {
  if (!in.exists("/port/impedance_ohm")) return;
  const std::vector<double> frequency_hz = in.doubles("/frequency_hz");
  const std::vector<std::int64_t> tag = in.integers("/port/tag"),
                                  segment = in.integers("/port/segment"),
                                  iterations = in.integers("/solver/iterations");
  std::vector<std::int64_t> gap(tag.size());  // files of earlier versions have none
  if (in.exists("/port/gap")) gap = in.integers("/port/gap");
  const std::vector<Complex> impedance = in.complexes("/port/impedance_ohm");
  const std::vector<double> residual = in.doubles("/solver/relative_residual");
  std::vector<std::int64_t> converged(frequency_hz.size(), 1);
  if (in.exists("/solver/converged")) converged = in.integers("/solver/converged");
  const std::vector<std::string> solver = in.strings("/solver/name");
  // Files of earlier versions do not say.
  const double reference_ohm = in.has_attribute("/port", "reference_impedance_ohm")
                                   ? in.attribute_real("/port", "reference_impedance_ohm")
                                   : 50;
  fmt::print("\n{:>12} {:>12} {:>11} {:>11}  {} {:>8} {:>10} {:>9}\n", "MHz",
             "tag/segment", "R ohm", "X ohm", vswr_heading(reference_ohm), "solver",
             "iterations", "residual");
  for (std::size_t f = 0; f < frequency_hz.size(); ++f)
    for (std::size_t p = 0; p < tag.size(); ++p) {
      const Complex z = impedance[f * tag.size() + p];
      const auto* const end = gap[p] == 1 ? " start" : gap[p] == 2 ? " end" : "";
      if (std::isnan(z.real())) continue;  // not fed in this run
      fmt::print("{:>12.6g} {:>12} {:>11.5g} {:>11.5g} {:>{}} {:>8} {:>10} {:>9.1e}{}\n",
                 frequency_hz[f] / 1e6, fmt::format("{}/{}{}", tag[p], segment[p], end),
                 z.real(), z.imag(), vswr_text(z, reference_ohm),
                 vswr_heading(reference_ohm).size() + 1, printable(solver[f]),
                 iterations[f], residual[f], converged[f] != 0 ? "" : "  not converged");
    }
}

}  // namespace

int run_info(const Arguments& arguments) {
  const po::variables_map values =
      parse("info", arguments.words, info_options(), "result");
  const std::string path = text_of(values, "result");
  if (path.empty())
    throw Error(ErrorKind::usage, "info: no file given. Run `thinwire help info`.");
  const Hdf5Reader in = open_result(path);
  check_format(in, path);
  check_shapes(in);
  if (print_matrix(in, path) || print_variants(in, path) ||
      print_optimization(in, path) || print_report(in, path))
    return exit_done;
  print_origin(in, path);
  print_patterns(in);
  print_near_fields(in);
  print_operator(in);
  print_ports(in);
  return exit_done;
}

}  // namespace thinwire::cli
