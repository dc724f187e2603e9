#include "views/graph/scene_layout.h"

#include "views/common/theme.h"
#include "views/graph/fan_bundles.h"
#include "views/graph/kernel_frames.h"
#include "views/graph/text_ruler.h"

#include <QSet>

#include <algorithm>
#include <cmath>
#include <map>

namespace views {
namespace {

bool isInput(SceneKind kind) { return kind == SceneKind::Input || kind == SceneKind::Shared; }

// A few inputs stand in the first row. Of a network's many parameters that row would be wider than all the rest: each
// stands above its first reader then.
bool inputsStandOnTop(const Scene &scene)
{
    constexpr int kMostOnTop = 8;
    return scene.count(SceneKind::Input) + scene.count(SceneKind::Shared) <= kMostOnTop;
}

using EdgeKey = QPair<quint64, quint64>;

EdgeKey edgeKey(const Scene &scene, const SceneEdge &edge)
{
    const auto from = static_cast<quint64>(scene.nodes[edge.from].key);
    const auto to = static_cast<quint64>(scene.nodes[edge.to].key);
    return {from, to * 31 + static_cast<quint64>(edge.slot)};
}

class Layouter {
public:
    Layouter(const Scene &scene, const Theme &theme, const PictureMemory &before, const QHash<SceneKey, SceneKey> &heirs,
             const PictureOptions &options)
        : m_scene(scene), m_theme(theme), m_before(before), m_options(options), m_ancestors(ancestorsOf(heirs)),
          m_titles(theme.font(FontRole::Node)), m_variables(theme.font(FontRole::Mono)), m_captions(theme.font(FontRole::Caption)),
          m_numbers(theme.font(FontRole::NodeNumber)), m_inputsOnTop(inputsStandOnTop(scene))
    {}

    Picture run()
    {
        const std::size_t count = m_scene.nodes.size();
        m_picture.nodes.resize(count);
        m_picture.edges.resize(m_scene.edges.size());
        m_children.resize(count + 1);
        m_level.assign(m_scene.edges.size(), kNoLevel);
        m_slotX.assign(m_scene.edges.size(), 0);
        for (std::size_t i = 0; i < count; ++i) m_children[childSlot(m_scene.nodes[i].parent)].push_back(static_cast<int>(i));
        for (std::size_t i = 0; i < m_scene.edges.size(); ++i) {
            const SceneEdge &edge = m_scene.edges[i];
            const int parent = m_scene.nodes[edge.from].parent;
            if (parent == m_scene.nodes[edge.to].parent) m_level[i] = parent;
        }
        m_edgesOf.resize(count + 1);
        for (std::size_t i = 0; i < m_scene.edges.size(); ++i)
            if (m_level[i] != kNoLevel && (!m_scene.edges[i].ghost || shapesPicture(m_scene.edges[i])))
                m_edgesOf[childSlot(m_level[i])].push_back(static_cast<int>(i));
        m_inner.resize(count);
        layLevel(-1);
        placeLevel(-1, {});
        finishEdges();
        bundleFans(m_scene, m_picture, m_theme.textScale());
        for (const PictureNode &node : m_picture.nodes) m_picture.bounds |= node.rect;
        for (const PictureEdge &edge : m_picture.edges) m_picture.bounds |= edge.bounds;
        buildIndexes();
        m_picture.frames = shapesOf(m_scene, m_picture, px(8));
        for (std::size_t i = 0; i < m_picture.frames.size(); ++i) {
            FrameShape &shape = m_picture.frames[i];
            if (!isFold(m_scene.frames[i].fold)) continue;
            const double height = m_captions.height() + px(4);
            shape.closeAt =
                QRectF(shape.captionsAt.front() - QPointF(0, height), QSizeF(m_captions.width(m_scene.frames[i].caption) + px(28), height));
            m_picture.bounds |= shape.bounds | shape.closeAt;
        }
        return std::move(m_picture);
    }

private:
    static constexpr int kNoLevel = -2;

