#include "profiler/record/recorder.h"

#include "engine/graph/op/op_card.h"
#include "engine/ops/elements/elementwise.h"
#include "engine/ops/index/index_advanced.h"
#include "engine/ops/loops/graph_op.h"
#include "engine/ops/reductions/reduce.h"
#include "engine/text/notation.h"
#include "profiler/session/model/names.h"
#include "profiler/stats/times/tables.h"
#include "tests/profiler/record/training.h"
#include "tests/profiler/session/dump.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

using namespace profiler;

namespace {

// What both sides know of a graph, as text.
std::string shapeOf(const engine::FunctionGraph &graph)
{
    std::string out;
    for (const engine::ApplyId id : graph.liveApplies()) {
        const engine::ApplyNode &node = graph.apply(id);
        out += std::to_string(engine::raw(id)) + " " + node.op->name();
        for (const engine::Use &use : node.inputs) out += " " + std::to_string(engine::raw(use.var));
        for (const engine::VarId output : node.outputs)
            out += " ->" + std::to_string(engine::raw(output)) + " '" + graph.name(output) + "'";
        out += '\n';
    }
    for (const engine::VarId output : graph.outputs()) out += " out" + std::to_string(engine::raw(output));
    return out;
}

std::string shapeOf(const GraphReplica &graph)
{
    std::string out;
    for (const ApplyId id : graph.applies()) {
        const ReplicaApply &node = *graph.apply(id);
        out += std::to_string(raw(id)) + " " + graph.text(node.op);
        for (const VariableId input : node.inputs) out += " " + std::to_string(raw(input));
        for (const VariableId output : node.outputs)
            out += " ->" + std::to_string(raw(output)) + " '" + graph.text(graph.variable(output)->name) + "'";
        out += '\n';
    }
    for (const VariableId output : graph.outputs()) out += " out" + std::to_string(raw(output));
    return out;
}

TEST_F(Record, everyStepEqualsTheEnginesOwnGraph)
{
    const engine::VarRef w = sharedVector(7, "w");
    const auto function = engine::Function::compile(trainingStep(w));
    const auto reader = finish();
    const FunctionInfo info = reader->functions().at(0);
    EXPECT_EQ(info.name, "train");
    EXPECT_EQ(info.state, "ready");
    GraphReplica replica = reader->replica(info.graph);
    // The journal of a compiled function is walked here to compare; it is put back at the end.
    auto &graph = const_cast<engine::FunctionGraph &>(function->graph());
    ASSERT_EQ(replica.stepCount(), static_cast<int>(graph.journal().steps.size()));
    ASSERT_GT(replica.stepCount(), 0);
    std::vector<std::string> dumps;
    for (int step = 0; step <= replica.stepCount(); ++step) {
        replica.goTo(step);
        graph.goTo(static_cast<std::size_t>(step));
        ASSERT_EQ(shapeOf(replica), shapeOf(graph)) << "step " << step;
        dumps.push_back(canonicalDump(replica));
    }
    for (int step = replica.stepCount(); step >= 0; --step) {
        replica.goTo(step);
        ASSERT_EQ(canonicalDump(replica), dumps[static_cast<std::size_t>(step)]);
    }
    graph.goTo(graph.journal().steps.size());
}

TEST_F(Record, passesSayTheirKindTheirSweepsAndWhatValidatingTook)
{
    const auto function = engine::Function::compile(trainingStep(sharedVector(7, "w")));
    const auto reader = finish();
    std::set<std::string> kinds;
    std::int64_t validated = 0;
    for (const PassInfo &pass : reader->graphRows(reader->functions().at(0).graph).passes) {
        kinds.insert(pass.kind);
        validated += pass.validateNs;
        EXPECT_EQ(pass.iteration > 0, pass.kind == "equilibrium") << pass.name;
        EXPECT_LE(pass.validateNs, pass.ns);
        EXPECT_TRUE(pass.validateNs == 0 || pass.phase == "inplace") << pass.name;
    }
    EXPECT_EQ(kinds, (std::set<std::string>{"equilibrium", "global"}));
    EXPECT_GT(validated, 0);
    EXPECT_EQ(reader->functions().at(0).compile.validateNs, validated);
    for (const RewriteInfo &rewrite : reader->rewrites()) EXPECT_FALSE(rewrite.code.file.empty() || rewrite.code.line == 0) << rewrite.name;
}

TEST_F(Record, fatesOriginsAndLinesAreComplete)
{
    const auto function = engine::Function::compile(trainingStep(sharedVector(7, "w")));
    const auto reader = finish();
    const GraphId graph = reader->functions().at(0).graph;
    std::set<ApplyId> removed;
    std::set<ApplyId> linked;
    for (const LineageRow &row : lineageOf(reader->graphRows(graph).steps)) removed.insert(row.from);
    for (const SourceLink &link : reader->graphRows(graph).sources) linked.insert(link.apply);
    int optimized = 0;
    for (const ApplyRow &row : reader->graphRows(graph).applies) {
        optimized += row.inOptimized ? 1 : 0;
        if (row.inOriginal) {
            EXPECT_EQ(row.fate == Fate::Kept, row.inOptimized) << row.op;
            EXPECT_EQ(removed.contains(row.apply), !row.inOptimized) << row.op;
        }
    }
    EXPECT_EQ(optimized, static_cast<int>(function->order().size()));
    EXPECT_FALSE(linked.empty());
}

// Cards name the roles; a session has the same words for them, and what is older than roles finds most of them by the class.
TEST_F(Record, theRolesOfOpsAreKept)
{
    for (const char *role : engine::kRoleNames) EXPECT_STREQ(nameOf(valueOf<OpRole>(role)), role);
    const auto function = engine::Function::compile(trainingStep(sharedVector(7, "w")));
    const auto reader = finish();
    std::set<OpRole> roles;
    for (const ApplyRow &row : reader->graphRows(reader->functions().at(0).graph).applies) {
        roles.insert(row.role);
        EXPECT_EQ(roleOfClass(row.opClass.str()), row.role) << row.opClass;
    }
    EXPECT_TRUE(roles.contains(OpRole::Elementwise));
    EXPECT_TRUE(roles.contains(OpRole::Product) || roles.contains(OpRole::Reduction));
    EXPECT_FALSE(roles.contains(OpRole::Unknown));
}

// Classes that are newer than roles are not in the table, so that it never grows.
TEST_F(Record, theRolesOfOlderFilesAreThoseOfTheCards)
{
    std::string wrong;
    int known = 0;
    for (const engine::OpCard *card : engine::allCards())
        for (const std::string_view name : card->classes) {
            const OpRole role = roleOfClass(name);
            known += role != OpRole::Other;
            if (role != OpRole::Other && std::string_view(nameOf(role)) != engine::nameOf(card->role))
                wrong += std::string(name) + ": " + engine::nameOf(card->role) + ", by class " + nameOf(role) + "\n";
        }
    EXPECT_EQ(wrong, "");
    EXPECT_GT(known, 60);
    for (const char *name :
         {"theano.tensor.nnet.nnet.CrossentropySoftmaxArgmax1HotWithBias", "GpuContiguous", "theano.tensor.basic.ExtractDiag"})
        EXPECT_NE(roleOfClass(name), OpRole::Other) << name;
}

TEST_F(Record, callsAndTimesAgreeWithTheTables)
{
    const auto function = engine::Function::compile(trainingStep(sharedVector(7, "w")));
    callOften(*function, 40);
    const auto reader = finish();
    const ProfileData data = loadProfile(*reader);
    EXPECT_EQ(data.functions.at(0).run.calls, 40);
    const Table applies = makeTable(data, TableKind::Apply);
    EXPECT_EQ(applies.applies, data.functions[0].appliesOptimized);
    EXPECT_GT(applies.totalNs, 0);
    EXPECT_LE(applies.totalNs, data.functions[0].run.totalNs);
    for (const TableRow &row : applies.rows) EXPECT_EQ(row.calls, 40) << row.name;
    std::size_t calls = 0;
    for (const Event &event : reader->events()) calls += event.kind == EventKind::Call;
    EXPECT_EQ(calls, 40u);
    EXPECT_EQ(reader->plans(FunctionId{raw(data.functions[0].id)}).size(), 1u);
    EXPECT_FALSE(reader->buffers(data.functions[0].id).empty());
    EXPECT_FALSE(reader->rewrites().empty());
}

TEST_F(Record, aDroppedFunctionKeepsItsLastNumbers)
{
    {
        const auto function = engine::Function::compile(trainingStep(sharedVector(7, "w")));
        callOften(*function, 3);
    }
    const auto reader = finish();
    EXPECT_EQ(reader->functions().at(0).run.calls, 3);
    EXPECT_FALSE(reader->applyStats().empty());
}

TEST_F(Record, nestedGraphsNameTheirParent)
{
    const engine::ParsedExpression inner = engine::parseExpression("a: dvector; tanh(a) * a");
    const engine::OpRef op = engine::opFromGraph(inner.inputs, inner.outputs, "inner");
    const engine::ParsedExpression outer = engine::parseExpression("v: dvector; exp(v)");
    engine::FunctionSpec spec;
    spec.name = "outer";
    spec.profile = true;
    spec.inputs = {{outer.inputs[0]}};
    spec.outputs = {engine::apply(op, {outer.outputs[0]})};
    const auto function = engine::Function::compile(spec);
    std::vector<engine::Value> outputs;
    function->call(std::vector<engine::Value>{filled({5}, 1)}, outputs);
    const std::size_t measured = function->statistics().callPeakBytes;
    const auto reader = finish();
    ASSERT_EQ(reader->functions().size(), 1u);
    // What the function inside did does not stand for the function itself.
    const std::vector<PlanInfo> plans = reader->plans(reader->functions()[0].id);
    ASSERT_EQ(plans.size(), 1u);
    EXPECT_EQ(plans[0].measuredPeakBytes, static_cast<std::int64_t>(measured));
    EXPECT_EQ(plans[0].uses, 1);
    for (const PlanItem &item : reader->planItems(reader->functions()[0].id)) EXPECT_EQ(item.graph, reader->functions()[0].graph);
    bool found = false;
    for (const GraphInfo &graph : reader->graphs()) {
        GraphReplica replica = reader->replica(graph.id);
        replica.goTo(replica.stepCount());
        if (graph.kind != GraphKind::OpFromGraph) continue;
        found = true;
        EXPECT_EQ(graph.parentGraph, reader->functions()[0].graph);
        EXPECT_EQ(graph.function, reader->functions()[0].id);
        GraphReplica parent = reader->replica(graph.parentGraph);
        parent.goTo(parent.stepCount());
        ASSERT_NE(parent.apply(graph.parentApply), nullptr);
        EXPECT_TRUE(parent.apply(graph.parentApply)->live);
    }
    EXPECT_TRUE(found);
}

TEST_F(Record, costsCountTheBytesOfEachDtype)
{
    const engine::ParsedExpression parsed = engine::parseExpression("x: fmatrix; y: dmatrix; sum(exp(x), axis=1), y[0], sort(x)");
    engine::FunctionSpec spec;
    spec.mode = engine::Mode::named("None"); // as it is written
    spec.profile = true;
    for (const engine::VarRef &input : parsed.inputs) spec.inputs.push_back({input});
    spec.outputs = parsed.outputs;
    const auto function = engine::Function::compile(spec);
    std::vector<engine::Value> outputs;
    const engine::Tensor x = engine::Tensor::full(engine::DType::Float32, {30, 20}, 1);
    function->call(std::vector<engine::Value>{x, filled({6, 5}, 1)}, outputs);
    const auto reader = finish();
    std::map<std::string, std::pair<double, double>> costs;
    for (const ApplyRow &row : reader->graphRows(reader->functions().at(0).graph).applies)
        costs[row.opClass.substr(row.opClass.rfind('.') + 1)] = {row.flops, row.costBytes};
    EXPECT_EQ(costs["Elemwise"].second, 4 * (600 + 600));
    EXPECT_EQ(costs["Sum"], std::pair(600.0, 4.0 * (600 + 30)));
    EXPECT_EQ(costs["Subtensor"], std::pair(0.0, 0.0));     // a view
    EXPECT_EQ(costs["SortOp"].second, 4 * (600 + 600) + 1); // and the axis, an int8
}

TEST_F(Record, failuresAreMessages)
{
    const auto function = engine::Function::compile(trainingStep(sharedVector(7, "w")));
    std::vector<engine::Value> outputs;
    EXPECT_THROW(function->call(std::vector<engine::Value>{filled({20, 3}, 0), filled({20}, 0)}, outputs), std::exception);
    const auto reader = finish();
    const std::vector<Message> messages = reader->messages();
    ASSERT_FALSE(messages.empty());
    EXPECT_EQ(messages.back().severity, Severity::Error);
    EXPECT_EQ(reader->info().state, SessionState::Finished);
}

TEST_F(Record, singleCallsHaveASpread)
{
    const auto function = engine::Function::compile(trainingStep(sharedVector(7, "w")));
    callOften(*function, 200);
    const auto reader = finish();
    const ProfileData data = loadProfile(*reader);
    for (const TableRow &row : makeTable(data, TableKind::Apply).rows) {
        EXPECT_GT(row.medianNs, 0) << row.name;
        EXPECT_LE(row.medianNs, row.p95Ns) << row.name;
        EXPECT_LE(row.p95Ns, row.p99Ns) << row.name;
        EXPECT_LE(row.p99Ns, 1.2 * static_cast<double>(row.maxNs) + 2) << row.name;
        EXPECT_GT(row.deviationNs, 0) << row.name;
    }
    std::int64_t fromHistograms = 0;
    std::int64_t fromCounts = 0;
    for (const ApplyStats &stats : reader->applyStats()) {
        fromHistograms += static_cast<std::int64_t>(stats.histogram.count());
        fromCounts += stats.calls;
    }
    EXPECT_EQ(fromHistograms, fromCounts);
}

TEST_F(Record, tracedCallsShowTheirAppliesInOrder)
{
    const auto function = engine::Function::compile(trainingStep(sharedVector(7, "w")));
    callOften(*function, 1000);
    const auto reader = finish();
    std::map<std::int64_t, std::vector<Event>> byCall;
    std::map<std::int64_t, Event> calls;
    for (const Event &event : reader->events())
        if (event.kind == EventKind::Apply) byCall[event.call].push_back(event);
        else if (event.kind == EventKind::Call) calls[event.call] = event;
    EXPECT_GT(byCall.size(), 100u);
    EXPECT_LT(byCall.size(), 500u); // a sample
    EXPECT_TRUE(byCall.contains(0));
    for (const auto &[call, applies] : byCall) {
        ASSERT_EQ(applies.size(), function->order().size());
        for (std::size_t i = 0; i < applies.size(); ++i) {
            EXPECT_EQ(raw(applies[i].apply), engine::raw(function->order()[i]));
            if (i > 0) {
                EXPECT_GE(applies[i].startNs, applies[i - 1].startNs);
            }
            // The clock of the calls and that of their applies are one: they lie inside to a few microseconds.
            EXPECT_GE(applies[i].startNs + 5'000, calls.at(call).startNs);
            EXPECT_LE(applies[i].startNs + applies[i].durationNs, calls.at(call).startNs + calls.at(call).durationNs + 5'000);
        }
    }
}

TEST_F(Record, warmUpIsApartFromTheSteadyState)
{
    m_recorder.reset();
    RecordOptions options;
    options.warmUpCalls = 15;
    m_recorder = std::make_unique<Recorder>(m_path, SessionStart{}, WriterOptions{}, options);
    engine::FunctionSpec spec = trainingStep(sharedVector(7, "w"));
    spec.mode = engine::Mode::named("FAST_COMPILE"); // nothing is compiled, nothing is swapped
    const auto function = engine::Function::compile(std::move(spec));
    callOften(*function, 40);
    const auto reader = finish();
    const ProfileData data = loadProfile(*reader);
    EXPECT_EQ(data.functions[0].run.warmupCalls, 15);
    for (const TableRow &row : makeTable(data, TableKind::Apply, {{}, true}).rows) EXPECT_EQ(row.calls, 25) << row.name;
    for (const Event &event : reader->steadySamples(reader->functions())) EXPECT_GE(event.call, 15);
}

TEST_F(Record, everyPlanOfAFunctionIsKept)
{
    const auto function = engine::Function::compile(trainingStep(sharedVector(7, "w")));
    std::vector<engine::Value> outputs;
    for (const std::int64_t rows : {20, 40, 20, 60, 20})
        function->call(std::vector<engine::Value>{filled({rows, 7}, -0.1), filled({rows}, 0.3)}, outputs);
    const auto reader = finish();
    const FunctionId id = reader->functions().at(0).id;
    const std::vector<PlanInfo> plans = reader->plans(id);
    ASSERT_EQ(plans.size(), 3u);
    EXPECT_EQ(plans[0].uses, 3);
    EXPECT_EQ(plans[1].uses, 1);
    EXPECT_NE(plans[0].key, plans[1].key);
    const ProfileData data = loadProfile(*reader);
    EXPECT_EQ(mainPlan(data, id).plan, 0);
    EXPECT_LT(plans[0].peakBytes, plans[2].peakBytes);
    for (const PlanItem &item : reader->planItems(id)) EXPECT_GE(item.prepareNs, 0);
}

// Bytes live by the allocator against what the plan says: the same to 5% where arrays are larger than their alignment.
TEST_F(Record, plannedAndMeasuredPeakAgree)
{
    const auto function = engine::Function::compile(trainingStep(sharedVector(70, "w")));
    const std::vector<engine::Value> inputs{filled({3000, 70}, -0.1), filled({3000}, 0.3)};
    std::vector<engine::Value> outputs;
    for (int i = 0; i < 5; ++i) {
        outputs.clear();
        function->call(inputs, outputs);
    }
    const auto reader = finish();
    const PlanInfo plan = reader->plans(reader->functions().at(0).id).at(0);
    ASSERT_GT(plan.peakBytes, 50'000);
    EXPECT_NEAR(static_cast<double>(plan.measuredPeakBytes), static_cast<double>(plan.peakBytes),
                0.05 * static_cast<double>(plan.peakBytes));
}

// Rows where y is positive, worked on where their number is known only after the places were found.
std::shared_ptr<engine::Function> ofChosenRows()
{
    const engine::ParsedExpression parsed = engine::parseExpression("x: dmatrix; y: dvector\n"
                                                                    "exp(x) * x, y > 0");
    const engine::VarRef rows = engine::nonzero(parsed.outputs[1])[0];
    const engine::VarRef part = engine::subtensor(parsed.outputs[0], std::vector{engine::IndexItem::array(rows)});
    engine::FunctionSpec spec;
    spec.profile = true;
    spec.inputs = {{parsed.inputs[0]}, {parsed.inputs[1]}};
    spec.outputs = {engine::sum(engine::mul(part, engine::exp(part)), {{1}})};
    return engine::Function::compile(std::move(spec));
}

TEST_F(Record, stagesOfAFunctionAreOnePlan)
{
    const auto function = ofChosenRows();
    ASSERT_EQ(function->stageCount(), 2u);
    std::vector<engine::Value> outputs;
    for (const double first : {-0.1, -0.1, -0.2, -0.1})
        function->call(std::vector<engine::Value>{filled({100, 70}, -0.1), filled({100}, first)}, outputs);
    const std::size_t applies = function->order().size();
    const auto reader = finish();
    const FunctionId id = reader->functions().at(0).id;
    const std::vector<PlanInfo> plans = reader->plans(id);
    EXPECT_EQ(reader->functions().at(0).stages, 2);
    ASSERT_EQ(plans.size(), 2u); // two numbers of chosen rows
    EXPECT_EQ(plans[0].uses, 3);
    EXPECT_EQ(plans[1].uses, 1);
    EXPECT_NE(plans[0].key, plans[1].key);
    EXPECT_GT(plans[0].peakBytes, plans[1].peakBytes);
    const ProfileData data = loadProfile(*reader);
    for (const PlanItem &item : reader->planItems(id)) EXPECT_LT(item.position, static_cast<int>(applies));
    EXPECT_EQ(reader->planItems(id).size(), 2 * applies);
    int made = 0;
    for (const BufferRow &row : data.buffers) {
        EXPECT_LE(row.from, row.to);
        EXPECT_LT(row.to, static_cast<int>(applies));
        made += row.plan == 0 && row.apply != kNoApply;
    }
    EXPECT_EQ(made, static_cast<int>(applies)); // each has one output
    for (const TableRow &row : makeTable(data, TableKind::Apply, {{}, false}).rows) EXPECT_EQ(row.calls, 4) << row.name;
}

TEST_F(Record, plannedAndMeasuredPeakOfStagesAgree)
{
    const auto function = ofChosenRows();
    std::vector<engine::Value> outputs;
    const std::vector<engine::Value> inputs{filled({3000, 70}, -0.1), filled({3000}, -0.1)};
    for (int i = 0; i < 5; ++i) {
        outputs.clear();
        function->call(inputs, outputs);
    }
    const auto reader = finish();
    const PlanInfo plan = reader->plans(reader->functions().at(0).id).at(0);
    ASSERT_GT(plan.peakBytes, 1'000'000);
    EXPECT_NEAR(static_cast<double>(plan.measuredPeakBytes), static_cast<double>(plan.peakBytes),
                0.05 * static_cast<double>(plan.peakBytes));
}

TEST_F(Record, memoryEventsFollowTheAllocator)
{
    const auto function = engine::Function::compile(trainingStep(sharedVector(7, "w")));
    callOften(*function, 20);
    const auto reader = finish();
    const std::vector<MemoryEvent> events = reader->memoryEvents();
    ASSERT_GT(events.size(), 10u);
    for (std::size_t i = 1; i < events.size(); ++i) {
        EXPECT_GE(events[i].liveBytes, 0);
        if (i < 100) { // all of the first are kept
            EXPECT_EQ(events[i].liveBytes, events[i - 1].liveBytes + events[i].deltaBytes) << i;
        }
    }
}

TEST_F(Record, whatWasTriedAndDeclinedIsCounted)
{
    const auto function = engine::Function::compile(trainingStep(sharedVector(7, "w")));
    const auto reader = finish();
    const std::vector<RewriteCount> counts = reader->graphRows(reader->functions().at(0).graph).rewriteCounts;
    ASSERT_FALSE(counts.empty());
    std::int64_t applied = 0;
    std::int64_t declined = 0;
    for (const RewriteCount &count : counts) {
        EXPECT_GE(count.tried, count.applied);
        applied += count.applied;
        declined += count.declined;
    }
    EXPECT_GT(applied, 0);
    EXPECT_GT(declined, 0);
    const std::vector<ApplyInput> inputs = reader->graphRows().inputs;
    std::size_t expected = 0;
    for (const engine::ApplyId id : function->order()) expected += function->graph().apply(id).inputs.size();
    std::size_t found = 0;
    for (const ApplyInput &input : inputs) found += input.graph == reader->functions().at(0).graph;
    EXPECT_EQ(found, expected);
}

TEST_F(Record, onlyThoseThatAskedWhenOthersAreLeftAlone)
{
    m_recorder.reset();
    RecordOptions options;
    options.onlyProfiled = true;
    m_recorder = std::make_unique<Recorder>(m_path, SessionStart{}, WriterOptions{}, options);
    engine::FunctionSpec silent = trainingStep(sharedVector(7, "w"));
    silent.profile = false;
    const auto first = engine::Function::compile(std::move(silent));
    const auto second = engine::Function::compile(trainingStep(sharedVector(7, "w")));
    callOften(*first, 3);
    callOften(*second, 3);
    EXPECT_FALSE(first->statistics().perApply);
    m_recorder->setMessage(second->id(), "the second one");
    const auto reader = finish();
    ASSERT_EQ(reader->functions().size(), 1u);
    EXPECT_EQ(reader->functions()[0].message, "the second one");
}

} // namespace
