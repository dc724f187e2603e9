#pragma once

#include "app/studio/run/run_settings.h"
#include "views/common/theme.h"

#include <QByteArray>
#include <QHash>
#include <QStringList>

namespace app {

/// What is kept between two starts (QSettings). Reading a broken value gives the default.
class Preferences {
public:
    enum class ThemeChoice { System, Light, Dark };

    ThemeChoice theme() const;
    void setTheme(ThemeChoice choice);
    int textSize() const; ///< percent, 80 to 200
    void setTextSize(int percent);
    bool reducedMotion() const;
    void setReducedMotion(bool on);
    QString language() const; ///< "system", "en", "fr"
    void setLanguage(const QString &language);
    QStringList recentFiles() const; ///< those that still exist, newest first
    void addRecentFile(const QString &path);
    QByteArray dockState(const QString &workspace) const;
    /// In how much room a state was kept; not valid where none was.
    QSize dockRoom(const QString &workspace) const;
    void setDockState(const QString &workspace, const QByteArray &state, const QSize &room);
    void clearDockStates();
    QByteArray windowGeometry() const;
    void setWindowGeometry(const QByteArray &geometry);
    /// Names that a person gave to sessions, by path.
    QHash<QString, QString> sessionNames() const;
    void nameSession(const QString &path, const QString &name);
    /// Text of a script that was typed and not saved; empty: there is none.
    QString unsaved(const QString &script) const;
    void setUnsaved(const QString &script, const QString &text);
    /// The command of the editor of choice, with %f for the file and %l for the line; empty: what the desktop opens it with.
    QString editor() const;
    void setEditor(const QString &command);
    /// A link to what was looked at last.
    QString lastView() const;
    void setLastView(const QString &link);
    /// Whether a sample is run on this machine behind its recorded session.
    bool freshRuns() const;
    void setFreshRuns(bool on);
    /// Whether the tour of the window was begun once.
    bool tourSeen() const;
    void setTourSeen();
    /// Each script has its own.
    RunSettings runSettings(const QString &script) const;
    void setRunSettings(const QString &script, const RunSettings &settings);

    /// The theme that the choice means now on this system, with text size and motion.
    views::Theme effectiveTheme() const;
};

} // namespace app
