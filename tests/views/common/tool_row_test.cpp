#include "views/common/tool_row.h"

#include <QMenu>
#include <QPushButton>
#include <QToolButton>
#include <QtTest>

#include <memory>

using namespace views;

namespace {

/// Tells when it comes to be seen.
class Told : public QPushButton {
public:
    using QPushButton::QPushButton;
    std::function<void()> shown;

protected:
    void showEvent(QShowEvent *event) override
    {
        QPushButton::showEvent(event);
        if (shown) shown();
    }
};

constexpr int kWide = 4000, kNarrow = 10;

} // namespace

class ToolRowTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void whatHasNoRoomGoesIntoTheMenu()
    {
        ToolRow row;
        auto *first = new QPushButton("first"), *second = new QPushButton("second");
        row.insert(0, first);
        row.insert(1, second, 1);
        row.show();
        row.fit(kWide);
        QVERIFY(first->isVisible() && second->isVisible());
        auto *more = row.findChild<QToolButton *>("moreTools");
        QVERIFY(!more->isVisible());
        row.fit(kNarrow);
        QVERIFY(!first->isVisible() && !second->isVisible() && more->isVisible());
        Q_EMIT more->menu()->aboutToShow();
        QCOMPARE(more->menu()->actions().size(), 2);
        row.fit(more->sizeHint().width() + second->sizeHint().width() + 40);
        QVERIFY2(!first->isVisible() && second->isVisible(), "the least important goes first");
    }
    void aToolThatIsGoneIsForgotten()
    {
        ToolRow row;
        auto tool = std::make_unique<QPushButton>("tool");
        auto *other = new QPushButton("other");
        row.insert(0, tool.get());
        row.insert(1, other);
        row.show();
        tool.reset();
        row.fit(kNarrow);
        Q_EMIT row.findChild<QToolButton *>("moreTools")->menu()->aboutToShow();
        row.fit(kWide);
        QVERIFY(other->isVisible());
        QCOMPARE(row.count(), 1);
    }
    // As a page does that arranges itself anew when its panes get another size.
    void aToolMayMoveIntoAnotherRowWhileOthersAreShown()
    {
        ToolRow row, elsewhere;
        auto *first = new Told("first");
        auto *moving = new QPushButton("moving");
        auto *last = new QPushButton("last");
        row.insert(0, first);
        row.insert(1, moving);
        row.insert(2, last);
        row.show();
        elsewhere.show();
        row.fit(kNarrow);
        QVERIFY(!first->isVisible());
        first->shown = [&] {
            if (!elsewhere.isAncestorOf(moving)) elsewhere.insert(0, moving);
        };
        row.fit(kWide);
        QVERIFY(elsewhere.isAncestorOf(moving));
        QCOMPARE(row.count(), 2);
        QVERIFY(first->isVisible() && last->isVisible());
        elsewhere.fit(kWide);
        QVERIFY(moving->isVisible());
    }
};

QTEST_MAIN(ToolRowTest)
#include "tool_row_test.moc"
