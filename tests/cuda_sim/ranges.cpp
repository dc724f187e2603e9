// A tool that watches NVTX: it counts ranges by their names. NVTX_INJECTION64_PATH names this library, as Nsight names its own.
#include "tests/cuda_sim/control.h"

#if __has_include(<nvtx3/nvToolsExt.h>)
#define NVTX_NO_IMPL
#include <nvtx3/nvToolsExt.h>

#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace {

std::mutex s_mutex; // guards what follows
std::map<std::string, int> s_ranges;
thread_local std::vector<std::string> t_open;

int pushed(const char *name)
{
    std::lock_guard lock(s_mutex);
    ++s_ranges[name];
    t_open.emplace_back(name);
    return static_cast<int>(t_open.size()) - 1;
}

int popped()
{
    if (t_open.empty()) return -2;
    t_open.pop_back();
    return static_cast<int>(t_open.size());
}

} // namespace

extern "C" int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t exported)
{
    const auto *const callbacks = static_cast<const NvtxExportTableCallbacks *>(exported(NVTX_ETID_CALLBACKS));
    NvtxFunctionTable table = nullptr;
    unsigned size = 0;
    if (!callbacks || !callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE, &table, &size)) return 0;
    if (size <= NVTX_CBID_CORE_RangePop) return 0;
    *table[NVTX_CBID_CORE_RangePushA] = reinterpret_cast<NvtxFunctionPointer>(pushed);
    *table[NVTX_CBID_CORE_RangePop] = reinterpret_cast<NvtxFunctionPointer>(popped);
    return 1;
}

int cudaSimRanges(const char *name)
{
    std::lock_guard lock(s_mutex);
    return t_open.empty() ? s_ranges[name] : -1;
}
#else
int cudaSimRanges(const char *) { return -1; }
#endif
