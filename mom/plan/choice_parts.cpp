#include "mom/plan/choice_parts.h"
#include "kernels/base/bytes_text.h"

#include <algorithm>

#include <fmt/format.h>

#include "kernels/matrix/packed_tiles.h"
#include "mom/excitation/incident_field.h"

namespace thinwire {

namespace {

/// Frequencies of a sweep over GN 2 at which the ground is computed (ground_sweep.h), and
/// how many times as many there must be.
constexpr double ground_nodes = 17, pays_from = 27;

/// Nodes of the matrix on the CPU (kernels/fill/matrix_sweep.h), and the cost of an
/// interpolated matrix relative to a filled one.
constexpr double matrix_nodes = 10, interpolated = 0.05;

FieldTerms terms_of(const Discretization& where, const Workload& work) {
  return field_terms(where.elements(), work.largest_k_rad_per_m, work.fields);
}

double ground_seconds(const Discretization& where, const Options& options,
                      const Workload& work, int threads) {
  return ground_field_seconds(where.elements().size(), work.ground_points,
                              work.fields.near_fields, options.cpu_rates, threads);
}

std::string shortage_text(const DeviceChoice& choice, std::size_t need,
                          const std::string& where, std::size_t free_bytes,
                          const Discretization& discretization, const Options& options,
                          const Workload& work) {
  const bool fields = static_cast<double>(need) <
                          2 * result_copies * static_cast<double>(work.result_bytes) &&
                      need == choice.host_bytes;
  std::string what = fields ? "patterns and near fields"
                     : choice.plan.operator_choice == OperatorChoice::dense
                         ? "impedance matrix and solver"
                         : "operator and solver";
  std::string ways, on_each;
  if (fields) {
    ways = "fewer angles or points in its fields or fewer frequencies";
  } else {
    if (choice.plan.solver == SolverChoice::direct) ways = "--solver cocg, ";
    if (choice.plan.ranks > 1) {
      on_each = fmt::format(" on each of {} ranks", choice.plan.ranks);
      ways += "more ranks, ";
    }
    if (options.boxes && choice.plan.block_bytes > 0) {
      what += fmt::format(" (blocks of --boxes {}: {})", name_of(options.boxes),
                          bytes_text(static_cast<double>(choice.plan.block_bytes)));
      ways = "smaller --boxes, ";
    }
    if (choice.gpu && options.precision == PrecisionChoice::in_double)
      ways += "--precision mixed, ";
    if (options.mesh == MeshChoice::graded) ways += "--mesh as-given, ";
    ways += "fewer segments";
  }
  return fmt::format("{} need {}{} but {} has {} free (N = {}). Use {}{}.", what,
                     bytes_text(static_cast<double>(need)), on_each, where,
                     bytes_text(static_cast<double>(free_bytes)),
                     discretization.unknowns(), ways,
                     choice.gpu ? "" : " or a machine with more memory");
}

}  // namespace

bool interpolates_matrix(const Workload& work) {
  return !work.host_fill && static_cast<double>(work.frequencies) > 2 * matrix_nodes;
}

double predicted_seconds(const DeviceChoice& choice, const Workload& work) {
  const auto frequencies = static_cast<double>(work.frequencies);
  const double tables =
      choice.gpu || frequencies < pays_from ? frequencies : ground_nodes;
  const bool sweeps = !choice.gpu && choice.plan.ranks == 1 &&
                      interpolates_matrix(work) &&
                      choice.plan.operator_choice == OperatorChoice::dense;
  const double fills = sweeps ? matrix_nodes + interpolated * frequencies : frequencies;
  return tables * choice.ground.table_s +
         frequencies * (choice.buried.table_s + choice.buried.fill_s) +
         choice.start_seconds + choice.mesh_seconds + choice.field_seconds +
         frequencies * choice.plan.seconds + fills * choice.fill_seconds;
}

double field_seconds_on_cpu(const Discretization& where, const Options& options,
                            const Workload& work, int threads) {
  return field_seconds_on_cpu(terms_of(where, work), options.cpu_rates, threads) +
         ground_seconds(where, options, work, threads);
}

double field_seconds_on_gpu(const Discretization& where, const Options& options,
                            const Workload& work, int threads, double share) {
  const FieldTerms terms = terms_of(where, work);
  return field_seconds_on_gpu(terms, share) +
         sum_seconds(terms, options.cpu_rates, threads) +
         reflected_seconds(terms, options.cpu_rates, threads) +
         ground_seconds(where, options, work, threads);
}

void state_shortage(DeviceChoice& choice, std::size_t device_free, std::size_t host_free,
                    const Discretization& discretization, const Options& options,
                    const Workload& work) {
  if (choice.gpu && choice.device_bytes > device_free)
    choice.shortage =
        shortage_text(choice, choice.device_bytes, fmt::format("cuda:{}", choice.index),
                      device_free, discretization, options, work);
  else if (choice.host_bytes > host_free)
    choice.shortage =
        shortage_text(choice, choice.host_bytes, choice.gpu ? "the host" : "this machine",
                      host_free, discretization, options, work);
}

/// Returns the host memory of --save-matrix: the whole matrix where it is kept in memory,
/// else bands of rows.
std::size_t saved_matrix_bytes(std::size_t n, const Options& options, int bands) {
  const std::size_t rows = options.matrix_sink == nullptr
                               ? n
                               : PackedTiles::tile * static_cast<std::size_t>(bands);
  return std::min(n, rows) * n * sizeof(Complex);
}

std::size_t host_bytes(const Discretization& where, const Options& options,
                       const Workload& work, std::size_t solver_bytes, int bands) {
  const std::size_t n = where.unknowns(), results = work.result_bytes,
                    saved =
                        options.save_matrix ? saved_matrix_bytes(n, options, bands) : 0;
  // With near pairs and results; on a lattice there are near pairs of one antenna only.
  const std::size_t an_element = where.lattice() ? 450 : 700 + near_bytes_an_element;
  const std::size_t written = work.written ? n * n * sizeof(Complex) : 0;
  const std::size_t rank = std::min(work.fields.wave_rank, n),
                    rhs = std::max(work.ports, waves_at_once(work.waves, n)),
                    record = work.wave_record + (work.wave_coefficients ? n : 0),
                    solving = solver_bytes +
                              sizeof(Complex) *
                                  (n * (4 * rhs + 3 * rank) + record * (rank + rhs)) +
                              results,
                    writing = static_cast<std::size_t>(result_copies *
                                                       static_cast<double>(results));
  return saved + written + std::max(solving, writing) + program_bytes +
         an_element * where.elements().size();
}

void add_reason(SolverPlan& plan, const std::string& reason) {
  if (reason.empty()) return;
  plan.why = plan.why.empty() ? reason : reason + "; " + plan.why;
}

}  // namespace thinwire
