#include "app/studio/window/script_editor.h"

#include "app/studio/run/process_keeper.h"
#include "app/studio/window/notices.h"
#include "app/studio/window/workspaces.h"
#include "profiler/lessons/view_ids.h"
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

ScriptEditor::ScriptEditor(StudioParts &parts, Notices &notices, Workspaces &workspaces)
    : m_parts(parts), m_notices(notices), m_workspaces(workspaces)
{}

SourcePanel *ScriptEditor::panel() const
{
    return qobject_cast<SourcePanel *>(m_parts.host.made(QString::fromLatin1(profiler::view::source)));
}

bool ScriptEditor::isDirty() const
{
    const SourcePanel *shown = panel();
    return shown && shown->isDirty();
}

void ScriptEditor::begin()
{
    SourcePanel *shown = panel();
    if (!shown) return;
    connect(shown, &SourcePanel::editRequested, this, &ScriptEditor::edit);
    connect(shown, &SourcePanel::saveRequested, this, &ScriptEditor::save);
    connect(shown, &SourcePanel::edited, this,
            [this, shown] { m_parts.preferences.setUnsaved(shown->script(), shown->isDirty() ? shown->text() : QString()); });
    connect(shown, &SourcePanel::widthAsked, this,
            [this](int width) { m_workspaces.setDockWidth(QString::fromLatin1(profiler::view::source), width); });
}

void ScriptEditor::keepUnsaved()
{
    if (isDirty()) m_parts.preferences.setUnsaved(panel()->script(), panel()->text());
}

void ScriptEditor::edit()
{
    SourcePanel *shown = panel();
    QFile file(shown->script());
    if (file.size() > kMostEditedBytes || !file.open(QIODevice::ReadOnly)) {
        m_notices.error(
            tr("%1 cannot be edited here: %2.").arg(shown->script(), file.isOpen() ? tr("it is too large") : file.errorString()));
        return;
    }
    const QString unsaved = m_parts.preferences.unsaved(shown->script());
    shown->edit(QString::fromUtf8(file.readAll()), true);
    if (unsaved.isEmpty() || unsaved == shown->text()) return;
    shown->edit(unsaved, false);
    m_notices.info(tr("What you typed in %1 last time was not saved; here it is again. Undo gives the text of the file.")
                       .arg(QFileInfo(shown->script()).fileName()));
}

bool ScriptEditor::save()
{
    SourcePanel *shown = panel();
    if (!shown || !shown->isDirty()) return true;
    QSaveFile file(shown->script());
    const QByteArray text = shown->text().toUtf8();
    if (!file.open(QIODevice::WriteOnly) || file.write(text) != text.size() || !file.commit()) {
        m_parts.preferences.setUnsaved(shown->script(), shown->text());
        m_notices.error(tr("%1 could not be saved: %2. What you typed is kept, and comes back when you edit the script again.")
                            .arg(shown->script(), file.errorString()));
        return false;
    }
    shown->markSaved();
    m_parts.preferences.setUnsaved(shown->script(), {});
    return true;
}

void ScriptEditor::openElsewhere()
{
    const SourceRef line = m_parts.hub.selection().source;
    QString file = line.isValid() ? line.file : m_parts.keeper.script();
    if (m_parts.session() && QFileInfo(file).isRelative())
        file = QDir(QString::fromStdString(m_parts.session()->info.directory)).filePath(file);
    if (!QFileInfo(file).isFile()) {
        m_notices.error(file.isEmpty() ? tr("No line is selected, and no script is open.")
                                       : tr("There is no file %1 on this machine.").arg(file));
        return;
    }
    openAt(file, line.line);
}

void ScriptEditor::openSource(const QUrl &link)
{
    if (link.isLocalFile()) openAt(link.toLocalFile(), link.fragment().toInt());
}

void ScriptEditor::openAt(const QString &file, int line)
{
    QString error;
    if (!ProcessKeeper::openEditor(m_parts.preferences.editor(), file, std::max(1, line), &error)) m_notices.error(error);
}

} // namespace app
