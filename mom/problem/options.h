#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cg/comm.h"
#include "cg/precondition/box_size.h"
#include "kernels/base/monitor.h"
#include "kernels/matrix/symv_shapes.h"
#include "mom/problem/cpu_rates.h"
#include "mom/problem/matrix_sink.h"

namespace thinwire {

enum class SolverChoice { automatic, direct, cg, cocg, cocr, gmres };
enum class PreconditionerChoice { automatic, none, block, two_level, overlap };
/// How Z is kept: all of it, by a lattice of equal antennas (docs/theory/operators.md),
/// or by a grid and a sparse near field (docs/theory/operators-fft.md).
enum class OperatorChoice { automatic, dense, toeplitz, fft };
enum class MeshChoice { graded, as_given };
enum class KernelChoice { exact, reduced };
/// Which part of an iteration runs on the GPU: the product alone, all of it, or all of it
/// in a CUDA graph.
enum class PlacementChoice { product, resident, graph };
/// How the matrix is stored: complex double, complex single with residuals in double, or
/// complex single alone.
enum class PrecisionChoice { in_double, mixed, in_single };
/// Which frequencies of a sweep are solved: all, or some, from which a model of the
/// currents gives all others (mom/schedule/adaptive_sweep.h).
enum class SweepChoice { full, fast };
/// About so many frequencies of a fast sweep are solved.
inline constexpr std::size_t solved_of_fast_sweep = 20;

/// The words for these on the command line and in files: "auto", "two-level", "as-given".
std::string_view name_of(SolverChoice choice);
std::string_view name_of(PreconditionerChoice choice);
std::string_view name_of(OperatorChoice choice);
std::string_view name_of(MeshChoice choice);
std::string_view name_of(KernelChoice choice);
std::string_view name_of(PlacementChoice choice);
std::string_view name_of(PrecisionChoice choice);
std::string_view name_of(SweepChoice choice);

/// The choice that `word` names. Throws Error{usage}: "`option` must be one of ...".
template <class Choice>
Choice choice_named(std::string_view option, std::string_view word);

/// Where to solve.
struct DeviceRequest {
  enum class Kind { automatic, cpu, cuda };
  Kind kind = Kind::automatic;
  int index = 0;                 ///< N of cuda:N
  std::vector<int> beside = {};  ///< the others of cuda:N,M, that share its work
  bool all = false;              ///< cuda:all
  bool alone = false;            ///< auto: cuda:index or none; others are not looked at

  bool operator==(const DeviceRequest&) const = default;
};

/// "auto", "cpu", "cuda:0", "cuda:0,2", "cuda:all".
std::string name_of(DeviceRequest device);
/// Returns the request for auto, cpu, cuda (cuda:0), cuda:N, cuda:N,M or cuda:all. Throws
/// Error{usage}.
DeviceRequest device_named(std::string_view option, std::string_view word);

/// "auto", "48,4".
std::string name_of(const std::optional<BoxSize>& boxes);
/// None of auto, or the two numbers of SIDE,OVERLAP. Throws Error{usage}.
std::optional<BoxSize> boxes_named(std::string_view option, std::string_view word);

/// How to solve; what to solve is in Problem. The defaults are what `thinwire solve DECK`
/// uses.
struct Options {
  SolverChoice solver = SolverChoice::automatic;
  PreconditionerChoice preconditioner = PreconditionerChoice::automatic;
  /// Boxes of PreconditionerChoice::overlap; none: those that are predicted fastest.
  std::optional<BoxSize> boxes;
  OperatorChoice operator_choice = OperatorChoice::automatic;
  /// Largest SolverReport::operator_error that is not warned of.
  double operator_tolerance = 1e-5;
  double tolerance = 1e-6;  ///< relative residual norm at which iterative solvers stop
  int max_iterations = 0;   ///< 0: a bound from the number of unknowns
  DeviceRequest device;
  PlacementChoice placement = PlacementChoice::resident;   ///< on a GPU only
  PrecisionChoice precision = PrecisionChoice::in_double;  ///< others on a GPU only
  SymvSetting symv;  ///< of the product on a GPU: what `tune` chose
  MeshChoice mesh = MeshChoice::graded;
  /// Equal pieces that every element of that mesh is cut into: 1, 2, 4 .. 64.
  int refinement = 1;
  KernelChoice kernel = KernelChoice::exact;
  SweepChoice sweep = SweepChoice::full;
  bool finer_tables = false;  ///< of a real ground: to a tenth of their usual error
  int threads = 0;            ///< 0: all that OpenMP offers
  /// The processes that share the matrix and its work, all of them in the same call with
  /// the same problem; each gets the whole solution. Null: this one alone.
  const Comm* ranks = nullptr;
  CpuRates cpu_rates;        ///< what times on the CPU are predicted from
  bool port_matrix = false;  ///< fill FrequencyResult::port_impedance_ohm too
  bool keep_coefficients =
      false;  ///< fill FrequencyResult::coefficients_a, for fields
              ///< that are asked for later (mom/schedule/solved_fields.h)
  /// What reflections (VSWR, S11, Touchstone) refer to; the solution does not depend on
  /// it.
  double reference_ohm = 50;
  /// Fill Solution::impedance_matrix_ohm (last frequency), or hand the matrix there.
  bool save_matrix = false;
  MatrixSink* matrix_sink = nullptr;  ///< null: it is to be in memory
  Monitor monitor;                    ///< told from the thread that calls solve()
};

/// Throws Error{usage} where Options::boxes are given without
/// PreconditionerChoice::overlap, less than a cell wide, or no wider than their overlap.
void check_boxes(const Options& options);

/// Throws Error{usage} where a number is out of its range, or as check_boxes does.
void check_options(const Options& options);

/// Options::threads, or all that OpenMP offers.
int thread_count(const Options& options);

}  // namespace thinwire
