#include "cg/krylov/device_recurrence.cuh"

#include <atomic>
#include <optional>
#include <thread>

#include "cg/vector_ops.h"

namespace thinwire::device {
namespace {

/// Iterations of one leg: from one return of the graph to the CPU to the next. With those
/// that the body adds, fewer than the mailbox holds.
constexpr int leg = tuning::graph_span;
static_assert(leg + tuning::graph_unroll < Mailbox::capacity);

__global__ void begin_leg(RecurrenceState* state) {
  state->pause_at = state->iterations + leg;
  state->stop = 0;
}

/// At the end of the graph's body: whether to run it again.
__global__ void test_loop(const RecurrenceState* state, cudaGraphConditionalHandle loop) {
  const bool go_on =
      state->done == 0 && state->stop == 0 && state->iterations < state->pause_at;
  cudaGraphSetConditional(loop, go_on ? 1 : 0);
}

/// The CPU's side of the mailbox: hands the residuals to Iteration, once each.
class Reader {
 public:
  Reader(const volatile Mailbox* mail, Iteration& iteration)
      : mail_(mail), iteration_(iteration) {}

  void read() {
    while (arrived(seen_ + 1)) {
      std::atomic_thread_fence(std::memory_order_acquire);
      const double norm = mail_->letters[++seen_ % Mailbox::capacity].norm;
      const std::optional<CycleEnd> says = iteration_.record(norm);
      // Iterations that were under way when the end was seen still count.
      if (!end_) end_ = says;
    }
  }
  /// After a synchronisation: how the cycle ended, if it did.
  std::optional<CycleEnd> end() const {
    if (!end_ && mail_->done != 0) return static_cast<CycleEnd>(mail_->done - 1);
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

/// The CPU tests each iteration while the GPU is at the next, so that launches hide
/// behind products; once the state says `done`, that next one does nothing.
CycleEnd run_resident(Recurrence& recurrence, Iteration& iteration) {
  Reader reader(recurrence.mail(), iteration);
  const DeviceStream& stream = recurrence.stream();
  recurrence.begin();
  stream.synchronize();
  if (const auto end = reader.end()) return *end;
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
    reader.read();
    if (!reader.end()) continue;
    stream.synchronize();
    reader.read();
    return *reader.end();
  }
}

/// Iterations as a graph: while (test) { step step step step test }.
class IterationGraph {
 public:
  explicit IterationGraph(Recurrence& recurrence) : recurrence_(recurrence) {
    const char* where = "iteration graph";
    check_cuda(cudaGraphCreate(&graph_, 0), where, "cudaGraphCreate");
    cudaGraphConditionalHandle loop;
    check_cuda(
        cudaGraphConditionalHandleCreate(&loop, graph_, 1, cudaGraphCondAssignDefault),
        where, "cudaGraphConditionalHandleCreate");
    cudaGraphNodeParams node = {};
    node.type = cudaGraphNodeTypeConditional;
    node.conditional.handle = loop;
    node.conditional.type = cudaGraphCondTypeWhile;
    node.conditional.size = 1;
    cudaGraphNode_t while_node;
    check_cuda(cudaGraphAddNode(&while_node, graph_, nullptr, nullptr, 0, &node), where,
               "cudaGraphAddNode");
    cudaStream_t stream = recurrence.stream().get();
    cudaGraph_t body = node.conditional.phGraph_out[0];
    check_cuda(cudaStreamBeginCaptureToGraph(stream, body, nullptr, nullptr, 0,
                                             cudaStreamCaptureModeThreadLocal),
               where, "cudaStreamBeginCaptureToGraph");
    for (int u = 0; u < tuning::graph_unroll; ++u) recurrence.step();
    test_loop<<<1, 1, 0, stream>>>(recurrence.state(), loop);
    check_launch("iteration graph, loop test");
    check_cuda(cudaStreamEndCapture(stream, &body), where, "cudaStreamEndCapture");
    check_cuda(cudaGraphInstantiate(&executable_, graph_, 0), where,
               "cudaGraphInstantiate");
  }
  ~IterationGraph() {
    (void)cudaGraphExecDestroy(executable_);
    (void)cudaGraphDestroy(graph_);
  }
  IterationGraph(const IterationGraph&) = delete;
  IterationGraph& operator=(const IterationGraph&) = delete;

