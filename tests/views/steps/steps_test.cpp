#ifndef Q_MOC_RUN // moc 6.4 stumbles over <concepts>
#include "tests/views/graph/session_scenes.h"
#include "views/steps/step_region.h"
#endif
#include "views/common/palette.h"
#include "views/graph/graph_canvas.h"
#include "views/steps/step_bar.h"
#include "views/steps/step_card.h"
#include "views/steps/step_track.h"
#include "views/steps/steps_model.h"
#include "views/steps/steps_view.h"

#include <QAbstractItemModelTester>
#include <QCheckBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTreeView>
#include <QtTest>

using namespace views;

namespace {

int stepRows(const QAbstractItemModel &model, const QModelIndex &parent = {})
{
    int total = 0;
    for (int row = 0; row < model.rowCount(parent); ++row) {
        const QModelIndex index = model.index(row, 0, parent);
        total += index.data(StepsModel::KindRole).toInt() == static_cast<int>(StepsModel::Kind::Step);
        total += stepRows(model, index);
    }
    return total;
}

} // namespace

class StepsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        applyTheme(*qApp, Theme::load(ThemeKind::Light));
        m_reader = profiler::SessionReader::open(CROTON_REAL_SESSION);
        m_scenes = std::make_unique<demo::SessionScenes>(*m_reader, "train");
    }

    void longNumbersAreNotClipped()
    {
        SelectionHub hub;
        StepBar bar(hub);
        bar.resize(900, 72);
        bar.show();
        std::vector<profiler::StepInfo> steps(123'457);
        for (std::size_t i = 1; i < steps.size(); ++i) steps[i].phase = "canonicalize";
        bar.setSteps(steps);
        QCoreApplication::processEvents();
        for (const QLabel *label : bar.findChildren<QLabel *>())
            QVERIFY2(label->width() >= QFontMetrics(label->font()).horizontalAdvance(label->text()), qPrintable(label->text()));
    }

    void withoutAGraphNothingIsSaidOfSteps()
    {
        SelectionHub hub;
        StepBar bar(hub);
        const auto said = [&bar] {
            QString all;
            for (const QLabel *label : bar.findChildren<QLabel *>()) all += label->text();
            return all;
        };
        QCOMPARE(said(), QString());
        bar.setSteps(std::vector<profiler::StepInfo>(1)); // as it was written, and nothing else
        QVERIFY2(said().contains(QStringLiteral("no rewrite changed it")), qPrintable(said()));
        bar.setSteps({});
        QCOMPARE(said(), QString());
    }

    void timesSayTheirUnit()
    {
        StepsModel model;
        model.setSteps(m_scenes->steps, m_scenes->passes);
        QVERIFY(!model.headerData(StepsModel::TimeColumn, Qt::Horizontal, Qt::DisplayRole).toString().contains(u's'));
        const QModelIndex step = model.indexOfStep(1);
        for (const QModelIndex &index : {step, step.parent()})
            QVERIFY2(index.siblingAtColumn(StepsModel::TimeColumn).data().toString().endsWith(u's'), "a time without unit");
    }

    void segmentsFillTheBarAndSnap()
    {
        std::vector<StepTick> ticks;
        for (int i = 0; i < 60; ++i)
            ticks.push_back({i < 2 ? QStringLiteral("merge") : i < 50 ? QStringLiteral("canonicalize") : QStringLiteral("fusion")});
        const StepBarGeometry bar = layOutSteps(ticks, 500);
        QCOMPARE(bar.segments.size(), std::size_t{3});
        QCOMPARE(bar.segments[0].width, 24.0); // its share would be less
        QVERIFY(bar.segments[1].width > bar.segments[2].width);
        QCOMPARE(bar.segments[2].left + bar.segments[2].width, 500.0);
        QCOMPARE(bar.segments[1].left - (bar.segments[0].left + bar.segments[0].width), 2.0);
        for (int step = 1; step <= 60; ++step) QCOMPARE(bar.stepAt(bar.xOf(step)), step);
        for (int step = 1; step < 60; ++step) QVERIFY(bar.xOf(step) < bar.xOf(step + 1));
        QCOMPARE(bar.stepAt(-50), 0);
        QCOMPARE(bar.stepAt(9000), 60);
        QCOMPARE(bar.segmentOf(0), -1);
        QVERIFY(layOutSteps(ticks, 120).isDense(1));
        QVERIFY(!bar.isDense(1));
    }

    void emptyAndTinyBars()
    {
        QCOMPARE(layOutSteps({}, 500).stepCount(), 0);
        QCOMPARE(layOutSteps({}, 500).stepAt(100), 0);
        std::vector<StepTick> ticks;
        for (int i = 0; i < 40; ++i) // more segments than there is room for
            ticks.push_back({i % 2 ? QStringLiteral("merge") : QStringLiteral("blas")});
        const StepBarGeometry bar = layOutSteps(ticks, 100);
        QVERIFY(bar.segments.back().left + bar.segments.back().width <= 100.001);
        for (const StepSegment &segment : bar.segments) QVERIFY(segment.width >= 0);
    }

    void modelIsATreeOfAllSteps()
    {
        StepsModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setSteps(m_scenes->steps, m_scenes->passes);
        QCOMPARE(model.stepCount(), m_scenes->stepCount());
        QCOMPARE(stepRows(model), m_scenes->stepCount());
        int nodes = 0;
        for (int row = 0; row < model.rowCount(); ++row)
            nodes += model.index(row, StepsModel::NodesColumn).data(StepsModel::SortRole).toInt();
        QCOMPARE(nodes, m_scenes->steps.back().nodesAfter - m_scenes->steps[1].nodesBefore);
        for (int step = 1; step <= model.stepCount(); ++step) {
            const QModelIndex index = model.indexOfStep(step);
            QCOMPARE(index.data(StepsModel::StepRole).toInt(), step);
            QCOMPARE(index.data().toString().toStdString(), m_scenes->steps[static_cast<std::size_t>(step)].rewrite.str());
        }
        QVERIFY(!model.indexOfStep(0).isValid());
        QVERIFY(!model.indexOfStep(99999).isValid());
        model.setSteps({}, {});
        QCOMPARE(model.rowCount(), 0);
    }

    void stepsWithoutTheirPassAreNotLost()
    {
        StepsModel model;
        model.setSteps(m_scenes->steps, {}); // the session was cut off before a pass was written
        QCOMPARE(stepRows(model), m_scenes->stepCount());
    }

    void filterAndSearch()
    {
        SelectionHub hub;
        StepsView view(hub);
        view.setSteps(m_scenes->steps, m_scenes->passes);
        QCOMPARE(stepRows(*view.filter()), m_scenes->stepCount());
        auto *search = view.findChild<QLineEdit *>();
        search->setText(QStringLiteral("gemv"));
        const int found = stepRows(*view.filter());
        QVERIFY(found > 0 && found < m_scenes->stepCount());
        search->setText(QStringLiteral("no such rewrite"));
        QCOMPARE(view.filter()->rowCount(), 0);
        QVERIFY(view.tree()->isHidden());
        search->clear();
        QCOMPARE(stepRows(*view.filter()), m_scenes->stepCount());
        Linked linked;
        linked.steps = {2, 5};
        hub.setLinked(linked);
        auto *ofSelection = view.findChild<QPushButton *>(QStringLiteral("stepsOfSelection"));
        QVERIFY(ofSelection->isEnabled());
        QCOMPARE(ofSelection->accessibleName(), QStringLiteral("All steps of this node"));
        ofSelection->setChecked(true);
        QCOMPARE(stepRows(*view.filter()), 2);
        hub.selectSource({QStringLiteral("a.py"), 7});
        linked.steps = {3};
        hub.setLinked(linked);
        QCOMPARE(ofSelection->accessibleName(), QStringLiteral("All steps of line 7"));
        QCOMPARE(stepRows(*view.filter()), 1);
        hub.setLinked({}); // what no rewrite touched has no steps, which is not all of them
        QCOMPARE(stepRows(*view.filter()), 0);
        QVERIFY(view.tree()->isHidden());
    }

    void listAndBarFollowTheHub()
    {
        SelectionHub hub;
        StepsView view(hub);
        StepBar bar(hub);
        view.setSteps(m_scenes->steps, m_scenes->passes);
        bar.setSteps(m_scenes->steps);
        bar.resize(900, 72);
        QCOMPARE(bar.track()->step(), m_scenes->stepCount()); // the optimized graph
        hub.selectStep(7);
        QCOMPARE(bar.track()->step(), 7);
        QCOMPARE(view.tree()->currentIndex().data(StepsModel::StepRole).toInt(), 7);
        bar.move(1);
        QCOMPARE(hub.selection().step, 8);
        QTest::keyClick(bar.track(), Qt::Key_Left);
        QCOMPARE(hub.selection().step, 7);
        QTest::keyClick(bar.track(), Qt::Key_Home);
        QCOMPARE(hub.selection().step, 0);
        bar.movePhase(true);
        bar.movePhase(true);
        QCOMPARE(hub.selection().step, bar.track()->geometryOfSteps().segments[1].firstStep);
        QTest::keyClick(bar.track(), Qt::Key_Up);
        QCOMPARE(hub.selection().step, 1);
        QTest::keyClick(bar.track(), Qt::Key_End);
        QCOMPARE(hub.selection().step, Selection::kLastStep);
        view.tree()->setCurrentIndex(view.filter()->mapFromSource(view.model()->indexOfStep(3)));
        QCOMPARE(hub.selection().step, 3);
        QCOMPARE(bar.track()->step(), 3);
    }

    void newStepsDoNotChangeTheSelection()
    {
        SelectionHub hub;
        StepsView view(hub);
        hub.selectStep(4);
        view.setSteps(m_scenes->steps, m_scenes->passes);
        view.setSteps({}, {});
        view.setSteps(m_scenes->steps, m_scenes->passes);
        QCOMPARE(hub.selection().step, 4);
    }

    void draggingSnapsToSteps()
    {
        SelectionHub hub;
        StepBar bar(hub);
        bar.setSteps(m_scenes->steps);
        bar.resize(900, 72);
        bar.show();
        QVERIFY(QTest::qWaitForWindowExposed(&bar));
        StepTrack *track = bar.track();
        const int y = track->height() / 2;
        QTest::mousePress(track, Qt::LeftButton, {}, QPoint(static_cast<int>(track->geometryOfSteps().xOf(10)) + 8, y));
        QCOMPARE(hub.selection().step, 10);
        QTest::mouseMove(track, QPoint(static_cast<int>(track->geometryOfSteps().xOf(20)) + 8, y));
        QCOMPARE(hub.selection().step, 20);
        QTest::mouseRelease(track, Qt::LeftButton);
    }

    void everyStepHasARegion()
    {
        for (int step = 1; step <= m_scenes->stepCount(); ++step) {
            const StepRegion region = stepRegion(m_scenes->at(step - 1, {}, false), m_scenes->marked(step, false), m_scenes->marks(step));
            const profiler::StepInfo &info = m_scenes->steps[static_cast<std::size_t>(step)];
            QCOMPARE(region.out - region.in, info.nodesAfter - info.nodesBefore);
            QVERIFY2(!region.before.nodes.empty(), info.rewrite.c_str());
            for (const Scene *side : {&region.before, &region.after})
                for (const SceneEdge &edge : side->edges) {
                    QVERIFY(edge.from >= 0 && edge.from < static_cast<int>(side->nodes.size()));
                    QVERIFY(edge.to >= 0 && edge.to < static_cast<int>(side->nodes.size()));
                }
            int dead = 0;
            for (const SceneNode &node : region.before.nodes) dead += node.diff == DiffState::Dead || node.diff == DiffState::Merged;
            QCOMPARE(dead, region.in);
        }
    }

    void equalRewritesInARowAreOneRow()
    {
        std::vector<profiler::StepInfo> steps(2001);
        for (std::size_t i = 1; i < steps.size(); ++i) {
            steps[i].index = static_cast<int>(i);
            steps[i].phase = "merge";
            steps[i].rewrite = i <= 1857 ? "MergeOptimizer" : i % 2 ? "local_fill_sink" : "local_neg_neg";
            steps[i].ns = 10;
            steps[i].nodesBefore = 1;
        }
        SelectionHub hub;
        StepsView view(hub);
        view.resize(304, 600);
        view.setSteps(steps, {});
        const QModelIndex group = view.model()->index(0, 0, view.model()->index(0, 0));
        QCOMPARE(group.data(StepsModel::KindRole).toInt(), static_cast<int>(StepsModel::Kind::Group));
        QCOMPARE(group.data(StepsModel::ChangesRole).toInt(), 1857);
        QCOMPARE(group.siblingAtColumn(StepsModel::TimeColumn).data(StepsModel::SortRole).toInt(), 18570);
        QCOMPARE(group.siblingAtColumn(StepsModel::NodesColumn).data(StepsModel::SortRole).toInt(), -1857);
        QCOMPARE(view.model()->rowCount(group), 1857);
        QCOMPARE(view.model()->rowCount(group.parent()), 1 + 143);
        QCOMPARE(stepRows(*view.model()), 2000);
        // One steps through it closed; opened, each step has its row.
        hub.selectStep(700);
        QCOMPARE(view.tree()->currentIndex(), view.filter()->mapFromSource(group));
        QVERIFY(!view.tree()->isExpanded(view.filter()->mapFromSource(group)));
        view.tree()->expand(view.filter()->mapFromSource(group));
        hub.selectStep(701);
        QCOMPARE(view.tree()->currentIndex().data(StepsModel::StepRole).toInt(), 701);
        // Choosing a closed group goes to its first step.
        view.tree()->collapse(view.filter()->mapFromSource(group));
        hub.selectStep(1900);
        view.tree()->setCurrentIndex(view.filter()->mapFromSource(group));
        QCOMPARE(hub.selection().step, 1);
    }

    void arrowsInTheListGoByChanges()
    {
        SelectionHub hub;
        StepsView view(hub);
        view.setSteps(m_scenes->steps, m_scenes->passes);
        view.show();
        hub.selectStep(5);
        QTest::keyClick(view.tree(), Qt::Key_Right);
        QCOMPARE(hub.selection().step, 6);
        QTest::keyClick(view.tree(), Qt::Key_Left);
        QTest::keyClick(view.tree(), Qt::Key_Left);
        QCOMPARE(hub.selection().step, 4);
    }

    void longNamesGoOnInTheNextLine()
    {
        std::vector<profiler::StepInfo> steps(3);
        steps[1].phase = steps[2].phase = "specialize";
        steps[1].rewrite = "local_useless_crossentropy_softmax_1hot_with_bias_dx_alloc";
        steps[2].rewrite = "local_add";
        SelectionHub hub;
        StepsView view(hub);
        view.resize(304, 600);
        view.setSteps(steps, {});
        view.show();
        view.tree()->expandAll();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        const auto heightOf = [&](int step) {
            return view.tree()->visualRect(view.filter()->mapFromSource(view.model()->indexOfStep(step))).height();
        };
        QVERIFY(heightOf(1) >= 2 * heightOf(2) - 10);
        QVERIFY(heightOf(2) > 0);
    }

    void bothSidesHaveTheSameInputs()
    {
        int constants = 0;
        for (int step = 1; step <= m_scenes->stepCount(); ++step) {
            const StepRegion region = stepRegion(m_scenes->at(step - 1, {}, false), m_scenes->marked(step, false), m_scenes->marks(step));
            QVERIFY2(!region.after.nodes.empty(), m_scenes->steps[static_cast<std::size_t>(step)].rewrite.c_str());
            for (const auto &[side, other] : {std::pair(&region.before, &region.after), std::pair(&region.after, &region.before)})
                for (const SceneNode &node : side->nodes)
                    if (node.kind == SceneKind::Input || node.kind == SceneKind::Shared) QVERIFY(other->find(node.key) >= 0);
            if (m_scenes->steps[static_cast<std::size_t>(step)].rewrite.starts_with("constant_folding"))
                constants += region.after.count(SceneKind::Constant);
        }
        QVERIFY2(constants > 0, "what is computed once is not seen");
    }

    void cardShowsPictureAndReasons()
    {
        StepCard card;
        card.resize(900, 280);
        card.show();
        StepCardContent content;
        int step = 1;
        while (m_scenes->steps[static_cast<std::size_t>(step)].rewrite != "local_dot22_to_ger_or_gemv") ++step;
        content.step = m_scenes->steps[static_cast<std::size_t>(step)];
        for (const profiler::RewriteInfo &rewrite : m_scenes->rewrites)
            if (rewrite.name == content.step.rewrite) content.rewrite = rewrite;
        QVERIFY(content.rewrite);
        content.region = stepRegion(m_scenes->at(step - 1, {}, false), m_scenes->marked(step, false), m_scenes->marks(step));
        card.setContent(content);
        QVERIFY(card.beforeCanvas()->scene().applyCount() > 0);
        QVERIFY(card.afterCanvas()->scene().applyCount() > 0);
        const QString text = StepCard::explanation(content);
        QVERIFY(text.contains(QString::fromStdString(content.rewrite->why).toHtmlEscaped()));
        // The code of the rewrite is named, and a link where the sources are at hand.
        QVERIFY(content.rewrite->code.line > 0);
        const QString file = QString::fromStdString(content.rewrite->code.file);
        QVERIFY2(file.startsWith(QStringLiteral("engine/rewrite/")), qPrintable(file));
        QVERIFY(text.contains(QStringLiteral("%1:%2").arg(file).arg(content.rewrite->code.line)));
        QVERIFY2(text.contains(QStringLiteral("<a href='file:///")), qPrintable(text));
        // What comes from a session is shown, not run as markup.
        content.step.reason = "<script>x</script>";
        QVERIFY(StepCard::explanation(content).contains(QStringLiteral("&lt;script&gt;")));
        card.setEmpty(QStringLiteral("nothing"));
        QVERIFY(!card.grab().isNull());
    }

private:
    std::unique_ptr<profiler::SessionReader> m_reader;
    std::unique_ptr<demo::SessionScenes> m_scenes;
};

QTEST_MAIN(StepsTest)
#include "steps_test.moc"
