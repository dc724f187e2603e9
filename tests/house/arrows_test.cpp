// The arrows between folders point one way: engine <- profiler/record <- app; profiler's session half <- views <- app.
// Within the engine each folder uses only those above it.
#include "tests/house/tree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <regex>

namespace house {
namespace {

struct Rule {
    std::string folder;               // the longest one that fits counts
    std::vector<std::string> mayUse;  // beginnings of included paths
    std::vector<std::string> refuses; // beginnings of <system> headers
};

const std::vector<std::string> kSessionHalf{"profiler/session/",    "profiler/stats/",          "profiler/memory/",  "profiler/compare/",
                                            "profiler/export/",     "profiler/replay/captured", "profiler/lessons/", "engine/liveness/",
                                            "engine/tensor/clock.h"}; // the last two need the standard library alone

std::vector<std::string> with(std::vector<std::string> list, const std::vector<std::string> &more)
{
    list.insert(list.end(), more.begin(), more.end());
    return list;
}

const std::vector<Rule> &rules()
{
    static const std::vector<Rule> all{
        {"engine/", {"engine/"}, {"Q", "sqlite3", "Python.h", "pybind11", "numpy/", "iostream"}},
        {"engine/liveness/", {"engine/liveness/"}, {"Q", "sqlite3", "Python.h", "pybind11", "numpy/", "iostream"}},
        {"engine/python/", {"engine/"}, {"Q", "sqlite3"}},
        {"engine/python/record/", {"engine/", "profiler/"}, {"Q", "sqlite3"}},
        {"profiler/", kSessionHalf, {"Q", "Python.h", "pybind11", "cblas", "iostream"}},
        {"profiler/record/", with(kSessionHalf, {"profiler/record/", "engine/"}), {"Q", "Python.h", "pybind11", "iostream"}},
        {"profiler/replay/",
         with(kSessionHalf, {"profiler/replay/", "profiler/record/values_record", "engine/"}),
         {"Q", "Python.h", "pybind11", "iostream"}},
        // Makes a session of a captured call.
        {"profiler/replay/record_replay",
         with(kSessionHalf, {"profiler/replay/", "profiler/record/", "engine/"}),
         {"Q", "Python.h", "pybind11", "iostream"}},
        {"profiler/replay/captured", kSessionHalf, {"Q", "Python.h", "pybind11", "cblas", "iostream"}},
        {"views/", with(kSessionHalf, {"views/"}), {"QSql", "sqlite3", "Python.h", "pybind11", "cblas"}},
        {"app/studio/", with(kSessionHalf, {"views/", "app/studio/"}), {"QSql", "sqlite3", "Python.h", "pybind11", "cblas"}},
        {"app/cli/", with(kSessionHalf, {"app/cli/"}), {"Q", "sqlite3", "Python.h", "pybind11", "cblas"}},
        // What this machine can run on, what its devices can do, and what the engine keeps on disk, only these three know.
        {"app/cli/commands/devices",
         with(kSessionHalf, {"app/cli/", "profiler/record/"}),
         {"Q", "sqlite3", "Python.h", "pybind11", "cblas"}},
        {"app/cli/commands/whatif",
         with(kSessionHalf, {"app/cli/", "profiler/record/devices.h"}),
         {"Q", "sqlite3", "Python.h", "pybind11", "cblas"}},
        {"app/cli/commands/cache",
         with(kSessionHalf, {"app/cli/", "engine/device/cpu/compiler/compiler.h", "engine/device/cpu/compiler/kernel_cache.h"}),
         {"Q", "sqlite3", "Python.h", "pybind11", "cblas"}},
        // A graph document is the engine's format: it alone can check one.
        {"app/cli/commands/document",
         with(kSessionHalf, {"app/cli/", "engine/graph/", "engine/text/"}),
         {"Q", "sqlite3", "Python.h", "pybind11", "cblas"}},
        // Runs what a session captured.
        {"app/cli/commands/replay",
         with(kSessionHalf, {"app/cli/", "profiler/replay/", "engine/runtime/plan/threads.h", "engine/tensor/errors.h"}),
         {"Q", "sqlite3", "Python.h", "pybind11", "cblas"}},
        {"app/cli/commands/ablate", with(kSessionHalf, {"app/cli/", "profiler/replay/"}), {"Q", "sqlite3", "Python.h"}},
        {"app/cli/commands/along",
         with(kSessionHalf, {"app/cli/", "profiler/replay/", "engine/tensor/errors.h"}),
         {"Q", "sqlite3", "Python.h"}},
        {"app/cli/commands/trial",
         with(kSessionHalf, {"app/cli/", "profiler/replay/turns.h", "engine/tensor/errors.h"}),
         {"Q", "sqlite3", "Python.h"}},
        {"app/cli/commands/trial_watch", with(kSessionHalf, {"app/cli/", "profiler/replay/watch.h"}), {"Q", "sqlite3", "Python.h"}},
        // The two subcommands that compile by themselves.
        {"app/cli/commands/values",
         with(kSessionHalf, {"app/cli/", "engine/", "profiler/record/", "profiler/replay/"}),
         {"Q", "sqlite3", "Python.h", "pybind11", "cblas"}},
        {"app/cli/expr",
         with(kSessionHalf, {"app/cli/", "engine/", "profiler/record/"}),
         {"Q", "sqlite3", "Python.h", "pybind11", "cblas"}},
    };
    return all;
}

const Rule *ruleOf(const std::string &file)
{
    const Rule *best = nullptr;
    for (const Rule &rule : rules())
        if (startsWith(file, rule.folder) && (!best || rule.folder.size() > best->folder.size())) best = &rule;
    return best;
}

struct Include {
    std::string path;
    bool isSystem = false;
    int line = 0;
};

std::vector<Include> includes(const std::string &content)
{
    std::vector<Include> result;
    int number = 0;
    for (const std::string &line : lines(content)) {
        ++number;
        std::size_t at = line.find_first_not_of(" \t");
        if (at == std::string::npos || line[at] != '#') continue;
        at = line.find_first_not_of(" \t", at + 1);
        if (at == std::string::npos || line.compare(at, 7, "include") != 0) continue;
        const std::size_t open = line.find_first_of("<\"", at);
        if (open == std::string::npos) continue;
        const std::size_t close = line.find(line[open] == '<' ? '>' : '"', open + 1);
        if (close != std::string::npos) result.push_back({line.substr(open + 1, close - open - 1), line[open] == '<', number});
    }
    return result;
}

std::string complaint(const std::string &file, const Include &include)
{
    const Rule *rule = ruleOf(file);
    if (!rule) return {};
    if (include.isSystem) {
        for (const std::string &refused : rule->refuses)
            if (startsWith(include.path, refused)) return file + " may not include <" + include.path + ">";
        return {};
    }
    if (include.path.find('/') == std::string::npos) return {};        // generated beside it
    if (include.path == "resources/pydotprint_colours.def") return {}; // both halves draw as Theano does
    for (const std::string &allowed : rule->mayUse)
        if (startsWith(include.path, allowed)) return {};
    return file + " may not include \"" + include.path + "\"";
}

TEST(Arrows, PointOneWay)
{
    std::size_t looked = 0;
    for (const std::string &file : files()) {
        if (!isCpp(file) || !ruleOf(file)) continue;
        for (const Include &include : includes(text(file))) {
            ++looked;
            EXPECT_EQ(complaint(file, include), "") << "line " << include.line;
        }
    }
    EXPECT_GT(looked, 1000u) << "the tree was not found";
}

TEST(Arrows, TheRulesCatchWhatTheyShould)
{
    const auto refused = [](const std::string &file, const std::string &line) {
        const auto found = includes(line);
        return found.size() == 1 && !complaint(file, found[0]).empty();
    };
    EXPECT_TRUE(refused("engine/graph/op/op.cpp", "#include \"profiler/session/store/reader.h\""));
    EXPECT_TRUE(refused("engine/graph/op/op.cpp", "#include <QString>"));
    EXPECT_TRUE(refused("engine/graph/op/op.cpp", "#  include <Python.h>"));
    EXPECT_TRUE(refused("profiler/stats/times/tables.cpp", "#include \"engine/graph/op/op.h\""));
    EXPECT_TRUE(refused("profiler/stats/times/tables.cpp", "#include \"profiler/record/recorder.h\""));
    EXPECT_TRUE(refused("profiler/replay/captured.cpp", "#include \"engine/graph/op/op.h\""));
    EXPECT_TRUE(refused("views/graph/scene.cpp", "#include \"engine/graph/op/op.h\""));
    EXPECT_TRUE(refused("views/graph/scene.cpp", "#include \"app/studio/main.h\""));
    EXPECT_TRUE(refused("app/studio/main.cpp", "#include \"profiler/record/recorder.h\""));
    EXPECT_TRUE(refused("app/cli/commands/graph.cpp", "#include \"engine/graph/op/op.h\""));
    EXPECT_FALSE(refused("app/cli/expr/expr.cpp", "#include \"engine/graph/op/op.h\""));
    EXPECT_FALSE(refused("profiler/record/recorder.cpp", "#include \"engine/compile/function/function.h\""));
    EXPECT_FALSE(refused("engine/python/module.cpp", "#include <Python.h>"));
}

// Views meet in the selection hub: each uses what all share, and itself.
TEST(Arrows, AViewKnowsNoOtherView)
{
    const std::map<std::string, std::vector<std::string>> more{{"views/steps/", {"views/graph/"}}, // they draw with the canvas
                                                               {"views/compare/", {"views/graph/", "views/timeline/"}},
                                                               {"views/worth/", {"views/graph/"}}};
    std::size_t looked = 0;
    for (const std::string &file : files()) {
        if (!isCpp(file) || !startsWith(file, "views/")) continue;
        const std::string own = file.substr(0, file.find('/', 6) + 1);
        std::vector<std::string> mayUse{own, "views/common/"};
        if (own != "views/common/") mayUse.push_back("views/session/");
        if (const auto found = more.find(own); found != more.end()) mayUse = with(mayUse, found->second);
        for (const Include &include : includes(text(file))) {
            if (include.isSystem || !startsWith(include.path, "views/")) continue;
            ++looked;
            const bool allowed =
                std::any_of(mayUse.begin(), mayUse.end(), [&](const std::string &each) { return startsWith(include.path, each); });
            EXPECT_TRUE(allowed) << file << ":" << include.line << " includes " << include.path;
        }
    }
    EXPECT_GT(looked, 100u);
}

// --- the floors of the engine: each folder uses what the line "May use:" of its README names, and that lies above it in engine/README.md.

std::vector<std::string> inBackticks(const std::string &line)
{
    std::vector<std::string> words;
    for (std::size_t open = line.find('`'); open != std::string::npos; open = line.find('`', open)) {
        const std::size_t close = line.find('`', open + 1);
        if (close == std::string::npos) break;
        words.push_back(line.substr(open + 1, close - open - 1));
        open = close + 1;
    }
    return words;
}

struct Floors {
    std::vector<std::string> order; // top first
    std::map<std::string, std::vector<std::string>> mayUse;
    std::vector<std::string> faults;