  void launch() const {
    begin_leg<<<1, 1, 0, recurrence_.stream().get()>>>(recurrence_.state());
    check_launch("iteration graph, start");
    check_cuda(cudaGraphLaunch(executable_, recurrence_.stream().get()),
               "iteration graph", "cudaGraphLaunch");
  }
  /// Lets the graph return after the body that it is in.
  void ask_to_stop() const {
    set_bytes(&recurrence_.state()->stop, 1, sizeof(int), aside_);
    aside_.synchronize();
  }

 private:
  Recurrence& recurrence_;
  DeviceStream aside_;
  cudaGraph_t graph_ = nullptr;
  cudaGraphExec_t executable_ = nullptr;
};

/// Watches one leg of the graph from the CPU. Throws Error{interrupted} only once the GPU
/// is at rest.
void watch(const IterationGraph& graph, const DeviceStream& stream, Reader& reader) {
  bool asked = false;
  try {
    while (!stream.idle()) {
      reader.read();
      if (reader.seen_end() && !asked) {
        graph.ask_to_stop();
        asked = true;
      }
      std::this_thread::yield();
    }
    reader.read();
  } catch (...) {
    graph.ask_to_stop();
    stream.synchronize();
    throw;
  }
}

CycleEnd run_graph(Recurrence& recurrence, Iteration& iteration,
                   std::unique_ptr<IterationGraph>& graph) {
  Reader reader(recurrence.mail(), iteration);
  recurrence.begin();
  recurrence.stream().synchronize();
  for (;;) {
    if (const auto end = reader.end()) return *end;
    recurrence.prepare(reader.seen() + leg + tuning::graph_unroll);
    if (!graph) graph = std::make_unique<IterationGraph>(recurrence);
    graph->launch();
    watch(*graph, recurrence.stream(), reader);
  }
}

}  // namespace

Recurrence::Recurrence(const DeviceOperator& z, const DeviceBlockPreconditioner* m)
    : z_(z),
      m_(m),
      r_(vector()),
      current_(vector()),
      state_(1, "solver state"),
      mail_(1, "solver state"),
      partial_(std::size_t{max_sum_blocks} * max_sums, "solver sums"),
      ticket_(1, "solver sums") {
  ticket_.clear(stream());
}

DeviceBuffer<Complex> Recurrence::vector() const {
  DeviceBuffer<Complex> x(z_.tiles().layout().padded(), "vectors of the solver");
  x.clear(stream());
  return x;
}

void Recurrence::load(std::span<const Complex> r, std::span<const Complex> current,
                      double tolerance, double v_norm, int max_iterations) {
  r_.upload(r, stream());
  current_.upload(current, stream());
  RecurrenceState start = {};
  start.tolerance = tolerance;
  start.v_norm = v_norm;
  start.max_iterations = max_iterations;
  state_.upload({&start, 1}, stream());
  stream().synchronize();
  for (int k = 0; k < Mailbox::capacity; ++k) mail()->letters[k].iteration = 0;
  mail()->done = 0;
}

void Recurrence::store(std::span<Complex> current) {
  current_.download(current, stream());
}

SolveResult run_on_device(const DeviceOperator& z, const DeviceBlockPreconditioner* m,
                          std::span<const Complex> v, std::span<Complex> current,
                          const SolverControl& control, Placement placement,
                          Recurrence& recurrence) {
  if (control.comm != nullptr && control.comm->ranks() != 1)
    throw Error(ErrorKind::usage, "iterative solver on a GPU: one rank only (got " +
                                      std::to_string(control.comm->ranks()) +
                                      "). Use --device cpu.");
  const double v_norm = norm2(v);
  std::unique_ptr<IterationGraph> graph;
  return run_cycles(
      z, m, v, current, control, [&](std::span<Complex> r, Iteration& iteration) {
        recurrence.load(r, current, control.tolerance, v_norm,
                        iteration.max_iterations() - iteration.result.iterations);
        // `current` is to hold the last sound iterate also when the caller interrupts.
        try {
          const CycleEnd end = placement == Placement::graph
                                   ? run_graph(recurrence, iteration, graph)
                                   : run_resident(recurrence, iteration);
          recurrence.finish();
          recurrence.store(current);
          return end;
        } catch (const Error& error) {
          if (error.kind() == ErrorKind::interrupted) {
            recurrence.stream().synchronize();
            recurrence.store(current);
          }
          throw;
        }
      });
}

}  // namespace thinwire::device
