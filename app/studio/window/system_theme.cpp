#include "app/studio/window/system_theme.h"

#include <QDBusConnection>
#include <QDBusMessage>
#include <QDBusPendingCallWatcher>
#include <QDBusPendingReply>
#include <QDBusVariant>
#include <QGuiApplication>
#include <QPalette>

namespace app {
namespace {

const QString kService = QStringLiteral("org.freedesktop.portal.Desktop");
const QString kPath = QStringLiteral("/org/freedesktop/portal/desktop");
const QString kInterface = QStringLiteral("org.freedesktop.portal.Settings");
const QString kGroup = QStringLiteral("org.freedesktop.appearance");
const QString kKey = QStringLiteral("color-scheme");
constexpr uint kNoPreference = 0, kDark = 1;

} // namespace

SystemTheme &SystemTheme::instance()
{
    static SystemTheme theme;
    return theme;
}

// Before the program puts its own palette over it.
SystemTheme::SystemTheme() : m_dark(QGuiApplication::palette().color(QPalette::Window).lightness() < 128) {}

void SystemTheme::listen()
{
    QDBusConnection bus = QDBusConnection::sessionBus();
    if (!bus.isConnected()) return;
    bus.connect(kService, kPath, kInterface, QStringLiteral("SettingChanged"), this, SLOT(settingChanged(QString, QString, QDBusVariant)));
    QDBusMessage question = QDBusMessage::createMethodCall(kService, kPath, kInterface, QStringLiteral("Read"));
    question << kGroup << kKey;
    auto *watcher = new QDBusPendingCallWatcher(bus.asyncCall(question), this);
    connect(watcher, &QDBusPendingCallWatcher::finished, this, [this, watcher] {
        const QDBusPendingReply<QDBusVariant> reply = *watcher;
        if (!reply.isError()) settingChanged(kGroup, kKey, reply.value());
        watcher->deleteLater();
    });
}

void SystemTheme::settingChanged(const QString &group, const QString &key, const QDBusVariant &value)
{
    if (group != kGroup || key != kKey) return;
    QVariant inner = value.variant();
    while (inner.canConvert<QDBusVariant>()) inner = inner.value<QDBusVariant>().variant(); // some portals wrap it twice
    take(inner.toUInt());
}

void SystemTheme::take(uint scheme)
{
    if (scheme == kNoPreference || (scheme == kDark) == m_dark) return;
    m_dark = scheme == kDark;
    Q_EMIT changed();
}

} // namespace app
