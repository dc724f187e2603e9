// A sample is shown at once as it was recorded, and run on this machine behind that; then what ran here takes its place.
#include "app/studio/dock_layout.h"
#include "app/studio/main_window.h"
#include "app/studio/program.h"
#include "views/code/source_panel.h"
#include "views/common/panels.h"

#include <QFile>
#include <QFileInfo>

namespace app {

using namespace views;

void MainWindow::connectFresh()
{
    connect(&m_keeper, &SessionKeeper::opened, this, [this] {
        if (!m_fresh.recorded.isEmpty() && m_fresh.state == FreshRun::None && m_keeper.path() == m_fresh.recorded) beginFresh();
    });
    connect(&m_keeper, &SessionKeeper::exchanged, this, [this] {
        m_fresh.state = FreshRun::Shown;
        refreshWords();
    });
    connect(&m_processes, &ProcessKeeper::ranBehind, this, [this](const QString &session) {
        m_fresh.session = session;
        if (canExchange()) {
            showFresh();
            return;
        }
        m_fresh.state = FreshRun::Offered;
        showNotice(NoticeStrip::Kind::Info, tr("This sample has run on this machine meanwhile."), {}, tr("Show that run"),
                   Offer::ShowFreshRun);
        refreshWords();
    });
    connect(&m_processes, &ProcessKeeper::notRunBehind, this, [this](const QString &sentence) {
        m_fresh.state = FreshRun::Failed;
        m_fresh.problem = sentence;
        refreshWords();
    });
}

void MainWindow::openSample(const QString &file)
{
    openFile(file);
    if (m_preferences.freshRuns() && QFileInfo(file).suffix() == QLatin1String("croton"))
        m_fresh.recorded = QFileInfo(file).absoluteFilePath();
}

void MainWindow::forgetFresh()
{
    m_fresh = {};
    m_processes.forgetBehind();
}

// Who opened it, from the welcome page or by its name.
void MainWindow::openNamed(const QString &path)
{
    const QString samples = samplesFolder();
    if (!samples.isEmpty() && QFileInfo(path).canonicalFilePath().startsWith(samples + '/')) openSample(path);
    else openFile(path);
}

// Only the script as it came is run unasked: one that was changed is the person's own.
void MainWindow::beginFresh()
{
    QFile script(m_keeper.script());
    if (m_keeper.script().isEmpty() || !script.open(QIODevice::ReadOnly) || script.readAll().toStdString() != session()->script.text) {
        m_fresh = {};
        return;
    }
    if (Program::instance().isBeingBuilt()) return; // and comes again
    m_fresh.state = FreshRun::Going;
    if (const QString why = m_processes.whyNo(QStringLiteral("compiler")); !why.isEmpty()) {
        m_fresh.state = FreshRun::Failed;
        m_fresh.problem = why;
    } else if (session()->info.ranks > 1) {
        m_fresh.state = FreshRun::Failed;
        m_fresh.problem = tr("it is a job of %1 processes").arg(session()->info.ranks);
    } else {
        m_processes.runBehind(m_keeper.script(), m_keeper.recordedSettings(RunSettings()));
    }
    refreshWords();
}

void MainWindow::showFresh()
{
    clearNotice();
    m_keeper.exchange(m_fresh.session);
}

// Who is in the midst of something that is about these very numbers is asked.
bool MainWindow::canExchange() const
{
    const SourcePanel *panel = sourcePanel();
    return m_keeper.path() == m_fresh.recorded && m_views.pageOf(m_workspace).feed && m_workspace != QLatin1String("compare") &&
           m_workspace != QLatin1String("history") && !m_docks->isShown(QStringLiteral("lessons")) && !m_hub.selection().range.isValid() &&
           m_hub.selection().call < 0 && !(panel && panel->isDirty());
}

} // namespace app
