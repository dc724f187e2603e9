#include "engine/liveness/task.h"

#include "engine/liveness/placement.h"

#include <algorithm>

namespace liveness {
std::vector<std::vector<int>> worksBefore(const Task &task)
{
    std::vector<std::vector<int>> readersOfState(at(task.states));
    for (std::size_t i = 0; i < task.works.size(); ++i)
        for (int value : task.works[i].reads) readersOfState[at(task.values[at(value)].state)].push_back(static_cast<int>(i));
    std::vector<std::vector<int>> before(task.works.size());
    for (std::size_t i = 0; i < task.works.size(); ++i) {
        const Work &work = task.works[i];
        std::vector<int> &list = before[i];
        list = work.after;
        for (int value : work.reads)
            if (const int maker = task.values[at(value)].maker; maker >= 0) list.push_back(maker);
        for (int value : work.overwrites) {
            const std::vector<int> &readers = readersOfState[at(task.values[at(value)].state)];
            list.insert(list.end(), readers.begin(), readers.end());
        }
        std::sort(list.begin(), list.end());
        list.erase(std::unique(list.begin(), list.end()), list.end());
        std::erase(list, static_cast<int>(i));
    }
    return before;
}

bool isValid(const Task &task, std::span<const int> order)
{
    if (order.size() != task.works.size()) return false;
    std::vector<char> done(task.works.size(), 0), gone(at(task.states), 0);
    for (int index : order) {
        if (index < 0 || at(index) >= done.size() || done[at(index)]) return false;
        const Work &work = task.works[at(index)];
        for (int value : work.reads) {
            const Value &read = task.values[at(value)];
            if (read.maker >= 0 && read.maker != index && !done[at(read.maker)]) return false;
            if (gone[at(read.state)] && !(read.maker == index)) return false;
        }
        for (int earlier : work.after)
            if (!done[at(earlier)]) return false;
        for (int value : work.overwrites) gone[at(task.values[at(value)].state)] = 1;
        done[at(index)] = 1;
    }
    return true;
}

std::vector<Span> spansOf(const Task &task, std::span<const int> order)
{
    std::vector<Span> spans(task.arrays.size());
    for (std::size_t position = 0; position < order.size(); ++position) {
        const Work &work = task.works[at(order[position])];
        for (const std::vector<int> *values : {&work.reads, &work.makes})
            for (int value : *values) {
                Span &span = spans[at(task.values[at(value)].array)];
                if (span.from > span.to) span.from = static_cast<int>(position);
                span.to = static_cast<int>(position);
            }
    }
    return spans;
}

Usage usageOf(const Task &task, std::span<const int> order, bool laysOut)
{
    Usage usage;
    const std::vector<Span> spans = spansOf(task, order);
    std::vector<std::pair<Life, std::size_t>> lives;
    for (std::size_t i = 0; i < task.arrays.size(); ++i) {
        const Array &array = task.arrays[i];
        if (spans[i].from > spans[i].to) continue;
        if (array.home == Home::Whole) usage.whole += array.bytes;
        if (array.home == Home::Arena) lives.push_back({{at(spans[i].from), at(spans[i].to), static_cast<std::size_t>(array.bytes)}, i});
    }
    std::stable_sort(lives.begin(), lives.end(), [](const auto &a, const auto &b) { return a.first.from < b.first.from; });
    std::vector<Life> only;
    std::vector<std::int64_t> change(order.size() + 1, 0);
    for (const auto &[life, index] : lives) {
        only.push_back(life);
        change[life.from] += task.arrays[index].bytes;
        change[life.to + 1] -= task.arrays[index].bytes;
    }
    std::int64_t live = usage.whole;
    usage.peak = live;
    for (std::size_t position = 0; position < order.size(); ++position) {
        live += change[position];
        usage.live.push_back(live);
        usage.peak = std::max(usage.peak, live);
    }
    usage.arena = laysOut ? static_cast<std::int64_t>(place(only).bytes) : usage.peak - usage.whole;
    return usage;
}

} // namespace liveness
