#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cg/krylov/solver_choice.h"
#include "cg/precondition/box_size.h"
#include "kernels/base/monitor.h"
#include "kernels/element/element.h"
#include "kernels/matrix/symv_setting.h"
#include "mom/problem/cpu_rates.h"
#include "mom/problem/matrix_sink.h"

namespace thinwire {

class Comm;

enum class PreconditionerChoice { automatic, none, block, two_level, overlap };
constexpr auto words_of(PreconditionerChoice) {
  using enum PreconditionerChoice;
  return std::to_array<Word<PreconditionerChoice>>({{automatic, "auto"},
                                                    {none, "none"},
                                                    {block, "block"},
                                                    {two_level, "two-level"},
                                                    {overlap, "overlap"}});
}
/// Coarse level of PreconditionerChoice::overlap: where it is predicted to save time,
/// none, or always.
enum class SwitchChoice { automatic, off, on };
constexpr auto words_of(SwitchChoice) {
  using enum SwitchChoice;
  return std::to_array<Word<SwitchChoice>>(
      {{automatic, "auto"}, {off, "off"}, {on, "on"}});
}
/// Representation of Z: dense, as a lattice of equal antennas (docs/theory/operators.md),
/// or as a uniform grid with a sparse near field (docs/theory/operators-fft.md).
enum class OperatorChoice { automatic, dense, toeplitz, fft };
constexpr auto words_of(OperatorChoice) {
  using enum OperatorChoice;
  return std::to_array<Word<OperatorChoice>>(
      {{automatic, "auto"}, {dense, "dense"}, {toeplitz, "toeplitz"}, {fft, "fft"}});
}
enum class MeshChoice { graded, as_given };
constexpr auto words_of(MeshChoice) {
  using enum MeshChoice;
  return std::to_array<Word<MeshChoice>>({{graded, "graded"}, {as_given, "as-given"}});
}
constexpr auto words_of(GreensKernel) {
  using enum GreensKernel;
  return std::to_array<Word<GreensKernel>>({{exact, "exact"}, {reduced, "reduced"}});
}
/// Part of an iteration that runs on the GPU: the product alone, the whole iteration, or
/// the whole iteration in a CUDA graph.
enum class PlacementChoice { product, resident, graph };
constexpr auto words_of(PlacementChoice) {
  using enum PlacementChoice;
  return std::to_array<Word<PlacementChoice>>(
      {{product, "product"}, {resident, "resident"}, {graph, "graph"}});
}
/// Storage of the matrix: complex double, complex single with residuals in double, or
/// complex single alone.
enum class PrecisionChoice { in_double, mixed, in_single };
constexpr auto words_of(PrecisionChoice) {
  using enum PrecisionChoice;
  return std::to_array<Word<PrecisionChoice>>(
      {{in_double, "double"}, {mixed, "mixed"}, {in_single, "single"}});
}
/// Frequencies of a sweep that are solved: all, or some, with a model of the currents for
/// the others (mom/schedule/adaptive_sweep.h).
enum class SweepChoice { full, fast };
constexpr auto words_of(SweepChoice) {
  using enum SweepChoice;
  return std::to_array<Word<SweepChoice>>({{full, "full"}, {fast, "fast"}});
}
/// Approximate number of frequencies that a fast sweep solves.
inline constexpr std::size_t solved_of_fast_sweep = 20;

/// Device to solve on.
struct DeviceRequest {
  enum class Kind { automatic, cpu, cuda };
  Kind kind = Kind::automatic;
  int index = 0;                 ///< N of cuda:N
  std::vector<int> beside = {};  ///< the other GPUs of cuda:N,M, which share its work
  bool all = false;              ///< cuda:all
  bool alone = false;            ///< auto: considers no GPU but cuda:index

