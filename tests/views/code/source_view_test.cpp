#include "views/code/source_view.h"
#include "views/common/palette.h"

#include <QSignalSpy>
#include <QtTest>

using namespace views;

class SourceViewTest : public QObject {
    Q_OBJECT

    static QString script(int lines)
    {
        QString text;
        for (int i = 1; i <= lines; ++i) text += QStringLiteral("value_%1 = %1\n").arg(i);
        return text;
    }

private Q_SLOTS:
    void initTestCase() { applyTheme(*qApp, Theme::load(ThemeKind::Light)); }

    void usesTheMonospaceFontOfTheTheme()
    {
        SourceView view;
        QCOMPARE(view.font().family(), Theme::current().monoFamily());
        QCOMPARE(view.font().pixelSize(), 12);
    }
    void clickTellsTheLine()
    {
        SourceView view;
        view.resize(300, 200);
        view.setSource(script(40), CodeHighlighter::Language::Python);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        QSignalSpy spy(&view, &SourceView::lineClicked);
        const int height = QFontMetrics(view.font()).lineSpacing();
        QTest::mouseClick(view.viewport(), Qt::LeftButton, {}, QPoint(60, 2 + height * 2 + height / 2));
        QCOMPARE(spy.size(), 1);
        QCOMPARE(spy.first().first().toInt(), 3);
    }
    void showLineScrollsOnlyWhenNeeded()
    {
        SourceView view;
        view.resize(300, 200);
        view.setSource(script(400), CodeHighlighter::Language::Python);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        view.showLine(300);
        const int first = view.lineAt(QPoint(5, 4));
        QVERIFY2(first > 280 && first <= 300, qPrintable(QString::number(first)));
        view.showLine(301);
        QCOMPARE(view.lineAt(QPoint(5, 4)), first);
    }
    void marksWidenNothingButTheGutter()
    {
        SourceView view;
        view.setSource(script(9), CodeHighlighter::Language::Python);
        const int narrow = view.gutterWidth();
        view.setSource(script(12000), CodeHighlighter::Language::Python);
        QVERIFY(view.gutterWidth() > narrow);
    }
    void currentLineIsPainted()
    {
        SourceView view;
        view.resize(300, 200);
        view.setSource(script(10), CodeHighlighter::Language::Python);
        view.setMarks({{2, {1.0, 1.0, false, QStringLiteral("2 ms")}}});
        const QImage before = view.grab().toImage();
        view.setMarkedLines(2, {4});
        const QImage after = view.grab().toImage();
        QVERIFY(before != after);
        const QColor fill = Theme::current().color(Color::SelectionFill);
        int filled = 0;
        for (int y = 0; y < after.height(); ++y) filled += after.pixelColor(after.width() - 15, y) == fill;
        QVERIFY(filled > 8);
        view.setMarkedLines(0, {});
        QCOMPARE(view.currentLine(), 0);
    }
    /// The line's own time is filled, that of what it calls is a frame behind it.
    void timeOfWhatALineCallsIsToldApart()
    {
        SourceView view;
        view.resize(300, 200);
        view.setSource(script(10), CodeHighlighter::Language::Python);
        const auto inked = [&](const LineMark &mark) { // pixels of the colour, and of the pale one
            view.setMarks({{2, mark}});
            const QImage image = view.grab().toImage();
            std::pair<int, int> counted;
            for (int y = 0; y < image.height(); ++y)
                for (int x = 0; x < view.gutterWidth(); ++x) {
                    counted.first += image.pixelColor(x, y) == Theme::current().color(Color::Cpu);
                    counted.second += image.pixelColor(x, y) == Theme::current().color(Color::SoftCpu);
                }
            return counted;
        };
        const auto own = inked({1, 1, false, {}}), called = inked({0, 1, false, {}}), both = inked({0.5, 1, false, {}});
        QVERIFY(own.first > 60);
        QCOMPARE(own.second, 0);
        QVERIFY(called.second > 30);
        QVERIFY2(called.first > 20, "a frame, so that it is no matter of colour alone");
        QVERIFY(both.first > called.first && both.first < own.first);
        QVERIFY(both.second > 0 && both.second < called.second);
        QCOMPARE(inked({0, 0, false, {}}), (std::pair{0, 0}));
    }
    void arrowKeysMoveTheCurrentLine()
    {
        SourceView view;
        view.setSource(script(10), CodeHighlighter::Language::Python);
        view.setMarkedLines(4, {});
        QSignalSpy spy(&view, &SourceView::lineClicked);
        QTest::keyClick(&view, Qt::Key_Down);
        QCOMPARE(spy.takeFirst().first().toInt(), 5);
        view.setMarkedLines(1, {});
        QTest::keyClick(&view, Qt::Key_Up);
        QVERIFY(spy.isEmpty());
    }
};

QTEST_MAIN(SourceViewTest)
#include "source_view_test.moc"
