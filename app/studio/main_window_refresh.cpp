// What the panels around the graph say of the session and the selection.
#include "app/studio/graph_page.h"
#include "app/studio/graph_pane.h"
#include "app/studio/inspector_content.h"
#include "app/studio/main_window.h"
#include "app/studio/run_bar.h"
#include "app/studio/side_panels.h"
#include "views/common/controls.h"
#include "views/common/formats.h"
#include "views/common/icons.h"
#include "views/common/panels.h"
#include "views/graph/graph_canvas.h"
#include "views/inspector/inspector_view.h"
#include "views/profile/operations_view.h"
#include "views/profile/summary_view.h"

#include <QCoreApplication>
#include <QDialog>
#include <QDockWidget>
#include <QFileInfo>
#include <QLabel>
#include <QTreeWidget>
#include <QVBoxLayout>

namespace app {

using namespace views;

namespace {

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
    refreshTitle();
}

void MainWindow::refreshTitle() {
    const profiler::FunctionInfo *function = currentFunction();
    QString title = tr("Croton Studio");
    if (m_session && m_workspace != "welcome") {
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

} // namespace app
