// What is measured afterwards for a view, in a window: by the real `croton`, and by shell scripts that stand for it.
#ifndef Q_MOC_RUN // moc 6.4 stumbles over <concepts>
#include "app/studio/pages/welcome_page.h"
#include "profiler/session/store/database.h"
#include "tests/app/studio/one_window.h"
#include "views/memory/choices_page.h"
#include "views/memory/choices_rows.h"
#include "views/memory/memory_view.h"
#include "views/session/tried.h"
#include "views/worth/worth_rows.h"
#endif

#include "views/common/measure_strip.h"
#include "views/common/measuring.h"
#include "views/common/picture_panel.h"
#include "views/steps/step_bar.h"
#include "views/worth/worth_canvas.h"
#include "views/worth/worth_graphs.h"
#include "views/worth/worth_view.h"

#include <QCryptographicHash>
#include <QProcess>
#include <QPushButton>
#include <QToolButton>

using namespace app;
using namespace views;

class MeasuringTest : public OneWindow {
    Q_OBJECT

    QByteArray m_path;

    Measuring &measuring() { return Measuring::of(m_window->hub()); }
    /// A session with captured calls of which nobody tried anything.
    QString untried(const char *name)
    {
        const QString path = copyOf(CROTON_TRIED_SESSION, name);
        profiler::Database(path.toStdString(), profiler::Database::Access::Write).execute("DELETE FROM ablations; DELETE FROM along_steps");
        return path;
    }
    /// A script that is called instead of `croton`, from now on.
    void standIn(const QByteArray &body)
    {
        QDir().mkpath(scratch("bin"));
        QFile file(scratch("bin") + "/croton");
        QVERIFY(file.open(QIODevice::WriteOnly | QIODevice::Truncate));
        file.write("#!/bin/sh\n" + body);
        file.close();
        file.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
        qputenv("PATH", scratch("bin").toLocal8Bit() + ":" + m_path);
    }

private Q_SLOTS:
    void initTestCase()
    {
        settleIn();
        m_path = qgetenv("PATH");
    }
    void init()
    {
        wear(true);
        qputenv("PATH", QByteArray(CROTON_PROGRAMS) + ":" + m_path);
        showWindow();
    }
    void cleanup() { m_window.reset(); }

