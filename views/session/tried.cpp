#include "views/session/tried.h"

#include "profiler/session/store/reader.h"
#include "profiler/session/store/trials.h"
#include "views/common/text.h"

#include <algorithm>

namespace views {

Tried::Tried(const SessionData &session)
{
    if (!session.isRecorded() || session.info.state == profiler::SessionState::Running) return;
    try {
        const auto reader = profiler::SessionReader::open(session.info.path);
        captured = reader->capturedFunctions();
        worth = profiler::worthTables(reader->ablations());
        along = profiler::alongTables(reader->alongSteps());
        verified = profiler::verifiedRuns(session.info.path);
    } catch (const profiler::SessionError &) {
        // The file has gone meanwhile: what was read of it is shown, and nothing more can be tried.
    }
}

bool Tried::canRunAgain(profiler::FunctionId function, QString *why) const
{
    const auto found = std::ranges::find(captured, function, &profiler::CapturedFunction::function);
    const bool can = found != captured.end() && found->problem.empty();
    if (!can && why) *why = found != captured.end() ? views::text(found->problem) : tr("This recording kept no values of its calls");
    return can;
}

const profiler::WorthTable *Tried::worthOf(profiler::FunctionId function, const std::string &by) const
{
    const profiler::WorthTable *found = nullptr;
    for (const profiler::WorthTable &table : worth)
        if (table.function == function && table.by == by) found = &table;
    return found;
}

const profiler::AlongTable *Tried::alongOf(profiler::FunctionId function) const
{
    const profiler::AlongTable *found = nullptr;
    for (const profiler::AlongTable &table : along)
        if (table.function == function) found = &table;
    return found;
}

const profiler::VerifiedRow *Tried::verifiedOf(profiler::FunctionId function, const std::string &flags) const
{
    const auto found =
        std::ranges::find_if(verified, [&](const profiler::VerifiedRow &row) { return row.function == function && row.flags == flags; });
    return found == verified.end() ? nullptr : &*found;
}

} // namespace views
