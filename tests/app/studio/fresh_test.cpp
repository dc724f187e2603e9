// A sample is shown as it was recorded while it runs on this machine; then that run takes its place, and nobody loses theirs.
#ifndef Q_MOC_RUN // moc 6.4 stumbles over <concepts>
#include "app/studio/pages/graph_page.h"
#include "app/studio/run/carried.h"
#include "tests/app/studio/one_window.h"
#endif

#include "app/studio/dialogs/settings_dialog.h"
#include "app/studio/pages/welcome_cards.h"
#include "app/studio/run/worker.h"
#include "app/studio/window/status_line.h"
#include "views/code/source_panel.h"
#include "views/common/panels.h"
#include "views/graph/graph_pane.h"

#include <QCheckBox>
#include <QDir>
#include <QLabel>
#include <QToolButton>

using namespace app;
using namespace views;

class FreshTest : public OneWindow {
    Q_OBJECT

    SampleCard m_card; ///< logistic regression
    QString m_asked;   ///< the file in which the program writes what it was asked for

    /// A shell script that stands for the program `croton`: it waits for a file, then leaves a copy of a session.
    void writeProgram(const QByteArray &body)
    {
        const QString path = scratch("croton");
        QFile::remove(path);
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("#!/bin/sh\n[ \"$1\" = profile ] || exit 0\necho \"$@\" >> '" + m_asked.toUtf8() + "'\n" + body);
        file.close();
        file.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
        QFile::remove(m_asked);
        QFile::remove(scratch("go"));
    }
    QByteArray leaves(const QString &session)
    {
        return "while [ ! -e '" + scratch("go").toUtf8() + "' ]; do sleep 0.02; done\ncp '" + session.toUtf8() + "' \"$4\"\n";
    }
    void letItEnd()
    {
        QFile go(scratch("go"));
        QVERIFY(go.open(QIODevice::WriteOnly));
    }
    QString asked() const
    {
        QFile file(m_asked);
        return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
    }
    /// Clicks the card of the sample on the first page, and waits until its recorded session is there.
    void openSample()
    {
        for (auto *button : view<WelcomePage>("welcome")->findChildren<SampleButton *>())
            if (button->accessibleName() == m_card.title) QTest::mouseClick(button, Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(m_window->session() && m_window->isReady(), 20000);
        QCOMPARE(m_window->keeper().path(), m_card.file);
        m_window->settle();
    }
    QString status() const { return m_window->findChild<StatusLine *>()->findChildren<QLabel *>()[1]->text(); }
    QStringList sessionsLeft() const { return QDir(Worker::sessionFolder()).entryList({"logistic_regression-*"}); }
    GraphCanvas *canvas() { return view<GraphPage>("graph")->optimizedPane()->canvas(); }

private Q_SLOTS:
    void initTestCase()
    {
        settleIn();
        m_asked = scratch("asked");
        qputenv("PATH", scratch("").toLocal8Bit() + ":" + qgetenv("PATH"));
        writeProgram("exit 0\n");
        wear(true);
        for (const SampleCard &card : readSamples(samplesFolder()))
            if (card.script.endsWith("/logistic_regression.py")) m_card = card;
        QVERIFY(m_card.file.endsWith(".croton"));
    }
    void init()
    {
        QSettings().clear();
        QDir(Worker::sessionFolder()).removeRecursively();
        showWindow();
    }
    void cleanup() { m_window.reset(); }

    void theRunTakesThePlaceAndTheSelectionStays()
    {
        writeProgram(leaves(m_card.file));
        openSample();
        QTRY_VERIFY(!asked().isEmpty());
        QVERIFY2(asked().contains("profile " + m_card.script), qPrintable(asked()));
        QVERIFY2(status().contains("as it was recorded", Qt::CaseInsensitive), qPrintable(status()));
        QVERIFY2(m_window->isReady(), "nobody waits for it");
        // A node, a step, a place: all that a person may have come to meanwhile.
        const NodeRef node = view<GraphPage>("graph")->hottest();
        m_window->hub().selectNode(node);
        m_window->hub().selectStep(4);
        m_window->hub().selectNode(node);
        m_window->showView("operations");
        QTRY_VERIFY(m_window->isReady());
        m_window->settle();
        const Selection before = m_window->hub().selection();
        const bool back = m_window->hub().canGoBack();
        canvas()->setScale(0.73, canvas()->rect().center());
        letItEnd();
        QTRY_VERIFY_WITH_TIMEOUT(m_window->keeper().path() != m_card.file && status().contains("just now"), 20000);
        QTRY_VERIFY(m_window->isReady());
        Selection after = m_window->hub().selection();
        QCOMPARE(after.node, before.node);
        QVERIFY(after.node.isValid());
        QCOMPARE(after.step, before.step);
        QVERIFY(after == before);
        QCOMPARE(m_window->hub().canGoBack(), back);
        QVERIFY(m_window->workspaces().isShown("operations"));
        QCOMPARE(canvas()->scale(), 0.73);
        QVERIFY2(canvas()->selected().size() == 1, "the ring is gone");
        QCOMPARE(m_window->keeper().script(), m_card.script);
        QVERIFY2(!m_window->findChild<NoticeStrip *>()->isVisible(), "the picture moved");
        QCOMPARE(sessionsLeft().size(), 1);
    }
    void whoIsInTheMidstOfSomethingIsAsked()
    {
        writeProgram(leaves(m_card.file));
        openSample();
        m_window->hub().selectRange({100, 200});
        letItEnd();
        auto *notice = m_window->findChild<NoticeStrip *>();
        QTRY_VERIFY_WITH_TIMEOUT(notice->isVisible(), 20000);
        QCOMPARE(notice->kind(), NoticeStrip::Kind::Info);
        QCOMPARE(m_window->keeper().path(), m_card.file);
        QTest::mouseClick(notice->findChild<QToolButton *>("noticeAction"), Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(m_window->keeper().path() != m_card.file && status().contains("just now"), 20000);
        QVERIFY(!notice->isVisible());
    }
    void anotherShapeLeavesWhatItHas()
    {
        writeProgram(leaves(QStringLiteral(CROTON_REAL_SESSION)));
        openSample();
        QString error;
        QVERIFY2(m_window->keeper().selectFunction("predict", &error), qPrintable(error));
        letItEnd();
        QTRY_VERIFY_WITH_TIMEOUT(status().contains("just now"), 20000);
        QCOMPARE(m_window->keeper().function()->name, std::string("predict"));
        QVERIFY(!haveOneShape(*readFile(m_card.file), *m_window->session()));
        QVERIFY(haveOneShape(*m_window->session(), *m_window->session()));
    }
    void whatCannotRunSaysSoQuietly()
    {
        writeProgram("echo 'croton: python3 was not found; install it' >&2\nexit 1\n");
        openSample();
        QTRY_VERIFY2_WITH_TIMEOUT(status().contains("not run here") && status().contains("python3 was not found"), qPrintable(status()),
                                  20000);
        QVERIFY(!m_window->findChild<NoticeStrip *>()->isVisible());
        QCOMPARE(m_window->keeper().path(), m_card.file);
        QVERIFY(sessionsLeft().isEmpty());
    }
    void withoutACompilerItIsNotRun()
    {
        const QString path = scratch("croton");
        writeProgram("exit 0\n");
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(
            "#!/bin/sh\n[ \"$1\" = devices ] || { echo \"$@\" >> '" + m_asked.toUtf8() +
            "'; exit 0; }\necho '{\"devices\": [{\"name\": \"cpu\", \"available\": true}], \"parts\": [{\"name\": \"compiler\", \"available\": "
            "false, \"reason\": \"gcc was not found\"}]}'\n");
        file.close();
        showWindow(); // asks anew what there is
        QTest::qWait(300);
        openSample();
        QTRY_VERIFY2(status().contains("gcc was not found"), qPrintable(status()));
        QVERIFY2(asked().isEmpty(), qPrintable(asked()));
    }
    void itIsForgottenWithTheSample()
    {
        writeProgram("sleep 30\n");
        openSample();
        QTRY_VERIFY(!asked().isEmpty());
        m_window->files().open(copyOf(CROTON_REAL_SESSION, "a.croton"));
        QTRY_VERIFY_WITH_TIMEOUT(m_window->keeper().path().endsWith("a.croton") && m_window->isReady(), 20000);
        QVERIFY2(!status().contains("recorded"), qPrintable(status()));
        QVERIFY(sessionsLeft().isEmpty());
    }
    void aDiscardedRunWritesNoSessionAnyMore()
    {
        writeProgram("while :; do : > \"$4\"; done\n"); // writes it until its last moment
        openSample();
        QTRY_VERIFY(!sessionsLeft().isEmpty());
        m_window->files().open(copyOf(CROTON_REAL_SESSION, "b.croton"));
        QTRY_VERIFY_WITH_TIMEOUT(m_window->keeper().path().endsWith("b.croton") && m_window->isReady(), 20000);
        QTRY_VERIFY(sessionsLeft().isEmpty());
        QTest::qWait(100);
        QVERIFY(sessionsLeft().isEmpty());
    }
    void nothingRunsUnaskedBesides()
    {
        writeProgram("exit 0\n");
        // As a setting says.
        Preferences preferences;
        SettingsDialog dialog(preferences);
        dialog.findChild<QCheckBox *>("freshRuns")->setChecked(false);
        openSample();
        QTest::qWait(200);
        QVERIFY2(asked().isEmpty(), qPrintable(asked()));
        preferences.setFreshRuns(true);
        // Nor a sample that was opened as a file, or a script of the person's own.
        showWindow();
        open(m_card.file);
        QFile script(scratch("mine.py"));
        QVERIFY(script.open(QIODevice::WriteOnly));
        script.write("print(1)\n");
        script.close();
        open(script.fileName());
        QTest::qWait(200);
        QVERIFY2(asked().isEmpty(), qPrintable(asked()));
    }

private:
    static std::shared_ptr<const SessionData> readFile(const QString &path)
    {
        return readSession(*profiler::SessionReader::open(path.toStdString()), nullptr);
    }
};

QTEST_MAIN(FreshTest)
#include "fresh_test.moc"
