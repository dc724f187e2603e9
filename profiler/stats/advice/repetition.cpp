#include "profiler/stats/advice/repetition.h"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace profiler {
namespace {

constexpr int kNone = std::numeric_limits<int>::min();

std::uint64_t mixed(std::uint64_t seed, std::uint64_t value)
{
    value += 0x9e3779b97f4a7c15ull + seed;
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9ull;
    value = (value ^ (value >> 27)) * 0x94d049bb133111ebull;
    return value ^ (value >> 31);
}

struct Edge {
    int node = 0;
    std::uint32_t port = 0; // argument of the reader
};

class Finder {
public:
    Finder(const RepeatGraph &graph, int least)
        : m_graph(graph), m_least(least), m_region(graph.kinds.size(), -1), m_instance(graph.kinds.size(), 0)
    {}

    std::vector<Repeat> run()
    {
        measure();
        colour();
        for (int seed : seeds())
            if (!m_seen[seed]) grow(seed);
        absorb();
        return collected();
    }

private:
    // How long the longest way from the top, and to the bottom.
    void measure()
    {
        const int size = m_graph.size();
        m_readers.assign(size + 1, 0);
        m_depth.assign(size, 0);
        m_height.assign(size, 0);
        for (int node = 0; node < size; ++node)
            eachInput(node, [&](int from, std::uint32_t) {
                m_depth[node] = std::max(m_depth[node], m_depth[from] + 1);
                ++m_readers[from + 1];
            });
        for (int node = size; node-- > 0;)
            eachInput(node, [&](int from, std::uint32_t) { m_height[from] = std::max(m_height[from], m_height[node] + 1); });
        for (int node = 0; node < size; ++node) m_readers[node + 1] += m_readers[node];
        m_reading.resize(m_readers[size]);
        std::vector<std::size_t> next(m_readers.begin(), m_readers.end() - 1);
        for (int node = 0; node < size; ++node)
            eachInput(node, [&](int from, std::uint32_t port) { m_reading[next[from]++] = {node, port}; });
    }

    // What a node is, what it reads, and by whom it is read: equal ones are one class.
    void colour()
    {
        const int size = m_graph.size();
        std::vector<std::uint64_t> now(m_graph.kinds.begin(), m_graph.kinds.end()), next(size);
        constexpr int kRounds = 2; // more, and the ends of a chain differ from its middle over a long way
        for (int round = 0; round < kRounds; ++round) {
            for (int node = 0; node < size; ++node) {
                std::uint64_t hash = mixed(1, now[node]);
                for (std::size_t i = m_graph.firstInput[node]; i < m_graph.firstInput[node + 1]; ++i) {
                    const RepeatGraph::Input &input = m_graph.inputs[i];
                    hash = mixed(hash, mixed(input.kind, input.node < 0 ? 0 : now[input.node]));
                }
                next[node] = hash;
            }
            now.swap(next);
        }
        for (int node = 0; node < size; ++node) {
            std::vector<std::uint64_t> readers;
            for (std::size_t i = m_readers[node]; i < m_readers[node + 1] && readers.size() < 64; ++i)
                readers.push_back(mixed(m_reading[i].port, m_graph.kinds[m_reading[i].node]));
            std::sort(readers.begin(), readers.end());
            readers.erase(std::unique(readers.begin(), readers.end()), readers.end());
            std::uint64_t hash = now[node];
            for (std::uint64_t reader : readers) hash = mixed(hash, reader);
            next[node] = hash;
        }
        std::unordered_map<std::uint64_t, int> classes;
        m_class.resize(size);
        for (int node = 0; node < size; ++node) {
            m_class[node] = classes.try_emplace(next[node], static_cast<int>(classes.size())).first->second;
            if (m_class[node] == static_cast<int>(m_members.size())) m_members.emplace_back();
            m_members[m_class[node]].push_back(node);
        }
        m_seen.assign(m_members.size(), 0);
    }

    // How often most classes stand there is how often the part does: one of those is a better beginning than a class that has
    // two members in each instance. Of equals the first in the order of work.
    std::vector<int> seeds() const
    {
        std::map<std::size_t, int> sizes;
        for (const std::vector<int> &members : m_members) ++sizes[members.size()];
        std::vector<int> order;
        for (std::size_t i = 0; i < m_members.size(); ++i)
            if (static_cast<int>(m_members[i].size()) >= m_least) order.push_back(static_cast<int>(i));
        std::stable_sort(order.begin(), order.end(),
                         [&](int a, int b) { return sizes.at(m_members[a].size()) > sizes.at(m_members[b].size()); });
        return order;
    }

