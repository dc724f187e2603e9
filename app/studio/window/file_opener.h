#pragma once

#include "app/studio/window/studio_parts.h"

#include <QObject>

class QTimer;
class QWidget;

namespace app {

class Notices;
class RunController;
class Workspaces;

/// Opens scripts, sessions, graph documents, samples and links, and remembers what was seen.
class FileOpener : public QObject {
    Q_OBJECT
public:
    FileOpener(QWidget &window, StudioParts &parts, Notices &notices, Workspaces &workspaces, RunController &runs);

    /// Whether a file has one of the endings that open() takes.
    static bool canOpen(const QString &path);
    /// Opens a script, session or graph by its ending; tells what is wrong with it.
    void open(const QString &path);
    /// The same for a session that came with the program: the sample is run here, too.
    void openSample(const QString &file);
    /// A sample by its name, as it was recorded, or its script.
    void openSample(const QString &name, bool asScript);
    /// What the command line names: a sample or a file of one's own.
    void openNamed(const QString &path);
    /// A link of "Copy link to this view": opens its session, when that is not open.
    void openLink(const QString &link);
    void compare(const QString &first, const QString &second);
    void chooseFile();
    void chooseScriptToRun();
    void askForLink();
    void printHandout(const QString &lesson, bool withAnswers);

    /// What the person opened; empty: an expression, or nothing.
    QString file() const { return m_file; }

Q_SIGNALS:
    void sessionShown();
    void sessionKept(const QString &path); ///< it is whole, and can be compared
    void changed();

private:
    void connectKeeper();
    void connectWelcome();
    void connectCompare();
    void offerToBreakOff();
    void breakOff();

    QWidget &m_window;
    StudioParts &m_parts;
    Notices &m_notices;
    Workspaces &m_workspaces;
    RunController &m_runs;
    QString m_file;
    QString m_pendingLink;      ///< to be followed when its session is there
    QStringList m_seenSessions; ///< whole ones, in the order in which they came
    QTimer *m_readsLong;        ///< until then a file needs no word and no way out
};

} // namespace app
