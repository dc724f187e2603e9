#pragma once

#include "views/common/request.h"

#include <QHash>
#include <QObject>
#include <QSet>
#include <QString>

#include <cstdint>
#include <optional>
#include <vector>

namespace views {

/// Which of a function's two pictures a node belongs to. At a step of the replay both share the ids of the arena.
enum class Side : std::uint8_t { Original, Optimized };
enum class NodeKind : std::uint8_t { Apply, Variable };

/// One node of one side. `id` is the apply or variable id of the session's graph.
struct NodeRef {
    Side side = Side::Optimized;
    NodeKind kind = NodeKind::Apply;
    std::int64_t id = -1;

    bool isValid() const { return id >= 0; }
    friend bool operator==(const NodeRef &, const NodeRef &) = default;
};

inline size_t qHash(const NodeRef &node, size_t seed = 0)
{
    return qHashMulti(seed, static_cast<int>(node.side), static_cast<int>(node.kind), static_cast<qint64>(node.id));
}

struct SourceRef {
    QString file;
    int line = 0; ///< 1-based; 0: none

    bool isValid() const { return line > 0; }
    friend bool operator==(const SourceRef &, const SourceRef &) = default;
};

inline size_t qHash(const SourceRef &source, size_t seed = 0) { return qHashMulti(seed, source.file, source.line); }

struct TimeRange {
    std::int64_t startNs = 0;
    std::int64_t endNs = 0;

    bool isValid() const { return endNs > startNs; }
    friend bool operator==(const TimeRange &, const TimeRange &) = default;
};

/// What the person looks at. One value for the whole window; every view reads it, any view may set it.
struct Selection {
    static constexpr int kLastStep = -1;

    std::int64_t function = -1;    ///< id of the session's function
    std::int64_t graph = -1;       ///< nested graph shown; -1: the function's own graph
    std::int64_t parentApply = -1; ///< apply that holds the nested graph
    int step = kLastStep;          ///< 0: as written … n: after step n; kLastStep: the optimized graph
    NodeRef node;
    SourceRef source;
    std::int64_t call = -1; ///< call instance
    TimeRange range;
    QString workspace; ///< where it is looked at: "graph", "profile"; empty in a request: where one is
    QString place;     ///< the view in the workspace that was asked for last: "operations"; empty: its page

    /// The same in another function: of the session as a whole are only the range of time and the view. In its own function nothing
    /// changes.
    Selection inFunction(std::int64_t other) const;
    /// The same at a node of the function's own optimized graph: not in a nested graph, at the last step, at no line.
    Selection atOptimized(NodeKind kind, std::int64_t id) const;

    friend bool operator==(const Selection &, const Selection &) = default;
};

/// Bits of what a change touched, so that a view ignores what it does not show.
enum class SelectionPart : unsigned {
    Function = 1u << 0,
    Graph = 1u << 1,
    Step = 1u << 2,
    Node = 1u << 3,
    Source = 1u << 4,
    Call = 1u << 5,
    Range = 1u << 6,
    Workspace = 1u << 7,
    Place = 1u << 8,
};
Q_DECLARE_FLAGS(SelectionParts, SelectionPart)
Q_DECLARE_OPERATORS_FOR_FLAGS(SelectionParts)

/// What belongs to the selection by lineage: drawn with the linked ring. The application fills it from the session.
struct Linked {
    QSet<NodeRef> nodes;
    QSet<SourceRef> lines;   ///< where it was written: the innermost line in each file
    QSet<SourceRef> callers; ///< of the same files, what called those
    std::vector<int> steps;  ///< steps that touched the selected node, ascending

    friend bool operator==(const Linked &, const Linked &) = default;
};

/// What stands on a node while somebody says what will become of it: chosen, and after the answer whether that was right.
enum class NodeMark : std::uint8_t { Chosen, Right, Missed, Wrong };
using NodeMarks = QHash<NodeRef, NodeMark>;

/// A view as others name it: in "Show in ▸", in a list of what there is.
struct ViewName {
    QString id;
    QString title;
    QString icon;
};

/// What the hot colours of the graph stand for now; without a title: nothing.
struct ColourScale {
    QString title;
    QString least, most; ///< at its ends, with units

