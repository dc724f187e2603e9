#include "engine/tensor/boxes.h"

namespace engine {

Boxes::Boxes(std::span<const std::int64_t> shape, std::int64_t most) : m_shape(shape), m_count(1)
{
    m_axis = shape.size() - 1;
    while (m_axis > 0 && m_inside * shape[m_axis] <= most) m_inside *= shape[m_axis--];
    const std::int64_t fit = std::max<std::int64_t>(most / m_inside, 1);
    m_runs = std::max<std::int64_t>((shape[m_axis] + fit - 1) / fit, 1);
    m_run = (shape[m_axis] + m_runs - 1) / m_runs;
    if (m_run > 0) m_runs = (shape[m_axis] + m_run - 1) / m_run;
    m_count = m_runs;
    for (std::size_t axis = 0; axis < m_axis; ++axis) m_count *= shape[axis];
}

BoxCursor::BoxCursor(const Boxes &boxes, std::span<const Dims> strides, char **pointers, std::int64_t first)
    : m_boxes(boxes), m_strides(strides), m_pointers(pointers)
{
    const std::size_t last = boxes.axis();
    m_counter[last] = first % boxes.runsPerAxis() * boxes.longestRun();
    first /= boxes.runsPerAxis();
    for (std::size_t axis = last; axis-- > 0; first /= boxes.shape()[axis]) m_counter[axis] = first % boxes.shape()[axis];
    for (std::size_t axis = 0; axis <= last; ++axis)
        if (m_counter[axis]) move(axis, m_counter[axis]);
    m_run = std::min(boxes.longestRun(), boxes.shape()[last] - m_counter[last]);
}

void BoxCursor::carry(std::size_t axis)
{
    while (true) {
        move(axis, -m_counter[axis]);
        m_counter[axis] = 0;
        if (axis-- == 0) return;
        move(axis, 1);
        if (++m_counter[axis] < m_boxes.shape()[axis]) return;
    }
}

} // namespace engine
