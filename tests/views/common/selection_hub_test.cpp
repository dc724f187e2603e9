#include "views/common/selection_hub.h"

#include <QSignalSpy>
#include <QtTest>

using namespace views;

class SelectionHubTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void tellsOnlyWhatChanged()
    {
        SelectionHub hub;
        std::vector<SelectionParts> seen;
        connect(&hub, &SelectionHub::selectionChanged, &hub, [&](const Selection &, SelectionParts parts) { seen.push_back(parts); });
        hub.selectFunction(3);
        hub.selectNode({Side::Optimized, NodeKind::Apply, 14});
        hub.selectNode({Side::Optimized, NodeKind::Apply, 14});
        hub.selectSource({QStringLiteral("a.py"), 29});
        QCOMPARE(seen.size(), std::size_t(3));
        QCOMPARE(seen[0], SelectionParts(SelectionPart::Function));
        QCOMPARE(seen[1], SelectionParts(SelectionPart::Node));
        QCOMPARE(seen[2], SelectionPart::Node | SelectionPart::Source);
    }
    void goesBackAndForward()
    {
        SelectionHub hub;
        hub.selectFunction(1);
        const Selection function = hub.selection();
        hub.selectNode({Side::Optimized, NodeKind::Apply, 1});
        hub.selectNode({Side::Original, NodeKind::Apply, 2});
        const Selection last = hub.selection();
        hub.goBack();
        hub.goBack();
        QCOMPARE(hub.selection(), function);
        QVERIFY(hub.canGoForward());
        hub.goForward();
        hub.goForward();
        QCOMPARE(hub.selection(), last);
        QVERIFY(!hub.canGoForward());
        hub.goBack();
        hub.selectNode({Side::Original, NodeKind::Apply, 9});
        QVERIFY(!hub.canGoForward());
    }
    void steppingIsOneEntryOfTheHistory()
    {
        SelectionHub hub;
        hub.selectFunction(1);
        const Selection before = hub.selection();
        for (int step = 10; step < 60; ++step) hub.selectStep(step);
        hub.goBack();
        QCOMPARE(hub.selection(), before);
        hub.goForward();
        QCOMPARE(hub.selection().step, 59);
    }
    void applyComesWithAllThatFollowsFromIt()
    {
        SelectionHub hub;
        Selection before;
        before.function = 1;
        before.graph = 4;
        before.parentApply = 9;
        before.step = 3;
        before.source = {QStringLiteral("a.py"), 29};
        before.call = 7;
        before.range = {100, 2000};
        before.workspace = QStringLiteral("profile");
        before.place = QStringLiteral("flame");
        hub.select(before);
        int changes = 0;
        connect(&hub, &SelectionHub::selectionChanged, &hub, [&changes] { ++changes; });
        hub.selectApply(12);
        QCOMPARE(changes, 1);
        Selection expected = before;
        expected.graph = expected.parentApply = -1;
        expected.step = Selection::kLastStep;
        expected.source = {};
        expected.node = {Side::Optimized, NodeKind::Apply, 12};
        QCOMPARE(hub.selection(), expected);
        hub.selectApply(5, 2); // a call is one of its function
        expected.function = 2;
        expected.call = -1;
        expected.node.id = 5;
        QCOMPARE(hub.selection(), expected);
        hub.selectApply(-1, 2);
        QVERIFY(!hub.selection().node.isValid());
        QCOMPARE(hub.selection().function, 2);
        hub.goBack();
        hub.goBack();
        hub.goBack();
        QCOMPARE(hub.selection(), before);
    }
    void historyIsBounded()
    {
        SelectionHub hub;
        for (int i = 0; i < 1000; ++i) hub.selectNode({Side::Optimized, NodeKind::Apply, i});
        int back = 0;
        while (hub.canGoBack()) {
            hub.goBack();
            ++back;
        }
        QVERIFY(back < 250);
        QVERIFY(back > 50);
    }
    void linkComesBackAsTheSameSelection()
    {
        Selection selection;
        selection.function = 2;
        selection.graph = 5;
        selection.parentApply = 17;
        selection.step = 61;
        selection.node = {Side::Original, NodeKind::Variable, 12};
        selection.source = {QStringLiteral("/tmp/a b/ü&x=1.py"), 29};
        selection.call = 5000;
        selection.range = {100, 2000};
        const QString link = SelectionHub::toLink(selection);
        const auto back = SelectionHub::fromLink(link);
        QVERIFY(back.has_value());
        QCOMPARE(*back, selection);
        QCOMPARE(*SelectionHub::fromLink(SelectionHub::toLink(Selection{})), Selection{});
    }
    void badLinksAreRefused()
    {
        QVERIFY(!SelectionHub::fromLink(QStringLiteral("https://example.org")).has_value());
        QVERIFY(!SelectionHub::fromLink(QStringLiteral("croton:view?function=-7")).has_value());
        QVERIFY(!SelectionHub::fromLink(QStringLiteral("croton:view?step=abc")).has_value());
    }
    void resetForgetsAll()
    {
        SelectionHub hub;
        hub.selectFunction(1);
        hub.setLinked({{{Side::Original, NodeKind::Apply, 1}}, {}, {}, {3}});
        hub.reset();
        QCOMPARE(hub.selection(), Selection{});
        QVERIFY(hub.linked().nodes.isEmpty());
        QVERIFY(!hub.canGoBack());
    }
};

QTEST_GUILESS_MAIN(SelectionHubTest)
#include "selection_hub_test.moc"
