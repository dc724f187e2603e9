#include "app/cli/command.h"
#include "engine/codegen/compiler.h"

#include <nlohmann/json.hpp>

#include <cstdio>

namespace app {

namespace {

int cache(const Arguments &arguments) {
    const std::string action = arguments.words.empty() ? "info" : arguments.words[0];
    if (action != "info" && action != "clear")
        throw UsageError("croton cache knows no '" + action + "'", "info or clear");
    if (engine::kernelCacheDirectory().empty())
        throw CliError("there is no folder for compiled kernels that is yours alone",
                       "set CROTON_CACHE_DIR to one that you may write");
    if (action == "clear") {
        const std::uint64_t removed = engine::clearKernelCache();
        if (arguments.has("--json"))
            std::puts(nlohmann::json{{"removed", removed}}.dump().c_str());
        else
            std::printf("deleted %llu compiled kernel files\n", static_cast<unsigned long long>(removed));
        return 0;
    }
    const engine::CacheInfo info = engine::kernelCacheInfo();
    if (arguments.has("--json")) {
        const nlohmann::json all{{"directory", info.directory.string()},
                                 {"files", info.files},
                                 {"bytes", info.bytes},
                                 {"compiler", engine::compiler().version}};
        std::puts(all.dump(2, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
        return 0;
    }
    std::printf("%llu compiled kernel files, %.1f MB in %s\n", static_cast<unsigned long long>(info.files),
                static_cast<double>(info.bytes) * 1e-6, info.directory.c_str());
    return 0;
}

} // namespace

Command cacheCommand() {
    Command command;
    command.name = "cache";
    command.words = "[info | clear]";
    command.summary = "say how much compiled kernels take on disk, or delete them";
    command.options = {{"--json", "", "the same as JSON"}};
    command.mostWords = 1;
    command.run = cache;
    return command;
}

} // namespace app
