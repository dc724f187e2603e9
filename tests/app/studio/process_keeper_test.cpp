// The programs of the studio without a window; a shell script stands for `croton`.
#include "app/studio/run/process_keeper.h"

#include <QSignalSpy>
#include <QtTest>

#include <csignal>
#include <fcntl.h>
#include <sys/resource.h>

using namespace app;

class ProcessKeeperTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;

    /// What was heard of the questions.
    struct Answers {
        explicit Answers(ProcessKeeper &keeper)
            : failed(&keeper, &ProcessKeeper::failed), refused(&keeper, &ProcessKeeper::expressionFailed),
              devices(&keeper, &ProcessKeeper::devicesFound)
        {}
        QString reasonOfDevices() const { return devices.value(0).value(1).value<std::vector<Capability>>().at(1).reason; }
        QSignalSpy failed, refused, devices;
    };

    /// Asks for all that one program after the other does, and wants one sentence with these words for each.
    void everyQuestionFailsWith(ProcessKeeper &keeper, const QStringList &words)
    {
        Answers answers(keeper);
        keeper.compileExpression("x");
        QTRY_COMPARE(answers.refused.size(), 1);
        keeper.evaluateExpression("x", {});
        QTRY_COMPARE(answers.refused.size(), 2);
        keeper.importDocument("/x/a.json");
        QTRY_COMPARE(answers.failed.size(), 1);
        keeper.probeDevices();
        QTRY_COMPARE(answers.devices.size(), 1);
        for (const QString &sentence : {answers.refused[0][0].toString(), answers.refused[1][0].toString(), answers.failed[0][0].toString(),
                                        answers.reasonOfDevices()})
            for (const QString &word : words) QVERIFY2(sentence.contains(word), qPrintable(sentence));
        QTest::qWait(50);
        QCOMPARE(answers.refused.size() + answers.failed.size() + answers.devices.size(), 4); // each once
    }

    void writeProgram(const QByteArray &body, const QByteArray &interpreter = "/bin/sh")
    {
        const QString path = m_folder.filePath("croton");
        QFile::remove(path);
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("#!" + interpreter + "\n" + body);
        file.close();
        file.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    }

