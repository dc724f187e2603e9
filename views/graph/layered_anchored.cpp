#include "views/graph/layered_detail.h"

#include <algorithm>
#include <cmath>
#include <limits>

// Layers of a picture that continues another: a layer is a height at which something stood. What survives keeps its height
// unless an edge would point upwards; what is new stands in a layer between its neighbours, or in one of its own. Where much
// would have to move for that, an edge does point upwards until the whole is laid out anew.
namespace views::layered {
namespace {

constexpr double kSame = 1;      // heights nearer than this are one layer
constexpr double kMostMoved = 3; // px, of a survivor on average: beyond, nothing moves
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

struct Heights {
    std::vector<double> y;
    double moved = 0; // px, of all survivors together
};

class Placement {
public:
    Placement(const Work &work, const EdgesOf &edges) : m_work(work), m_edges(edges), m_apart(work.options.gapY)
    {
        double tallest = 0;
        for (const LayoutNode &node : work.input.nodes) tallest = std::max(tallest, node.height);
        m_apart += tallest;
        m_closest = 0.6 * m_apart;
        for (const LayoutNode &node : work.input.nodes) {
            m_wanted.push_back(node.anchor ? node.anchor->y : kNone);
            if (node.anchor) m_layers.push_back(node.anchor->y);
        }
        std::sort(m_layers.begin(), m_layers.end());
        m_layers.erase(std::unique(m_layers.begin(), m_layers.end(), [](double a, double b) { return b - a < kSame; }), m_layers.end());
        placeNew();
    }

    // Downwards: who stands too high is pushed below what it reads. Upwards: what is read is lifted.
    [[nodiscard]] Heights settle(bool downwards, bool mayMove = true) const
    {
        const double sign = downwards ? 1 : -1;
        Heights result{m_wanted};
        std::vector<double> layers = m_layers;
        const auto place = [&](int node) {
            double low = -std::numeric_limits<double>::infinity();
            forEach(downwards ? m_edges.in : m_edges.out, node, downwards, [&](int other) { low = std::max(low, sign * result.y[other]); });
            const auto &anchor = m_work.input.nodes[node].anchor;
            double want = sign * result.y[node];
            if (anchor && (want > low + kSame || !mayMove)) return;
            double high = std::numeric_limits<double>::infinity();
            if (anchor) {
                want = low + m_closest;
            } else {
                forEach(downwards ? m_edges.out : m_edges.in, node, !downwards, [&](int other) {
                    if (m_work.input.nodes[other].anchor) high = std::min(high, sign * result.y[other]);
                });
                want = std::max(want, low + kSame);
            }
            result.y[node] =
                sign * (anchor || !m_work.options.apart ? layerFor(layers, want, sign, low, high) : layerBetween(want, sign, low, high));
            if (anchor) result.moved += std::abs(result.y[node] - anchor->y);
        };
        const auto &order = m_work.topological;
        if (downwards) std::for_each(order.begin(), order.end(), place);
        else std::for_each(order.rbegin(), order.rend(), place);
        return result;
    }

private:
    template <class Visit>
    void forEach(const std::vector<std::vector<int>> &edges, int node, bool from, Visit visit) const
    {
        for (int index : edges[node])
            if (!m_work.backward[index]) visit(from ? m_work.input.edges[index].from : m_work.input.edges[index].to);
    }

    // Between the survivors that a new node reads and those that read it, by how many new ones stand between.
    void placeNew()
    {
        const std::size_t count = m_wanted.size();
        std::vector<double> low(count, kNone), high(count, kNone);
        std::vector<int> above(count, 1), below(count, 1);
        const auto pass = [&](int node, bool down, std::vector<double> &bound, std::vector<int> &steps) {
            if (m_work.input.nodes[node].anchor) return;
            forEach(down ? m_edges.in : m_edges.out, node, down, [&](int other) {
                const bool old = m_work.input.nodes[other].anchor.has_value();
                const double at = old ? m_wanted[other] : bound[other];
                if (!old) steps[node] = std::max(steps[node], steps[other] + 1);
                if (std::isnan(at)) return;
                if (std::isnan(bound[node])) bound[node] = at;
                else bound[node] = down ? std::max(bound[node], at) : std::min(bound[node], at);
            });
        };
        const auto &order = m_work.topological;
        for (int node : order) pass(node, true, low, above);
        for (auto it = order.rbegin(); it != order.rend(); ++it) pass(*it, false, high, below);
        for (std::size_t node = 0; node < count; ++node) {
            if (m_work.input.nodes[node].anchor) continue;
            const double a = above[node], b = below[node];
            double &y = m_wanted[node];
            if (std::isnan(low[node]) && std::isnan(high[node])) y = m_apart * (a - 1);
            else if (std::isnan(high[node])) y = low[node] + m_apart * a;
            else if (std::isnan(low[node])) y = high[node] - m_apart * b;
            else if (high[node] <= low[node]) y = low[node] + m_closest * a;
            else y = low[node] + (high[node] - low[node]) * a / (a + b);
        }
    }

