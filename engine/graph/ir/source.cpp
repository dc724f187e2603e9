#include "engine/graph/ir/source.h"

#include "engine/tensor/fork.h"

#include <atomic>
#include <deque>
#include <mutex>
#include <unordered_map>

namespace engine {
namespace {

struct Call {
    SourceLine line;
    TraceId caller = TraceId::None;
    int shown = 0; // lines, of the trace that ends here
};

struct Traces {
    ProcessMutex mutex; // guards both; entries never move or change once interned
    std::deque<Call> byId{1};
    std::unordered_map<std::string, std::uint32_t> byText;
    const Call &of(TraceId trace) const { return byId.at(static_cast<std::size_t>(trace)); }
};

Traces &traces()
{
    static auto *instance = new Traces;
    return *instance;
}

std::atomic<int> s_shownLines = 8;
thread_local TraceId t_current = TraceId::None;

} // namespace

TraceId internCall(SourceLine line, TraceId caller)
{
    const int shown = s_shownLines;
    std::string key = std::to_string(static_cast<std::uint32_t>(caller)) + ' ' + std::to_string(shown);
    (key += '\0') += line.file;
    (key += '\0') += std::to_string(line.line);
    (key += '\0') += line.function;
    (key += '\0') += line.text; // an expression's "file" has other text each time
    Traces &all = traces();
    std::lock_guard lock(all.mutex);
    auto [place, fresh] = all.byText.emplace(std::move(key), all.byId.size());
    if (fresh) all.byId.push_back({std::move(line), caller, shown});
    return static_cast<TraceId>(place->second);
}

TraceId internTrace(std::vector<SourceLine> innermostFirst)
{
    TraceId trace = TraceId::None;
    for (auto line = innermostFirst.rbegin(); line != innermostFirst.rend(); ++line) trace = internCall(std::move(*line), trace);
    return trace;
}

TraceId callerOf(TraceId trace)
{
    Traces &all = traces();
    std::lock_guard lock(all.mutex);
    return all.of(trace).caller;
}

std::vector<SourceLine> traceLines(TraceId trace)
{
    Traces &all = traces();
    std::lock_guard lock(all.mutex);
    std::vector<SourceLine> lines;
    for (int left = all.of(trace).shown; trace != TraceId::None && left > 0; --left) {
        const Call &call = all.of(trace);
        lines.push_back(call.line);
        trace = call.caller;
    }
    return lines;
}

const SourceLine &sourceLine(TraceId trace)
{
    Traces &all = traces();
    std::lock_guard lock(all.mutex);
    return all.of(trace).line; // of None it is empty
}

void setShownLines(int lines) { s_shownLines = lines; }
int shownLines() { return s_shownLines; }

TraceId currentTrace() { return t_current; }
void setCurrentTrace(TraceId trace) { t_current = trace; }

ScopedTrace::ScopedTrace(TraceId trace) : m_previous(t_current) { t_current = trace; }
ScopedTrace::~ScopedTrace() { t_current = m_previous; }

} // namespace engine
