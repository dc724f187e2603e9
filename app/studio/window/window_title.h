#pragma once

#include "app/studio/window/studio_parts.h"

#include <QObject>

class QMainWindow;

namespace views {
class TextLabel;
}

namespace app {

class FileOpener;
class RunBar;
class RunController;
class StatusLine;
class Workspaces;

/// What the window says of what it shows: title, status bar, the shares in the strip, the chosen workspace in the run bar.
class WindowTitle : public QObject {
    Q_OBJECT
public:
    struct Sources {
        const Workspaces &workspaces;
        const RunController &runs;
        const FileOpener &files;
        RunBar &runBar;
        StatusLine &status;
    };
    WindowTitle(QMainWindow &window, const StudioParts &parts, const Sources &sources);

    void refresh();
    /// In the middle of the menu bar, where that leaves the menus free.
    void place();

private:
    QMainWindow &m_window;
    const StudioParts &m_parts;
    Sources m_of;
    views::TextLabel *m_text;
};

} // namespace app
