// What the commands of the menus do. One that is not here is handed on to the views.
#include "app/studio/command_palette.h"
#include "app/studio/commands.h"
#include "app/studio/dock_layout.h"
#include "app/studio/key_sheet.h"
#include "app/studio/main_window.h"
#include "app/studio/pane_cycle.h"
#include "app/studio/settings_dialog.h"
#include "app/studio/welcome_page.h"
#include "views/common/palette.h"

#include <QApplication>
#include <QClipboard>
#include <QFileDialog>
#include <QFileInfo>
#include <QInputDialog>
#include <QLineEdit>
#include <QMenuBar>
#include <QMessageBox>
#include <QStatusBar>
#include <QToolBar>

#include <utility>

namespace app {

using namespace views;

namespace {

constexpr double kPresenterScale = 1.5;

}

void MainWindow::bindCommands()
{
    m_commands = {
        {"open", [this] { openDialog(); }},
        {"quit", [this] { close(); }},
        {"back", [this] { m_hub.goBack(); }},
        {"forward", [this] { m_hub.goForward(); }},
        {"copyLink",
         [this] { QApplication::clipboard()->setText(session() ? SelectionHub::toLink(m_hub.selection(), m_keeper.path()) : QString()); }},
        {"openLink", [this] { linkDialog(); }},
        {"openEditor", [this] { openEditor(); }},
        {"newWindow", [this] { newWindow(); }},
        {"presenter", [this] { setPresenting(!m_presents); }},
        {"lastView",
         [this] {
             if (const QString link = m_preferences.lastView(); !link.isEmpty()) openLink(link);
             else showError(tr("Nothing was looked at before."));
         }},
        {"settings", [this] { showSettings(); }},
        {"resetLayout", [this] { resetLayout(); }},
        {"run", [this] { runScript(); }},
        {"stop", [this] { m_processes.stop(); }},
        {"stopMeasuring", [this] { stopMeasuring(); }},
        {"copyCommand", [this] { QApplication::clipboard()->setText(m_runBar->commandLine()); }},
        {"palette", [this] { showPalette(); }},
        {"nextPane", [this] { focusNextPane(panes(), focusWidget(), true); }},
        {"previousPane", [this] { focusNextPane(panes(), focusWidget(), false); }},
        {"stepsOfSelection",
         [this] {
             present(QStringLiteral("steps"));
             Q_EMIT m_hub.commandIssued(QStringLiteral("stepsOfSelection"));
         }},
        {"tour", [this] { showTour(0); }},
        {"shortcuts", [this] { showKeys(); }},
        {"about", [this] { showAbout(); }},
    };
}

void MainWindow::command(const QString &id)
{
    const auto found = m_commands.find(id);
    if (found != m_commands.end()) found->second();
    else if (id.startsWith(QLatin1String("try "))) tryFlag(id.mid(4));
    else if (id.startsWith(QLatin1String("edit "))) openSource(QUrl(id.mid(5)));
    else if (id.startsWith(QLatin1String("measure "))) measure(id.mid(8).split(u'\n'));
    else if (leads(id)) return;
    else if (id.startsWith(QLatin1String("open "))) openFile(id.mid(5));
    else if (id.startsWith(QLatin1String("compare "))) compareSessions(id.mid(8).section(u'\n', 0, 0), id.section(u'\n', 1));
    else Q_EMIT m_hub.commandIssued(id);
}

// What a lesson leads to: "sample mlp", "help profiles#the-summary".
bool MainWindow::leads(const QString &id)
{
    const QString kind = id.section(u' ', 0, 0), what = id.section(u' ', 1);
    if (what.isEmpty()) return false;
    if (kind == QLatin1String("sample") || kind == QLatin1String("script")) {
        const QString script = QStringLiteral("%1/%2/%2.py").arg(samplesFolder(), what);
        const QString session = QFileInfo(script).path() + '/' + what + ".croton";
        openFile(kind == QLatin1String("sample") && QFileInfo(session).isFile() ? session : script);
        if (kind == QLatin1String("script")) present(QStringLiteral("source"));
    } else if (kind == QLatin1String("handout") || kind == QLatin1String("answers")) {
        const QString out = QFileDialog::getSaveFileName(this, tr("Where to write the handout"),
                                                         QFileInfo(what).completeBaseName() + ".pdf", tr("PDF (*.pdf)"));
        if (!out.isEmpty()) m_processes.printHandout(what, out, kind == QLatin1String("answers"));
    } else if (kind == QLatin1String("hide")) {
        if (isShown(what)) toggleView(what);
    } else if (kind == QLatin1String("help") || kind == QLatin1String("lesson")) {
        present(kind == QLatin1String("help") ? kind : QStringLiteral("lessons"));
        Q_EMIT m_hub.commandIssued(id);
    } else {
        return false;
    }
    return true;
}

void MainWindow::tryFlag(const QString &flag)
{
    RunSettings settings = m_runBar->settings();
    if (!m_canRun || !applyFlag(settings, flag)) return;
    m_runBar->setSettings(settings);
    m_preferences.setRunSettings(m_keeper.script(), settings);
    present(QStringLiteral("compare")); // it takes what is open now as A, and what is opened next as B
    m_comparesNext = true;
    runScript();
}

void MainWindow::openDialog()
{
    const QString path = QFileDialog::getOpenFileName(this, tr("Open a script, session or graph"), QFileInfo(m_file).absolutePath(),
                                                      tr("Scripts, sessions and graphs (*.py *.croton *.json);;All files (*)"));
    if (!path.isEmpty()) openFile(path);
}

void MainWindow::profileDialog()
{
    const QString path =
        QFileDialog::getOpenFileName(this, tr("Profile a script"), QFileInfo(m_file).absolutePath(), tr("Scripts (*.py);;All files (*)"));
    if (path.isEmpty()) return;
    openFile(path);
    runScript();
}

void MainWindow::linkDialog()
{
    bool ok = false;
    const QString text = QInputDialog::getText(this, tr("Open a link"), tr("Link to a view of a session:"), QLineEdit::Normal,
                                               QApplication::clipboard()->text(), &ok);
    if (ok && !text.isEmpty()) openLink(text.trimmed());
}

void MainWindow::showSettings()
{
    SettingsDialog dialog(m_preferences, this);
    connect(&dialog, &SettingsDialog::changed, this, &MainWindow::applyPreferences);
    dialog.exec();
}

void MainWindow::showKeys() { KeySheet(m_views, this).exec(); }

void MainWindow::newWindow()
{
    auto *window = new MainWindow(m_views);
    window->setAttribute(Qt::WA_DeleteOnClose);
    window->resize(size());
    window->move(pos() + QPoint(32, 32));
    window->show();
}

// The whole screen for the picture, with larger letters, until the same key again.
void MainWindow::setPresenting(bool on)
{
    if (on == std::exchange(m_presents, on)) return;
    Theme theme = m_preferences.effectiveTheme();
    if (on) {
        const bool reduced = theme.reducedMotion();
        theme = Theme::load(theme.kind(), std::min(2.0, theme.textScale() * kPresenterScale));
        theme.setReducedMotion(reduced);
    }
    m_docks->putAway(on);
    m_runToolBar->setVisible(!on && m_views.pageOf(m_workspace).feed);
    menuBar()->setFixedHeight(on ? 0 : theme.size(Size::MenuBar)); // hidden, it would take its keys along
    statusBar()->setVisible(!on);
    applyTheme(*qApp, theme);
    showStaying();
    setWindowState(windowState().setFlag(Qt::WindowFullScreen, on));
    refreshWords();
}

void MainWindow::keepState()
{
    if (m_presents) return;
    m_docks->keep();
    m_preferences.setWindowGeometry(saveGeometry());
    if (session() && session()->isRecorded() && m_workspace != QLatin1String("welcome"))
        m_preferences.setLastView(SelectionHub::toLink(m_hub.selection(), m_keeper.path()));
}

void MainWindow::showPalette()
{
    if (!m_palette) {
        m_palette = new CommandPalette(this);
        connect(m_palette, &CommandPalette::chosen, this, &MainWindow::choose);
    }
    m_palette->open(paletteEntries(m_views, session(), m_keeper.links() ? &m_keeper.links()->graph() : nullptr));
}

void MainWindow::choose(const PaletteEntry &entry)
{
    using Kind = PaletteEntry::Kind;
    switch (entry.kind) {
    case Kind::Command: command(entry.id); break;
    case Kind::View: present(entry.id); break;
    case Kind::Sample: openSample(entry.id); break;
    case Kind::Function: m_hub.selectFunction(entry.number); break;
    case Kind::Node:
        if (m_workspace != QLatin1String("graph") && m_workspace != QLatin1String("steps")) present(QStringLiteral("graph"));
        m_hub.selectNode({entry.side, entry.nodeKind, entry.number});
        break;
    case Kind::Line:
        present(QStringLiteral("source"));
        m_hub.selectSource({entry.id, static_cast<int>(entry.number)});
        break;
    case Kind::Rewrite:
        present(QStringLiteral("steps"));
        if (entry.number >= 0) m_hub.selectStep(static_cast<int>(entry.number));
        break;
    }
}

void MainWindow::showAbout()
{
    QMessageBox::about(this, tr("About Croton Studio"),
                       tr("<b>Croton Studio %1</b><br>See what a compiler makes of your expressions.<br><br>"
                          "BSD 3-clause licence. Uses Qt under the LGPL.")
                           .arg(QApplication::applicationVersion()));
}

} // namespace app
