#include "profiler/session/store/reader.h"
#include "tests/app/cli/program.h"
#include "tests/profiler/session/scratch.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <filesystem>

using profiler::Scratch;

namespace {

class Expr : public testing::Test {
protected:
    app::Result expr(std::vector<std::string> words)
    {
        words.insert(words.begin(), {CROTON_PROGRAM, "expr"});
        return app::run(words, m_scratch / ".");
    }
    Scratch m_scratch;
};

bool has(const std::string &text, const std::string &part) { return text.find(part) != std::string::npos; }

TEST_F(Expr, showsBothGraphsTheRewritesAndTheValue)
{
    const app::Result result = expr({"x: fmatrix; y = log(1 + exp(x)); sum(y, axis=0)", "--values", "x = [[0, 0], [0, 0]]"});
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_TRUE(has(result.out, "Original: 5 applies\n  sum(log((1 + exp(x))), axis=0)\n")) << result.out;
    EXPECT_TRUE(has(result.out, "local_log1p"));
    EXPECT_TRUE(has(result.out, "Optimized: "));
    EXPECT_FALSE(has(result.out.substr(result.out.find("Optimized: ")), "Elemwise{log,no_inplace}"));
    EXPECT_TRUE(has(result.out, "Value for x: float32 (2, 2)\n  [1.3862944 1.3862944]  float32 (2,)\n")) << result.out;
}

TEST_F(Expr, errorsPointAtTheColumn)
{
    const app::Result result = expr({"x: fmatrix\ny = foo(x) + 1"});
    EXPECT_EQ(result.status, 1);
    EXPECT_EQ(result.out, "");
    EXPECT_EQ(result.err.rfind("    y = foo(x) + 1\n        ^\ncroton: line 2, column 5: there is no function foo", 0), 0u) << result.err;
    const app::Result wide = expr({"'é' + $"});
    EXPECT_EQ(wide.err.rfind("    'é' + $\n          ^\n", 0), 0u) << wide.err;
    const app::Result types = expr({"x: zmatrix; sqr(x) + (x < 2)"});
    EXPECT_TRUE(has(types.err, "croton: column 25: ")) << types.err;
    const app::Result end = expr({"x + "});
    EXPECT_EQ(end.err.rfind("    x + \n        ^\n", 0), 0u) << end.err;
}

TEST_F(Expr, debugModeChecksWhatItRuns)
{
    const app::Result wrong = expr({"x: dvector; log(x)", "--values", "x = [-1, 2]", "--mode", "DebugMode", "-o", m_scratch / "s.croton"});
    EXPECT_EQ(wrong.status, 1);
    EXPECT_TRUE(has(wrong.err, "croton: Elemwise{log,no_inplace}(x) gave values that are not finite: shape (2,), dtype float64, 1 of 2"))
        << wrong.err;
    const auto reader = profiler::SessionReader::open(m_scratch / "s.croton");
    const auto checks = reader->checks();
    ASSERT_EQ(checks.size(), 1u);
    EXPECT_EQ(checks[0].kind, "nan");
    EXPECT_FALSE(checks[0].passed);
    EXPECT_NE(checks[0].apply, profiler::kNoApply);
    EXPECT_EQ(expr({"x: dvector; log(1 + exp(x))", "--mode", "DebugMode"}).status, 0);
}

TEST_F(Expr, wrongWordsEndWithTwo)
{
    EXPECT_EQ(expr({}).status, 2);
    EXPECT_EQ(expr({"x", "y"}).status, 2);
    EXPECT_EQ(expr({"x", "--format", "png"}).status, 2);
    EXPECT_EQ(expr({"x", "--floatX", "int8"}).status, 2);
    EXPECT_EQ(expr({"x", "--mode", "SLOW"}).status, 2);
    EXPECT_EQ(expr({"x", "--run", "0"}).status, 2);
    EXPECT_EQ(expr({"x", "--values", "x"}).status, 2);
    EXPECT_EQ(expr({"x", "--shapes", "x=3xx"}).status, 2);
    EXPECT_EQ(expr({"x", "-o", "out.txt"}).status, 2);
}

TEST_F(Expr, valuesAreChecked)
{
    EXPECT_TRUE(has(expr({"x + 1", "--values", "y = 2"}).err, "the expression has no input y"));
    EXPECT_TRUE(has(expr({"x + 1", "--values", "x = 2"}).err, "x has 2 dimensions, the value has 0"));
    EXPECT_TRUE(has(expr({"i: lvector; i + 1", "--values", "i = [1.5]"}).err, "i is int64, the value has fractions"));
    EXPECT_TRUE(has(expr({"x: float64[3]; x", "--values", "x = [1, 2]"}).err, "axis 0 of x has size 3, the value has 2"));
    EXPECT_TRUE(
        has(expr({"x: dvector; x", "--values", "x = [1, $]"}).err, "the value of x: the character '$' has no meaning here (column 5"));
    EXPECT_TRUE(has(expr({"x: dvector; x", "--values", "x = y"}).err, "the value of x may not use y"));
    EXPECT_TRUE(has(expr({"x: float64[3]; x", "--shapes", "x = 4"}).err, "axis 0 of x has size 3"));
    EXPECT_EQ(expr({"x: dmatrix; x.sum(axis=0)", "--shapes", "x = 2x0"}).status, 0);
    EXPECT_TRUE(has(expr({"x: dvector; x", "--values", "x = alloc(0.5, 3)"}).out, "[0.5 0.5 0.5]"));
}

TEST_F(Expr, randomInputsAreReproducible)
{
    const std::string first = expr({"x * 1", "--seed", "7"}).out;
    EXPECT_EQ(first.substr(first.find("Value")), [&] {
        const std::string second = expr({"x * 1", "--seed", "7"}).out;
        return second.substr(second.find("Value"));
    }());
    const std::string other = expr({"x * 1", "--seed", "8"}).out;
    EXPECT_NE(first.substr(first.find("Value")), other.substr(other.find("Value")));
}

TEST_F(Expr, formats)
{
    const std::string text = "x: dvector; exp(x) * 2";
    EXPECT_EQ(expr({text, "--format", "pp"}).out, "(exp(x) * 2)\n");
    EXPECT_TRUE(has(expr({text, "--format", "text"}).out, "Elemwise{mul,no_inplace} [id A]"));
    EXPECT_EQ(expr({text, "--format", "dot"}).out.rfind("digraph", 0), 0u);
    const nlohmann::json document = nlohmann::json::parse(expr({text, "--format", "json"}).out);
    EXPECT_EQ(document.at("format"), "croton-graph");
    EXPECT_EQ(document.at("applies").size(), 3u);
    const std::string file = m_scratch / "graph.dot";
    EXPECT_EQ(expr({text, "--format", "dot", "-o", file}).out, "");
    EXPECT_EQ(app::readFile(file).rfind("digraph", 0), 0u);
}

TEST_F(Expr, aMissingGraphvizIsOneSentence)
{
    const app::Result result = app::run({CROTON_PROGRAM, "expr", "x + 1", "--format", "svg"}, m_scratch / ".", {"PATH=/nonexistent"});
    EXPECT_EQ(result.status, 1);
    EXPECT_EQ(result.err, "croton: SVG needs the program dot (install graphviz, or use --format dot)\n");
}

TEST_F(Expr, jsonHoldsEverything)
{
    const app::Result result = expr({"x: fmatrix; log(1 + exp(x)), sum(x)", "--values", "x = [[0]]", "--json"});
    ASSERT_EQ(result.status, 0) << result.err;
    const nlohmann::json all = nlohmann::json::parse(result.out);
    EXPECT_EQ(all.at("original").at("applies"), 5);
    EXPECT_GE(all.at("steps").size(), 1u);
    EXPECT_EQ(all.at("optimized").at("graph").at("version"), 1);
    EXPECT_NEAR(all.at("values").at(0).at("data").at(0).get<double>(), std::log(2.0), 1e-6);
    EXPECT_EQ(all.at("inputs").at(0).at("name"), "x");
}

TEST_F(Expr, recordsASession)
{
    const std::string path = m_scratch / "s.croton";
    const app::Result result = expr({"y = exp(x)\nlog(1 + y)", "-o", path, "--run", "5"});
    ASSERT_EQ(result.status, 0) << result.err;
    EXPECT_TRUE(has(result.out, "5 calls: "));
    const app::Result graph = app::run({CROTON_PROGRAM, "graph", path, "--stage", "original"}, m_scratch / ".");
    EXPECT_EQ(graph.status, 0) << graph.err;
    EXPECT_TRUE(has(graph.out, "Elemwise{log,no_inplace}"));
    EXPECT_TRUE(has(app::run({CROTON_PROGRAM, "report", path}, m_scratch / ".").out, "Time in 5 calls"));
}

TEST_F(Expr, readsStandardInput)
{
    const std::string script = "echo 'x: dvector; x + 1' | " CROTON_PROGRAM " expr - --format pp";
    EXPECT_EQ(app::run({"/bin/sh", "-c", script}, m_scratch / ".").out, "(x + 1)\n");
}

} // namespace
