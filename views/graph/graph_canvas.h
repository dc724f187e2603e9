// The picture of one graph: pan, zoom, pick, walk by keys, step with motion. Shows a Scene; knows no session.
#pragma once

#include "views/common/selection_hub.h"
#include "views/common/theme.h"
#include "views/graph/graph_drawing.h"

#include <QElapsedTimer>
#include <QImage>
#include <QPointer>
#include <QTimer>
#include <QVariantAnimation>
#include <QWidget>

#include <atomic>
#include <memory>

namespace views {

class DotJob;

class GraphCanvas : public QWidget {
    Q_OBJECT
public:
    enum class Change {
        Fresh, // another graph: laid out anew, view reset
        Anew,  // the same graph, laid out as if it had not been seen; moves over
        Step,  // the same graph a moment later: survivors keep their place
        End,   // as Step, at the end of a pass: laid out compactly if it has grown untidy
    };
    enum class Reach { Inputs, Outputs };

    explicit GraphCanvas(QWidget *parent = nullptr);
    ~GraphCanvas() override;

    // heirs: gone key → key that takes its place.
    void setScene(Scene scene, Change change, const QHash<SceneKey, SceneKey> &heirs = {});
    // Another look of the same graph (times arrived, a badge changed): no layout unless boxes change size.
    void refreshScene(Scene scene);
    void clear();
    void layOutAgain();

    [[nodiscard]] const Scene &scene() const { return *m_scene; }
    [[nodiscard]] const Picture &picture() const { return *m_picture; }
    // False while a first picture still waits for Graphviz or a step is moving.
    [[nodiscard]] bool isSettled() const;
    // Ends every motion at once.
    void settle();

    // A fresh scene whose nodes stand as in another canvas where both have them.
    void setSceneLike(Scene scene, const PictureMemory &other);

    // A small picture inside something else: no dots, no minimap, always all of it.
    void setPlain(Color ground);
    void setUseGraphviz(bool on);
    // How long a first picture waits for Graphviz, in all canvases: nobody minds where no person waits.
    static void setPatience(int ms);
    // A sentence in the corner about what is shown; empty: none.
    void setNote(const QString &note);
    void setOverlay(Overlay overlay);
    [[nodiscard]] Overlay overlay() const { return m_overlay; }
    void setSelected(const QSet<SceneKey> &keys);
    void setLinked(const QSet<SceneKey> &keys);
    void setMarks(const QHash<SceneKey, NodeMark> &marks);
    [[nodiscard]] const QHash<SceneKey, NodeMark> &marks() const { return m_rings.marks; }
    // What a person noted on nodes: a sign, and the words in the tool tip.
    void setNotes(const QHash<SceneKey, QString> &notes);
    [[nodiscard]] const QHash<SceneKey, QString> &notes() const { return m_rings.notes; }
    [[nodiscard]] const QSet<SceneKey> &selected() const { return m_rings.selected; }
    [[nodiscard]] const QSet<SceneKey> &linked() const { return m_rings.linked; }
    // Nodes that a NodeQuery matches keep their colour. They are there when matchesChanged tells, which may be later.
    void setSearch(const QString &text);
    [[nodiscard]] bool isSearching() const { return m_search.running != nullptr; }
    // Those that stand in closed groups come behind the others.
    void setHiddenMatches(const QString &search, std::vector<SceneKey> keys);
    [[nodiscard]] int hiddenMatchCount() const { return m_search.hiddenShown; }
    [[nodiscard]] int matchCount() const { return static_cast<int>(m_search.order.size()); }
    // The match that was shown last, from 0; -1: none yet.
    [[nodiscard]] int match() const { return m_search.at; }
    const std::vector<SceneKey> &matches() const { return m_search.order; }
    void showNextMatch(bool backwards = false);
    void showMatch(int number);
    // Nothing but the matches, or the path, is drawn.
    void setIsolated(bool on);
    [[nodiscard]] bool isIsolated() const { return m_isolated; }
    void showPath(SceneKey from, Reach reach);
    void showNeighbours(SceneKey around, int steps);
    // From there always on to what takes longest of what is next to it, until there are so many applies.
    void showSlowestAround(SceneKey around, int applies);
    [[nodiscard]] bool hasPath() const { return !m_rings.path.isEmpty(); }

    // Arrows, Home and End are handed on, unless one walks along the nodes already (Return begins that, Esc ends it).
    void setStepsByKey(bool on) { m_stepsByKey = on; }

