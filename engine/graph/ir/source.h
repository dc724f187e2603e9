// Where in the user's program something was written: interned traces, so that a node carries 32 bits.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace engine {

struct SourceLine {
    std::string file;
    int line = 0;
    std::string function;
    std::string text; ///< the line itself, where known
};

/// A line with the chain of calls that led to it, each once: traces share what called them. TraceId::None: unknown.
enum class TraceId : std::uint32_t { None = 0 };

/// The line as it is reached from `caller`; None: nothing called it.
TraceId internCall(SourceLine line, TraceId caller);
TraceId internTrace(std::vector<SourceLine> innermostFirst);
/// None where nothing called it. Its number is less than that of what it called.
TraceId callerOf(TraceId trace);
/// The innermost lines, that one first: as many as people see.
std::vector<SourceLine> traceLines(TraceId trace);
/// The innermost user line, or an empty one.
const SourceLine &sourceLine(TraceId trace);
/// How many lines errors and documents show of the traces that are interned from now on. Of any trace all calls are known.
void setShownLines(int lines);
int shownLines();

/// The trace that new applies and leaves of this thread get.
TraceId currentTrace();

class ScopedTrace {
public:
    explicit ScopedTrace(TraceId trace);
    ~ScopedTrace();
    ScopedTrace(const ScopedTrace &) = delete;
    ScopedTrace &operator=(const ScopedTrace &) = delete;

private:
    TraceId m_previous;
};

/// For faces that cannot scope (a call from Python sets it on entry).
void setCurrentTrace(TraceId trace);

} // namespace engine
