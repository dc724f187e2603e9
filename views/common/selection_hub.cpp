#include "views/common/selection_hub.h"

#include <QUrl>
#include <QUrlQuery>

namespace views {
namespace {

constexpr std::size_t kMaxHistory = 200;

} // namespace

SelectionParts differences(const Selection &a, const Selection &b)
{
    SelectionParts parts;
    parts.setFlag(SelectionPart::Function, a.function != b.function);
    parts.setFlag(SelectionPart::Graph, a.graph != b.graph || a.parentApply != b.parentApply);
    parts.setFlag(SelectionPart::Step, a.step != b.step);
    parts.setFlag(SelectionPart::Node, !(a.node == b.node));
    parts.setFlag(SelectionPart::Source, !(a.source == b.source));
    parts.setFlag(SelectionPart::Call, a.call != b.call);
    parts.setFlag(SelectionPart::Range, !(a.range == b.range));
    parts.setFlag(SelectionPart::Workspace, a.workspace != b.workspace);
    parts.setFlag(SelectionPart::Place, a.place != b.place);
    return parts;
}

Selection Selection::inFunction(std::int64_t other) const
{
    if (other == function) return *this;
    Selection next;
    next.function = other;
    next.range = range;
    next.workspace = workspace;
    next.place = place;
    return next;
}

Selection Selection::atOptimized(NodeKind kind, std::int64_t id) const
{
    Selection next = *this;
    next.graph = next.parentApply = -1;
    next.step = kLastStep;
    next.source = {};
    next.node = id < 0 ? NodeRef{} : NodeRef{Side::Optimized, kind, id};
    return next;
}

SelectionHub::SelectionHub(QObject *parent) : QObject(parent), m_history{Selection{}}
{
    qRegisterMetaType<views::Selection>();
    qRegisterMetaType<views::NodeRef>();
}

void SelectionHub::apply(const Selection &next)
{
    const SelectionParts changed = differences(m_current, next);
    if (!changed) return;
    m_current = next;
    Q_EMIT selectionChanged(m_current, changed);
}

void SelectionHub::select(const Selection &wanted, History history)
{
    Selection next = wanted;
    if (next.workspace.isEmpty()) next.workspace = m_current.workspace;
    if (next == m_current) return;
    if (history == History::Push) {
        m_history.resize(m_at + 1);
        m_history.push_back(next);
        if (m_history.size() > kMaxHistory) m_history.erase(m_history.begin());
        m_at = m_history.size() - 1;
    } else {
        m_history[m_at] = next;
    }
    m_lastWasStep = false;
    apply(next);
    Q_EMIT historyChanged(canGoBack(), canGoForward());
}

void SelectionHub::selectFunction(std::int64_t function)
{
    Selection next;
    next.function = function;
    next.place = m_current.place;
    select(next);
}

void SelectionHub::selectNode(const NodeRef &node)
{
    Selection next = m_current;
    next.node = node;
    next.source = {};
    select(next);
}

void SelectionHub::selectApply(std::int64_t apply, std::int64_t function)
{
    select(m_current.inFunction(function < 0 ? m_current.function : function).atOptimized(NodeKind::Apply, apply));
}

void SelectionHub::showSource(const SourceRef &source)
{
    showIn(QStringLiteral("source"));
    selectSource(source);
}

void SelectionHub::selectSource(const SourceRef &source)
{
    Selection next = m_current;
    next.source = source;
    next.node = {};
    select(next);
}

void SelectionHub::selectStep(int step)
{
    Selection next = m_current;
    next.step = step;
    const bool wasStep = m_lastWasStep;
    select(next, wasStep ? History::Replace : History::Push);
    m_lastWasStep = true;
}

void SelectionHub::selectRange(const TimeRange &range)
{
    Selection next = m_current;
    next.range = range;
    select(next, History::Replace);
}

void SelectionHub::openNested(std::int64_t graph, std::int64_t parentApply)
{
    Selection next = m_current;
    next.graph = graph;
    next.parentApply = parentApply;
    next.node = {};
    next.step = Selection::kLastStep;
    select(next);
}

void SelectionHub::selectPlace(const QString &workspace, const QString &place)
{
    Selection next = m_current;
    next.workspace = workspace;
    next.place = place;
    select(next);
}

void SelectionHub::selectWorkspace(const QString &workspace, History history)
{
    Selection next = m_current;
    next.workspace = workspace;
    next.place.clear();
    select(next, history);
}

void SelectionHub::travelTo(std::size_t at)
{
    m_at = at;
    m_travelling = true;
    apply(m_history[m_at]);
    m_travelling = false;
}

void SelectionHub::goBack()
{
    if (!canGoBack()) return;
    m_lastWasStep = false;
    travelTo(m_at - 1);
    Q_EMIT historyChanged(canGoBack(), canGoForward());
}

void SelectionHub::goForward()
{
    if (!canGoForward()) return;
    m_lastWasStep = false;
    travelTo(m_at + 1);
    Q_EMIT historyChanged(canGoBack(), canGoForward());
}

void SelectionHub::setLinked(Linked linked)
{
    if (linked == m_linked) return;
    m_linked = std::move(linked);
    Q_EMIT linkedChanged(m_linked);
}

void SelectionHub::setHovered(const NodeRef &node)
{
    if (node == m_hovered) return;
    m_hovered = node;
    Q_EMIT hoveredChanged(node);
}

void SelectionHub::setMarks(const NodeMarks &marks)
{
    if (marks == m_marks) return;
    m_marks = marks;
    Q_EMIT marksChanged();
}

void SelectionHub::setColourScale(const ColourScale &scale)
{
    if (scale == m_colourScale) return;
    m_colourScale = scale;
    Q_EMIT colourScaleChanged();
}

void SelectionHub::reset(const Selection &first)
{
    m_history = {first};
    m_at = 0;
    m_lastWasStep = false;
    setHovered({});
    setLinked({});
    setMarks({});
    apply(first);
    Q_EMIT historyChanged(false, false);
}

QString SelectionHub::toLink(const Selection &selection, const QString &session)
{
    QUrlQuery query;
    if (!session.isEmpty()) query.addQueryItem(QStringLiteral("session"), QString::fromLatin1(QUrl::toPercentEncoding(session)));
    auto add = [&query](const char *key, qint64 value) { query.addQueryItem(QLatin1String(key), QString::number(value)); };
    if (selection.function >= 0) add("function", selection.function);
    if (selection.graph >= 0) add("graph", selection.graph);
    if (selection.parentApply >= 0) add("parent", selection.parentApply);
    if (selection.step != Selection::kLastStep) add("step", selection.step);
    if (selection.node.isValid()) {
        const char *key = selection.node.kind == NodeKind::Apply ? "apply" : "variable";
        add(key, selection.node.id);
        if (selection.node.side == Side::Original) query.addQueryItem(QStringLiteral("side"), QStringLiteral("original"));
    }
    if (selection.source.isValid()) {
        query.addQueryItem(QStringLiteral("file"), QString::fromLatin1(QUrl::toPercentEncoding(selection.source.file)));
        add("line", selection.source.line);
    }
    if (selection.call >= 0) add("call", selection.call);
    if (selection.range.isValid()) {
        add("from", selection.range.startNs);
        add("to", selection.range.endNs);
    }
    if (!selection.workspace.isEmpty()) query.addQueryItem(QStringLiteral("view"), selection.workspace);
    if (!selection.place.isEmpty()) query.addQueryItem(QStringLiteral("at"), selection.place);
    return QStringLiteral("croton:view?") + query.toString(QUrl::FullyEncoded);
}

std::optional<Selection> SelectionHub::fromLink(const QString &link)
{
    const QUrl url(link, QUrl::StrictMode);
    if (url.scheme() != QLatin1String("croton")) return std::nullopt;
    const QUrlQuery query(url);
    Selection selection;
    bool good = true;
    auto number = [&](const char *key, qint64 fallback) {
        const QString text = query.queryItemValue(QLatin1String(key));
        if (text.isEmpty()) return fallback;
        bool ok = false;
        const qint64 value = text.toLongLong(&ok);
        good = good && ok && value >= 0;
        return ok ? value : fallback;
    };
    selection.function = number("function", -1);
    selection.graph = number("graph", -1);
    selection.parentApply = number("parent", -1);
    selection.step = static_cast<int>(number("step", Selection::kLastStep));
    selection.call = number("call", -1);
    selection.range = {number("from", 0), number("to", 0)};
    selection.workspace = query.queryItemValue(QStringLiteral("view"));
    selection.place = query.queryItemValue(QStringLiteral("at"));
    if (query.hasQueryItem(QStringLiteral("apply"))) {
        selection.node.kind = NodeKind::Apply;
        selection.node.id = number("apply", -1);
    } else if (query.hasQueryItem(QStringLiteral("variable"))) {
        selection.node.kind = NodeKind::Variable;
        selection.node.id = number("variable", -1);
    }
    if (query.queryItemValue(QStringLiteral("side")) == QLatin1String("original")) selection.node.side = Side::Original;
    selection.source.line = static_cast<int>(number("line", 0));
    if (selection.source.isValid()) selection.source.file = query.queryItemValue(QStringLiteral("file"), QUrl::FullyDecoded);
    if (!good) return std::nullopt;
    return selection;
}

QString SelectionHub::sessionOfLink(const QString &link)
{
    return QUrlQuery(QUrl(link, QUrl::StrictMode)).queryItemValue(QStringLiteral("session"), QUrl::FullyDecoded);
}

} // namespace views