    [[nodiscard]] double scale() const { return m_camera.scale; }
    void setScale(double scale, QPointF aroundWidgetPoint);
    void fit();
    // Scrolls just enough that the node is in view.
    void reveal(SceneKey key);
    void centerOn(SceneKey key);
    // Brings a node, or all of an opened group, into view; false: it is not there.
    bool showOpened(SceneKey key);
    [[nodiscard]] SceneKey nodeAt(QPointF widgetPoint) const;
    [[nodiscard]] QRectF widgetRect(SceneKey key) const;
    // The innermost opened group around a node.
    [[nodiscard]] SceneKey openGroupAround(SceneKey key) const;

    // Shown while not all of the picture is in view: in a corner without nodes, else as a button that opens it.
    [[nodiscard]] bool hasMinimap() const { return !m_plain && !m_scene->nodes.empty() && !everythingInView(); }
    [[nodiscard]] QRectF minimapRect() const; // as it is drawn now

    // Everything as it is drawn: for the exports. `only` not empty: those nodes and the edges among them.
    [[nodiscard]] GraphDrawing drawing(const QSet<SceneKey> &only = {}) const;
    // What an export of a part takes: the matches, the path, or what is selected; empty: there is none.
    [[nodiscard]] QSet<SceneKey> part() const;

