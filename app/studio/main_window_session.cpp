#include "app/studio/graph_page.h"
#include "app/studio/graph_pane.h"
#include "app/studio/inspector_content.h"
#include "app/studio/main_window.h"
#include "app/studio/run_bar.h"
#include "app/studio/side_panels.h"
#include "app/studio/welcome_page.h"
#include "views/common/controls.h"
#include "views/common/formats.h"
#include "views/common/icons.h"
#include "views/common/panels.h"
#include "views/graph/graph_canvas.h"
#include "views/inspector/inspector_view.h"
#include "views/profile/functions_view.h"
#include "views/profile/operations_view.h"
#include "views/profile/summary_view.h"
#include "views/steps/steps_view.h"

#include <QCoreApplication>
#include <QDialog>
#include <QDir>
#include <QDockWidget>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLabel>
#include <QTreeWidget>
#include <QVBoxLayout>

namespace app {

using namespace views;

namespace {

constexpr int kExpressionLimitMs = 20000;

QString text(const std::string &value) { return QString::fromStdString(value); }

QString stateSentence(const SessionData &session) {
    switch (session.info.state) {
    case profiler::SessionState::Running:
        return QCoreApplication::translate("MainWindow", "Running");
    case profiler::SessionState::CutOff:
        return QCoreApplication::translate("MainWindow", "Cut off");
    case profiler::SessionState::Finished:
        break;
    }
    return session.costs->finished.isEmpty()
               ? QCoreApplication::translate("MainWindow", "Session complete")
               : QCoreApplication::translate("MainWindow", "Run finished: %1").arg(session.costs->finished);
}

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
        const QString out = Worker::newSessionPath(m_file);
        const QString program = Worker::findProgram();
        if (program.isEmpty()) {
            showError(tr("A graph document is read by the program croton, which was not found beside the studio."));
            return;
        }
        m_expressionRun = std::make_unique<QProcess>();
        connect(m_expressionRun.get(), &QProcess::finished, this, [this, out](int code) {
            if (code == 0)
                openSession(out, false);
            else
                showError(QString::fromUtf8(m_expressionRun->readAllStandardError()).trimmed());
        });
        m_expressionRun->start(program, {"graph", m_file, "-o", out});
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

void MainWindow::runScript() {
    if (m_script.isEmpty())
        return;
    m_lastError.clear();
    m_notice->clear();
    QString error;
    const QString session = Worker::newSessionPath(m_script);
    if (!m_worker.start(m_script, session, m_runBar->settings(), &error)) {
        showError(error);
        return;
    }
    m_runBar->setRunning(true);
    openSession(session, true);
    refreshStatus();
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
    m_source->setSession(m_session);
    m_functions->setRows(functionRows(data));
    const profiler::FunctionInfo *function = currentFunction();
    if (!function && !data.functions.empty()) {
        // The function with most time is what a person wants to see first.
        const profiler::FunctionInfo *largest = &data.functions.front();
        for (const profiler::FunctionInfo &each : data.functions)
            if (each.run.totalNs > largest->run.totalNs)
                largest = &each;
        Selection selection;
        selection.function = raw(largest->id);
        m_hub.reset(selection);
    } else if (first && !function) {
        showFunction(true);
    } else {
        showFunction(first);
    }
    if (first && m_workspace == "welcome") {
        setWorkspace(QStringLiteral("graph"));
    }
    refreshTables();
    refreshInspector();
    refreshStatus();
    refreshRunBar();
    refreshStrip();
    if (first)
        Q_EMIT sessionShown();
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

void MainWindow::refreshInspector() {
    if (m_pinned)
        return;
    const profiler::FunctionInfo *function = currentFunction();
    if (!m_session || !function || !m_links) {
        m_inspector->setContent({.emptySentence = tr("Nothing is selected. Click a node, a line of the script or a row of a table.")});
        return;
    }
    const Selection &selection = m_hub.selection();
    if (selection.node.isValid())
        m_inspector->setContent(inspectNode(*m_session, *m_session->costs, *m_links, *function, selection.node));
    else if (m_workspace == "steps" || selection.step != Selection::kLastStep)
        m_inspector->setContent(inspectStep(*m_session, *m_links, *function,
                                            selection.step < 0 ? m_graph->info.stepCount : selection.step));
    else
        m_inspector->setContent(inspectFunction(*m_session, *m_session->costs, *function));
    const auto kernels = m_session->kernels.find(function->id);
    const auto apply = m_links->applyOf(selection.node);
    m_graphPage->code()->setKernels(
        kernels == m_session->kernels.end() ? nullptr : &kernels->second, apply ? std::int64_t(*apply) : -1,
        kernels == m_session->kernels.end()
            ? tr("No code was generated for %1: the interpreter and libraries run it.").arg(text(function->name))
            : tr("No code was generated for this node: the interpreter or a library runs it."));
}

void MainWindow::refreshTables() {
    if (!m_session)
        return;
    const Costs &costs = *m_session->costs;
    const profiler::FunctionInfo *function = currentFunction();
    const profiler::FunctionId id = function ? function->id : profiler::kNoFunction;
    auto rows = [id](const auto &byFunction) {
        const auto found = byFunction.find(id);
        return found == byFunction.end() ? std::vector<CostRow>{} : found->second;
    };
    const bool called = function && function->run.calls > 0;
    for (OperationsView *view : {m_graphPage->operations(), m_profileTables}) {
        view->setRows(CostTableKind::Class, rows(costs.classes));
        view->setRows(CostTableKind::Op, rows(costs.ops));
        view->setRows(CostTableKind::Apply, rows(costs.applyRows));
        const QString action = m_script.isEmpty() || m_worker.isRunning() ? QString() : tr("Run");
        view->setEmpty(called ? QString()
                              : function ? tr("%1 was not called, so there are no times.").arg(text(function->name))
                                         : tr("No function was called yet."),
                       action);
    }
    const auto summary = costs.summaries.find(id);
    if (summary != costs.summaries.end())
        m_summary->setSummary(summary->second);
    m_summaryHeader->setSubtitle(function ? text(function->name) : QString());
    const auto ends = costs.ends.find(id);
    m_key->setTimes(ends == costs.ends.end() ? -1 : ends->second.first, ends == costs.ends.end() ? -1 : ends->second.second);
    const auto shares = costs.shares.find(id);
    m_graphPage->strip()->setShares(shares == costs.shares.end() ? QString() : shares->second);
    const auto lines = costs.lines.find({id, m_source->file().toStdString()});
    const bool anyTimes = lines != costs.lines.end() && !lines->second.isEmpty();
    m_source->setMarks(m_source->file(), anyTimes ? lines->second : QHash<int, LineMark>{});
    m_source->setCaption(anyTimes ? tr("Bars: time that descends from the line") : QString());
}

void MainWindow::refreshStatus() {
    const Theme &theme = Theme::current();
    const bool running = m_worker.isRunning();
    QString icon = QStringLiteral("check");
    Color ink = Color::Ok;
    QString sentence = tr("Ready");
    if (m_reading && !m_session) {
        sentence = tr("Reading %1").arg(QFileInfo(m_watcher.path()).fileName());
        icon = QStringLiteral("info");
        ink = Color::Info;
    } else if (m_session && m_workspace != "welcome") {
        sentence = running ? tr("Running for %1").arg(formats::elapsed(m_worker.elapsedSeconds())) : stateSentence(*m_session);
        if (m_session->info.state == profiler::SessionState::CutOff && !running) {
            icon = QStringLiteral("warning");
            ink = Color::Warn;
        } else if (running) {
            icon = QStringLiteral("run");
            ink = Color::Accent;
        }
    } else {
        icon.clear();
    }
    m_statusIcon->setPixmap(icon.isEmpty() ? QPixmap()
                                           : iconPixmap(icon, theme.px(14), theme.color(ink), devicePixelRatioF()));
    m_statusIcon->setVisible(!icon.isEmpty());
    m_statusText->setText(sentence);
    const bool shown = m_session && m_workspace != "welcome";
    QString machine;
    if (shown)
        for (const char *name : {"cpu", "cpu.model", "cpu model", "processor"})
            if (machine.isEmpty())
                machine = text(m_session->machineValue(name));
    m_machineIcon->setPixmap(iconPixmap(QStringLiteral("cpu"), theme.px(14), theme.color(Color::TextSecondary), devicePixelRatioF()));
    m_machineIcon->setVisible(!machine.isEmpty());
    m_machineText->setText(machine);
    const profiler::FunctionInfo *function = currentFunction();
    QString outside;
    QString nodes;
    if (shown && function) {
        const auto found = m_session->costs->outside.find(function->id);
        if (found != m_session->costs->outside.end())
            outside = found->second;
        const int step = m_hub.selection().step;
        if (m_graph && step >= 0 && step < m_graph->info.stepCount)
            nodes = tr("Step %1 of %2").arg(step).arg(m_graph->info.stepCount);
        else
            nodes = tr("Applies %1 → %2").arg(function->appliesOriginal).arg(function->appliesOptimized);
    }
    m_outsideText->setText(outside);
    m_nodesText->setText(nodes);
    const bool graphShown = shown && m_workspace != "profile";
    m_scaleText->setText(!shown ? tr("Croton %1").arg(QCoreApplication::applicationVersion())
                         : graphShown
                             ? QStringLiteral("%1%").arg(qRound(m_graphPage->activePane()->canvas()->scale() * 100))
                             : QString());
    QString title = tr("Croton Studio");
    if (shown) {
        const QString name = QFileInfo(m_script.isEmpty() ? m_file : m_script).fileName();
        title = function ? QStringLiteral("%1 · %2 — %3").arg(name, text(function->name), tr("Croton Studio"))
                         : QStringLiteral("%1 — %2").arg(name, tr("Croton Studio"));
    }
    setWindowTitle(title);
    m_titleText->setText(title);
}

void MainWindow::refreshRunBar() {
    const QString reason = tr("This session does not name a script that is on this machine");
    m_runBar->setScript(m_script, reason);
    m_runBar->setRunning(m_worker.isRunning());
    const QString name = QFileInfo(m_script).fileName();
    const QString session = QFileInfo(m_script).completeBaseName() + ".croton";
    m_runBar->setCommandLine(m_script.isEmpty() ? (m_session ? text(m_session->info.command) : QString())
                                                : commandLine(m_runBar->settings(), name, session));
}

void MainWindow::refreshStrip() {
    if (!m_session || m_worker.isRunning())
        return;
    const SessionData &data = *m_session;
    for (auto it = data.messages.rbegin(); it != data.messages.rend(); ++it) {
        if (it->severity != profiler::Severity::Error)
            continue;
        m_notice->show(NoticeStrip::Kind::Error, text(it->hint.empty() ? it->text : it->text + ' ' + it->hint),
                       text(it->detail), it->source.line > 0);
        if (it->source.line > 0) {
            const SourceRef line{text(it->source.file), it->source.line};
            disconnect(m_notice, &NoticeStrip::showLineRequested, nullptr, nullptr);
            connect(m_notice, &NoticeStrip::showLineRequested, this, [this, line] {
                m_sourceDock->show();
                m_hub.selectSource(line);
            });
        }
        return;
    }
    if (!data.warning.empty() && data.info.state == profiler::SessionState::CutOff)
        m_notice->show(NoticeStrip::Kind::Warning, text(data.warning));
}

void MainWindow::showWhyNot() {
    const auto apply = m_links ? m_links->applyOf(m_hub.selection().node) : std::nullopt;
    if (!apply)
        return;
    auto *dialog = new QDialog(this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(tr("Why not?"));
    dialog->resize(Theme::current().px(720), Theme::current().px(360));
    auto *layout = new QVBoxLayout(dialog);
    auto *tree = new QTreeWidget;
    tree->setRootIsDecorated(false);
    tree->setHeaderLabels({tr("Rewrite"), tr("Why it declined"), tr("Step")});
    for (const WhyNotRow &row : whyNot(m_links->graph(), *apply)) {
        auto *item = new QTreeWidgetItem(tree, {row.rewrite, row.reason, QString::number(row.step)});
        item->setFont(0, Theme::current().font(FontRole::Mono));
        item->setToolTip(1, row.reason.toHtmlEscaped());
    }
    tree->resizeColumnToContents(0);
    tree->setColumnWidth(1, Theme::current().px(360));
    layout->addWidget(tree);
    dialog->show();
}

void MainWindow::workerEvent(const WorkerEvent &event) {
    if (event.kind == "error") {
        showError(event.text);
        return;
    }
    QString text = event.text;
    if (event.done >= 0 && event.total > 0)
        text += ' ' + tr("%1 of %2").arg(formats::count(static_cast<std::int64_t>(event.done)),
                                         formats::count(static_cast<std::int64_t>(event.total)));
    if (!text.isEmpty())
        m_statusText->setText(text);
}

void MainWindow::workerFinished(const QString &sentence, const QString &details) {
    m_runBar->setRunning(false);
    m_watcher.finishFollowing();
    if (!QFileInfo::exists(m_worker.session()))
        m_reading = false;
    if (!sentence.isEmpty())
        showError(sentence, details, sentence == Worker::exitSentence(QProcess::NormalExit, 0, 0, true));
    refreshStatus();
    refreshRunBar();
}

void MainWindow::runExpression(const QString &expression) {
    const QString program = Worker::findProgram();
    if (program.isEmpty()) {
        m_welcome->setExpressionResult(tr("The program croton was not found beside the studio."), false);
        return;
    }
    const QString out = Worker::newSessionPath(QStringLiteral("expression"));
    m_expressionRun = std::make_unique<QProcess>();
    connect(m_expressionRun.get(), &QProcess::finished, this, [this, out](int code, QProcess::ExitStatus status) {
        if (status == QProcess::NormalExit && code == 0 && QFileInfo::exists(out)) {
            m_file = out;
            m_script.clear();
            openSession(out, false);
            return;
        }
        const QString said = QString::fromUtf8(m_expressionRun->readAllStandardError()).trimmed();
        m_welcome->setExpressionResult(said.isEmpty() ? tr("The expression could not be compiled.") : said, false);
    });
    QTimer::singleShot(kExpressionLimitMs, m_expressionRun.get(), &QProcess::kill);
    m_expressionRun->start(program, {"expr", expression, "-o", out});
}

void MainWindow::probeDevices() {
    const QString program = Worker::findProgram();
    if (program.isEmpty())
        return;
    m_deviceProbe = std::make_unique<QProcess>();
    connect(m_deviceProbe.get(), &QProcess::finished, this, [this](int code) {
        if (code != 0)
            return;
        const QJsonDocument document = QJsonDocument::fromJson(m_deviceProbe->readAllStandardOutput());
        const QJsonArray list = document.isArray() ? document.array() : document.object()["devices"].toArray();
        std::vector<DeviceChoice> choices;
        std::vector<Capability> capabilities;
        for (const QJsonValue &value : list) {
            const QJsonObject device = value.toObject();
            const QString name = device["name"].toString();
            if (name.isEmpty())
                continue;
            const bool available = device["available"].toBool(true);
            const QString reason = device["reason"].toString();
            const QString what = device["description"].toString(name);
            choices.push_back({name, name == "cpu" ? tr("CPU") : name, available, reason});
            capabilities.push_back({available ? QStringLiteral("%1: %2").arg(name, what) : tr("%1: not here.").arg(name), available, reason});
        }
        if (!choices.empty()) {
            m_runBar->setDevices(choices);
            m_welcome->setCapabilities(capabilities);
        }
    });
    m_deviceProbe->start(program, {"devices", "--json"});
}

void MainWindow::showError(const QString &sentence, const QString &details, bool warning) {
    if (!warning)
        m_lastError = sentence;
    m_notice->show(warning ? NoticeStrip::Kind::Warning : NoticeStrip::Kind::Error, sentence, details);
    refreshStatus();
    if (!warning)
        Q_EMIT failed(sentence);
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
