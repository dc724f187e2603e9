#include "engine/runtime/thunks/row_kernel_work.h"

#include "engine/runtime/plan/caches.h"
#include "engine/runtime/plan/statistics.h"
#include "engine/runtime/plan/threads.h"
#include "engine/runtime/thunks/elementwise_thunk.h"
#include "engine/scalar/registers.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <utility>

namespace engine {
namespace {

constexpr std::size_t kMostScratch = std::size_t(32) << 20; // of a thread
constexpr std::int64_t kPieceElements = 16384;              // that one thread takes at a time
constexpr int kTrialRuns = 6;                               // kernel and parts by turns
constexpr std::int64_t kTrialElements = 65536;              // fewer lie close by in any case

int lanesFor(std::int64_t columns) { return columns >= 1024 ? 64 : columns >= 128 ? 32 : 16; }

// Does the second cache have too few places for so many elements with this step between them?
bool getsInItsOwnWay(std::int64_t step, std::int64_t count)
{
    constexpr std::size_t kWays = 16, kUsed = kWays / 2;
    const std::size_t way = secondCacheBytes() / kWays;
    return static_cast<std::size_t>(count) > kUsed * way / std::gcd(static_cast<std::size_t>(std::abs(step)), way);
}

} // namespace

bool RowKernelWork::paysAlone(const Thunk *thunk)
{
    const std::optional<RowParts> parts = rowPartsOf(thunk);
    return parts && parts->isAlone;
}

std::unique_ptr<RowKernelWork> RowKernelWork::of(std::span<const RowMember> members)
{
    auto work = std::make_unique<RowKernelWork>();
    if (!work->collect(members)) return nullptr;
    const bool isWritten = work->m_axes.areColumns() ? work->writeForColumns() : work->writeForRows();
    return isWritten ? std::move(work) : nullptr;
}

// What a kernel does once for each row against the passes over memory that it saves. The parts take several short rows at once. In
// hundredths of a nanosecond, fitted to rows of 16 to 128 elements on AVX2 and AVX-512.
bool RowKernelWork::outrunsItsParts(const RowKernelText &text) const
{
    constexpr std::int64_t kLongEnough = 128, kWholeLanes = 16;
    if (m_thunks.size() == 1 || m_columns * m_pieces >= kLongEnough) return true;
    const bool writesRows =
        std::any_of(m_program.outputs.begin(), m_program.outputs.end(), [](const auto &output) { return output.isRow; });
    const std::int64_t rest = m_columns % kWholeLanes != 0 ? 100 * text.combined : 0;
    const std::int64_t eachRow = 500 * text.combined - 350 + rest + 800 * text.numberCalls;
    return m_columns * (writesRows ? 12 : 3) >= eachRow;
}

bool RowKernelWork::writeForRows()
{
    for (std::size_t i = 0; i < m_program.inputs.size(); ++i)
        if (m_program.inputs[i].isRow && getsInItsOwnWay(m_operands[i].lie.apart, m_pieces)) return false;
    auto text = rowKernel(m_program, lanesFor(m_columns));
    if (!text || !outrunsItsParts(*text) || static_cast<std::size_t>(text->buffers) * bufferBytes() > kMostScratch) return false;
    m_text = std::move(*text);
    return true;
}

// Where a strip of them leaves most of the second cache to what goes by: narrower strips, and higher ones, take longer than the parts do.
bool RowKernelWork::writeForColumns()
{
    std::size_t bytes = 0; // of what is read several times, an element
    for (std::size_t i = 0; i < m_program.inputs.size(); ++i) {
        RowProgram::Input &input = m_program.inputs[i];
        if (!input.isRow || input.isSame) continue;
        input.isCopied = getsInItsOwnWay(m_operands[i].lie.along, m_columns);
        bytes += input.isCopied ? 0 : sizeOf(input.dtype);
    }
    for (std::size_t o = 0; o < m_program.outputs.size(); ++o) {
        RowProgram::Output &output = m_program.outputs[o];
        output.isCrowded = output.isRow && getsInItsOwnWay(m_operands[m_program.inputs.size() + o].lie.along, m_columns);
    }
    auto text = columnKernel(m_program, kStripOfColumns);
    if (!text || text->stages < 2) return false;
    if (static_cast<std::size_t>(m_columns * kStripOfColumns) * (bytes + text->elementBytes) > secondCacheBytes() * 3 / 8) return false;
    m_text = std::move(*text);
    return true;
}

std::size_t RowKernelWork::bufferBytes() const
{
    return m_axes.areColumns() ? columnBufferBytes(m_columns, kStripOfColumns) : rowBufferBytes(m_columns, m_pieces);
}

void RowKernelWork::adopt(KernelFunction function, const RtLoop *math)
{
    m_kernel = function;
    m_math = math;
    const bool isTried = m_axes.areColumns() && m_rows * m_columns >= kTrialElements;
    m_trial = isTried ? Trial{kTrialRuns, UINT64_MAX, UINT64_MAX} : Trial();
}

void RowKernelWork::tookTicks(bool wasKernel, std::uint64_t took)
{
    if (m_trial.left == 0) return;
    --m_trial.left;
    std::uint64_t &least = wasKernel ? m_trial.kernel : m_trial.members;
    least = std::min(least, took);
}

bool RowKernelWork::standsApart(Slots slots) const
{
    return std::all_of(m_overwritten.begin(), m_overwritten.end(),
                       [&](const Overwritten &pair) { return slots[pair.output] == slots[pair.input]; });
}

bool RowKernelWork::isInRows(const Places &places, Slots slots) const
{
    const auto *at = static_cast<const char *>(slots[places.operand.slot]);
    const std::int64_t count = places.operand.lie.step == 0 ? 1 : m_rows, lowest = places.countsFromEnd ? -m_columns : 0;
    const auto check = [&]<class T>(T) {
        bool isIn = true;
        for (std::int64_t r = 0; r < count; ++r) {
            const auto place = static_cast<std::int64_t>(*reinterpret_cast<const T *>(at + r * places.operand.lie.step));
            isIn &= place >= lowest && place < m_columns;
        }
        return isIn;
    };
    switch (places.dtype) {
    case DType::Int8: return check(std::int8_t());
    case DType::Int16: return check(std::int16_t());
    case DType::Int32: return check(std::int32_t());
    case DType::Int64: return check(std::int64_t());
    case DType::UInt8: return check(std::uint8_t());
    case DType::UInt16: return check(std::uint16_t());
    case DType::UInt32: return check(std::uint32_t());
    default: return false;
    }
}

bool RowKernelWork::kernelCan(Slots slots) const
{
    return m_kernel && standsApart(slots) &&
           std::all_of(m_places.begin(), m_places.end(), [&](const Places &places) { return isInRows(places, slots); });
}

void RowKernelWork::runKernel(Slots slots) const
{
    const std::size_t count = m_operands.size();
    const auto part = [&](std::int64_t first, std::int64_t end) {
        constexpr std::size_t kLocal = 64;
        void *local[kLocal];
        std::vector<void *> many(count + 2 > kLocal ? count + 2 : 0);
        void **operands = many.empty() ? local : many.data();
        for (std::size_t i = 0; i < count; ++i)
            operands[i] = static_cast<char *>(slots[m_operands[i].slot]) + first * m_operands[i].lie.step;
        operands[count] = const_cast<std::int64_t *>(m_steps.data());
        operands[count + 1] = threadScratch(static_cast<std::size_t>(m_text.buffers) * bufferBytes() + 64);
        m_kernel(operands, m_math, end - first);
    };
    const std::int64_t ofRow = m_columns * m_pieces;
    if (m_rows * ofRow >= sharedElements())
        sharePieces(m_rows, pieceFor(m_rows, atOnce(), std::max<std::int64_t>(atOnce(), kPieceElements / ofRow)), part);
    else part(0, m_rows);
}

void RowKernelWork::runMembers(Slots slots, std::span<std::uint64_t> spent) const
{
    for (std::size_t i = 0; i < m_thunks.size(); ++i) {
        if (!m_thunks[i]) continue;
        const std::uint64_t before = spent.empty() ? 0 : ticks();
        m_thunks[i]->run(slots);
        if (!spent.empty()) spent[i] += ticks() - before;
    }
}

void RowKernelWork::run(Slots slots) { run(slots, {}); }

void RowKernelWork::run(Slots slots, std::span<std::uint64_t> spent)
{
    if (!kernelCan(slots)) return runMembers(slots, spent);
    const bool byKernel = prefersKernel();
    const std::uint64_t start = m_trial.left > 0 || !spent.empty() ? ticks() : 0;
    if (byKernel) runKernel(slots);
    else runMembers(slots, spent);
    if (start == 0) return;
    const std::uint64_t took = ticks() - start;
    tookTicks(byKernel, took);
    for (std::size_t i = 0; byKernel && i < spent.size(); ++i)
        spent[i] += static_cast<std::uint64_t>(static_cast<double>(took) * m_shares[i]);
}

} // namespace engine
