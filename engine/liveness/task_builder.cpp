#include "engine/liveness/task_builder.h"

#include <algorithm>

namespace liveness {
int TaskBuilder::addArray(std::int64_t bytes, Home home)
{
    m_task.arrays.push_back({bytes, home});
    return static_cast<int>(m_task.arrays.size()) - 1;
}

int TaskBuilder::addValue(std::uint32_t variable, int array, int state, int maker, std::uint32_t root)
{
    m_task.values.push_back({array, state, maker});
    m_roots.push_back(root);
    const int value = static_cast<int>(m_task.values.size()) - 1;
    m_values[variable] = value;
    return value;
}

void TaskBuilder::given(std::uint32_t variable)
{
    if (!m_values.contains(variable)) addValue(variable, addArray(0, Home::Given), m_task.states++, -1, variable);
}

int TaskBuilder::valueOf(std::uint32_t variable) const
{
    const auto found = m_values.find(variable);
    return found == m_values.end() ? -1 : found->second;
}

void TaskBuilder::add(std::span<const std::uint32_t> reads, std::span<const Made> makes, double cost, bool canRepeat)
{
    const bool joins = m_joins && !m_task.works.empty();
    m_joins = false;
    if (!joins) m_task.works.emplace_back();
    const int number = static_cast<int>(m_task.works.size()) - 1;
    Work work;
    for (std::uint32_t variable : reads) {
        given(variable);
        work.reads.push_back(m_values.at(variable));
    }
    for (const Made &made : makes) {
        // What it reads of the memory that it shares in the plan.
        std::vector<int> shared;
        for (int value : work.reads)
            if (m_roots[at(value)] == made.root) shared.push_back(value);
        const bool isView = made.sharing == Sharing::View && m_whatIf.views,
                   isInplace = made.sharing == Sharing::Inplace && m_whatIf.inplace;
        int array = -1, state = -1;
        if (!shared.empty() && (isView || isInplace)) {
            const Value &base = m_task.values[at(shared.back())];
            array = base.array;
            state = isView ? base.state : m_task.states++;
            if (isInplace)
                for (int value : shared)
                    if (m_task.values[at(value)].array == array) work.overwrites.push_back(value);
        } else {
            array = addArray(made.isCounted ? made.bytes : 0, made.isCounted ? Home::Arena : Home::Given);
            state = m_task.states++;
        }
        // Left out sharing: whoever looks into it later finds it by the memory of the plan.
        work.makes.push_back(addValue(made.variable, array, state, number, made.root));
    }
    Work &whole = m_task.works.back();
    const auto append = [](std::vector<int> &to, const std::vector<int> &from) { to.insert(to.end(), from.begin(), from.end()); };
    append(whole.reads, work.reads);
    append(whole.makes, work.makes);
    append(whole.overwrites, work.overwrites);
    whole.cost += cost;
    whole.canRepeat = !joins && canRepeat;
}

void TaskBuilder::needs(std::uint32_t variable)
{
    if (const int value = valueOf(variable); value >= 0 && !m_task.works.empty())
        if (const int maker = m_task.values[at(value)].maker; maker >= 0 && maker + 1 != static_cast<int>(m_task.works.size()))
            m_task.works.back().after.push_back(maker);
}

void TaskBuilder::returns(std::uint32_t variable)
{
    if (const int value = valueOf(variable); value >= 0)
        if (Array &array = m_task.arrays[at(m_task.values[at(value)].array)]; array.home == Home::Arena) array.home = Home::Whole;
}

} // namespace liveness
