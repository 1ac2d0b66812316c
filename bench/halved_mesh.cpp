#include "bench/halved_mesh.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>

#include "kernels/base/constants.h"
#include "mom/problem/stored_matrix.h"
#include "mom/solve.h"

namespace thinwire {
namespace {

/// On the CPU over real ground: GPUs keep its tables in complex single.
Options options_of(const Problem& single, Options options, int refinement) {
  if (single.runs[0].ground.is_real()) {
    options.device = {DeviceRequest::Kind::cpu};
    options.precision = PrecisionChoice::in_double;
  }
  options.operator_choice = OperatorChoice::dense;
  options.mesh = MeshChoice::graded;
  options.refinement = refinement;
  options.save_matrix = refinement > 1;
  options.finer_tables = refinement > 1;
  return options;
}

/// Coefficients of whole elements' functions, each with its weight.
using WeightedRow = std::vector<std::pair<std::size_t, double>>;

void add(const WeightedRow& row, double weight, WeightedRow& sum) {
  for (const auto& [column, part] : row) {
    const auto same =
        std::find_if(sum.begin(), sum.end(),
                     [&, wanted = column](const auto& s) { return s.first == wanted; });
    if (same == sum.end())
      sum.emplace_back(column, weight * part);
    else
      same->second += weight * part;
  }
}

/// P, by rows: the functions of halves. Elements of the halves are numbered in the order
/// of the whole ones.
class Rows {
 public:
  Rows(const Discretization& coarse, const Discretization& fine, double k)
      : coarse_(coarse),
        fine_(fine),
        k_(k),
        rows_(fine.unknowns()),
        known_(fine.unknowns(), 0) {
    pieces_ = fine.elements().size() / coarse.elements().size();
    // Functions join the ends at a junction to a tree: from its leaves inward.
    for (bool found = true; found;) {
      found = false;
      for (std::size_t f = 0; f < rows_.size(); ++f)
        if (!known_[f]) found |= find(f);
    }
  }
  const std::vector<WeightedRow>& rows() const { return rows_; }

 private:
  /// From an end where all other functions are known.
  bool find(std::size_t f) {
    const BasisFunction& function = fine_.basis().functions()[f];
    for (int term = 0; term < 2; ++term) {
      if (function.sign[term] == 0) continue;
      const auto here = fine_.basis().at(function.element[term], function.end[term]);
      if (!std::all_of(here.begin(), here.end(), [&](const BasisWeight& w) {
            return w.function == f || known_[w.function];
          }))
        continue;
      WeightedRow row = current(function.element[term], function.end[term]);
      for (const BasisWeight& w : here)
        if (w.function != f) add(rows_[w.function], -w.weight, row);
      for (auto& [column, part] : row) part *= function.sign[term];
      std::erase_if(row, [](const auto& r) { return r.second == 0; });
      rows_[f] = std::move(row);
      known_[f] = 1;
      return true;
    }
    return false;
  }

  /// At an end of a half.
  WeightedRow current(std::size_t element, int end) const {
    const std::size_t parent = element / pieces_;
    const double length = coarse_.elements()[parent].length_m;
    const double at = length * static_cast<double>(element % pieces_ + end) /
                      static_cast<double>(pieces_);
    const double weight[] = {std::sin(k_ * (length - at)) / std::sin(k_ * length),
                             std::sin(k_ * at) / std::sin(k_ * length)};
    WeightedRow row;
    for (int side = 0; side < 2; ++side)
      for (const BasisWeight& w : coarse_.basis().at(parent, side))
        add({{w.function, w.weight}}, weight[side], row);
    return row;
  }

  const Discretization& coarse_;
  const Discretization& fine_;
  double k_;
  std::size_t pieces_ = 1;
  std::vector<WeightedRow> rows_;
  std::vector<char> known_;  ///< of these
};

}  // namespace

HalvedMesh::HalvedMesh(const Problem& single, Options options)
    : k_(wavenumber_rad_per_m(single.runs[0].frequency_hz[0])),
      coarse_(single, options_of(single, options, 1)),
      fine_(single, options_of(single, options, 2)),
      solution_(solve(single, options_of(single, options, 2))),
      columns_(whole().unknowns()) {
  const Rows found(whole(), halves(), k_);
  for (std::size_t row = 0; row < found.rows().size(); ++row)
    for (const auto& [column, part] : found.rows()[row])
      columns_[column].emplace_back(row, part);
}

std::vector<Complex> HalvedMesh::in_halves(
    const std::vector<Complex>& coefficients) const {
  std::vector<Complex> fine(halves().unknowns());
  for (std::size_t c = 0; c < columns_.size(); ++c)
    for (const auto& [row, part] : columns_[c]) fine[row] += part * coefficients[c];
  return fine;
}

std::vector<Complex> HalvedMesh::on_whole(const std::vector<Complex>& v) const {
  std::vector<Complex> tested(columns_.size());
  for (std::size_t c = 0; c < columns_.size(); ++c)
    for (const auto& [row, part] : columns_[c]) tested[c] += part * v[row];
  return tested;
}

std::vector<Complex> HalvedMesh::matrix_on_whole() const {
  const std::vector<Complex>& z = matrix();
  const std::size_t n = halves().unknowns(), few = columns_.size();
  std::vector<Complex> small(few * few);
#pragma omp parallel for schedule(dynamic)
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(few); ++i) {
    const auto c = static_cast<std::size_t>(i);
    for (std::size_t d = 0; d < few; ++d)
      for (const auto& [row, a] : columns_[c])
        for (const auto& [column, b] : columns_[d])
          small[c * few + d] += a * b * z[row * n + column];
  }
  return small;
}

FrequencyResult solve_with_finer_integrals(const Problem& single, const Options& options,
                                           const HalvedMesh& halved) {
  const Run& run = single.runs[0];
  auto stored = std::make_shared<StoredMatrix>();
  stored->name = single.name;
  stored->frequency_hz = run.frequency_hz[0];
  stored->ground = run.ground;
  stored->loads = run.loads;
  stored->load_cards = run.load_cards;
  stored->mesh = MeshChoice::graded;
  stored->kernel = options.kernel;
  stored->proximity = includes_proximity(single, run, options);
  stored->gap_segments = gap_segments(run);
  stored->matrix_ohm = halved.matrix_on_whole();
  Problem with_matrix = single;
  with_matrix.stored = std::move(stored);
  Options on_cpu = options;
  on_cpu.mesh = MeshChoice::graded;
  on_cpu.refinement = 1;
  on_cpu.proximity = SwitchChoice::off;  // It is in the matrix.
  on_cpu.device = {DeviceRequest::Kind::cpu};
  on_cpu.operator_choice = OperatorChoice::dense;
  on_cpu.solver = SolverChoice::direct;
  on_cpu.preconditioner = PreconditionerChoice::automatic;
  on_cpu.boxes.reset();
  on_cpu.precision = PrecisionChoice::in_double;
  return solve(with_matrix, on_cpu).frequencies.front();
}

}  // namespace thinwire
