#include "engine/graph/source.h"

#include "engine/tensor/fork.h"

#include <deque>
#include <mutex>
#include <unordered_map>

namespace engine {
namespace {

struct Traces {
    ProcessMutex mutex; // guards both; entries never move or change once interned
    std::deque<std::vector<SourceLine>> byId{1};
    std::unordered_map<std::string, std::uint32_t> byText;
};

Traces &traces()
{
    static auto *instance = new Traces;
    return *instance;
}

thread_local TraceId t_current = TraceId::None;

} // namespace

TraceId internTrace(std::vector<SourceLine> innermostFirst)
{
    if (innermostFirst.empty()) return TraceId::None;
    std::string key;
    for (const SourceLine &line : innermostFirst) {
        key += line.file;
        key += '\0';
        key += std::to_string(line.line);
        key += '\0';
        key += line.function;
        key += '\0';
        key += line.text; // an expression's "file" has other text each time
        key += '\n';
    }
    Traces &all = traces();
    std::lock_guard lock(all.mutex);
    auto [place, fresh] = all.byText.emplace(std::move(key), all.byId.size());
    if (fresh) all.byId.push_back(std::move(innermostFirst));
    return static_cast<TraceId>(place->second);
}

std::span<const SourceLine> traceLines(TraceId trace)
{
    Traces &all = traces();
    std::lock_guard lock(all.mutex);
    return all.byId.at(static_cast<std::size_t>(trace));
}

const SourceLine &sourceLine(TraceId trace)
{
    static const SourceLine none;
    const auto lines = traceLines(trace);
    return lines.empty() ? none : lines.front();
}

TraceId currentTrace() { return t_current; }
void setCurrentTrace(TraceId trace) { t_current = trace; }

ScopedTrace::ScopedTrace(TraceId trace) : m_previous(t_current) { t_current = trace; }
ScopedTrace::~ScopedTrace() { t_current = m_previous; }

} // namespace engine
