#pragma once

#include "profiler/stats/times/call_memory.h"
#include "views/common/text_table.h"
#include "views/session/session_data.h"

#include <QString>

namespace views {

/// Planned and measured memory of a session with its words. Immutable; made in the reading thread.
struct MemoryRows {
    explicit MemoryRows(const SessionData &session);

    struct OfFunction {
        profiler::CallMemory memory;
        std::vector<QString> names;     ///< of each lifetime: the variable or what makes it
        std::vector<QString> positions; ///< op at each position
        QString function;
    };
    std::map<profiler::FunctionId, OfFunction> functions;
    std::vector<profiler::MemoryEvent> events; ///< in time
    std::int64_t highest = 0;                  ///< of the events
    std::int64_t highestNs = 0;                ///< when

    const OfFunction *of(const profiler::FunctionInfo *function) const;

    static QString kindText(profiler::BufferKind kind);
    static QString tip(const OfFunction &function, std::size_t lifetime);
    static QString caption(const OfFunction &function);
    QString overTimeCaption() const;
    /// A row's key is its lifetime.
    static TextTable table(const OfFunction &function);
    TextTable overTimeTable() const;
};

} // namespace views
