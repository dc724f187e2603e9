#include "app/studio/run/program.h"
#include "app/studio/run/worker.h"

#include <QSignalSpy>
#include <QtTest>

#include <csignal>

using namespace app;
using views::ChildEnd, views::ChildProcess;

/// Stands in for the croton program: a shell script beside the test program.
class WorkerTest : public QObject {
    Q_OBJECT

    QString m_program;

    using Kind = ChildEnd::Kind;
    static RunEnd endOf(Kind kind, int code, bool stopped) { return Worker::endOf({kind, code, {}}, stopped); }

    void writeProgram(const QByteArray &body)
    {
        QFile file(m_program);
        QVERIFY(file.open(QIODevice::WriteOnly | QIODevice::Truncate));
        file.write("#!/bin/sh\n" + body);
        file.close();
        file.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    }

private Q_SLOTS:
    void eventsAreSplitAtLineEnds()
    {
        QByteArray buffer =
            "{\"event\":\"state\",\"text\":\"running\"}\nno json\n[1]\n{\"event\":\"progress\",\"done\":5,\"total\":10}\n{\"ev";
        const auto events = ChildProcess::parseEvents(buffer);
        QCOMPARE(events.size(), std::size_t(2));
        QCOMPARE(events[0].kind, QString("state"));
        QCOMPARE(events[1].done, 5.0);
        QCOMPARE(events[1].total, 10.0);
        QCOMPARE(buffer, QByteArray("{\"ev"));
        buffer += "ent\":\"error\",\"text\":\"x\"}\n";
        QCOMPARE(ChildProcess::parseEvents(buffer).at(0).text, QString("x"));
        QVERIFY(buffer.isEmpty());
    }
    void anEndlessLineIsCut()
    {
        QByteArray buffer(3 << 20, 'x');
        QVERIFY(ChildProcess::parseEvents(buffer).empty());
        QVERIFY(buffer.isEmpty());
    }
    void everyEndHasItsSentence()
    {
        QVERIFY(endOf(Kind::Exited, 0, false).sentence.isEmpty());
        QSet<QString> sentences;
        for (const RunEnd &end : {endOf(Kind::Exited, 1, false), endOf(Kind::Exited, 2, false), endOf(Kind::Crashed, SIGKILL, false),
                                  endOf(Kind::Crashed, SIGSEGV, false), endOf(Kind::Crashed, SIGTERM, true)})
            sentences << end.sentence;
        QCOMPARE(sentences.size(), 5);
    }
    void aLauncherPassesTheSignalOn()
    {
        for (int signal : {SIGKILL, SIGSEGV, SIGTERM})
            QCOMPARE(endOf(Kind::Exited, 128 + signal, false).sentence, endOf(Kind::Crashed, signal, false).sentence);
        QCOMPARE(endOf(Kind::Exited, 128 + SIGKILL, false).kind, RunEnd::Kind::Killed);
    }
    void newSessionPathsDiffer()
    {
        QTemporaryDir cache;
        qputenv("XDG_CACHE_HOME", cache.path().toLocal8Bit());
        const QString first = Worker::newSessionPath("/x/train.py");
        QVERIFY(first.startsWith(cache.path()));
        QVERIFY(first.contains("train"));
        QFile file(first);
        QVERIFY(file.open(QIODevice::WriteOnly));
        QVERIFY(Worker::newSessionPath("/x/train.py") != first);
    }
    void eventsOfAProcessArrive()
    {
        QTemporaryDir folder;
        m_program = folder.filePath("croton");
        writeProgram("echo '{\"event\":\"progress\",\"text\":\"half\",\"done\":1,\"total\":2}' >&3\necho bad >&2\nexit 1\n");
        qputenv("PATH", folder.path().toLocal8Bit() + ":" + qgetenv("PATH"));
        QCOMPARE(Program::instance().path(), m_program);
        Worker worker;
        QSignalSpy events(&worker, &Worker::event);
        QSignalSpy finished(&worker, &Worker::finished);
        QString error;
        QVERIFY2(worker.start(folder.filePath("a.py"), folder.filePath("a.croton"), {}, &error), qPrintable(error));
        QTRY_COMPARE(finished.size(), 1);
        QCOMPARE(events.size(), 1);
        const auto end = finished.first().at(0).value<RunEnd>();
        QVERIFY(end.sentence.contains("1"));
        QCOMPARE(end.output, QString("bad"));
        QVERIFY(!worker.isRunning());
    }
    void stopEndsARunAndSaysSo()
    {
        QTemporaryDir folder;
        m_program = folder.filePath("croton");
        writeProgram("exec sleep 60\n");
        qputenv("PATH", folder.path().toLocal8Bit() + ":" + qgetenv("PATH"));
        QCOMPARE(Program::instance().path(), m_program);
        Worker worker;
        QSignalSpy finished(&worker, &Worker::finished);
        QString error;
        QVERIFY(worker.start(folder.filePath("a.py"), folder.filePath("a.croton"), {}, &error));
        QTRY_VERIFY(worker.isRunning());
        worker.stop();
        QTRY_COMPARE(finished.size(), 1);
        QVERIFY(finished.first().at(0).value<RunEnd>().sentence.contains("stopped"));
    }
    void aRunEndsWithItsStudioWhateverEndsThat()
    {
        QTemporaryDir folder;
        m_program = folder.filePath("croton");
        writeProgram("trap 'touch ended; exit' TERM\necho > begun\nwhile true; do sleep 0.05; done\n");
        qputenv("PATH", folder.path().toLocal8Bit() + ":" + qgetenv("PATH"));
        QCOMPARE(Program::instance().path(), m_program);
        QProcess studio;
        studio.start(QCoreApplication::applicationFilePath(), {"studio", folder.path()});
        QTRY_VERIFY(QFile::exists(folder.filePath("begun")));
        studio.kill(); // SIGKILL
        QVERIFY(studio.waitForFinished());
        QTRY_VERIFY(QFile::exists(folder.filePath("ended")));
    }
};

/// `studio FOLDER`: stands for a studio with a run in that folder.
int main(int argc, char **argv)
{
    QCoreApplication application(argc, argv);
    if (argc == 3 && argv[1] == std::string("studio")) {
        Worker worker;
        QString error;
        const QDir folder(argv[2]);
        return worker.start(folder.filePath("a.py"), folder.filePath("a.croton"), {}, &error) ? QCoreApplication::exec() : 1;
    }
    WorkerTest test;
    return QTest::qExec(&test, argc, argv);
}

#include "worker_test.moc"