    std::size_t heightOf(const std::string &folder) const
    {
        return static_cast<std::size_t>(std::find(order.begin(), order.end(), folder) - order.begin());
    }
    /// Empty if the file may include it.
    std::string complaint(const std::string &file, const std::string &include) const
    {
        const auto partOf = [](const std::string &path) {
            const std::size_t begin = std::string("engine/").size(), end = path.find('/', begin);
            return startsWith(path, "engine/") && end != std::string::npos ? path.substr(begin, end - begin) : std::string();
        };
        const std::string from = partOf(file), to = partOf(include);
        if (from.empty() || to.empty() || from == to) return {};
        const auto allowed = mayUse.find(from);
        if (allowed != mayUse.end() && std::count(allowed->second.begin(), allowed->second.end(), to)) return {};
        return file + " may not include \"" + include + "\": engine/" + from + "/README.md does not name " + to;
    }
};

Floors floorsOf(const std::string &overview, const std::map<std::string, std::string> &readmes)
{
    Floors floors;
    for (const std::string &line : lines(overview))
        if (const auto words = inBackticks(line); startsWith(line, "| `") && words[0].back() == '/')
            floors.order.push_back(words[0].substr(0, words[0].size() - 1));
    for (const auto &[folder, readme] : readmes) {
        if (floors.heightOf(folder) == floors.order.size()) floors.faults.push_back(folder + " is not in the table of engine/README.md");
        bool found = false;
        for (const std::string &line : lines(readme)) {
            if (!startsWith(line, "May use:")) continue;
            found = true;
            for (const std::string &word : inBackticks(line)) {
                floors.mayUse[folder].push_back(word);
                if (floors.heightOf(word) >= floors.heightOf(folder))
                    floors.faults.push_back(folder + " may not use " + word + ", which is not above it");
            }
        }
        if (!found) floors.faults.push_back("the README of " + folder + " has no line that begins with \"May use:\"");
    }
    return floors;
}

TEST(Arrows, TheFloorsOfTheEngineUseWhatLiesAbove)
{
    std::map<std::string, std::string> readmes;
    for (const std::string &file : files())
        if (startsWith(file, "engine/") && isCpp(file)) {
            const std::string folder = file.substr(7, file.find('/', 7) - 7);
            if (!readmes.count(folder)) readmes[folder] = text("engine/" + folder + "/README.md");
        }
    const Floors floors = floorsOf(text("engine/README.md"), readmes);
    EXPECT_EQ(floors.faults, std::vector<std::string>());
    EXPECT_EQ(floors.order.size(), readmes.size()) << "the table of engine/README.md names folders without code";
    std::size_t looked = 0;
    for (const std::string &file : files()) {
        if (!startsWith(file, "engine/") || !isCpp(file)) continue;
        for (const Include &include : includes(text(file))) {
            ++looked;
            EXPECT_EQ(floors.complaint(file, include.path), "") << "line " << include.line;
        }
    }
    EXPECT_GT(looked, 1000u) << "the tree was not found";
}

TEST(Arrows, TheContractOfOpsKnowsNoDevice)
{
    std::size_t looked = 0;
    for (const std::string &file : files()) {
        if (!startsWith(file, "engine/graph/op/") || !isCpp(file)) continue;
        for (const Include &include : includes(text(file))) {
            ++looked;
            EXPECT_FALSE(startsWith(include.path, "engine/device/")) << file << ":" << include.line << " includes " << include.path;
        }
    }
    EXPECT_GT(looked, 20u);
}

TEST(Arrows, FloorsThatAreWrongAreSeen)
{
    const std::string overview =
        "| folder | holds |\n|---|---|\n| `tensor/` | arrays |\n| `graph/` | expressions (`x`) |\n| `ops/` | ops |\n";
    const Floors right =
        floorsOf(overview, {{"tensor", "May use: nothing.\n"}, {"graph", "May use: `tensor`.\n"}, {"ops", "May use: `graph`.\n"}});
    EXPECT_EQ(right.faults, std::vector<std::string>());
    EXPECT_EQ(right.complaint("engine/graph/op/op.cpp", "engine/graph/op/op.h"), "");
    EXPECT_EQ(right.complaint("engine/graph/op/op.cpp", "engine/tensor/dims.h"), "");
    EXPECT_NE(right.complaint("engine/graph/op/op.cpp", "engine/ops/products/dot.h"), "");
    EXPECT_NE(right.complaint("engine/ops/products/dot.cpp", "engine/tensor/dims.h"), "") << "above it, but not named";
    EXPECT_NE(right.complaint("engine/tensor/dims.cpp", "engine/graph/op/op.h"), "");

    EXPECT_EQ(floorsOf(overview, {{"graph", "May use: `ops`.\n"}}).faults.size(), 1u) << "below it";
    EXPECT_EQ(floorsOf(overview, {{"graph", "May use: `graph`.\n"}}).faults.size(), 1u) << "itself";
    EXPECT_EQ(floorsOf(overview, {{"graph", "May use: `tensors`.\n"}}).faults.size(), 1u) << "no folder";
    EXPECT_EQ(floorsOf(overview, {{"graph", "Uses `tensor`.\n"}}).faults.size(), 1u) << "no line";
    EXPECT_EQ(floorsOf(overview, {{"text", "May use: `ops`.\n"}}).faults.size(), 1u) << "not in the table";
}

TEST(Arrows, TheEngineWritesToNoConsole)
{
    for (const std::string &file : files()) {
        if (!startsWith(file, "engine/") || startsWith(file, "engine/python/") || !isCpp(file)) continue;
        int number = 0;
        for (const std::string &line : lines(text(file))) {
            ++number;
            for (const char *word : {"std::cout", "std::cerr", "std::clog", "std::printf(", "std::puts(", "std::fputs(", " printf(",
                                     "fprintf(stderr", "fprintf(stdout"})
                EXPECT_EQ(line.find(word), std::string::npos) << file << ":" << number << " writes to the console";
        }
    }
}

std::vector<std::string> neededBy(const std::string &program)
{
    std::vector<std::string> result;
    for (const std::string &line : lines(output("readelf -d '" + program + "'")))
        if (line.find("(NEEDED)") != std::string::npos) result.push_back(line.substr(line.find('[') + 1));
    return result;
}

TEST(Arrows, OnlyCodegenAndDevicesNameDialects)
{
    static const std::regex word("\\bDialect\\b|kernelUnit\\(|\\b__global\\b|blockIdx");
    std::size_t seen = 0, within = 0;
    for (const std::string &file : files()) {
        if (extension(file) != ".cpp" && extension(file) != ".h") continue;
        if (startsWith(file, "tests/")) continue;
        const bool names = std::regex_search(text(file), word);
        const bool may = startsWith(file, "engine/codegen/") || startsWith(file, "engine/device/");
        EXPECT_TRUE(may || !names) << file << " names a dialect of kernels: build an ir::Kernel, and ask a KernelTarget for its form";
        ++seen;
        within += may && names;
    }
    EXPECT_GT(seen, 400u);
    EXPECT_GT(within, 3u) << "the rule looks for what is no longer there";
}

TEST(Arrows, TheStudioLinksNoEngine)
{
    const std::filesystem::path build = CROTON_BINARY_DIR;
    std::size_t looked = 0;
    for (const char *name : {"bin/croton-studio", "bin/croton-dot"}) {
        const std::filesystem::path program = build / name;
        if (!std::filesystem::exists(program)) continue;
        const auto needed = neededBy(program.string());
        if (needed.empty()) continue;
        ++looked;
        for (const std::string &library : needed)
            for (const char *refused : {"libcroton.so", "libcroton_rt", "openblas", "libcblas", "libpython", "libcuda"})
                EXPECT_EQ(library.find(refused), std::string::npos) << name << " needs " << library;
    }
    if (!looked) GTEST_SKIP() << "the studio was not built, or there is no readelf";
}

TEST(Arrows, TheEngineLinksNoQtNoPythonNoSqlite)
{
    const auto needed = neededBy(CROTON_LIBRARY);
    if (needed.empty()) GTEST_SKIP() << "there is no readelf";
    for (const std::string &library : needed)
        for (const char *refused : {"libQt", "libpython", "libsqlite", "libcuda", "libOpenCL", "blas", "lapack"})
            EXPECT_EQ(library.find(refused), std::string::npos) << "libcroton.so needs " << library;
}

// Another BLAS in the process must meet nothing of ours.
TEST(Arrows, TheEngineKeepsItsBlasToItself)
{
    const auto symbols = lines(output("readelf -W --dyn-syms '" + std::string(CROTON_LIBRARY) + "'"));
    if (symbols.size() < 10) GTEST_SKIP() << "there is no readelf";
    for (const std::string &symbol : symbols)
        for (const char *refused : {"blas_", "gesv_", "potrf_", "xerbla", "lsame"})
            EXPECT_EQ(symbol.find(refused), std::string::npos) << symbol;
}

// What is built here runs on older processors: only loops that are chosen at run time, and benchmarks, are compiled for newer ones.
TEST(Arrows, OnlyChosenLoopsAreCompiledForNewerProcessors)
{
    const std::string commands = text(std::string(CROTON_BINARY_DIR) + "/compile_commands.json");
    if (commands.empty()) GTEST_SKIP() << "the build keeps no list of its commands";
    for (const std::string &line : lines(commands)) {
        const auto has = [&](const char *word) { return line.find(word) != std::string::npos; };
        if (!has("\"command\"") || has("/tests/bench/") || has("croton_rt_v")) continue;
        for (const char *refused : {" -march=", " -mavx", " -msse", " -mfma", " -mtune="}) EXPECT_FALSE(has(refused)) << line;
    }
}

} // namespace
} // namespace house
