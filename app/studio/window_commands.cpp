// What the commands of the menus do. One that is not here is handed on to the views.
#include "app/studio/command_palette.h"
#include "app/studio/commands.h"
#include "app/studio/main_window.h"
#include "app/studio/pane_cycle.h"
#include "app/studio/settings_dialog.h"

#include <QApplication>
#include <QClipboard>
#include <QFileDialog>
#include <QFileInfo>
#include <QInputDialog>
#include <QLineEdit>
#include <QMessageBox>

namespace app {

using namespace views;

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
        {"settings", [this] { showSettings(); }},
        {"resetLayout", [this] { resetLayout(); }},
        {"run", [this] { runScript(); }},
        {"stop", [this] { m_processes.stop(); }},
        {"copyCommand", [this] { QApplication::clipboard()->setText(m_runBar->commandLine()); }},
        {"palette", [this] { showPalette(); }},
        {"nextPane", [this] { focusNextPane(panes(), focusWidget(), true); }},
        {"previousPane", [this] { focusNextPane(panes(), focusWidget(), false); }},
        {"shortcuts", [this] { showKeys(); }},
        {"about", [this] { showAbout(); }},
    };
}

void MainWindow::command(const QString &id)
{
    const auto found = m_commands.find(id);
    if (found != m_commands.end()) found->second();
    else if (id.startsWith(QLatin1String("try "))) tryFlag(id.mid(4));
    else Q_EMIT m_hub.commandIssued(id);
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

void MainWindow::showKeys()
{
    QString text = QStringLiteral("<table cellspacing='6'>");
    for (const KeyRow &row : keyRows(m_views)) {
        QStringList keys;
        for (const QKeySequence &sequence : row.keys) keys << sequence.toString(QKeySequence::NativeText);
        if (!keys.isEmpty())
            text += QStringLiteral("<tr><td><b>%1</b></td><td>%2</td></tr>")
                        .arg(keys.join(QStringLiteral(", ")).toHtmlEscaped(), row.title.toHtmlEscaped());
    }
    QMessageBox box(this);
    box.setWindowTitle(tr("Keys"));
    box.setTextFormat(Qt::RichText);
    box.setText(text + QStringLiteral("</table>"));
    box.exec();
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
    case Kind::Sample: openFile(entry.id); break;
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
