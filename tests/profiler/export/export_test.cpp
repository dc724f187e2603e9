#include "profiler/export/chrome_trace.h"
#include "profiler/export/csv_export.h"
#include "profiler/export/html_export.h"
#include "profiler/session/store/reader.h"

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
    const std::unique_ptr<SessionReader> m_reader = SessionReader::open(CROTON_REAL_SESSION);
    ProfileData m_data = loadProfile(*m_reader);
};

constexpr double kMostMicros = 9007199254740992.0 / 1000; // a double still tells nanoseconds apart

// What the Trace Event Format asks of each kind of event that is written, and what Perfetto refuses beyond it: spans of a
// thread that overlap without nesting, arrows that begin or end outside of a span, times before the beginning.
void expectValidTrace(const json &trace)
{
    ASSERT_TRUE(trace["traceEvents"].is_array());
    EXPECT_TRUE(trace["displayTimeUnit"] == "ns" || trace["displayTimeUnit"] == "ms");
    std::set<int> named;
    std::set<std::int64_t> open;
    std::vector<json> arrows;
    std::map<int, std::vector<std::pair<double, double>>> spans;
    for (const json &event : trace["traceEvents"]) {
        ASSERT_TRUE(event["ph"].is_string() && event["ph"].get<std::string>().size() == 1) << event;
        ASSERT_TRUE(event["name"].is_string()) << event;
        ASSERT_TRUE(event["pid"].is_number_integer() && event["tid"].is_number_integer()) << event;
        EXPECT_TRUE(event["pid"].get<std::int64_t>() > 0 && event["pid"].get<std::int64_t>() <= INT32_MAX) << event;
        EXPECT_TRUE(event["tid"].get<std::int64_t>() >= 0 && event["tid"].get<std::int64_t>() <= INT32_MAX) << event;
        const char kind = event["ph"].get<std::string>()[0];
        if (kind == 'M') {
            ASSERT_TRUE(event["args"].is_object());
            EXPECT_TRUE(event["name"] == "process_name" || event["name"] == "thread_name" || event["name"] == "thread_sort_index") << event;
            if (event["name"] == "thread_sort_index") {
                EXPECT_TRUE(event["args"]["sort_index"].is_number_integer()) << event;
            } else {
                EXPECT_TRUE(event["args"]["name"].is_string()) << event;
            }
            if (event["name"] == "thread_name") named.insert(event["tid"].get<int>());
            continue;
        }
        ASSERT_TRUE(event["ts"].is_number() && event["ts"].get<double>() >= 0 && event["ts"].get<double>() < kMostMicros) << event;
        EXPECT_FALSE(event["name"].get<std::string>().empty()) << event;
        switch (kind) {
        case 'X':
            ASSERT_TRUE(event["dur"].is_number() && event["dur"].get<double>() >= 0) << event;
            EXPECT_TRUE(named.contains(event["tid"].get<int>())) << event;
            spans[event["tid"].get<int>()].emplace_back(event["ts"], event["ts"].get<double>() + event["dur"].get<double>());
            break;
        case 'C':
            for (const auto &[name, value] : event["args"].items()) EXPECT_TRUE(value.is_number()) << name;
            break;
        case 's':
            EXPECT_TRUE(event["id"].get<double>() < 9e15) << event;
            arrows.push_back(event);
            open.insert(event["id"].get<std::int64_t>());
            break;
        case 'f':
            arrows.push_back(event);
            EXPECT_TRUE(open.contains(event["id"].get<std::int64_t>())) << "ends what never began";
            EXPECT_EQ(event["bp"], "e");
            break;
        case 'i': EXPECT_TRUE(event["s"] == "g" || event["s"] == "p" || event["s"] == "t"); break;
        default: ADD_FAILURE() << event;
        }
    }
    for (const json &arrow : arrows) {
        const auto &list = spans[arrow["tid"].get<int>()];
        const double at = arrow["ts"];
        EXPECT_TRUE(std::any_of(list.begin(), list.end(), [&](const auto &span) { return span.first <= at && at <= span.second; }))
            << arrow;
    }
    // Spans of a lane nest or stand apart.
    for (auto &[tid, list] : spans) {
        std::sort(list.begin(), list.end(),
                  [](const auto &a, const auto &b) { return a.first != b.first ? a.first < b.first : a.second > b.second; });
        std::vector<double> ends;
        for (const auto &[begin, end] : list) {
            while (!ends.empty() && ends.back() <= begin + 1e-3) ends.pop_back();
            if (!ends.empty()) {
                EXPECT_LE(end, ends.back() + 1e-3) << "lane " << tid << " at " << begin;
            }
            ends.push_back(end);
        }
    }
}

TEST_F(Export, chromeTraceIsValid)
{
    std::ostringstream out;
    const Trace contents = loadTrace(*m_reader);
    writeChromeTrace(out, m_data, contents, m_reader->messages());
    const json trace = json::parse(out.str());
    expectValidTrace(trace);
    std::size_t spans = 0;
    for (const json &event : trace["traceEvents"]) spans += event["ph"] == "X";
    EXPECT_EQ(spans, contents.events.size());
    EXPECT_GT(spans, 100u);
}

