#include "app/cli/session_source.h"

#include "app/cli/profile_request.h"
#include "profiler/export/report.h"
#include "profiler/session/files.h"

#include <cstdio>

namespace app {

namespace {

bool isScript(const std::string &path) {
    return path.size() > 3 && path.compare(path.size() - 3, 3, ".py") == 0;
}

} // namespace

SessionSource::SessionSource(const Arguments &arguments, const std::string &commandName) {
    std::string path = arguments.words[0];
    if (isScript(path)) {
        WorkerRequest request = profileRequest(arguments, commandName);
        m_temporary = profiler::uniquePath(profiler::temporaryFolder(), "croton-" + commandName);
        request.session = m_temporary;
        request.stdoutToStderr = true;
        const int status = runWorker(request);
        if (!profiler::fileExists(m_temporary))
            throw CliError("the script ended with status " + std::to_string(status) +
                           " and left no session");
        if (status != 0)
            std::fprintf(stderr, "croton: the script ended with status %d; this is what it compiled until then\n",
                         status);
        path = m_temporary;
    }
    m_reader = profiler::SessionReader::open(path);
}

SessionSource::~SessionSource() {
    m_reader.reset();
    if (!m_temporary.empty())
        profiler::removeSession(m_temporary);
}

profiler::FunctionInfo SessionSource::function(const std::string &name) {
    const std::vector<profiler::FunctionInfo> functions = m_reader->functions();
    if (functions.empty())
        throw CliError("no function was compiled");
    const profiler::FunctionInfo *called = nullptr;
    std::string names;
    for (const profiler::FunctionInfo &function : functions) {
        if (!name.empty() && (function.name == name || std::to_string(raw(function.id)) == name))
            return function;
        if (!called && function.run.calls > 0)
            called = &function;
        names += (names.empty() ? "" : ", ") + profiler::functionTitle(function);
    }
    if (!name.empty())
        throw CliError("there is no function " + name, "there are: " + names);
    return called ? *called : functions.front();
}

} // namespace app
