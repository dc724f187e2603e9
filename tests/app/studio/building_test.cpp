// A window that is there while Croton is still being built: what was recorded is seen, what runs waits, and nothing is said that is not so.
#ifndef Q_MOC_RUN // moc 6.4 stumbles over <concepts>
#include "tests/app/studio/one_window.h"
#endif

#include "app/studio/pages/welcome_cards.h"
#include "app/studio/pages/welcome_page.h"
#include "app/studio/run/program.h"
#include "app/studio/window/status_line.h"
#include "views/common/measuring.h"
#include "views/common/panels.h"

#include <QLabel>
#include <QProcess>
#include <QToolButton>

using namespace app;
using namespace views;

class BuildingTest : public OneWindow {
    Q_OBJECT

    SampleCard m_card; ///< logistic regression

    void say(const QByteArray &what)
    {
        QFile file(scratch("build"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(what);
    }
    void say(int done, qint64 process = QCoreApplication::applicationPid())
    {
        say("building " + QByteArray::number(process) + ' ' + QByteArray::number(done) + " 120 3:10\n");
    }
    /// A shell script that stands for the program `croton`, and notes what it was asked.
    void writeProgram()
    {
        QFile file(scratch("croton"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("#!/bin/sh\necho \"$@\" >> '" + scratch("asked").toUtf8() + "'\n[ \"$1\" = profile ] && cp '" + m_card.file.toUtf8() +
                   "' \"$4\"\nexit 0\n");
        file.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    }
    QString asked() const
    {
        QFile file(scratch("asked"));
        return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
    }
    QString status() const { return m_window->findChild<StatusLine *>()->findChildren<QLabel *>()[1]->text(); }
    NoticeStrip *notice() const { return m_window->findChild<NoticeStrip *>(); }

private Q_SLOTS:
    void initTestCase()
    {
        settleIn();
        wear(true);
        qputenv("PATH", scratch("").toLocal8Bit() + ":" + qgetenv("PATH"));
        for (const SampleCard &card : readSamples(samplesFolder()))
            if (card.script.endsWith("/logistic_regression.py")) m_card = card;
        QVERIFY(m_card.file.endsWith(".croton"));
        writeProgram();
    }
    void init()
    {
        QSettings().clear();
        QFile::remove(scratch("asked"));
        say(41);
        Program::instance().watchBuild(scratch("build"));
    }
    void cleanup()
    {
        m_window.reset();
        say("built\n");
        QTRY_VERIFY(!Program::instance().isBeingBuilt());
    }

    void whatIsThereOfItIsNotUsedBeforeAllIsThere()
    {
        Program &program = Program::instance();
        QVERIFY(program.isBeingBuilt());
        QCOMPARE(program.path(), QString());
        QVERIFY2(program.whyNot().contains("41 of 120 parts, 3:10"), qPrintable(program.whyNot()));
        QSignalSpy grew(&program, &Program::grew);
        say(42);
        QTRY_COMPARE(grew.size(), 1);
        QVERIFY(program.building().contains("42 of 120"));
        say("built\n");
        QTRY_COMPARE(program.path(), scratch("croton"));
        QCOMPARE(program.building(), QString());
    }
    void aBuildThatFailsOrIsGoneIsSaid()
    {
        Program &program = Program::instance();
        say("failed\n");
        QTRY_VERIFY(!program.isBeingBuilt());
        QCOMPARE(program.path(), QString());
        QVERIFY2(program.whyNot().contains("app/run"), qPrintable(program.whyNot()));
        QProcess gone;
        gone.start("true", QStringList());
        const qint64 process = gone.processId();
        QVERIFY(gone.waitForFinished());
        say(41, process);
        program.watchBuild(scratch("build"));
        QVERIFY(!program.isBeingBuilt());
        QVERIFY(program.whyNot().contains("could not be built"));
    }
    void aSampleIsShownAndRunsWhenItCan()
    {
        showWindow();
        m_window->files().openNamed(m_card.file);
        QTRY_VERIFY_WITH_TIMEOUT(m_window->session() && m_window->isReady(), 20000);
        QVERIFY2(status().contains("41 of 120"), qPrintable(status()));
        say(77);
        QTRY_VERIFY(status().contains("77 of 120"));
        QCOMPARE(asked(), QString());
        say("built\n");
        QTRY_VERIFY_WITH_TIMEOUT(m_window->keeper().path() != m_card.file && status().contains("just now"), 20000);
        QVERIFY2(asked().contains("profile " + m_card.script), qPrintable(asked()));
        QVERIFY2(asked().contains("devices"), "what this machine has is known now");
    }
    void aScriptWaitsAndRuns()
    {
        showWindow();
        m_window->files().openNamed(m_card.script);
        m_window->runs().run();
        QTRY_VERIFY(m_window->isReady());
        QVERIFY2(notice()->sentence().contains("41 of 120"), qPrintable(notice()->sentence()));
        say(42);
        QTRY_VERIFY(notice()->sentence().contains("42 of 120"));
        QCOMPARE(asked(), QString());
        say("built\n");
        QTRY_VERIFY_WITH_TIMEOUT(asked().contains("profile " + m_card.script), 20000);
        QTRY_VERIFY(!notice()->isVisible() ||
                    !notice()->sentence().contains("of 120")); // the run that follows may have a notice of its own
    }
    void whoChangesTheirMindIsNotRun()
    {
        showWindow();
        m_window->files().openNamed(m_card.script);
        m_window->runs().run();
        QTRY_VERIFY(m_window->isReady());
        QTest::mouseClick(notice()->findChild<QToolButton *>("noticeAction"), Qt::LeftButton);
        QVERIFY(!notice()->isVisible());
        say("built\n");
        QTRY_VERIFY(asked().contains("devices"));
        QVERIFY2(!asked().contains("profile"), qPrintable(asked()));
    }
    void aGraphIsReadWhenItCan()
    {
        QFile graph(scratch("g.json"));
        QVERIFY(graph.open(QIODevice::WriteOnly));
        graph.close();
        showWindow();
        m_window->files().openNamed(scratch("g.json"));
        QVERIFY2(notice()->sentence().contains("41 of 120"), qPrintable(notice()->sentence()));
        say("built\n");
        QTRY_VERIFY2(asked().contains("graph " + scratch("g.json")), qPrintable(asked()));
    }
    void nothingIsMeasuredMeanwhile()
    {
        showWindow();
        m_window->files().openNamed(m_card.file);
        QTRY_VERIFY_WITH_TIMEOUT(m_window->session() && m_window->isReady(), 20000);
        m_window->hub().request(MeasureSession{{"ablate"}});
        QVERIFY2(Measuring::of(m_window->hub()).now().failure.contains("41 of 120"), "it says why");
        say("built\n");
        QTRY_VERIFY_WITH_TIMEOUT(asked().contains("profile"), 20000);
        QVERIFY2(!asked().contains("--capture"), qPrintable(asked()));
    }
    void aFailedBuildIsToldWhereTheScriptWaited()
    {
        showWindow();
        m_window->files().openNamed(m_card.script);
        m_window->runs().run();
        QTRY_VERIFY(m_window->isReady());
        say("failed\n");
        QTRY_VERIFY(notice()->sentence().contains("could not be built"));
        QCOMPARE(notice()->kind(), NoticeStrip::Kind::Error);
        QVERIFY(m_window->notices().lastError().contains("could not be built"));
    }
};

QTEST_MAIN(BuildingTest)
#include "building_test.moc"
