#include "engine/runtime/row_pass.h"

#include "engine/compile/statistics.h"

#include <algorithm>
#include <unistd.h>

namespace engine {
namespace {

constexpr std::size_t kBlockBytes = 192 * 1024; // what the second reader of a block finds close by
constexpr std::int64_t kRowsAtOnce = 8;         // the inner loops take eight rows: whole blocks keep their order of adding
constexpr std::int64_t kMostRows = 512;

// A matrix that fits in here is read twice as fast as it is read in blocks (measured).
std::size_t cacheBytes()
{
    static const std::size_t bytes = [] {
        const long found = sysconf(_SC_LEVEL2_CACHE_SIZE);
        return found > 0 ? static_cast<std::size_t>(found) : std::size_t(1) << 20;
    }();
    return bytes;
}

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
    if (bytesPerRow == 0 || static_cast<std::size_t>(pass->m_rows) * bytesPerRow <= cacheBytes()) return nullptr;
    const auto fitting = static_cast<std::int64_t>(kBlockBytes / bytesPerRow + kRowsAtOnce / 2) / kRowsAtOnce * kRowsAtOnce;
    pass->m_block = std::clamp(fitting, kRowsAtOnce, kMostRows);
    return pass;
}

template <class Around>
void RowPass::walk(void *const *slots, Around around)
{
    for (std::size_t i = 0; i < m_work.size(); ++i) around(i, [&] { m_work[i]->beginRows(slots); });
    for (std::int64_t first = 0; first < m_rows; first += m_block) {
        const std::int64_t count = std::min(m_block, m_rows - first);
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
