#include "engine/liveness/least_peak.h"

#include <algorithm>
#include <queue>
#include <unordered_map>
#include <unordered_set>

namespace liveness {
namespace {

constexpr std::size_t kMostExact = 64;  // a state is a set of works in one word
constexpr std::size_t kMostLooks = 128; // ready works that a partial order looks at
constexpr std::size_t kBeamWork = 40'000'000;

// The task as an order search sees it: bytes come with the first work that touches an array and go with the last.
struct Search {
    std::vector<std::int64_t> bytes;            // by array of the arena
    std::vector<std::vector<int>> touches;      // by work: arrays, each once
    std::vector<std::vector<int>> makes;        // by work: arrays that begin with it
    std::vector<std::uint32_t> users;           // by array: works that touch it
    std::vector<std::vector<int>> before, next; // by work

    explicit Search(const Task &task)
        : touches(task.works.size()), makes(task.works.size()), before(worksBefore(task)), next(task.works.size())
    {
        std::vector<int> numbers(task.arrays.size(), -1);
        std::vector<char> begun(task.arrays.size(), 0);
        for (std::size_t i = 0; i < task.arrays.size(); ++i)
            if (task.arrays[i].home == Home::Arena && task.arrays[i].bytes > 0) {
                numbers[i] = static_cast<int>(bytes.size());
                bytes.push_back(task.arrays[i].bytes);
            }
        users.assign(bytes.size(), 0);
        for (std::size_t i = 0; i < task.works.size(); ++i) {
            const Work &work = task.works[i];
            for (const std::vector<int> *values : {&work.reads, &work.makes})
                for (int value : *values)
                    if (const int number = numbers[at(task.values[at(value)].array)]; number >= 0) touches[i].push_back(number);
            std::sort(touches[i].begin(), touches[i].end());
            touches[i].erase(std::unique(touches[i].begin(), touches[i].end()), touches[i].end());
            for (int array : touches[i]) ++users[at(array)];
            for (int earlier : before[i]) next[at(earlier)].push_back(static_cast<int>(i));
        }
        // An array begins with the work that makes the first value in it: values are numbered as they are made.
        for (const Value &value : task.values) {
            if (value.maker < 0 || begun[at(value.array)]) continue;
            begun[at(value.array)] = 1;
            if (const int number = numbers[at(value.array)]; number >= 0) makes[at(value.maker)].push_back(number);
        }
    }
};

std::int64_t peakOf(const Search &search, std::span<const int> order)
{
    std::vector<std::uint32_t> left = search.users;
    std::int64_t live = 0, peak = 0;
    for (int work : order) {
        for (int array : search.makes[at(work)]) live += search.bytes[at(array)];
        peak = std::max(peak, live);
        for (int array : search.touches[at(work)])
            if (--left[at(array)] == 0) live -= search.bytes[at(array)];
    }
    return peak;
}

// --- exact: sets of works that ran, the one with the lowest peak first; what lives depends on the set alone -------------------------

struct Reached {
    std::int64_t peak = 0, live = 0;
    std::uint64_t from = 0; // the set before
    int work = -1;          // that led here
};

struct Open {
    std::int64_t peak;
    int count;
    std::uint64_t set;
    bool operator<(const Open &other) const
    {
        if (peak != other.peak) return peak > other.peak;
        if (count != other.count) return count < other.count;
        return set > other.set;
    }
};

// False: there were more states than allowed.
bool searchAll(const Search &search, std::size_t mostStates, FoundOrder &found)
{
    const std::size_t count = search.touches.size();
    const std::uint64_t all = count == kMostExact ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
    std::vector<std::uint64_t> needs(count, 0), users(search.bytes.size(), 0);
    for (std::size_t i = 0; i < count; ++i) {
        for (int earlier : search.before[i]) needs[i] |= std::uint64_t{1} << earlier;
        for (int array : search.touches[i]) users[at(array)] |= std::uint64_t{1} << i;
    }
    std::unordered_map<std::uint64_t, Reached> reached{{0, {}}};
    std::unordered_set<std::uint64_t> settled;
    std::priority_queue<Open> open;
    open.push({0, 0, 0});
    while (!open.empty()) {
        const Open top = open.top();
        open.pop();
        if (!settled.insert(top.set).second) continue;
        if (top.set == all) break;
        if (settled.size() > mostStates) return false;
        const Reached state = reached.at(top.set);
        struct Choice {
            int work;
            std::int64_t top, after;
        };
        std::vector<Choice> choices;
        for (std::size_t i = 0; i < count; ++i) {
            if (((top.set >> i) & 1) || (needs[i] & ~top.set)) continue;
            const std::uint64_t then = top.set | (std::uint64_t{1} << i);
            Choice choice{static_cast<int>(i), state.live, 0};
            for (int array : search.makes[i]) choice.top += search.bytes[at(array)];
            choice.after = choice.top;
            for (int array : search.touches[i])
                if ((users[at(array)] & ~then) == 0) choice.after -= search.bytes[at(array)];
            // What raises nothing and leaves no more can always come first.
            if (choice.top <= state.peak && choice.after <= state.live) {
                choices.assign(1, choice);
                break;
            }
            choices.push_back(choice);
        }
        for (const Choice &choice : choices) {
            const std::uint64_t then = top.set | (std::uint64_t{1} << choice.work);
            const std::int64_t peak = std::max(state.peak, choice.top);
            const auto [entry, isNew] = reached.try_emplace(then);
            if (!isNew && entry->second.peak <= peak) continue;
            entry->second = {peak, choice.after, top.set, choice.work};
            open.push({peak, top.count + 1, then});
        }
    }
    found.order.clear();
    for (std::uint64_t set = all; set != 0; set = reached.at(set).from) found.order.push_back(reached.at(set).work);
    std::reverse(found.order.begin(), found.order.end());
    found.peak = reached.at(all).peak;
    found.isLeast = true;
    return true;
}

// --- beam ---------------------------------------------------------------------------------------------------------------------------

struct Partial {
    std::vector<std::uint32_t> left, waits; // by array: works that still touch it; by work: works that it waits for
    std::vector<int> ready, order;
    std::int64_t live = 0, peak = 0;
    std::uint64_t hash = 0;
};

struct Step {
    std::size_t parent;
    int work;
    std::int64_t peak, live;
    std::uint64_t hash;
    bool isFree; // raises nothing and leaves no more
};

std::uint64_t mixed(std::uint64_t value)
{
    value = (value + 0x9e3779b97f4a7c15u) * 0xbf58476d1ce4e5b9u;
    return (value ^ (value >> 29)) * 0x94d049bb133111ebu;
}

Step stepOf(const Search &search, const Partial &partial, std::size_t parent, int work)
{
    std::int64_t top = partial.live;
    for (int array : search.makes[at(work)]) top += search.bytes[at(array)];
    std::int64_t after = top;
    for (int array : search.touches[at(work)])
        if (partial.left[at(array)] == 1) after -= search.bytes[at(array)];
    const bool isFree = top <= partial.peak && after <= partial.live;
    return {parent, work, std::max(partial.peak, top), after, partial.hash ^ mixed(static_cast<std::uint64_t>(work)), isFree};
}

void take(const Search &search, Partial &partial, const Step &step)
{
    partial.live = step.live;
    partial.peak = step.peak;
    partial.hash = step.hash;
    partial.order.push_back(step.work);
    partial.ready.erase(std::find(partial.ready.begin(), partial.ready.end(), step.work));
    for (int array : search.touches[at(step.work)]) --partial.left[at(array)];
    for (int later : search.next[at(step.work)])
        if (--partial.waits[at(later)] == 0) partial.ready.push_back(later);
}

FoundOrder searchBeam(const Search &search, std::size_t widest, std::span<const int> now)
{
    const std::size_t count = search.touches.size();
    const std::size_t width = std::clamp(kBeamWork / (count * count * 2 + 1), std::size_t{1}, widest);
    // Ready works are looked at in the order that stands now.
    std::vector<std::size_t> place(count);
    for (std::size_t i = 0; i < now.size(); ++i) place[at(now[i])] = i;
    Partial start;
    start.left = search.users;
    for (std::size_t i = 0; i < count; ++i) start.waits.push_back(static_cast<std::uint32_t>(search.before[i].size()));
    for (int work : now)
        if (start.waits[at(work)] == 0) start.ready.push_back(work);
    std::vector<Partial> beam;
    beam.push_back(std::move(start));
    for (std::size_t depth = 0; depth < count; ++depth) {
        std::vector<Step> steps;
        for (std::size_t parent = 0; parent < beam.size(); ++parent) {
            const Partial &partial = beam[parent];
            const std::size_t first = steps.size();
            const std::size_t looks = std::min(partial.ready.size(), kMostLooks);
            for (std::size_t i = partial.ready.size() - looks; i < partial.ready.size(); ++i) {
                const Step step = stepOf(search, partial, parent, partial.ready[i]);
                if (step.isFree) steps.resize(first);
                steps.push_back(step);
                if (step.isFree) break;
            }
        }
        std::sort(steps.begin(), steps.end(), [&](const Step &a, const Step &b) {
            if (a.peak != b.peak) return a.peak < b.peak;
            if (a.live != b.live) return a.live < b.live;
            if (a.parent != b.parent) return a.parent < b.parent;
            return place[at(a.work)] < place[at(b.work)];
        });
        std::unordered_set<std::uint64_t> seen; // the same set of works holds the same: the first came cheapest
        std::vector<Step> kept;
        for (const Step &step : steps) {
            if (kept.size() == width) break;
            if (seen.insert(step.hash).second) kept.push_back(step);
        }
        std::vector<std::size_t> children(beam.size(), 0);
        for (const Step &step : kept) ++children[step.parent];
        std::vector<Partial> grown;
        grown.reserve(kept.size());
        for (const Step &step : kept) {
            if (--children[step.parent] == 0) grown.push_back(std::move(beam[step.parent]));
            else grown.push_back(beam[step.parent]);
            take(search, grown.back(), step);
        }
        beam = std::move(grown);
    }
    const auto best = std::min_element(beam.begin(), beam.end(), [](const Partial &a, const Partial &b) { return a.peak < b.peak; });
    return {best->order, best->peak, false};
}

} // namespace

FoundOrder leastPeak(const Task &task, std::span<const int> now, const OrderLimits &limits)
{
    FoundOrder found{{now.begin(), now.end()}, 0, false};
    if (task.works.empty()) return {{}, 0, true};
    if (!isValid(task, now)) return {{now.begin(), now.end()}, usageOf(task, now, false).peak, false};
    const Search search(task);
    found.peak = peakOf(search, now);
    const std::size_t count = task.works.size();
    FoundOrder other;
    if (count > kMostExact || count > limits.exactWorks || !searchAll(search, limits.states, other))
        other = searchBeam(search, limits.beam, now);
    if (other.peak < found.peak) return other;
    found.isLeast = other.isLeast;
    return found;
}

} // namespace liveness
