// The first day of somebody with the real program: scripts that fail, never end or are killed, parts that are missing, files that are gone.
#ifndef Q_MOC_RUN // moc 6.4 stumbles over <concepts>
#include "app/studio/pages/graph_page.h"
#include "app/studio/run/run_bar.h"
#include "tests/app/studio/one_window.h"
#endif

#include "app/studio/window/status_line.h"
#include "views/code/source_panel.h"
#include "views/code/source_view.h"
#include "views/common/controls.h"
#include "views/common/panels.h"
#include "views/graph/graph_pane.h"

#include <QLabel>
#include <QPlainTextEdit>
#include <QToolButton>

#include <csignal>

using namespace app;
using namespace views;

namespace {

constexpr int kPatienceMs = 40'000; // a script takes a second, on a busy machine many
constexpr const char *kEndless = R"(import os, time, numpy, theano, theano.tensor as T
x = T.vector('x')
f = theano.function([x], T.exp(x).sum(), name='endless')
print('process %d' % os.getpid(), flush=True)
while True:
    f(numpy.ones(4))
    time.sleep(0.01)
)";

} // namespace

class WalkTest : public OneWindow {
    Q_OBJECT

    QString write(const char *name, const QByteArray &text)
    {
        QFile file(scratch(name));
        if (!file.open(QIODevice::WriteOnly | QIODevice::Truncate)) QTest::qFail("no script", __FILE__, __LINE__);
        file.write(text);
        return file.fileName();
    }
    NoticeStrip *notice() { return m_window->findChild<NoticeStrip *>(); }
    QString status()
    {
        QStringList texts;
        for (const QLabel *label : m_window->findChild<StatusLine *>()->findChildren<QLabel *>())
            if (label->isVisible()) texts << label->text();
        return texts.join(u'|');
    }
    QString printed() { return m_window->views().widget("output")->findChild<QPlainTextEdit *>()->toPlainText(); }
    void command(const char *id)
    {
        auto *action = m_window->findChild<QAction *>(id);
        QVERIFY2(action && action->isEnabled(), id);
        action->trigger();
    }
    void start(const QString &script)
    {
        m_window->files().open(script);
        QTRY_VERIFY_WITH_TIMEOUT(m_window->session() && m_window->isReady(), kPatienceMs);
        m_window->showView("output");
        command("run");
    }
    /// The process of the endless script, once it has come so far.
    void startEndless(const char *name, qint64 *process)
    {
        start(write(name, QByteArray("# ") + name + '\n' + kEndless)); // its own text: the last session of another is not shown
        static const QRegularExpression said("process (\\d+)");
        QTRY_VERIFY2_WITH_TIMEOUT(said.match(printed()).hasMatch(), qPrintable(printed()), kPatienceMs);
        *process = said.match(printed()).captured(1).toLongLong();
        // Its graph is there while it runs, and calls are counted.
        QTRY_VERIFY_WITH_TIMEOUT(view<GraphPage>("graph")->optimizedPane()->showsCanvas(), kPatienceMs);
        QTRY_VERIFY_WITH_TIMEOUT(m_window->session()->functions.size() == 1 && m_window->session()->functions[0].run.calls > 0,
                                 kPatienceMs);
        QVERIFY(::kill(static_cast<pid_t>(*process), 0) == 0);
    }
    void lookAtWhatIsThere()
    {
        QCOMPARE(m_window->session()->functions.size(), std::size_t(1));
        QVERIFY(m_window->session()->functions[0].run.calls > 0);
        QVERIFY(view<GraphPage>("graph")->optimizedPane()->showsCanvas());
        QVERIFY2(!status().contains("Run finished"), qPrintable(status()));
    }

private Q_SLOTS:
    void initTestCase()
    {
        settleIn();
        wear(true);
    }
    void init()
    {
        QSettings().clear();
        for (const char *name : {"CROTON_PYTHON", "CROTON_CC"}) qunsetenv(name);
        showWindow();
    }
    void cleanup() { m_window.reset(); }

