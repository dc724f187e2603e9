#ifndef Q_MOC_RUN // moc 6.4 stumbles over <concepts>
#include "tests/views/feed.h"
#endif

#include "views/code/output_panel.h"
#include "views/common/controls.h"
#include "views/common/palette.h"

#include <QPlainTextEdit>
#include <QScrollBar>
#include <QtTest>

using namespace views;

class OutputPanelTest : public QObject {
    Q_OBJECT

    SelectionHub m_hub;

    static std::shared_ptr<SessionData> sessionWith(std::vector<profiler::OutputText> pieces, std::int64_t leftOut = 0)
    {
        auto session = std::make_shared<SessionData>();
        session->info.path = "a.croton";
        session->outputs = std::make_shared<const std::vector<profiler::OutputText>>(std::move(pieces));
        if (leftOut > 0) session->drops.push_back({"bytes of output", leftOut, ""});
        return session;
    }
    static QString missing(const OutputPanel &panel)
    {
        const auto *label = panel.findChild<ElidedLabel *>("outputMissing");
        return label->isHidden() ? QString() : label->text();
    }

private Q_SLOTS:
    void initTestCase() { applyTheme(*qApp, Theme::load(ThemeKind::Light)); }
    void theEndStaysAndWhatIsMissingIsSaid()
    {
        OutputPanel panel;
        panel.resize(500, 300);
        panel.show();
        std::string many;
        for (int i = 0; i < 25000; ++i) many += "line " + std::to_string(i) + "\n";
        panel.feed(feedOf(sessionWith({{1, 1, "hello\n"}, {2, 1, many}}), m_hub, FeedPart::Opened | FeedPart::Session, {}));
        const auto *text = panel.findChild<QPlainTextEdit *>();
        QVERIFY(text->toPlainText().endsWith("line 24999\n"));
        QVERIFY(!text->toPlainText().contains("hello"));
        QTRY_VERIFY(text->verticalScrollBar()->maximum() > 1000);
        QTRY_COMPARE(text->verticalScrollBar()->value(), text->verticalScrollBar()->maximum());
        QVERIFY2(missing(panel).contains("Only the last 20"), qPrintable(missing(panel)));
        panel.feed(feedOf(sessionWith({{1, 1, "hello\n"}}), m_hub, FeedPart::Opened | FeedPart::Session, {}));
        QCOMPARE(text->toPlainText(), QString("hello\n"));
        QCOMPARE(missing(panel), QString());
    }
    void whatTheSessionLeftOutIsSaid()
    {
        OutputPanel panel;
        panel.resize(900, 300);
        panel.show();
        panel.feed(feedOf(sessionWith({{1, 1, "first"}, {9, 1, "last"}}, 1'234'000), m_hub, FeedPart::Opened | FeedPart::Session, {}));
        QVERIFY2(missing(panel).contains("1.2") && missing(panel).contains("not in the session"), qPrintable(missing(panel)));
    }
    void whatWasShownStaysWhileTheSessionForgetsIt()
    {
        OutputPanel panel;
        panel.show();
        panel.feed(feedOf(sessionWith({{1, 1, "a"}, {2, 1, "b"}, {3, 1, "c"}}), m_hub, FeedPart::Opened | FeedPart::Session, {}));
        panel.feed(feedOf(sessionWith({{1, 1, "a"}, {3, 1, "c"}, {4, 2, "d"}}, 1), m_hub, FeedPart::Session, {}));
        QCOMPARE(panel.findChild<QPlainTextEdit *>()->toPlainText(), QString("abcd"));
    }
};

QTEST_MAIN(OutputPanelTest)
#include "output_panel_test.moc"
