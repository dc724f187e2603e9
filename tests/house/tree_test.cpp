// Sizes, descriptions and cleanliness of the tree.
#include "tests/house/tree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <regex>
#include <set>

namespace house {
namespace {

std::uintmax_t sizeOf(const std::string &file) { return std::filesystem::file_size(root() / file); }

TEST(Tree, StaysSmall)
{
    std::uintmax_t total = 0;
    for (const std::string &file : files()) {
        const std::uintmax_t bytes = sizeOf(file);
        total += bytes;
        if (extension(file) == ".croton") {
            EXPECT_LE(bytes, 1u << 20) << file << ": a sample session has at most 1 MiB";
        } else if (extension(file) == ".png") {
            EXPECT_LE(bytes, 150u * 1024) << file << ": a picture has at most 150 KiB";
        }
    }
    EXPECT_LE(total, 40u << 20) << "the tracked tree has at most 40 MiB";
    EXPECT_GT(files().size(), 200u) << "the tree was not found";
}

TEST(Tree, NoFileHasMoreThanAThousandLines)
{
    for (const std::string &file : files())
        // Pages that the program writes are as long as what they list.
        if (isSource(file) && text(file).find("*This page is made by") == std::string::npos) {
            EXPECT_LE(lines(text(file)).size(), 1000u) << file << ": give the second thing in it a file of its own";
        }
}

/// Has it a row in the table of the page of the folder above?
bool isRoom(const std::string &folder)
{
    const std::filesystem::path path(folder);
    return std::count(folder.begin(), folder.end(), '/') == 2 &&
           text(path.parent_path().string() + "/README.md").find("\n| `" + path.filename().string() + "/` |") != std::string::npos;
}

// Every folder of the house with code in it says what lives here, what it may use, how to add one more.
TEST(Tree, EveryFolderHasAReadme)
{
    std::set<std::string> folders{"app", "engine", "profiler", "views", "resources", "samples", "tests"};
    for (const std::string &file : files()) {
        // The packages in engine/python have the shape of Theano's; engine/python describes them together.
        const bool code = isCpp(file) || startsWith(file, "samples/");
        const std::string in = folder(file);
        for (const char *top : {"app/", "engine/", "profiler/", "views/", "samples/"})
            if (code && startsWith(file, top)) folders.insert(in);
    }
    for (const std::string &folder : folders) {
        const std::string readme = folder + "/README.md";
        if (isRoom(folder) && !std::filesystem::exists(root() / readme)) continue;
        if (!std::filesystem::exists(root() / readme)) {
            ADD_FAILURE() << readme << " is missing";
            continue;
        }
        std::vector<std::string> content = lines(text(readme));
        EXPECT_GE(content.size(), 10u) << readme << ": 10 to 25 lines, and its tables";
        std::erase_if(content, [](const std::string &line) { return startsWith(line, "|"); });
        content.erase(std::unique(content.begin(), content.end()), content.end()); // an empty line stands on both sides of a table
        EXPECT_LE(content.size(), 25u) << readme << ": 10 to 25 lines";
        EXPECT_TRUE(!content.empty() && startsWith(content[0], "# ")) << readme << " begins with its title";
    }
}

// A folder with more files has subfolders by theme.
TEST(Tree, FoldersAreSmall)
{
    std::map<std::string, int> counts;
    for (const std::string &file : files())
        if (isCpp(file) && (startsWith(file, "engine/") || startsWith(file, "profiler/") || startsWith(file, "app/")))
            ++counts[folder(file)];
    for (const auto &[folder, count] : counts) EXPECT_LE(count, 60) << folder << ": sort its files into subfolders";
}

// The project speaks of itself alone: no paths of somebody's machine, no leftovers.
TEST(Tree, NoMachinePathsNoLeftovers)
{
    const std::vector<std::string> refused{std::string("/wo") + "rk/", std::string("/ro") + "ot/", std::string("/Us") + "ers/",
                                           std::string("<<<<") + "<<<", std::string(">>>>") + ">>>"};
    for (const std::string &file : files()) {
        const std::string content = text(file);
        for (const std::string &word : refused) EXPECT_EQ(content.find(word), std::string::npos) << file << " contains " << word;
        const std::string name = std::filesystem::path(file).filename().string();
        for (const char *end : {"~", ".orig", ".rej", ".swp", ".o", ".so", ".pyc", ".core"})
            EXPECT_FALSE(name.ends_with(end)) << file << " is a leftover";
    }
}

// A home directory may stand in test data only, and there it is nobody's.
TEST(Tree, HomesAreInvented)
{
    const std::string home = std::string("/ho") + "me/";
    for (const std::string &file : files()) {
        const std::string content = text(file);
        for (std::size_t at = content.find(home); at != std::string::npos; at = content.find(home, at + 1))
            EXPECT_TRUE(content.compare(at + home.size(), 4, "ada/") == 0 || content.compare(at + home.size(), 5, "user/") == 0)
                << file << " names " << content.substr(at, 30);
    }
}

TEST(Tree, TextIsUtf8WithUnixLines)
{
    for (const std::string &file : files()) {
        if (!isSource(file)) continue;
        const std::string content = text(file);
        EXPECT_EQ(content.find('\r'), std::string::npos) << file << " has Windows lines";
        EXPECT_TRUE(content.empty() || content.back() == '\n') << file << " ends without a new line";
    }
}

TEST(Tree, HeadersAreIncludedOnce)
{
    for (const std::string &file : files())
        if (extension(file) == ".h") {
            EXPECT_NE(text(file).find("#pragma once"), std::string::npos) << file;
        }
}

TEST(Tree, HeadersKeepNamespacesClosed)
{
    for (const std::string &file : files()) {
        if (extension(file) != ".h" || startsWith(file, "tests/")) continue;
        int number = 0;
        for (const std::string &line : lines(text(file))) {
            ++number;
            EXPECT_FALSE(startsWith(line, "using namespace ")) << file << ":" << number;
        }
    }
}

// "1 calls": what the studio counts is said by counted(), or asked for one of it nearby.
TEST(Tree, TheStudioSaysOneCallAndTwoCalls)
{
    const std::regex many(
        "%[0-9] (applies|calls|changes|classes|copies|devices|edges|elements|events|frames|functions|lines|modules|nodes|ops|"
        "pairs|pieces|rewrites|runs|sessions|settings|steps|threads|values)\\b");
    constexpr std::size_t kNear = 3; // lines
    for (const std::string &file : files()) {
        if (!isCpp(file) || file == "views/common/counted.cpp" || (!startsWith(file, "views/") && !startsWith(file, "app/studio/")))
            continue;
        const std::vector<std::string> all = lines(text(file));
        for (std::size_t i = 0; i < all.size(); ++i) {
            if (all[i].find('"') == std::string::npos || !std::regex_search(all[i], many)) continue;
            bool asked = all[i].find("from %1 applies on") != std::string::npos; // of a number of ours
            for (std::size_t near = i - std::min(i, kNear); near <= i; ++near)
                asked = asked || all[near].find(" == 1") != std::string::npos || all[near].find(" > 1)") != std::string::npos;
            EXPECT_TRUE(asked) << file << ':' << i + 1 << ": of one it says " << all[i];
        }
    }
}

TEST(Tree, TheTwoCommandsAreThere)
{
    for (const char *program : {"app/run", "tests/run", ".ci/run"}) {
        const auto path = root() / program;
        ASSERT_TRUE(std::filesystem::exists(path)) << program;
        EXPECT_NE(std::filesystem::status(path).permissions() & std::filesystem::perms::owner_exec, std::filesystem::perms::none)
            << program;
    }
    EXPECT_NE(text(".ci/run").find("tests/run"), std::string::npos);
}

} // namespace
} // namespace house
