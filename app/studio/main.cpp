#include "app/studio/dialogs/options.h"
#include "app/studio/dialogs/preferences.h"
#include "app/studio/pages/handout.h"
#include "app/studio/pages/screenshot.h"
#include "app/studio/run/program.h"
#include "app/studio/window/display_guard.h"
#include "app/studio/window/main_window.h"
#include "app/studio/window/system_theme.h"
#include "app/studio/window/translation.h"
#include "views/common/palette.h"

#include <QApplication>
#include <QDir>
#include <QSettings>
#include <QTemporaryDir>

#include <clocale>
#include <cstdio>
#include <optional>

namespace {

/// Whether a picture is asked for must be known before there is an application.
bool wantsPicture(int argc, char **argv)
{
    for (int i = 1; i < argc; ++i)
        if (qstrncmp(argv[i], "--screenshot", 12) == 0 || qstrncmp(argv[i], "--handout", 9) == 0) return true;
    return false;
}

bool wantsOnlyText(int argc, char **argv)
{
    for (int i = 1; i < argc; ++i)
        for (const char *option : {"-h", "--help", "-v", "--version", "--list-views", "--manual"})
            if (qstrcmp(argv[i], option) == 0) return true;
    return false;
}

} // namespace

int main(int argc, char **argv)
{
    std::optional<QTemporaryDir> ownRuntime;
    if (wantsPicture(argc, argv) || wantsOnlyText(argc, argv)) {
        qputenv("QT_QPA_PLATFORM", "offscreen");
        // Qt needs a private folder there. It prints a warning if the variable is not set.
        if (qEnvironmentVariableIsEmpty("XDG_RUNTIME_DIR"))
            qputenv("XDG_RUNTIME_DIR", ownRuntime.emplace(QDir::tempPath() + QStringLiteral("/croton-XXXXXX")).path().toLocal8Bit());
    }
    std::optional<app::DisplayGuard> guard(std::in_place);
    QApplication application(argc, argv);
    guard.reset();
    // Numbers are written and read with a point whatever the language of the desktop.
    std::setlocale(LC_NUMERIC, "C");
    QApplication::setOrganizationName(QStringLiteral("croton"));
    QApplication::setApplicationName(QStringLiteral("croton-studio"));
    QApplication::setApplicationDisplayName(QStringLiteral("Croton Studio"));
    QApplication::setApplicationVersion(QStringLiteral(CROTON_VERSION));
    QApplication::setDesktopFileName(QStringLiteral("croton-studio"));

    const app::ParsedOptions parsed = app::parseOptions(QApplication::arguments());
    if (!parsed.output.isEmpty()) {
        std::fputs(parsed.output.toUtf8().constData(), stdout);
        return 0;
    }
    if (!parsed.error.isEmpty()) {
        std::fprintf(stderr, "croton-studio: %s (see croton-studio --help)\n", qPrintable(parsed.error));
        return 2;
    }
    const app::Options &options = parsed.options;
    QTemporaryDir emptySettings;
    const bool makesFile = options.wantsScreenshot() || !options.handout.isEmpty();
    if (makesFile) {
        // Pictures do not depend on what somebody set on this machine, and leave no trace in it.
        QSettings::setDefaultFormat(QSettings::IniFormat);
        QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, emptySettings.path());
    }
    if (!makesFile) app::SystemTheme::instance().listen();
    app::Preferences preferences;
    const bool asks = options.language.isEmpty();
    app::speak(application, !asks ? options.language : makesFile ? QStringLiteral("en") : preferences.language());
    views::Theme theme = preferences.effectiveTheme();
    if (!options.theme.isEmpty() || options.textSize > 0 || makesFile) {
        const bool dark = options.theme.isEmpty() ? theme.isDark() : options.theme == "dark";
        theme = views::Theme::load(dark ? views::ThemeKind::Dark : views::ThemeKind::Light,
                                   options.textSize > 0 ? options.textSize / 100.0 : theme.textScale());
    }
    views::applyTheme(application, theme);
    if (!options.handout.isEmpty()) return app::writeHandout(options);
    if (!options.building.isEmpty()) app::Program::instance().watchBuild(options.building);
    app::MainWindow window;
    if (options.wantsScreenshot()) return app::takeScreenshot(window, options);
    if (options.size.isValid()) window.resize(options.size);
    else if (!window.restoreGeometry(preferences.windowGeometry())) window.resize(1440, 900);
    window.show();
    if (options.file.isEmpty() && !options.lesson.isEmpty())
        if (QString error; !window.follow(options, &error)) window.notices().error(error);
    if (!options.file.isEmpty()) {
        QObject::connect(
            &window.files(), &app::FileOpener::sessionShown, &window,
            [&window, options] {
                app::Options now = options;
                if (!window.session()->isRecorded() ||
                    window.session()->info.state == profiler::SessionState::Running) { // its functions are still to come
                    now = {};
                    now.view = options.view;
                }
                QString error;
                if (!window.follow(now, &error)) window.notices().error(error);
            },
            Qt::SingleShotConnection);
        window.files().openNamed(options.file);
        if (!options.other.isEmpty()) window.files().compare(options.file, options.other);
        if (options.run) window.runs().run();
    }
    if (options.tour > 0) window.guide().show(options.tour - 1);
    else if (options.isPlain()) window.guide().offer();
    return QApplication::exec();
}