  bool operator==(const DeviceRequest&) const = default;
};

/// Returns "auto", "cpu", "cuda:0", "cuda:0,2" or "cuda:all".
std::string name_of(DeviceRequest device);
/// Returns the request for auto, cpu, cuda (cuda:0), cuda:N, cuda:N,M or cuda:all. Throws
/// Error{usage}.
DeviceRequest device_named(std::string_view option, std::string_view word);

/// Returns "auto", or size and overlap: "48,4".
std::string name_of(const std::optional<BoxSize>& boxes);
/// Returns none for auto, else the numbers of SIDE,OVERLAP. Throws Error{usage}.
std::optional<BoxSize> boxes_named(std::string_view option, std::string_view word);

/// Options of the solution of a Problem. The defaults are those of `thinwire solve DECK`.
struct Options {
  SolverChoice solver = SolverChoice::automatic;
  PreconditionerChoice preconditioner = PreconditionerChoice::automatic;
  /// Boxes of PreconditionerChoice::overlap; none: those with the shortest predicted
  /// time.
  std::optional<BoxSize> boxes;
  /// Coarse level beside these boxes, on the CPU (mom/preconditioners/coarse_space.h).
  SwitchChoice coarse = SwitchChoice::automatic;
  OperatorChoice operator_choice = OperatorChoice::automatic;
  /// Target relative error of matrix-free operators. A SolverReport::operator_error that
  /// is larger by more than two spreads causes a warning.
  double operator_tolerance = 1e-5;
  double tolerance = 1e-6;  ///< relative residual norm at which iterative solvers stop
  int max_iterations = 0;   ///< limit; 0: chosen from the number of unknowns
  DeviceRequest device;
  PlacementChoice placement = PlacementChoice::resident;   ///< on a GPU only
  PrecisionChoice precision = PrecisionChoice::in_double;  ///< others: on a GPU only
  SymvSetting symv;  ///< launch settings of the matrix-vector product on a GPU
  MeshChoice mesh = MeshChoice::graded;
  /// Number of equal pieces that every element of the mesh is cut into: 1, 2, 4 .. 64.
  int refinement = 1;
  GreensKernel kernel = GreensKernel::exact;
  /// Whether to include the proximity effect between close wires and at sharp bends
  /// (mom/discretization/proximity.h); automatic: where it is known
  /// (why_no_proximity in mom/plan/run_meshes.h).
  SwitchChoice proximity = SwitchChoice::automatic;
  SweepChoice sweep = SweepChoice::full;
  /// True computes the tables of a real ground to a tenth of the usual error.
  bool finer_tables = false;
  int threads = 0;  ///< CPU threads; 0: as many as OpenMP offers
  /// Processes that share the matrix and the work. All must make the same call with the
  /// same problem, and each gets the whole solution. Null: this process alone.
  const Comm* ranks = nullptr;
  CpuRates cpu_rates;  ///< measured rates, from which times on the CPU are predicted
  bool port_matrix = false;  ///< True fills FrequencyResult::port_impedance_ohm.
  /// True fills FrequencyResult::coefficients_a, from which fields can be computed later
  /// (mom/schedule/solved_fields.h).
  bool keep_coefficients = false;
  /// Reference impedance of VSWR, S11 and Touchstone files. The solution does not depend
  /// on it.
  double reference_ohm = 50;
  /// True stores the matrix of the last frequency: in Solution::impedance_matrix_ohm, or
  /// in `matrix_sink` if that is not null.
  bool save_matrix = false;
  MatrixSink* matrix_sink = nullptr;
  /// Progress and interrupts of one solve; called from the thread of solve().
  Monitor monitor;
};

/// Throws Error{usage} if Options::boxes or Options::coarse are given without
/// PreconditionerChoice::overlap, or if the boxes are less than a cell wide or no wider
/// than their overlap.
void check_overlap(const Options& options);

/// Throws Error{usage} if a number is out of range, and as check_overlap().
void check_options(const Options& options);

/// Returns Options::threads, or the number that OpenMP offers if that is 0.
int thread_count(const Options& options);

}  // namespace thinwire
