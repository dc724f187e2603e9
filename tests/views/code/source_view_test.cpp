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
        view.setMarks({{2, {1.0, false, QStringLiteral("2 ms")}}});
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
