#ifndef Q_MOC_RUN // moc 6.4 stumbles over <concepts>
#include "views/profile/functions_panel.h"
#include "views/profile/summary_content.h"
#endif
#include "views/common/selection_hub.h"
#include "views/common/theme.h"
#include "views/profile/functions_view.h"
#include "views/profile/whole_run_bar.h"

#include <QtTest>

using namespace views;

// A function with a loop that holds another loop, and a kernel's body.
static std::shared_ptr<SessionData> loops()
{
    auto session = std::make_shared<SessionData>();
    profiler::FunctionInfo function;
    function.id = profiler::FunctionId{4};
    function.graph = profiler::GraphId{1};
    function.name = "train";
    function.run.calls = 10;
    const auto graph = [&](std::uint32_t id, profiler::GraphId parent, std::uint32_t apply, profiler::GraphKind kind, const char *label) {
        profiler::GraphInfo info;
        info.id = profiler::GraphId{id};
        info.function = function.id;
        info.parentGraph = parent;
        info.parentApply = parent == profiler::kNoGraph ? profiler::kNoApply : profiler::ApplyId{apply};
        info.kind = kind;
        info.label = label;
        info.appliesOptimized = 3;
        session->profile.graphs.push_back(info);
    };
    graph(1, profiler::kNoGraph, 0, profiler::GraphKind::Function, "train");
    graph(2, profiler::GraphId{1}, 7, profiler::GraphKind::Scan, "outer");
    graph(3, profiler::GraphId{1}, 8, profiler::GraphKind::Composite, "body");
    graph(5, profiler::GraphId{2}, 9, profiler::GraphKind::Scan, "inner");
    session->functions = session->profile.functions = {function};
    profiler::ApplyRow apply;
    apply.graph = profiler::GraphId{2};
    apply.apply = profiler::ApplyId{1};
    apply.op = apply.opClass = "dot";
    apply.inOptimized = true;
    session->profile.applies.push_back(apply);
    profiler::ApplyStats stats;
    stats.graph = apply.graph;
    stats.apply = apply.apply;
    stats.calls = 500;
    stats.totalNs = 20'000'000;
    session->profile.stats = {stats};
    session->costs = std::make_shared<const profiler::Costs>(session->profile);
    return session;
}

class FunctionsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void loopsStandBelowTheirFunction()
    {
        const std::vector<FunctionRow> rows = functionRows(*loops());
        QCOMPARE(rows.size(), std::size_t(3));
        QCOMPARE(rows[1].name, QStringLiteral("outer"));
        QCOMPARE(rows[1].depth, 1);
        QCOMPARE(rows[1].graph, std::int64_t(2));
        QCOMPARE(rows[1].parentApply, std::int64_t(7));
        QVERIFY2(rows[1].figure.startsWith("2.0"), qPrintable(rows[1].figure)); // 20 ms in 10 calls
        QCOMPARE(rows[2].name, QStringLiteral("inner"));
        QCOMPARE(rows[2].depth, 2);
    }

    void aFunctionThatIsNamedByItsPlaceIsTheFileAndTheLine()
    {
        SessionData session;
        profiler::FunctionInfo function;
        function.name = "/home/ada/a/long/way/to/the/model.py:158";
        function.location = {"/home/ada/a/long/way/to/the/model.py", 158};
        session.functions = {function};
        function.name = "train";
        session.functions.push_back(function);
        const std::vector<FunctionRow> rows = functionRows(session);
        QCOMPARE(rows[0].name, QStringLiteral("model.py:158"));
        QCOMPARE(rows[1].name, QStringLiteral("train"));
        for (const FunctionRow &row : rows)
            QVERIFY2(row.tip.contains("compiled at /home/ada/a/long/way/to/the/model.py:158"), qPrintable(row.tip));
    }

    void whatRunsInsideHasCostsOfItsOwn()
    {
        const auto session = loops();
        QCOMPARE(session->costs->of(profiler::FunctionId{4})->applies.rows.size(), std::size_t(0));
        const profiler::FunctionCosts *inside = session->costs->ofNested(profiler::GraphId{2});
        QVERIFY(inside);
        QCOMPARE(inside->applies.rows.size(), std::size_t(1));
        QVERIFY(session->costs->find({profiler::GraphId{2}, profiler::ApplyId{1}}));
        QVERIFY(!session->costs->ofNested(profiler::GraphId{3}));
    }

    void evidenceIsAnApplyOfTheFunctionsOwnGraph()
    {
        const auto session = loops();
        const profiler::ProfileData &profile = session->profile;
        const OwnApply own = ownApplyOf(profile, {profiler::GraphId{1}, profiler::ApplyId{3}});
        QCOMPARE(own.function, profiler::FunctionId{4});
        QCOMPARE(own.apply, profiler::ApplyId{3});
        QCOMPARE(ownApplyOf(profile, {profiler::GraphId{5}, profiler::ApplyId{3}}).apply, profiler::ApplyId{7}); // what holds both loops
        QCOMPARE(ownApplyOf(profile, {profiler::GraphId{6}, profiler::ApplyId{3}}).function, profiler::kNoFunction);
    }

    void noWordOfTheWholeRunIsCutOff()
    {
        profiler::WholeRun run;
        run.durationNs = 421'730'000;
        run.callNs = 65'290'000;
        run.compileNs = 138'110'000;
        run.pythonNs = 218'330'000;
        WholeRunBar bar;
        bar.setRun(run);
        // Where two do not fit beside each other each has its line, and the title takes a second one.
        QVERIFY(bar.heightForWidth(240) > bar.heightForWidth(600) + Theme::current().px(18));
        QCOMPARE(bar.heightForWidth(800), bar.heightForWidth(600));
    }

    void choosingOneSelectsItsGraph()
    {
        SelectionHub hub;
        FunctionsView view(hub);
        view.setRows(functionRows(*loops()));
        view.setCurrentIndex(view.model()->index(1, 0));
        QCOMPARE(hub.selection().function, std::int64_t(4));
        QCOMPARE(hub.selection().graph, std::int64_t(2));
        QCOMPARE(hub.selection().parentApply, std::int64_t(7));
        view.setCurrentIndex(view.model()->index(0, 0));
        QCOMPARE(hub.selection().graph, std::int64_t(-1));
        hub.openNested(5, 9);
        QCOMPARE(view.currentIndex().row(), 2);
    }
};

QTEST_MAIN(FunctionsTest)
#include "functions_test.moc"
