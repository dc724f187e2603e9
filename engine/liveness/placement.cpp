#include "engine/liveness/placement.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <utility>

namespace liveness {
namespace {

constexpr std::size_t kAlignment = 64;
constexpr std::size_t kMostBySize = 2000; // lives: it looks at pairs

// Free ranges of an arena, best fit; grows when nothing fits.
class RangeAllocator {
public:
    std::size_t take(std::size_t bytes)
    {
        const auto best = m_bySize.lower_bound({bytes, 0});
        if (best == m_bySize.end()) {
            const std::size_t start = m_end;
            m_end += bytes;
            return start;
        }
        const auto [size, start] = *best;
        remove(m_free.find(start));
        if (size > bytes) add(start + bytes, size - bytes);
        return start;
    }

    void give(std::size_t start, std::size_t bytes)
    {
        auto next = m_free.lower_bound(start);
        if (next != m_free.end() && start + bytes == next->first) {
            bytes += next->second;
            next = remove(next);
        }
        if (next != m_free.begin()) {
            auto previous = std::prev(next);
            if (previous->first + previous->second == start) {
                start = previous->first;
                bytes += previous->second;
                remove(previous);
            }
        }
        add(start, bytes);
    }

    std::size_t size() const { return m_end; }

private:
    using Ranges = std::map<std::size_t, std::size_t>;
    void add(std::size_t start, std::size_t bytes)
    {
        m_free.emplace(start, bytes);
        m_bySize.emplace(bytes, start);
    }
    Ranges::iterator remove(Ranges::iterator range)
    {
        m_bySize.erase({range->second, range->first});
        return m_free.erase(range);
    }

    Ranges m_free; // by where they start
    std::set<std::pair<std::size_t, std::size_t>> m_bySize;
    std::size_t m_end = 0;
};

struct Ending {
    std::size_t to;
    std::size_t life;
    bool operator>(const Ending &other) const { return std::pair(to, life) > std::pair(other.to, other.life); }
};

// Also the most that lives at once.
Placement placeByTime(std::span<const Life> lives, std::size_t &peak)
{
    Placement result;
    result.offsets.resize(lives.size());
    RangeAllocator ranges;
    std::vector<Ending> endings; // a heap, the earliest on top
    std::size_t live = 0;
    for (std::size_t i = 0; i < lives.size(); ++i) {
        while (!endings.empty() && endings.front().to < lives[i].from) {
            const std::size_t gone = endings.front().life;
            std::pop_heap(endings.begin(), endings.end(), std::greater<>());
            endings.pop_back();
            ranges.give(result.offsets[gone], arenaBytes(lives[gone].bytes));
            live -= arenaBytes(lives[gone].bytes);
        }
        result.offsets[i] = ranges.take(arenaBytes(lives[i].bytes));
        live += arenaBytes(lives[i].bytes);
        peak = std::max(peak, live);
        endings.push_back({lives[i].to, i});
        std::push_heap(endings.begin(), endings.end(), std::greater<>());
    }
    result.bytes = ranges.size();
    return result;
}

// Each where it fits lowest among those placed before it that live when it does.
Placement placeBySize(std::span<const Life> lives)
{
    std::vector<std::size_t> bySize(lives.size());
    std::iota(bySize.begin(), bySize.end(), std::size_t{0});
    std::stable_sort(bySize.begin(), bySize.end(), [&](std::size_t a, std::size_t b) { return lives[a].bytes > lives[b].bytes; });
    Placement result;
    result.offsets.resize(lives.size());
    std::vector<std::size_t> placed; // by offset
    for (std::size_t i : bySize) {
        const std::size_t bytes = arenaBytes(lives[i].bytes);
        std::size_t start = 0;
        for (std::size_t other : placed) {
            if (lives[other].to < lives[i].from || lives[i].to < lives[other].from) continue;
            if (result.offsets[other] >= start + bytes) break;
            start = std::max(start, result.offsets[other] + arenaBytes(lives[other].bytes));
        }
        result.offsets[i] = start;
        result.bytes = std::max(result.bytes, start + bytes);
        placed.insert(std::upper_bound(placed.begin(), placed.end(), i,
                                       [&](std::size_t a, std::size_t b) { return result.offsets[a] < result.offsets[b]; }),
                      i);
    }
    return result;
}

} // namespace

std::size_t arenaBytes(std::size_t bytes) { return std::max((bytes + kAlignment - 1) / kAlignment * kAlignment, kAlignment); }

Placement place(std::span<const Life> lives)
{
    std::size_t peak = 0;
    Placement result = placeByTime(lives, peak);
    if (result.bytes == peak || lives.size() > kMostBySize) return result;
    Placement bySize = placeBySize(lives);
    return bySize.bytes < result.bytes ? bySize : result;
}

} // namespace liveness
