#include "views/code/code_highlighter.h"

#include <QtTest>

using namespace views;
using Token = CodeHighlighter::Token;
using Language = CodeHighlighter::Language;

class CodeHighlighterTest : public QObject {
    Q_OBJECT

    static QString marked(Language language, const QString &line, int &state)
    {
        QString result;
        int at = 0;
        for (const auto &span : CodeHighlighter::spans(language, line, state)) {
            if (span.start < at || span.start + span.length > line.size()) return QStringLiteral("overlapping spans");
            result += line.mid(at, span.start - at);
            static const char *const kNames[] = {"", "k", "s", "n", "c", "d"};
            result += QStringLiteral("<%1:%2>").arg(QLatin1String(kNames[static_cast<int>(span.token)]), line.mid(span.start, span.length));
            at = span.start + span.length;
        }
        return result + line.mid(at);
    }

private Q_SLOTS:
    void pythonLines_data()
    {
        QTest::addColumn<QString>("line");
        QTest::addColumn<QString>("expected");
        QTest::newRow("keyword") << "for step in range(10):"
                                 << "<k:for> step <k:in> range(<n:10>):";
        QTest::newRow("keyword inside a name") << "informal = order"
                                               << "informal = order";
        QTest::newRow("comment") << "x = 1 # for ever"
                                 << "x = <n:1> <c:# for ever>";
        QTest::newRow("hash in a string") << "s = '# no' + \"it\\\"s\""
                                          << "s = <s:'# no'> + <s:\"it\\\"s\">";
        QTest::newRow("open string") << "s = 'never closed"
                                     << "s = <s:'never closed>";
        QTest::newRow("lone escape") << "s = 'x\\"
                                     << "s = <s:'x\\>";
        QTest::newRow("number") << "1e-5 + 0.01"
                                << "<n:1e>-<n:5> + <n:0.01>";
        QTest::newRow("decorator") << "@theano.op"
                                   << "<d:@theano.op>";
        QTest::newRow("empty") << ""
                               << "";
    }
    void pythonLines()
    {
        QFETCH(QString, line);
        QFETCH(QString, expected);
        int state = 0;
        QCOMPARE(marked(Language::Python, line, state), expected);
        QCOMPARE(state, 0);
    }
    void tripleQuotesSpanLines()
    {
        int state = 0;
        QCOMPARE(marked(Language::Python, QStringLiteral("'''first"), state), QStringLiteral("<s:'''first>"));
        QVERIFY(state != 0);
        QCOMPARE(marked(Language::Python, QStringLiteral("for \"\"\" in"), state), QStringLiteral("<s:for \"\"\" in>"));
        QCOMPARE(marked(Language::Python, QStringLiteral("end''' + 1"), state), QStringLiteral("<s:end'''> + <n:1>"));
        QCOMPARE(state, 0);
    }
    void cComments()
    {
        int state = 0;
        QCOMPARE(marked(Language::C, QStringLiteral("float x; /* a"), state), QStringLiteral("<k:float> x; <c:/* a>"));
        QCOMPARE(marked(Language::C, QStringLiteral("b */ return 0; // for"), state),
                 QStringLiteral("<c:b */> <k:return> <n:0>; <c:// for>"));
        QCOMPARE(marked(Language::C, QStringLiteral("#include <x>"), state), QStringLiteral("<d:#include <x>>"));
        QCOMPARE(state, 0);
    }
};

QTEST_GUILESS_MAIN(CodeHighlighterTest)
#include "code_highlighter_test.moc"
