#include "mom/schedule/batch_solver.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>

#include "cg/direct/batched_ldlt.h"
#include "kernels/base/error.h"
#include "kernels/fill/fill.h"

namespace thinwire {
namespace {

constexpr const char* what = "batch of matrices";

/// The matrix, and what the mesh, its near pairs and its right-hand sides take beside it.
std::size_t bytes_of(const BatchSystem& system) {
  constexpr std::size_t bytes_an_element = 8000;
  const std::size_t n = system.unknowns();
  return sizeof(Complex) * (n * n + 2 * system.v.size() + n) +
         bytes_an_element * system.elements.size();
}

/// Meshes, matrices and right-hand sides of some systems, one behind the other.
class Together {
 public:
  explicit Together(std::span<const BatchSystem* const> systems) : systems_(systems) {
    std::uint32_t function = 0;
    for (const BatchSystem* system : systems_) {
      const auto element = static_cast<std::uint32_t>(elements_.size());
      const auto n = static_cast<std::uint32_t>(system->unknowns());
      mesh_first_.push_back(element);
      elements_.insert(elements_.end(), system->elements.begin(), system->elements.end());
      for (BasisFunction f : system->basis) {
        for (std::uint32_t& e : f.element) e += element;
        basis_.push_back(f);
      }
      add_tiles(n, function);
      for (const MatrixUpdate& load : system->loads) add_load(load, n);
      matrices_.push_back({n, static_cast<std::uint32_t>(system->rhs_count()), entries_,
                           v_.size(), function, rhs_count_});
      largest_ = std::max(largest_, n + system->rhs_count());
      v_.insert(v_.end(), system->v.begin(), system->v.end());
      rhs_count_ += system->rhs_count();
      entries_ += std::size_t{n} * n;
      function += n;
    }
    rhs_first_.push_back(function);
  }

  std::vector<BatchSolution> solve(GreensKernel kernel) const {
    const DeviceStream stream;
    DeviceBuffer<Complex> z = filled(kernel, stream);
    const DeviceBuffer<BatchedMatrix> matrices = uploaded(matrices_, what, stream);
    const DeviceBuffer<Complex> v = uploaded(v_, what, stream);
    DeviceBuffer<Complex> x(v_.size(), what), diagonal(basis_.size(), what);
    DeviceBuffer<double> residual(rhs_count_, what);
    DeviceBuffer<EliminationReport> reports(matrices_.size(), what);
    solve_batch({matrices.data(), matrices_.size(), largest_, z.data(), v.data(),
                 x.data(), diagonal.data(), residual.data(), reports.data()},
                stream);
    std::vector<Complex> all_x(v_.size());
    std::vector<double> all_residuals(rhs_count_);
    std::vector<EliminationReport> all_reports(matrices_.size());
    x.download(all_x, stream);
    residual.download(all_residuals, stream);
    reports.download(all_reports, stream);
    return taken_apart(all_x, all_residuals, all_reports);
  }

 private:
  /// Lists of 64 functions, and the tiles of the lower triangle with their mirror images.
  void add_tiles(std::uint32_t n, std::uint32_t function) {
    constexpr std::uint32_t tile = PackedTiles::tile;
    const auto list = static_cast<std::uint32_t>(rhs_first_.size());
    for (std::uint32_t first = 0; first < n; first += tile)
      rhs_first_.push_back(function + first);
    const std::uint32_t lists = (n + tile - 1) / tile;
    for (std::uint32_t i = 0; i < lists; ++i)
      for (std::uint32_t j = 0; j <= i; ++j) {
        const auto at = [&](std::uint32_t row, std::uint32_t column) {
          return entries_ + std::uint64_t{row} * tile * n + column * tile;
        };
        tiles_.push_back(
            {list + i, list + j, at(i, j), i == j ? EntryTile::none : at(j, i), n, 1});
      }
  }

  void add_load(const MatrixUpdate& load, std::uint32_t n) {
    const auto add = [&](std::uint64_t row, std::uint64_t column) {
      load_places_.push_back(entries_ + row * n + column);
      load_values_.push_back(load.value);
    };
    add(load.row, load.column);
    if (load.row != load.column) add(load.column, load.row);
  }

