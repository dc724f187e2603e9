#include "app/cli/shared/captured_session.h"

#include "app/cli/commands/worker.h"
#include "app/cli/shared/output.h"
#include "app/cli/shared/session_source.h"
#include "profiler/session/store/files.h"

namespace app {

CapturedSession::CapturedSession(const Arguments &arguments, const std::string &commandName)
    : m_path(arguments.words[0]), m_isTemporary(m_path.ends_with(".py") || m_path.ends_with(".onnx"))
{
    if (!m_isTemporary && !arguments.rest.empty())
        throw UsageError("only a script takes arguments, and " + m_path + " is none", "leave out '" + arguments.rest[0] + "'");
    if (m_isTemporary) {
        WorkerRequest request;
        request.mode = "profile";
        request.script = m_path;
        request.arguments = arguments.rest;
        request.capture = 1;
        request.stdoutToStderr = true;
        request.command = shellQuoted({"croton", commandName, m_path});
        checkScript(m_path);
        request.session = m_path = profiler::uniquePath(profiler::temporaryFolder(), "croton-" + commandName);
        const int status = runWorker(request);
        if (!profiler::fileExists(m_path))
            throw CliError("the script ended with status " + std::to_string(status) + " and left no session");
        if (status != 0) printErr("croton: the script ended with status %d; this is what it called until then\n", status);
    }
    m_reader = openSession(m_path);
}

CapturedSession::~CapturedSession()
{
    m_reader.reset();
    if (m_isTemporary) profiler::removeSession(m_path);
}

} // namespace app
