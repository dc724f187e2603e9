#include "app/studio/run/session_keeper.h"

#include "app/studio/run/carried.h"
#include "views/common/node_title.h"
#include "views/common/text.h"
#include "views/common/theme.h"

#include <QDir>
#include <QFileInfo>

#include <utility>

namespace app {

using namespace views;

SessionKeeper::SessionKeeper(SelectionHub &hub, SessionWatcher::Prepare prepare, QObject *parent)
    : QObject(parent), m_hub(hub), m_watcher(std::move(prepare))
{
    connect(&m_hub, &SelectionHub::selectionChanged, this, [this](const Selection &, SelectionParts selected) { follow(selected); });
    connect(&m_watcher, &SessionWatcher::opened, this, [this](std::shared_ptr<const SessionData> session) {
        m_reading = false;
        adopt(std::move(session), std::exchange(m_exchanging, false) ? Adopt::Exchanged : Adopt::First);
    });
    connect(&m_watcher, &SessionWatcher::updated, this,
            [this](std::shared_ptr<const SessionData> session) { adopt(std::move(session), Adopt::Grown); });
    connect(&m_watcher, &SessionWatcher::prepared, this, [this] { Q_EMIT changed({}, {}); });
    connect(&m_watcher, &SessionWatcher::failed, this, [this](const QString &sentence, const QString &hint) {
        m_reading = m_exchanging = false;
        Q_EMIT failed(hint.isEmpty() ? sentence : sentence + QLatin1Char(' ') + hint);
    });
}

void SessionKeeper::open(const QString &path, bool growing)
{
    m_reading = true;
    m_growing = growing;
    m_exchanging = false;
    m_scriptOpened = m_scriptOpened && growing;
    m_watcher.open(path, growing);
}

void SessionKeeper::breakOff()
{
    if (!std::exchange(m_reading, false)) return;
    m_growing = m_exchanging = m_scriptOpened = false;
    m_watcher.breakOff();
    Q_EMIT changed({}, {});
}

void SessionKeeper::exchange(const QString &path)
{
    m_growing = false;
    m_exchanging = true;
    m_watcher.openPrepared(path);
}

void SessionKeeper::openScript(const QString &script, const QString &sessions)
{
    m_reading = true;
    m_growing = m_exchanging = false;
    m_scriptOpened = true;
    m_script = script;
    m_watcher.openScript(script, sessions);
}

const profiler::FunctionInfo *SessionKeeper::function() const
{
    return m_session ? m_session->function(m_hub.selection().function) : nullptr;
}

ViewFeed SessionKeeper::feed() const
{
    ViewFeed feed;
    feed.session = m_session;
    feed.graph = m_graph;
    feed.links = m_links;
    feed.function = function();
    feed.selection = m_hub.selection();
    return feed;
}

void SessionKeeper::adopt(std::shared_ptr<const SessionData> session, Adopt how)
{
    const bool first = how == Adopt::First || !m_session;
    const std::shared_ptr<const SessionData> before = std::exchange(m_session, std::move(session));
    findScript(first);
    m_adopting = true;
    m_changed = first ? FeedPart::Opened | FeedPart::Session : FeedParts(FeedPart::Session);
    m_selected = {};
    const profiler::FunctionInfo *busiest = m_session->busiestFunction();
    if (!first && how == Adopt::Exchanged) {
        const Selection selection = carried(m_hub.selection(), *before, *m_session);
        if (haveOneShape(*before, *m_session)) m_hub.select(selection, SelectionHub::History::Replace);
        else m_hub.reset(selection); // the history is of other numbers
    } else if (first || (busiest && !function())) {
        Selection selection;
        selection.workspace = m_hub.selection().workspace;
        if (busiest) selection.function = raw(busiest->id);
        m_hub.reset(selection);
    }
    refreshGraph();
    if (m_links) m_hub.setLinked(m_links->linkedTo(m_hub.selection()));
    m_adopting = false;
    Q_EMIT changed(std::exchange(m_changed, {}), std::exchange(m_selected, {}));
    if (first) Q_EMIT opened();
    else if (how == Adopt::Exchanged) Q_EMIT exchanged();
}

void SessionKeeper::findScript(bool first)
{
    if (m_scriptOpened) return;
    if (!first && !m_script.isEmpty()) return;
    if (first && !m_growing) m_script.clear();
    const QString name = text(m_session->script.path);
    if (!name.endsWith(".py")) return;
    // Where it was recorded, or, for a session that came with its script, beside it.
    const QString recorded = QDir(text(m_session->info.directory)).filePath(name);
    const QString beside = QFileInfo(path()).absoluteDir().filePath(QFileInfo(name).fileName());
    for (const QString &script : {recorded, beside}) {
        if (!QDir::isAbsolutePath(script) || !QFileInfo(script).isFile()) continue;
        m_script = script;
        return;
    }
}

void SessionKeeper::refreshGraph()
{
    const Selection &selection = m_hub.selection();
    std::shared_ptr<const GraphData> graph = m_session ? m_session->graphOf(selection.function, selection.graph) : nullptr;
    if (graph == m_graph) return;
    m_graph = std::move(graph);
    m_links = m_graph ? m_session->linksOf(m_graph->info.id) : nullptr;
    m_changed |= FeedPart::Graph;
}

void SessionKeeper::follow(SelectionParts selected)
{
    m_changed |= FeedPart::Selection;
    m_selected |= selected;
    if (m_adopting) return;
    refreshGraph();
    if (m_links) m_hub.setLinked(m_links->linkedTo(m_hub.selection()));
    Q_EMIT changed(std::exchange(m_changed, {}), std::exchange(m_selected, {}));
}

RunSettings SessionKeeper::recordedSettings(RunSettings last) const
{
    const RunSettings standard;
    for (const profiler::Flag &flag : m_session->flags) {
        if (flag.origin == "script") continue; // it sets that whatever the bar says
        if (flag.name == "device") last.device = text(flag.value);
        else if (flag.name == "mode") last.mode = flag.value == "Mode" ? standard.mode : text(flag.value); // Theano's word for it
        else if (flag.name == "floatX") last.floatX = text(flag.value);
        else if (flag.name == "allow_gc") last.allowGc = flag.value != "False";
        else if (flag.name == "threads") last.threads = std::max(0, text(flag.value).toInt());
        else if (flag.name == "optimizer_excluding") last.excluded = text(flag.value).split(u':', Qt::SkipEmptyParts);
    }
    return withGiven(std::move(last), givenFlags());
}

GivenFlags SessionKeeper::givenFlags() const
{
    if (!m_session) return {};
    if (!m_session->isRecorded()) return flagsSetIn(text(m_session->script.text));
    GivenFlags given;
    for (const profiler::Flag &flag : m_session->flags)
        if (flag.origin != "default" && flag.origin != "CROTON_FLAGS" && flag.origin != "command line")
            given.insert(text(flag.name), {text(flag.value), text(flag.origin)});
    return given;
}

std::vector<RewriteChoice> SessionKeeper::rewrites() const
{
    std::vector<RewriteChoice> rewrites;
    for (const profiler::RewriteInfo &rewrite : m_session->rewrites)
        rewrites.push_back(
            {text(rewrite.name), text(rewrite.phase), text(rewrite.tags).split(u',', Qt::SkipEmptyParts), text(rewrite.why)});
    for (RewriteChoice &rewrite : rewrites)
        for (QString &tag : rewrite.tags) tag = tag.trimmed();
    return rewrites;
}

bool SessionKeeper::selectFunction(const QString &name, QString *error)
{
    for (const profiler::FunctionInfo &each : m_session->functions) {
        if (text(each.name) == name) {
            m_hub.selectFunction(raw(each.id));
            return true;
        }
    }
    *error = tr("This session has no function named %1.").arg(name);
    return false;
}

bool SessionKeeper::selectStep(const QString &what, QString *error)
{
    Selection next = m_hub.selection();
    bool isNumber = false;
    next.step = what.toInt(&isNumber);
    if (!isNumber) next.step = what == "first" ? 0 : Selection::kLastStep;
    return select(next, error);
}

bool SessionKeeper::select(const Selection &selection, QString *error)
{
    const auto graph = m_session->graphOf(selection.function, selection.graph);
    const int last = graph && graph->final ? graph->final->stepCount() : 0;
    if (selection.function >= 0 && !m_session->function(selection.function))
        *error = tr("This session has no function with the number %1.").arg(selection.function);
    else if (selection.step > last) *error = tr("There is no step %1: the steps of this graph are 0 to %2.").arg(selection.step).arg(last);
    else {
        m_hub.select(selection);
        return true;
    }
    return false;
}

bool SessionKeeper::select(const QString &what, QString *error)
{
    if (what.startsWith("line:")) {
        const SourceRef now = m_hub.selection().source;
        const std::vector<std::string> files = m_session->sourceFiles();
        const QString file = now.isValid() || files.empty() ? now.file : text(files.front());
        m_hub.selectSource({file, what.mid(5).toInt()});
        return true;
    }
    const bool original = what.startsWith("original:");
    const Side side = original ? Side::Original : Side::Optimized;
    const QString name = original ? what.mid(9) : what;
    bool isNumber = false;
    const int number = name.toInt(&isNumber);
    if (m_graph) {
        for (const profiler::ApplyRow &row : m_graph->applies) {
            if (original ? !row.inOriginal : !row.inOptimized) continue;
            const int index = original ? row.originalIndex : row.optimizedIndex;
            if (isNumber ? index == number
                         : friendlyName(text(row.friendly)) == name || text(row.op) == name || text(row.opClass).section('.', -1) == name) {
                m_hub.selectNode({side, NodeKind::Apply, raw(row.apply)});
                return true;
            }
        }
        for (const profiler::VariableRow &row : m_graph->variables) {
            if (text(row.name) == name && !isNumber && row.owner == profiler::kNoApply) {
                m_hub.selectNode({side, NodeKind::Variable, raw(row.variable)});
                return true;
            }
        }
    }
    *error = tr("No node of this graph is named or numbered %1.").arg(name);
    return false;
}

} // namespace app
