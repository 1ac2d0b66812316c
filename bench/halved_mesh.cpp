#include "bench/halved_mesh.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>

#include "kernels/base/constants.h"
#include "mom/solve.h"
#include "mom/stored_matrix.h"

namespace thinwire {
namespace {

Options options_of(Options options, int refinement) {
  options.operator_choice = OperatorChoice::dense;
  options.mesh = MeshChoice::graded;
  options.refinement = refinement;
  options.save_matrix = refinement > 1;
  options.finer_tables = refinement > 1;
  return options;
}

/// P, whose columns are functions of whole elements. Elements of the halves are numbered
/// in the order of the whole ones.
class Columns {
 public:
  Columns(const Discretisation& coarse, const Discretisation& fine, double k)
      : coarse_(coarse), fine_(fine), k_(k) {
    pieces_ = fine.elements().size() / coarse.elements().size();
    columns_.resize(coarse.unknowns());
    for (std::size_t f = 0; f < fine.unknowns(); ++f) add_row(f);
  }
  std::vector<std::vector<std::pair<std::size_t, double>>> take() {
    return std::move(columns_);
  }

 private:
  /// A function's coefficient is the current at an end that no other function shares.
  void add_row(std::size_t f) {
    const BasisFunction& function = fine_.basis().functions()[f];
    const int term =
        function.sign[1] != 0 &&
                fine_.basis().at(function.element[0], function.end[0]).size() > 1
            ? 1
            : 0;
    const std::size_t parent = function.element[term] / pieces_;
    const double length = coarse_.elements()[parent].length_m;
    const double at =
        length *
        static_cast<double>(function.element[term] % pieces_ + function.end[term]) /
        static_cast<double>(pieces_);
    const double over = function.sign[term] / std::sin(k_ * length);
    const double weight[] = {over * std::sin(k_ * (length - at)),
                             over * std::sin(k_ * at)};
    for (int end = 0; end < 2; ++end)
      for (const BasisWeight& w : coarse_.basis().at(parent, end))
        if (const double part = weight[end] * w.weight; part != 0)
          put(w.function, f, part);
  }

  /// A function may flow through both ends of a parent.
  void put(std::size_t column, std::size_t row, double part) {
    auto& entries = columns_[column];
    if (!entries.empty() && entries.back().first == row)
      entries.back().second += part;
    else
      entries.emplace_back(row, part);
  }

  const Discretisation& coarse_;
  const Discretisation& fine_;
  double k_;
  std::size_t pieces_ = 1;
  std::vector<std::vector<std::pair<std::size_t, double>>> columns_;
};

}  // namespace

HalvedMesh::HalvedMesh(const Problem& single, Options options)
    : k_(2 * pi * single.runs[0].frequency_hz[0] / speed_of_light_m_per_s),
      coarse_(single, options_of(options, 1)),
      fine_(single, options_of(options, 2)),
      solution_(solve(single, options_of(options, 2))),
      columns_(Columns(whole(), halves(), k_).take()) {}

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
  stored->gap_segments = gap_segments(run);
  stored->matrix_ohm = halved.matrix_on_whole();
  Problem with_matrix = single;
  with_matrix.stored = std::move(stored);
  Options on_cpu = options;
  on_cpu.mesh = MeshChoice::graded;
  on_cpu.refinement = 1;
  on_cpu.device = {DeviceRequest::Kind::cpu};
  on_cpu.operator_choice = OperatorChoice::dense;
  on_cpu.solver = SolverChoice::direct;
  on_cpu.preconditioner = PreconditionerChoice::automatic;
  on_cpu.boxes.reset();
  on_cpu.precision = PrecisionChoice::in_double;
  return solve(with_matrix, on_cpu).frequencies.front();
}

}  // namespace thinwire
