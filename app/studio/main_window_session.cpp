// Following a session: opening it, and what is shown of it.
#include "app/studio/graph_page.h"
#include "app/studio/main_window.h"
#include "app/studio/run_bar.h"
#include "app/studio/side_panels.h"
#include "views/common/panels.h"
#include "views/profile/functions_view.h"
#include "views/steps/steps_view.h"

#include <QDir>
#include <QDockWidget>
#include <QFileInfo>

namespace app {

using namespace views;

namespace {

QString text(const std::string &value) { return QString::fromStdString(value); }

} // namespace

void MainWindow::openFile(const QString &path) {
    const QFileInfo info(path);
    m_lastError.clear();
    m_notice->clear();
    if (!info.exists() || !info.isFile()) {
        showError(tr("There is no file %1.").arg(path));
        return;
    }
    const QString suffix = info.suffix().toLower();
    m_file = info.absoluteFilePath();
    if (suffix == "py") {
        openScript(m_file);
    } else if (suffix == "json") {
        openDocument(m_file);
    } else {
        m_preferences.addRecentFile(m_file);
        openSession(m_file, false);
    }
}

void MainWindow::openSession(const QString &path, bool growing) {
    m_reading = true;
    m_watcher.open(path, growing);
    refreshRunBar();
}

void MainWindow::openScript(const QString &path) {
    m_preferences.addRecentFile(path);
    m_script = path;
    runScript();
}

void MainWindow::sessionOpened(std::shared_ptr<const SessionData> session) {
    m_reading = false;
    adopt(std::move(session), true);
}

void MainWindow::sessionUpdated(std::shared_ptr<const SessionData> session) { adopt(std::move(session), false); }

void MainWindow::adopt(std::shared_ptr<const SessionData> session, bool first) {
    m_session = std::move(session);
    const SessionData &data = *m_session;
    if (m_script.isEmpty() || first) {
        const QString recorded = QDir(text(data.info.directory)).filePath(text(data.script.path));
        if (QFileInfo(recorded).isFile() && recorded.endsWith(".py"))
            m_script = recorded;
        else if (first && !m_worker.isRunning())
            m_script.clear();
    }
    if (first) {
        m_hub.reset();
        takeSettings(data);
    }
    m_source->setSession(m_session);
    m_functions->setRows(functionRows(data));
    const profiler::FunctionInfo *function = currentFunction();
    if (!function && !data.functions.empty())
        selectBusiestFunction(data);
    else
        showFunction(first);
    if (first && m_workspace == "welcome")
        setWorkspace(QStringLiteral("graph"));
    refreshTables();
    refreshInspector();
    refreshStatus();
    refreshRunBar();
    refreshStrip();
    if (first)
        Q_EMIT sessionShown();
}

void MainWindow::takeSettings(const SessionData &data) {
    std::vector<std::pair<QString, QStringList>> rewrites;
    for (const QString &phase : Theme::phaseNames()) {
        QStringList names;
        for (const profiler::RewriteInfo &rewrite : data.rewrites)
            if (text(rewrite.phase) == phase)
                names << text(rewrite.name);
        if (!names.isEmpty())
            rewrites.emplace_back(phase, names);
    }
    m_runBar->setRewrites(rewrites);
    const RunSettings standard;
    RunSettings settings = m_runBar->settings();
    for (const profiler::Flag &flag : data.flags) {
        if (flag.name == "device")
            settings.device = text(flag.value);
        else if (flag.name == "mode")
            settings.mode = flag.value == "Mode" ? standard.mode : text(flag.value); // Theano's word for it
        else if (flag.name == "floatX")
            settings.floatX = text(flag.value);
    }
    m_runBar->setSettings(settings);
}

// The function with most time is what a person wants to see first.
void MainWindow::selectBusiestFunction(const SessionData &data) {
    const profiler::FunctionInfo *largest = &data.functions.front();
    for (const profiler::FunctionInfo &each : data.functions)
        if (each.run.totalNs > largest->run.totalNs)
            largest = &each;
    Selection selection;
    selection.function = raw(largest->id);
    m_hub.reset(selection);
}

const profiler::FunctionInfo *MainWindow::currentFunction() const {
    return m_session ? m_session->function(m_hub.selection().function) : nullptr;
}

void MainWindow::showFunction(bool fresh) {
    const Selection &selection = m_hub.selection();
    const profiler::FunctionInfo *function = currentFunction();
    std::shared_ptr<const GraphData> graph =
        m_session ? m_session->graphOf(selection.function, selection.graph) : nullptr;
    const bool sameGraph = graph && m_graph && graph->info.id == m_graph->info.id && !fresh;
    const bool unchanged = graph == m_graph;
    m_graph = graph;
    if (!graph) {
        m_links.reset();
        m_steps->setSteps({}, {});
        m_graphPage->setScenes(nullptr, {}, {},
                               m_session && m_session->functions.empty()
                                   ? tr("No function was compiled yet.")
                                   : tr("The graph of this function is not recorded yet."));
        return;
    }
    if (!unchanged || !m_links) {
        m_links = std::make_shared<Links>(graph);
        m_steps->setSteps(graph->steps, graph->passes);
    }
    auto scenes = std::make_shared<GraphScenes>(m_session, graph, m_session->costs);
    if (sameGraph)
        m_graphPage->refreshScenes(scenes);
    else
        m_graphPage->setScenes(scenes, function ? text(function->name) : text(graph->info.label),
                               function ? text(function->mode) : QString(), tr("This graph has no recorded steps."));
}

void MainWindow::followSelection(SelectionParts changed) {
    if (!m_session)
        return;
    if (changed & (SelectionPart::Function | SelectionPart::Graph)) {
        showFunction(true);
        refreshTables();
    }
    if (m_links)
        m_hub.setLinked(m_links->linkedTo(m_hub.selection()));
    m_graphPage->follow(changed);
    if (changed & SelectionPart::Node && m_hub.selection().node.isValid() && m_workspace == "graph" &&
        !m_inspectorDock->isVisible())
        m_inspectorDock->show();
    refreshInspector();
    refreshStatus();
}

bool MainWindow::selectFunctionByName(const QString &name, QString *error) {
    for (const profiler::FunctionInfo &function : m_session->functions) {
        if (text(function.name) == name) {
            m_hub.selectFunction(raw(function.id));
            return true;
        }
    }
    *error = tr("This session has no function named %1.").arg(name);
    return false;
}

bool MainWindow::selectByName(const QString &what, QString *error) {
    if (what.startsWith("line:")) {
        m_hub.selectSource({m_source->file(), what.mid(5).toInt()});
        return true;
    }
    const bool original = what.startsWith("original:");
    const QString name = original ? what.mid(9) : what;
    bool isNumber = false;
    const int number = name.toInt(&isNumber);
    if (m_graph) {
        for (const profiler::ApplyRow &row : m_graph->applies) {
            if (original ? !row.inOriginal : !row.inOptimized)
                continue;
            const int index = original ? row.originalIndex : row.optimizedIndex;
            if (isNumber ? index == number
                         : text(row.friendly) == name || text(row.op) == name || text(row.opClass).section('.', -1) == name) {
                m_hub.selectNode({original ? Side::Original : Side::Optimized, NodeKind::Apply, raw(row.apply)});
                return true;
            }
        }
        for (const profiler::VariableRow &row : m_graph->variables) {
            if (text(row.name) == name && !isNumber && row.owner == profiler::kNoApply) {
                m_hub.selectNode({original ? Side::Original : Side::Optimized, NodeKind::Variable, raw(row.variable)});
                return true;
            }
        }
    }
    *error = tr("No node of this graph is named or numbered %1.").arg(name);
    return false;
}

} // namespace app