    [[nodiscard]] QSize minimumSizeHint() const override { return {160, 120}; }
    [[nodiscard]] QSize sizeHint() const override { return {600, 480}; }

Q_SIGNALS:
    void nodeClicked(views::SceneKey key, bool add); // kNoSceneKey: the ground
    void nodeHovered(views::SceneKey key);
    void searched(const QString &text);
    void matchesChanged();
    void hiddenWanted(views::SceneKey key); // a match in a closed group is to be shown
    void groupToggled(views::SceneKey key);
    void innerOpened(views::SceneKey key); // of a Scan
    void contextMenuRequested(views::SceneKey key, const QPoint &globalPos);
    void scaleChanged(double scale);
    void sceneChanged();
    void stepKeyPressed(int key);
    void selectedChanged();
    void settled();

protected:
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void mouseReleaseEvent(QMouseEvent *event) override;
    void mouseDoubleClickEvent(QMouseEvent *event) override;
    void wheelEvent(QWheelEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void focusInEvent(QFocusEvent *event) override;
    void focusOutEvent(QFocusEvent *event) override;
    void leaveEvent(QEvent *event) override;
    bool event(QEvent *event) override;

private:
    struct Chevron {
        QRectF rect; // on the widget
        QString text;
        SceneKey key = kNoSceneKey;
        int side = 0; // 0 left, 1 up, 2 right, 3 down
        bool selected = false;
    };

    // layout and motion
    enum class Entrance { Fresh, Better, Motion, Jump, SamePlace }; // how a picture takes the place of another
    struct Layout;
    // Lays out a scene, in another thread where that would be felt, and installs it.
    void lay(Layout layout);
    void refresh(std::shared_ptr<const Scene> scene);
    void install(Layout layout);
    void adopt(std::shared_ptr<const Picture> picture);
    [[nodiscard]] bool isLarge(const Scene &scene) const;
    void startDot();
    void showFirst();
    struct Found;
    void collectMatches();
    void takeMatches(Found found);
    [[nodiscard]] std::vector<std::vector<int>> touching() const; // by node
    void startMotion(std::shared_ptr<const Scene> oldScene, std::shared_ptr<const Picture> oldPicture,
                     const QHash<SceneKey, SceneKey> &heirs, bool jump = false);
    void advanceMotion(double ms);
    void resetView();
    [[nodiscard]] QRectF changeRect(const QSizeF &view) const;
    [[nodiscard]] QPointF showingChange(QPointF origin, const QSizeF &view) const;
    void holdChange(const Scene &oldScene, const Picture &oldPicture, bool jump);

    // camera
    struct View {
        QPointF origin;
        double scale = 1;
    };
    [[nodiscard]] View firstView() const;
    [[nodiscard]] QPointF toScene(QPointF widgetPoint) const { return widgetPoint / m_camera.scale + m_camera.origin; }
    [[nodiscard]] QPointF toWidget(QPointF scenePoint) const { return (scenePoint - m_camera.origin) * m_camera.scale; }
    [[nodiscard]] QRectF viewed() const;
    enum class Glide { None, Camera, WithStep }; // WithStep: as the nodes of a step move
    void moveCamera(QPointF origin, double scale, Glide glide);
    [[nodiscard]] bool everythingInView() const;
    [[nodiscard]] double fitScale() const;
    [[nodiscard]] double busiestLeft(double top, const QSizeF &view) const;

    // painting
    [[nodiscard]] PaintState paintState() const;
    void paintGround(QPainter &painter) const;
    [[nodiscard]] std::vector<int> movingNodes(const QRectF &region) const;
    [[nodiscard]] std::vector<int> movingEdges(const QRectF &region) const;
    void placeMinimap();
    void paintMinimap(QPainter &painter);
    void refreshMinimap(const QRectF &frame);
    void paintFoldedMinimap(QPainter &painter) const;
    [[nodiscard]] QImage minimapPicture(const QRectF &frame) const;
    void paintNote(QPainter &painter) const;
    void paintChevrons(QPainter &painter);
    void collectChevrons();
    [[nodiscard]] QRectF atCorner(Qt::Corner corner, QSizeF size) const;
    [[nodiscard]] bool isOverNodes(const QRectF &widgetRect) const;
    [[nodiscard]] QRectF minimapContent(const QRectF &frame) const;
    void minimapJump(QPointF widgetPoint);

    // picking and walking
    [[nodiscard]] int indexAt(QPointF widgetPoint) const;
    [[nodiscard]] int edgeAt(QPointF widgetPoint) const;
    [[nodiscard]] int stubAt(QPointF widgetPoint) const;
    [[nodiscard]] bool onFoldButton(int index, QPointF widgetPoint) const;
    // The opened group whose caption is there.
    [[nodiscard]] SceneKey captionAt(QPointF widgetPoint) const;
    void walk(int key);
    void setFocused(SceneKey key);
    [[nodiscard]] QString toolTipOf(int node) const;
    [[nodiscard]] QString toolTipOfEdge(int edge) const;

    std::shared_ptr<const Scene> m_scene;     // others may read it in their threads, so it is replaced and never changed
    std::shared_ptr<const Picture> m_picture; // as drawn now: between two pictures while moving
    std::shared_ptr<const Picture> m_target;
    Overlay m_overlay = Overlay::None;
    struct Rings { // what stands out, and what stands beside a node
        QSet<SceneKey> selected, linked, path;
        QHash<SceneKey, NodeMark> marks;
        QHash<SceneKey, QString> notes;
    };
    Rings m_rings;
    struct Search {
        QString text;
        QSet<SceneKey> matches;
        std::vector<SceneKey> order;
        std::vector<SceneKey> hidden; // of `text`, in closed groups when it was asked for
        int hiddenShown = 0;          // how many of them end `order`
        int at = -1;
        std::shared_ptr<std::atomic<bool>> running; // in another thread; true: nobody waits for it any more
    };
    Search m_search;
    bool m_isolated = false;
    SceneKey m_hovered = kNoSceneKey;
    SceneKey m_focused = kNoSceneKey;
    bool m_keyboard = false; // focus came by keyboard: the rings show
    bool m_stepsByKey = false;
    std::vector<Chevron> m_chevrons;

    struct Camera {
        double scale = 1;
        QPointF origin;
        bool userMoved = false; // the person chose a view: it is not refitted on resize
        QVariantAnimation flight;
        QPointF from, to;
        double scaleFrom = 1, scaleTo = 1;
    };
    Camera m_camera;

    struct Motion { // from one picture to the next
        QVariantAnimation clock;
        QElapsedTimer sinceScene;         // the last one that was set
        std::shared_ptr<Picture> picture; // what m_picture is while it moves
        std::vector<QPointF> shift;       // of every node from its target at the start
        std::vector<double> opacity;
        std::vector<char> added;
        std::shared_ptr<const Scene> leavingScene;
        std::shared_ptr<const Picture> leavingPicture;
        std::vector<int> leaving;
        double leavingOpacity = 0;
    };
    Motion m_motion;

    struct Minimap {
        QImage image; // its nodes; of another size than it is drawn: none yet
        bool isOld = true;
        bool isAsked = false; // it is made in a moment
        Qt::Corner corner = Qt::BottomLeftCorner;
        bool isFolded = false; // every corner has nodes: a button that opens under the pointer
        bool isOpened = false;
    };
    Minimap m_minimap;

    Color m_ground = Color::Canvas;
    bool m_plain = false;
    QString m_note;
    struct Arriving { // pictures that threads and Graphviz make
        bool useGraphviz = true;
        bool isWaiting = false; // for the first picture
        quint64 generation = 0; // of the newest scene: older layouts that arrive late are dropped
        int pending = 0;        // nodes of a scene that a thread lays out
        std::unique_ptr<DotJob> dot;
        QTimer patience;
    };
    Arriving m_layout;

    enum class Drag { None, Maybe, Pan, Minimap };
    struct Dragging {
        Drag what = Drag::None;
        QPointF pressed, origin;
    };
    Dragging m_drag;
};

} // namespace views
