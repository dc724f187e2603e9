#include "cost_rows.h"
#ifndef Q_MOC_RUN // moc 6.4 stumbles over <concepts>
#include "profiler/session/store/reader.h"
#include "tests/views/feed.h"
#endif

#include "views/common/palette.h"
#include "views/common/selection_hub.h"
#include "views/profile/operations_view.h"
#include "views/profile/table_export.h"

#include <QClipboard>
#include <QMenu>
#include <QSettings>
#include <QSortFilterProxyModel>
#include <QTableView>
#include <QTemporaryDir>
#include <QToolButton>
#include <QtTest>

using namespace views;

class OperationsViewTest : public QObject {
    Q_OBJECT

    static NodeRef apply(std::int64_t id) { return {Side::Optimized, NodeKind::Apply, id}; }
    static QString selectedName(OperationsView &view)
    {
        const QModelIndexList rows = view.table(CostTableKind::Op)->selectionModel()->selectedRows();
        if (rows.isEmpty()) return {};
        const int name = view.model(CostTableKind::Op)->columnOf(CostTableModel::Column::Name);
        return rows.first().siblingAtColumn(name).data().toString();
    }

private Q_SLOTS:
    void initTestCase() { applyTheme(*qApp, Theme::load(ThemeKind::Light)); }

