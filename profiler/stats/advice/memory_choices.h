#pragma once
// Of a session: what the memory of a call of a function could be.

#include "profiler/memory/alternatives.h"
#include "profiler/stats/times/profile_data.h"

#include <string>
#include <vector>

namespace profiler {

struct MemoryChoices {
    std::string whyNone; // a sentence; empty: there are some
    PlanInfo plan;
    std::vector<MemoryAlternative> all; // as it is first
    PlanFacts facts;                    // looks into `buffers` and the data that it was made of
    std::vector<BufferRow> buffers;
    BesideArrays beside;
    std::vector<std::pair<std::string, std::int64_t>> otherDevices; // arrays that lie there at once, as planned; not in the numbers

    MemoryChoices() = default;
    MemoryChoices(const MemoryChoices &) = delete;
    MemoryChoices &operator=(const MemoryChoices &) = delete;
    MemoryChoices(MemoryChoices &&) = default;
    MemoryChoices &operator=(MemoryChoices &&) = default;
};

// Of the plan that the function used most. `data` has to live as long as budgets are asked for.
[[nodiscard]] MemoryChoices memoryChoices(const ProfileData &data, FunctionId function);
MemoryChoices memoryChoices(ProfileData &&data, FunctionId function) = delete;
[[nodiscard]] MemoryAlternative planForBudget(const MemoryChoices &choices, std::int64_t budget);

// What a script asks for by name stays float64 whatever floatX says: then no flag makes float32 of it.
void readScript(MemoryChoices &choices, const std::string &text);

// "200MB", "1.5 GiB", "4096": bytes; kB, MB and GB count by 1000, as the reports do; KiB by 1024. -1: no size.
[[nodiscard]] std::int64_t bytesNamed(const std::string &text);

} // namespace profiler
