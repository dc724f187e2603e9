#pragma once

#include "app/studio/dialogs/options.h"
#include "app/studio/run/run_controller.h"
#include "app/studio/window/file_opener.h"
#include "app/studio/window/notices.h"
#include "app/studio/window/requests.h"
#include "app/studio/window/script_editor.h"
#include "app/studio/window/studio_parts.h"
#include "app/studio/window/tour_guide.h"
#include "app/studio/window/window_title.h"
#include "app/studio/window/workspaces.h"

#include <QMainWindow>
#include <QTimer>

namespace app {

/// The studio: puts the views of a table around one selection hub, and the controllers beside them.
class MainWindow : public QMainWindow {
    Q_OBJECT
public:
    explicit MainWindow(const ViewTable &views = studioViews(), QWidget *parent = nullptr);
    ~MainWindow() override;

    /// Brings a view to front, in this workspace or in its own. Throws ViewError for one that is not in the table.
    void showView(const QString &id);
    /// Follows the command line within the session that is shown; false with a sentence.
    bool follow(const Options &options, QString *error);
    bool isReady() const; ///< nothing is being read, laid out or run
    void settle() { m_parts.host.settle(); }

    views::SelectionHub &hub() { return m_parts.hub; }
    ViewHost &views() { return m_parts.host; }
    SessionKeeper &keeper() { return m_parts.keeper; }
    const views::SessionData *session() const { return m_parts.session(); }
    Notices &notices() { return m_notices; }
    Workspaces &workspaces() { return m_workspaces; }
    RunController &runs() { return m_runs; }
    FileOpener &files() { return m_files; }
    TourGuide &guide() { return m_guide; }

protected:
    void closeEvent(QCloseEvent *event) override;
    void dragEnterEvent(QDragEnterEvent *event) override;
    void dropEvent(QDropEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void moveEvent(QMoveEvent *event) override;

private:
    void arrange();
    void buildMenus();
    void connectControllers();
    void connectState();
    void takeChange(views::FeedParts changed, views::SelectionParts selected);
    void feed(views::FeedParts changed, views::SelectionParts selected = {});
    void openWindow();
    void applyPreferences();
    void keepState();

    StudioParts m_parts;
    RunBar *m_runBar;
    views::NoticeStrip *m_strip;
    Notices m_notices;
    Workspaces m_workspaces;
    ScriptEditor m_editor;
    RunController m_runs;
    FileOpener m_files;
    TourGuide m_guide;
    Requests m_requests;
    WindowTitle m_title;
    QTimer m_keepSoon;
};

} // namespace app