    // A part begins with the members of a class, one in each instance; classes whose members stand to it in the same way follow.
    void grow(int seed)
    {
        m_seen[seed] = 1;
        std::vector<int> members = m_members[seed];
        std::erase_if(members, [&](int node) { return m_region[node] >= 0; });
        if (static_cast<int>(members.size()) < m_least) return;
        std::sort(members.begin(), members.end(),
                  [&](int a, int b) { return std::tuple(m_depth[a], -m_height[a], a) < std::tuple(m_depth[b], -m_height[b], b); });
        m_count = static_cast<int>(members.size());
        m_slope = 0;
        const int region = static_cast<int>(m_slopes.size());
        for (int i = 0; i < m_count; ++i) m_instance[members[i]] = i;
        std::vector<int> order(members);
        m_slope = slopeOf(order);
        m_slopes.push_back(m_slope);
        m_counts.push_back(m_count);
        for (int node : members) m_region[node] = region;
        std::vector<int> open{seed};
        for (std::size_t at = 0; at < open.size(); ++at)
            for (int next : neighbours(open[at], region))
                if (take(next, region)) open.push_back(next);
    }

    // Classes that touch a class of the part, those with most in common first.
    std::vector<int> neighbours(int group, int region)
    {
        std::map<int, int> touching;
        for (int node : m_members[group]) {
            if (m_region[node] != region) continue;
            eachInput(node, [&](int from, std::uint32_t) {
                if (m_region[from] < 0) ++touching[m_class[from]];
            });
            for (std::size_t i = m_readers[node]; i < m_readers[node + 1]; ++i)
                if (m_region[m_reading[i].node] < 0) ++touching[m_class[m_reading[i].node]];
        }
        std::vector<std::pair<int, int>> order;
        for (const auto &[other, edges] : touching) order.emplace_back(-edges, other);
        std::sort(order.begin(), order.end());
        std::vector<int> found;
        for (const auto &[edges, other] : order) found.push_back(other);
        return found;
    }

    // Whether instances and depths go together (1), against one another (-1), or have nothing to do with one another (0).
    [[nodiscard]] int slopeOf(std::vector<int> &nodes) const
    {
        std::sort(nodes.begin(), nodes.end(), [&](int a, int b) { return m_instance[a] < m_instance[b]; });
        int up = 0, down = 0;
        for (std::size_t i = 1; i < nodes.size(); ++i) {
            if (m_instance[nodes[i]] == m_instance[nodes[i - 1]]) continue;
            up += m_depth[nodes[i]] > m_depth[nodes[i - 1]];
            down += m_depth[nodes[i]] < m_depth[nodes[i - 1]];
        }
        const int steps = static_cast<int>(nodes.size()) - 1;
        return up * 10 > steps * 7 ? 1 : down * 10 > steps * 7 ? -1 : 0;
    }

    // Every member of the class gets the instance of what it touches in the part, if that makes sense for nearly all.
    bool take(int group, int region)
    {
        std::vector<int> members;
        for (int node : m_members[group])
            if (m_region[node] < 0) members.push_back(node);
        if (static_cast<int>(members.size()) * 10 < m_count * 7) return false;
        std::vector<int> known;
        int instances = 0;
        std::vector<char> met(m_count, 0);
        for (int node : members) {
            const int instance = nearInstance(node, region);
            if (instance == kNone) continue;
            m_instance[node] = instance;
            known.push_back(node);
            if (!std::exchange(met[instance], 1)) ++instances;
        }
        if (known.size() * 10 < members.size() * 8 || instances * 10 < m_count * 7) return false;
        const int slope = slopeOf(known);
        if (slope != 0 && m_slope != 0 && slope != m_slope) return false; // the way back of a gradient is a part of its own
        if (m_slope == 0) m_slope = m_slopes[region] = slope;
        m_seen[group] = 1;
        for (int node : known) m_region[node] = region;
        return true;
    }

    // The instance of the only one that it reads there, else of its only readers there.
    [[nodiscard]] int nearInstance(int node, int region) const
    {
        int found = kNone;
        eachInput(node, [&](int from, std::uint32_t) {
            if (m_region[from] == region) found = std::max(found, m_instance[from]);
        });
        if (found != kNone) return found;
        for (std::size_t i = m_readers[node]; i < m_readers[node + 1]; ++i)
            if (const int reader = m_reading[i].node; m_region[reader] == region)
                found = found == kNone ? m_instance[reader] : std::min(found, m_instance[reader]);
        return found;
    }

