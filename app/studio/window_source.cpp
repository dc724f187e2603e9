// The script in the window: edited, saved, kept while it is not, opened elsewhere.
#include "app/studio/dock_layout.h"
#include "app/studio/main_window.h"
#include "views/code/source_panel.h"
#include "views/common/panels.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QSaveFile>

namespace app {

using namespace views;

namespace {

constexpr qint64 kMostEditedBytes = 4 * 1024 * 1024;

} // namespace

SourcePanel *MainWindow::sourcePanel() const { return qobject_cast<SourcePanel *>(m_host.made(QStringLiteral("source"))); }

void MainWindow::connectSource()
{
    SourcePanel *panel = sourcePanel();
    if (!panel) return;
    connect(panel, &SourcePanel::editRequested, this, &MainWindow::editScript);
    connect(panel, &SourcePanel::saveRequested, this, &MainWindow::saveScript);
    connect(panel, &SourcePanel::edited, this,
            [this, panel] { m_preferences.setUnsaved(panel->script(), panel->isDirty() ? panel->text() : QString()); });
    connect(panel, &SourcePanel::widthAsked, this, [this](int width) { m_docks->setWidth(QStringLiteral("source"), width); });
}

// Whoever opens the source wants to read it; beside a lesson, which keeps its width, it is the other way round.
void MainWindow::makeRoomFor(const QString &view)
{
    SourcePanel *panel = view == QLatin1String("source") && !isShown(QStringLiteral("lessons")) ? sourcePanel() : nullptr;
    if (panel) panel->widen();
}

void MainWindow::editScript()
{
    SourcePanel *panel = sourcePanel();
    QFile file(panel->script());
    if (file.size() > kMostEditedBytes || !file.open(QIODevice::ReadOnly)) {
        showError(tr("%1 cannot be edited here: %2.").arg(panel->script(), file.isOpen() ? tr("it is too large") : file.errorString()));
        return;
    }
    const QString unsaved = m_preferences.unsaved(panel->script());
    panel->edit(QString::fromUtf8(file.readAll()), true);
    if (unsaved.isEmpty() || unsaved == panel->text()) return;
    panel->edit(unsaved, false);
    showNotice(NoticeStrip::Kind::Info,
               tr("What you typed in %1 last time was not saved; here it is again. Undo gives the text of the file.")
                   .arg(QFileInfo(panel->script()).fileName()));
}

bool MainWindow::saveScript()
{
    SourcePanel *panel = sourcePanel();
    if (!panel || !panel->isDirty()) return true;
    QSaveFile file(panel->script());
    const QByteArray text = panel->text().toUtf8();
    if (!file.open(QIODevice::WriteOnly) || file.write(text) != text.size() || !file.commit()) {
        m_preferences.setUnsaved(panel->script(), panel->text());
        showError(tr("%1 could not be saved: %2. What you typed is kept, and comes back when you edit the script again.")
                      .arg(panel->script(), file.errorString()));
        return false;
    }
    panel->markSaved();
    m_preferences.setUnsaved(panel->script(), {});
    return true;
}

void MainWindow::openEditor()
{
    const SourceRef line = m_hub.selection().source;
    QString file = line.isValid() ? line.file : m_keeper.script();
    if (session() && QFileInfo(file).isRelative()) file = QDir(QString::fromStdString(session()->info.directory)).filePath(file);
    if (!QFileInfo(file).isFile()) {
        showError(file.isEmpty() ? tr("No line is selected, and no script is open.")
                                 : tr("There is no file %1 on this machine.").arg(file));
        return;
    }
    openAt(file, line.line);
}

void MainWindow::openSource(const QUrl &link)
{
    if (link.isLocalFile()) openAt(link.toLocalFile(), link.fragment().toInt());
}

void MainWindow::openAt(const QString &file, int line)
{
    QString error;
    if (!ProcessKeeper::openEditor(m_preferences.editor(), file, std::max(1, line), &error)) showError(error);
}

} // namespace app