    // The layer for a wanted height, strictly between two others: one that is there if it is not far, else a new one. Heights
    // are counted downwards (sign 1) or upwards (-1).
    [[nodiscard]] double layerFor(std::vector<double> &layers, double wanted, double sign, double low, double high) const
    {
        const double y = sign * wanted;
        double best = kNone;
        for (auto it = std::lower_bound(layers.begin(), layers.end(), y - 1.5 * m_apart); it != layers.end() && *it < y + 1.5 * m_apart;
             ++it) {
            const double at = sign * *it;
            if (at < low + kSame || at > high - kSame) continue;
            if (std::isnan(best) || std::abs(at - wanted) < std::abs(best - wanted)) best = at;
        }
        if (!std::isnan(best)) return best;
        double own = wanted;
        if (high <= low + 2 * kSame) own = low + m_apart;
        else if (own < low + 2 * kSame || own > high - 2 * kSame)
            own = std::isinf(high) ? low + m_apart : std::isinf(low) ? high - m_apart : (low + high) / 2;
        layers.insert(std::lower_bound(layers.begin(), layers.end(), sign * own), sign * own);
        return own;
    }

    // A layer in which nothing stood, strictly between two others: in the middle between two that were there.
    [[nodiscard]] double layerBetween(double wanted, double sign, double low, double high) const
    {
        std::vector<double> bounds;
        if (!std::isinf(low)) bounds.push_back(low);
        for (double layer : m_layers)
            if (const double at = sign * layer; at > low + kSame && at < high - kSame) bounds.push_back(at);
        if (!std::isinf(high)) bounds.push_back(high);
        std::sort(bounds.begin(), bounds.end());
        if (bounds.empty()) return wanted;
        double best = kNone;
        const auto offer = [&](double at) {
            if (std::isnan(best) || std::abs(at - wanted) < std::abs(best - wanted)) best = at;
        };
        for (std::size_t i = 0; i + 1 < bounds.size(); ++i) offer((bounds[i] + bounds[i + 1]) / 2);
        if (std::isinf(low)) offer(bounds.front() - m_apart);
        if (std::isinf(high)) offer(bounds.back() + m_apart);
        return best;
    }

    const Work &m_work;
    const EdgesOf &m_edges;
    double m_apart; // of two layers, centre to centre
    double m_closest;
    std::vector<double> m_wanted;
    std::vector<double> m_layers;
};

} // namespace

void rankByHeight(Work &work, const EdgesOf &edges)
{
    const Placement placement(work, edges);
    Heights heights = placement.settle(true);
    if (heights.moved > 0)
        if (Heights lifted = placement.settle(false); lifted.moved < heights.moved) heights = std::move(lifted);
    const auto &nodes = work.input.nodes;
    const auto survivors = std::count_if(nodes.begin(), nodes.end(), [](const LayoutNode &node) { return node.anchor.has_value(); });
    if (heights.moved > kMostMoved * static_cast<double>(survivors)) heights = placement.settle(true, false);
    std::vector<double> layers = heights.y;
    std::sort(layers.begin(), layers.end());
    layers.erase(std::unique(layers.begin(), layers.end(), [](double a, double b) { return b - a < kSame; }), layers.end());
    for (int node = 0; node < work.realCount; ++node) {
        const auto above = std::upper_bound(layers.begin(), layers.end(), heights.y[node] + 1e-9);
        work.rank[node] = static_cast<int>(above - layers.begin()) - 1;
    }
    work.layerY = std::move(layers);
    work.layerVotes.assign(work.layerY.size(), 0);
    for (int node = 0; node < work.realCount; ++node)
        if (const auto &anchor = work.input.nodes[node].anchor; anchor && std::abs(anchor->y - heights.y[node]) < kSame)
            work.layerVotes[work.rank[node]] += 1;
}

} // namespace views::layered