// A device's session as its recorder would write it: a launch on the host, the kernel and copies on their lanes.
TEST_F(Export, chromeTraceJoinsLaunchesAndKernels)
{
    Trace contents;
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
    contents.events = {event(0, EventKind::Apply, 1000, 400, 5), event(2, EventKind::Copy, 1100, 900, 6),
                       event(1, EventKind::Kernel, 1500, 2500, 5)};
    contents.memoryEvents = {{1000, "cuda0", 4096, 4096, {}, {}, {}}};
    std::ostringstream out;
    writeChromeTrace(out, {}, contents, {});
    const json trace = json::parse(out.str());
    expectValidTrace(trace);
    int ends = 0;
    for (const json &one : trace["traceEvents"]) ends += one["ph"] == "f" && one["id"] == 5 && one["tid"] == 1;
    EXPECT_EQ(ends, 1);
}

TEST_F(Export, chromeTracePartsWhatRanAtTheSameTime)
{
    Trace contents;
    contents.lanes = {{0, LaneKind::Host, "cpu", "calls"}};
    const auto event = [](EventKind kind, std::int64_t start, std::int64_t ns) {
        Event one;
        one.kind = kind;
        one.startNs = start;
        one.durationNs = ns;
        return one;
    };
    // Two threads call functions; the last apply of the first seems to outlast its call by a rounding; an early event.
    contents.events = {event(EventKind::Call, 10'000, 50'000), event(EventKind::Apply, 12'000, 48'003),
                       event(EventKind::Call, 40'000, 60'000), event(EventKind::Apply, 41'000, 30'000),
                       event(EventKind::Range, -50, 1'000),    event(EventKind::Call, 110'000, 5'000),
                       event(EventKind::Call, 114'999, 5'000)};
    std::ostringstream out;
    writeChromeTrace(out, {}, contents, {});
    const json trace = json::parse(out.str());
    expectValidTrace(trace);
    std::map<int, int> perThread;
    double whole = 0;
    for (const json &one : trace["traceEvents"])
        if (one["ph"] == "X") {
            ++perThread[one["tid"].get<int>()];
            whole += one["dur"].get<double>();
        }
    EXPECT_EQ(perThread.size(), 2u);
    EXPECT_EQ(perThread[0], 5);
    EXPECT_NEAR(whole, 50 + 48 + 60 + 30 + 1 + 5 + 5, 0.1);
}

// Rows of a CSV text by RFC 4180.
std::vector<std::vector<std::string>> rowsOf(const std::string &text)
{
    std::vector<std::vector<std::string>> rows;
    std::vector<std::string> row{""};
    bool quoted = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (quoted && c == '"' && i + 1 < text.size() && text[i + 1] == '"') row.back() += text[++i];
        else if (c == '"') quoted = !quoted;
        else if (!quoted && c == ',') row.emplace_back();
        else if (!quoted && c == '\r') continue;
        else if (!quoted && c == '\n') {
            rows.push_back(row);
            row = {""};
        } else row.back() += c;
    }
    EXPECT_FALSE(quoted);
    return rows;
}

TEST_F(Export, csvReadsBack)
{
    for (const std::string &name : csvTables()) {
        const auto rows = rowsOf(csvTable(m_data, name));
        ASSERT_FALSE(rows.empty()) << name;
        for (const auto &row : rows) EXPECT_EQ(row.size(), rows[0].size()) << name;
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

TEST_F(Export, cellsOfCsvAreNoFormulasAndSteerNoTerminal)
{
    const std::map<std::string, std::string> cells{{"", ""},
                                                   {"-1.5e-3", "-1.5e-3"},
                                                   {"+7", "+7"},
                                                   {"-inf", "-inf"},
                                                   {"a-b", "a-b"},
                                                   {"a,\"b\"", "\"a,\"\"b\"\"\""},
                                                   {"=1+2", "\"'=1+2\""},
                                                   {"-2+3", "\"'-2+3\""},
                                                   {"@SUM(1,2)", "\"'@SUM(1,2)\""},
                                                   {"\t=1", "\\x09=1"},
                                                   {"a\x1b[31m\r\n\xc2\x9b", "a\\x1b[31m\\x0d\\n\\u009b"},
                                                   {"\xff\xc3", "\xef\xbf\xbd\xef\xbf\xbd"},
                                                   {"\xe2\x82\xac", "\xe2\x82\xac"}};
    for (const auto &[text, cell] : cells) EXPECT_EQ(csvCell(text), cell);
}

TEST_F(Export, htmlIsOnePageThatNeedsNothingElse)
{
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
    EXPECT_NE(page.find("local_gemm_to_gemv"), std::string::npos);
    EXPECT_NE(page.find("Function profiling"), std::string::npos);
    EXPECT_EQ(page.find("<script"), std::string::npos);
    EXPECT_FALSE(std::regex_search(page, std::regex("(src|href)=\"http")));
    // Every element that is opened is closed.
    std::vector<std::string> open;
    const std::regex tag("<(/?)([a-z0-9]+)[^>]*>");
    for (auto it = std::sregex_iterator(page.begin(), page.end(), tag); it != std::sregex_iterator(); ++it) {
        const std::string name = (*it)[2];
        if (name == "meta" || name == "br") continue;
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

TEST_F(Export, htmlLetsNoScriptIn)
{
    m_data.info.label = "<script>alert(1)</script>";
    HtmlGraph graph;
    graph.function = m_data.functions[0].id;
    graph.originalSvg = "<svg><script>alert(2)</script></svg>";
    const std::string page = htmlPage(m_data, m_reader->script(), {graph});
    EXPECT_EQ(page.find("<script"), std::string::npos);
}

} // namespace
