#pragma once

#include "app/studio/measurer.h"
#include "app/studio/options.h"
#include "app/studio/preferences.h"
#include "app/studio/process_keeper.h"
#include "app/studio/run_outcome.h"
#include "app/studio/session_keeper.h"
#include "app/studio/status_line.h"
#include "app/studio/view_host.h"
#include "views/common/panels.h"

#include <QMainWindow>

#include <functional>
#include <map>

class QStackedWidget;
class QTimer;
class QToolBar;

namespace views {
class SourcePanel;
class TextLabel;
} // namespace views

namespace app {

class BottomArea;
class CommandPalette;
class DockLayout;
class Tour;
struct PaletteEntry;

/// The studio: puts the views of a table around one selection hub, and the keepers of session and programs behind them.
class MainWindow : public QMainWindow {
    Q_OBJECT
public:
    explicit MainWindow(const ViewTable &views = studioViews(), QWidget *parent = nullptr);
    ~MainWindow() override;

    /// Opens a script, session or graph by its ending; tells in a strip what is wrong with it.
    void openFile(const QString &path);
    /// The same for what the command line names: a sample is run here behind what was recorded of it.
    void openNamed(const QString &path);
    /// Shows what changed from one session to the other.
    void compareSessions(const QString &a, const QString &b);
    /// A link of "Copy link to this view": opens its session, when that is not open.
    void openLink(const QString &link);
    /// Brings a view to front, in this workspace or in its own. Throws ViewError for one that is not in the table.
    void showView(const QString &id);
    /// Follows the command line within the session that is shown; false with a sentence.
    bool follow(const Options &options, QString *error);
    void applyPreferences();
    /// Shows a sentence in the strip on top.
    void tell(const QString &sentence) { showError(sentence); }

