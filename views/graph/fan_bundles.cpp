#include "views/graph/fan_bundles.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

namespace views {
namespace {

constexpr std::size_t kFan = 12; // edges: fewer can be told apart
constexpr double kLeastGap = 12; // px at 100 %, between two layers, for a line across
constexpr double kCorner = 6;    // radius
constexpr double kTooNear = 1;   // px: a drop right below its trunk needs no corner

struct Fan {
    int node = 0;
    bool out = true;
    SceneEdgeKind kind = SceneEdgeKind::Data;
    std::vector<int> edges;
    double top = 0, bottom = 0; // between which layers it runs
};

class Bundler {
public:
    Bundler(const Scene &scene, Picture &picture, double px) : m_scene(scene), m_picture(picture), m_px(px) {}

    void run()
    {
        findLayers();
        std::vector<Fan> fans = find();
        giveHeights(fans);
    }

private:
    [[nodiscard]] bool isOuter(int node) const { return m_scene.nodes[node].parent < 0 && !m_scene.nodes[node].open; }
    [[nodiscard]] bool canJoin(std::size_t index) const
    {
        const SceneEdge &edge = m_scene.edges[index];
        const PictureEdge &drawn = m_picture.edges[index];
        return !edge.ghost && !drawn.stub && !drawn.upward && drawn.curve.size() >= 4 && isOuter(edge.from) && isOuter(edge.to);
    }

    // How far the boxes of a layer reach: nothing may run across them.
    void findLayers()
    {
        for (std::size_t i = 0; i < m_scene.nodes.size(); ++i) {
            const auto known = m_picture.memory.nodes.constFind(m_scene.nodes[i].key);
            if (!isOuter(static_cast<int>(i)) || m_scene.nodes[i].ghost || known == m_picture.memory.nodes.constEnd()) continue;
            const QRectF &rect = m_picture.nodes[i].rect;
            const auto [layer, isNew] = m_layers.try_emplace(known->rank, rect.top(), rect.bottom());
            if (isNew) continue;
            layer->second.first = std::min(layer->second.first, rect.top());
            layer->second.second = std::max(layer->second.second, rect.bottom());
        }
    }
    [[nodiscard]] std::pair<double, double> layerOf(int node) const
    {
        const auto known = m_picture.memory.nodes.constFind(m_scene.nodes[node].key);
        const auto layer = known == m_picture.memory.nodes.constEnd() ? m_layers.end() : m_layers.find(known->rank);
        const QRectF &rect = m_picture.nodes[node].rect;
        return layer == m_layers.end() ? std::pair(rect.top(), rect.bottom()) : layer->second;
    }

    std::vector<Fan> find() const
    {
        std::map<std::tuple<int, bool, SceneEdgeKind>, std::vector<int>> groups;
        for (std::size_t i = 0; i < m_scene.edges.size(); ++i) {
            if (!canJoin(i)) continue;
            const SceneEdge &edge = m_scene.edges[i];
            groups[{edge.from, true, edge.kind}].push_back(static_cast<int>(i));
            groups[{edge.to, false, edge.kind}].push_back(static_cast<int>(i));
        }
        std::vector<Fan> fans;
        std::vector<char> leaves(m_scene.edges.size(), 0);
        for (const bool out : {true, false})
            for (auto &[key, edges] : groups) {
                const auto &[node, isOut, kind] = key;
                if (isOut != out) continue;
                // What has one stretch only, and is bundled where it leaves, is not bundled again.
                if (!out) std::erase_if(edges, [&](int edge) { return leaves[edge] && m_picture.edges[edge].curve.size() == 4; });
                if (edges.size() < kFan) continue;
                Fan fan{node, out, kind, edges, 0, 0};
                const auto [layerTop, layerBottom] = layerOf(node);
                if (out) {
                    fan.top = layerBottom;
                    fan.bottom = 1e18;
                    for (int edge : edges) fan.bottom = std::min(fan.bottom, m_picture.edges[edge].curve[3].y());
                } else {
                    fan.bottom = layerTop;
                    fan.top = -1e18;
                    for (int edge : edges) fan.top = std::max(fan.top, startOfLast(edge).y());
                }
                if (fan.bottom - fan.top < kLeastGap * m_px) continue;
                if (out)
                    for (int edge : edges) leaves[edge] = 1;
                fans.push_back(std::move(fan));
            }
        return fans;
    }
    [[nodiscard]] QPointF startOfLast(int edge) const
    {
        const std::vector<QPointF> &curve = m_picture.edges[edge].curve;
        return curve[curve.size() - 4];
    }