    // The first and the last instance differ a little from all others: what does the same work there belongs to them, or to
    // instances before the first and behind the last.
    void absorb()
    {
        constexpr int kMostBeyond = 4;
        learnSteps();
        std::vector<int> least(m_slopes.size(), 0), most(m_counts);
        const auto join = [&](int node, int other, int reader, int from, std::uint32_t port, int sign) {
            const int region = m_region[other];
            if (m_region[node] >= 0 || region < 0) return;
            const auto step = m_steps.find(stepKey(region, from, reader, port));
            if (step == m_steps.end()) return;
            const int instance = m_instance[other] + sign * step->second.usual();
            if (instance < -kMostBeyond || instance >= m_counts[region] + kMostBeyond) return;
            m_region[node] = region;
            m_instance[node] = instance;
            least[region] = std::min(least[region], instance);
            most[region] = std::max(most[region], instance + 1);
        };
        for (int node = 0; node < m_graph.size(); ++node)
            eachInput(node, [&](int from, std::uint32_t port) { join(node, from, node, from, port, 1); });
        for (int node = m_graph.size(); node-- > 0;)
            for (std::size_t i = m_readers[node]; i < m_readers[node + 1]; ++i)
                join(node, m_reading[i].node, m_reading[i].node, node, m_reading[i].port, -1);
        for (int node = 0; node < m_graph.size(); ++node)
            if (m_region[node] >= 0) m_instance[node] -= least[m_region[node]];
        for (std::size_t i = 0; i < m_counts.size(); ++i) m_counts[i] = most[i] - least[i];
    }

    // How far an edge between two kinds of nodes of a part leads: mostly 0, and 1 where it goes to the next instance.
    void learnSteps()
    {
        for (int node = 0; node < m_graph.size(); ++node)
            eachInput(node, [&](int from, std::uint32_t port) {
                if (m_region[node] >= 0 && m_region[from] == m_region[node])
                    m_steps[stepKey(m_region[node], from, node, port)].vote(m_instance[node] - m_instance[from]);
            });
    }

    [[nodiscard]] std::uint64_t stepKey(int region, int from, int reader, std::uint32_t port) const
    {
        return mixed(mixed(static_cast<std::uint64_t>(region), m_graph.kinds[from]), mixed(m_graph.kinds[reader], port));
    }

    struct Step {
        int candidate = 0, lead = 0;

        void vote(int value)
        {
            if (lead == 0) candidate = value;
            lead += value == candidate ? 1 : -1;
        }
        [[nodiscard]] int usual() const { return candidate; }
    };

    std::vector<Repeat> collected() const
    {
        std::vector<Repeat> all(m_slopes.size());
        for (std::size_t i = 0; i < all.size(); ++i) {
            all[i].count = m_counts[i];
            all[i].chained = m_slopes[i] != 0;
        }
        for (int node = 0; node < m_graph.size(); ++node)
            if (m_region[node] >= 0) {
                all[m_region[node]].nodes.push_back(node);
                all[m_region[node]].instanceOf.push_back(m_instance[node]);
            }
        constexpr int kLong = 16; // a chain of the same node is worth a group, too
        std::erase_if(all, [](const Repeat &each) { return each.count < kLong && static_cast<int>(each.nodes.size()) < 2 * each.count; });
        std::sort(all.begin(), all.end(), [](const Repeat &a, const Repeat &b) { return a.nodes.front() < b.nodes.front(); });
        return all;
    }

    template <class Visit>
    void eachInput(int node, Visit visit) const
    {
        for (std::size_t i = m_graph.firstInput[node]; i < m_graph.firstInput[node + 1]; ++i)
            if (const int from = m_graph.inputs[i].node; from >= 0) visit(from, static_cast<std::uint32_t>(i - m_graph.firstInput[node]));
    }

    const RepeatGraph &m_graph;
    int m_least;
    std::vector<std::size_t> m_readers; // into m_reading, and one more
    std::vector<Edge> m_reading;
    std::vector<int> m_depth, m_height;
    std::vector<int> m_class;
    std::vector<std::vector<int>> m_members; // of classes
    std::vector<char> m_seen;                // classes that were tried as seeds, or taken
    std::vector<int> m_region, m_instance;   // of nodes
    std::vector<int> m_slopes, m_counts;     // of regions
    int m_count = 0, m_slope = 0;            // of the one that grows
    std::unordered_map<std::uint64_t, Step> m_steps;
};

} // namespace

std::vector<Repeat> findRepeats(const RepeatGraph &graph, int least) { return Finder(graph, least).run(); }

} // namespace profiler