    struct Level {
        std::vector<std::pair<int, std::vector<QPointF>>> curves; // edge index, points before the slot
        QRectF bounds;
    };

    void buildIndexes()
    {
        constexpr double kRing = 12; // rings and badges reach beyond the box
        std::vector<QRectF> rects;
        for (const PictureNode &node : m_picture.nodes) rects.push_back(node.rect.adjusted(-kRing, -kRing, kRing, kRing));
        m_picture.nodeIndex.build(std::exchange(rects, {}));
        for (const PictureEdge &edge : m_picture.edges) rects.push_back(edge.bounds);
        m_picture.edgeIndex.build(std::move(rects));
    }

    // A ghost stands where it was; one that nobody has seen needs a place like everything else.
    [[nodiscard]] bool isUnseenGhost(const SceneNode &node) const { return node.ghost && !m_before.nodes.contains(node.key); }
    // Edges into unseen ghosts, but not out of them: they must not push down what is really there.
    [[nodiscard]] bool shapesPicture(const SceneEdge &edge) const { return isUnseenGhost(m_scene.nodes[edge.to]); }

    static std::size_t childSlot(int parent) { return static_cast<std::size_t>(parent + 1); }
    double px(double at100) const { return at100 * m_theme.textScale(); }

    QSizeF measure(int index)
    {
        const SceneNode &node = m_scene.nodes[index];
        PictureNode &out = m_picture.nodes[index];
        const bool mono = isVariable(node.kind);
        TextRuler &titles = mono ? m_variables : m_titles;
        double padding = px(12);
        if (node.kind == SceneKind::Shared) padding = px(28);
        else if (mono) padding = px(16);
        else if (node.kind == SceneKind::Transfer) padding = px(18);
        if (node.number >= 0) padding += m_numbers.width(node.number);
        const double widest = px(240);
        // Slots need room too: a node with many arguments is as wide as they ask for.
        const int arguments = m_arguments.value(index);
        const double forSlots = arguments > 1 ? (arguments - 1) * px(10) + px(24) : 0;
        double width = std::max({px(72), forSlots, titles.width(node.title) + 2 * padding,
                                 node.subtitle.isEmpty() ? 0 : m_captions.width(node.subtitle) + px(24)});
        width = std::ceil(std::min(width, widest) / 2) * 2;
        out.title = titles.elided(node.title, width - 2 * padding + 1);
        out.subtitle = m_captions.elided(node.subtitle, width - px(16));
        return {width, node.subtitle.isEmpty() ? px(24) : px(36)};
    }

    // A group that shows its members is as large as they are, with a frame and a title line.
    QSizeF sizeOf(int index)
    {
        const SceneNode &node = m_scene.nodes[index];
        if (!node.open) return measure(index);
        layLevel(index);
        const QSizeF title = measure(index);
        const QRectF &inner = m_inner[index].bounds;
        return {std::max(inner.width() + px(32), title.width() + px(56)), inner.height() + px(28) + px(20)};
    }

    void assignSlots(int parent)
    {
        // Inlined constants leave no gap: arrows are spread over the arguments that are drawn.
        QHash<int, std::vector<int>> arriving;
        for (int edge : m_edgesOf[childSlot(parent)]) arriving[m_scene.edges[edge].to].push_back(edge);
        for (auto it = arriving.begin(); it != arriving.end(); ++it) {
            auto &edges = it.value();
            std::stable_sort(edges.begin(), edges.end(), [&](int a, int b) { return m_scene.edges[a].slot < m_scene.edges[b].slot; });
            m_arguments[it.key()] = static_cast<int>(edges.size());
        }
        m_arriving.insert(arriving);
    }

