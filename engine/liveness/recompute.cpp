#include "engine/liveness/recompute.h"

#include "engine/liveness/least_peak.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <set>

namespace liveness {
namespace {

constexpr std::size_t kMostWork = 4'000'000; // works that are looked at, in all candidates together

// Where works stand, and who overwrites each state.
struct Course {
    std::vector<int> position;   // by work
    std::vector<int> overwriter; // by state: the work; -1: nobody
    std::vector<Span> spans;
    Usage usage;

    Course(const Task &task, std::span<const int> order)
        : position(task.works.size(), -1), overwriter(at(task.states), -1), spans(spansOf(task, order)), usage(usageOf(task, order, false))
    {
        for (std::size_t i = 0; i < order.size(); ++i) position[at(order[i])] = static_cast<int>(i);
        for (std::size_t i = 0; i < task.works.size(); ++i)
            for (int value : task.works[i].overwrites) overwriter[at(task.values[at(value)].state)] = static_cast<int>(i);
    }
};

/// The works that make what is needed of an array once more, and the values that they make again.
class Chain {
public:
    Chain(const Task &task, const Course &course, int position, std::size_t longest)
        : m_task(task), m_course(course), m_position(position), m_longest(longest)
    {}

    bool remake(int value, int givenUp)
    {
        m_givenUp = givenUp;
        std::vector<int> open{value};
        while (!open.empty()) {
            const int next = open.back();
            open.pop_back();
            const int maker = m_task.values[at(next)].maker;
            if (maker < 0 || !m_task.works[at(maker)].canRepeat) return false;
            if (!m_works.insert({m_course.position[at(maker)], maker}).second) continue;
            if (m_works.size() > m_longest) return false;
            const Work &work = m_task.works[at(maker)];
            for (int read : work.reads) {
                const bool overwritten = std::find(work.overwrites.begin(), work.overwrites.end(), read) != work.overwrites.end();
                if (overwritten || !isThere(read)) open.push_back(read);
            }
        }
        return true;
    }
    const std::set<std::pair<int, int>> &works() const { return m_works; } // by position

private:
    // Can it be read at the position, as it was?
    bool isThere(int value) const
    {
        const Value &read = m_task.values[at(value)];
        if (read.array == m_givenUp) return false;
        const int overwriter = m_course.overwriter[at(read.state)];
        if (overwriter >= 0 && m_course.position[at(overwriter)] < m_position) return false;
        if (m_task.arrays[at(read.array)].home != Home::Arena) return true;
        const bool isLive = m_course.spans[at(read.array)].to >= m_position;
        return isLive || read.maker < 0 || !m_task.works[at(read.maker)].canRepeat;
    }

