#pragma once

#include <QDBusVariant>
#include <QObject>

namespace app {

/// Whether the desktop asks for dark windows: what its palette was when the program began, then what its portal says.
class SystemTheme : public QObject {
    Q_OBJECT
public:
    static SystemTheme &instance();

    bool isDark() const { return m_dark; }
    /// Asks the portal, and listens to it from now on; without one nothing happens.
    void listen();

public Q_SLOTS:
    void settingChanged(const QString &group, const QString &key, const QDBusVariant &value);

Q_SIGNALS:
    void changed();

private:
    SystemTheme();
    void take(uint scheme);

    bool m_dark = false;
};

} // namespace app
