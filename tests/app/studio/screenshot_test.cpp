#ifndef Q_MOC_RUN // moc 6.4 stumbles over <concepts>
#include "tests/profiler/session/scratch.h"
#endif

#include <QImage>
#include <QProcess>
#include <QtTest>

/// The program itself, as a person without a display calls it.
class ScreenshotTest : public QObject {
    Q_OBJECT

    profiler::Scratch m_scratch;
    QString m_session;

    struct Result {
        int code = -1;
        QString errors;
        QImage image;
    };
    Result shoot(const QStringList &arguments)
    {
        const QString out = QString::fromStdString(m_scratch / "out.png");
        QFile::remove(out);
        QProcess process;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.remove("QT_QPA_PLATFORM"); // it finds its way without a display by itself
        environment.remove("DISPLAY");
        environment.insert("XDG_CONFIG_HOME", QString::fromStdString(m_scratch / "config"));
        process.setProcessEnvironment(environment);
        process.start(CROTON_STUDIO_PROGRAM, QStringList{"--screenshot", out} + arguments);
        Result result;
        if (!process.waitForFinished(60000)) return result;
        result.code = process.exitCode();
        result.errors = QString::fromUtf8(process.readAllStandardError());
        result.image = QImage(out);
        return result;
    }

    /// Without a file, so that it would open a window; with an environment of these variables alone.
    Result openWith(const QStringList &variables, const QStringList &arguments = {})
    {
        QProcess process;
        process.setProgram("/usr/bin/env");
        process.setArguments(QStringList{"-i"} + variables + QStringList{CROTON_STUDIO_PROGRAM} + arguments);
        process.start();
        Result result;
        if (!process.waitForFinished(60000)) return result;
        result.code = process.exitStatus() == QProcess::NormalExit ? process.exitCode() : 128 + process.exitCode();
        result.errors = QString::fromUtf8(process.readAllStandardError());
        return result;
    }

private Q_SLOTS:
    void initTestCase()
    {
        m_session = QString::fromStdString(m_scratch / "a.croton");
        QVERIFY(QFile::copy(QStringLiteral(CROTON_REAL_SESSION), m_session));
    }
    void everyViewIsDrawn_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QProcess list;
        list.start(CROTON_STUDIO_PROGRAM, {"--list-views"});
        QVERIFY(list.waitForFinished(60000));
        const QStringList lines = QString::fromUtf8(list.readAllStandardOutput()).split('\n', Qt::SkipEmptyParts);
        QVERIFY(lines.size() > 5);
        for (const QString &line : lines) {
            const QString view = line.section('\t', 0, 0);
            QTest::newRow(qPrintable(view)) << QStringList{m_session, "--view", view, "--select", "1"};
        }
        QTest::newRow("no file") << QStringList{};
        QTest::newRow("step") << QStringList{m_session, "--view", "steps", "--step", "5"};
        QTest::newRow("function") << QStringList{m_session, "--function", "predict"};
    }
    void everyViewIsDrawn()
    {
        QFETCH(QStringList, arguments);
        // Every view in the dark theme, where a forgotten colour shows; what most people see in both.
        const QByteArray row = QTest::currentDataTag();
        const bool both = row == "graph" || row == "no file";
        for (const char *theme : both ? std::vector{"light", "dark"} : std::vector{"dark"}) {
            const Result result = shoot(arguments + QStringList{"--theme", theme, "--size", "1100x700"});
            QVERIFY2(result.code == 0, qPrintable(result.errors));
            QCOMPARE(result.image.size(), QSize(1100, 700));
            QSet<QRgb> colors;
            for (int y = 0; y < result.image.height(); y += 3)
                for (int x = 0; x < result.image.width(); x += 3) colors.insert(result.image.pixel(x, y));
            QVERIFY2(colors.size() > 30, "the picture is nearly empty");
        }
    }
    void twoPicturesAreEqual()
    {
        const QStringList arguments{m_session, "--view", "graph", "--select", "1"};
        const Result first = shoot(arguments);
        const Result second = shoot(arguments);
        QCOMPARE(first.code, 0);
        QCOMPARE(first.image, second.image);
    }
    void aThumbnailIsTheGraphAlone()
    {
        const Result result = shoot({m_session, "--thumbnail", "128"});
        QVERIFY2(result.code == 0, qPrintable(result.errors));
        QCOMPARE(std::max(result.image.width(), result.image.height()), 128);
    }
    void withoutADisplayOneSentenceSaysSo_data()
    {
        QTest::addColumn<QStringList>("variables");
        QTest::addColumn<QString>("said");
        QTest::newRow("nothing set") << QStringList{} << "there is no display";
        QTest::newRow("no such display") << QStringList{"DISPLAY=:4711"} << "on the display :4711";
        QTest::newRow("no such platform") << QStringList{"QT_QPA_PLATFORM=nowhere"} << "the platform nowhere";
    }
    void withoutADisplayOneSentenceSaysSo()
    {
        QFETCH(QStringList, variables);
        QFETCH(QString, said);
        const Result result = openWith(variables);
        QCOMPARE(result.code, 2);
        QVERIFY2(result.errors.startsWith("croton-studio: ") && result.errors.contains(said), qPrintable(result.errors));
        QCOMPARE(result.errors.trimmed().count('\n'), 0);
        QVERIFY(result.errors.contains("--screenshot"));
    }
    void aPictureNeedsNoVariable()
    {
        const QString out = QString::fromStdString(m_scratch / "bare.png");
        const Result result = openWith({}, {m_session, "--screenshot", out});
        QVERIFY2(result.code == 0, qPrintable(result.errors));
        QCOMPARE(result.errors, QString());
        QCOMPARE(QImage(out).size(), QSize(1440, 900));
    }
    void mistakesFailWithASentence_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<int>("code");
        QTest::newRow("no file") << QStringList{"/nowhere.croton"} << 1;
        QTest::newRow("no node") << QStringList{m_session, "--select", "no such node"} << 1;
        QTest::newRow("no function") << QStringList{m_session, "--function", "nobody"} << 1;
        QTest::newRow("no step") << QStringList{m_session, "--step", "1000"} << 1;
        QTest::newRow("link to no step") << QStringList{m_session, "--link", "croton:view?function=0&step=1000"} << 1;
        QTest::newRow("link to no function") << QStringList{m_session, "--link", "croton:view?function=1000"} << 1;
        QTest::newRow("view without file") << QStringList{"--view", "graph"} << 1;
        QTest::newRow("bad option") << QStringList{"--size", "x"} << 2;
    }
    void mistakesFailWithASentence()
    {
        QFETCH(QStringList, arguments);
        QFETCH(int, code);
        const Result result = shoot(arguments);
        QCOMPARE(result.code, code);
        QVERIFY2(result.errors.contains("croton-studio: "), qPrintable(result.errors));
        QVERIFY(result.image.isNull());
    }
};

QTEST_GUILESS_MAIN(ScreenshotTest)
#include "screenshot_test.moc"