private Q_SLOTS:
    void initTestCase()
    {
        qputenv("PATH", m_folder.path().toLocal8Bit() + ":" + qgetenv("PATH"));
        qputenv("XDG_CACHE_HOME", m_folder.filePath("cache").toLocal8Bit());
    }
    void aRunGrowsASessionAndEnds()
    {
        writeProgram("echo '{\"event\":\"progress\",\"text\":\"half\",\"done\":1,\"total\":2}' >&3\n: > \"$4\"\n");
        ProcessKeeper keeper;
        QSignalSpy made(&keeper, &ProcessKeeper::sessionMade);
        QSignalSpy progressed(&keeper, &ProcessKeeper::progressed);
        QSignalSpy failed(&keeper, &ProcessKeeper::failed);
        QSignalSpy ended(&keeper, &ProcessKeeper::runEnded);
        QVERIFY(keeper.run(m_folder.filePath("a.py"), {}));
        QCOMPARE(made.size(), 1);
        QVERIFY(made[0][1].toBool());
        QTRY_COMPARE(ended.size(), 1);
        QVERIFY(ended[0][1].toBool());
        QVERIFY(!keeper.isRunning());
        QCOMPARE(progressed.value(0).value(0).toString(), QString("half 1 of 2"));
        QVERIFY(failed.isEmpty());
    }
    void aRunThatFailsSaysSoWhenItEnds()
    {
        writeProgram("echo broken >&2\nexit 1\n");
        ProcessKeeper keeper;
        QSignalSpy ended(&keeper, &ProcessKeeper::runEnded);
        QVERIFY(keeper.run(m_folder.filePath("a.py"), {}));
        QTRY_COMPARE(ended.size(), 1);
        QVERIFY(!ended[0][1].toBool());
        QCOMPARE(ended[0][0].value<RunEnd>().kind, RunEnd::Kind::Failed);
        QCOMPARE(ended[0][0].value<RunEnd>().output, QString("broken"));
    }
    void whatNobodyWaitsForIsEnded()
    {
        writeProgram("echo $$ > " + m_folder.filePath("asked").toLocal8Bit() + "\nexec sleep 60\n");
        QTest::failOnWarning(QRegularExpression("still running"));
        auto keeper = std::make_unique<ProcessKeeper>();
        keeper->probeDevices();
        QTRY_VERIFY(QFileInfo(m_folder.filePath("asked")).size() > 0);
        keeper.reset();
        QFile asked(m_folder.filePath("asked"));
        QVERIFY(asked.open(QIODevice::ReadOnly));
        const int number = asked.readAll().trimmed().toInt();
        QTRY_VERIFY(::kill(number, 0) != 0);
    }
    void aStoppedRunEndsAsStopped()
    {
        writeProgram("exec sleep 60\n");
        ProcessKeeper keeper;
        QSignalSpy ended(&keeper, &ProcessKeeper::runEnded);
        QVERIFY(keeper.run(m_folder.filePath("a.py"), {}));
        QTRY_VERIFY(keeper.isRunning());
        keeper.stop();
        QTRY_COMPARE_WITH_TIMEOUT(ended.size(), 1, 10000);
        QCOMPARE(ended[0][0].value<RunEnd>().kind, RunEnd::Kind::Stopped);
    }
    void anExpressionBecomesASessionOrASentence()
    {
        writeProgram("if [ \"$2\" = good ]; then : > \"$4\"; else echo 'no such name: bad' >&2; exit 1; fi\n");
        ProcessKeeper keeper;
        QSignalSpy made(&keeper, &ProcessKeeper::sessionMade);
        QSignalSpy refused(&keeper, &ProcessKeeper::expressionFailed);
        keeper.compileExpression("good");
        QTRY_COMPARE(made.size(), 1);
        QVERIFY(!made[0][1].toBool());
        keeper.compileExpression("bad");
        QTRY_COMPARE(refused.size(), 1);
        QCOMPARE(refused[0][0].toString(), QString("no such name: bad"));
    }
    void aDocumentBecomesASessionOrASentence()
    {
        writeProgram("case $2 in *good*) : > \"$4\";; *) echo 'this is no graph' >&2; exit 2;; esac\n");
        ProcessKeeper keeper;
        QSignalSpy made(&keeper, &ProcessKeeper::sessionMade);
        QSignalSpy failed(&keeper, &ProcessKeeper::failed);
        keeper.importDocument("/x/good.json");
        QTRY_COMPARE(made.size(), 1);
        keeper.importDocument("/x/other.json");
        QTRY_COMPARE(failed.size(), 1);
        QCOMPARE(failed[0][0].toString(), QString("this is no graph"));
    }
    void devicesComeWithTheirReasons()
    {
        writeProgram("echo '[{\"name\":\"cpu\",\"description\":\"eight cores\"},"
                     "{\"name\":\"cuda0\",\"available\":false,\"reason\":\"no driver\"}]'\n");
        ProcessKeeper keeper;
        std::vector<DeviceChoice> choices;
        std::vector<Capability> capabilities;
        connect(&keeper, &ProcessKeeper::devicesFound, this, [&](const auto &found, const auto &can) {
            choices = found;
            capabilities = can;
        });
        keeper.probeDevices();
        QTRY_COMPARE(choices.size(), std::size_t(2));
        QVERIFY(choices[0].available && !choices[1].available);
        QCOMPARE(choices[1].reason, QString("no driver"));
        QVERIFY(capabilities[0].text.contains("eight cores"));
    }
    void aProgramThatCannotBeStartedIsNamed()
    {
        writeProgram({}, "/no/such/interpreter");
        ProcessKeeper keeper;
        everyQuestionFailsWith(keeper, {m_folder.filePath("croton"), "could not be started", "uild or install Croton again"});
    }
    void aRunThatCannotBeStartedEndsAfterItBegan()
    {
        writeProgram({}, "/no/such/interpreter");
        ProcessKeeper keeper;
        QStringList heard;
        connect(&keeper, &ProcessKeeper::sessionMade, this, [&] { heard << "made"; });
        connect(&keeper, &ProcessKeeper::runEnded, this, [&](const RunEnd &end, bool written) {
            QVERIFY(!written);
            QCOMPARE(end.kind, RunEnd::Kind::NotStarted);
            QVERIFY2(end.sentence.contains(m_folder.filePath("croton")), qPrintable(end.sentence));
            heard << "ended";
        });
        QVERIFY(keeper.run(m_folder.filePath("a.py"), {}));
        QTRY_COMPARE(heard, (QStringList{"made", "ended"}));
        QVERIFY(!keeper.isRunning());
        // Nor does it end from within where the machine has nothing left to start it with.
        heard.clear();
        writeProgram("exit 0\n");
        rlimit before{};
        QCOMPARE(::getrlimit(RLIMIT_NOFILE, &before), 0);
        const int next = ::open("/dev/null", O_RDONLY);
        ::close(next);
        const rlimit few{static_cast<rlim_t>(next) + 3, before.rlim_max};
        QCOMPARE(::setrlimit(RLIMIT_NOFILE, &few), 0);
        QTest::ignoreMessage(QtCriticalMsg, QRegularExpression("Too many open files"));
        const bool began = keeper.run(m_folder.filePath("a.py"), {});
        QCOMPARE(::setrlimit(RLIMIT_NOFILE, &before), 0);
        QVERIFY(began);
        QTRY_COMPARE(heard, (QStringList{"made", "ended"}));
    }
    void aProgramThatGivesNoReasonOrCrashesIsNamedWithItsCommand()
    {
        writeProgram("exit 3\n");
        ProcessKeeper keeper;
        everyQuestionFailsWith(keeper, {"croton ended with status 3", "in a terminal", m_folder.filePath("croton") + ' '});
        writeProgram("kill -SEGV $$\n");
        everyQuestionFailsWith(keeper, {"croton crashed (Segmentation fault)", m_folder.filePath("croton") + ' '});
    }
    void aProgramThatDoesNotEndIsEnded()
    {
        writeProgram("exec sleep 600\n");
        ProcessKeeper keeper;
        keeper.setLimit(200);
        everyQuestionFailsWith(keeper, {"croton gave no answer", "was ended"});
    }
    void anAnswerWithoutADeviceIsNone()
    {
        writeProgram("echo '{}'\n");
        ProcessKeeper keeper;
        Answers answers(keeper);
        keeper.probeDevices();
        QTRY_COMPARE(answers.devices.size(), 1);
        QVERIFY(answers.reasonOfDevices().contains("has no device"));
    }
    void withoutTheProgramEveryCallSaysSo()
    {
        QFile::remove(m_folder.filePath("croton"));
        const QByteArray path = qgetenv("PATH");
        qputenv("PATH", "/nowhere");
        ProcessKeeper keeper;
        QSignalSpy failed(&keeper, &ProcessKeeper::failed);
        QSignalSpy refused(&keeper, &ProcessKeeper::expressionFailed);
        QVERIFY(!keeper.run(m_folder.filePath("a.py"), {}));
        keeper.importDocument("/x/a.json");
        keeper.compileExpression("x");
        keeper.probeDevices();
        qputenv("PATH", path);
        QCOMPARE(failed.size(), 2);
        QCOMPARE(refused.size(), 1);
        for (const auto &call : failed) QVERIFY(call[0].toString().contains("croton"));
    }
};

QTEST_GUILESS_MAIN(ProcessKeeperTest)
#include "process_keeper_test.moc"
