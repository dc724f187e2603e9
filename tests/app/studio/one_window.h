// A main window with settings and folders of its own, for tests that drive one.
#pragma once

#ifndef Q_MOC_RUN // moc 6.4 stumbles over <concepts>
#include "app/studio/window/main_window.h"
#include "tests/profiler/session/scratch.h"
#endif

#include "views/common/palette.h"

#include <QSettings>
#include <QtTest>

#include <memory>

class OneWindow : public QObject {
protected:
    profiler::Scratch m_scratch;
    std::unique_ptr<app::MainWindow> m_window;

    QString scratch(const char *name) const { return QString::fromStdString(m_scratch / name); }
    QString copyOf(const char *session, const char *name)
    {
        QFile::remove(scratch(name));
        if (!QFile::copy(QString::fromUtf8(session), scratch(name))) QTest::qFail("the session cannot be copied", __FILE__, __LINE__);
        return scratch(name);
    }
    /// Settings, and what is kept from run to run, go into the scratch folder.
    void settleIn()
    {
        QSettings::setDefaultFormat(QSettings::IniFormat);
        QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, scratch("settings"));
        QCoreApplication::setOrganizationName("croton-test");
        qputenv("XDG_CACHE_HOME", scratch("cache").toLocal8Bit());
    }
    static void wear(bool isStill, double text = 1)
    {
        views::Theme theme = views::Theme::load(views::ThemeKind::Light, text);
        theme.setReducedMotion(isStill);
        views::applyTheme(*qApp, theme);
    }
    void showWindow(std::unique_ptr<app::MainWindow> window = std::make_unique<app::MainWindow>())
    {
        m_window = std::move(window);
        m_window->resize(1440, 900);
        m_window->show();
    }
    void open(const QString &path, int patienceMs = 10000)
    {
        m_window->files().open(path);
        QTRY_VERIFY_WITH_TIMEOUT(m_window->session() && m_window->isReady(), patienceMs);
        m_window->settle();
    }
    template <class View>
    View *view(const char *id) const
    {
        return qobject_cast<View *>(m_window->views().widget(id));
    }
};
