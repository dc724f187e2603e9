#include "app/studio/dialogs/options.h"
#include "app/studio/run/run_settings.h"

#include <QRegularExpression>
#include <QtTest>

using namespace app;

class OptionsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void anAdviceIsASettingOfTheBar()
    {
        RunSettings settings;
        for (const char *flag : {"floatX=float32", "allow_gc=False", "mode=FAST_COMPILE", "optimizer_excluding=local_fill_sink",
                                 "optimizer_excluding=local_fill_sink"})
            QVERIFY2(applyFlag(settings, flag), flag);
        QCOMPARE(settings, (RunSettings{"cpu", "FAST_COMPILE", "float32", false, false, 0, false, 1, {"local_fill_sink"}, {}}));
        QVERIFY(!applyFlag(settings, "unknown=1"));
        QVERIFY(!applyFlag(settings, "floatX="));
    }
    void whatAScriptSetsIsReadFromItsText()
    {
        const GivenFlags given = flagsSetIn("import os, theano\nos.environ['THEANO_FLAGS'] = 'mode=FAST_COMPILE,allow_gc=False'\n"
                                            "theano.config.floatX = 'float32'  # halves\nif x:\n    theano.config.threads = 3\n"
                                            "# theano.config.device = 'cuda0'\n");
        QCOMPARE(given.size(), 3);
        QCOMPARE(given["floatX"].value, QString("float32"));
        QCOMPARE(given["mode"].value, QString("FAST_COMPILE"));
        QCOMPARE(given["allow_gc"].value, QString("False"));
        for (const GivenFlag &each : given) QVERIFY(each.isByScript());
    }
    void whatAFileSetsIsAnOptionThatCanBeChanged()
    {
        RunSettings settings = withGiven({}, {{"floatX", {"float32", "/home/ada/.theanorc"}}, {"mode", {"DebugMode", "script"}}});
        QCOMPARE(settings.floatX, QString("float32"));
        QCOMPARE(settings.mode, QString("FAST_RUN"));
        QCOMPARE(optionsOf(settings), (QStringList{"--floatX", "float32"}));
        settings.floatX = "float64"; // the standard, and still said: the file says otherwise
        QCOMPARE(optionsOf(settings), (QStringList{"--floatX", "float64"}));
        QCOMPARE(optionsOf(withGiven(settings, {})), QStringList());
    }
    void everythingIsRead()
    {
        const ParsedOptions parsed =
            parseOptions({"croton-studio", "run.croton", "--screenshot", "a.png", "--view", "steps", "--theme", "dark", "--size",
                          "1100x700", "--step", "61", "--select", "CGemv{inplace}", "--text-size", "125%"});
        QCOMPARE(parsed.error, QString());
        QCOMPARE(parsed.options.file, QString("run.croton"));
        QCOMPARE(parsed.options.view, QString("steps"));
        QCOMPARE(parsed.options.size, QSize(1100, 700));
        QCOMPARE(parsed.options.step, QString("61"));
        QCOMPARE(parsed.options.textSize, 125);
        QVERIFY(parsed.options.wantsScreenshot());
    }
    void mistakesGetASentence_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QString>("part");
        QTest::newRow("view") << QStringList{"--view", "nothing"} << "nothing";
        QTest::newRow("theme") << QStringList{"--theme", "pink"} << "pink";
        QTest::newRow("language") << QStringList{"--language", "xx"} << "en or fr";
        QTest::newRow("size") << QStringList{"--size", "big"} << "1440x900";
        QTest::newRow("thumbnail of what") << QStringList{"--thumbnail", "128"} << "--screenshot";
        QTest::newRow("huge thumbnail") << QStringList{"--screenshot", "a.png", "--thumbnail", "100000"} << "2048";
        QTest::newRow("tiny") << QStringList{"--size", "10x10"} << "640x400";
        QTest::newRow("step") << QStringList{"--step", "-3"} << "-3";
        QTest::newRow("stop of the tour") << QStringList{"--tour", "first"} << "from 1 on";
        QTest::newRow("text size") << QStringList{"--text-size", "500"} << "80 to 200";
        QTest::newRow("run a session") << QStringList{"--run", "a.croton"} << ".py";
        QTest::newRow("two files") << QStringList{"a.py", "b.py"} << "2";
        QTest::newRow("unknown option") << QStringList{"--colour"} << "colour";
    }
    void mistakesGetASentence()
    {
        QFETCH(QStringList, arguments);
        QFETCH(QString, part);
        const ParsedOptions parsed = parseOptions(QStringList{"croton-studio"} + arguments);
        QVERIFY2(parsed.error.contains(part), qPrintable(parsed.error));
    }
    void theManualPageHasEveryOptionOfTheHelp()
    {
        const QString help = parseOptions({"croton-studio", "--help"}).output, page = parseOptions({"croton-studio", "--manual"}).output;
        static const QRegularExpression option("--([a-z-]+)");
        int count = 0;
        for (auto found = option.globalMatch(help); found.hasNext(); ++count)
            QVERIFY(page.contains("\\-\\-" + found.next().captured(1).replace('-', "\\-")));
        QVERIFY(count > 15 && page.startsWith(".TH CROTON"));
    }
    void helpNamesEveryView()
    {
        const ParsedOptions parsed = parseOptions({"croton-studio", "--help"});
        QVERIFY(parsed.output.contains("--screenshot"));
        const QStringList listed = parseOptions({"croton-studio", "--list-views"}).output.split('\n', Qt::SkipEmptyParts);
        const QStringList named =
            QString(parsed.output).replace(QRegularExpression("\\s+"), " ").section("View to show: ", 1).section('.', 0, 0).split(", ");
        QVERIFY(named.size() > 5);
        QCOMPARE(named.size(), listed.size());
        for (int i = 0; i < named.size(); ++i) QCOMPARE(named[i], listed[i].section('\t', 0, 0));
    }
    void commandLineSaysOnlyWhatIsNotTheDefault()
    {
        RunSettings settings;
        settings.threads = 2;
        settings.repeat = 3;
        QCOMPARE(commandLine(settings, "a.py", "a.croton"), QString("croton profile a.py -o a.croton --flags threads=2 --repeat 3"));
        settings = {};
        QCOMPARE(commandLine(settings, "a.py", "a.croton"), QString("croton profile a.py -o a.croton"));
        settings.device = "cuda0";
        settings.floatX = "float32";
        settings.blocking = true;
        settings.allowGc = false;
        settings.excluded = {"fusion", "inplace"};
        QCOMPARE(commandLine(settings, "my script.py", "a.croton"),
                 QString("croton profile 'my script.py' -o a.croton --device cuda0 --floatX float32 "
                         "--flags allow_gc=False,optimizer_excluding=fusion:inplace --launch-blocking"));
    }
    void shellWordsSurvive()
    {
        QCOMPARE(shellWord("a/b-c.py"), QString("a/b-c.py"));
        QCOMPARE(shellWord("it's"), QString("'it'\\''s'"));
        QCOMPARE(shellWord("$HOME"), QString("'$HOME'"));
        QCOMPARE(shellWord(""), QString("''"));
    }
};

QTEST_MAIN(OptionsTest)
#include "options_test.moc"