    const Task &m_task;
    const Course &m_course;
    int m_position, m_givenUp = -1;
    std::size_t m_longest;
    std::set<std::pair<int, int>> m_works;
};

struct GivenUp {
    Schedule schedule;
    std::int64_t excess = 0;
    double cost = 0;
};

std::int64_t excessOver(const Usage &usage, std::int64_t limit)
{
    std::int64_t sum = 0;
    for (std::int64_t live : usage.live) sum += std::max<std::int64_t>(0, live - limit);
    return sum;
}

// Gives the array up between its last use before `peak` and its first one after.
std::optional<GivenUp> giveUp(const Schedule &from, const Course &course, int array, int peak, const ScheduleLimits &limits)
{
    const Task &task = from.task;
    std::vector<int> needed; // values
    int first = std::numeric_limits<int>::max();
    for (std::size_t i = 0; i < task.works.size(); ++i) {
        const int position = course.position[i];
        if (position <= peak) continue;
        for (int value : task.works[i].reads) {
            const Value &read = task.values[at(value)];
            if (read.array != array || (read.maker >= 0 && course.position[at(read.maker)] > peak)) continue;
            needed.push_back(value);
            first = std::min(first, position);
        }
    }
    if (needed.empty()) return std::nullopt;
    std::sort(needed.begin(), needed.end());
    needed.erase(std::unique(needed.begin(), needed.end()), needed.end());
    Chain chain(task, course, first, limits.longestChain);
    for (int value : needed)
        if (!chain.remake(value, array)) return std::nullopt;

    GivenUp result{from, 0, 0};
    const int round = from.repeats.empty() ? 0 : from.repeats.back().round + 1;
    Task &next = result.schedule.task;
    std::map<int, int> values, arrays, states; // as they are → as they are made again
    const auto renewed = [](std::map<int, int> &known, int old, auto make) {
        const auto [entry, isNew] = known.try_emplace(old, -1);
        if (isNew) entry->second = make();
        return entry->second;
    };
    std::vector<int> again;
    for (const auto &[position, number] : chain.works()) {
        const Work old = next.works[at(number)];
        Work work;
        const int made = static_cast<int>(next.works.size());
        const auto now = [&](int value) {
            const auto found = values.find(value);
            return found == values.end() ? value : found->second;
        };
        for (int value : old.reads) work.reads.push_back(now(value));
        for (int value : old.overwrites) {
            if (!values.contains(value)) return std::nullopt; // it would overwrite what others read
            work.overwrites.push_back(now(value));
        }
        for (int value : old.makes) {
            const Value before = next.values[at(value)];
            // What looks into memory that stays looks there again.
            bool looks = false;
            for (int read : old.reads) looks = looks || (next.values[at(read)].array == before.array && !values.contains(read));
            Value copy{before.array, before.state, made};
            if (!looks) {
                copy.array = renewed(arrays, before.array, [&] {
                    next.arrays.push_back({next.arrays[at(before.array)].bytes, Home::Arena});
                    return static_cast<int>(next.arrays.size()) - 1;
                });
                copy.state = renewed(states, before.state, [&] { return next.states++; });
            }
            next.values.push_back(copy);
            values[value] = static_cast<int>(next.values.size()) - 1;
            work.makes.push_back(values[value]);
        }
        work.after = old.after;
        work.cost = old.cost;
        work.canRepeat = old.canRepeat;
        next.works.push_back(std::move(work));
        again.push_back(made);
        result.schedule.repeats.push_back({number, made, round});
        result.cost += old.cost;
    }
    // Who comes after the peak reads what is made again.
    for (std::size_t i = 0; i < task.works.size(); ++i) {
        if (course.position[i] <= peak) continue;
        Work &work = next.works[i];
        for (std::vector<int> *list : {&work.reads, &work.overwrites})
            for (int &value : *list)
                if (std::binary_search(needed.begin(), needed.end(), value)) {
                    if (list == &work.reads) result.schedule.rewirings.push_back({static_cast<int>(i), round, value, values.at(value)});
                    value = values.at(value);
                }
    }
    // What later works look at or write over in that array lies in the new one.
    const auto moved = arrays.find(array);
    if (moved == arrays.end()) return std::nullopt;
    for (std::size_t v = 0; v < task.values.size(); ++v) {
        Value &value = next.values[v];
        if (value.array != array || value.maker < 0 || course.position[at(value.maker)] <= peak) continue;
        value.array = moved->second;
        if (const auto state = states.find(value.state); state != states.end()) value.state = state->second;
    }
    std::vector<int> &order = result.schedule.order;
    order.insert(order.begin() + first, again.begin(), again.end());
    if (!isValid(next, order)) return std::nullopt;
    result.schedule.usage = usageOf(next, order, false);
    result.schedule.cost += result.cost;
    return result;
}

// One array less at the position where most lives; false: none can be given up so that it helps.
bool giveUpBest(Schedule &schedule, std::int64_t limit, const ScheduleLimits &limits, std::size_t &evaluations)
{
    const Course course(schedule.task, schedule.order);
    const auto &live = course.usage.live;
    const int peak = static_cast<int>(std::max_element(live.begin(), live.end()) - live.begin());
    const std::int64_t excess = excessOver(course.usage, limit);
    // Small ones are not worth it, unless they are all that lacks.
    const std::int64_t smallest = std::min(course.usage.peak / 256, course.usage.peak - limit);
    std::vector<int> held;
    std::vector<char> inUse(schedule.task.arrays.size(), 0);
    const Work &running = schedule.task.works[at(schedule.order[at(peak)])];
    for (const std::vector<int> *values : {&running.reads, &running.makes})
        for (int value : *values) inUse[at(schedule.task.values[at(value)].array)] = 1;
    for (std::size_t i = 0; i < schedule.task.arrays.size(); ++i) {
        const Array &array = schedule.task.arrays[i];
        if (array.home == Home::Arena && array.bytes > 0 && array.bytes >= smallest && !inUse[i] && course.spans[i].from < peak &&
            course.spans[i].to > peak)
            held.push_back(static_cast<int>(i));
    }
    std::stable_sort(held.begin(), held.end(),
                     [&](int a, int b) { return schedule.task.arrays[at(a)].bytes > schedule.task.arrays[at(b)].bytes; });
    if (held.size() > limits.candidates) held.resize(limits.candidates);
    std::optional<GivenUp> best;
    double bestWorth = 0;
    for (int array : held) {
        if (evaluations == 0) break;
        --evaluations;
        std::optional<GivenUp> tried = giveUp(schedule, course, array, peak, limits);
        if (!tried) continue;
        tried->excess = excessOver(tried->schedule.usage, limit);
        if (tried->excess >= excess) continue;
        const double worth = static_cast<double>(excess - tried->excess) / (tried->cost + 1);
        if (best && worth <= bestWorth) continue;
        bestWorth = worth;
        best = std::move(tried);
    }
    if (!best) return false;
    schedule = std::move(best->schedule);
    schedule.usage = usageOf(schedule.task, schedule.order);
    return true;
}

} // namespace

Schedule fitBudget(const Task &task, std::span<const int> now, std::int64_t budget, const ScheduleLimits &limits)
{
    Schedule best;
    best.task = task;
    best.order.assign(now.begin(), now.end());
    best.usage = usageOf(task, now);
    if (best.usage.bytes() <= budget || !isValid(task, now)) return best;
    if (limits.reorders) {
        FoundOrder found = leastPeak(task, now);
        Usage usage = usageOf(task, found.order);
        best.isOrderLeast = found.isLeast;
        if (usage.bytes() < best.usage.bytes()) {
            best.order = std::move(found.order);
            best.usage = std::move(usage);
        }
    }
    Schedule current = best;
    std::size_t evaluations = kMostWork / (task.works.size() + 1) + 16;
    for (std::size_t round = 0; limits.repeats && best.usage.bytes() > budget && round < limits.rounds; ++round) {
        // Holes of the arena count, too; and where the budget is out of sight, the highest peak comes down step by step.
        const std::int64_t holes = current.usage.bytes() - current.usage.peak;
        const std::int64_t aim = std::max(budget - holes, current.usage.peak - current.usage.peak / 16 - 1);
        if (!giveUpBest(current, std::max<std::int64_t>(aim, 0), limits, evaluations)) break;
        if (current.usage.bytes() < best.usage.bytes()) best = current;
    }
    return best;
}

} // namespace liveness