    void layLevel(int parent)
    {
        assignSlots(parent);
        const auto &members = m_children[childSlot(parent)];
        Level &level = parent < 0 ? m_outer : m_inner[parent];
        LayoutInput input;
        std::vector<int> place(m_scene.nodes.size(), -1);
        std::vector<int> laid; // ghosts are not laid out
        for (int member : members) {
            const SceneNode &node = m_scene.nodes[member];
            const QSizeF size = sizeOf(member);
            m_picture.nodes[member].rect = QRectF(QPointF(), size);
            if (node.ghost && !isUnseenGhost(node)) continue;
            place[member] = static_cast<int>(laid.size());
            laid.push_back(member);
            LayoutNode box{size.width(), size.height()};
            box.top = m_inputsOnTop && isInput(node.kind);
            auto known = m_before.nodes.constFind(node.key);
            if (known == m_before.nodes.constEnd() && m_ancestors.contains(node.key) && !m_options.beside) // it may be wider
                known = m_before.nodes.constFind(m_ancestors.value(node.key));
            if (known != m_before.nodes.constEnd()) box.anchor = *known;
            input.nodes.push_back(box);
        }
        for (int member : members) {
            const auto &edges = m_arriving[member];
            const int count = static_cast<int>(edges.size());
            const double width = m_picture.nodes[member].rect.width();
            const double apart = count > 1 ? std::min(px(18), (width - px(20)) / (count - 1)) : 0;
            for (int k = 0; k < count; ++k) m_slotX[edges[k]] = (k - (count - 1) / 2.0) * apart;
        }
        std::vector<int> drawn;
        for (int index : m_edgesOf[childSlot(parent)]) {
            const SceneEdge &edge = m_scene.edges[index];
            if (place[edge.from] < 0 || place[edge.to] < 0) continue;
            LayoutEdge line{place[edge.from], place[edge.to], m_slotX[index]};
            if (const auto known = m_before.routes.constFind(edgeKey(m_scene, edge)); known != m_before.routes.constEnd())
                line.via = *known;
            input.edges.push_back(line);
            drawn.push_back(index);
        }
        LayoutOptions options;
        constexpr std::size_t kSmall = 60; // nodes: here a long line is easier to follow than a name
        options.maxSpan = m_options.stubSpan > 0 ? m_options.stubSpan : laid.size() <= kSmall ? 12 : 6;
        options.gapX = m_theme.size(Size::NodeGapX);
        options.gapY = m_theme.size(Size::NodeGapY);
        options.stubRoom = px(26);
        options.apart = m_options.apart;
        options.beside = m_options.beside;
        if (options.beside) options.stay *= 10;
        if (m_options.follow) {
            options.keepY = false;
            options.keepRank = m_options.keepLayers;
            options.reorder = !m_options.keepOrder;
            options.stay = 0.1;
        }
        const LayoutResult result = layeredLayout(input, options);
        readLevel(level, result, laid, drawn, place);
    }

    void readLevel(Level &level, const LayoutResult &result, const std::vector<int> &laid, const std::vector<int> &drawn,
                   const std::vector<int> &place)
    {
        level.bounds = {};
        for (std::size_t i = 0; i < laid.size(); ++i) {
            const LayoutPoint at = result.centers[i];
            QRectF &rect = m_picture.nodes[laid[i]].rect;
            rect.moveCenter(QPointF(at.x, at.y));
            level.bounds |= rect;
            m_picture.memory.nodes.insert(m_scene.nodes[laid[i]].key, {at.x, at.y, result.ranks[i]});
        }
        for (std::size_t i = 0; i < drawn.size(); ++i) {
            const LayoutRoute &route = result.routes[i];
            const SceneEdge &edge = m_scene.edges[drawn[i]];
            m_picture.edges[drawn[i]].stub = route.stub;
            m_picture.edges[drawn[i]].upward = route.upward;
            std::vector<QPointF> points;
            std::vector<LayoutAnchor> memory;
            int rank = result.ranks[place[edge.from]];
            for (const LayoutPoint &via : route.via) {
                const LayoutPoint &layer = result.layers[++rank];
                memory.push_back({via.x, via.y, rank, route.thin});
                level.bounds |= QRectF(via.x - 2, layer.x, 4, layer.y - layer.x);
                if (layer.y - layer.x < 1) // nothing stands there any more: nothing to go around
                    continue;
                points.emplace_back(via.x, layer.x);
                points.emplace_back(via.x, layer.y);
            }
            if (!memory.empty()) m_picture.memory.routes.insert(edgeKey(m_scene, edge), memory);
            level.curves.emplace_back(drawn[i], std::move(points));
        }
    }