    friend bool operator==(const ColourScale &, const ColourScale &) = default;
};

/// The one shared selection with its history (GUI thread), and the way from a view to the window. Views set it and listen;
/// they never call one another.
class SelectionHub : public QObject {
    Q_OBJECT
public:
    enum class History { Push, Replace };

    explicit SelectionHub(QObject *parent = nullptr);

    const Selection &selection() const { return m_current; }
    const Linked &linked() const { return m_linked; }
    NodeRef hovered() const { return m_hovered; }

    /// Makes it current and tells what changed; an equal selection does nothing. Push adds a history entry.
    void select(const Selection &wanted, History history = History::Push);

    void selectFunction(std::int64_t function);
    void selectNode(const NodeRef &node);
    /// An apply of the optimized graph of a function, as its times are measured: the function, its own graph and its last step with it.
    /// Without a function: of the one that is selected; without an apply: the function alone.
    void selectApply(std::int64_t apply, std::int64_t function = -1);
    void selectSource(const SourceRef &source);
    /// Brings the script to front at a line.
    void showSource(const SourceRef &source);
    /// Moving through steps replaces the entry of a step before it, so that Back leaves the stepping at once.
    void selectStep(int step);
    void selectRange(const TimeRange &range);
    void openNested(std::int64_t graph, std::int64_t parentApply);
    /// Asks the window to bring a view to front, with the same selection.
    void showIn(const QString &view) { Q_EMIT showInRequested(view); }
    /// Asks the window for something.
    void request(const Request &wanted) { Q_EMIT requested(wanted); }
    /// A view of a workspace. A step of the history, so that Back returns to where one was.
    void selectPlace(const QString &workspace, const QString &place);
    void selectWorkspace(const QString &workspace, History history = History::Push);

    /// Views that show the selection, as the window has them.
    void setViewNames(std::vector<ViewName> names) { m_viewNames = std::move(names); }
    const std::vector<ViewName> &viewNames() const { return m_viewNames; }

    bool canGoBack() const { return m_at > 0; }
    /// While Back or Forward makes a selection current.
    bool isTravelling() const { return m_travelling; }
    bool canGoForward() const { return m_at + 1 < m_history.size(); }

    void setLinked(Linked linked);
    void setHovered(const NodeRef &node);
    /// Drawn on the graph beside the selection; a node is marked on whatever side it is shown.
    const NodeMarks &marks() const { return m_marks; }
    void setMarks(const NodeMarks &marks);
    const ColourScale &colourScale() const { return m_colourScale; }
    void setColourScale(const ColourScale &scale);

    /// Forgets everything: another session was opened.
    void reset(const Selection &first = {});

    /// The selection as the text of "copy link to this view", and back. Unknown keys are ignored.
    /// With the file of the session, where it is given.
    static QString toLink(const Selection &selection, const QString &session = {});
    static std::optional<Selection> fromLink(const QString &link);
    static QString sessionOfLink(const QString &link);

public Q_SLOTS:
    void goBack();
    void goForward();

Q_SIGNALS:
    void selectionChanged(const views::Selection &selection, views::SelectionParts changed);
    void linkedChanged(const views::Linked &linked);
    void hoveredChanged(const views::NodeRef &node);
    void marksChanged();
    void colourScaleChanged();
    void historyChanged(bool canGoBack, bool canGoForward);
    /// A view asks that a view comes to front, by its id in the table of views.
    void showInRequested(const QString &view);
    /// A view asks the window for something.
    void requested(const views::Request &request);
    /// A view has something to tell the person that has no place in it.
    void noticed(const QString &sentence, bool warning);

private:
    void apply(const Selection &next);
    void travelTo(std::size_t at);

    Selection m_current;
    Linked m_linked;
    NodeRef m_hovered;
    NodeMarks m_marks;
    ColourScale m_colourScale;
    std::vector<Selection> m_history;
    std::size_t m_at = 0;
    bool m_lastWasStep = false;
    bool m_travelling = false;
    std::vector<ViewName> m_viewNames;
};

/// What differs between two selections.
SelectionParts differences(const Selection &a, const Selection &b);

} // namespace views

Q_DECLARE_METATYPE(views::Selection)
Q_DECLARE_METATYPE(views::NodeRef)
