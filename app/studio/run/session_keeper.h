#pragma once

#include "app/studio/dialogs/rewrites_dialog.h"
#include "app/studio/run/run_settings.h"
#include "app/studio/run/session_watcher.h"
#include "views/session/view_feed.h"

#include <QObject>

#include <memory>

namespace app {

/// Follows one session: reads it, keeps the hub's selection and what belongs to it together, and says what is new.
class SessionKeeper : public QObject {
    Q_OBJECT
public:
    /// `prepare` runs in the reading thread on every snapshot.
    explicit SessionKeeper(views::SelectionHub &hub, SessionWatcher::Prepare prepare = {}, QObject *parent = nullptr);

    void open(const QString &path, bool growing);
    /// Opens a script without running it: the newest session of that very text in the folder, else the text alone.
    void openScript(const QString &script, const QString &sessions);
    /// Shows another recording of what is open in its place, once it is read and prepared: selection and place stay.
    void exchange(const QString &path);
    /// The session that is shown once more: something was added to it. Selection and place stay.
    void readAgain() { m_watcher.readAgain(m_session); }
    bool isGrowing() const { return m_growing; }
    void finishFollowing() { m_watcher.finishFollowing(); }
    /// No session will come: its writer ended before it wrote one.
    void giveUp() { m_reading = false; }

    const views::SessionData *session() const { return m_session.get(); }
    const profiler::FunctionInfo *function() const;
    const views::Links *links() const { return m_links.get(); }
    bool isReading() const { return m_reading; }
    /// What is being read is not wanted any more: what was shown stays.
    void breakOff();
    QString path() const { return m_watcher.path(); }
    /// The script that Run starts: the one that was opened, else the one that the session names and that is on this machine.
    QString script() const { return m_script; }

    /// Everything that a view is fed with, `changed` and `selected` still empty.
    views::ViewFeed feed() const;
    /// The last settings of a run, with what the session says it was recorded with.
    RunSettings recordedSettings(RunSettings last) const;
    /// Flags that the script, a file or a variable of the environment set: as they were recorded, else as the text of the script says.
    GivenFlags givenFlags() const;
    std::vector<RewriteChoice> rewrites() const;

    /// Selects what --select names: a number, a name, original:NAME, line:N. False with a sentence.
    bool select(const QString &what, QString *error);
    bool selectFunction(const QString &name, QString *error);
    /// What --step names: a number, first or last.
    bool selectStep(const QString &what, QString *error);
    /// What a link says, if this session has it.
    bool select(const views::Selection &selection, QString *error);

Q_SIGNALS:
    /// Another session, a new snapshot of it, or another selection in it.
    void changed(views::FeedParts changed, views::SelectionParts selected);
    void opened();
    void exchanged();
    void failed(const QString &sentence);

private:
    enum class Adopt : std::uint8_t { First, Grown, Exchanged };
    void adopt(std::shared_ptr<const views::SessionData> session, Adopt how);
    void follow(views::SelectionParts selected);
    void findScript(bool first);
    void refreshGraph();

    views::SelectionHub &m_hub;
    SessionWatcher m_watcher;
    std::shared_ptr<const views::SessionData> m_session;
    std::shared_ptr<const views::GraphData> m_graph;
    std::shared_ptr<const views::Links> m_links;
    QString m_script;
    bool m_reading = false;
    bool m_growing = false; ///< written by a run of ours
    bool m_scriptOpened = false;
    bool m_adopting = false;
    bool m_exchanging = false;
    views::FeedParts m_changed; ///< collected while a snapshot is adopted
    views::SelectionParts m_selected;
};

} // namespace app
