#include "mom/plan/choice_parts.h"

#include <algorithm>

#include <fmt/format.h>

#include "kernels/base/bytes_text.h"
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

FieldTerms terms_of(const PlanInput& in) {
  return field_terms(in.mesh.elements(), in.work.largest_k_rad_per_m, in.work.fields);
}

double ground_seconds(const PlanInput& in) {
  return ground_field_seconds(in.mesh.elements().size(), in.work.ground_points,
                              in.work.fields.near_fields, in.options.cpu_rates,
                              in.threads);
}

std::string shortage_text(const Plan& plan, std::size_t need, const std::string& where,
                          std::size_t free_bytes, const PlanInput& input) {
  const Options& options = input.options;
  const bool fields =
      static_cast<double>(need) <
          2 * result_copies * static_cast<double>(input.work.result_bytes) &&
      need == plan.host_bytes;
  std::string what = fields ? "patterns and near fields"
                     : plan.solver.operator_choice == OperatorChoice::dense
                         ? "impedance matrix and solver"
                         : "operator and solver";
  std::string ways, on_each;
  if (fields) {
    ways = "fewer angles or points in its fields or fewer frequencies";
  } else {
    if (plan.solver.solver == SolverChoice::direct) ways = "--solver cocg, ";
    if (plan.solver.ranks > 1) {
      on_each = fmt::format(" on each of {} ranks", plan.solver.ranks);
      ways += "more ranks, ";
    }
    if (options.boxes && plan.solver.block_bytes > 0) {
      what += fmt::format(" (blocks of --boxes {}: {})", name_of(options.boxes),
                          bytes_text(static_cast<double>(plan.solver.block_bytes)));
      ways = "smaller --boxes, ";
    }
    if (plan.gpu && options.precision == PrecisionChoice::in_double)
      ways += "--precision mixed, ";
    if (options.mesh == MeshChoice::graded) ways += "--mesh as-given, ";
    ways += "fewer segments";
  }
  return fmt::format("{} need {}{} but {} has {} free (N = {}). Use {}{}.", what,
                     bytes_text(static_cast<double>(need)), on_each, where,
                     bytes_text(static_cast<double>(free_bytes)), input.unknowns(), ways,
                     plan.gpu ? "" : " or a machine with more memory");
}

}  // namespace

bool interpolates_matrix(const Workload& work) {
  return !work.host_fill && static_cast<double>(work.frequencies) > 2 * matrix_nodes;
}

double predicted_seconds(const Plan& plan, const Workload& work) {
  const auto frequencies = static_cast<double>(work.frequencies);
  const double tables = plan.gpu || frequencies < pays_from ? frequencies : ground_nodes;
  const bool sweeps = !plan.gpu && plan.solver.ranks == 1 && interpolates_matrix(work) &&
                      plan.solver.operator_choice == OperatorChoice::dense;
  const double fills = sweeps ? matrix_nodes + interpolated * frequencies : frequencies;
  return tables * plan.ground.table_s +
         frequencies * (plan.below.table_s + plan.below.fill_s) + plan.start_seconds +
         plan.mesh_seconds + plan.field_seconds + frequencies * plan.solver.seconds +
         fills * plan.fill_seconds;
}

double field_seconds_on_cpu(const PlanInput& in) {
  return field_seconds_on_cpu(terms_of(in), in.options.cpu_rates, in.threads) +
         ground_seconds(in);
}

double field_seconds_on_gpu(const PlanInput& in, double share) {
  const FieldTerms terms = terms_of(in);
  return field_seconds_on_gpu(terms, share) +
         sum_seconds(terms, in.options.cpu_rates, in.threads) +
         reflected_seconds(terms, in.options.cpu_rates, in.threads) + ground_seconds(in);
}

void state_shortage(Plan& plan, std::size_t device_free, std::size_t host_free,
                    const PlanInput& in) {
  if (plan.gpu && plan.device_bytes > device_free)
    plan.shortage = shortage_text(plan, plan.device_bytes,
                                  fmt::format("cuda:{}", plan.index), device_free, in);
  else if (plan.host_bytes > host_free)
    plan.shortage = shortage_text(plan, plan.host_bytes,
                                  plan.gpu ? "the host" : "this machine", host_free, in);
}

/// Returns the host memory of --save-matrix: the whole matrix where it is kept in memory,
/// else bands of rows.
std::size_t saved_matrix_bytes(std::size_t n, const Options& options, int bands) {
  const std::size_t rows = options.matrix_sink == nullptr
                               ? n
                               : PackedTiles::tile * static_cast<std::size_t>(bands);
  return std::min(n, rows) * n * sizeof(Complex);
}

std::size_t host_bytes(const PlanInput& in, std::size_t solver_bytes, int bands) {
  const Options& options = in.options;
  const Workload& work = in.work;
  const std::size_t n = in.unknowns(), results = work.result_bytes,
                    saved =
                        options.save_matrix ? saved_matrix_bytes(n, options, bands) : 0;
  // With near pairs and results; on a lattice there are near pairs of one antenna only.
  const std::size_t an_element =
      in.mesh.where().lattice() ? 450 : 700 + near_bytes_an_element;
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
         an_element * in.mesh.elements().size();
}

void add_reason(SolverPlan& plan, const std::string& reason) {
  if (reason.empty()) return;
  plan.why = plan.why.empty() ? reason : reason + "; " + plan.why;
}

}  // namespace thinwire
