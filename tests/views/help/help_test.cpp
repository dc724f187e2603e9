// Help: pages and their parts, the search, and the place that explains what is looked at.
#ifndef Q_MOC_RUN // moc 6.4 stumbles over <concepts>
#include "views/help/help_view.h"
#endif

#include <QLineEdit>
#include <QListWidget>
#include <QTextBrowser>
#include <QToolButton>
#include <QtTest>

using namespace views;

class HelpTest : public QObject {
    Q_OBJECT

    const HelpPages m_pages{QStringLiteral(CROTON_DOCS)};

private Q_SLOTS:
    void everyViewHasAPlaceThatIsThere()
    {
        for (const char *view : {"welcome", "graph", "steps", "profile", "operations", "summary", "functions", "compare", "roofline",
                                 "timeline", "flame", "memory", "transfers", "code", "output", "source", "inspector", "nosuch"})
            QVERIFY2(m_pages.has(m_pages.placeOf(view)), view);
        QCOMPARE(m_pages.placeOf("steps").page, QString("rewrites"));
        QVERIFY(m_pages.has(m_pages.placeOfRewrite("local_log1p")));
        QVERIFY(!m_pages.has(m_pages.placeOfRewrite("no_such_rewrite")));
    }
    void aPartIsWhatStandsBelowItsHeading()
    {
        const QString part = m_pages.markdown(m_pages.placeOfRewrite("local_log1p"));
        QVERIFY(part.contains("### local_log1p\n") && part.contains("log1p keeps them"));
        QCOMPARE(part.count("\n### "), 1);
        const QString list = m_pages.markdown({"rewrites", {}, {}});
        QVERIFY(list.contains("(rewrites.md#local_log1p)") && !list.contains("log1p keeps them"));
        QVERIFY(m_pages.markdown({"profiles", {}, {}}).contains("## The summary"));
        QVERIFY2(!m_pages.has({"profiles", "change-one-thing", {}}), "a remark in a block is no heading");
    }
    void theSearchFindsPagesBeforeParts()
    {
        const std::vector<HelpPlace> found = m_pages.search("every REWRITE");
        QVERIFY(!found.empty() && found.front() == (HelpPlace{"rewrites", {}, "Every rewrite"}));
        QVERIFY(m_pages.search("xyzzy").empty() && m_pages.search("  ").empty());
        QCOMPARE(m_pages.placeOfLink("session", "tables.md#meta"), (HelpPlace{"tables", "meta", {}}));
        QVERIFY(m_pages.placeOfLink("session", "../../CONTRIBUTING.md").page.isEmpty());
    }
    void itOpensAtWhatIsLookedAt()
    {
        SelectionHub hub;
        hub.selectPlace("profile", "operations");
        HelpView view(hub);
        view.setPages(m_pages);
        view.show();
        QCOMPARE(view.place().anchor, QString("theanos-tables"));
        hub.selectPlace("steps", {});
        view.feed({});
        QCOMPARE(view.place().page, QString("rewrites"));
        auto *text = view.findChild<QTextBrowser *>();
        QVERIFY(text->toPlainText().contains("local_log1p"));
        Q_EMIT text->anchorClicked(QUrl("rewrites.md#local_log1p"));
        QVERIFY(text->toPlainText().contains("log1p keeps them"));
        view.feed({}); // nothing else is looked at: the page that one reads stays
        QCOMPARE(view.place().anchor, QString("local_log1p"));
        QTest::mouseClick(view.findChild<QToolButton *>(), Qt::LeftButton);
        QCOMPARE(view.place(), (HelpPlace{"rewrites", {}, {}}));
    }
    void whatIsFoundIsOpened()
    {
        SelectionHub hub;
        HelpView view(hub);
        view.setPages(m_pages);
        view.show();
        auto *search = view.findChild<QLineEdit *>();
        auto *found = view.findChild<QListWidget *>();
        QVERIFY(!found->isVisible());
        QTest::keyClicks(search, "optimizer_ex");
        QVERIFY(!found->isVisible() && view.findChild<QTextBrowser *>()->isHidden());
        search->setText("croton compare");
        QVERIFY(found->isVisible() && found->count() > 0);
        QTest::keyClick(search, Qt::Key_Return);
        QCOMPARE(view.place(), (HelpPlace{"commands", "croton-compare", "croton compare"}));
        QVERIFY(view.findChild<QTextBrowser *>()->isVisible());
    }
    void withoutPagesItSaysSo()
    {
        SelectionHub hub;
        HelpView view(hub);
        view.setPages(HelpPages(QString()));
        view.show();
        QVERIFY(view.findChild<QTextBrowser *>()->isHidden() && !view.findChild<QLineEdit *>()->isEnabled());
    }
};

QTEST_MAIN(HelpTest)
#include "help_test.moc"
