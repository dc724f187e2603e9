#pragma once

#include "app/studio/window/studio_parts.h"

#include <QObject>

#include <functional>
#include <map>

class QMainWindow;

namespace app {

class CommandPalette;
class FileOpener;
class Notices;
class RunController;
class ScriptEditor;
class TourGuide;
class Workspaces;
struct PaletteEntry;

/// What the window does when menus, views or lessons ask for it. What it does not do itself goes to the views that obey it.
class Requests : public QObject {
    Q_OBJECT
public:
    /// The controllers that do the work.
    struct Controllers {
        Notices &notices;
        Workspaces &workspaces;
        ScriptEditor &editor;
        RunController &runs;
        FileOpener &files;
        TourGuide &guide;
    };
    Requests(QMainWindow &window, StudioParts &parts, const Controllers &controllers);

    void handle(const views::Request &request);

Q_SIGNALS:
    void newWindowWanted();
    void preferencesChanged();

private:
    void bind();
    void showSettings();
    void showPalette();
    void choose(const PaletteEntry &entry);
    void showAbout();
    void copyLink();
    void openLastView();

    QMainWindow &m_window;
    StudioParts &m_parts;
    Controllers m_do;
    std::map<views::Command, std::function<void()>> m_commands;
    CommandPalette *m_palette = nullptr; ///< made when it is first opened
};

} // namespace app
