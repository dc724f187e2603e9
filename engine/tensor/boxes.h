// A nest of loops over short rows, cut into boxes: a run of one axis with all that lies inside it. Nothing has to be counted
// within a box, so what an operand holds there is gathered, and what is made there is combined, in a few plain loops.
#pragma once

#include "engine/tensor/dims.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

namespace engine {

class Boxes {
public:
    Boxes() = default;
    /// Boxes of at most `most` elements, all about as large.
    Boxes(std::span<const std::int64_t> shape, std::int64_t most);

    /// Sizes of all axes; boxes take runs of axis().
    const Dims &shape() const { return m_shape; }
    std::size_t axis() const { return m_axis; }
    std::int64_t longestRun() const { return m_run; }
    std::int64_t elements() const { return m_run * m_inside; }
    /// Elements for each step of a run.
    std::int64_t inside() const { return m_inside; }
    std::int64_t runsPerAxis() const { return m_runs; }
    std::int64_t count() const { return m_count; }

private:
    Dims m_shape;
    std::size_t m_axis = 0;
    std::int64_t m_run = 1, m_inside = 1, m_runs = 1, m_count = 0;
};

/// Steps from box to box, with one pointer per operand.
class BoxCursor {
public:
    /// Begins at box `first`; `pointers` are at the first element of all, `strides` in bytes.
    BoxCursor(const Boxes &boxes, std::span<const Dims> strides, char **pointers, std::int64_t first);

    std::int64_t run() const { return m_run; }
    void next()
    {
        const std::size_t last = m_boxes.axis();
        move(last, m_run);
        m_counter[last] += m_run;
        if (m_counter[last] == m_boxes.shape()[last]) carry(last);
        m_run = std::min(m_boxes.longestRun(), m_boxes.shape()[last] - m_counter[last]);
    }

private:
    void move(std::size_t axis, std::int64_t steps)
    {
        for (std::size_t o = 0; o < m_strides.size(); ++o) m_pointers[o] += m_strides[o][axis] * steps;
    }
    void carry(std::size_t axis);

    const Boxes &m_boxes;
    std::span<const Dims> m_strides;
    char **m_pointers;
    std::int64_t m_run = 1;
    std::int64_t m_counter[kMaxRank] = {};
};

} // namespace engine
