#pragma once

#include "views/common/child_process.h"
#include "views/common/measuring.h"

#include <QObject>
#include <QTemporaryDir>

namespace app {

/// Runs the commands of `croton` that measure something afterwards ("ablate", "along", "memory --verify"). They write what they find into
/// the session; `Measuring` says how far they are. One at a time; GUI thread.
class Measurer : public QObject {
    Q_OBJECT
public:
    explicit Measurer(views::Measuring &state, QObject *parent = nullptr);

    /// The session goes in behind the first word. Ends one that runs. False if there is no program, which `Measuring` says.
    bool start(const QStringList &words, const QString &session);
    /// Asks it to end, and kills it when it has not after a while.
    void stop();
    bool isRunning() const { return m_child.isRunning(); }
    /// Something that has to be done before is being done: "recording with values".
    void prepare(const QStringList &words, const QString &text, double share = -1);
    void fail(const QStringList &words, const QString &sentence);

Q_SIGNALS:
    /// It ended. `measured`: the session in which there may be something new; empty if it failed.
    void ended(const QString &measured);

private:
    void hear(const views::ChildEvent &event);
    void takeEnd(const views::ChildEnd &end);
    void finish(const QString &failure);

    views::Measuring &m_state;
    views::ChildProcess m_child;
    QString m_session, m_out;
    QTemporaryDir m_folder; ///< of files that commands write for a view
    int m_files = 0;
};

} // namespace app
