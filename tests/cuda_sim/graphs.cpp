// The functions of cudart for graphs: what a stream was given between two calls, to be given again.
#include "tests/cuda_sim/machine.h"

#include <memory>

using namespace cuda_sim;

namespace {

using Tasks = std::vector<std::function<void()>>;

Stream &streamOf(cudaStream_t stream) { return *reinterpret_cast<Stream *>(stream); }
cudaError_t said(cudaError_t error) { return Machine::one().said(error); }

} // namespace

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode)
{
    if (streamOf(stream).isCaptured()) return said(cudaErrorIllegalState);
    streamOf(stream).capture();
    return said(cudaSuccess);
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph)
{
    *graph = nullptr;
    if (!streamOf(stream).isCaptured()) return said(cudaErrorIllegalState);
    *graph = reinterpret_cast<cudaGraph_t>(new Tasks(streamOf(stream).captured()));
    return said(cudaSuccess);
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *made, cudaGraph_t graph, unsigned long long)
{
    if (Machine::one().fails("graph")) return said(cudaErrorMemoryAllocation);
    *made = reinterpret_cast<cudaGraphExec_t>(new Tasks(*reinterpret_cast<Tasks *>(graph)));
    return said(cudaSuccess);
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
    delete reinterpret_cast<Tasks *>(graph);
    return said(cudaSuccess);
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t graph)
{
    delete reinterpret_cast<Tasks *>(graph);
    return said(cudaSuccess);
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t graph, cudaStream_t stream)
{
    if (Machine::one().fails("launch")) return said(cudaErrorLaunchOutOfResources);
    for (const auto &task : *reinterpret_cast<Tasks *>(graph)) streamOf(stream).enqueue(task);
    return said(cudaSuccess);
}
