// Sizes are written by one function (engine/liveness/sizes.h), in one unit: a program that counts by 1000 here and by 1024 there shows
// one array with two sizes.
#include "tests/house/tree.h"

#include <gtest/gtest.h>

#include <regex>
#include <set>

namespace house {
namespace {

// What formats a size by itself, in a line of C++. A plain number of bytes is exact and has no unit that could differ.
bool formatsSize(const std::string &line)
{
    static const std::regex literal("\"(?:[^\"\\\\]|\\\\.)*\"");
    static const std::regex size("%[-+.*0-9]*(?:ll|z|l)?[dufg] ?[kKMGT]i?B\\b(?!/)|^\" ?[kKMGT]i?B\\b(?!/)");
    for (std::sregex_iterator at(line.begin(), line.end(), literal), end; at != end; ++at)
        if (std::regex_search(at->str(), size)) return true;
    return false;
}

TEST(Units, SizesAreFormattedInOnePlace)
{
    // Theano's own texts count as Theano does; options say what unit they take; lessons read what people type.
    const std::set<std::string> theirs{"engine/liveness/sizes.cpp", "engine/compile/function/run_error.cpp",
                                       "profiler/export/memory_report.cpp", "profiler/export/profilemode_report.cpp",
                                       "profiler/lessons/value.cpp"};
    std::size_t seen = 0;
    for (const std::string &file : files()) {
        if (!isCpp(file) || theirs.contains(file)) continue;
        if (!startsWith(file, "app/") && !startsWith(file, "engine/") && !startsWith(file, "profiler/") && !startsWith(file, "views/"))
            continue;
        ++seen;
        for (const std::string &line : lines(text(file))) {
            const bool isOption = line.find("{\"--") != std::string::npos;
            EXPECT_FALSE(!isOption && formatsSize(line)) << file << ": " << line << "\nliveness::sizeText() writes sizes";
        }
    }
    EXPECT_GT(seen, 500u);
}

TEST(Units, AreFoundInLines)
{
    EXPECT_TRUE(formatsSize("format(\"%.1f MB for %lld calls\", a, b)"));
    EXPECT_TRUE(formatsSize("std::to_string(bytes >> 10) + \"KB\""));
    EXPECT_TRUE(formatsSize("format(\"%lldKB\", kb)"));
    EXPECT_TRUE(formatsSize("std::to_string(n >> 20) + \" MiB: events\""));
    EXPECT_FALSE(formatsSize("out += format(\"%s for %lld calls\", liveness::sizeText(a).c_str(), b);"));
    EXPECT_FALSE(formatsSize("// 32 MB each"));
    EXPECT_FALSE(formatsSize("scaled(bytesPerSecond, {\"B/s\", \"kB/s\"})"));
}

} // namespace
} // namespace house
