#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QString>

namespace views {

class SelectionHub;

/// What a view has under way and nobody need wait for: the window shows how far it is once that takes long, and offers to call it
/// off. One at a time for each hub, on which it hangs.
class LongWork : public QObject {
    Q_OBJECT
public:
    static constexpr int kLongMs = 1000; ///< until then nobody asks where it stays

    static LongWork &of(SelectionHub &hub);

    void begin() { m_since.start(); }
    /// How far it is.
    void tell(const QString &sentence);
    /// Over; `result`: what there is to be said of it.
    void end(const QString &result = {});
    /// Asks whoever does it to end.
    void callOff() { Q_EMIT calledOff(); }

    bool isRunning() const { return m_since.isValid(); }
    bool isLong() const;
    const QString &sentence() const { return m_sentence; }

Q_SIGNALS:
    void changed();
    void ended(const QString &result);
    void calledOff();

private:
    explicit LongWork(SelectionHub &hub);
    QElapsedTimer m_since; ///< invalid: nothing is under way
    QString m_sentence;
};

} // namespace views
