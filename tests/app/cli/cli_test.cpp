#include "profiler/session/store/database.h"
#include "profiler/session/store/reader.h"
#include "tests/app/cli/cli.h"
#include "tests/profiler/record/live_session.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>
#include <optional>
#include <regex>
#include <sstream>

namespace {

TEST_F(Cli, reportHasFourStylesAndJson)
{
    EXPECT_EQ(croton({"report", "--style", "theano", session()}).out.rfind("Function profiling\n", 0), 0u);
    EXPECT_EQ(croton({"report", "--style", "profilemode", session()}).out.rfind("ProfileMode", 0), 0u);
    EXPECT_NE(croton({"report", session(), "--style=summary"}).out.find("2 functions, 1026 calls"), std::string::npos);
    const auto json = nlohmann::json::parse(croton({"report", session(), "--json"}).out);
    EXPECT_EQ(json["functions"].size(), 2u);
    const app::Result one = croton({"report", session(), "--function", "predict"});
    EXPECT_EQ(one.out.find("Message: train"), std::string::npos);
}

TEST_F(Cli, reportBeginsWithTheSlowestLinesAndWhatToTry)
{
    const std::string text = croton({"report", session()}).out;
    const auto lines = text.find("\nSlowest lines: share of the "), tips = text.find("\nTips ("),
               tables = text.find("\nFunction profiling\n");
    ASSERT_NE(lines, std::string::npos) << text;
    EXPECT_LT(lines, tips);
    EXPECT_LT(tips, tables);
    EXPECT_NE(tables, std::string::npos) << "Theano's tables follow";
    EXPECT_NE(text.substr(lines, text.find('\n', lines + 1) - lines).find("by the host's clock"), std::string::npos) << text;
    // Of each line: place and ops. The text of this script is not in the session.
    const std::string first = text.substr(text.find('\n', lines + 1) + 1);
    const std::regex row("^ +[0-9.]+%  +[0-9.]+ (ns|us|ms|s)  +[0-9.]+ (ns|us|ms|s) a call +[0-9]+ calls  <expression>:[0-9]+[^\n]*\n"
                         " +ops: [^\n]+ [0-9]+%");
    EXPECT_TRUE(std::regex_search(first, row)) << first;
    // The same tables, but for sizes, which Theano counts by 1024.
    const std::string theanos = croton({"report", "--style", "theano", session()}).out;
    EXPECT_EQ(theanos.find("Slowest lines"), std::string::npos);
    EXPECT_EQ(theanos.substr(0, theanos.find("Memory Profile")), text.substr(tables + 1, theanos.find("Memory Profile")));
    EXPECT_NE(theanos.find("CPU: 0KB (0KB)"), std::string::npos);
    EXPECT_EQ(text.find("KB"), std::string::npos);
}

TEST_F(Cli, graphPrintsEveryStageAndFormat)
{
    const std::string original = croton({"graph", session(), "--function", "train", "--stage", "original"}).out;
    const std::string optimized = croton({"graph", session(), "--function", "train"}).out;
    EXPECT_EQ(original.find("CGemv"), std::string::npos);
    EXPECT_NE(optimized.find("CGemv{inplace}"), std::string::npos);
    EXPECT_EQ(croton({"graph", session(), "--stage", "0", "--function", "train"}).out, original);
    EXPECT_EQ(croton({"graph", session(), "--format", "dot"}).out.rfind("digraph", 0), 0u);
    const auto json = nlohmann::json::parse(croton({"graph", session(), "--json"}).out);
    EXPECT_EQ(json["format"], "croton-graph");
    croton({"graph", session(), "-o", m_scratch / "g.dot", "--format", "dot"});
    EXPECT_EQ(app::readFile(m_scratch / "g.dot").rfind("digraph", 0), 0u);
    const app::Result svg = croton({"graph", session(), "--format", "svg"});
    if (svg.status == 1 && svg.err.find("graphviz") != std::string::npos) GTEST_SKIP() << svg.err;
    EXPECT_NE(svg.out.find("<svg"), std::string::npos);
}

std::vector<std::string> opsOf(const nlohmann::json &document)
{
    std::vector<std::string> ops;
    for (const auto &apply : document["applies"]) ops.push_back(apply["op"].dump());
    std::ranges::sort(ops);
    return ops;
}

TEST_F(Cli, writesGraphsOfSessionsThatItReads)
{
    const std::string recorded = m_scratch / "all.croton", file = m_scratch / "g.json";
    const app::Result expr = croton({"expr",
                                     "x: dmatrix; w = softmax(dot(x, x.T) * 0.3 + 1e-3); "
                                     "sum(log(1 + exp(w)), axis=0), x[1:, ::-1], argmax(w + exp(w) * 2 - sin(w), axis=1)",
                                     "-o", recorded});
    ASSERT_EQ(expr.status, 0) << expr.err;
    for (const std::string &which : {recorded, session()})
        for (const char *stage : {"original", "optimized", "2"}) {
            const app::Result written = croton({"graph", which, "--format", "json", "--stage", stage, "-o", file});
            ASSERT_EQ(written.status, 0) << written.err;
            EXPECT_EQ(written.err.find("lacks"), std::string::npos) << written.err;
            const app::Result text = croton({"graph", file});
            ASSERT_EQ(text.status, 0) << which << " " << stage << ": " << text.err;
            const auto before = nlohmann::json::parse(app::readFile(file));
            const auto after = nlohmann::json::parse(croton({"graph", file, "--format", "json"}).out);
            EXPECT_EQ(opsOf(before), opsOf(after)) << stage;
            EXPECT_EQ(before["outputs"].size(), after["outputs"].size());
        }
}

TEST_F(Cli, namesWhatAGraphDocumentLacks)
{
    const std::string recorded = m_scratch / "old.croton", file = m_scratch / "old.json";
    std::filesystem::copy_file(session(), recorded);
    {
        profiler::Database database(recorded, profiler::Database::Access::Write);
        database.execute("DROP VIEW op_documents; DROP VIEW leaf_documents; DROP TABLE op_document_pages; DROP TABLE leaf_pages");
    }
    const app::Result written = croton({"graph", recorded, "--format", "json", "--function", "train", "-o", file});
    ASSERT_EQ(written.status, 0) << written.err;
    EXPECT_NE(written.err.find("lacks the value of variable "), std::string::npos) << written.err;
    const app::Result read = croton({"graph", file});
    EXPECT_EQ(read.status, 1);
    EXPECT_NE(read.err.find("cannot be built again without the value of variable "), std::string::npos) << read.err;
}

TEST_F(Cli, deepGraphsStayNarrow)
{
    const std::string recorded = m_scratch / "deep.croton";
    std::string text = "x";
    for (int i = 0; i < 60; ++i) text = "erf(" + text + ")";
    const app::Result expr = croton({"expr", "x: dvector; " + text, "-o", recorded});
    ASSERT_EQ(expr.status, 0) << expr.err;
    const app::Result graph = croton({"graph", recorded, "--stage", "original"});
    EXPECT_NE(graph.out.find("\n(+1) "), std::string::npos) << graph.out;
    EXPECT_NE(graph.out.find("\n(+20) "), std::string::npos) << graph.out;
    std::istringstream lines(graph.out);
    for (std::string line; std::getline(lines, line);) EXPECT_LT(line.size(), 140u) << line;
}

TEST_F(Cli, passesCountAndTime)
{
    const app::Result text = croton({"passes", session(), "--function", "train", "--steps"});
    EXPECT_NE(text.out.find("canonicalize"), std::string::npos);
    EXPECT_NE(text.out.find("local_gemm_to_gemv"), std::string::npos);
    const auto json = nlohmann::json::parse(croton({"passes", session(), "--json"}).out);
    ASSERT_EQ(json.size(), 2u);
    int steps = 0;
    for (const auto &pass : json[0]["passes"]) steps += pass["steps"].get<int>();
    EXPECT_EQ(steps + 1, static_cast<int>(json[0]["steps"].size()));
}

TEST_F(Cli, saysWhichFunctionItChose)
{
    const app::Result graph = croton({"graph", session()});
    EXPECT_EQ(graph.err.rfind("croton: this is ", 0), 0u) << graph.err;
    EXPECT_NE(graph.err.find("one of 2 functions"), std::string::npos) << graph.err;
    EXPECT_EQ(croton({"graph", session(), "--function", "train"}).err, "");
    EXPECT_EQ(croton({"passes", session(), "--function", "1"}).err, "");
}

TEST_F(Cli, rewritesOfTheScriptAreShownWithTheirPlace)
{
    const std::string script = m_scratch / "own.py", recorded = m_scratch / "own.croton";
    std::ofstream(script)
        << "import theano, theano.tensor as T\n"
           "from theano.gof import local_optimizer, optimizer\n"
           "@T.opt.register_canonicalize\n"
           "@local_optimizer([T.cosh])\n"
           "def local_own(node):\n"
           "    'Sines are nicer.'\n"
           "    return [T.sin(node.inputs[0])]\n"
           "@optimizer\n"
           "def own_whole(fgraph):\n"
           "    for node in fgraph.toposort():\n"
           "        if node.op == T.sin: fgraph.replace_validate(node.outputs[0], T.tan(node.inputs[0]), reason='tangents')\n"
           "theano.compile.optdb.register('own_whole', own_whole, 1.9, 'fast_run')\n"
           "x = T.dvector('x')\n"
           "theano.function([x], T.cosh(x))\n";
    const app::Result profiled = croton({"profile", script, "-o", recorded});
    if (lacksPython(profiled)) GTEST_SKIP() << profiled.err;
    ASSERT_EQ(profiled.status, 0) << profiled.err;
    const app::Result passes = croton({"passes", recorded, "--changed", "--steps"});
    EXPECT_NE(passes.out.find("local_own  " + script + ":3  Sines are nicer."), std::string::npos) << passes.out;
    EXPECT_NE(passes.out.find("own_whole  " + script + ":8  "), std::string::npos) << passes.out;
    EXPECT_NE(passes.out.find("tangents"), std::string::npos) << passes.out;
}

TEST_F(Cli, functionsOfOneNameAreToldApart)
{
    const std::string script = m_scratch / "loop.py", recorded = m_scratch / "loop.croton";
    std::ofstream(script) << "import theano, theano.tensor as T\n"
                             "for i in range(3):\n"
                             "    x = T.dvector('x')\n"
                             "    f = theano.function([x], T.exp(x) * (i + 2))\n"
                             "f([1, 2])\n";
    const app::Result profiled = croton({"profile", script, "-o", recorded});
    if (lacksPython(profiled)) GTEST_SKIP() << profiled.err;
    ASSERT_EQ(profiled.status, 0) << profiled.err;
    const app::Result all = croton({"passes", recorded, "--changed"});
    for (const char *number : {"(function 1): ", "(function 2): ", "(function 3): "})
        EXPECT_NE(all.out.find("loop.py:4 " + std::string(number)), std::string::npos) << all.out;
    EXPECT_EQ(croton({"passes", recorded, "--changed", "--function", "loop.py:4"}).out, all.out);
    const app::Result first = croton({"graph", recorded, "--function", "loop.py:4"});
    EXPECT_NE(first.err.find("the first of 3 functions"), std::string::npos) << first.err;
    EXPECT_EQ(croton({"graph", recorded, "--function", "3"}).err, "");
    EXPECT_EQ(croton({"report", recorded, "--function", "loop.py:4"}).status, 0);
    const app::Result none = croton({"graph", recorded, "--function", "4"});
    expectComplaint(none, 1);
    EXPECT_NE(none.err.find("loop.py:4 (function 2)"), std::string::npos) << none.err;
    const app::Result kernels = croton({"graph", recorded, "--function", "1", "--kernels"});
    expectComplaint(kernels, 1);
    EXPECT_NE(kernels.err.find("it was not called"), std::string::npos) << kernels.err;
}

TEST_F(Cli, kernelsOfAScriptAreCompiledForIt)
{
    const std::string script = m_scratch / "once.py";
    std::ofstream(script) << "import theano, theano.tensor as T\n"
                             "x = T.dvector('x')\n"
                             "theano.function([x], (x * x + 1) * (x - 2))([1, 2])\n";
    const app::Result kernels = croton({"graph", script, "--kernels"});
    if (lacksPython(kernels)) GTEST_SKIP() << kernels.err;
    ASSERT_EQ(kernels.status, 0) << kernels.err;
    EXPECT_NE(kernels.out.find("Composite"), std::string::npos) << kernels.out;
    EXPECT_EQ(kernels.out.find("not compiled"), std::string::npos) << kernels.out;
}

TEST_F(Cli, progressIsOfTheNewSession)
{
    const std::string script = m_scratch / "again.py", recorded = session();
    std::ofstream(script) << "import time\ntime.sleep(0.8)\n";
    const app::Result shown = app::run(
        {"script", "-qec", std::string(CROTON_PROGRAM) + " profile -o " + recorded + " " + script, "/dev/null"}, m_scratch / ".", {});
    if (shown.out.find("the Python part is not there") != std::string::npos) // a terminal has no stderr of its own
        GTEST_SKIP() << shown.out;
    if (shown.err.find("failed to create pseudo-terminal") != std::string::npos) GTEST_SKIP() << shown.err; // without /dev/pts
    ASSERT_EQ(shown.status, 0) << shown.out << shown.err;
    EXPECT_NE(shown.out.find("0 functions, 0 calls"), std::string::npos) << shown.out;
    EXPECT_EQ(shown.out.find("2 functions"), std::string::npos) << shown.out;
}

TEST_F(Cli, scriptsWithoutFunctionsSaySo)
{
    const std::string script = m_scratch / "none.py";
    std::ofstream(script) << "print('hello')\n";
    const app::Result graph = croton({"graph", script});
    if (lacksPython(graph)) GTEST_SKIP() << graph.err;
    EXPECT_EQ(graph.status, 1);
    EXPECT_EQ(graph.out, "");
    EXPECT_NE(graph.err.find("no function was compiled (theano.function"), std::string::npos) << graph.err;
}

TEST_F(Cli, passesSayWhyNot)
{
    const std::string recorded = m_scratch / "why.croton";
    const app::Result expr = croton({"expr", "x: dvector; 3 * log(2 + x)", "-o", recorded});
    ASSERT_EQ(expr.status, 0) << expr.err;
    const app::Result text = croton({"passes", recorded, "--why-not", "log"});
    EXPECT_EQ(text.status, 0) << text.err;
    EXPECT_NE(text.out.find("local_log1p"), std::string::npos) << text.out;
    EXPECT_NE(text.out.find("no term of the sum is the constant 1"), std::string::npos) << text.out;
    const auto json = nlohmann::json::parse(croton({"passes", recorded, "--why-not", "log", "--json"}).out);
    bool found = false;
    for (const auto &answer : json[0]["applies"][0]["declined"])
        found |= answer["rewrite"] == "local_log1p" && answer["becauseLabel"].get<std::string>().find("add") != std::string::npos;
    EXPECT_TRUE(found) << json.dump(1);
    // A number is the place in the printed graph, a letter before it makes it the id.
    const app::Result first = croton({"passes", recorded, "--why-not", "0"});
    EXPECT_EQ(first.status, 0) << first.err;
    const std::string id = first.out.substr(0, first.out.find(' '));
    EXPECT_EQ(id.substr(0, 1), "a") << first.out;
    EXPECT_EQ(croton({"passes", recorded, "--why-not", id}).out, first.out);
    for (const char *missing : {"nothing_of_that_name", "99", "a999999"})
        expectComplaint(croton({"passes", recorded, "--why-not", missing}), 1);
}

TEST_F(Cli, writesTheJournal)
{
    const std::string path = m_scratch / "journal.json";
    EXPECT_EQ(croton({"graph", session(), "--function", "train", "--journal", path}).status, 0);
    const auto journal = nlohmann::json::parse(app::readFile(path));
    EXPECT_EQ(journal["format"], "croton-journal");
    ASSERT_GT(journal["steps"].size(), 1u);
    EXPECT_EQ(journal["steps"][0]["edits"][0]["edit"], "add variable");
    EXPECT_FALSE(journal["steps"][1]["rewrite"].get<std::string>().empty());
}

TEST_F(Cli, snapshotsOpenAndSayWhatTheyAre)
{
    const std::string live = m_scratch / "live.croton";
    std::optional<profiler::LiveSession> running(live);
    EXPECT_EQ(croton({"snapshot", live, m_scratch / "copy.croton"}).status, 0);
    const app::Result report = croton({"report", m_scratch / "copy.croton"});
    EXPECT_EQ(report.status, 0);
    EXPECT_NE(report.out.find("this is a snapshot"), std::string::npos);
    expectComplaint(croton({"snapshot", live, live}), 1);
    running.reset();
    EXPECT_EQ(croton({"snapshot", live, m_scratch / "copy.croton"}).status, 0);
    EXPECT_EQ(profiler::SessionReader::open(m_scratch / "copy.croton")->info().state, profiler::SessionState::Finished);
}

TEST_F(Cli, sessionsAreListedAndDeleted)
{
    const std::string cache = "XDG_CACHE_HOME=" + (m_scratch / "cache");
    const std::string folder = m_scratch / "cache/croton/sessions";
    EXPECT_NE(croton({"sessions"}, {cache}).out.find("0 sessions"), std::string::npos);
    std::filesystem::create_directories(folder);
    for (const char *name : {"/a.croton", "/b.croton"}) std::filesystem::copy_file(CROTON_REAL_SESSION, folder + name);
    std::ofstream(folder + "/bad.croton") << "nothing";
    const auto json = nlohmann::json::parse(croton({"sessions", "--json"}, {cache}).out);
    EXPECT_EQ(json["sessions"].size(), 3u);
    EXPECT_EQ(croton({"sessions", "--delete", "a"}, {cache}).status, 0);
    EXPECT_FALSE(std::filesystem::exists(folder + "/a.croton"));
    expectComplaint(croton({"sessions", "--delete", "bad"}, {cache}), 1);
    EXPECT_EQ(croton({"sessions", "--budget", "0"}, {cache}).status, 0);
    EXPECT_FALSE(std::filesystem::exists(folder + "/b.croton"));
}

TEST_F(Cli, devicesTellWhatTheProcessorIsUsedAs)
{
    const auto part = [&](const char *name, std::vector<std::string> environment) {
        const auto json = nlohmann::json::parse(croton({"devices", "--json"}, environment).out);
        for (const auto &one : json["parts"])
            if (one["name"] == name) return one;
        return nlohmann::json();
    };
    EXPECT_EQ(part("blas", {"OPENBLAS_CORETYPE=Prescott"}), part("blas", {}));
    EXPECT_NE(part("blas", {})["description"].get<std::string>().find("OpenBLAS"), std::string::npos);
    const auto wrong = part("level", {"CROTON_CPU_LEVEL=v9"});
    EXPECT_EQ(wrong["available"], false);
    EXPECT_EQ(wrong["reason"].get<std::string>().rfind("CROTON_CPU_LEVEL=v9 is no level", 0), 0u);
#if defined(__x86_64__)
    EXPECT_EQ(part("level", {"CROTON_CPU_LEVEL=v2"})["description"], "x86-64-v2, by CROTON_CPU_LEVEL");
    EXPECT_NE(part("blas", {"CROTON_BLAS_CORE=Prescott"})["description"].get<std::string>().find("core Prescott, by CROTON_BLAS_CORE"),
              std::string::npos);
#endif
}

TEST_F(Cli, devicesGiveReasons)
{
    const auto json = nlohmann::json::parse(croton({"devices", "--json"}).out);
    EXPECT_EQ(json["devices"][0]["name"], "cpu");
    for (const auto &device : json["devices"]) EXPECT_NE(device[device["available"].get<bool>() ? "description" : "reason"], "");
}

TEST_F(Cli, showsTheHistoryOfAScript)
{
    const std::string folder = m_scratch / ".", first = session(), second = m_scratch / "t.croton";
    std::filesystem::copy_file(first, second);
    std::ofstream(m_scratch / "damaged.croton") << "no session";
    const app::Result shown = croton({"history", first, folder});
    EXPECT_EQ(shown.status, 0) << shown.err;
    for (const char *part : {"2 sessions", "\ntrain\n", "s.croton", "t.croton", "Left out: "})
        EXPECT_NE(shown.out.find(part), std::string::npos) << part << shown.out;
    EXPECT_EQ(nlohmann::json::parse(croton({"history", first, folder, "--json"}).out)["sessions"].size(), 2u);
    expectComplaint(croton({"history", m_scratch / "absent.py", folder}), 1);
    expectComplaint(croton({"history", first, second}), 2);
    expectComplaint(croton({"history", m_scratch / "absent.croton"}), 1);
}

TEST_F(Cli, saysWhatACallWouldTake)
{
    const app::Result roof = croton({"whatif", session(), "--function", "train", "--at-roof", "all", "--without", "transfers"});
    EXPECT_EQ(roof.status, 0) << roof.err;
    EXPECT_NE(roof.out.find("no run can verify it"), std::string::npos) << roof.out;
    const auto json = nlohmann::json::parse(croton({"whatif", session(), "--function", "train", "--threads", "3", "--json"}).out);
    EXPECT_GT(json["predictedNs"].get<double>(), 0);
    EXPECT_TRUE(json["verifiedNs"].is_null());
    std::filesystem::copy_file(session(), m_scratch / "s-if-threads-3.croton");
    const auto kept = nlohmann::json::parse(croton({"whatif", session(), "--function", "train", "--threads", "3", "--json"}).out);
    EXPECT_EQ(kept["verifiedNs"], kept["nowNs"]) << "the session of a run that was asked for is found again";
    EXPECT_TRUE(
        nlohmann::json::parse(croton({"whatif", session(), "--function", "train", "--device", "cuda0", "--json"}).out)["predictedNs"]
            .is_null());
    expectComplaint(croton({"whatif", session(), "--function", "train"}), 2);
    expectComplaint(croton({"whatif", session(), "--function", "train", "--at-roof", "Nothing"}), 1);
    expectComplaint(croton({"whatif", session(), "--function", "train", "--at-roof", "all", "--verify"}), 2);
}

TEST_F(Cli, comparesTwoSessions)
{
    const app::Result same = croton({"compare", session(), session()});
    EXPECT_EQ(same.status, 0);
    EXPECT_NE(same.out.find("0 of the applies changed significantly"), std::string::npos) << same.out;
    const auto json = nlohmann::json::parse(croton({"compare", session(), session(), "--json"}).out);
    EXPECT_EQ(json["alarms"], 0);
    EXPECT_EQ(json["functions"].size(), 2u);
    EXPECT_EQ(croton({"compare", session(), session(), "--fail-over", "10%"}).status, 0);
    expectComplaint(croton({"compare", session()}), 2);
    expectComplaint(croton({"compare", session(), session(), "--fail-over", "much"}), 2);
    expectComplaint(croton({"compare", session(), m_scratch / "absent.croton"}), 1);
}

// Twice the memory in the second: the command fails where a limit was given.
TEST_F(Cli, failsOverALimit)
{
    const std::string other = m_scratch / "other.croton";
    std::filesystem::copy_file(session(), other);
    {
        profiler::Database database(other, profiler::Database::Access::Write);
        database.execute("UPDATE plans SET measured_peak_bytes=peak_bytes*2");
    }
    profiler::Database database(session(), profiler::Database::Access::Write);
    database.execute("UPDATE plans SET measured_peak_bytes=peak_bytes");
    EXPECT_EQ(croton({"compare", session(), other}).status, 0);
    const app::Result failed = croton({"compare", session(), other, "--fail-over", "10%"});
    EXPECT_EQ(failed.status, 1);
    EXPECT_NE(failed.err.find("is worse than"), std::string::npos) << failed.err;
    EXPECT_NE(failed.err.find("by 100.0%, more than 10.0%"), std::string::npos) << failed.err;
    EXPECT_EQ(croton({"compare", session(), other, "--fail-over", "0.5"}).status, 1);
    EXPECT_EQ(croton({"compare", session(), other, "--fail-over", "150%"}).status, 0);
}

TEST_F(Cli, exportsForOtherPrograms)
{
    const auto trace = nlohmann::json::parse(croton({"export", session(), "--chrome-trace"}).out);
    EXPECT_GT(trace["traceEvents"].size(), 100u);
    EXPECT_EQ(croton({"export", session(), "--csv"}).out.rfind("name,function,id,percent", 0), 0u);
    EXPECT_EQ(croton({"export", session(), "--csv", "--table", "lines"}).out.rfind("file,line,percent", 0), 0u);
    const auto all = nlohmann::json::parse(croton({"export", session(), "--json"}).out);
    EXPECT_EQ(all["graphs"].size(), 2u);
    EXPECT_EQ(all["graphs"][0]["optimized"]["format"], "croton-graph");
    const std::string page = m_scratch / "page.html";
    EXPECT_EQ(croton({"export", session(), "--html", "-o", page}).status, 0);
    EXPECT_EQ(app::readFile(page).rfind("<!DOCTYPE html>", 0), 0u);
    expectComplaint(croton({"export", session()}), 2);
    expectComplaint(croton({"export", session(), "--csv", "--json"}), 2);
    expectComplaint(croton({"export", session(), "--csv", "--table", "none"}), 1);
    expectComplaint(croton({"export", session(), "--json", "-o", "/nowhere/x.json"}), 1);
}

TEST_F(Cli, cacheIsDescribedAndCleared)
{
    const std::string folder = "CROTON_CACHE_DIR=" + (m_scratch / "kernels");
    const auto json = nlohmann::json::parse(croton({"cache", "--json"}, {folder}).out);
    EXPECT_EQ(json["files"], 0);
    EXPECT_EQ(json["directory"], m_scratch / "kernels/kernels");
    std::ofstream(m_scratch / "kernels/kernels/0123456789abcdef0123456789abcdef.so") << "no library";
    EXPECT_NE(croton({"cache"}, {folder}).out.find("1 compiled kernel file,"), std::string::npos);
    EXPECT_EQ(croton({"cache", "clear"}, {folder}).out, "deleted 1 compiled kernel file\n");
    EXPECT_NE(croton({"cache", "info"}, {folder}).out.find("0 compiled kernel files"), std::string::npos);
    expectComplaint(croton({"cache", "fill"}, {folder}), 2);
}

TEST_F(Cli, comparingWhatHasNothingInCommonIsNoSuccess)
{
    const std::string other = m_scratch / "other.croton";
    std::filesystem::copy_file(session(), other);
    {
        profiler::Database database(other, profiler::Database::Access::Write);
        database.execute("UPDATE functions SET name = name || ' of another program', file = 'other.py'");
    }
    const app::Result said = croton({"compare", session(), other, "--rows", "2"});
    EXPECT_EQ(said.status, 0);
    EXPECT_NE(said.err.find("have no function in common"), std::string::npos) << said.err;
    EXPECT_NE(said.out.find(" more)\n"), std::string::npos) << said.out;
    EXPECT_EQ(croton({"compare", session(), other, "--fail-over", "10%"}).status, 1);
}

TEST_F(Cli, namesStayWithinTheirLine)
{
    {
        profiler::Database database(session(), profiler::Database::Access::Write);
        database.execute("UPDATE functions SET name = 'two' || char(10) || 'lines' || char(27) || '[31m' WHERE name = 'train'");
    }
    for (const char *style : {"lines", "theano", "profilemode", "summary"}) {
        const std::string text = croton({"report", session(), "--style", style}).out;
        EXPECT_NE(text.find("two\\nlines\\x1b[31m"), std::string::npos) << style;
        EXPECT_EQ(text.find('\x1b'), std::string::npos) << style;
    }
}

TEST_F(Cli, reportLeavesTheWarmUpOutOnRequest)
{
    EXPECT_EQ(croton({"report", session(), "--steady"}).status, 0);
    const app::Result memory = croton({"report", session(), "--min-peak", "--function", "train"});
    EXPECT_NE(memory.out.find("Minimum peak from all valid apply node order is"), std::string::npos) << memory.out;
}

} // namespace
