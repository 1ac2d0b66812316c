#include "mom/schedule/batch_backend.h"

#include <algorithm>
#include <optional>

#include "mom/excitation/excitation.h"
#include "mom/excitation/port_solution.h"
#include "mom/loads/loads.h"
#include "mom/schedule/tasks.h"

namespace thinwire {
namespace {

std::vector<Element> scaled(std::span<const Element> elements, double k_rad_per_m) {
  std::vector<Element> scaled(elements.begin(), elements.end());
  for (Element& e : scaled) {
    e.start_m = k_rad_per_m * e.start_m;
    e.length_m *= k_rad_per_m;
    e.radius_m *= k_rad_per_m;
  }
  return scaled;
}

BatchSystem system_of(const SolveContext& context, std::size_t run_index,
                      double frequency_hz) {
  const Run& run = context.run(run_index);
  const Discretization& discretization = context.discretization(run_index);
  const double k = wavenumber_rad_per_m(frequency_hz);
  BatchSystem system;
  system.elements = scaled(discretization.elements(), k);
  system.basis = discretization.basis().functions();
  system.medium = medium_of(run.ground);
  system.loads = LoadModel(discretization, run.loads, frequency_hz, run.ground).updates();
  const Ports ports(discretization, run.sources, run.networks, k);
  std::vector<std::vector<Complex>> all_rhs;
  if (driven_by_voltages(ports) && !context.options().port_matrix)
    all_rhs.push_back(ports.excitation());
  else
    all_rhs = unit_excitations(ports);
  for (const std::vector<Complex>& rhs : all_rhs)
    system.v.insert(system.v.end(), rhs.begin(), rhs.end());
  return system;
}

bool same_loads(std::span<const MatrixUpdate> some,
                std::span<const MatrixUpdate> others) {
  return std::ranges::equal(
      some, others, [](const MatrixUpdate& a, const MatrixUpdate& b) {
        return a.row == b.row && a.column == b.column && a.value == b.value;
      });
}

bool same_medium(const Medium& a, const Medium& b) {
  return a.sources() == b.sources();
}

/// Solutions that are known; all else from a System of the CPU.
class BatchedSystem final : public System {
 public:
  BatchedSystem(const SystemInput& input, const BatchBackend& batch)
      : input_(input), batch_(batch) {}

  void fill(const FillParameters& parameters, const SolverPlan& plan,
            const Monitor& monitor) override {
    monitor.check();
    alone_.reset();
    parameters_.emplace(parameters);
    plan_ = plan;
    known_ = batch_.matching(input_.discretization, *parameters_);
  }

  void prepare(Method method, const Monitor& monitor) override {
    method_ = method;
    if (known_.empty()) solve_alone("", monitor);
  }

  bool direct_fits() const override { return true; }

  std::vector<SolveResult> solve(std::span<const Complex> v, std::span<Complex> current,
                                 const SolverControl& control) override {
    for (const std::size_t number : known_) {
      if (alone_ || !std::ranges::equal(batch_.systems()[number].v, v)) continue;
      const BatchSolution& solution = batch_.solution(number);
      if (!solution.sound()) {
        solve_alone(
            "the matrix was solved alone on the CPU with pivoting: it is nearly "
            "singular, or unsuitable for the batch's elimination without pivoting",
            control.monitor);
        break;
      }
      std::ranges::copy(solution.current, current.begin());
      std::vector<SolveResult> results;
      for (const double residual : solution.relative_residual)
        results.push_back(direct_result(residual, control.tolerance));
      return results;
    }
    if (!alone_) solve_alone("", control.monitor);
    return alone_->solve(v, current, control);
  }

  std::unique_ptr<System> clone() const override {
    return std::make_unique<BatchedSystem>(input_, batch_);
  }

  void gather_rows(const TakeRows& take) const override {
    const std::unique_ptr<System> system = cpu_backend().make_system(input_);
    system->fill(*parameters_, plan_, {});
    system->gather_rows(take);
  }

 private:
  void solve_alone(std::string why, const Monitor& monitor) {
    alone_ = cpu_backend().make_system(input_);
    alone_->fill(*parameters_, plan_, monitor);
    alone_->prepare(method_, monitor);
    if (!why.empty()) notes_.push_back({std::move(why), "", false});
    for (Note& note : alone_->take_notes()) notes_.push_back(std::move(note));
  }

  SystemInput input_;
  const BatchBackend& batch_;
  std::optional<FillParameters> parameters_;
  SolverPlan plan_;
  Method method_;
  std::vector<std::size_t> known_;
  std::unique_ptr<System> alone_;
};

}  // namespace

std::unique_ptr<BatchBackend> BatchBackend::collect(const SolveContext& context) {
  auto backend = std::make_unique<BatchBackend>();
  struct Wanted {
    std::size_t run;
    double frequency_hz;
  };
  std::vector<Wanted> wanted;
  for (std::size_t r = 0; r < context.problem().runs.size(); ++r)
    for (const double frequency_hz : context.run(r).frequency_hz) {
      wanted.push_back({r, frequency_hz});
      backend->places_.push_back(
          {&context.discretization(r), wavenumber_rad_per_m(frequency_hz)});
    }
  backend->systems_.resize(wanted.size());
  run_tasks(wanted.size(), omp_get_max_threads(), [&](std::size_t i) {
    backend->systems_[i] = system_of(context, wanted[i].run, wanted[i].frequency_hz);
  });
  return backend;
}

void BatchBackend::take(std::string solver, std::vector<BatchSolution>&& solutions) {
  name_ = std::move(solver);
  solutions_ = std::move(solutions);
}

std::vector<std::size_t> BatchBackend::matching(const Discretization& discretization,
                                                const FillParameters& parameters) const {
  std::vector<std::size_t> numbers;
  const std::vector<MatrixUpdate> loads = parameters.loads.updates();
  for (std::size_t i = 0; i < places_.size(); ++i)
    if (places_[i].discretization == &discretization &&
        places_[i].k_rad_per_m == parameters.k_rad_per_m &&
        same_medium(systems_[i].medium, medium_of(parameters.ground)) &&
        same_loads(systems_[i].loads, loads))
      numbers.push_back(i);
  return numbers;
}

std::unique_ptr<System> BatchBackend::make_system(const SystemInput& input) const {
  return std::make_unique<BatchedSystem>(input, *this);
}

}  // namespace thinwire
