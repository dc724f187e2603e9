#include "engine/runtime/row_pass.h"

#include "engine/compile/statistics.h"

#include <algorithm>
#include <unistd.h>

namespace engine {
namespace {

constexpr std::size_t kBlockBytes = 192 * 1024; // what the second reader of a block finds in the second cache
constexpr std::int64_t kRowsAtOnce = 8;         // the inner loops take eight rows: whole blocks keep their order of adding
constexpr std::int64_t kMostRows = 512;

std::size_t cacheBytes(int name, std::size_t otherwise)
{
    const long found = sysconf(name);
    return found > 0 ? static_cast<std::size_t>(found) : otherwise;
}

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
        pass->m_work.push_back(work);
        bytesPerRow = std::max(bytesPerRow, work->bytesPerRow());
    }
    if (bytesPerRow == 0) return nullptr;
    static const std::size_t first = cacheBytes(_SC_LEVEL1_DCACHE_SIZE, 32 * 1024), second = cacheBytes(_SC_LEVEL2_CACHE_SIZE, 1 << 20);
    const std::size_t bytes = static_cast<std::size_t>(pass->m_rows) * bytesPerRow;
    // The two vectors along the rows need their place, too.
    const std::size_t fitting = first * 3 / 4 / bytesPerRow;
    if (bytes > 8 * first && fitting > 2) pass->m_few = std::min(wholeGroups(fitting - 2), kMostRows);
    if (bytes > second) pass->m_many = std::clamp(wholeGroups(kBlockBytes / bytesPerRow + kRowsAtOnce / 2), kRowsAtOnce, kMostRows);
    if (pass->m_few == 0 && pass->m_many == 0) return nullptr;
    if (pass->m_many == 0) pass->m_many = pass->m_rows;
    return pass;
}

std::int64_t RowPass::block() const
{
    const bool few = m_few && std::all_of(m_work.begin(), m_work.end(), [](const RowWork *work) { return work->likesFewRows(); });
    return few ? m_few : m_many;
}

template <class Around>
void RowPass::walk(void *const *slots, Around around)
{
    for (std::size_t i = 0; i < m_work.size(); ++i) around(i, [&] { m_work[i]->beginRows(slots); });
    const std::int64_t most = block();
    for (std::int64_t first = 0; first < m_rows; first += most) {
        const std::int64_t count = std::min(most, m_rows - first);
        for (std::size_t i = 0; i < m_work.size(); ++i) around(i, [&] { m_work[i]->runRows(slots, first, count); });
    }
    for (std::size_t i = 0; i < m_work.size(); ++i) around(i, [&] { m_work[i]->endRows(slots); });
}

void RowPass::run(void *const *slots)
{
    walk(slots, [](std::size_t, auto work) { work(); });
}

void RowPass::run(void *const *slots, std::span<std::uint64_t> spent)
{
    std::uint64_t before = ticks();
    walk(slots, [&](std::size_t i, auto work) {
        work();
        const std::uint64_t after = ticks();
        spent[i] += after - before;
        before = after;
    });
}

} // namespace engine
