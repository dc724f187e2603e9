#include "engine/runtime/thunks/gather.h"

#include <utility>

namespace engine {

Gather::Gather(DType dtype, std::span<const std::int64_t> strides, const Boxes &boxes)
{
    const RtTable *rt = rt_table();
    m_load = rt->loads[rtDType(dtype)];
    m_loadRows = rt->loadRows[rtDType(dtype)];
    m_registerBytes = static_cast<std::int64_t>(registerBytes(registerKind(dtype)));
    const std::size_t outermost = boxes.axis();
    m_runRepeats = strides[outermost] == 0;
    m_isSame = m_runRepeats;
    for (std::size_t axis = 0; axis < outermost; ++axis) m_isSame &= strides[axis] == 0;

    // The outermost axis counts as one step here: each call says how many it takes.
    std::int64_t different = 1;
    for (std::size_t axis = outermost; axis < boxes.shape().size(); ++axis) {
        if (strides[axis] == 0) continue;
        const std::int64_t size = axis == outermost ? 1 : boxes.shape()[axis];
        different *= size;
        if (!m_loops.empty() && m_loops.back().stride == strides[axis] * size) m_loops.back() = {m_loops.back().size * size, strides[axis]};
        else m_loops.push_back({size, strides[axis]});
    }
    std::int64_t elements = 1; // of a row so far
    for (std::size_t axis = boxes.shape().size(); axis-- > outermost;) {
        const std::int64_t size = axis == outermost ? 1 : boxes.shape()[axis];
        if (strides[axis] != 0) {
            different /= size;
        } else if (!m_repeats.empty() && m_repeats.back().rowBytes * m_repeats.back().times == elements * m_registerBytes) {
            m_repeats.back().times *= size;
        } else {
            m_repeats.push_back({different, elements * m_registerBytes, size});
        }
        elements *= size;
    }
    const bool isEven = m_loops.empty() || (m_loops.size() == 1 && m_loops[0].stride == static_cast<std::int64_t>(sizeOf(dtype)));
    m_loads = !isNativeRegister(dtype) || !isEven;
    m_isDirect = !m_loads && m_repeats.empty();
}

void Gather::load(const char *from, std::int64_t run, char *to) const
{
    Loop loops[kMaxRank];
    const std::size_t count = m_loops.size();
    if (count == 0) return m_load(from, 0, to, 1);
    std::copy(m_loops.begin(), m_loops.end(), loops);
    if (!m_runRepeats) loops[0].size *= run;
    const Loop &inner = loops[count - 1];
    if (count == 1) return m_load(from, inner.stride, to, inner.size);
    const Loop &rows = loops[count - 2];
    const std::int64_t bytes = rows.size * inner.size * m_registerBytes;
    std::int64_t counter[kMaxRank] = {};
    while (true) {
        m_loadRows(from, rows.size, rows.stride, inner.size, inner.stride, to);
        to += bytes;
        std::size_t axis = count - 2;
        for (; axis > 0; --axis) {
            const Loop &loop = loops[axis - 1];
            from += loop.stride;
            if (++counter[axis - 1] < loop.size) break;
            from -= loop.stride * loop.size;
            counter[axis - 1] = 0;
        }
        if (axis == 0) return;
    }
}

void Gather::run(const char *from, std::int64_t run, char *to, char *spare) const
{
    // Each step reads what the one before has written; the last one writes to the block.
    const auto target = [&](std::size_t stepsAfter) { return stepsAfter % 2 ? spare : to; };
    const std::size_t repeats = m_repeats.size();
    if (m_loads) {
        load(from, run, target(repeats));
        from = target(repeats);
    }
    const RtRepeatRows repeatRows = rt_table()->repeatRows;
    for (std::size_t i = 0; i < repeats; ++i) {
        const Repeat &repeat = m_repeats[i];
        const bool isLonger = m_runRepeats && i + 1 == repeats;
        char *into = target(repeats - 1 - i);
        repeatRows(from, m_runRepeats ? repeat.rows : repeat.rows * run, repeat.rowBytes, isLonger ? repeat.times * run : repeat.times,
                   into);
        from = into;
    }
}

bool boxesAreContiguous(std::span<const std::int64_t> strides, std::size_t elementBytes, const Boxes &boxes)
{
    auto step = static_cast<std::int64_t>(elementBytes);
    for (std::size_t axis = strides.size(); axis-- > boxes.axis();) {
        if (strides[axis] != step) return false;
        step *= boxes.shape()[axis];
    }
    return true;
}

void scatter(const Boxes &boxes, RtStore store, const char *from, std::size_t registerBytes, char *to,
             std::span<const std::int64_t> strides, std::int64_t run)
{
    const std::size_t last = strides.size() - 1, outermost = boxes.axis();
    const auto sizeOfAxis = [&](std::size_t axis) { return axis == outermost ? run : boxes.shape()[axis]; };
    const std::int64_t n = sizeOfAxis(last);
    std::int64_t counter[kMaxRank] = {};
    while (true) {
        store(from, to, strides[last], n);
        from += n * static_cast<std::int64_t>(registerBytes);
        std::size_t axis = last;
        for (; axis > outermost; --axis) {
            to += strides[axis - 1];
            if (++counter[axis - 1] < sizeOfAxis(axis - 1)) break;
            to -= strides[axis - 1] * sizeOfAxis(axis - 1);
            counter[axis - 1] = 0;
        }
        if (axis == outermost) return;
    }
}

} // namespace engine
