// Compiled kernels and the rewrites' names, as Python asks for them.
#include "engine/codegen/kernel_service.h"
#include "engine/device/cpu/compiler/compiler.h"
#include "engine/device/cpu/compiler/kernel_cache.h"
#include "engine/device/cpu/compiler/seal.h"
#include "engine/python/core/build.h"
#include "engine/rewrite/machine/registry.h"

#include <algorithm>
#include <chrono>
#include <filesystem>

namespace python {
namespace {

py::object *g_tell = nullptr; // as long as the process: the compile thread may ask at any time

// On the main thread, soon after the compile thread asked for it.
int tellOfKernels(void *)
{
    try {
        (*g_tell)();
    } catch (py::error_already_set &error) {
        error.discard_as_unraisable("telling of compiled kernels");
    }
    return 0;
}

} // namespace

void addKernels(py::module_ &module)
{
    // (source, command, what the compiler said) of every compile that failed so far.
    module.def("kernel_failures", [] {
        py::list result;
        for (const engine::KernelFailure &failure : engine::kernelFailures())
            result.append(py::make_tuple(failure.source, failure.command, failure.messages));
        return result;
    });
    module.def("kernel_notices", engine::kernelNotices);
    module.def("tell_of_kernels", [](py::object function) {
        g_tell = new py::object(std::move(function));
        engine::setKernelNewsHook([] { Py_AddPendingCall(tellOfKernels, nullptr); });
    });
    module.def("choose_compiler", [](const std::optional<std::string> &path) { engine::chooseCompiler(path); });
    module.def("choose_kernel_cache", [](const std::optional<std::string> &base) {
        engine::chooseKernelCache(base ? std::optional<std::filesystem::path>(*base) : std::nullopt);
    });
    // Of the cache of kernels: what lies there under this name, if it is whole and nobody else's; the place for it; what is put there.
    module.def("kept_product", [](const std::string &name) -> std::optional<std::string> {
        const std::filesystem::path product = engine::kernelCacheDirectory() / name;
        return engine::kernelCacheDirectory().empty() || !engine::isWholeProduct(product) ? std::nullopt : std::optional(product.string());
    });
    module.def("place_for_product", [](const std::string &name) -> std::optional<std::string> {
        if (!engine::keepsKernels()) return std::nullopt;
        return (engine::kernelCacheDirectory() / name).string();
    });
    module.def("keep_product", [](const std::string &temporary, const std::string &product) {
        const std::string problem = engine::sealProduct(temporary, product);
        if (!problem.empty()) throw py::value_error(problem);
        engine::evictKernels(engine::kernelCacheLimit());
    });
    module.def("set_compile_limit", [](double seconds) {
        engine::setCompileLimit(std::chrono::milliseconds(static_cast<std::int64_t>(std::clamp(seconds, 0.001, 1e9) * 1000)));
    });
    // (name, tags) of every rewrite; (name, phase, position, tag) of every pass.
    module.def("rewrites", [] {
        py::list result;
        for (const engine::RewriteInfo *info : engine::allRewrites()) result.append(py::make_tuple(info->name, info->tags));
        return result;
    });
    module.def("passes", [] {
        py::list result;
        for (const engine::PassInfo &pass : engine::allPasses())
            result.append(
                py::make_tuple(std::string(pass.name), std::string(engine::nameOf(pass.phase)), pass.position, std::string(pass.tag)));
        return result;
    });
}

} // namespace python
