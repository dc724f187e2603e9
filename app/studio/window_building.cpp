// A window that app/run opened is there while Croton is still being built: what was recorded can be seen, and what runs waits.
#include "app/studio/main_window.h"
#include "app/studio/program.h"

#include <utility>

namespace app {

using namespace views;

void MainWindow::connectProgram()
{
    Program &program = Program::instance();
    connect(&program, &Program::grew, this, [this] {
        refreshWords();
        if (m_offer == Offer::DoNotRun) waitsForProgram(*m_runsWhenBuilt);
    });
    connect(&program, &Program::built, this, [this] {
        refreshWords();
        if (m_offer == Offer::DoNotRun) clearNotice();
        const std::optional<bool> run = std::exchange(m_runsWhenBuilt, std::nullopt);
        if (const QString why = Program::instance().whyNot(); Program::instance().path().isEmpty()) {
            showError(why);
            return;
        }
        m_processes.probeDevices();
        if (!m_opensWhenBuilt.isEmpty()) openFile(m_opensWhenBuilt);
        else if (run) runScript(*run);
        else if (!m_fresh.recorded.isEmpty() && m_fresh.state == FreshRun::None && m_keeper.path() == m_fresh.recorded) beginFresh();
    });
}

bool MainWindow::waitsForProgram(bool keepsValues)
{
    if (!Program::instance().isBeingBuilt()) return false;
    m_runsWhenBuilt = keepsValues;
    showNotice(NoticeStrip::Kind::Info, tr("%1. The script runs when that is done.").arg(Program::instance().building()), {},
               tr("Do not run"), Offer::DoNotRun);
    return true;
}

void MainWindow::callOffWaiting()
{
    m_runsWhenBuilt.reset();
    m_comparesNext = false;
    clearNotice();
}

} // namespace app
