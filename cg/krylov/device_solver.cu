#include "cg/krylov/device_solver.h"

#include <algorithm>
#include <atomic>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "cg/krylov/device_machine.cuh"
#include "kernels/base/error.h"

namespace thinwire {
namespace device {
namespace {

/// Iterations of one leg: from one return of the graph to the CPU to the next. With those
/// that the body adds, fewer than the mailbox holds.
constexpr int leg = tuning::graph_span;
static_assert(leg + tuning::graph_unroll < Mailbox::capacity);

using State = MachineMemory::State;

/// Of the sides that still run, in step.
__device__ int iterations_of(const State* states, int sides) {
  int most = 0;
  for (int s = 0; s < sides; ++s) most = max(most, states[s].iterations);
  return most;
}

__global__ void begin_leg(SideGroup* group, const State* states, int sides) {
  group->pause_at = iterations_of(states, sides) + leg;
}

/// At the end of the graph's body: whether to run it again.
__global__ void test_loop(const SideGroup* group, const State* states, int sides,
                          cudaGraphConditionalHandle loop) {
  const bool go_on =
      group->all_done == 0 && iterations_of(states, sides) < group->pause_at;
  cudaGraphSetConditional(loop, go_on ? 1 : 0);
}

/// r = v - r, the product in r unless there is `none`; and its 2-norm.
__global__ void __launch_bounds__(tuning::vector_threads)
    take_residual(std::size_t n, const double2* v, bool none, double2* r, SumSpace space,
                  double* residual_norm) {
  double sum[1] = {};
  for (std::size_t i = std::size_t{blockIdx.x} * tuning::vector_threads + threadIdx.x;
       i < n; i += std::size_t{gridDim.x} * tuning::vector_threads) {
    const double2 value = none ? v[i] : v[i] - r[i];
    r[i] = value;
    sum[0] += value.x * value.x + value.y * value.y;
  }
  grid_sum<1, tuning::vector_threads>(
      sum, space, [&](const double* total) { *residual_norm = std::sqrt(total[0]); });
}

/// The CPU's side of the mailbox: hands the residuals to Iteration, once each.
class Reader {
 public:
  Reader(const volatile Mailbox* mail, Iteration& iteration)
      : mail_(mail), iteration_(iteration) {}

  /// Those of iterations up to `last`.
  void read(int last) {
    while (seen_ < last && arrived(seen_ + 1)) {
      std::atomic_thread_fence(std::memory_order_acquire);
      const double norm = mail_->letters[++seen_ % Mailbox::capacity].norm;
      const std::optional<CycleEnd> says = iteration_.record(norm);
      // Iterations that were under way when the end was seen still count.
      if (!end_) end_ = says;
    }
  }
  /// How the cycle ended, if it did before the end of iteration `last`, which is over: an
  /// end without a letter may be of any moment after that of its iteration.
  std::optional<CycleEnd> end(int last) const {
    if (!end_ && mail_->end.done != 0 && mail_->end.iteration < last)
      return static_cast<CycleEnd>(mail_->end.done - 1);
    return end_;
  }
  bool seen_end() const { return end_.has_value(); }
  int seen() const { return seen_; }

 private:
  bool arrived(int iteration) const {
    return mail_->letters[iteration % Mailbox::capacity].iteration == iteration;
  }

  const volatile Mailbox* mail_;
  Iteration& iteration_;
  std::optional<CycleEnd> end_;
  int seen_ = 0;
};

/// The readers of the sides that run.
class Readers {
 public:
  Readers(std::span<SolveSide> sides, MachineMemory& machine) : machine_(machine) {
    for (std::size_t s = 0; s < sides.size(); ++s)
      if (sides[s].running)
        readers_.push_back(
            {static_cast<int>(s), sides[s],
             Reader(machine.mail(static_cast<int>(s)), sides[s].iteration)});
  }

