// croton lesson: lists, checks, and says what is wrong with its line and the way out.
#include "tests/app/cli/program.h"
#include "tests/profiler/session/scratch.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace {

class LessonCommand : public testing::Test {
protected:
    app::Result lesson(std::vector<std::string> words)
    {
        words.insert(words.begin(), {CROTON_PROGRAM, "lesson"});
        return app::run(words, m_scratch / ".");
    }
    std::string file(const std::string &text)
    {
        std::ofstream(m_scratch / "mine.md") << text;
        return m_scratch / "mine.md";
    }
    profiler::Scratch m_scratch;
};

TEST_F(LessonCommand, listsThem)
{
    const app::Result list = lesson({"list"});
    EXPECT_EQ(list.status, 0) << list.err;
    EXPECT_NE(list.out.find("What is a graph?"), std::string::npos);
    const auto all = nlohmann::json::parse(lesson({"list", "--json"}).out);
    EXPECT_EQ(all[0]["name"], "graph") << "the first by its order";
    EXPECT_GT(all[0]["questions"], 0);
    const app::Result none = lesson({"list", m_scratch / "."});
    EXPECT_EQ(none.status, 1);
    EXPECT_NE(none.err.find("there are no lessons in"), std::string::npos) << none.err;
    EXPECT_GT(nlohmann::json::parse(lesson({"facts", "--json"}).out).size(), 30u);
}

TEST_F(LessonCommand, saysWhatIsWrongWithItsLineAndTheWayOut)
{
    const std::string head = "lesson: L\nsample: first_function\n\n# P\n\n";
    const app::Result good = lesson({"check", file(head + "::: number a\nHow many?\n= applies(first)\n:::\n")});
    EXPECT_EQ(good.status, 0) << good.out << good.err;
    EXPECT_NE(good.out.find("1 page, 1 question, nothing is wrong"), std::string::npos) << good.out;
    const std::string bad = file(head + "[there](step:900)\n");
    const app::Result told = lesson({"check", bad});
    EXPECT_EQ(told.status, 1);
    EXPECT_EQ(told.out, bad + ":6: There is no step 900; 'f' has 3\n    correct what stands behind the colon of the link\n");
    const auto one = nlohmann::json::parse(lesson({"check", "--json", bad}).out)[0];
    EXPECT_EQ(one["line"], 6);
    const std::string empty = file("");
    const app::Result nothing = lesson({"check", empty});
    EXPECT_EQ(nothing.status, 1);
    EXPECT_EQ(nothing.out.find(empty + ": There is nothing to read"), 0u) << nothing.out;
    EXPECT_TRUE(nlohmann::json::parse(lesson({"check", "--json", empty}).out)[0]["line"].is_null());
    EXPECT_EQ(lesson({"check", m_scratch / "nothing.md"}).status, 1);
    const std::string session = std::string(CROTON_ROOT) + "/samples/first_function/first_function.croton";
    EXPECT_EQ(lesson({"ask", session, "applies(first)"}).out, "3\n");
    EXPECT_EQ(lesson({"ask", session, "unicorns()"}).status, 1);
    EXPECT_EQ(lesson({"ask", session}).status, 2);
    EXPECT_EQ(lesson({"check"}).status, 2);
    EXPECT_EQ(lesson({"teach"}).status, 2);
}

} // namespace
