// A group of thunks that goes over the rows of a matrix once: each block of rows is worked on by all while it is in the cache.
#pragma once

#include "engine/runtime/plan/grouped_work.h"
#include "engine/runtime/thunks/thunk.h"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace engine {

class RowPass final : public GroupedWork {
public:
    /// Nothing if the thunks cannot go by rows, do not have the same rows, or gain nothing by it. The thunks outlive it.
    static std::unique_ptr<RowPass> of(std::span<Thunk *const> thunks);

    void run(Slots slots) override;
    /// The same, and adds the ticks of each thunk to `spent`: those of the pass, divided as some of the calls measure it.
    void run(Slots slots, std::span<std::uint64_t> spent) override;

private:
    std::int64_t block() const;
    template <class Around>
    void walk(Slots slots, std::int64_t first, std::int64_t end, Around around) const;
    template <class Run>
    void share(Run run) const;
    /// Runs, and finds out which part of the time each thunk takes.
    void measureShares(Slots slots);

    std::vector<RowWork *> m_work;
    std::int64_t m_rows = 0;
    std::int64_t m_few = 0;  // rows that stay in the first cache; 0: too few, or nothing gained
    std::int64_t m_many = 0; // rows of a block where that is not the way
    std::int64_t m_part = 1; // rows that a thread takes
    bool m_isLarge = false;  // enough for several threads
    std::uint64_t m_timedCalls = 0;
    std::vector<double> m_shares; // of the time, as last measured
};

} // namespace engine