  /// Reads what has come of iterations up to `last`, though more may have come: GPUs that
  /// share the operator then see the same.
  void read(int last = all) {
    for (Entry& entry : readers_) entry.reader.read(last);
  }
  /// Tells the GPU which sides have ended: that one stagnates it does not see for itself.
  void tell_ends(const DeviceStream& stream) {
    for (Entry& entry : readers_) {
      if (!entry.reader.seen_end() || entry.told) continue;
      machine_.give_up(entry.side, stream);
      entry.told = true;
    }
  }
  /// With `last` as for read(), or after a synchronisation.
  bool all_ended(int last = all) const {
    return std::all_of(readers_.begin(), readers_.end(),
                       [last](const Entry& entry) { return entry.reader.end(last); });
  }
  void store_ends() {
    for (Entry& entry : readers_) entry.of.end = *entry.reader.end(all);
  }
  void give_up(const DeviceStream& stream) {
    for (const Entry& entry : readers_) machine_.give_up(entry.side, stream);
  }
  int seen() const {
    int most = 0;
    for (const Entry& entry : readers_) most = std::max(most, entry.reader.seen());
    return most;
  }

 private:
  static constexpr int all = std::numeric_limits<int>::max();
  struct Entry {
    int side;
    SolveSide& of;
    Reader reader;
    bool told = false;
  };
  MachineMemory& machine_;
  std::vector<Entry> readers_;
};

/// The CPU tests each iteration while the GPU is at the next, so that launches hide
/// behind products; once the state says `done`, that next one does nothing. It looks only
/// at what is over for certain, so that GPUs that share the operator all give the same
/// steps, whenever they see the end.
void run_resident(DeviceRecurrence& recurrence, Readers& readers) {
  const DeviceStream& stream = recurrence.machine().stream();
  recurrence.begin();
  stream.synchronize();
  if (readers.all_ended()) return;
  DeviceEvent ended[2];  // of the last two steps
  int given = 0;
  const auto give_step = [&] {
    recurrence.prepare(given + 1);
    recurrence.step();
    ended[given++ % 2].record(stream);
  };
  give_step();
  for (;;) {
    give_step();
    ended[given % 2].wait();
    const int over = given - 1;
    readers.read(over);
    if (readers.all_ended(over)) break;
    readers.tell_ends(stream);
  }
  stream.synchronize();
  readers.read();
}

void check_graph(cudaError_t status, const char* call) {
  check_cuda(status, "iteration graph", call);
}

/// A stream gives its work to a graph for the life of this, and again to the GPU
/// afterwards, whatever is thrown.
class Capture {
 public:
  Capture(const DeviceStream& stream, cudaGraph_t into) : stream_(stream.get()) {
    check_graph(cudaStreamBeginCaptureToGraph(stream_, into, nullptr, nullptr, 0,
                                              cudaStreamCaptureModeThreadLocal),
                "cudaStreamBeginCaptureToGraph");
  }
  ~Capture() {
    if (!ended_) (void)end_capture();
  }
  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;
  void end() { check_graph(end_capture(), "cudaStreamEndCapture"); }

 private:
  cudaError_t end_capture() {
    ended_ = true;
    cudaGraph_t captured;
    return cudaStreamEndCapture(stream_, &captured);
  }
  cudaStream_t stream_;
  bool ended_ = false;
};

struct DestroyGraph {
  void operator()(cudaGraph_t graph) const { (void)cudaGraphDestroy(graph); }
};
using Graph = std::unique_ptr<std::remove_pointer_t<cudaGraph_t>, DestroyGraph>;

Graph make_graph() {
  cudaGraph_t graph = nullptr;
  check_graph(cudaGraphCreate(&graph, 0), "cudaGraphCreate");
  return Graph(graph);
}

/// Iterations as a graph: while (test) { step step step step test }.
class IterationGraph {
 public:
  explicit IterationGraph(DeviceRecurrence& recurrence)
      : machine_(recurrence.machine()), graph_(make_graph()) {
    cudaGraphConditionalHandle loop;
    check_graph(cudaGraphConditionalHandleCreate(&loop, graph_.get(), 1,
                                                 cudaGraphCondAssignDefault),
                "cudaGraphConditionalHandleCreate");
    cudaGraphNodeParams node = {};
    node.type = cudaGraphNodeTypeConditional;
    node.conditional.handle = loop;
    node.conditional.type = cudaGraphCondTypeWhile;
    node.conditional.size = 1;
    cudaGraphNode_t while_node;
    check_graph(cudaGraphAddNode(&while_node, graph_.get(), nullptr, nullptr, 0, &node),
                "cudaGraphAddNode");
    Capture body(machine_.stream(), node.conditional.phGraph_out[0]);
    for (int u = 0; u < tuning::graph_unroll; ++u) recurrence.step();
    test_loop<<<1, 1, 0, machine_.stream().get()>>>(machine_.group(), machine_.states(),
                                                    machine_.sides(), loop);
    check_launch("iteration graph, loop test");
    body.end();
    check_graph(cudaGraphInstantiate(&executable_, graph_.get(), 0),
                "cudaGraphInstantiate");
  }
  ~IterationGraph() { (void)cudaGraphExecDestroy(executable_); }
  IterationGraph(const IterationGraph&) = delete;
  IterationGraph& operator=(const IterationGraph&) = delete;

