#include "profiler/export/chrome_trace.h"
#include "profiler/export/csv_export.h"
#include "profiler/export/html_export.h"
#include "profiler/session/reader.h"
#include "tests/profiler/session/fixture.h"
#include "tests/profiler/session/scratch.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <map>
#include <regex>
#include <set>
#include <sstream>

using namespace profiler;
using nlohmann::json;

namespace {

class Export : public testing::Test {
protected:
    Export() {
        fixture::FixtureSession session(m_scratch / "a.croton");
        m_reader = SessionReader::open(m_scratch / "a.croton");
        m_data = loadProfile(*m_reader);
    }
    Scratch m_scratch;
    std::unique_ptr<SessionReader> m_reader;
    ProfileData m_data;
};

// What the Trace Event Format asks of each kind of event that is written.
void expectValidTrace(const json &trace) {
    ASSERT_TRUE(trace["traceEvents"].is_array());
    EXPECT_TRUE(trace["displayTimeUnit"] == "ns" || trace["displayTimeUnit"] == "ms");
    std::set<int> named;
    std::set<std::int64_t> open;
    std::map<int, std::vector<std::pair<double, double>>> spans;
    for (const json &event : trace["traceEvents"]) {
        ASSERT_TRUE(event["ph"].is_string() && event["ph"].get<std::string>().size() == 1) << event;
        ASSERT_TRUE(event["name"].is_string()) << event;
        ASSERT_TRUE(event["pid"].is_number_integer() && event["tid"].is_number_integer()) << event;
        const char kind = event["ph"].get<std::string>()[0];
        if (kind == 'M') {
            ASSERT_TRUE(event["args"].is_object());
            if (event["name"] == "thread_name")
                named.insert(event["tid"].get<int>());
            continue;
        }
        ASSERT_TRUE(event["ts"].is_number() && event["ts"].get<double>() >= 0) << event;
        switch (kind) {
        case 'X':
            ASSERT_TRUE(event["dur"].is_number() && event["dur"].get<double>() >= 0) << event;
            EXPECT_TRUE(named.contains(event["tid"].get<int>())) << event;
            spans[event["tid"].get<int>()].emplace_back(event["ts"], event["ts"].get<double>() + event["dur"].get<double>());
            break;
        case 'C':
            for (const auto &[name, value] : event["args"].items())
                EXPECT_TRUE(value.is_number()) << name;
            break;
        case 's': open.insert(event["id"].get<std::int64_t>()); break;
        case 'f':
            EXPECT_TRUE(open.contains(event["id"].get<std::int64_t>())) << "ends what never began";
            EXPECT_EQ(event["bp"], "e");
            break;
        case 'i': EXPECT_TRUE(event["s"] == "g" || event["s"] == "p" || event["s"] == "t"); break;
        default: ADD_FAILURE() << event;
        }
    }
    // Spans of a lane nest or stand apart.
    for (auto &[tid, list] : spans) {
        std::sort(list.begin(), list.end(), [](const auto &a, const auto &b) { return a.first != b.first ? a.first < b.first : a.second > b.second; });
        std::vector<double> ends;
        for (const auto &[begin, end] : list) {
            while (!ends.empty() && ends.back() <= begin + 1e-3)
                ends.pop_back();
            if (!ends.empty())
                EXPECT_LE(end, ends.back() + 1e-3) << "lane " << tid << " at " << begin;
            ends.push_back(end);
        }
    }
}

TEST_F(Export, chromeTraceIsValid) {
    std::ostringstream out;
    TraceContents contents;
    contents.lanes = m_reader->lanes();
    contents.events = m_reader->events(0, INT64_MAX, SIZE_MAX);
    contents.memoryEvents = m_reader->memoryEvents();
    contents.messages = m_reader->messages();
    writeChromeTrace(out, m_data, contents);
    const json trace = json::parse(out.str());
    expectValidTrace(trace);
    std::size_t spans = 0;
    for (const json &event : trace["traceEvents"])
        spans += event["ph"] == "X";
    EXPECT_EQ(spans, contents.events.size());
    EXPECT_GT(spans, 100u);
}

// A device's session as its recorder would write it: a launch on the host, the kernel and copies on their lanes.
TEST_F(Export, chromeTraceJoinsLaunchesAndKernels) {
    TraceContents contents;
    contents.lanes = {{0, LaneKind::Host, "cpu", "main"}, {1, LaneKind::Stream, "cuda0", "stream 7"}, {2, LaneKind::Copy, "cuda0", "HtoD"}};
    const auto event = [](int lane, EventKind kind, std::int64_t start, std::int64_t ns, std::int64_t correlation) {
        Event one;
        one.lane = lane;
        one.kind = kind;
        one.startNs = start;
        one.durationNs = ns;
        one.correlation = correlation;
        one.name = eventKindName(kind);
        return one;
    };
    contents.events = {event(0, EventKind::Apply, 1000, 400, 5), event(2, EventKind::Copy, 1100, 900, 6), event(1, EventKind::Kernel, 1500, 2500, 5)};
    contents.memoryEvents = {{1000, "cuda0", 4096, 4096, {}, {}, {}}};
    std::ostringstream out;
    writeChromeTrace(out, {}, contents);
    const json trace = json::parse(out.str());
    expectValidTrace(trace);
    int ends = 0;
    for (const json &one : trace["traceEvents"])
        ends += one["ph"] == "f" && one["id"] == 5 && one["tid"] == 1;
    EXPECT_EQ(ends, 1);
}

// Rows of a CSV text by RFC 4180.
std::vector<std::vector<std::string>> rowsOf(const std::string &text) {
    std::vector<std::vector<std::string>> rows;
    std::vector<std::string> row{""};
    bool quoted = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (quoted && c == '"' && i + 1 < text.size() && text[i + 1] == '"')
            row.back() += text[++i];
        else if (c == '"')
            quoted = !quoted;
        else if (!quoted && c == ',')
            row.emplace_back();
        else if (!quoted && c == '\r')
            continue;
        else if (!quoted && c == '\n') {
            rows.push_back(row);
            row = {""};
        } else
            row.back() += c;
    }
    EXPECT_FALSE(quoted);
    return rows;
}