    void placeLevel(int parent, QPointF shift)
    {
        Level &level = parent < 0 ? m_outer : m_inner[parent];
        for (auto &[edge, points] : level.curves) {
            for (QPointF &point : points) point += shift;
            m_points.insert(edge, points);
        }
        for (int member : m_children[childSlot(parent)]) {
            const SceneNode &node = m_scene.nodes[member];
            QRectF &rect = m_picture.nodes[member].rect;
            if (node.ghost) {
                if (const auto old = m_before.nodes.constFind(node.key); old != m_before.nodes.constEnd()) {
                    rect.moveCenter(QPointF(old->x, old->y));
                    m_picture.memory.nodes.insert(node.key, *old);
                }
            }
            rect.translate(shift);
            if (node.open) {
                const QRectF inner(rect.left() + px(16), rect.top() + px(28), rect.width() - px(32), rect.height() - px(48));
                placeLevel(member, inner.center() - m_inner[member].bounds.center());
            }
        }
    }

    void finishEdges()
    {
        for (std::size_t i = 0; i < m_scene.edges.size(); ++i) {
            const SceneEdge &edge = m_scene.edges[i];
            PictureEdge &out = m_picture.edges[i];
            const QRectF &from = m_picture.nodes[edge.from].rect, &to = m_picture.nodes[edge.to].rect;
            const QPointF tip(to.center().x() + m_slotX[i], to.top());
            if (out.stub) {
                makeStub(i, tip);
                continue;
            }
            std::vector<QPointF> through;
            if (const int source = innerEnd(edge.from, SceneKind::Output, edge.port); source >= 0) {
                const QRectF &inner = m_picture.nodes[source].rect;
                through.emplace_back(inner.center().x(), inner.bottom());
            }
            through.emplace_back(from.center().x(), from.bottom());
            for (const QPointF &point : m_points.value(static_cast<int>(i))) through.push_back(point);
            through.push_back(tip);
            if (const int reader = innerEnd(edge.to, SceneKind::Input, edge.slot); reader >= 0) {
                const QRectF &inner = m_picture.nodes[reader].rect;
                through.emplace_back(inner.center().x(), inner.top());
            }
            out.curve = smooth(through);
            for (const QPointF &point : out.curve) out.bounds |= QRectF(point - QPointF(6, 4), QSizeF(12, 8));
        }
    }

    // Edges of an open Composite go on to what stands for them inside: its arguments are the inputs of its body. -1: none.
    int innerEnd(int node, SceneKind kind, int number) const
    {
        if (!m_scene.nodes[node].open || m_scene.nodes[node].kind != SceneKind::Composite) return -1;
        for (int member : m_children[childSlot(node)])
            if (m_scene.nodes[member].kind == kind && number-- == 0) return member;
        return -1;
    }

    static std::vector<QPointF> smooth(const std::vector<QPointF> &through)
    {
        std::vector<QPointF> curve{through.front()};
        for (std::size_t k = 1; k < through.size(); ++k) {
            const QPointF p = through[k - 1], q = through[k];
            constexpr double kTurn = 40; // where it goes upwards it still leaves downwards, and arrives from above
            const double half = q.y() > p.y() ? (q.y() - p.y()) / 2 : kTurn;
            curve.push_back(p + QPointF(0, half));
            curve.push_back(q - QPointF(0, half));
            curve.push_back(q);
        }
        return curve;
    }

