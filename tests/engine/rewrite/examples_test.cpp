// Every rewrite proves itself by its examples: it fires, gives the stated result, keeps the numbers; near misses stay.
#include "tests/engine/rewrite/support.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace rewrite_test {
namespace {

// Applied to both sides, so that an example may be written as people write.
const std::vector<std::string> kTidy = {"MergeOptimizer", "local_upcast_elemwise_constant_inputs", "constant_folding_exact",
                                        "local_track_shape_i"};

Mode exampleMode(const RewriteInfo &info, bool withItself)
{
    std::vector<std::string> names = kTidy;
    names.insert(names.end(), info.with.begin(), info.with.end());
    std::erase(names, info.name);
    if (withItself) names.push_back(info.name);
    return onlyMode(std::move(names));
}

std::vector<Value> inputsFor(const FunctionGraph &graph, std::mt19937 &random, std::int64_t size, bool nasty, bool finite)
{
    std::vector<Value> values;
    for (VarId id : graph.inputs()) {
        const Type type = graph.var(id).type;
        Dims shape;
        for (int axis = 0; axis < type.rank(); ++axis) shape.push_back(type.isBroadcastable(axis) ? 1 : size);
        // 0-d integers are sizes in the examples.
        if (type.rank() == 0 && isDiscrete(type.dtype())) values.emplace_back(Tensor::scalarInt(type.dtype(), size));
        else values.emplace_back(randomTensor(random, type.dtype(), shape, nasty, finite));
    }
    return values;
}

void checkNumbers(const RewriteInfo &info, const std::string &text)
{
    std::mt19937 random(17);
    const double tolerance = info.hasTag("approximate") ? 0.08 : 1e-5;
    std::string found;
    for (std::int64_t size : {3, 1, 5, 0, 7}) {
        for (int nasty = 0; nasty < 6; ++nasty) {
            const auto before = parseGraph(text);
            const auto after = parseGraph(text);
            rewriteGraph(*after, exampleMode(info, true));
            const std::vector<Value> inputs = inputsFor(*before, random, size, nasty > 0, nasty % 2);
            if (has(info.valueChange, ValueChange::Infinite) && holds(inputs, [](double x) { return std::isinf(x); })) continue;
            if (has(info.valueChange, ValueChange::KeepsNan) && holds(inputs, [](double x) { return std::isnan(x); })) continue;
            std::vector<Value> expected;
            try {
                expected = evaluate(*before, inputs);
            } catch (const UserError &) {
                continue; // the maximum of nothing, and the like
            }
            const std::vector<Value> results = evaluate(*after, inputs);
            for (std::size_t i = 0; i < expected.size() && found.empty(); ++i) {
                found = nasty ? nastyDifference(expected[i], results[i], tolerance, info.valueChange) : difference(expected[i], results[i], tolerance);
                if (!found.empty()) found += " (size " + std::to_string(size) + (nasty ? ", nasty)" : ")");
            }
        }
    }
    EXPECT_EQ(found, "") << info.name << ": " << text;
}

class Examples : public testing::TestWithParam<const RewriteInfo *> {};

TEST_P(Examples, FireAsStated)
{
    const RewriteInfo &info = *GetParam();
    EXPECT_FALSE(info.why.empty()) << info.name << " does not say why";
    EXPECT_FALSE(info.whenItHurts.empty()) << info.name << " does not say when it can hurt";
    const auto isMiss = [](const RewriteExample &example) { return example.after.empty(); };
    EXPECT_TRUE(std::any_of(info.examples.begin(), info.examples.end(), isMiss)) << info.name << " has no near miss";
    EXPECT_FALSE(std::all_of(info.examples.begin(), info.examples.end(), isMiss)) << info.name << " has no example";
    for (const RewriteExample &example : info.examples) {
        SCOPED_TRACE(info.name + ": " + example.before);
        try {
            const auto graph = parseGraph(example.before);
            const RewriteReport report = rewriteGraph(*graph, exampleMode(info, true));
            EXPECT_TRUE(report.warnings.empty()) << report.warnings.front();
            EXPECT_EQ(checkJournal(*graph), "");
            if (example.after.empty()) {
                EXPECT_EQ(timesFired(report, info.name), 0u) << "fired on a near miss: " << textOf(*graph);
                continue;
            }
            EXPECT_GT(timesFired(report, info.name), 0u) << "did not fire: " << textOf(*graph);
            const auto wanted = parseGraph(example.after);
            rewriteGraph(*wanted, exampleMode(info, false));
            EXPECT_EQ(textOf(*graph), textOf(*wanted));
            checkNumbers(info, example.before);
        } catch (const NotationError &error) {
            ADD_FAILURE() << error.what() << " at column " << error.column;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Catalogue, Examples, testing::ValuesIn(allRewrites().begin(), allRewrites().end()),
                         [](const auto &info) { return info.param->name; });

} // namespace
} // namespace rewrite_test
