#include "views/common/controls.h"
#include "views/common/palette.h"
#include "views/inspector/inspector_rows.h"
#include "views/inspector/inspector_view.h"

#include <QMenu>
#include <QPushButton>
#include <QSignalSpy>
#include <QtMath>
#include <QtTest>

#include <memory>

using namespace views;

class InspectorViewTest : public QObject {
    Q_OBJECT

    static InspectorContent sample()
    {
        InspectorContent content;
        content.subject = QStringLiteral("apply 14 of train");
        content.title = QStringLiteral("y·softplus(u)");
        content.exactName = QStringLiteral("Elemwise{Composite{[sub(mul(i0, scalar_softplus(i1)), mul(i2, i3))]}}[(0, 4)]");
        content.chips = {{QStringLiteral("CPU · C"), Color::Cpu, Color::SoftCpu},
                         {QStringLiteral("destroys i4"), Color::DestroyEdge, Color::ErrorSoft}};
        content.figures = {{QStringLiteral("22.3 µs"), QStringLiteral("per call"), {}}};
        content.births.rows = {
            {28, QStringLiteral("stabilize"), QStringLiteral("local_inv_1_plus_exp"), QStringLiteral("1 / (1 + exp(u)) became σ(−u)")},
            {61, QStringLiteral("fusion"), QStringLiteral("composite"), QStringLiteral("one kernel"), 4}};
        content.source.lines = {{{QStringLiteral("a.py"), 29}, QStringLiteral("xent = -y * tt.log(p_1)"), true}};
        content.inputs = {
            {QStringLiteral("i0"), QStringLiteral("y"), QStringLiteral("float32 (400,)"), {}, {Side::Optimized, NodeKind::Variable, 3}}};
        return content;
    }
    static InspectorRow *row(const InspectorView &view, const QString &part)
    {
        for (InspectorRow *each : view.findChildren<InspectorRow *>())
            if (each->accessibleName().contains(part)) return each;
        return nullptr;
    }

private Q_SLOTS:
    void initTestCase() { applyTheme(*qApp, Theme::load(ThemeKind::Light)); }

    void rowsLeadToStepsLinesAndNodes()
    {
        SelectionHub hub;
        InspectorView view(hub);
        view.resize(320, 800);
        view.setContent(sample());
        view.show();
        QTest::mouseClick(row(view, QStringLiteral("step 28")), Qt::LeftButton);
        QCOMPARE(hub.selection().step, 28);
        QTest::mouseClick(row(view, QStringLiteral("line 29")), Qt::LeftButton);
        QCOMPARE(hub.selection().source, (SourceRef{QStringLiteral("a.py"), 29}));
        QTest::mouseClick(row(view, QStringLiteral("i0")), Qt::LeftButton);
        QCOMPARE(hub.selection().node, (NodeRef{Side::Optimized, NodeKind::Variable, 3}));
    }
    void longNamesWrapInsteadOfWideningThePanel()
    {
        SelectionHub hub;
        InspectorView view(hub);
        InspectorContent content = sample();
        content.exactName = content.exactName.repeated(6);
        content.title = QStringLiteral("an unusually long friendly title ").repeated(4);
        view.resize(280, 700);
        view.setContent(content);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        QVERIFY2(view.minimumSizeHint().width() <= 280, qPrintable(QString::number(view.minimumSizeHint().width())));
        for (const TextLabel *label : view.findChildren<TextLabel *>())
            if (label->isVisible()) QVERIFY(label->width() <= 280);
    }
    void longNumbersOfLinesKeepTheirDistance()
    {
        const std::unique_ptr<InspectorRow> row(
            InspectorRow::sourceLine({QStringLiteral("library.py"), 139472}, 139472, QStringLiteral("total = x + 1"), false));
        row->resize(240, 20);
        const QImage image = row->grab().toImage();
        const Theme &theme = Theme::current();
        const int end = theme.px(12) + qCeil(QFontMetricsF(theme.font(FontRole::Mono)).horizontalAdvance(QStringLiteral("139472")));
        for (int x = end + 2; x < end + 6; ++x)
            for (int y = 0; y < image.height(); ++y) QCOMPARE(image.pixel(x, y), image.pixel(0, 0));
        QVERIFY(row->toolTip().contains(QStringLiteral("library.py:139472")));
    }
    void nothingSelectedSaysWhatToDo()
    {
        SelectionHub hub;
        InspectorView view(hub);
        view.setContent({.emptySentence = QStringLiteral("Nothing is selected.")});
        view.show();
        QVERIFY(view.findChildren<InspectorRow *>().isEmpty());
        for (const QPushButton *button : view.findChildren<QPushButton *>())
            QVERIFY(!button->isVisible() || !button->text().contains(QStringLiteral("Show in")));
    }
    void codeButtonSaysWhyItIsOff()
    {
        SelectionHub hub;
        InspectorView view(hub);
        InspectorContent content = sample();
        content.noCodeReason = QStringLiteral("a library runs it");
        view.setContent(content);
        QPushButton *code = nullptr;
        for (QPushButton *button : view.findChildren<QPushButton *>())
            if (button->text() == QStringLiteral("Code")) code = button;
        QVERIFY(code && !code->isEnabled());
        QCOMPARE(code->toolTip(), QStringLiteral("a library runs it"));
        content.hasCode = true;
        view.setContent(content);
        QSignalSpy spy(&hub, &SelectionHub::showInRequested);
        code->click();
        QCOMPARE(spy.value(0).value(0).toString(), QStringLiteral("code"));
    }
};

QTEST_MAIN(InspectorViewTest)
#include "inspector_view_test.moc"