    void aScriptThatFails()
    {
        start(write("fails.py", "import numpy, theano, theano.tensor as T\n"
                                "x = T.matrix('x')\n"
                                "f = theano.function([x], T.dot(x, x), name='square')\n"
                                "print('before the fault')\n"
                                "f(numpy.ones((2, 3)))\n"
                                "print('never')\n"));
        QTRY_VERIFY2_WITH_TIMEOUT(notice()->sentence().contains("ValueError"), qPrintable(notice()->sentence()), kPatienceMs);
        QVERIFY(notice()->kind() == NoticeStrip::Kind::Error);
        QTRY_VERIFY2_WITH_TIMEOUT(status().contains("Script failed"), qPrintable(status()), kPatienceMs);
        QVERIFY2(!status().contains("Run finished"), qPrintable(status()));
        QTRY_VERIFY_WITH_TIMEOUT(printed().contains("before the fault"), kPatienceMs);
        QVERIFY(!printed().contains("never"));
        Q_EMIT notice()->actionTriggered();
        QTRY_COMPARE(view<SourcePanel>("source")->view()->currentLine(), 5);
    }
    void aScriptThatCannotBeRead()
    {
        start(write("syntax.py", "import theano\ndef f(:\n    pass\n"));
        QTRY_VERIFY2_WITH_TIMEOUT(notice()->sentence().contains("SyntaxError"), qPrintable(notice()->sentence()), kPatienceMs);
        QTRY_VERIFY2_WITH_TIMEOUT(status().contains("Script failed"), qPrintable(status()), kPatienceMs);
        Q_EMIT notice()->actionTriggered();
        QTRY_COMPARE(view<SourcePanel>("source")->view()->currentLine(), 2);
    }
    /// The bar says what the script sets, before a run and after it.
    void aScriptThatSetsFlags()
    {
        const auto shown = [this](const QString &label) {
            for (const auto *combo : m_window->findChildren<LabeledCombo *>())
                if (combo->label() == label) return combo->currentText();
            return QString();
        };
        m_window->files().open(write("sets.py", "import theano, theano.tensor as T\n"
                                                "theano.config.floatX = 'float32'\n"
                                                "if True:\n"
                                                "    theano.config.mode = 'FAST_COMPILE'\n"
                                                "x = T.vector('x')\n"
                                                "f = theano.function([x], T.exp(x).sum(), name='f')\n"
                                                "f([1, 2, 3])\n"
                                                "print('well')\n"));
        QTRY_VERIFY_WITH_TIMEOUT(m_window->session() && m_window->isReady(), kPatienceMs);
        QCOMPARE(shown("floatX"), QString("float32 (script)"));
        QCOMPARE(shown("Mode"), QString("FAST_RUN"));
        command("run");
        QTRY_VERIFY2_WITH_TIMEOUT(status().contains("Run finished"), qPrintable(status()), kPatienceMs);
        QTRY_COMPARE_WITH_TIMEOUT(shown("Mode"), QString("FAST_COMPILE (script)"), kPatienceMs);
        QCOMPARE(shown("floatX"), QString("float32 (script)"));
        // What it sets is no setting of the bar: the next run is started as this one was.
        QVERIFY2(!m_window->findChild<RunBar *>()->commandLine().contains("float32"),
                 qPrintable(m_window->findChild<RunBar *>()->commandLine()));
    }
    void aScriptThatNeverEndsIsStopped()
    {
        qint64 process = 0;
        startEndless("endless.py", &process);
        command("stop");
        QTRY_VERIFY2_WITH_TIMEOUT(status().contains("stopped"), qPrintable(status()), kPatienceMs);
        QTRY_VERIFY_WITH_TIMEOUT(::kill(static_cast<pid_t>(process), 0) != 0, kPatienceMs);
        QTRY_VERIFY_WITH_TIMEOUT(m_window->session()->info.state != profiler::SessionState::Running && m_window->isReady(), kPatienceMs);
        QVERIFY2(!notice()->sentence().isEmpty() && notice()->kind() != NoticeStrip::Kind::Error, qPrintable(notice()->sentence()));
        lookAtWhatIsThere();
    }
    /// One call of a hundred million steps. What it would have changed is as an error leaves it, and the script can say so: it was not
    /// killed.
    void aLongLoopIsStopped()
    {
        start(write("loop.py", "import theano, theano.tensor as T\n"
                               "calls = theano.shared(0, name='calls')\n"
                               "n = T.lscalar('n')\n"
                               "states, _ = theano.scan(lambda s: T.tanh(s) + 0.5, outputs_info=T.constant(1.0), n_steps=n)\n"
                               "f = theano.function([n], states[-1], updates=[(calls, calls + 1)], name='loop')\n"
                               "f(10)\n"
                               "print('begins', flush=True)\n"
                               "try:\n"
                               "    f(100000000)\n"
                               "    print('never', flush=True)\n"
                               "finally:\n"
                               "    print('calls is %d' % calls.get_value(), flush=True)\n"));
        QTRY_VERIFY2_WITH_TIMEOUT(printed().contains("begins"), qPrintable(printed()), kPatienceMs);
        command("stop");
        QTRY_VERIFY2_WITH_TIMEOUT(status().contains("stopped"), qPrintable(status()), kPatienceMs);
        QTRY_VERIFY_WITH_TIMEOUT(m_window->session()->info.state != profiler::SessionState::Running && m_window->isReady(), kPatienceMs);
        QTRY_VERIFY2_WITH_TIMEOUT(printed().contains("calls is 1"), qPrintable(printed()), kPatienceMs);
        QVERIFY2(!printed().contains("never"), qPrintable(printed()));
        QVERIFY(notice()->kind() != NoticeStrip::Kind::Error);
        lookAtWhatIsThere();
        QCOMPARE(m_window->session()->functions[0].run.calls, 1);
    }
    void aWorkerThatIsKilled()
    {
        qint64 process = 0;
        startEndless("killed.py", &process);
        ::kill(static_cast<pid_t>(process), SIGKILL);
        QTRY_VERIFY2_WITH_TIMEOUT(status().contains("killed"), qPrintable(status()), kPatienceMs);
        QVERIFY2(notice()->sentence().contains("killed"), qPrintable(notice()->sentence()));
        QVERIFY(notice()->kind() == NoticeStrip::Kind::Error);
        QTRY_VERIFY_WITH_TIMEOUT(m_window->isReady(), kPatienceMs);
        lookAtWhatIsThere();
        // And it goes on: the next run is a good one.
        start(write("good.py", "print('well')\n"));
        QTRY_VERIFY2_WITH_TIMEOUT(status().contains("complete"), qPrintable(status()), kPatienceMs);
        QVERIFY2(notice()->sentence().isEmpty(), qPrintable(notice()->sentence()));
    }
    void noPython()
    {
        qputenv("CROTON_PYTHON", "/there/is/no/python3");
        start(write("no_python.py", "print('never')\n"));
        QTRY_VERIFY2_WITH_TIMEOUT(notice()->sentence().contains("CROTON_PYTHON"), qPrintable(notice()->sentence()), kPatienceMs);
        QVERIFY2(status().contains("not started"), qPrintable(status()));
    }
    void noCompiler()
    {
        qputenv("CROTON_CC", "no-such-cc");
        start(write("no_gcc.py", "import numpy, theano, theano.tensor as T\n"
                                 "x = T.dvector('x')\n"
                                 "f = theano.function([x], T.exp(x) * T.tanh(x + 2) + x, name='f')\n"
                                 "for k in range(50): f(numpy.ones(1000))\n"
                                 "print('done')\n"));
        QTRY_VERIFY_WITH_TIMEOUT(printed().contains("done"), kPatienceMs);
        QTRY_VERIFY_WITH_TIMEOUT(m_window->session()->info.state == profiler::SessionState::Finished && m_window->isReady(), kPatienceMs);
        QTRY_VERIFY2_WITH_TIMEOUT(notice()->sentence().contains("no-such-cc"), qPrintable(notice()->sentence() + '|' + printed()), 5000);
        QVERIFY(notice()->kind() == NoticeStrip::Kind::Warning);
        QVERIFY(m_window->session()->functions[0].run.calls == 50);
    }
    void filesThatAreGoneOrDamaged()
    {
        const QString path = copyOf(CROTON_REAL_SESSION, "there.croton");
        open(path, kPatienceMs);
        QVERIFY(QFile::remove(path));
        m_window->showView("profile"); // what was read stays
        QTRY_VERIFY_WITH_TIMEOUT(m_window->isReady(), kPatienceMs);
        m_window->files().open(path);
        QTRY_VERIFY2(notice()->sentence().contains("there.croton"), qPrintable(notice()->sentence()));
        QVERIFY(m_window->session());
        const QString half = copyOf(CROTON_REAL_SESSION, "half.croton");
        QVERIFY(QFile::resize(half, QFileInfo(half).size() / 2));
        m_window->files().open(half);
        QTRY_VERIFY2_WITH_TIMEOUT(notice()->sentence().contains("half.croton"), qPrintable(notice()->sentence()), kPatienceMs);
        m_window->files().open(write("noise.croton", QByteArray(100'000, 'x')));
        QTRY_VERIFY2_WITH_TIMEOUT(notice()->sentence().contains("noise.croton"), qPrintable(notice()->sentence()), kPatienceMs);
        m_window->files().open(write("empty.croton", {}));
        QTRY_VERIFY2_WITH_TIMEOUT(notice()->sentence().contains("empty.croton"), qPrintable(notice()->sentence()), kPatienceMs);
        open(copyOf(CROTON_REAL_SESSION, "good.croton"), kPatienceMs);
        QVERIFY2(notice()->sentence().isEmpty(), qPrintable(notice()->sentence()));
    }
};

QTEST_MAIN(WalkTest)
#include "walk_test.moc"
