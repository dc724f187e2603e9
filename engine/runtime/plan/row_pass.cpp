#include "engine/runtime/plan/row_pass.h"

#include "engine/runtime/plan/caches.h"
#include "engine/runtime/plan/statistics.h"
#include "engine/runtime/plan/threads.h"
#include "engine/tensor/interrupt.h"

#include <algorithm>
#include <mutex>

namespace engine {
namespace {

constexpr std::size_t kBlockBytes = 192 * 1024; // what the second reader of a block finds in the second cache
constexpr std::int64_t kRowsAtOnce = 8;         // the inner loops take eight rows: whole blocks keep their order of adding
constexpr std::int64_t kMostRows = 512;

// Looking at the clock around every block costs a tenth of a pass: few calls find out how its time is divided.
constexpr std::uint64_t kFirstCalls = 4, kDividedOneIn = 128;

std::int64_t wholeGroups(std::size_t rows) { return static_cast<std::int64_t>(rows) / kRowsAtOnce * kRowsAtOnce; }

} // namespace

std::unique_ptr<RowPass> RowPass::of(std::span<Thunk *const> thunks)
{
    auto pass = std::make_unique<RowPass>();
    std::size_t bytesPerRow = 0;
    for (Thunk *thunk : thunks) {
        RowWork *work = thunk ? thunk->byRows() : nullptr;
        if (!work || (!pass->m_work.empty() && work->rows() != pass->m_rows)) return nullptr;
        pass->m_rows = work->rows();
        if (const std::int64_t part = work->rowsOfPart(); part > 1) {
            if (pass->m_part > 1 && pass->m_part != part) return nullptr;
            pass->m_part = part;
        }
        pass->m_work.push_back(work);
        bytesPerRow = std::max(bytesPerRow, work->bytesPerRow());
    }
    if (bytesPerRow == 0) return nullptr;
    const std::size_t first = firstCacheBytes(), second = secondCacheBytes();
    const std::size_t bytes = static_cast<std::size_t>(pass->m_rows) * bytesPerRow;
    // The two vectors along the rows need their place, too.
    const std::size_t fitting = first * 3 / 4 / bytesPerRow;
    if (bytes > 8 * first && fitting > 2) pass->m_few = std::min(wholeGroups(fitting - 2), kMostRows);
    if (bytes > second) pass->m_many = std::clamp(wholeGroups(kBlockBytes / bytesPerRow + kRowsAtOnce / 2), kRowsAtOnce, kMostRows);
    if (pass->m_few == 0 && pass->m_many == 0) return nullptr;
    if (pass->m_many == 0) pass->m_many = pass->m_rows;
    pass->m_isLarge = static_cast<std::int64_t>(bytes) >= kSharedBytes;
    for (RowWork *work : pass->m_work) work->joinPass();
    return pass;
}

std::int64_t RowPass::block() const
{
    const bool few = m_few && std::all_of(m_work.begin(), m_work.end(), [](const RowWork *work) { return work->likesFewRows(); });
    return few ? m_few : m_many;
}

template <class Around>
void RowPass::walk(Slots slots, std::int64_t first, std::int64_t end, Around around) const
{
    const std::int64_t most = block();
    for (; first < end; first += most) {
        checkInterrupt();
        const std::int64_t count = std::min(most, end - first);
        for (std::size_t i = 0; i < m_work.size(); ++i) around(i, [&] { m_work[i]->runRows(slots, first, count); });
    }
}

// Threads take parts of the rows, all thunks on each; run(first, end).
template <class Run>
void RowPass::share(Run run) const
{
    if (m_isLarge && m_part > 1 && canShare()) sharePieces(m_rows, m_part, run);
    else run(std::int64_t(0), m_rows);
}

void RowPass::run(Slots slots)
{
    for (RowWork *work : m_work) work->beginRows(slots);
    share([&](std::int64_t first, std::int64_t end) { walk(slots, first, end, [](std::size_t, auto work) { work(); }); });
    for (RowWork *work : m_work) work->endRows(slots);
}

void RowPass::run(Slots slots, std::span<std::uint64_t> spent)
{
    const bool divides = m_shares.empty() || m_timedCalls < kFirstCalls || m_timedCalls % kDividedOneIn == 0;
    ++m_timedCalls;
    const std::uint64_t start = ticks();
    if (divides) measureShares(slots);
    else run(slots);
    const auto took = static_cast<double>(ticks() - start);
    for (std::size_t i = 0; i < spent.size(); ++i) spent[i] += static_cast<std::uint64_t>(took * m_shares[i]);
}

void RowPass::measureShares(Slots slots)
{
    std::vector<std::uint64_t> busy(m_work.size(), 0); // on all threads together
    std::mutex mutex;                                  // guards `busy`
    const auto timed = [](std::uint64_t &spent, auto work) {
        const std::uint64_t before = ticks();
        work();
        spent += ticks() - before;
    };
    for (std::size_t i = 0; i < m_work.size(); ++i) timed(busy[i], [&] { m_work[i]->beginRows(slots); });
    share([&](std::int64_t first, std::int64_t end) {
        std::vector<std::uint64_t> own(m_work.size(), 0);
        walk(slots, first, end, [&](std::size_t i, auto work) { timed(own[i], work); });
        std::lock_guard lock(mutex);
        for (std::size_t i = 0; i < own.size(); ++i) busy[i] += own[i];
    });
    for (std::size_t i = 0; i < m_work.size(); ++i) timed(busy[i], [&] { m_work[i]->endRows(slots); });
    std::uint64_t all = 0;
    for (const std::uint64_t one : busy) all += one;
    m_shares.assign(m_work.size(), 1.0 / static_cast<double>(m_work.size()));
    for (std::size_t i = 0; i < busy.size() && all > 0; ++i) m_shares[i] = static_cast<double>(busy[i]) / static_cast<double>(all);
}

} // namespace engine
