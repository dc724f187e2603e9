// The programs of the studio without a window; a shell script stands for `croton`.
#include "app/studio/process_keeper.h"

#include <QSignalSpy>
#include <QtTest>

#include <csignal>

using namespace app;

class ProcessKeeperTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;

    void writeProgram(const QByteArray &body)
    {
        const QString path = m_folder.filePath("croton");
        QFile::remove(path);
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("#!/bin/sh\n" + body);
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
        QVERIFY(::kill(asked.readAll().trimmed().toInt(), 0) != 0);
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