    views::SelectionHub &hub() { return m_hub; }
    ViewHost &views() { return m_host; }
    SessionKeeper &keeper() { return m_keeper; }
    const views::SessionData *session() const { return m_keeper.session(); }
    QString workspace() const { return m_workspace; }
    bool isShown(const QString &view) const;
    bool isReady() const; ///< nothing is being read, laid out or run
    void settle() { m_host.settle(); }
    QString lastError() const { return m_lastError; }
    /// `keepsValues`: of some calls, so that they can be run again.
    void runScript(bool keepsValues = false);
    void resetLayout();
    /// Begins the tour at a stop; where no function is shown, on a sample as it was recorded.
    void showTour(int stop);
    /// Begins it once there is something to be seen, unless this person has seen it or stands in a lesson.
    void offerTour();
    const Tour *tour() const { return m_tour; }

Q_SIGNALS:
    void sessionShown();
    void sessionKept(const QString &path); ///< it is whole, and can be compared
    void failed(const QString &sentence);

protected:
    void closeEvent(QCloseEvent *event) override;
    void dragEnterEvent(QDragEnterEvent *event) override;
    void dropEvent(QDropEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void moveEvent(QMoveEvent *event) override;

private:
    // assembling (main_window.cpp)
    void buildCentre();
    void buildMenus();
    void present(const QString &id);
    void enter(const QString &workspace);
    /// Shows a view of the workspace and gives it the keys; empty: the page.
    void bring(const QString &place);
    void makeRoomFor(const QString &view);
    void leave(const QString &place);
    /// What goes along from workspace to workspace comes to front here, too.
    void showStaying();
    void toggleView(const QString &id);
    void feed(views::FeedParts changed, views::SelectionParts selected = {});
    void refreshRun();
    void refreshWords();
    void placeTitle();
    void showOutcome();
    RunOutcome outcome() const;
    std::vector<QWidget *> panes() const;
    void showError(const QString &sentence, const QString &details = {}, bool warning = false);
    enum class Offer { None, BreakOffReading, CallOffWork, ShowFreshRun, DoNotRun };
    void showNotice(views::NoticeStrip::Kind kind, const QString &sentence, const QString &details = {}, const QString &action = {},
                    Offer offer = Offer::None);
    void clearNotice();
    void offerToBreakOff();
    void breakOffReading();
    void showLongWork();
    void endLongWork(const QString &result);

    // who hears whom (window_wiring.cpp)
    void connectHub();
    void connectKeepers();
    void connectRunBar();
    void connectWelcome();
    void connectCompare();
    void connectSource();
    void connectState();

    // Croton may still be being built (window_building.cpp)
    void connectProgram();
    /// Whether the run has to wait for that; it says so.
    bool waitsForProgram(bool keepsValues);
    void callOffWaiting();

    // what is measured afterwards for a view (window_measuring.cpp)
    void connectMeasurer();
    /// A command of `croton` on the session that is shown; where that lacks something, its script runs first.
    void measure(const QStringList &words);
    void stopMeasuring();
    QString problemOfMeasuring() const;

    // the script (window_source.cpp)
    views::SourcePanel *sourcePanel() const;
    void editScript();
    bool saveScript();
    void openEditor();
    void openSource(const QUrl &link); ///< of a file of Croton, with the line as its fragment
    void openAt(const QString &file, int line);

    // a sample, run on this machine behind its recorded session (window_fresh.cpp)
    void connectFresh();
    void openSample(const QString &file);
    void forgetFresh();
    void beginFresh();
    void showFresh();
    bool canExchange() const;

    void beginTour(int stop); // window_tour.cpp
    bool isWorthTour() const;

    // what the commands of the menus do (window_commands.cpp)
    void bindCommands();
    void command(const QString &id);
    bool leads(const QString &id);
    /// Runs the script with a flag set, and compares: "try floatX=float32".
    void tryFlag(const QString &flag);
    void openDialog();
    void profileDialog();
    void linkDialog();
    void newWindow();
    void setPresenting(bool on);
    void keepState();
    void showSettings();
    void showKeys();
    void showPalette();
    void choose(const PaletteEntry &entry);
    void showAbout();

    struct Fresh {
        QString recorded; ///< the session that was opened; empty: none that is to be run here
        QString session;  ///< what the run left
        FreshRun state = FreshRun::None;
        QString problem;
    };

    const ViewTable &m_views;
    Preferences m_preferences;
    views::SelectionHub m_hub;
    ViewHost m_host;
    SessionKeeper m_keeper;
    ProcessKeeper m_processes;
    Measurer m_measurer;
    QStringList m_measureNext; ///< when the run that keeps values for it is over
    std::map<QString, std::function<void()>> m_commands;
    QString m_file;             ///< what the person opened
    QStringList m_seenSessions; ///< whole ones, in the order in which they came
    QString m_pendingLink;      ///< to be followed when its session is there
    QString m_lastError;
    QString m_workspace;            ///< the one that was entered
    QString m_place;                ///< the view in it that was asked for last
    std::optional<RunEnd> m_runEnd; ///< of the run whose session is shown
    RunOutcome m_toldOutcome;
    Fresh m_fresh;
    std::optional<bool> m_runsWhenBuilt; ///< the script, and whether it keeps values then
    QString m_opensWhenBuilt;            ///< a graph document, which croton reads
    bool m_canRun = false;
    bool m_comparesNext = false; ///< the run was started to be compared with what is shown
    bool m_presents = false;
    QTimer *m_readsLong;         ///< until then a file needs no word and no way out
    Offer m_offer = Offer::None; ///< of the strip, beside its sentence
    bool m_hidesWork = false;    ///< the person closed the strip of what is under way
    QTimer *m_keepSoon;
    views::SourceRef m_noticeLine;

    RunBar *m_runBar;
    QToolBar *m_runToolBar;
    views::NoticeStrip *m_notice;
    QStackedWidget *m_pages;
    BottomArea *m_bottom;
    DockLayout *m_docks;
    StatusLine *m_status;
    CommandPalette *m_palette = nullptr;
    Tour *m_tour = nullptr; ///< while it is given
    views::TextLabel *m_titleText;
};

} // namespace app