  void launch() const {
    begin_leg<<<1, 1, 0, machine_.stream().get()>>>(machine_.group(), machine_.states(),
                                                    machine_.sides());
    check_launch("iteration graph, start");
    check_graph(cudaGraphLaunch(executable_, machine_.stream().get()), "cudaGraphLaunch");
  }

 private:
  static_assert(
      tuning::graph_unroll % 2 == 0,
      "a body leaves vectors that alternate between two places where they were");
  MachineMemory& machine_;
  Graph graph_;
  cudaGraphExec_t executable_ = nullptr;
};

/// Watches one leg of the graph from the CPU. Throws Error{interrupted} only once the GPU
/// is at rest.
void watch(const DeviceStream& stream, const DeviceStream& aside, Readers& readers) {
  try {
    while (!stream.idle()) {
      readers.read();
      readers.tell_ends(aside);
      std::this_thread::yield();
    }
    readers.read();
  } catch (...) {
    readers.give_up(aside);
    stream.synchronize();
    throw;
  }
}

void run_graph(DeviceRecurrence& recurrence, Readers& readers,
               std::unique_ptr<IterationGraph>& graph) {
  const DeviceStream& stream = recurrence.machine().stream();
  const DeviceStream aside;  // beside the graph
  recurrence.begin();
  stream.synchronize();
  while (!readers.all_ended()) {
    recurrence.prepare(readers.seen() + leg + tuning::graph_unroll);
    if (!graph) graph = std::make_unique<IterationGraph>(recurrence);
    graph->launch();
    watch(stream, aside, readers);
  }
  aside.synchronize();  // what it says is of this cycle
}

std::unique_ptr<DeviceRecurrence> make_recurrence(Recurrence recurrence,
                                                  const DeviceOperator& z,
                                                  const DevicePreconditioner* m,
                                                  int sides, bool flexible) {
  switch (recurrence) {
    case Recurrence::cg:
      return cg_on_device(z, m, sides, flexible);
    case Recurrence::cocr:
      return cocr_on_device(z, m, sides, flexible);
    case Recurrence::gmres:
      return gmres_on_device(z, m, sides, flexible);
    case Recurrence::cocg:
      break;
  }
  return cocg_on_device(z, m, sides, flexible);
}

/// SolverControl::restart, or fewer iterations where no more vectors fit. What is given
/// to the GPU before the CPU sees the end needs room, too.
int restart_within_memory(const DeviceOperator& z, const MachineMemory& machine,
                          bool preconditioned, const SolverControl& control,
                          Placement placement) {
  constexpr std::size_t chunk = MachineMemory::basis_chunk;
  constexpr std::size_t spare_bytes = std::size_t{128} << 20;
  const std::size_t kept = control.flexible && preconditioned ? 2 : 1,
                    chunk_bytes = chunk * kept * machine.sides() *
                                  (machine.next() + machine.next() / 64 + chunk) *
                                  sizeof(Complex),
                    free = z.least_of_owners(current_device().free_bytes);
  const std::size_t vectors =
      chunk * ((free - std::min(free, spare_bytes)) / chunk_bytes);
  const std::size_t ahead =
      placement == Placement::graph ? leg + tuning::graph_unroll + 2 : 4;
  // Fewer than that are not worth it: the shortage is stated where it is met.
  if (vectors < ahead + chunk || vectors > machine.unknowns()) return control.restart;
  const auto most = static_cast<int>(vectors - ahead);
  return control.restart > 0 ? std::min(control.restart, most) : most;
}

std::vector<SolveResult> solve_some(Recurrence which, const DeviceOperator& z,
                                    const DevicePreconditioner* m,
                                    std::span<const Complex> v,
                                    std::span<Complex> current, SolverControl control,
                                    Placement placement) {
  const auto recurrence =
      make_recurrence(which, z, m, static_cast<int>(sides_of(z, v)), control.flexible);
  MachineMemory& machine = recurrence->machine();
  control.restart =
      which == Recurrence::gmres
          ? restart_within_memory(z, machine, m != nullptr, control, placement)
          : 0;
  std::unique_ptr<IterationGraph> graph;
  const auto cycle = [&](std::span<SolveSide> sides) {
    machine.load(sides);
    Readers readers(sides, machine);
    // `current` is to hold the last sound iterate also when the caller interrupts.
    try {
      if (placement == Placement::graph)
        run_graph(*recurrence, readers, graph);
      else
        run_resident(*recurrence, readers);
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::interrupted) {
        machine.stream().synchronize();
        machine.store(sides);
      }
      throw;
    }
    readers.store_ends();
    recurrence->finish();
    machine.store(sides);
  };
  return run_cycles(
      z, v, current, control,
      [&](std::span<SolveSide> sides, std::span<double> norms) {
        machine.true_residuals(sides, norms);
      },
      cycle);
}

std::vector<SolveResult> solve(Recurrence recurrence, const DeviceOperator& z,
                               const DevicePreconditioner* m, std::size_t sides,
                               std::span<const Complex> v, std::span<Complex> current,
                               const SolverControl& control, Placement placement) {
  if (control.comm != nullptr && control.comm->ranks() != 1)
    throw Error(ErrorKind::usage, "iterative solver on a GPU: one rank only (got " +
                                      std::to_string(control.comm->ranks()) +
                                      "). Use --device cpu.");
  if (placement == Placement::graph && z.owners() > 1)
    throw Error(ErrorKind::usage, "placement graph: for one GPU only (got " +
                                      std::to_string(z.owners()) +
                                      "). Use --placement resident.");
  check_symmetry(recurrence, m);
  return in_groups(z, m, sides, v, current,
                   [&](std::span<const Complex> some, std::span<Complex> currents) {
                     return solve_some(recurrence, z, m, some, currents, control,
                                       placement);
                   });
}

}  // namespace

MachineMemory::MachineMemory(const DeviceOperator& z, const DevicePreconditioner* m,
                             int sides, int room, bool flexible)
    : z_(z),
      m_(m),
      sides_(sides),
      room_(room),
      flexible_(flexible),
      r_(vector()),
      current_(vector()),
      v_(vector()),
      norms_(sides, "solver state"),
      states_(sides, "solver state"),
      group_(1, "solver state"),
      mail_(sides, "solver state"),
      partial_(std::size_t{max_sum_blocks} * max_sums * sides, "solver sums"),
      ticket_(sides, "solver sums"),
      project_partial_(std::size_t{project_blocks} * 2 * project_group * sides,
                       "solver sums"),
      project_ticket_(std::size_t{project_blocks} * sides, "solver sums"),
      combined_products_(
          std::size_t{tuning::combine_project_blocks} * 2 * combined_vectors * sides,
          "solver sums") {
  ticket_.clear(stream_);
  project_ticket_.clear(stream_);
}

MachineMemory::Vector MachineMemory::vector() const {
  Vector x(room_ * next(), "vectors of the solver");
  x.clear(stream_);
  return x;
}

/// Whether all sides start from nothing: then there is no product.
bool all_zero(std::span<const SolveSide> sides) {
  return std::all_of(sides.begin(), sides.end(), [](const SolveSide& side) {
    return !side.running ||
           (side.moved && std::all_of(side.current.begin(), side.current.end(),
                                      [](Complex value) { return value == 0.0; }));
  });
}

void MachineMemory::true_residuals(std::span<const SolveSide> sides,
                                   std::span<double> norms) {
  const bool nothing = all_zero(sides);
  std::vector<int> running;
  for (int s = 0; s < sides_; ++s) {
    const SolveSide& side = sides[s];
    if (!side.running) continue;
    running.push_back(s);
    if (!v_loaded_) copy_bytes(at(v_, s), side.v.data(), side.v.size_bytes(), stream_);
    if (nothing)
      set_bytes(current(s), 0, side.current.size_bytes(), stream_);
    else if (side.moved)
      copy_bytes(current(s), side.current.data(), side.current.size_bytes(), stream_);
  }
  v_loaded_ = true;
  if (running.empty()) return;
  const auto product = [&](int first, int count) {
    z_.multiply(reinterpret_cast<const Complex*>(current(first)),
                reinterpret_cast<Complex*>(at(r_, first)), count, stream_);
  };
  if (!nothing && running.size() == 1)
    product(running.front(), 1);
  else if (!nothing)
    product(0, z_.parts(room_) != nullptr ? room_ : sides_);
  const std::size_t most = tuning::vector_blocks,
                    blocks = std::min(most, (unknowns() + tuning::vector_threads - 1) /
                                                tuning::vector_threads);
  for (const int s : running) {
    take_residual<<<static_cast<unsigned>(blocks), tuning::vector_threads, 0,
                    stream_.get()>>>(unknowns(), at(v_, s), nothing, at(r_, s), space(s),
                                     norms_.data() + s);
    check_launch("residual");
  }
  std::vector<double> all(norms_.size());
  read(std::span(all), norms_.data());
  for (const int s : running) norms[s] = all[s];
}

void MachineMemory::load(std::span<const SolveSide> sides) {
  SideGroup group = {};
  std::vector<State> states(sides.size());
  for (int s = 0; s < sides_; ++s) {
    const SolveSide& side = sides[s];
    State& state = states[s] = {};
    state.done = side.running ? 0 : 1;
    if (!side.running) continue;
    ++group.running;
    state.tolerance = side.iteration.tolerance();
    state.v_norm = side.iteration.v_norm();
    state.max_iterations = side.iteration.iterations_left();
  }
  states_.upload(states, stream_);
  group_.upload({&group, 1}, stream_);
  stream_.synchronize();
  for (int s = 0; s < sides_; ++s) {
    volatile Mailbox& mail = mail_.data()[s];
    for (int k = 0; k < Mailbox::capacity; ++k) mail.letters[k].iteration = 0;
    mail.end.done = 0;
  }
}

void MachineMemory::store(std::span<SolveSide> sides) {
  for (int s = 0; s < sides_; ++s)
    if (sides[s].running)
      copy_bytes(sides[s].current.data(), current(s), sides[s].current.size_bytes(),
                 stream_);
  stream_.synchronize();
}

void MachineMemory::give_up(int side, const DeviceStream& stream) {
  set_bytes(&states_.data()[side].give_up, 1, sizeof(int), stream);
}

MachineMemory::State MachineMemory::state(int side) const {
  State state;
  read(std::span<State>(&state, 1), states_.data() + side);
  return state;
}

void MachineMemory::reopen(int side) {
  set_bytes(&states_.data()[side].done, 0, sizeof(int), stream_);
}

void MachineMemory::require(std::size_t bytes) const {
  require_device_memory(bytes, "GMRES's vectors", unknowns(),
                        "Use --solver cocg, which keeps few.");
}

}  // namespace device

SolveResult solve(Recurrence recurrence, const DeviceOperator& z,
                  const DevicePreconditioner* m, std::span<const Complex> v,
                  std::span<Complex> current, const SolverControl& control,
                  Placement placement) {
  if (placement == Placement::product) {
    const LinearOperator& on_host = z;
    return solve(recurrence, on_host, m, v, current, control);
  }
  return device::solve(recurrence, z, m, 1, v, current, control, placement).front();
}

std::vector<SolveResult> solve_sides(Recurrence recurrence, const DeviceOperator& z,
                                     const DevicePreconditioner* m,
                                     std::span<const Complex> v,
                                     std::span<Complex> current,
                                     const SolverControl& control, Placement placement) {
  if (placement == Placement::product) {
    const LinearOperator& on_host = z;
    return solve_sides(recurrence, on_host, m, v, current, control);
  }
  return device::solve(recurrence, z, m, sides_of(z, v), v, current, control, placement);
}

}  // namespace thinwire
