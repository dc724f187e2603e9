// What files register by themselves must not vanish on the way into the library: counted in the sources, and asked of
// the engine that was linked.
#include "engine/graph/op/op_document.h"
#include "engine/graph/op/precise_form.h"
#include "engine/graph/syntax/notation_call.h"
#include "engine/rewrite/machine/registry.h"
#include "engine/scalar/scalar_op.h"
#include "tests/house/tree.h"

#include <gtest/gtest.h>

#include <algorithm>
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
    const auto cards = engine::allCards();
    EXPECT_EQ(static_cast<std::size_t>(std::ranges::count_if(cards, [](const engine::OpCard *card) { return card->precise.has_value(); })),
              lines);
}

TEST(Registrations, EveryScalarFunctionIsThere)
{
    EXPECT_GE(engine::allScalarOps().size(), 90u);
    for (engine::ScalarOpPtr op : engine::allScalarOps()) EXPECT_EQ(engine::findScalarOp(op->name()), op);
}

TEST(Registrations, EveryOpHasACardAndCanStandInADocument)
{
    auto names = registered("OP_CARD");
    std::erase(names, "PyOp"); // of the Python module
    const auto cards = engine::allCards();
    EXPECT_EQ(cards.size(), names.size());
    for (const engine::OpCard *card : cards) {
        EXPECT_NE(std::ranges::find(names, card->className), names.end()) << card->className;
        EXPECT_EQ(card->isDocumented(), card->role != engine::OpRole::Transfer) << card->className;
    }
    // An op that is declared in engine/ops has its line.
    const std::set<std::string> known(names.begin(), names.end());
    for (const std::string &file : files()) {
        if (!startsWith(file, "engine/ops/") || extension(file) != ".h") continue;
        for (const std::string &line : lines(text(file))) {
            const std::size_t end = line.find(" final : public Op");
            if (!startsWith(line, "class ") || end == std::string::npos) continue;
            const std::string name = line.substr(6, end - 6);
            EXPECT_TRUE(known.count(name)) << file << ": " << name << " has no OP_CARD (engine/graph/op/op_document.h)";
        }
    }
}

} // namespace
} // namespace house
