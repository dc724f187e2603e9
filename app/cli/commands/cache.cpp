#include "app/cli/shared/command.h"
#include "app/cli/shared/output.h"
#include "engine/device/cpu/compiler/compiler.h"
#include "engine/device/cpu/compiler/kernel_cache.h"
#include "engine/liveness/sizes.h"
#include "profiler/export/json_text.h"

#include <string>

namespace app {

namespace {

const char *filesText(std::uint64_t count) { return count == 1 ? "file" : "files"; }

int cache(const Arguments &arguments)
{
    const std::string action = arguments.words.empty() ? "info" : arguments.words[0];
    if (action != "info" && action != "clear") throw UsageError("croton cache knows no '" + action + "'", "info or clear");
    if (engine::kernelCacheDirectory().empty()) throw CliError(engine::kernelCacheProblem());
    if (action == "clear") {
        const std::uint64_t removed = engine::clearKernelCache();
        if (arguments.has("--json")) writeOutput({}, profiler::jsonText(nlohmann::json{{"removed", removed}}));
        else printOut("deleted %llu compiled kernel %s\n", static_cast<unsigned long long>(removed), filesText(removed));
        return 0;
    }
    const engine::CacheInfo info = engine::kernelCacheInfo();
    if (arguments.has("--json")) {
        const nlohmann::json all{{"directory", info.directory.string()},
                                 {"files", info.files},
                                 {"bytes", info.bytes},
                                 {"limit", info.limit},
                                 {"writable", engine::keepsKernels()},
                                 {"compiler", engine::compiler().version}};
        writeOutput({}, profiler::jsonText(all));
        return 0;
    }
    printOut("%llu compiled kernel %s, %s of at most %s, in %s\n", static_cast<unsigned long long>(info.files), filesText(info.files),
             liveness::sizeText(info.bytes).c_str(), liveness::sizeText(info.limit).c_str(), info.directory.c_str());
    if (!engine::keepsKernels()) printOut("%s\n", engine::kernelCacheProblem().c_str());
    return 0;
}

} // namespace

Command cacheCommand()
{
    Command command;
    command.name = "cache";
    command.words = "[info | clear]";
    command.summary = "say how much compiled kernels take on disk, or delete them";
    command.details = "After every compile those that were used longest ago are deleted until the rest takes at most 128 MB\n"
                      "(CROTON_CACHE_MB: another limit). Sizes are those on the disk.";
    command.options = {{"--json", "", "the same as JSON"}};
    command.mostWords = 1;
    command.run = cache;
    return command;
}

} // namespace app
