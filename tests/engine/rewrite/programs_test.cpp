// Whole programs through FAST_RUN: values are kept, the journal replays, and every rewrite of the catalogue fires in one of them.
#include "tests/engine/rewrite/support.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <set>
#include <sstream>

namespace rewrite_test {
namespace {

/// A file of `programs`: notation, and lines "#including: a b" or "#excluding: a b".
struct Program {
    std::string name, text;
    Mode mode = Mode::named("FAST_RUN");
};

std::vector<Program> allPrograms()
{
    std::vector<Program> programs;
    for (const auto &entry : std::filesystem::directory_iterator(CROTON_PROGRAMS)) {
        Program program;
        program.name = entry.path().stem().string();
        std::ifstream file(entry.path());
        for (std::string line; std::getline(file, line); program.text += line + "\n") {
            for (const bool including : {true, false}) {
                const std::string head = including ? "#including:" : "#excluding:";
                if (!line.starts_with(head)) continue;
                std::istringstream words(line.substr(head.size()));
                for (std::string word; words >> word;) (including ? program.mode.including : program.mode.excluding).push_back(word);
            }
        }
        programs.push_back(std::move(program));
    }
    std::sort(programs.begin(), programs.end(), [](const Program &a, const Program &b) { return a.name < b.name; });
    return programs;
}

std::vector<Value> inputsOf(const FunctionGraph &graph, std::mt19937 &random, std::int64_t size)
{
    std::vector<Value> values;
    for (VarId id : graph.inputs()) {
        const Type type = graph.var(id).type;
        if (!type.isTensor()) {
            values.emplace_back();
            continue;
        }
        Dims shape;
        for (int axis = 0; axis < type.rank(); ++axis) shape.push_back(type.isBroadcastable(axis) ? 1 : size);
        // k is a shape: n × n.
        if (graph.name(id) == "k") values.emplace_back(Tensor::fromInts(std::vector<std::int64_t>{size, size}));
        else if (type.rank() == 0 && isDiscrete(type.dtype())) values.emplace_back(Tensor::scalarInt(type.dtype(), size == 3 ? 1 : 0));
        else values.emplace_back(randomTensor(random, type.dtype(), shape, false));
    }
    return values;
}

TEST(Programs, KeepTheirValuesAndUseTheWholeCatalogue)
{
    std::set<std::string> fired;
    const std::vector<Program> programs = allPrograms();
    ASSERT_GE(programs.size(), 20u);
    for (const Program &program : programs) {
        SCOPED_TRACE(program.name);
        try {
            const auto plain = parseGraph(program.text), graph = parseGraph(program.text);
            const RewriteReport report = rewriteGraph(*graph, program.mode);
            for (const std::string &warning : report.warnings) ADD_FAILURE() << warning;
            EXPECT_EQ(checkJournal(*graph), "");
            bool approximate = false;
            for (const RewriteCounts &counts : report.rewrites)
                if (counts.fired) {
                    fired.insert(counts.info->name);
                    approximate |= counts.info->hasTag("approximate");
                }
            std::mt19937 random(11);
            std::size_t compared = 0;
            const std::vector<Value> inputs = inputsOf(*plain, random, 3);
            const std::vector<Value> expected = evaluate(*plain, inputs), found = evaluate(*graph, inputs);
            for (std::size_t i = 0; i < expected.size(); ++i) {
                EXPECT_EQ(difference(expected[i], found[i], approximate ? 0.08 : 1e-6), "") << "output " << i << ": " << textOf(*graph);
                ++compared;
            }
            EXPECT_GT(compared, 0u);
        } catch (const NotationError &error) {
            ADD_FAILURE() << error.what() << " at line " << error.line << ", column " << error.column;
        } catch (const std::exception &error) {
            ADD_FAILURE() << error.what();
        }
    }
    std::string never;
    std::size_t count = 0;
    for (const RewriteInfo *info : allRewrites())
        // Those of devices wait for one to be chosen: tests/engine/device has them.
        if (!fired.count(info->name) && !info->hasTag("gpuarray")) {
            never += "  " + info->name + "\n";
            ++count;
        }
    std::cout << fired.size() << " of " << allRewrites().size() << " rewrites fired in " << programs.size() << " programs; never: " << count
              << "\n"
              << never;
    EXPECT_EQ(count, 0u) << "give each of these a program in which it fires:\n" << never;
}

/// The names of croton's own rewrites that fire in any program.
std::set<std::string> ownThatFire(const std::string &excluded)
{
    std::set<std::string> fired;
    for (Program &program : allPrograms()) {
        program.mode.excluding.push_back(excluded);
        const auto graph = parseGraph(program.text);
        for (const RewriteCounts &counts : rewriteGraph(*graph, program.mode).rewrites)
            if (counts.fired && counts.info->hasTag("croton")) fired.insert(counts.info->name);
    }
    return fired;
}

TEST(Programs, DoWithoutAnyOfCrotonsOwnRewrites)
{
    for (const RewriteInfo *info : allRewrites()) {
        if (!info->hasTag("croton") || !info->hasTag("fast_run")) continue;
        EXPECT_EQ(ownThatFire(info->name).count(info->name), 0u) << info->name;
    }
    for (const std::string &name : ownThatFire("croton")) EXPECT_FALSE(findRewrite(name)->hasTag("fast_run")) << name;
}

} // namespace
} // namespace rewrite_test
