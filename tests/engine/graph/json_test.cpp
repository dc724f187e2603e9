#include "engine/graph/syntax/json.h"

#include <gtest/gtest.h>

#include <cmath>

namespace engine {
namespace {

std::string error(std::string_view text, const JsonLimits &limits = {})
{
    try {
        readJson(text, limits);
    } catch (const JsonError &e) {
        return std::to_string(e.line) + ":" + std::to_string(e.column) + " " + e.what();
    }
    return "fine";
}

TEST(Json, ReadsEveryKind)
{
    const JsonValue value = readJson(R"( {"a": [1, -2.5e3, true, false, null, "x\n\u00e9\ud83d\ude00"], "b": {}, "c": []} )");
    ASSERT_TRUE(value.isObject());
    const JsonValue &a = *value.find("a");
    ASSERT_EQ(a.items.size(), 6u);
    EXPECT_EQ(a.items[0].integer, 1);
    EXPECT_EQ(a.items[1].number, -2500);
    EXPECT_FALSE(a.items[1].integer);
    EXPECT_TRUE(a.items[2].boolean);
    EXPECT_EQ(a.items[4].kind, JsonValue::Kind::Null);
    EXPECT_EQ(a.items[5].text, "x\né😀");
    EXPECT_TRUE(value.find("b")->members.empty());
    EXPECT_EQ(value.find("d"), nullptr);
    EXPECT_EQ(readJson("9223372036854775807").integer, INT64_MAX);
    EXPECT_FALSE(readJson("9223372036854775808").integer);
    EXPECT_EQ(readJson("9223372036854775808").number, 9223372036854775808.0);
}

TEST(Json, RefusesWhatIsNotJson)
{
    EXPECT_EQ(error(""), "1:1 the document ends in the middle");
    EXPECT_EQ(error("[1, 2"), "1:6 the document ends in the middle");
    EXPECT_EQ(error("[1, 2,]"), "1:7 a value was expected here");
    EXPECT_EQ(error("[1 2]"), "1:4 ',' was expected here");
    EXPECT_EQ(error("{\"a\": 1,\n \"a\": 2}"), "2:2 the key \"a\" stands here a second time");
    EXPECT_EQ(error("{a: 1}"), "1:2 a key in quotes was expected here");
    EXPECT_EQ(error("{\"a\" 1}"), "1:6 ':' was expected here");
    EXPECT_EQ(error("01"), "1:2 a number does not start with 0");
    EXPECT_EQ(error("1."), "1:3 a digit was expected here");
    EXPECT_EQ(error(".5"), "1:1 a value was expected here");
    EXPECT_EQ(error("+1"), "1:1 a value was expected here");
    EXPECT_EQ(error("1e"), "1:3 a digit was expected here");
    EXPECT_EQ(error("NaN"), "1:1 a value was expected here");
    EXPECT_EQ(error("nul"), "1:1 a value was expected here");
    EXPECT_EQ(error("1e999"), "1:1 the number is out of the range of a double");
    EXPECT_EQ(error("[] []"), "1:4 something follows the end of the document");
    EXPECT_EQ(error("\"abc"), "1:5 the quoted text is never closed");
    EXPECT_EQ(error("\"a\nb\""), "1:3 a control character stands inside a text");
    EXPECT_EQ(error("\"\\q\""), "1:3 this escape means nothing");
    EXPECT_EQ(error("\"\\ud800\""), "1:8 half of a surrogate pair is missing");
    EXPECT_EQ(error("\"\\ud800\\u0041\""), "1:14 half of a surrogate pair is missing");
    EXPECT_EQ(error("\"\\u12g4\""), "1:6 four hexadecimal digits were expected here");
    for (const char *bad : {"\"\xff\"", "\"\xc0\x80\"", "\"\xed\xa0\x80\"", "\"\xf5\x80\x80\x80\"", "\"\xe2\x82\""})
        EXPECT_EQ(error(bad), "1:2 the text is not UTF-8");
}

TEST(Json, LimitsNestingAndSize)
{
    EXPECT_EQ(error(std::string(1'000'000, '[')), "1:102 the document is nested more than 100 levels deep");
    EXPECT_EQ(error(std::string(50, '[') + std::string(50, ']')), "fine");
    EXPECT_EQ(error("[1,2,3]", {.bytes = 5}), "1:1 the document is larger than 5 B");
}

TEST(Json, WrittenTextReadsBack)
{
    JsonWriter out;
    out.beginObject();
    out.onePerLine();
    out.member("text", "a\"b\\c\n\t\x01é");
    out.member("number", 0.1);
    out.member("whole", std::int64_t{-5});
    out.member("flag", true);
    out.key("list");
    out.beginArray();
    out.value(1.0 / 3, true);
    out.value(-HUGE_VAL);
    out.null();
    out.endArray();
    out.key("empty");
    out.beginObject();
    out.endObject();
    out.endObject();
    const std::string text = out.take();
    EXPECT_EQ(text, "{\n  \"text\": \"a\\\"b\\\\c\\n\\t\\u0001é\",\n  \"number\": 0.1,\n  \"whole\": -5,\n  \"flag\": true,\n"
                    "  \"list\": [0.33333334, \"-inf\", null],\n  \"empty\": {}\n}\n");
    const JsonValue value = readJson(text);
    EXPECT_EQ(value.find("text")->text, "a\"b\\c\n\t\x01é");
    EXPECT_EQ(value.find("number")->number, 0.1);
}

TEST(Json, BytesThatAreNoTextAreReplaced)
{
    JsonWriter out;
    out.beginArray();
    out.value("a\xff"
              "b\xe2\x82");
    out.endArray();
    EXPECT_EQ(readJson(out.take()).items[0].text, "a\xEF\xBF\xBD"
                                                  "b\xEF\xBF\xBD\xEF\xBF\xBD");
}

} // namespace
} // namespace engine
