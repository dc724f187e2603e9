// Programs that views and the studio start: each end is reported once, never from within start(), and none is waited for.
#include "views/common/child_process.h"

#include <QSignalSpy>
#include <QtTest>

#include <csignal>
#include <optional>

using namespace views;

class ChildProcessTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;

    static ChildProcess::Start shell(const QString &text) { return {.program = "/bin/sh", .arguments = {"-c", text, "sh"}}; }
    /// The end of a program, which has to come exactly once.
    static std::optional<ChildEnd> endOf(const ChildProcess::Start &start, ChildProcess &child)
    {
        std::vector<ChildEnd> ends;
        connect(&child, &ChildProcess::ended, &child, [&ends](const ChildEnd &end) { ends.push_back(end); });
        child.start(start);
        if (!ends.empty()) return {}; // from within
        if (!QTest::qWaitFor([&ends] { return !ends.empty(); })) return {};
        QTest::qWait(50);
        child.disconnect();
        return ends.size() == 1 && !child.isRunning() ? std::optional(ends[0]) : std::nullopt;
    }

private Q_SLOTS:
    void everyEndHasItsKind()
    {
        using Kind = ChildEnd::Kind;
        ChildProcess child;
        auto end = endOf(shell("exit 0"), child);
        QVERIFY(end && end->isGood());
        end = endOf(shell("echo out; echo err >&2; exit 3"), child);
        QVERIFY(end && end->kind == Kind::Exited && end->code == 3);
        QCOMPARE(child.output(), QByteArray("out\n"));
        QCOMPARE(child.errors(), QByteArray("err\n"));
        end = endOf(shell("kill -SEGV $$"), child);
        QVERIFY(end && end->kind == Kind::Crashed && end->code == SIGSEGV);
        end = endOf({.program = "/no/such/program", .arguments = {}}, child);
        QVERIFY(end && end->kind == Kind::NotStarted && !end->reason.isEmpty());
        end = endOf({.program = "/bin/sleep", .arguments = {"600"}, .limitMs = 100}, child);
        QVERIFY(end && end->kind == Kind::TookTooLong);
    }
    void inputAndEventsGoThrough()
    {
        ChildProcess::Start start = shell("cat; echo '{\"event\":\"progress\",\"done\":1,\"total\":4}' >&3");
        start.hasEvents = true;
        start.input = "hello";
        ChildProcess child;
        std::vector<ChildEvent> events;
        connect(&child, &ChildProcess::event, this, [&events](const ChildEvent &event) { events.push_back(event); });
        QVERIFY(endOf(start, child));
        QCOMPARE(child.output(), QByteArray("hello"));
        QCOMPARE(events.size(), std::size_t(1));
        QCOMPARE(events[0].done / events[0].total, 0.25);
    }
    void anEventMayStartTheNextProgram()
    {
        ChildProcess::Start start = shell("echo '{\"event\":\"a\"}' >&3; echo '{\"event\":\"b\"}' >&3; exec sleep 600");
        start.hasEvents = true;
        ChildProcess child;
        QStringList heard;
        connect(&child, &ChildProcess::event, this, [&](const ChildEvent &event) {
            heard << event.kind;
            child.start(shell("exit 7"));
        });
        connect(&child, &ChildProcess::ended, this, [&](const ChildEnd &end) { heard << QString::number(end.code); });
        child.start(start);
        QTRY_COMPARE(heard, (QStringList{"a", "7"}));
        QTest::qWait(100); // the first program ends meanwhile, and nothing is heard of it
        QCOMPARE(heard, (QStringList{"a", "7"}));
    }
    void aProgramThatIsDroppedIsKilledAndSaysNothing()
    {
        QTest::failOnWarning(QRegularExpression("still running"));
        const QString file = m_folder.filePath("number");
        ChildProcess child;
        QSignalSpy ended(&child, &ChildProcess::ended);
        child.start(shell(QStringLiteral("echo $$ > %1; exec sleep 600").arg(file)));
        QTRY_VERIFY(QFileInfo(file).size() > 0);
        child.drop();
        QVERIFY(!child.isRunning());
        QFile number(file);
        QVERIFY(number.open(QIODevice::ReadOnly));
        const int process = number.readAll().trimmed().toInt();
        QTRY_VERIFY(::kill(process, 0) != 0); // and reaped
        QCOMPARE(ended.size(), 0);
        { // nor does one that never started, when its object goes first
            ChildProcess missing;
            missing.start({.program = "/no/such/program", .arguments = {}});
        }
        QTest::qWait(50);
    }
    void stopAsksFirst()
    {
        ChildProcess child;
        QSignalSpy ended(&child, &ChildProcess::ended);
        child.start(shell("trap 'exit 5' TERM; echo; while true; do sleep 0.02; done"));
        QTRY_VERIFY(!child.output().isEmpty());
        child.stop(10000);
        QTRY_COMPARE(ended.size(), 1);
        QVERIFY(child.wasStopped());
        QCOMPARE(ended[0][0].value<ChildEnd>().code, 5);
    }
};

QTEST_GUILESS_MAIN(ChildProcessTest)
#include "child_process_test.moc"
