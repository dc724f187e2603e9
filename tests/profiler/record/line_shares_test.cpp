// How the time of a fused apply is divided over the lines that it stems from.
#include "engine/compile/function/function.h"
#include "engine/ops/elements/elementwise.h"
#include "engine/text/notation.h"
#include "profiler/record/recorder.h"
#include "profiler/session/store/reader.h"
#include "tests/profiler/session/scratch.h"

#include <gtest/gtest.h>

#include <map>

using namespace profiler;

namespace {

struct Divided {
    std::map<int, double> shares; // by line
    bool estimated = false;
};

// By op of the optimized graph; the lines of `text` count from 1.
std::map<std::string, Divided> sharesOf(const std::string &text, const std::vector<engine::Dims> &shapes)
{
    const Scratch scratch;
    const std::string path = scratch / "s.croton";
    {
        Recorder recorder(path, SessionStart{});
        const engine::ParsedExpression parsed = engine::parseExpression(text);
        engine::FunctionSpec spec;
        for (const engine::VarRef &input : parsed.inputs) spec.inputs.push_back({input});
        spec.outputs = parsed.outputs;
        spec.profile = true;
        const auto function = engine::Function::compile(std::move(spec));
        std::vector<engine::Value> inputs, outputs;
        for (std::size_t i = 0; i < shapes.size(); ++i)
            inputs.emplace_back(engine::Tensor::full(parsed.inputs[i]->type().dtype(), shapes[i], 0.5));
        function->call(inputs, outputs);
        recorder.finish(0);
    }
    const auto reader = SessionReader::open(path);
    const GraphId graph = reader->functions().at(0).graph;
    std::map<std::string, Divided> result;
    for (const ApplyRow &row : reader->graphRows(graph).applies)
        for (const SourceLink &link : reader->graphRows(graph).sources)
            if (row.inOptimized && link.apply == row.apply) {
                Divided &op = result[row.opClass.substr(row.opClass.rfind('.') + 1)];
                op.shares[link.source.line] += link.share;
                op.estimated = op.estimated || link.estimated;
            }
    return result;
}

// The lines of `chain`, the innermost first.
std::string pathOf(const Chains &chains, ChainId chain)
{
    std::string path;
    for (; chains.has(chain); chain = chains.callerOf(chain))
        path += (path.empty() ? "" : " < ") + chains.lineOf(chain).file + ":" + std::to_string(chains.lineOf(chain).line) +
                (chains.functionOf(chain).empty() ? "" : " in " + chains.functionOf(chain));
    return path;
}

TEST(LineShares, areOfEachWayThatLedToALine)
{
    const Scratch scratch;
    const std::string path = scratch / "s.croton";
    {
        Recorder recorder(path, SessionStart{});
        const auto calledFrom = [](int line) { return engine::internTrace({{"net.py", 7, "layer", ""}, {"train.py", line, "", ""}}); };
        const engine::ParsedExpression parsed = engine::parseExpression("x: dvector\nexp(x)");
        engine::VarRef y = parsed.inputs[0], z;
        {
            const engine::ScopedTrace first(calledFrom(20));
            y = engine::elementwise(engine::ScalarCode::GammaLn, {y});
        }
        {
            const engine::ScopedTrace second(calledFrom(21));
            z = engine::neg(y);
        }
        engine::FunctionSpec spec;
        spec.inputs.push_back({parsed.inputs[0]});
        spec.outputs = {z};
        spec.profile = true;
        const auto function = engine::Function::compile(std::move(spec));
        std::vector<engine::Value> inputs, outputs;
        inputs.emplace_back(engine::Tensor::full(engine::DType::Float64, {1000}, 0.5));
        function->call(inputs, outputs);
        recorder.finish(0);
    }
    const auto reader = SessionReader::open(path);
    const GraphRows rows = reader->graphRows(reader->functions().at(0).graph);
    const Chains &chains = *reader->chains();
    for (const ApplyRow &row : rows.applies) {
        const auto own = chainsOf(*rows.chains.of(row.graph), row.apply);
        if (row.inOriginal && !row.inOptimized) {
            ASSERT_EQ(own.size(), 1u) << row.op;
            const int line = row.op.find("neg") != std::string::npos ? 21 : 20;
            EXPECT_EQ(pathOf(chains, own[0].chain), "net.py:7 in layer < train.py:" + std::to_string(line));
            EXPECT_EQ(own[0].share, 1);
        }
        if (!row.inOptimized) continue;
        // Fused: one line, reached by two ways.
        std::vector<SourceLink> lines;
        for (const SourceLink &link : rows.sources)
            if (link.apply == row.apply) lines.push_back(link);
        ASSERT_EQ(lines.size(), 1u) << row.op;
        EXPECT_EQ(lines[0].source, (SourceLine{"net.py", 7}));
        EXPECT_EQ(lines[0].share, 1);
        EXPECT_FALSE(lines[0].estimated);
        ASSERT_EQ(own.size(), 2u) << row.op;
        EXPECT_NEAR(own[0].share + own[1].share, 1, 1e-9);
        const ChainShare &heavy = own[0].share > own[1].share ? own[0] : own[1];
        EXPECT_EQ(pathOf(chains, heavy.chain), "net.py:7 in layer < train.py:20");
    }
}

double sumOf(const Divided &divided)
{
    double sum = 0;
    for (const auto &[line, share] : divided.shares) sum += share;
    return sum;
}

TEST(LineShares, areOfTheCostOfEachStep)
{
    // Of functions far apart, so that a busy machine cannot turn them round.
    const Divided fused = sharesOf("x: dvector\na = gammaln(x)\na + x", {{1000}}).at("Elemwise");
    ASSERT_EQ(fused.shares.size(), 2u);
    EXPECT_TRUE(fused.estimated);
    EXPECT_NEAR(sumOf(fused), 1, 1e-9);
    EXPECT_GT(fused.shares.at(2), 0.6);
    EXPECT_GT(fused.shares.at(3), 0);
    const Divided light = sharesOf("x: dvector\na = exp(x)\na + x", {{1000}}).at("Elemwise");
    EXPECT_NEAR(sumOf(light), 1, 1e-9);
    EXPECT_NE(light.shares.at(2), light.shares.at(3));
}

TEST(LineShares, areWholeForOneLine)
{
    const Divided alone = sharesOf("x: dvector\nexp(x) + x", {{1000}}).at("Elemwise");
    ASSERT_EQ(alone.shares.size(), 1u);
    EXPECT_EQ(alone.shares.at(2), 1);
    EXPECT_FALSE(alone.estimated);
}

TEST(LineShares, ofAFusedReductionKnowItsCombining)
{
    const Divided fused = sharesOf("x: dvector\na = gammaln(x)\nsum(a)", {{1000}}).at("Sum");
    ASSERT_EQ(fused.shares.size(), 2u);
    EXPECT_NEAR(sumOf(fused), 1, 1e-9);
    EXPECT_GT(fused.shares.at(2), fused.shares.at(3));
    EXPECT_GT(fused.shares.at(3), 0);
}

TEST(LineShares, ofAProductAreOfTheWorkAsItWasWritten)
{
    const Divided product = sharesOf("x: dmatrix; w: dvector; y: dvector\np = dot(x, w)\ny + p", {{200, 300}, {300}, {200}}).at("CGemv");
    ASSERT_EQ(product.shares.size(), 2u);
    EXPECT_NEAR(sumOf(product), 1, 1e-9);
    EXPECT_GT(product.shares.at(2), 0.8);
}

TEST(LineShares, chargeMemoryToWhoTouchesItFirst)
{
    const std::vector<engine::Dims> big{{1200, 1000}, {1200, 1000}, {1200, 1000}};
    const Divided fused = sharesOf("x: dmatrix; y: dmatrix; z: dmatrix\na = x + y + z\na * 1.5", big).at("Elemwise");
    ASSERT_EQ(fused.shares.size(), 2u);
    EXPECT_GT(fused.shares.at(2), fused.shares.at(3)); // it reads three arrays, the other line writes one
    EXPECT_GT(fused.shares.at(3), 0.1);
}

TEST(LineShares, ofOneStepForSeveralLinesAreAsTheyWouldCostAlone)
{
    const Divided stable = sharesOf("x: dvector\na = exp(x)\nb = 1 + a\nlog(b)", {{1000}}).at("Elemwise");
    ASSERT_EQ(stable.shares.size(), 3u);
    EXPECT_NEAR(sumOf(stable), 1, 1e-9);
    for (const int line : {2, 3, 4}) EXPECT_GT(stable.shares.at(line), 0);
    EXPECT_NE(stable.shares.at(2), stable.shares.at(3));
}

TEST(LineShares, sayWhichRatesWereMeasured)
{
    const Scratch scratch;
    const std::string path = scratch / "s.croton";
    {
        Recorder recorder(path, SessionStart{});
        const engine::ParsedExpression parsed = engine::parseExpression("x: fvector\na = exp(x)\na + x");
        engine::FunctionSpec spec;
        spec.inputs = {{parsed.inputs[0]}};
        spec.outputs = parsed.outputs;
        const auto function = engine::Function::compile(std::move(spec));
        std::vector<engine::Value> inputs{engine::Tensor::full(engine::DType::Float32, {100}, 0.5)}, outputs;
        function->call(inputs, outputs);
        recorder.finish(0);
    }
    std::map<std::string, double> rates;
    for (const Roof &roof : SessionReader::open(path)->roofs())
        if (roof.unit == "ns") rates[roof.name] = roof.value;
    ASSERT_TRUE(rates.contains("element.exp.float32"));
    EXPECT_GT(rates.at("element.exp.float32"), 0);
    EXPECT_GT(rates.at("element.add.float32.float32"), 0);
}

} // namespace