  DeviceBuffer<Complex> filled(GreensKernel kernel, const DeviceStream& stream) const {
    constexpr double k = 1;
    const Medium medium = systems_.front()->medium;
    DeviceFill fill(elements_, basis_, kernel, medium, k, mesh_first_);
    fill.set_wavenumber(k);
    std::vector<std::uint32_t> functions(basis_.size());
    std::iota(functions.begin(), functions.end(), 0u);
    const DeviceFunctionLists lists = fill.make_function_lists(functions, rhs_first_);
    const DeviceBuffer<EntryTile> tiles = uploaded(tiles_, what, stream);
    DeviceBuffer<Complex> z(entries_, what);
    fill.entries(lists, tiles.data(), tiles_.size(), z.data(), medium, stream);
    const DeviceBuffer<std::uint64_t> places = uploaded(load_places_, what, stream);
    const DeviceBuffer<Complex> values = uploaded(load_values_, what, stream);
    add_to_batch(places.data(), values.data(), load_places_.size(), z.data(), stream);
    stream.synchronize();
    return z;
  }

  std::vector<BatchSolution> taken_apart(
      std::span<const Complex> x, std::span<const double> residuals,
      std::span<const EliminationReport> reports) const {
    std::vector<BatchSolution> solutions;
    for (std::size_t i = 0; i < matrices_.size(); ++i) {
      const BatchedMatrix& m = matrices_[i];
      const auto current = x.subspan(m.v, std::size_t{m.rhs_count} * m.n);
      const auto residual = residuals.subspan(m.rhs, m.rhs_count);
      solutions.push_back({{current.begin(), current.end()},
                           {residual.begin(), residual.end()},
                           reports[i].growth,
                           reports[i].smallest_pivot});
    }
    return solutions;
  }

  std::span<const BatchSystem* const> systems_;
  std::vector<Element> elements_;
  std::vector<BasisFunction> basis_;
  std::vector<std::uint32_t> mesh_first_;
  std::vector<std::size_t> rhs_first_;
  std::vector<EntryTile> tiles_;
  std::vector<std::uint64_t> load_places_;
  std::vector<Complex> load_values_;
  std::vector<BatchedMatrix> matrices_;
  std::vector<Complex> v_;
  std::size_t largest_ = 0, rhs_count_ = 0, entries_ = 0;
};

class DeviceBatchSolver final : public BatchSolver {
 public:
  DeviceBatchSolver(int index, std::string name)
      : index_(index), name_(std::move(name)) {}

  std::string name() const override { return name_; }
  bool takes(std::size_t unknowns, std::size_t rhs_count) const override {
    return unknowns + rhs_count <= max_batched_rows();
  }

  std::vector<BatchSolution> solve(std::span<const BatchSystem* const> systems,
                                   GreensKernel kernel) const override {
    use_device(index_);
    // All of one call are in the same medium, and fit into memory beside another call's.
    const std::size_t max_bytes = current_device().free_bytes / 4;
    std::vector<BatchSolution> solutions(systems.size());
    for (const int sources : {1, 2}) {
      std::vector<std::size_t> numbers;
      std::size_t bytes = 0;
      const auto solve_those = [&] {
        solve_some(systems, numbers, kernel, solutions);
        numbers.clear();
        bytes = 0;
      };
      for (std::size_t i = 0; i < systems.size(); ++i) {
        if (systems[i]->medium.sources() != sources) continue;
        const std::size_t more = bytes_of(*systems[i]);
        if (bytes + more > max_bytes) solve_those();
        numbers.push_back(i);
        bytes += more;
      }
      solve_those();
    }
    return solutions;
  }

 private:
  static void solve_some(std::span<const BatchSystem* const> systems,
                         std::span<const std::size_t> numbers, GreensKernel kernel,
                         std::vector<BatchSolution>& solutions) {
    if (numbers.empty()) return;
    std::vector<const BatchSystem*> some;
    for (const std::size_t i : numbers) some.push_back(systems[i]);
    std::vector<BatchSolution> solved = Together(some).solve(kernel);
    for (std::size_t i = 0; i < numbers.size(); ++i)
      solutions[numbers[i]] = std::move(solved[i]);
  }

  int index_;
  std::string name_;
};

}  // namespace

std::unique_ptr<BatchSolver> make_device_batch_solver(int index, std::string name) {
  return std::make_unique<DeviceBatchSolver>(index, std::move(name));
}

}  // namespace thinwire
