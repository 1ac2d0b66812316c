#include "tests/emulation/graph.h"

#include <cuda_runtime.h>

#include <algorithm>
#include <atomic>

#include "tests/emulation/launch.h"
#include "tests/emulation/stop.h"

namespace emulation {

struct Conditional {
  std::atomic<unsigned> value;
  unsigned at_launch;
};

namespace {

/// Handles are addresses.
Conditional* conditional_of(cudaGraphConditionalHandle handle) {
  return reinterpret_cast<Conditional*>(handle);
}

void run(const CUgraph_st& graph) {
  for (const Task& task : graph.tasks) task();
}

}  // namespace
}  // namespace emulation

using namespace emulation;

/// A copy: the graph may be destroyed before.
struct CUgraphExec_st {
  std::shared_ptr<const CUgraph_st> graph;
};

cudaError_t cudaGraphCreate(cudaGraph_t* graph, unsigned) {
  *graph = new CUgraph_st;
  return cudaSuccess;
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  delete graph;
  return cudaSuccess;
}

cudaError_t cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle* handle,
                                             cudaGraph_t graph, unsigned value,
                                             unsigned flags) {
  if (flags != cudaGraphCondAssignDefault)
    stop("a conditional that keeps its value between launches is not emulated");
  graph->conditionals.push_back(std::make_shared<Conditional>(value, value));
  *handle =
      reinterpret_cast<cudaGraphConditionalHandle>(graph->conditionals.back().get());
  return cudaSuccess;
}
void cudaGraphSetConditional(cudaGraphConditionalHandle handle, unsigned value) {
  conditional_of(handle)->value = value;
}
/// Only conditional nodes, after all that the graph has.
cudaError_t cudaGraphAddNode(cudaGraphNode_t*, cudaGraph_t graph, const cudaGraphNode_t*,
                             const cudaGraphEdgeData*, std::size_t,
                             cudaGraphNodeParams* node) {
  if (node->type != cudaGraphNodeTypeConditional)
    stop("a node of a graph that is not conditional is not emulated");
  const auto body = std::make_shared<CUgraph_st>();
  thread_local cudaGraph_t bodies[1];
  bodies[0] = body.get();
  node->conditional.phGraph_out = bodies;
  const bool again = node->conditional.type == cudaGraphCondTypeWhile;
  const Conditional* const go_on = conditional_of(node->conditional.handle);
  graph->tasks.push_back([=] {
    while (go_on->value != 0) {
      run(*body);
      if (!again) break;
    }
  });
  return cudaSuccess;
}

cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph,
                                          const cudaGraphNode_t*,
                                          const cudaGraphEdgeData*, std::size_t,
                                          cudaStreamCaptureMode) {
  stream->capture = graph;
  return cudaSuccess;
}
cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode) {
  stream->capture = new CUgraph_st;
  return cudaSuccess;
}
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  *graph = stream->capture;
  end_capture(*graph);
  return cudaSuccess;
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph,
                                 unsigned long long) {
  *executable = new CUgraphExec_st{std::make_shared<const CUgraph_st>(*graph)};
  return cudaSuccess;
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable) {
  delete executable;
  return cudaSuccess;
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream) {
  submit(stream, [graph = executable->graph] {
    for (const auto& conditional : graph->conditionals)
      conditional->value = conditional->at_launch;
    run(*graph);
  });
  return cudaSuccess;
}
