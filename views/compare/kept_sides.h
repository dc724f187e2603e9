#pragma once

#include <QString>
#include <QStringList>

namespace views {

/// Which sessions are A and B. Each that comes becomes B and the one before it A; a side that is pinned stays.
class KeptSides {
public:
    QString a, b;
    bool pinnedA = false, pinnedB = false;

    /// A session that was opened or recorded. False when it changed nothing.
    bool add(const QString &path);
    void swap();
    /// All that came, newest first.
    const QStringList &seen() const { return m_seen; }

private:
    QStringList m_seen;
};

} // namespace views
