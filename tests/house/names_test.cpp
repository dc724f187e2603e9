// Many files of a folder are compiled as one. A name that two of them have for themselves would be one name there: where it is a function
// with other parameters, it would be a question of conversions which of the two is called.
#include "tests/house/tree.h"

#include <gtest/gtest.h>

#include <map>
#include <regex>
#include <set>

namespace house {
namespace {

// What a line that begins at the margin declares; macros have names in capitals.
std::string declared(const std::string &line)
{
    static const std::regex kind("^(?:class|struct|union|enum|enum class) (\\w+)");
    static const std::regex function("^[A-Za-z_\\[][^=(;\"]*[ &*](\\w*[a-z]\\w*)\\(");
    static const std::regex constant("^(?:constexpr|const|static|thread_local)[^=({;\"]*[ &*](\\w+)(?:\\[\\w*\\])* ?[={;]");
    std::smatch found;
    for (const std::regex *one : {&kind, &function, &constant})
        if (std::regex_search(line, found, *one)) return found[1];
    return {};
}

std::set<std::string> namesOfItsOwn(const std::string &file)
{
    std::set<std::string> names;
    bool isInside = false;
    for (const std::string &line : lines(text(file))) {
        if (line == "namespace {") isInside = true;
        else if (startsWith(line, "} // namespace")) isInside = false;
        else if (isInside && !line.empty() && !startsWith(line, "using ")) names.insert(declared(line));
    }
    names.erase("");
    return names;
}

TEST(Names, AreOneFilesInAFolder)
{
    std::map<std::string, std::map<std::string, std::string>> folders;
    std::size_t seen = 0;
    for (const std::string &file : files()) {
        const std::string in = folder(file);
        // These are compiled one by one: at several levels, and with the names that Python asks of each type.
        if (extension(file) != ".cpp" || startsWith(file, "tests/") || in == "engine/rt" || in == "engine/python/core") continue;
        for (const std::string &name : namesOfItsOwn(file)) {
            const auto [at, isNew] = folders[in].emplace(name, file);
            EXPECT_TRUE(isNew) << file << " and " << at->second << " both have a name " << name << " of their own";
            ++seen;
        }
    }
    EXPECT_GT(seen, 1000u) << "the names were not found";
}

TEST(Names, AreFoundInLines)
{
    EXPECT_EQ(declared("constexpr std::int64_t kFewRows = 4; // rows"), "kFewRows");
    EXPECT_EQ(declared("[[noreturn]] void damaged(const char *what)"), "damaged");
    EXPECT_EQ(declared("std::vector<Value> copiesOf(std::span<const View> views)"), "copiesOf");
    EXPECT_EQ(declared("class GatherOnDevice final : public Thunk {"), "GatherOnDevice");
    EXPECT_EQ(declared("    return x;"), "");
    EXPECT_EQ(declared("REWRITE(local_sum)"), "");
}

} // namespace
} // namespace house
