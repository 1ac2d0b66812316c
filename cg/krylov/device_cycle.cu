#include "cg/krylov/device_cycle.cuh"

#include <algorithm>
#include <atomic>
#include <limits>
#include <optional>
#include <thread>
#include <vector>

#include "kernels/base/error.h"

namespace thinwire::device {
namespace {

// The mailbox holds the iterations of a leg, which is what the graph runs from one return
// to the CPU to the next, and those that the body adds.
static_assert(std::max(tuning::graph_span, tuning::graph_shared_span) +
                  tuning::graph_unroll <
              Mailbox::capacity);

using State = ExecutorMemory::State;

/// Returns the iterations of the right-hand sides that still run, in step.
__device__ int iterations_of(const State* states, int rhs_count) {
  int most = 0;
  for (int s = 0; s < rhs_count; ++s) most = max(most, states[s].iterations);
  return most;
}

__global__ void begin_leg(RhsGroup* group, const State* states, int rhs_count, int leg) {
  group->pause_at = iterations_of(states, rhs_count) + leg;
}

/// At the end of the graph's body: whether to run it again.
__global__ void test_loop(const RhsGroup* group, const State* states, int rhs_count,
                          cudaGraphConditionalHandle loop) {
  const bool go_on =
      group->all_done == 0 && iterations_of(states, rhs_count) < group->pause_at;
  cudaGraphSetConditional(loop, go_on ? 1 : 0);
}

/// The CPU's side of the mailbox: hands the residuals to Iteration, once each.
class Reader {
 public:
  Reader(const volatile Mailbox* mail, Iteration& iteration)
      : mail_(mail), iteration_(iteration) {}

