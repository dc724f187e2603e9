#include "profiler/record/recorder.h"

#include "engine/compile/function.h"
#include "engine/gradient/gradient.h"
#include "engine/graph/notation.h"
#include "engine/ops/graph_op.h"
#include "profiler/session/reader.h"
#include "profiler/stats/tables.h"
#include "tests/profiler/session/scratch.h"

#include <gtest/gtest.h>

#include <set>

using namespace profiler;

namespace {

engine::Tensor filled(const engine::Dims &shape, double first) {
    engine::Tensor tensor = engine::Tensor::empty(engine::DType::Float64, shape);
    for (std::int64_t i = 0; i < tensor.size(); ++i)
        tensor.as<double>()[i] = first + 0.01 * static_cast<double>(i % 37);
    return tensor;
}

engine::VarRef sharedVector(std::int64_t size, const std::string &name) {
    engine::Tensor value = engine::Tensor::zeros(engine::DType::Float64, {size});
    const engine::Type type = engine::parseType("dvector");
    return engine::Variable::shared(std::make_shared<engine::Container>(engine::Value(value)), type,
                                    name);
}

// A training step of logistic regression on shared w, with its gradient.
engine::FunctionSpec trainingStep(const engine::VarRef &shared) {
    const engine::ParsedExpression parsed = engine::parseExpression(
        "x: dmatrix; y: dvector; w: dvector\n"
        "p = 1 / (1 + exp(-dot(x, w)))\n"
        "cost = mean(-y * log(p) - (1 - y) * log(1 - p)) + 0.01 * sum(w ** 2)\n"
        "cost, p > 0.5");
    engine::FunctionSpec spec;
    spec.name = "train";
    spec.profile = true;
    spec.inputs = {{parsed.inputs[0]}, {parsed.inputs[1]}};
    spec.outputs = parsed.outputs;
    const engine::VarRef w = parsed.inputs[2];
    const engine::VarRef gradient = engine::grad(parsed.outputs[0], std::vector{w}).at(0);
    spec.updates = {{shared, gradient}};
    spec.givens = {{w, shared}};
    return spec;
}

void callOften(engine::Function &function, int times) {
    const std::vector<engine::Value> inputs{filled({20, 7}, -0.1), filled({20}, 0.3)};
    std::vector<engine::Value> outputs;
    for (int i = 0; i < times; ++i)
        function.call(inputs, outputs);
}

class Record : public testing::Test {
protected:
    Record() : m_path(m_scratch / "a.croton"), m_recorder(std::make_unique<Recorder>(m_path, SessionStart{})) {}
    std::unique_ptr<SessionReader> finish() {
        m_recorder->finish(0);
        return SessionReader::open(m_path);
    }
    Scratch m_scratch;
    std::string m_path;
    std::unique_ptr<Recorder> m_recorder;
};

// What both sides know of a graph, as text.
std::string shapeOf(const engine::FunctionGraph &graph) {
    std::string out;
    for (const engine::ApplyId id : graph.liveApplies()) {
        const engine::ApplyNode &node = graph.apply(id);
        out += std::to_string(engine::raw(id)) + " " + node.op->name();
        for (const engine::Use &use : node.inputs)
            out += " " + std::to_string(engine::raw(use.var));
        for (const engine::VarId output : node.outputs)
            out += " ->" + std::to_string(engine::raw(output)) + " '" + graph.name(output) + "'";
        out += '\n';
    }
    for (const engine::VarId output : graph.outputs())
        out += " out" + std::to_string(engine::raw(output));
    return out;
}

std::string shapeOf(const GraphReplica &graph) {
    std::string out;
    for (const ApplyId id : graph.applies()) {
        const ReplicaApply &node = *graph.apply(id);
        out += std::to_string(raw(id)) + " " + graph.text(node.op);
        for (const VariableId input : node.inputs)
            out += " " + std::to_string(raw(input));
        for (const VariableId output : node.outputs)
            out += " ->" + std::to_string(raw(output)) + " '" +
                   graph.text(graph.variable(output)->name) + "'";
        out += '\n';
    }
    for (const VariableId output : graph.outputs())
        out += " out" + std::to_string(raw(output));
    return out;
}

TEST_F(Record, everyStepEqualsTheEnginesOwnGraph) {
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
        dumps.push_back(replica.canonicalDump());
    }
    for (int step = replica.stepCount(); step >= 0; --step) {
        replica.goTo(step);
        ASSERT_EQ(replica.canonicalDump(), dumps[static_cast<std::size_t>(step)]);
    }
    graph.goTo(graph.journal().steps.size());
}