TEST_F(Export, csvReadsBack) {
    for (const std::string &name : csvTables()) {
        const auto rows = rowsOf(csvTable(m_data, name));
        ASSERT_FALSE(rows.empty()) << name;
        for (const auto &row : rows)
            EXPECT_EQ(row.size(), rows[0].size()) << name;
    }
    const auto rows = rowsOf(csvTable(m_data, "applies"));
    const Table table = makeTable(m_data, TableKind::Apply);
    ASSERT_EQ(rows.size(), table.rows.size() + 1);
    for (std::size_t i = 0; i < table.rows.size(); ++i) {
        EXPECT_EQ(rows[i + 1][0], table.rows[i].name); // names hold commas and braces
        EXPECT_EQ(rows[i + 1][4], std::to_string(table.rows[i].ns));
    }
    EXPECT_THROW((void)csvTable(m_data, "everything"), SessionError);
}

TEST_F(Export, htmlIsOnePageThatNeedsNothingElse) {
    HtmlGraph graph;
    graph.function = m_data.functions[0].id;
    graph.originalSvg = "<?xml version=\"1.0\"?>\n<svg><title>first</title></svg>\n";
    graph.optimizedText = "a < b & c";
    graph.steps = m_reader->steps(m_data.functions[0].graph);
    const std::string page = htmlPage(m_data, m_reader->script(), {graph});
    EXPECT_EQ(page.rfind("<!DOCTYPE html>", 0), 0u);
    EXPECT_NE(page.find("<svg><title>first</title></svg>"), std::string::npos);
    EXPECT_EQ(page.find("<?xml"), std::string::npos);
    EXPECT_NE(page.find("a &lt; b &amp; c"), std::string::npos);
    EXPECT_NE(page.find("local_dot_to_gemv"), std::string::npos);
    EXPECT_NE(page.find("Function profiling"), std::string::npos);
    EXPECT_EQ(page.find("<script"), std::string::npos);
    EXPECT_FALSE(std::regex_search(page, std::regex("(src|href)=\"http")));
    // Every element that is opened is closed.
    std::vector<std::string> open;
    const std::regex tag("<(/?)([a-z0-9]+)[^>]*>");
    for (auto it = std::sregex_iterator(page.begin(), page.end(), tag); it != std::sregex_iterator(); ++it) {
        const std::string name = (*it)[2];
        if (name == "meta" || name == "br")
            continue;
        if ((*it)[1].length() == 0) {
            open.push_back(name);
            continue;
        }
        ASSERT_FALSE(open.empty()) << name;
        ASSERT_EQ(open.back(), name);
        open.pop_back();
    }
    EXPECT_TRUE(open.empty());
}

TEST_F(Export, htmlLetsNoScriptIn) {
    m_data.info.label = "<script>alert(1)</script>";
    HtmlGraph graph;
    graph.function = m_data.functions[0].id;
    graph.originalSvg = "<svg><script>alert(2)</script></svg>";
    const std::string page = htmlPage(m_data, m_reader->script(), {graph});
    EXPECT_EQ(page.find("<script"), std::string::npos);
}

} // namespace
