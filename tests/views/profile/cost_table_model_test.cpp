#include "cost_rows.h"
#include "views/common/tips.h"

#include <QAbstractItemModelTester>
#include <QSortFilterProxyModel>
#include <QtTest>

using namespace views;
using Column = CostTableModel::Column;

class CostTableModelTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void obeysTheModelContract_data()
    {
        QTest::addColumn<int>("kind");
        QTest::newRow("class") << static_cast<int>(CostTableKind::Class);
        QTest::newRow("op") << static_cast<int>(CostTableKind::Op);
        QTest::newRow("apply") << static_cast<int>(CostTableKind::Apply);
    }
    void obeysTheModelContract()
    {
        QFETCH(int, kind);
        CostTableModel model(static_cast<CostTableKind>(kind));
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        QCOMPARE(model.rowCount(), 0);
        model.setRows(fourOps());
        QCOMPARE(model.rowCount(), 4);
        model.setRows({});
        QCOMPARE(model.rowCount(), 0);
        for (int column = 0; column < model.columnCount(); ++column) {
            QVERIFY(!model.headerData(column, Qt::Horizontal, Qt::DisplayRole).toString().isEmpty());
            QVERIFY(!model.headerData(column, Qt::Horizontal, Qt::ToolTipRole).toString().isEmpty());
        }
    }
    void sortsByTheNumberNotTheText()
    {
        CostTableModel model(CostTableKind::Op);
        model.setRows(fourOps());
        QSortFilterProxyModel proxy;
        proxy.setSourceModel(&model);
        proxy.setSortRole(kSortRole);
        proxy.sort(model.columnOf(Column::Calls), Qt::DescendingOrder);
        QCOMPARE(proxy.index(0, model.columnOf(Column::Name)).data().toString(), QStringLiteral("Sum"));
        proxy.sort(model.columnOf(Column::PerCall), Qt::AscendingOrder);
        QCOMPARE(proxy.index(0, model.columnOf(Column::Name)).data().toString(), QStringLiteral("Sum"));
        proxy.sort(model.columnOf(Column::Name), Qt::AscendingOrder);
        QCOMPARE(proxy.index(3, model.columnOf(Column::Name)).data().toString(), QStringLiteral("Sum"));
    }
    void findsTheRowOfAnApply()
    {
        CostTableModel model(CostTableKind::Op);
        model.setRows(fourOps());
        QCOMPARE(model.rowOfApply(7), 0);
        QCOMPARE(model.rowOfApply(17), 0);
        QCOMPARE(model.rowOfApply(1), 3);
        QCOMPARE(model.rowOfApply(99), -1);
    }
    void doubtfulTimesSaySo()
    {
        CostTableModel model(CostTableKind::Op);
        auto rows = fourOps();
        rows[3].doubtful = true;
        model.setRows(rows);
        const int column = model.columnOf(Column::PerCall);
        QVERIFY(model.index(3, column).data().toString().startsWith(QLatin1Char('~')));
        QVERIFY(!model.index(0, column).data().toString().startsWith(QLatin1Char('~')));
        QVERIFY(model.index(3, column).data(kDoubtRole).toBool());
        QCOMPARE(model.index(3, column).data(Qt::ToolTipRole).toString(), tipText("host clock"));
    }
    void copiesAsTabSeparatedText()
    {
        CostTableModel model(CostTableKind::Apply);
        model.setRows(fourOps());
        const QStringList lines = tableAsText(model).split(QLatin1Char('\n'), Qt::SkipEmptyParts);
        QCOMPARE(lines.size(), 5);
        for (const QString &line : lines) QCOMPARE(line.count(QLatin1Char('\t')), model.columnCount() - 1);
        QVERIFY(lines[1].startsWith(QStringLiteral("60.0%\t60.0%")));
        QCOMPARE(tableAsText(model, {2}).split(QLatin1Char('\n'), Qt::SkipEmptyParts).size(), 2);
    }
};

QTEST_GUILESS_MAIN(CostTableModelTest)
#include "cost_table_model_test.moc"
