// Paints scenes: the same code for the screen, the minimap's source and the exports. All colours from the theme.
#pragma once

#include "views/common/selection_hub.h"
#include "views/graph/scene_layout.h"

#include <QColor>
#include <QFont>
#include <QPainterPath>
#include <QSet>

#include <utility>
#include <vector>

class QPainter;

namespace views {

struct PaintProgress;

enum class Detail : std::uint8_t { Dot, Box, Title, Full };
[[nodiscard]] Detail detailAt(double scale);

struct PaintState {
    const Theme *theme = nullptr;
    const Scene *scene = nullptr;
    const Picture *picture = nullptr;
    Overlay overlay = Overlay::None;
    double scale = 1;
    QRectF view; // what is seen of it; null: all
    Detail detail = Detail::Full;
    QSet<SceneKey> selected;
    QSet<SceneKey> linked;
    QHash<SceneKey, NodeMark> marks;
    QHash<SceneKey, QString> notes;
    QSet<SceneKey> dimmedExcept; // not empty: everything else at 30 %
    bool isolated = false;       // … or not at all
    SceneKey hovered = kNoSceneKey;
    SceneKey focused = kNoSceneKey;               // by keyboard
    const std::vector<double> *opacity = nullptr; // by node, while stepping
    PaintProgress *progress = nullptr;            // of what takes long and may be called off
};

class GraphPainter {
public:
    GraphPainter(QPainter &painter, const PaintState &state);

    void paintFrames(); // of open groups, and of nodes that one kernel runs together
    void paintEdges(const std::vector<int> &edges);
    void paintCaptions(); // of what one kernel runs: after the edges, so that they do not cross the words
    void paintNodes(const std::vector<int> &nodes);

    // Fill of a node under the overlay, as the minimap and the dots need it.
    [[nodiscard]] QColor fillOf(const SceneNode &node) const;
    [[nodiscard]] QColor dotOf(const SceneNode &node) const;
    // In 17 bits: the same for nodes whose dots have one colour, or colours that nobody can tell apart.
    [[nodiscard]] std::uint32_t dotLook(const SceneNode &node) const;

private:
    struct Look { // of one node
        QColor fill, line, text, faint;
        double lineWidth = 1;
        bool filledByOverlay = false;
    };

    /// After each node or edge: whether the rest is still wanted.
    [[nodiscard]] bool goesOn() const;
    [[nodiscard]] double px(double at100) const;
    [[nodiscard]] double line(double width) const; // never thinner than a pixel on the screen
    [[nodiscard]] double opacityOf(int node) const;
    [[nodiscard]] Look lookOf(const SceneNode &node) const;
    // On the hot scale, where the overlay has one; below 0: it says nothing of the node.
    [[nodiscard]] double placeOf(const SceneNode &node) const;
    [[nodiscard]] QPainterPath outline(SceneKind kind, const QRectF &rect) const;
    void paintKernelFrame(const SceneFrame &frame, const FrameShape &shape);
    void paintCaption(const SceneFrame &frame, const FrameShape &shape);
    [[nodiscard]] bool isSeen(const QRectF &rect) const { return m_state.view.isNull() || m_state.view.intersects(rect); }
    // How far a frame has gone along with its members.
    [[nodiscard]] QPointF shiftOf(const SceneFrame &frame, const FrameShape &shape) const;
    [[nodiscard]] double opacityOf(const SceneFrame &frame) const;
    void paintNode(int index);
    void paintShape(const SceneNode &node, const QRectF &rect, const Look &look);
    void paintDiffBorder(const SceneNode &node, const QRectF &rect);
    void paintText(const SceneNode &node, const PictureNode &box, const Look &look);
    void paintPhaseBar(const SceneNode &node, const QRectF &rect);
    void paintBadges(const SceneNode &node, const QRectF &rect);
    void paintBorn(const SceneNode &node, const QRectF &rect);
    void paintRing(int index);
    void paintMark(NodeMark mark, const QRectF &rect);
    void paintNote(const QRectF &rect);
    void paintEdge(int index, bool highlighted);
    void paintFans();
    [[nodiscard]] bool drawsBundles() const;
    [[nodiscard]] std::pair<std::size_t, std::size_t> ownPart(const PictureEdge &edge, bool inBundles) const;
    [[nodiscard]] bool touches(const SceneEdge &edge, SceneKey key) const;
    void paintWhole(const SceneEdge &link, const PictureEdge &edge, const QColor &color);
    void paintLeaving(const SceneEdge &link);
    void paintStub(const PictureEdge &edge, const QColor &color, double width);
    void paintHead(SceneEdgeKind kind, QPointF tip, const QColor &color, double width);
    void paintFar(const std::vector<int> &edges);
    void paintDots(const std::vector<int> &nodes);
    [[nodiscard]] QColor edgeColor(SceneEdgeKind kind) const;

    QPainter &m_painter;
    const PaintState &m_state;
    const Theme &m_theme;
    QFont m_titleFont, m_lightFont, m_variableFont, m_captionFont, m_numberFont;
};

} // namespace views
