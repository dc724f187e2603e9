#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QString>

class QTimer;

namespace app {

/// The program `croton`, which does all that the studio only shows: beside this program, else on the PATH. A window that app/run opened
/// is there before it: what it is built of is still being compiled.
class Program : public QObject {
    Q_OBJECT
public:
    static Program &instance();

    /// Empty where there is none, or not yet.
    QString path() const;
    /// Why not.
    QString whyNot() const;

    /// Of this or another program that is known and does not start, for a reason that Qt gives.
    static QString whyNotStarted(const QString &program, const QString &reason);

    /// Follows the file in which resources/scripts/build says how far it is.
    void watchBuild(const QString &file);
    bool isBeingBuilt() const { return m_state == State::Building; }
    /// "Croton is being built: 41 of 120 parts, 3:10 so far"; empty when it is not.
    QString building() const;

Q_SIGNALS:
    /// There is more of it.
    void grew();
    /// It is there, or will not be.
    void built();

private:
    enum class State { Whole, Building, Failed };
    Program();
    void look();
    void end(State state);

    State m_state = State::Whole;
    QString m_file, m_text;
    QTimer *m_timer;
    QElapsedTimer m_silence; ///< since something was heard of the build
};

} // namespace app