TEST_F(Record, fatesOriginsAndLinesAreComplete) {
    const auto function = engine::Function::compile(trainingStep(sharedVector(7, "w")));
    const auto reader = finish();
    const GraphId graph = reader->functions().at(0).graph;
    std::set<ApplyId> removed;
    std::set<ApplyId> linked;
    for (const LineageRow &row : reader->lineage(graph))
        removed.insert(row.from);
    for (const SourceLink &link : reader->sourceLinks(graph))
        linked.insert(link.apply);
    int optimized = 0;
    for (const ApplyRow &row : reader->applies(graph)) {
        optimized += row.inOptimized ? 1 : 0;
        if (row.inOriginal) {
            EXPECT_EQ(row.fate == Fate::Kept, row.inOptimized) << row.op;
            EXPECT_EQ(removed.contains(row.apply), !row.inOptimized) << row.op;
        }
    }
    EXPECT_EQ(optimized, static_cast<int>(function->order().size()));
    EXPECT_FALSE(linked.empty());
}

TEST_F(Record, callsAndTimesAgreeWithTheTables) {
    const auto function = engine::Function::compile(trainingStep(sharedVector(7, "w")));
    callOften(*function, 40);
    const auto reader = finish();
    const ProfileData data = loadProfile(*reader);
    EXPECT_EQ(data.functions.at(0).run.calls, 40);
    const Table applies = makeTable(data, TableKind::Apply);
    EXPECT_EQ(applies.applies, data.functions[0].appliesOptimized);
    EXPECT_GT(applies.totalNs, 0);
    EXPECT_LE(applies.totalNs, data.functions[0].run.totalNs);
    for (const TableRow &row : applies.rows)
        EXPECT_EQ(row.calls, 40) << row.name;
    EXPECT_EQ(reader->events(0, INT64_MAX, 1000).size(), 40u);
    EXPECT_EQ(reader->plans(FunctionId{raw(data.functions[0].id)}).size(), 1u);
    EXPECT_FALSE(reader->buffers(data.functions[0].id).empty());
    EXPECT_FALSE(reader->rewrites().empty());
}

TEST_F(Record, aDroppedFunctionKeepsItsLastNumbers) {
    {
        const auto function = engine::Function::compile(trainingStep(sharedVector(7, "w")));
        callOften(*function, 3);
    }
    const auto reader = finish();
    EXPECT_EQ(reader->functions().at(0).run.calls, 3);
    EXPECT_FALSE(reader->applyStats().empty());
}

TEST_F(Record, nestedGraphsNameTheirParent) {
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
    const auto reader = finish();
    ASSERT_EQ(reader->functions().size(), 1u);
    bool found = false;
    for (const GraphInfo &graph : reader->graphs()) {
        GraphReplica replica = reader->replica(graph.id);
        replica.goTo(replica.stepCount());
        if (graph.kind != GraphKind::OpFromGraph)
            continue;
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

TEST_F(Record, failuresAreMessages) {
    const auto function = engine::Function::compile(trainingStep(sharedVector(7, "w")));
    std::vector<engine::Value> outputs;
    EXPECT_THROW(function->call(std::vector<engine::Value>{filled({20, 3}, 0), filled({20}, 0)},
                                outputs),
                 std::exception);
    const auto reader = finish();
    const std::vector<Message> messages = reader->messages();
    ASSERT_FALSE(messages.empty());
    EXPECT_EQ(messages.back().severity, Severity::Error);
    EXPECT_EQ(reader->info().state, SessionState::Finished);
}

} // namespace
