// Where in the user's program something was written: interned traces, so that a node carries 32 bits.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace engine {

struct SourceLine {
    std::string file;
    int line = 0;
    std::string function;
    std::string text; ///< the line itself, where known
};

/// A stack of lines, innermost user line first. TraceId::None: unknown.
enum class TraceId : std::uint32_t { None = 0 };

TraceId internTrace(std::vector<SourceLine> innermostFirst);
std::span<const SourceLine> traceLines(TraceId trace);
/// The innermost user line, or an empty one.
const SourceLine &sourceLine(TraceId trace);

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
