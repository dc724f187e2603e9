#include "app/studio/dialogs/preferences.h"

#include "app/studio/window/system_theme.h"

#include <QCryptographicHash>
#include <QFileInfo>
#include <QSettings>

namespace app {
namespace {

constexpr int kMostRecent = 12;

/// A path is no name for a group of settings: it has slashes.
QString nameOf(const QString &script)
{
    return QString::fromLatin1(QCryptographicHash::hash(script.toUtf8(), QCryptographicHash::Md5).toHex());
}
QString groupOf(const QString &script) { return "run/" + nameOf(script); }

} // namespace

Preferences::ThemeChoice Preferences::theme() const
{
    const QString text = QSettings().value("appearance/theme", "system").toString();
    return text == "dark" ? ThemeChoice::Dark : text == "light" ? ThemeChoice::Light : ThemeChoice::System;
}

void Preferences::setTheme(ThemeChoice choice)
{
    QSettings().setValue("appearance/theme", choice == ThemeChoice::Dark ? "dark" : choice == ThemeChoice::Light ? "light" : "system");
}

int Preferences::textSize() const { return std::clamp(QSettings().value("appearance/textSize", 100).toInt(), 80, 200); }

void Preferences::setTextSize(int percent) { QSettings().setValue("appearance/textSize", percent); }

bool Preferences::reducedMotion() const { return QSettings().value("appearance/reducedMotion", false).toBool(); }

void Preferences::setReducedMotion(bool on) { QSettings().setValue("appearance/reducedMotion", on); }

QString Preferences::language() const { return QSettings().value("appearance/language", "system").toString(); }
void Preferences::setLanguage(const QString &language) { QSettings().setValue("appearance/language", language); }

QStringList Preferences::recentFiles() const
{
    QStringList files;
    for (const QString &path : QSettings().value("recent").toStringList())
        if (QFileInfo::exists(path) && !files.contains(path)) files << path;
    return files.mid(0, kMostRecent);
}

void Preferences::addRecentFile(const QString &path)
{
    QStringList files = recentFiles();
    const QString absolute = QFileInfo(path).absoluteFilePath();
    files.removeAll(absolute);
    files.prepend(absolute);
    QSettings().setValue("recent", files.mid(0, kMostRecent));
}

QByteArray Preferences::dockState(const QString &workspace) const { return QSettings().value("layout/" + workspace).toByteArray(); }

QSize Preferences::dockRoom(const QString &workspace) const { return QSettings().value("layoutRoom/" + workspace).toSize(); }

void Preferences::setDockState(const QString &workspace, const QByteArray &state, const QSize &room)
{
    QSettings().setValue("layout/" + workspace, state);
    QSettings().setValue("layoutRoom/" + workspace, room);
}

void Preferences::clearDockStates()
{
    QSettings().remove("layout");
    QSettings().remove("layoutRoom");
}

QByteArray Preferences::windowGeometry() const { return QSettings().value("window/geometry").toByteArray(); }

void Preferences::setWindowGeometry(const QByteArray &geometry) { QSettings().setValue("window/geometry", geometry); }

QHash<QString, QString> Preferences::sessionNames() const
{
    QHash<QString, QString> names;
    const QVariantMap stored = QSettings().value("sessionNames").toMap();
    for (auto it = stored.cbegin(); it != stored.cend(); ++it) names.insert(it.key(), it.value().toString());
    return names;
}

void Preferences::nameSession(const QString &path, const QString &name)
{
    QVariantMap stored = QSettings().value("sessionNames").toMap();
    if (name.isEmpty()) stored.remove(path);
    else stored.insert(path, name);
    QSettings().setValue("sessionNames", stored);
}

QString Preferences::unsaved(const QString &script) const { return QSettings().value("unsaved/" + nameOf(script)).toString(); }

void Preferences::setUnsaved(const QString &script, const QString &text)
{
    if (text.isEmpty()) QSettings().remove("unsaved/" + nameOf(script));
    else QSettings().setValue("unsaved/" + nameOf(script), text);
}

QString Preferences::editor() const { return QSettings().value("editor").toString(); }
void Preferences::setEditor(const QString &command) { QSettings().setValue("editor", command.trimmed()); }
QString Preferences::lastView() const { return QSettings().value("window/lastView").toString(); }
void Preferences::setLastView(const QString &link) { QSettings().setValue("window/lastView", link); }
bool Preferences::freshRuns() const { return QSettings().value("samples/freshRuns", true).toBool(); }
void Preferences::setFreshRuns(bool on) { QSettings().setValue("samples/freshRuns", on); }

bool Preferences::tourSeen() const { return QSettings().value("tour/seen", false).toBool(); }
void Preferences::setTourSeen() { QSettings().setValue("tour/seen", true); }

RunSettings Preferences::runSettings(const QString &script) const
{
    QSettings stored;
    stored.beginGroup(groupOf(script));
    const RunSettings standard;
    RunSettings settings;
    settings.device = stored.value("device", standard.device).toString();
    settings.mode = stored.value("mode", standard.mode).toString();
    settings.floatX = stored.value("floatX", standard.floatX).toString();
    settings.blocking = stored.value("blocking", standard.blocking).toBool();
    settings.allowGc = stored.value("allowGc", standard.allowGc).toBool();
    settings.threads = std::max(0, stored.value("threads", standard.threads).toInt());
    settings.repeat = std::max(1, stored.value("repeat", standard.repeat).toInt());
    settings.excluded = stored.value("excluded").toStringList();
    return settings;
}

void Preferences::setRunSettings(const QString &script, const RunSettings &settings)
{
    QSettings stored;
    stored.remove(groupOf(script));
    if (settings == RunSettings()) return;
    stored.beginGroup(groupOf(script));
    stored.setValue("device", settings.device);
    stored.setValue("mode", settings.mode);
    stored.setValue("floatX", settings.floatX);
    stored.setValue("blocking", settings.blocking);
    stored.setValue("allowGc", settings.allowGc);
    stored.setValue("threads", settings.threads);
    stored.setValue("repeat", settings.repeat);
    stored.setValue("excluded", settings.excluded);
}

views::Theme Preferences::effectiveTheme() const
{
    views::ThemeKind kind = views::ThemeKind::Light;
    if (theme() == ThemeChoice::Dark) kind = views::ThemeKind::Dark;
    else if (theme() == ThemeChoice::System && SystemTheme::instance().isDark()) kind = views::ThemeKind::Dark;
    views::Theme result = views::Theme::load(kind, textSize() / 100.0);
    result.setReducedMotion(reducedMotion());
    return result;
}

} // namespace app