    // Those between the same layers share the height, what leaves above what arrives.
    void giveHeights(std::vector<Fan> &fans)
    {
        std::map<std::pair<long, long>, std::vector<Fan *>> gaps;
        for (Fan &fan : fans) gaps[{std::lround(fan.top), std::lround(fan.bottom)}].push_back(&fan);
        for (auto &[gap, inside] : gaps) {
            std::stable_sort(inside.begin(), inside.end(), [&](const Fan *a, const Fan *b) {
                return a->out != b->out ? a->out : m_picture.nodes[a->node].rect.center().x() < m_picture.nodes[b->node].rect.center().x();
            });
            const double room = inside.front()->bottom - inside.front()->top;
            for (std::size_t i = 0; i < inside.size(); ++i)
                bend(*inside[i], inside[i]->top + room * static_cast<double>(i + 1) / static_cast<double>(inside.size() + 1));
        }
    }

    void bend(const Fan &fan, double across)
    {
        const QRectF &rect = m_picture.nodes[fan.node].rect;
        const QPointF root(rect.center().x(), fan.out ? rect.bottom() : rect.top());
        FanShape shape;
        shape.node = fan.node;
        shape.out = fan.out;
        shape.kind = fan.kind;
        shape.count = static_cast<int>(fan.edges.size());
        shape.root = root;
        shape.left = shape.right = QPointF(root.x(), across);
        for (int edge : fan.edges) {
            PictureEdge &drawn = m_picture.edges[edge];
            const QPointF other = fan.out ? drawn.curve[3] : startOfLast(edge);
            shape.left.setX(std::min(shape.left.x(), other.x()));
            shape.right.setX(std::max(shape.right.x(), other.x()));
            if (fan.out) {
                std::vector<QPointF> curve = way(root, other, across);
                drawn.ownFrom = static_cast<int>(curve.size()) - 1 - kOwnPoints;
                curve.insert(curve.end(), drawn.curve.begin() + 4, drawn.curve.end());
                if (drawn.ownTo >= 0) drawn.ownTo += static_cast<int>(curve.size() - drawn.curve.size());
                drawn.curve = std::move(curve);
            } else {
                std::vector<QPointF> end = way(other, root, across);
                drawn.ownTo = static_cast<int>(drawn.curve.size()) - 4 + kOwnPoints;
                drawn.curve.resize(drawn.curve.size() - 3);
                drawn.curve.insert(drawn.curve.end(), end.begin() + 1, end.end());
            }
            drawn.bounds = {};
            for (const QPointF &point : drawn.curve) drawn.bounds |= QRectF(point - QPointF(6, 4), QSizeF(12, 8));
        }
        shape.bounds = QRectF(shape.left, shape.right).normalized() | QRectF(root, QPointF(root.x(), across)).normalized();
        shape.bounds.adjust(-8, -8, 8, 8);
        m_picture.fans.push_back(shape);
    }

    // Down, across, down again: three straight stretches with two corners between them. What an edge has to itself is the corner and the
    // stretch at its own end.
    static constexpr int kOwnPoints = 6;
    std::vector<QPointF> way(QPointF from, QPointF to, double across) const
    {
        const double side = to.x() > from.x() ? 1 : -1;
        const double reach = std::abs(to.x() - from.x());
        const double corner = reach < kTooNear ? 0 : std::min({kCorner * m_px, reach / 2, across - from.y(), to.y() - across});
        const QPointF stops[] = {from,
                                 {from.x(), across - corner},
                                 {from.x() + side * corner, across},
                                 {to.x() - side * corner, across},
                                 {to.x(), across + corner},
                                 to};
        const QPointF bends[] = {{from.x(), across}, {to.x(), across}};
        std::vector<QPointF> points{from};
        const auto straight = [&](QPointF a, QPointF b) {
            points.push_back(a + (b - a) / 3);
            points.push_back(b - (b - a) / 3);
            points.push_back(b);
        };
        const auto turn = [&](QPointF a, QPointF bend, QPointF b) {
            points.push_back(a + (bend - a) * 0.55);
            points.push_back(b + (bend - b) * 0.55);
            points.push_back(b);
        };
        straight(stops[0], stops[1]);
        turn(stops[1], bends[0], stops[2]);
        straight(stops[2], stops[3]);
        turn(stops[3], bends[1], stops[4]);
        straight(stops[4], stops[5]);
        return points;
    }

    const Scene &m_scene;
    Picture &m_picture;
    const double m_px;
    std::map<int, std::pair<double, double>> m_layers; // top and bottom, by rank
};

} // namespace

void bundleFans(const Scene &scene, Picture &picture, double px) { Bundler(scene, picture, px).run(); }

} // namespace views
