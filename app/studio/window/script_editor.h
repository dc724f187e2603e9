#pragma once

#include "app/studio/window/studio_parts.h"

#include <QObject>
#include <QUrl>

namespace views {
class SourcePanel;
}

namespace app {

class Notices;
class Workspaces;

/// The script in the window: edited, saved, kept while it is not, opened elsewhere.
class ScriptEditor : public QObject {
    Q_OBJECT
public:
    ScriptEditor(StudioParts &parts, Notices &notices, Workspaces &workspaces);

    /// Connects the panel, which the docks have made.
    void begin();
    views::SourcePanel *panel() const;
    bool isDirty() const;
    /// True when the file holds what is typed.
    bool save();
    /// Keeps what was typed for the next time.
    void keepUnsaved();
    /// Opens the selected line, else the script, in the person's editor.
    void openElsewhere();
    /// A file of Croton, with the line as its fragment.
    void openSource(const QUrl &link);

private:
    void edit();
    void openAt(const QString &file, int line);

    StudioParts &m_parts;
    Notices &m_notices;
    Workspaces &m_workspaces;
};

} // namespace app
