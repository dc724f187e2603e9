#include "app/studio/window/display_guard.h"

#include <cstdio>
#include <cstdlib>

namespace app {

DisplayGuard *DisplayGuard::s_guard = nullptr;

DisplayGuard::DisplayGuard()
{
    s_guard = this;
    m_before = qInstallMessageHandler(&DisplayGuard::take);
}

DisplayGuard::~DisplayGuard()
{
    qInstallMessageHandler(m_before);
    s_guard = nullptr;
    for (const QString &report : m_reports) std::fprintf(stderr, "%s\n", qPrintable(report));
}

void DisplayGuard::take(QtMsgType type, const QMessageLogContext &context, const QString &message)
{
    if (type != QtFatalMsg) {
        s_guard->m_reports << qFormatLogMessage(type, context, message);
        if (type == QtWarningMsg && s_guard->m_firstWarning.isEmpty() &&
            QLatin1String(context.category).startsWith(QLatin1String("qt.qpa")))
            s_guard->m_firstWarning = message.trimmed();
        return;
    }
    std::fprintf(stderr, "croton-studio: %s\n", qPrintable(sentence(message)));
    std::fflush(nullptr);
    std::_Exit(kStatus); // nothing was made yet that wants to be taken down
}

// No application is there yet, so there is no translation.
QString DisplayGuard::sentence(const QString &fatal)
{
    const QString without = QStringLiteral("or make a picture without a display: croton-studio FILE --screenshot OUT.png");
    const auto variable = [](const char *name) { return qEnvironmentVariable(name); };
    if (!fatal.contains(QLatin1String("platform plugin"))) return QStringLiteral("Qt could not start: %1").arg(fatal.simplified());
    if (const QString platform = variable("QT_QPA_PLATFORM"); !platform.isEmpty())
        return QStringLiteral("no window can be opened: Qt cannot use the platform %1 that QT_QPA_PLATFORM names. Unset it, %2")
            .arg(platform, without);
    const QString display = variable("DISPLAY").isEmpty() ? variable("WAYLAND_DISPLAY") : variable("DISPLAY");
    if (display.isEmpty())
        return QStringLiteral(
                   "there is no display to open a window on (DISPLAY and WAYLAND_DISPLAY are not set). Start it on a desktop, %1")
            .arg(without);
    const QString why = s_guard->m_firstWarning.isEmpty() ? QString() : QStringLiteral(" (%1)").arg(s_guard->m_firstWarning.simplified());
    return QStringLiteral("no window can be opened on the display %1%2. Check that it runs and may be used, %3").arg(display, why, without);
}

} // namespace app