  /// Reads the residuals of iterations up to `last`.
  void read(int last) {
    while (seen_ < last && arrived(seen_ + 1)) {
      std::atomic_thread_fence(std::memory_order_acquire);
      const volatile Mailbox::Letter& letter =
          mail_->letters[++seen_ % Mailbox::capacity];
      const std::optional<CycleEnd> says =
          iteration_.record(letter.residual, {letter.reaction_re, letter.reaction_im});
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

/// Readers of the running right-hand sides.
class Readers {
 public:
  Readers(std::span<SolveRhs> all_rhs, ExecutorMemory& executor) : executor_(executor) {
    for (std::size_t s = 0; s < all_rhs.size(); ++s)
      if (all_rhs[s].running)
        readers_.push_back(
            {static_cast<int>(s), all_rhs[s],
             Reader(executor.mail(static_cast<int>(s)), all_rhs[s].iteration)});
  }

  /// Reads what has come of iterations up to `last`, though more may have come: GPUs that
  /// share the operator then see the same.
  void read(int last = all) {
    for (Entry& entry : readers_) entry.reader.read(last);
  }
  /// Marks on the GPU the right-hand sides that have ended: it cannot detect stagnation.
  void tell_ends(const DeviceStream& stream) {
    for (Entry& entry : readers_) {
      if (!entry.reader.seen_end() || entry.told) continue;
      executor_.give_up(entry.rhs, stream);
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
    for (const Entry& entry : readers_) executor_.give_up(entry.rhs, stream);
  }
  /// Returns the error that a step's product may have: one that grows as the residual
  /// falls hardly moves what GMRES finds (V. Simoncini, D. B. Szyld, "Theory of inexact
  /// Krylov subspace methods", SIAM J. Sci. Comput. 25 (2003) 454-477). With a margin of
  /// 0.01 a closed box of 221,187 unknowns takes 82 iterations, with this one 79, as in
  /// double throughout.
  double allowed_error() const {
    constexpr double margin = 0.002;
    double least = 1;
    for (const Entry& entry : readers_) {
      // Once a residual was not what the recurrence said, nothing is left to chance.
      if (entry.of.restarts > 0) return 0;
      const Iteration& iteration = entry.of.iteration;
      const double residual = iteration.result.residual_history.back();
      least = std::min(least, margin * iteration.tolerance() / residual);
    }
    return least;
  }
  int seen() const {
    int most = 0;
    for (const Entry& entry : readers_) most = std::max(most, entry.reader.seen());
    return most;
  }

 private:
  static constexpr int all = std::numeric_limits<int>::max();
  struct Entry {
    int rhs;
    SolveRhs& of;
    Reader reader;
    bool told = false;
  };
  ExecutorMemory& executor_;
  std::vector<Entry> readers_;
};

/// The CPU tests each iteration while the GPU is at the next, so that launches hide
/// behind products; once the state says `done`, that next one does nothing. It looks only
/// at what is over for certain, so that GPUs that share the operator all give the same
/// steps, whenever they see the end.
void run_resident(DeviceRecurrence& recurrence, Readers& readers) {
  const DeviceStream& stream = recurrence.executor().stream();
  recurrence.begin();
  stream.synchronize();
  if (readers.all_ended()) return;
  DeviceEvent ended[2];  // of the last two steps
  int given = 0;
  const auto give_step = [&] {
    recurrence.prepare(given + 1);
    recurrence.executor().allow_error(readers.allowed_error());
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

}  // namespace

/// Iterations as a graph: while (test) { step step step step test }.
class IterationGraph {
 public:
  explicit IterationGraph(DeviceRecurrence& recurrence)
      : executor_(recurrence.executor()), graph_(make_graph()) {
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
    Capture body(executor_.stream(), node.conditional.phGraph_out[0]);
    for (int u = 0; u < tuning::graph_unroll; ++u) recurrence.step();
    test_loop<<<1, 1, 0, executor_.stream().get()>>>(
        executor_.group(), executor_.states(), executor_.rhs_count(), loop);
    check_launch("iteration graph, loop test");
    body.end();
    check_graph(cudaGraphInstantiate(&executable_, graph_.get(), 0),
                "cudaGraphInstantiate");
  }
  ~IterationGraph() { (void)cudaGraphExecDestroy(executable_); }
  IterationGraph(const IterationGraph&) = delete;
  IterationGraph& operator=(const IterationGraph&) = delete;

  /// leg: iterations.
  void launch(int leg) const {
    begin_leg<<<1, 1, 0, executor_.stream().get()>>>(
        executor_.group(), executor_.states(), executor_.rhs_count(), leg);
    check_launch("iteration graph, start");
    check_graph(cudaGraphLaunch(executable_, executor_.stream().get()),
                "cudaGraphLaunch");
  }

 private:
  static_assert(
      tuning::graph_unroll % 2 == 0,
      "a body leaves vectors that alternate between two places where they were");
  ExecutorMemory& executor_;
  Graph graph_;
  cudaGraphExec_t executable_ = nullptr;
};

namespace {

/// Watches one leg of the graph from the CPU. Throws Error{interrupted}, and
/// Error{device} where another owner has failed, only once the GPU is at rest.
void watch(const ExecutorMemory& executor, const DeviceStream& aside, Readers& readers) {
  const DeviceStream& stream = executor.stream();
  try {
    while (!stream.idle()) {
      readers.read();
      if (executor.other_owners_failed())
        throw Error(ErrorKind::device,
                    "iteration graph: another GPU of the same solve has failed. See its "
                    "own message.");
      // GPUs that share the operator would be told of it in different iterations.
      if (!executor.shares()) readers.tell_ends(aside);
      std::this_thread::yield();
    }
    readers.read();
  } catch (...) {
    readers.give_up(aside);
    stream.synchronize();
    throw;
  }
}

constexpr int leg_of(bool shares) {
  return shares ? tuning::graph_shared_span : tuning::graph_span;
}

void run_graph(DeviceRecurrence& recurrence, Readers& readers,
               std::unique_ptr<IterationGraph>& graph) {
  const ExecutorMemory& executor = recurrence.executor();
  const DeviceStream aside;  // beside the graph
  const int leg = leg_of(executor.shares());
  recurrence.begin();
  executor.stream().synchronize();
  try {
    while (!readers.all_ended()) {
      recurrence.prepare(readers.seen() + leg + tuning::graph_unroll);
      if (!graph) graph = std::make_unique<IterationGraph>(recurrence);
      executor.meet_owners();
      graph->launch(leg);
      watch(executor, aside, readers);
      executor.meet_owners();
      readers.tell_ends(executor.stream());
    }
  } catch (...) {
    executor.let_other_owners_go();
    throw;
  }
  aside.synchronize();  // what it says is of this cycle
}

}  // namespace

DeviceCycles::DeviceCycles(DeviceRecurrence& recurrence, Placement placement)
    : recurrence_(recurrence), placement_(placement) {}
DeviceCycles::~DeviceCycles() = default;

void DeviceCycles::run(std::span<SolveRhs> all_rhs) {
  ExecutorMemory& executor = recurrence_.executor();
  executor.load(all_rhs);
  Readers readers(all_rhs, executor);
  try {
    if (placement_ == Placement::graph)
      run_graph(recurrence_, readers, graph_);
    else
      run_resident(recurrence_, readers);
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::interrupted) {
      executor.stream().synchronize();
      executor.store(all_rhs);
    }
    throw;
  }
  readers.store_ends();
  recurrence_.finish();
  executor.store(all_rhs);
}

int DeviceCycles::ahead(Placement placement) {
  return placement == Placement::graph ? leg_of(false) + tuning::graph_unroll + 2 : 4;
}

}  // namespace thinwire::device
