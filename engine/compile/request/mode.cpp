#include "engine/compile/request/mode.h"

#include "engine/tensor/errors.h"

#include <algorithm>
#include <array>

namespace engine {
namespace {

constexpr std::array<std::string_view, 8> kLinkers{"cvm", "cvm_nogc", "vm", "vm_nogc", "c|py", "c|py_nogc", "c", "py"};
constexpr std::array<std::string_view, 6> kOutputMemory{"initial", "previous", "c_contiguous", "f_contiguous", "strided", "wrong_size"};

} // namespace

std::string_view nameOf(Linker linker) { return kLinkers[static_cast<std::size_t>(linker)]; }

Linker linkerNamed(std::string_view name)
{
    const auto found = std::find(kLinkers.begin(), kLinkers.end(), name);
    if (found == kLinkers.end())
        throw UserError("there is no linker '" + std::string(name) + "'",
                        "the linkers are cvm, cvm_nogc, vm, vm_nogc, c|py, c|py_nogc, c and py");
    return static_cast<Linker>(found - kLinkers.begin());
}

bool compilesKernels(Linker linker) { return linker != Linker::Vm && linker != Linker::VmNogc && linker != Linker::Py; }

namespace {
thread_local int t_running = 0; // functions within functions
thread_local bool t_isCompiled = true;
} // namespace

bool isRunCompiled() { return t_running == 0 || t_isCompiled; }
RunBy::RunBy(Linker linker)
{
    if (t_running++ == 0) t_isCompiled = compilesKernels(linker);
}
RunBy::~RunBy() { --t_running; }

std::string_view nameOf(OutputMemory memory) { return kOutputMemory[static_cast<std::size_t>(memory)]; }

std::vector<OutputMemory> outputMemoryNamed(std::string_view names)
{
    std::vector<OutputMemory> result;
    for (std::size_t at = 0; at < names.size();) {
        const std::size_t end = std::min(names.find(':', at), names.size());
        const std::string_view name = names.substr(at, end - at);
        at = end + 1;
        const auto found = std::find(kOutputMemory.begin(), kOutputMemory.end(), name);
        if (found == kOutputMemory.end() && name != "ALL")
            throw UserError("DebugMode knows no preallocated output '" + std::string(name) + "'",
                            "they are initial, previous, c_contiguous, f_contiguous, strided and wrong_size, joined by ':', or ALL");
        for (std::size_t i = 0; i < kOutputMemory.size(); ++i)
            if (name == "ALL" || name == kOutputMemory[i]) result.push_back(static_cast<OutputMemory>(i));
    }
    return result;
}

Mode Mode::named(const std::string &name)
{
    Mode mode;
    mode.name = name;
    if (name == "FAST_RUN" || name == "Mode" || name == "ProfileMode" || name == "fast_run" || name == "NanGuardMode" ||
        name == "DebugMode" || name == "DEBUG_MODE")
        mode.level = OptimizerLevel::FastRun;
    else if (name == "FAST_COMPILE" || name == "fast_compile") mode.level = OptimizerLevel::FastCompile;
    else if (name == "merge") mode.level = OptimizerLevel::Merge;
    else if (name == "None" || name == "none") mode.level = OptimizerLevel::None;
    else
        throw UserError("there is no mode '" + name + "'",
                        "the modes are FAST_RUN, FAST_COMPILE, DebugMode, NanGuardMode, ProfileMode and None");
    if (name == "DebugMode" || name == "DEBUG_MODE") mode.debug = DebugChecks{};
    return mode;
}

} // namespace engine