    void makeStub(std::size_t index, QPointF tip)
    {
        const SceneEdge &edge = m_scene.edges[index];
        PictureEdge &out = m_picture.edges[index];
        const auto &edges = m_arriving[edge.to];
        std::vector<int> stubs;
        for (int other : edges)
            if (m_picture.edges[other].stub) stubs.push_back(other);
        const auto place = std::find(stubs.begin(), stubs.end(), static_cast<int>(index)) - stubs.begin();
        // Neighbouring names alternate in height, so that each has twice the room of its slot.
        const bool high = stubs.size() > 1 && place % 2 == 1;
        const double length = high ? px(32) : px(18);
        const double room = stubs.size() > 1 ? px(40) : px(96);
        const SceneNode &source = m_scene.nodes[edge.from];
        out.stubText = m_captions.elided(source.title, room);
        out.stubWidth = m_captions.width(out.stubText);
        out.curve = {tip - QPointF(0, length), tip};
        out.bounds = QRectF(tip.x() - out.stubWidth / 2 - 2, tip.y() - length - m_captions.height() - 2, out.stubWidth + 4,
                            length + m_captions.height() + 4);
    }

    const Scene &m_scene;
    const Theme &m_theme;
    const PictureMemory &m_before;
    const PictureOptions &m_options;
    const QHash<SceneKey, SceneKey> m_ancestors; // new key → key of the one whose place it takes
    TextRuler m_titles, m_variables, m_captions, m_numbers;
    const bool m_inputsOnTop;
    Picture m_picture;
    std::vector<std::vector<int>> m_children, m_edgesOf;
    std::vector<int> m_level;
    std::vector<double> m_slotX;
    QHash<int, std::vector<int>> m_arriving; // node → edges in argument order
    QHash<int, int> m_arguments;
    QHash<int, std::vector<QPointF>> m_points; // edge → lane points
    Level m_outer;
    std::vector<Level> m_inner;
};

/// How far what is really there has moved since the picture before, on average.
double meanMove(const Scene &scene, const Picture &picture, const PictureMemory &before)
{
    double sum = 0;
    int survivors = 0;
    for (const SceneNode &node : scene.nodes) {
        const auto old = before.nodes.constFind(node.key), now = picture.memory.nodes.constFind(node.key);
        if (node.ghost || old == before.nodes.constEnd() || now == picture.memory.nodes.constEnd()) continue;
        sum += std::hypot(now->x - old->x, now->y - old->y);
        ++survivors;
    }
    return survivors ? sum / survivors : 0;
}

} // namespace

Picture layoutScene(const Scene &scene, const Theme &theme, const PictureMemory &before, const QHash<SceneKey, SceneKey> &heirs,
                    const PictureOptions &options)
{
    Picture picture = Layouter(scene, theme, before, heirs, options).run();
    if (before.isEmpty() || options.follow) return picture;
    // What is new in a full layer pushes the rest of it aside: rather it stands in layers of its own, or at the end of the full one.
    double moved = meanMove(scene, picture, before);
    const auto tryWith = [&](bool PictureOptions::*way, double from) {
        if (moved <= from) return;
        PictureOptions other = options;
        other.*way = true;
        Picture calmer = Layouter(scene, theme, before, heirs, other).run();
        const double less = meanMove(scene, calmer, before);
        if (less >= moved) return;
        moved = less;
        picture = std::move(calmer);
    };
    constexpr double kMuch = 2, kVeryMuch = 2; // px
    tryWith(&PictureOptions::apart, kMuch);
    tryWith(&PictureOptions::beside, kVeryMuch);
    return picture;
}

DotQuestion askDot(const Scene &scene, const Picture &picture, const Theme &theme)
{
    DotQuestion question;
    question.request.gapX = theme.size(Size::NodeGapX);
    question.request.gapY = theme.size(Size::NodeGapY);
    QHash<int, std::uint32_t> place;
    const bool onTop = inputsStandOnTop(scene);
    for (std::size_t i = 0; i < scene.nodes.size(); ++i) {
        const SceneNode &node = scene.nodes[i];
        if (node.parent >= 0 || node.ghost) continue;
        place.insert(static_cast<int>(i), static_cast<std::uint32_t>(question.nodes.size()));
        question.nodes.push_back(static_cast<int>(i));
        const QRectF &rect = picture.nodes[i].rect;
        question.request.nodes.push_back({rect.width(), rect.height(), onTop && isInput(node.kind)});
    }
    for (std::size_t i = 0; i < scene.edges.size(); ++i) {
        const SceneEdge &edge = scene.edges[i];
        if (picture.edges[i].stub || edge.ghost || !place.contains(edge.from) || !place.contains(edge.to)) continue;
        question.edges.push_back(static_cast<int>(i));
        question.request.edges.push_back({place.value(edge.from), place.value(edge.to)});
    }
    return question;
}

PictureMemory memoryOf(const Scene &scene, const DotQuestion &question, const dot::Answer &answer)
{
    PictureMemory memory;
    if (answer.centers.size() != question.nodes.size() || answer.splines.size() != question.edges.size()) return memory;
    std::map<long, int> layers;
    for (const dot::Point &center : answer.centers) layers.emplace(std::lround(center.y), 0);
    std::vector<double> heights;
    for (auto &[y, rank] : layers) {
        rank = static_cast<int>(heights.size());
        heights.push_back(static_cast<double>(y));
    }
    auto rankOf = [&](std::size_t node) { return layers.at(std::lround(answer.centers[node].y)); };
    for (std::size_t i = 0; i < question.nodes.size(); ++i)
        memory.nodes.insert(scene.nodes[question.nodes[i]].key, {answer.centers[i].x, answer.centers[i].y, rankOf(i)});
    for (std::size_t i = 0; i < question.edges.size(); ++i) {
        const auto &spline = answer.splines[i];
        const int first = rankOf(question.request.edges[i].from), last = rankOf(question.request.edges[i].to);
        std::vector<LayoutAnchor> via;
        std::vector<QPointF> curve;
        for (const dot::Point &point : spline) curve.emplace_back(point.x, point.y);
        for (int rank = first + 1; rank < last && curve.size() >= 4; ++rank) {
            // The spline descends: the first sample at or below the layer's height is where it passes.
            bool found = false;
            for (std::size_t segment = 0; segment + 1 < curve.size() / 3 + 1 && !found; ++segment)
                for (int step = 0; step <= 8 && !found; ++step) {
                    const QPointF at = pointOnCurve(curve, segment, step / 8.0);
                    if (at.y() >= heights[rank]) {
                        via.push_back({at.x(), heights[rank], rank});
                        found = true;
                    }
                }
        }
        if (!via.empty()) memory.routes.insert(edgeKey(scene, scene.edges[question.edges[i]]), via);
    }
    return memory;
}

QPointF pointOnCurve(const std::vector<QPointF> &curve, std::size_t segment, double t)
{
    const QPointF &a = curve[3 * segment], &b = curve[3 * segment + 1], &c = curve[3 * segment + 2], &d = curve[3 * segment + 3];
    const double s = 1 - t;
    return a * (s * s * s) + b * (3 * s * s * t) + c * (3 * s * t * t) + d * (t * t * t);
}

double meanEdgeLength(const Picture &picture)
{
    double total = 0;
    int count = 0;
    for (const PictureEdge &edge : picture.edges) {
        if (edge.stub || edge.curve.size() < 2) continue;
        const QPointF reach = edge.curve.back() - edge.curve.front();
        total += std::hypot(reach.x(), reach.y());
        ++count;
    }
    return count ? total / count : 0;
}

} // namespace views
