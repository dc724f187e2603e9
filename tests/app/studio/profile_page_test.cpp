// The page Profile answers first what one asks first: which line is slow, and what to do about it.
#ifndef Q_MOC_RUN // moc 6.4 stumbles over <concepts>
#include "tests/app/studio/one_window.h"
#include "views/profile/operations_view.h"
#include "views/profile/summary_view.h"
#endif

#include <QHeaderView>
#include <QLabel>
#include <QTableView>
#include <QToolButton>

using namespace app;
using namespace views;

class ProfilePageTest : public OneWindow {
    Q_OBJECT

    using Column = CostTableModel::Column;

    /// Labels of the summary with a text that are seen without scrolling.
    static int seen(const SummaryView &summary, const QString &start)
    {
        int count = 0;
        for (const QLabel *label : summary.findChildren<QLabel *>())
            count += label->text().startsWith(start) && label->isVisible() && !label->visibleRegion().isEmpty();
        return count;
    }

private Q_SLOTS:
    void initTestCase()
    {
        settleIn();
        wear(true);
    }
    void cleanup() { m_window.reset(); }

    void theSlowestLineComesFirst()
    {
        showWindow();
        m_window->resize(1280, 800);
        open(QStringLiteral(CROTON_REAL_NETWORK));
        m_window->showView("profile");
        m_window->settle();
        auto *page = view<OperationsView>("profile");
        QVERIFY(page->kind() == CostTableKind::Line);
        const QTableView *table = page->table(CostTableKind::Line);
        const CostTableModel *lines = page->model(CostTableKind::Line);
        QVERIFY(table->isVisible() && lines->rowCount() > 1);
        for (const Column column : {Column::Share, Column::PerCall, Column::Calls, Column::Name})
            QVERIFY(!table->isColumnHidden(lines->columnOf(column)));
        const int room = table->viewport()->width() - table->columnViewportPosition(lines->columnOf(Column::Name));
        QVERIFY2(room >= 320, qPrintable(QStringLiteral("a line of source has %1 of %2").arg(room).arg(table->viewport()->width())));
        const profiler::TableRow &slowest =
            m_window->session()->costs->of(m_window->session()->busiestFunction()->id)->lineRows.rows.front();
        const QString first = table->model()->index(0, lines->columnOf(Column::Name)).data().toString();
        const std::string place = slowest.name;
        const auto colon = place.rfind(':');
        const QString source = QString::fromStdString(m_window->session()->sourceText(place.substr(0, colon)))
                                   .split('\n')
                                   .value(std::stoi(place.substr(colon + 1)) - 1);
        QVERIFY2(!source.trimmed().isEmpty() && first.endsWith(source.trimmed()), qPrintable(first));
        for (int row = 1; row < lines->rowCount(); ++row) QVERIFY(lines->row(row - 1).seconds >= lines->row(row).seconds);
        // Beside the graph one asks for ops.
        m_window->showView("operations");
        QVERIFY(view<OperationsView>("operations")->kind() == CostTableKind::Op);
        // What a person chose stays.
        page->setKind(CostTableKind::Apply);
        open(QStringLiteral(CROTON_REAL_SESSION));
        m_window->showView("profile");
        QVERIFY(page->kind() == CostTableKind::Apply);
    }

    void theAdviceThatMattersMostIsSeen()
    {
        SelectionHub hub;
        SummaryView summary(hub);
        ProfileSummary said;
        said.seconds = 1;
        said.calls = 1000;
        said.parts = {{"CPU ops", 'C', 1, 1, Color::Cpu, false}};
        said.whole = "Whole calls";
        said.quality = "Host clock";
        for (int i = 1; i <= 7; ++i) {
            AdviceCard card;
            card.title = QStringLiteral("Tip %1 that says in a sentence of some length what the script should do instead").arg(i);
            card.gain = "at most 34 % of the time in ops";
            card.text = "Elemwise{Composite{…}} at model.py:12, Elemwise{Composite{…}} at model.py:13";
            card.place = {"model.py", 12};
            said.advice.push_back(card);
        }
        summary.resize(320, 660); // what a window of 1280 by 800 has for it
        summary.setSummary(said);
        summary.show();
        QVERIFY(QTest::qWaitForWindowExposed(&summary));
        QCOMPARE(seen(summary, "Tip 1"), 1);
        QCOMPARE(seen(summary, "Tip 2"), 1);
        QCOMPARE(seen(summary, "Tip 3"), 1);
        const auto isThere = [&](const QString &start) {
            const auto all = summary.findChildren<QLabel *>();
            return std::any_of(all.begin(), all.end(),
                               [&](const QLabel *each) { return each->text().startsWith(start) && each->isVisible(); });
        };
        QVERIFY(!isThere("Tip 4"));
        auto *all = summary.findChild<QToolButton *>("allAdvice");
        QVERIFY(all && all->text().contains('7'));
        all->click();
        QVERIFY(isThere("Tip 7"));
        all->click();
        QVERIFY(!isThere("Tip 4"));
        QSignalSpy shown(&hub, &SelectionHub::showInRequested);
        for (auto *link : summary.findChildren<QToolButton *>())
            if (link->text() == "Line 12" && link->isVisible()) {
                link->click();
                break;
            }
        QCOMPARE(shown.size(), 1);
        QCOMPARE(hub.selection().source, (SourceRef{"model.py", 12}));
    }
};

QTEST_MAIN(ProfilePageTest)
#include "profile_page_test.moc"
