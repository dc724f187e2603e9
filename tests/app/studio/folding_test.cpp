// Groups of a graph in the window: chosen, opened and closed by hand and key, with selection and lineage through them.
#ifndef Q_MOC_RUN // moc 6.4 stumbles over <concepts>
#include "app/studio/pages/graph_page.h"
#include "tests/app/studio/one_window.h"
#endif

#include "views/graph/find_bar.h"
#include "views/graph/graph_pane.h"

#include <QLineEdit>

using namespace app;
using namespace views;

class FoldingTest : public OneWindow {
    Q_OBJECT

    GraphPage *page() { return view<GraphPage>("graph"); }
    GraphCanvas *canvas() { return page()->optimizedPane()->canvas(); }
    void settle()
    {
        QTRY_VERIFY_WITH_TIMEOUT(m_window->isReady(), 10000);
        m_window->settle();
    }
    const SceneNode *group()
    {
        for (const SceneNode &node : canvas()->scene().nodes)
            if (node.holds > 1) return &node;
        return nullptr;
    }

private Q_SLOTS:
    void initTestCase()
    {
        settleIn();
        wear(false);
        showWindow();
        m_window->files().open(QStringLiteral(CROTON_REAL_SESSION));
        QTRY_VERIFY_WITH_TIMEOUT(m_window->session() && m_window->isReady(), 10000);
    }
    void cleanupTestCase() { m_window.reset(); }

    void aSmallGraphIsDrawnWhole() { QVERIFY(!group()); }

    void linesBecomeGroups()
    {
        const int whole = static_cast<int>(canvas()->scene().nodes.size());
        const int applies = canvas()->scene().applyCount();
        page()->setFold(FoldChoice::Line);
        settle();
        QVERIFY(group());
        QVERIFY(group()->title.startsWith("line"));
        QVERIFY(static_cast<int>(canvas()->scene().nodes.size()) < whole);
        QCOMPARE(canvas()->scene().applyCount(), applies);
    }

    void aHiddenNodeIsSelectedAsItsGroup()
    {
        page()->setFold(FoldChoice::Line);
        settle();
        const SceneKey key = group()->key;
        m_window->hub().selectNode({Side::Optimized, NodeKind::Apply, static_cast<std::int64_t>(sceneId(key))});
        settle();
        QCOMPARE(canvas()->selected(), QSet<SceneKey>{key});
        QVERIFY2(!page()->originalPane()->canvas()->linked().isEmpty(), "its counterparts are linked");
        for (SceneKey linked : page()->originalPane()->canvas()->linked())
            QVERIFY(page()->originalPane()->canvas()->scene().find(linked) >= 0);
    }

    void aSearchFindsWhatGroupsHide()
    {
        page()->setFold(FoldChoice::Line);
        settle();
        FindBar *bar = page()->optimizedPane()->findBar();
        const auto *count = bar->findChild<QLabel *>(QStringLiteral("findCount"));
        bar->open();
        bar->findChild<QLineEdit *>()->setText(QStringLiteral("op:gemv"));
        QTRY_VERIFY(canvas()->hiddenMatchCount() > 0);
        QVERIFY2(count->text().contains("closed groups"), qPrintable(count->text()));
        bar->next();
        const SceneKey wanted = canvas()->matches()[static_cast<std::size_t>(canvas()->match())];
        QTRY_VERIFY_WITH_TIMEOUT(canvas()->scene().find(wanted) >= 0, 10000);
        settle();
        QVERIFY2(count->text().contains(" of "), qPrintable(count->text()));
        QVERIFY(QRectF(canvas()->rect()).contains(canvas()->widgetRect(wanted).center()));
        bar->close();
        page()->setFold(FoldChoice::Line);
        settle();
    }

    void aDoubleClickOpensAndTheKeyCloses()
    {
        page()->setFold(FoldChoice::Line);
        settle();
        const SceneNode node = *group();
        const int before = static_cast<int>(canvas()->scene().nodes.size());
        QTest::mouseDClick(canvas(), Qt::LeftButton, {}, canvas()->widgetRect(node.key).center().toPoint());
        settle();
        QVERIFY(canvas()->scene().find(node.key) < 0);
        QVERIFY(static_cast<int>(canvas()->scene().nodes.size()) > before);
        QVERIFY(std::any_of(canvas()->scene().frames.begin(), canvas()->scene().frames.end(),
                            [&](const SceneFrame &frame) { return frame.fold == node.key; }));
        const SceneKey inside = sceneKey(sceneGraph(node.key), SceneRole::Apply, sceneId(node.key));
        QVERIFY(canvas()->scene().find(inside) >= 0);
        QTest::mouseClick(canvas(), Qt::LeftButton, {}, canvas()->widgetRect(inside).center().toPoint());
        QTest::keyClick(canvas(), Qt::Key_C);
        settle();
        QVERIFY(canvas()->scene().find(node.key) >= 0);
        QCOMPARE(static_cast<int>(canvas()->scene().nodes.size()), before);
    }

    void nothingFoldedIsTheWholeGraphAgain()
    {
        page()->setFold(FoldChoice::Nothing);
        settle();
        QVERIFY(!group());
    }
};

QTEST_MAIN(FoldingTest)
#include "folding_test.moc"
