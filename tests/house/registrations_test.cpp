// What files register by themselves must not vanish on the way into the library: counted in the sources, and asked of
// the engine that was linked.
#include "engine/graph/notation_call.h"
#include "engine/graph/op_registry.h"
#include "engine/graph/precise_form.h"
#include "engine/rewrite/registry.h"
#include "engine/scalar/scalar_op.h"
#include "tests/house/tree.h"

#include <gtest/gtest.h>

#include <set>

namespace house {
namespace {

/// First arguments of MACRO(…) lines in the engine.
std::vector<std::string> registered(const std::string &macro)
{
    std::vector<std::string> names;
    for (const std::string &file : files()) {
        if (!startsWith(file, "engine/") || extension(file) != ".cpp") continue;
        const std::string content = "\n" + text(file), opening = "\n" + macro + "(";
        for (std::size_t at = content.find(opening); at != std::string::npos; at = content.find(opening, at + 1)) {
            const std::size_t begin = content.find_first_not_of(" \n", at + opening.size());
            std::string name = content.substr(begin, content.find_first_of(",)({", begin) - begin);
            std::erase(name, '"');
            names.push_back(name);
        }
    }
    return names;
}

TEST(Registrations, EveryRewriteIsInTheRegistry)
{
    const auto names = registered("REWRITE");
    EXPECT_GT(names.size(), 20u);
    for (const std::string &name : names) EXPECT_NE(engine::findRewrite(name), nullptr) << name;
    EXPECT_GE(engine::allRewrites().size(), names.size());
    EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), names.size());
}

TEST(Registrations, EveryNotationFunctionIsThere)
{
    const auto names = registered("NOTATION");
    EXPECT_GT(names.size(), 30u);
    for (const std::string &name : names) EXPECT_NE(engine::findNotation(name), nullptr) << name;
}

TEST(Registrations, EveryPreciseFormIsThere)
{
    const std::size_t lines = registered("PRECISE_FORM").size() + registered("PRECISE_MOVES").size();
    EXPECT_GT(lines, 30u);
    EXPECT_EQ(engine::preciseFormCount(), lines);
}

TEST(Registrations, EveryScalarFunctionIsThere)
{
    EXPECT_GE(engine::allScalarOps().size(), 90u);
    for (engine::ScalarOpPtr op : engine::allScalarOps()) EXPECT_EQ(engine::findScalarOp(op->name()), op);
}

TEST(Registrations, EveryOpCanStandInADocument)
{
    const auto names = registered("OP_DOCUMENT");
    EXPECT_EQ(engine::documentedOps().size(), names.size());
    for (const std::string &name : names) EXPECT_NE(engine::findOpDocument(name), nullptr) << name;
    // An op that is declared in engine/ops has its line.
    const std::set<std::string> known(names.begin(), names.end());
    for (const std::string &file : files()) {
        if (!startsWith(file, "engine/ops/") || extension(file) != ".h") continue;
        for (const std::string &line : lines(text(file))) {
            const std::size_t end = line.find(" final : public Op");
            if (!startsWith(line, "class ") || end == std::string::npos) continue;
            const std::string name = line.substr(6, end - 6);
            EXPECT_TRUE(known.count(name)) << file << ": " << name << " has no OP_DOCUMENT (engine/graph/op_document.h)";
        }
    }
}

} // namespace
} // namespace house