    void whatARewriteIsWorthIsMeasuredAndStaysInTheSession()
    {
        const QString path = untried("measured.croton");
        open(path);
        m_window->showView(QStringLiteral("worth"));
        auto *worth = view<WorthView>("worth");
        QVERIFY(worth && !worth->rows());
        QStringList texts;
        connect(&measuring(), &Measuring::changed, this, [&] { texts << measuring().now().text; });
        Q_EMIT worth->panel()->actionTriggered();
        QVERIFY(measuring().now().isRunning);
        QVERIFY(worth->strip()->isRunning());
        QTRY_VERIFY_WITH_TIMEOUT(!measuring().now().isRunning, 120000);
        QVERIFY2(measuring().now().failure.isEmpty(), qPrintable(measuring().now().failure));
        QTRY_VERIFY(worth->rows());
        QVERIFY2(texts.join(u'\n').contains("without "), qPrintable(texts.join(u'\n'))); // it said how far it was
        QCOMPARE(m_window->workspaces().current(), QStringLiteral("worth"));             // where one was
        const auto again = views::readSession(*profiler::SessionReader::open(path.toStdString()), nullptr);
        QCOMPARE(again->derived<Tried>().worth.size(), std::size_t(1));
        // And the graph without the first of them.
        worth->canvas()->setFocus();
        QTest::keyClick(worth->canvas(), Qt::Key_Home);
        QTRY_VERIFY(worth->graphs()->isSettled());
        worth->graphs()->compileButton()->click();
        QTRY_VERIFY_WITH_TIMEOUT(worth->graphs()->showsBoth(), 60000);
        QVERIFY2(measuring().now().failure.isEmpty(), qPrintable(measuring().now().failure));
    }
    void whereNoValuesWereKeptTheScriptIsRunFirst()
    {

        if (QDir(QStringLiteral(CROTON_PROGRAMS "/../python/croton")).entryList({"_core*.so"}).isEmpty())
            QSKIP("scripts need the Python module");
#ifdef __SANITIZE_ADDRESS__
        QSKIP("scripts need a Python that preloads the sanitizer");
#endif
        QFile script(scratch("model.py"));
        QVERIFY(script.open(QIODevice::WriteOnly));
        script.write("import numpy, theano, theano.tensor as T\n"
                     "x = T.dvector('x')\n"
                     "f = theano.function([x], T.log(1 + T.exp(x)).sum(), name='cost')\n"
                     "for i in range(5): f(numpy.ones(100))\n");
        script.close();
        QProcess record;
        record.start(QStringLiteral(CROTON_PROGRAMS "/croton"), {"profile", script.fileName(), "-o", scratch("bare_run.croton")});
        QVERIFY(record.waitForFinished(60000) && record.exitCode() == 0);
        open(scratch("bare_run.croton"));
        m_window->showView(QStringLiteral("worth"));
        auto *worth = view<WorthView>("worth");
        QVERIFY2(worth->panel()->sentence().contains("First the script is run"), qPrintable(worth->panel()->sentence()));
        Q_EMIT worth->panel()->actionTriggered();
        QVERIFY(measuring().now().isRunning);
        QTRY_VERIFY_WITH_TIMEOUT(!measuring().now().isRunning, 120000);
        QVERIFY2(measuring().now().failure.isEmpty(), qPrintable(measuring().now().failure));
        QTRY_VERIFY(worth->rows());
        QCOMPARE(m_window->workspaces().current(), QStringLiteral("worth"));
        QVERIFY(m_window->keeper().path() != scratch("bare_run.croton")); // a session of its own, with values
    }
    void aSecondRunKeepsWhatWasToFollowTheFirst()
    {
        if (!QFileInfo::exists(scratch("bare_run.croton"))) QSKIP("scripts need the Python module");
        open(scratch("bare_run.croton"));
        m_window->showView(QStringLiteral("worth"));
        auto *worth = view<WorthView>("worth");
        Q_EMIT worth->panel()->actionTriggered();
        QTRY_VERIFY(m_window->runs().isRunning());
        m_window->hub().request(Command::Run);
        QTRY_VERIFY_WITH_TIMEOUT(!measuring().now().isRunning, 120000);
        QVERIFY2(measuring().now().failure.isEmpty(), qPrintable(measuring().now().failure));
        QTRY_VERIFY(worth->rows());
    }
    void whatARunVerifiesIsShownWithTheSessionItIsOf()
    {
        if (!QFileInfo::exists(scratch("bare_run.croton"))) QSKIP("scripts need the Python module");
        open(scratch("bare_run.croton"));
        const profiler::FunctionInfo function = m_window->session()->functions.front();
        measuring().ask({"whatif", "--function", QString::number(raw(function.id)), "--threads", "1", "--verify"});
        QTRY_VERIFY_WITH_TIMEOUT(!measuring().now().isRunning, 60000);
        QVERIFY2(measuring().now().failure.isEmpty(), qPrintable(measuring().now().failure));
        const auto verified = [&] { return m_window->session()->derived<Tried>().verifiedOf(function.id, "threads=1"); };
        QTRY_VERIFY(verified() && verified()->ns > 0);
        QCOMPARE(m_window->keeper().path(), scratch("bare_run.croton")); // the same one, read once more
    }
    void theMemoryPageVerifiesWhatItPredicts()
    {
        if (!QFileInfo::exists(scratch("bare_run.croton"))) QSKIP("scripts need the Python module");
        open(scratch("bare_run.croton"));
        m_window->showView(QStringLiteral("memory"));
        auto *memory = view<MemoryView>("memory");
        QVERIFY(memory);
        memory->choose("could");
        ChoicesPage &page = *memory->choices();
        QTRY_VERIFY(page.rows());
        QVERIFY(page.verifyButton()->isEnabled());
        page.verifyButton()->click();
        QVERIFY(measuring().now().isRunning);
        QVERIFY(!page.verifyButton()->isEnabled());
        QTRY_VERIFY_WITH_TIMEOUT(!measuring().now().isRunning, 120000);
        QVERIFY2(measuring().now().failure.isEmpty(), qPrintable(measuring().now().failure));
        QTRY_VERIFY(page.rows() && page.rows()->measured(page.rows()->choices.all.back()));
        for (const profiler::MemoryAlternative &one : page.rows()->choices.all) {
            if (one.flags.empty()) continue;
            const auto measured = page.rows()->measured(one);
            QVERIFY2(measured, one.name.c_str());
            QVERIFY2(std::abs(one.bytes - *measured) * 20 <= *measured, one.name.c_str());
        }
        QVERIFY(memory->isVisible());
        QCOMPARE(m_window->keeper().path(), scratch("bare_run.croton"));
    }
    void theRecordedSessionOfASampleStaysAsItIs()
    {
        if (!QFileInfo::exists(scratch("bare_run.croton"))) QSKIP("scripts need the Python module");
        const QDir folder(samplesFolder() + "/stable_log");
        const auto contents = [&] {
            QStringList all;
            for (const QFileInfo &file : folder.entryInfoList(QDir::Files, QDir::Name)) {
                QFile one(file.filePath());
                if (!one.open(QIODevice::ReadOnly)) continue;
                all << file.fileName() + ' ' + QCryptographicHash::hash(one.readAll(), QCryptographicHash::Sha256).toHex();
            }
            return all;
        };
        const QStringList before = contents();
        open(folder.filePath("stable_log.croton"));
        const profiler::FunctionInfo function = m_window->session()->functions.front();
        measuring().ask({"whatif", "--function", QString::number(raw(function.id)), "--threads", "1", "--verify"});
        QTRY_VERIFY_WITH_TIMEOUT(!measuring().now().isRunning, 120000);
        QVERIFY2(measuring().now().failure.isEmpty(), qPrintable(measuring().now().failure));
        QCOMPARE(contents(), before);
        QVERIFY(m_window->keeper().path() != folder.filePath("stable_log.croton"));
    }
    void aCopyThatDoesNotOpenIsNotMeasured()
    {
        const QString asked = scratch("asked");
        standIn("echo \"$@\" >> '" + asked.toUtf8() + "'\n");
        open(samplesFolder() + "/stable_log/stable_log.croton");
        QFile::remove(asked);
        m_window->runs().setCopySession([](const QString &, const QString &to) {
            QFile copy(to);
            return copy.open(QIODevice::WriteOnly) && copy.write("no session") > 0;
        });
        measuring().ask({"whatif", "--threads", "1"});
        QTRY_VERIFY(!measuring().now().failure.isEmpty());
        QVERIFY(!measuring().now().isRunning);
        open(copyOf(CROTON_TRIED_SESSION, "next.croton"));
        QTRY_COMPARE(m_window->keeper().path(), scratch("next.croton"));
        QTest::qWait(100);
        QVERIFY2(!measuring().now().isRunning && !QFile::exists(asked), "the next file is measured");
    }
    void theLinesOverTheStepsAreMeasured()
    {
        open(untried("along.croton"));
        auto *page = m_window->findChild<StepBar *>();
        QVERIFY(page && !page->alongButton()->isHidden());
        page->alongButton()->click();
        QTRY_VERIFY_WITH_TIMEOUT(!measuring().now().isRunning, 120000);
        QVERIFY2(measuring().now().failure.isEmpty(), qPrintable(measuring().now().failure));
        QTRY_VERIFY(page->sizeHint().height() > 100);
    }
    void whatFailsIsASentenceAndWhatIsStoppedEnds()
    {
        open(untried("stopped.croton"));
        if (QFileInfo(QCoreApplication::applicationDirPath() + "/croton").exists()) QSKIP("the real croton is beside this test");
        standIn("echo 'croton: the disk is full: free some space' >&2\nexit 1\n");
        measuring().ask({"ablate", "--function", "0"});
        QTRY_VERIFY(!measuring().now().isRunning);
        QCOMPARE(measuring().now().failure, QStringLiteral("the disk is full: free some space"));
        // What Theano says of an apply has many lines; they stay lines, and the first is not lost.
        standIn(
            "printf 'a warning\\ncroton: Shape mismatch\\nApply node: Dot22(x, y)\\nInputs shapes: [(3, 4), (5, 6)]\\nHINT: look\\n' >&2\nexit 1\n");
        measuring().ask({"ablate", "--function", "0"});
        QTRY_VERIFY(!measuring().now().isRunning);
        QCOMPARE(measuring().now().failure,
                 QStringLiteral("Shape mismatch\nApply node: Dot22(x, y)\nInputs shapes: [(3, 4), (5, 6)]\nHINT: look"));
        standIn("echo '{\"event\":\"progress\",\"text\":\"half\",\"done\":1,\"total\":2}' >&3\nexec sleep 60\n");
        measuring().ask({"ablate", "--function", "0"});
        QTRY_COMPARE(measuring().now().text, QStringLiteral("half"));
        QCOMPARE(measuring().now().share, 0.5);
        measuring().ask({"along", "--function", "0"}); // one at a time: what runs goes on
        QCOMPARE(measuring().now().what(), QStringLiteral("ablate"));
        QVERIFY(measuring().now().isRunning);
        measuring().stop();
        QTRY_VERIFY_WITH_TIMEOUT(!measuring().now().isRunning, 5000);
        QVERIFY2(measuring().now().failure.contains("stopped"), qPrintable(measuring().now().failure));
    }
    void whereNothingCanBeRunItSaysWhatIsMissing()
    {
        const QString path = copyOf(CROTON_TRIED_SESSION, "bare.croton");
        profiler::Database(path.toStdString(), profiler::Database::Access::Write)
            .execute("DELETE FROM captured_functions; DELETE FROM captured_calls; DELETE FROM captured_values; DELETE FROM ablations");
        open(path);
        measuring().ask({"ablate", "--function", "0"});
        QVERIFY2(measuring().now().failure.contains("--capture"), qPrintable(measuring().now().failure));
        measuring().ask({"memory", "--verify"});
        QVERIFY2(measuring().now().failure.contains("not on this machine"), qPrintable(measuring().now().failure));
        open(untried("other.croton")); // another session: forgotten
        QVERIFY(measuring().now().words.isEmpty());
    }
};

QTEST_MAIN(MeasuringTest)
#include "measuring_test.moc"