    void rowAndNodeAreOneSelection()
    {
        SelectionHub hub;
        OperationsView view(hub);
        view.setRows(CostTableKind::Op, fourOps());
        view.resize(900, 300);
        view.show();
        hub.selectNode(apply(16));
        QCOMPARE(selectedName(view), QStringLiteral("Sum"));
        QTableView *table = view.table(CostTableKind::Op);
        table->selectRow(0);
        QCOMPARE(hub.selection().node, apply(17));
        hub.selectNode(apply(7));
        QCOMPARE(selectedName(view), QStringLiteral("CGemv{inplace}"));
        QCOMPARE(hub.selection().node, apply(7));
        hub.selectNode({});
        QCOMPARE(selectedName(view), QString());
    }
    void newRowsKeepSelectionFilterAndSorting()
    {
        SelectionHub hub;
        OperationsView view(hub);
        view.setRows(CostTableKind::Op, fourOps());
        view.setFilter(QStringLiteral("elem"));
        QTableView *table = view.table(CostTableKind::Op);
        QCOMPARE(table->model()->rowCount(), 1);
        hub.selectNode(apply(9));
        table->sortByColumn(2, Qt::AscendingOrder);
        view.setRows(CostTableKind::Op, fourOps());
        QCOMPARE(table->model()->rowCount(), 1);
        QCOMPARE(selectedName(view), QStringLiteral("Elemwise{exp,no_inplace}"));
        QCOMPARE(hub.selection().node, apply(9));
        view.setFilter({});
        QCOMPARE(table->model()->rowCount(), 4);
        QCOMPARE(table->model()->index(0, 8).data().toString(), QStringLiteral("Shape_i{0}"));
    }
    void copiesTheWholeTable()
    {
        SelectionHub hub;
        OperationsView view(hub);
        view.setRows(CostTableKind::Op, fourOps());
        view.copyAsText();
        QCOMPARE(QGuiApplication::clipboard()->text().count(QLatin1Char('\n')), 5);
    }
    void columnsAreChosenAndKept()
    {
        QSettings::setDefaultFormat(QSettings::IniFormat);
        QTemporaryDir folder;
        QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, folder.path());
        QCoreApplication::setOrganizationName("croton-test");
        SelectionHub hub;
        OperationsView view(hub);
        view.setRows(CostTableKind::Op, fourOps());
        QMenu *menu = view.findChild<QToolButton *>("columns")->menu();
        Q_EMIT menu->aboutToShow();
        QAction *cumulative = nullptr;
        for (QAction *action : menu->actions())
            if (action->text() == "Sum %") cumulative = action;
        QVERIFY(cumulative && cumulative->isCheckable() && cumulative->isChecked());
        cumulative->trigger();
        const int column = view.model(CostTableKind::Op)->columnOf(CostTableModel::Column::Cumulative);
        QVERIFY(view.table(CostTableKind::Op)->isColumnHidden(column));
        QVERIFY(!view.table(CostTableKind::Class)->isColumnHidden(column));
        OperationsView later(hub);
        QVERIFY(later.table(CostTableKind::Op)->isColumnHidden(column));
        QSettings().clear();
    }
    void savesWhatIsShownAsCsv()
    {
        SelectionHub hub;
        OperationsView view(hub);
        std::vector<CostRow> rows = fourOps();
        rows[0].name = "Elemwise{a,\"b\"}";
        rows[0].perCall = 1.25e-5;
        rows[1].name = "=HYPERLINK(1)";
        view.setRows(CostTableKind::Op, rows);
        QTableView *table = view.table(CostTableKind::Op);
        table->setColumnHidden(view.model(CostTableKind::Op)->columnOf(CostTableModel::Column::Cumulative), true);
        const QStringList lines = tableAsCsv(*table).split('\n', Qt::SkipEmptyParts);
        QCOMPARE(lines.size(), 5);
        QCOMPARE(lines[0], QString("% time,Apply time (s),Time per call (s),Where,Type,#call,#apply,Op name"));
        QVERIFY2(lines[1].contains(",1.25e-05,") && lines[1].endsWith("\"Elemwise{a,\"\"b\"\"}\""), qPrintable(lines[1]));
        QVERIFY2(lines[2].endsWith(",\"'=HYPERLINK(1)\""), qPrintable(lines[2]));
        view.setFilter(QStringLiteral("elem"));
        QVERIFY(tableAsCsv(*table).count('\n') < 5);
    }
    void theSameTimeByLineAndDevice()
    {
        SelectionHub hub;
        OperationsView view(hub);
        std::vector<CostRow> rows = fourOps();
        rows[0].name = "model.py:12  y = exp(x)";
        view.setRows(CostTableKind::Line, rows);
        view.setKind(CostTableKind::Line);
        view.resize(600, 300);
        view.show();
        QVERIFY(view.table(CostTableKind::Line)->isVisible());
        QCOMPARE(view.model(CostTableKind::Line)->columnOf(CostTableModel::Column::Code), -1);
    }
    void namesHaveRoomBeforeOtherColumns()
    {
        SelectionHub hub;
        OperationsView view(hub);
        view.setRows(CostTableKind::Op, fourOps());
        view.resize(Theme::current().px(870), 300);
        view.show();
        const int name = view.model(CostTableKind::Op)->columnOf(CostTableModel::Column::Name);
        QTRY_VERIFY(view.table(CostTableKind::Op)->columnWidth(name) >= Theme::current().px(200));
    }
    void threeTimesStandSideBySideWhereASessionHoldsThem()
    {
        using Column = CostTableModel::Column;
        SelectionHub hub;
        OperationsView view(hub);
        view.resize(1200, 300);
        view.show();
        const auto session = readSession(*profiler::SessionReader::open(CROTON_SAMPLES "/exp_on_devices/exp_on_devices.croton"), nullptr);
        view.feed(feedOf(session, hub, kAllFeedParts));
        for (CostTableKind kind : {CostTableKind::Class, CostTableKind::Op, CostTableKind::Apply, CostTableKind::Device}) {
            view.setKind(kind);
            const CostTableModel &model = *view.model(kind);
            for (Column column : {Column::PerCall, Column::Blocking, Column::OnDevice}) {
                QVERIFY(model.columnOf(column) >= 0);
                QVERIFY(!view.table(kind)->isColumnHidden(model.columnOf(column)));
            }
            QCOMPARE(model.columnAt(model.columnCount() - 1), Column::Name);
        }
        const CostTableModel &applies = *view.model(CostTableKind::Apply);
        const std::vector<profiler::TableRow> &rows = session->costs->of(profiler::kNoFunction)->applies.rows;
        QCOMPARE(applies.rowCount(), static_cast<int>(rows.size()));
        for (int i = 0; i < applies.rowCount(); ++i) {
            const profiler::TableRow &row = rows[static_cast<std::size_t>(i)];
            const double calls = static_cast<double>(row.calls) * 1e9;
            const auto raw = [&](Column column) { return applies.index(i, applies.columnOf(column)).data(kRawRole).toDouble(); };
            QVERIFY(qFuzzyCompare(raw(Column::PerCall), static_cast<double>(row.ns) / calls));
            QVERIFY(qFuzzyCompare(raw(Column::Blocking), static_cast<double>(row.blockingNs.value()) / calls));
            QVERIFY(qFuzzyCompare(raw(Column::OnDevice), static_cast<double>(row.deviceNs.value()) / calls));
        }
        view.setFilter(QStringLiteral("HostFromGpu")); // by name still
        QCOMPARE(view.table(CostTableKind::Apply)->model()->rowCount(), 1);
        view.setFilter({});
        // Where nothing is known of them, no column stands empty.
        view.feed(feedOf(readSession(*profiler::SessionReader::open(CROTON_REAL_SESSION), nullptr), hub, kAllFeedParts));
        QCOMPARE(applies.columnOf(Column::Blocking), -1);
        QCOMPARE(applies.columnOf(Column::OnDevice), -1);
        QVERIFY(applies.rowCount() > 1);
    }
    void linesHaveWhatTheyCallBesideTheirOwn()
    {
        using Column = CostTableModel::Column;
        SelectionHub hub;
        OperationsView view(hub);
        view.resize(1200, 300);
        view.show();
        const auto session = readSession(*profiler::SessionReader::open(CROTON_SAMPLES "/rbm/rbm.croton"), nullptr);
        view.feed(feedOf(session, hub, kAllFeedParts));
        view.setKind(CostTableKind::Line);
        const CostTableModel &lines = *view.model(CostTableKind::Line);
        QVERIFY(lines.columnOf(Column::WithCalls) > lines.columnOf(Column::Share));
        bool onlyCalls = false, more = false;
        for (int i = 0; i < lines.rowCount(); ++i) {
            const CostRow &row = lines.row(i);
            QVERIFY(row.withCalls > row.share - 1e-9 && row.withCalls < 1 + 1e-9);
            more = more || row.withCalls > row.share + 0.01;
            if (row.members.empty() && !row.name.startsWith(QStringLiteral("of no line"))) {
                onlyCalls = true; // of which no apply is made directly: nothing says where it ran
                QCOMPARE(row.seconds, 0.0);
                QVERIFY(!lines.index(i, lines.columnOf(Column::Where)).data(kPillRole).isValid());
            } else {
                QVERIFY(!onlyCalls);
            }
        }
        QVERIFY(more && onlyCalls);
        for (CostTableKind kind : {CostTableKind::Op, CostTableKind::File, CostTableKind::Device})
            QCOMPARE(view.model(kind)->columnOf(Column::WithCalls), -1);
    }
    void emptyTableSaysWhy()
    {
        SelectionHub hub;
        OperationsView view(hub);
        view.resize(900, 300);
        view.show();
        view.setEmpty(QStringLiteral("train was not called."), QStringLiteral("Run"));
        QVERIFY(!view.table(CostTableKind::Op)->isVisible());
        view.setEmpty({});
        QVERIFY(view.table(CostTableKind::Op)->isVisible());
    }
    void drawsInBothThemes()
    {
        for (ThemeKind kind : {ThemeKind::Light, ThemeKind::Dark}) {
            applyTheme(*qApp, Theme::load(kind));
            SelectionHub hub;
            OperationsView view(hub);
            view.setRows(CostTableKind::Op, fourOps());
            view.resize(1000, 240);
            const QImage image = view.grab().toImage();
            const QColor cpu = Theme::current().color(Color::Cpu);
            int bars = 0;
            for (int y = 0; y < image.height(); ++y)
                for (int x = 0; x < 160; ++x) bars += image.pixelColor(x, y) == cpu;
            QVERIFY2(bars > 300, qPrintable(QString::number(bars)));
        }
    }
};

QTEST_MAIN(OperationsViewTest)
#include "operations_view_test.moc"
