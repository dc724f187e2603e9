#pragma once

#include "profiler/stats/advice/memory_choices.h"
#include "views/common/text_table.h"
#include "views/session/session_data.h"

#include <QString>

#include <memory>
#include <optional>

namespace views {

/// What the memory of a function could be, with the words of it. Takes a while to make for a large function: in another thread.
struct ChoicesRows {
    ChoicesRows(std::shared_ptr<const SessionData> session, profiler::FunctionId function);

    /// A plan that takes no more, or the least that was found. Any thread.
    profiler::MemoryAlternative within(std::int64_t budget) const { return profiler::planForBudget(choices, budget); }

    std::shared_ptr<const SessionData> session; ///< what `choices` looks into
    profiler::FunctionId function;
    profiler::MemoryChoices choices;

    std::int64_t now() const { return choices.all.front().bytes; }
    /// What the bars are drawn against: what takes many times as much as it is would leave no room for what is asked.
    std::int64_t scale() const;
    /// What a run measured of it; none: nobody looked.
    std::optional<std::int64_t> measured(const profiler::MemoryAlternative &one) const;
    QString name(const profiler::MemoryAlternative &one) const;
    /// "3.1 MB measured, 0.4% apart"; empty where nobody looked.
    QString measuredText(const profiler::MemoryAlternative &one) const;
    QString tip(const profiler::MemoryAlternative &one) const;
    QString nameOf(const profiler::RepeatedApply &repeat) const;
    /// What keeps the budget, in a sentence.
    QString sentence(const profiler::MemoryAlternative &plan, std::int64_t budget) const;
    bool fits(const profiler::MemoryAlternative &plan, std::int64_t budget) const { return plan.bytes <= budget; }
    /// The alternatives, and what the plan within the budget computes again. A row's key is its alternative; of what is computed again the
    /// apply behind kRepeats.
    TextTable table(const profiler::MemoryAlternative *plan) const;

    static constexpr std::int64_t kRepeats = 1'000'000'000;
};

} // namespace views
