// Ranges of NVTX, which Nsight shows: its header looks for a tool that watches, and does nothing without.
#include "engine/device/cuda/stream.h"

#if __has_include(<nvtx3/nvToolsExt.h>)
#include <nvtx3/nvToolsExt.h>
#define CROTON_HAS_NVTX
#endif

namespace engine {

#ifdef CROTON_HAS_NVTX
void CudaStream::beginRange(const std::string &name) { nvtxRangePushA(name.c_str()); }
void CudaStream::endRange() { nvtxRangePop(); }
#else
void CudaStream::beginRange(const std::string &) {}
void CudaStream::endRange() {}
#endif

} // namespace engine
