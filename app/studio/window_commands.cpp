// What the commands of the menus do. One that is not here is handed on to the views.
#include "app/studio/commands.h"
#include "app/studio/main_window.h"
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
        {"copyLink", [this] { QApplication::clipboard()->setText(session() ? SelectionHub::toLink(m_hub.selection()) : QString()); }},
        {"openLink", [this] { openLink(); }},
        {"settings", [this] { showSettings(); }},
        {"resetLayout", [this] { resetLayout(); }},
        {"run", [this] { runScript(); }},
        {"stop", [this] { m_processes.stop(); }},
        {"copyCommand", [this] { QApplication::clipboard()->setText(m_runBar->commandLine()); }},
        {"shortcuts", [this] { showKeys(); }},
        {"about", [this] { showAbout(); }},
    };
}

void MainWindow::command(const QString &id)
{
    const auto found = m_commands.find(id);
    if (found != m_commands.end()) found->second();
    else Q_EMIT m_hub.commandIssued(id);
}

void MainWindow::openDialog()
{
    const QString path = QFileDialog::getOpenFileName(this, tr("Open a script, session or graph"), QFileInfo(m_file).absolutePath(),
                                                      tr("Scripts, sessions and graphs (*.py *.croton *.json);;All files (*)"));
    if (!path.isEmpty()) openFile(path);
}

void MainWindow::openLink()
{
    bool ok = false;
    const QString text = QInputDialog::getText(this, tr("Open a link"), tr("Link to a view of this session:"), QLineEdit::Normal,
                                               QApplication::clipboard()->text(), &ok);
    if (!ok || text.isEmpty()) return;
    if (const auto selection = SelectionHub::fromLink(text.trimmed())) m_hub.select(*selection);
    else showError(tr("This is no link to a view: it must begin with croton:view?"));
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

void MainWindow::showAbout()
{
    QMessageBox::about(this, tr("About Croton Studio"),
                       tr("<b>Croton Studio %1</b><br>See what a compiler makes of your expressions.<br><br>"
                          "BSD 3-clause licence. Uses Qt under the LGPL.")
                           .arg(QApplication::applicationVersion()));
}

} // namespace app
