#include "app/cli/shared/session_source.h"

#include "app/cli/shared/output.h"
#include "app/cli/shared/profile_request.h"
#include "profiler/export/report.h"
#include "profiler/session/store/files.h"

#include <algorithm>
#include <cstdlib>

namespace app {

namespace {

bool isScript(const std::string &path) { return path.ends_with(".py") || path.ends_with(".onnx"); }

constexpr std::size_t kListed = 12;

std::string titles(const std::vector<profiler::FunctionInfo> &some, const std::vector<profiler::FunctionInfo> &all)
{
    const profiler::DistinctTitles titles(all);
    std::string text;
    for (std::size_t i = 0; i < std::min(some.size(), kListed); ++i) text += (i ? ", " : "") + titles.of(some[i]);
    return some.size() > kListed ? text + " and " + std::to_string(some.size() - kListed) + " more" : text;
}

} // namespace

std::unique_ptr<profiler::SessionReader> openSession(const std::string &path)
{
    std::unique_ptr<profiler::SessionReader> reader = profiler::SessionReader::open(path);
    if (const profiler::SessionInfo info = reader->info(); info.lacksWal)
        printErr("croton: %s: %s\n", path.c_str(), profiler::sessionWarning(info).c_str());
    return reader;
}

std::string sessionFolder()
{
    const char *cache = std::getenv("XDG_CACHE_HOME");
    const char *home = std::getenv("HOME");
    const std::string base = cache && *cache ? cache : std::string(home ? home : ".") + "/.cache";
    return base + "/croton/sessions";
}

SessionSource::SessionSource(const Arguments &arguments, const std::string &commandName)
{
    std::string path = arguments.words[0];
    if (isScript(path)) {
        WorkerRequest request = profileRequest(arguments, commandName);
        m_temporary = profiler::uniquePath(profiler::temporaryFolder(), "croton-" + commandName);
        request.session = m_temporary;
        request.stdoutToStderr = true;
        request.waitForKernels = arguments.has("--kernels");
        const int status = runWorker(request);
        if (!profiler::fileExists(m_temporary))
            throw CliError("the script ended with status " + std::to_string(status) + " and left no session");
        if (status != 0) printErr("croton: the script ended with status %d; this is what it compiled until then\n", status);
        path = m_temporary;
    }
    if (!isScript(arguments.words[0]) && !arguments.rest.empty())
        throw UsageError("only a script takes arguments, and " + path + " is none", "leave out '" + arguments.rest[0] + "'");
    m_reader = openSession(path);
}

SessionSource::~SessionSource()
{
    m_reader.reset();
    if (!m_temporary.empty()) profiler::removeSession(m_temporary);
}

profiler::FunctionInfo SessionSource::function(const std::string &name, std::string &choice)
{
    const std::vector<profiler::FunctionInfo> functions = this->functions();
    if (!name.empty()) {
        const std::vector<profiler::FunctionInfo> named = functionsNamed(name);
        if (named.size() > 1)
            choice = "this is the first of " + std::to_string(named.size()) + " functions called " + name +
                     " (--function NUMBER: " + titles(named, functions) + ")";
        return named.front();
    }
    const profiler::FunctionInfo *chosen = &functions.front();
    for (const profiler::FunctionInfo &function : functions)
        if (chosen->run.calls == 0 && function.run.calls > 0) chosen = &function;
    if (functions.size() > 1)
        choice = "this is " + profiler::DistinctTitles(functions).of(*chosen) + ", one of " + std::to_string(functions.size()) +
                 " functions (--function NAME: " + titles(functions, functions) + ")";
    return *chosen;
}

std::vector<profiler::FunctionInfo> SessionSource::functions()
{
    std::vector<profiler::FunctionInfo> functions = m_reader->functions();
    if (functions.empty()) throw CliError("no function was compiled", "theano.function(inputs, outputs) compiles one");
    return functions;
}

std::vector<profiler::FunctionInfo> SessionSource::functionsNamed(const std::string &name)
{
    const std::vector<profiler::FunctionInfo> functions = this->functions();
    std::vector<profiler::FunctionInfo> named;
    for (const profiler::FunctionInfo &function : functions)
        if (profiler::isCalled(function, name)) named.push_back(function);
    if (named.empty())
        throw CliError("there is no function " + name, "there are: " + titles(functions, functions) + "; a number names one, too");
    return named;
}

} // namespace app
