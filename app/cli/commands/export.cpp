#include "app/cli/shared/command.h"
#include "app/cli/shared/graphviz.h"
#include "app/cli/shared/output.h"
#include "app/cli/shared/session_source.h"
#include "profiler/export/chrome_trace.h"
#include "profiler/export/csv_export.h"
#include "profiler/export/graph_export.h"
#include "profiler/export/html_export.h"
#include "profiler/export/json_export.h"
#include "profiler/export/json_text.h"
#include "profiler/session/store/reader.h"
#include "profiler/stats/times/trace.h"

#include <cstdio>
#include <sstream>

namespace app {

namespace {

constexpr int kLargestPicture = 300; // applies; above, Graphviz takes minutes and nobody reads the picture

void chromeTrace(std::ostream &out, profiler::SessionReader &reader)
{
    profiler::writeChromeTrace(out, profiler::loadProfile(reader), profiler::loadTrace(reader), reader.messages());
}

// Empty: too large for a picture.
std::string dotOf(const profiler::GraphReplica &graph, const profiler::FunctionInfo &function)
{
    if (graph.applyCount() > kLargestPicture) return {};
    profiler::DotOptions options;
    options.updates = function.updates;
    return profiler::graphDot(graph, options);
}

// Two of each graph, drawn by one process: to begin one takes longer than most pictures.
void draw(std::vector<profiler::HtmlGraph> &graphs, const std::vector<std::string> &dots)
try {
    std::vector<std::string> pictures = svgsOfDots(dots);
    for (std::size_t i = 0; i < graphs.size(); ++i) {
        graphs[i].originalSvg = std::move(pictures[2 * i]);
        graphs[i].optimizedSvg = std::move(pictures[2 * i + 1]);
    }
} catch (const CliError &error) {
    printErr("croton: the page shows graphs as text: %s\n", error.what());
}

std::string html(profiler::SessionReader &reader)
{
    const profiler::ProfileData data = profiler::loadProfile(reader);
    std::vector<profiler::HtmlGraph> graphs;
    std::vector<std::string> dots;
    for (const profiler::FunctionInfo &function : data.functions) {
        if (function.graph == profiler::kNoGraph) continue;
        profiler::HtmlGraph graph;
        graph.function = function.id;
        graph.steps = reader.steps(function.graph);
        if (graph.steps.empty()) // beyond a limit of the session, which the report states
            continue;
        profiler::GraphReplica replica = reader.replica(function.graph);
        graph.originalText = profiler::graphText(replica, true);
        dots.push_back(dotOf(replica, function));
        replica.goTo(replica.stepCount());
        graph.optimizedText = profiler::graphText(replica, true);
        dots.push_back(dotOf(replica, function));
        graphs.push_back(std::move(graph));
    }
    draw(graphs, dots);
    return profiler::htmlPage(data, reader.script(), graphs);
}

std::string json(profiler::SessionReader &reader)
{
    nlohmann::json all = profiler::reportJson(profiler::loadProfile(reader), {});
    nlohmann::json graphs = nlohmann::json::array();
    for (const profiler::FunctionInfo &function : reader.functions()) {
        if (function.graph == profiler::kNoGraph) continue;
        nlohmann::json row = {{"function", raw(function.id)}, {"name", function.name}, {"original", nullptr}, {"optimized", nullptr}};
        if (!reader.steps(function.graph).empty()) { // else they are beyond a limit of the session
            profiler::GraphReplica replica = reader.replica(function.graph);
            const profiler::GraphDocuments documents = reader.documents(function.graph);
            row["original"] = profiler::graphJson(replica, documents, function.updates);
            replica.goTo(replica.stepCount());
            row["optimized"] = profiler::graphJson(replica, documents, function.updates);
        }
        graphs.push_back(std::move(row));
    }
    all["graphs"] = std::move(graphs);
    return profiler::jsonText(all);
}

int exportSession(const Arguments &arguments)
{
    std::string chosen;
    for (const char *format : {"--chrome-trace", "--csv", "--json", "--html"})
        if (arguments.has(format)) {
            if (!chosen.empty()) throw UsageError("croton export writes one format at a time, not " + chosen + " and " + format);
            chosen = format;
        }
    if (chosen.empty()) throw UsageError("croton export wants a format", "--chrome-trace, --csv, --json or --html");
    if (arguments.has("--table") && chosen != "--csv") throw UsageError("--table chooses what --csv writes, it means nothing to " + chosen);
    const auto reader = openSession(arguments.words[0]);
    const std::string path = arguments.get("-o");
    std::string text;
    if (chosen == "--chrome-trace") {
        std::ostringstream out;
        chromeTrace(out, *reader);
        text = out.str();
    } else if (chosen == "--csv") {
        text = profiler::csvTable(profiler::loadProfile(*reader), arguments.get("--table", "applies"));
    } else if (chosen == "--json") {
        text = json(*reader);
    } else {
        text = html(*reader);
    }
    writeOutput(path, text, arguments.words[0]);
    return 0;
}

} // namespace

Command exportCommand()
{
    Command command;
    command.name = "export";
    command.words = "S.croton";
    command.summary = "write a session for other programs";
    std::string tables;
    for (const std::string &name : profiler::csvTables()) tables += (tables.empty() ? "" : ", ") + name;
    command.options = {
        {"--chrome-trace", "", "the timeline for Perfetto or chrome://tracing"},
        {"--csv", "", "a table, with a header line"},
        {"--json", "", "tables and graphs"},
        {"--html", "", "one page with report, graph pictures and steps"},
        {"--table", "NAME", "which table --csv writes: " + tables},
        {"-o", "FILE", "write there instead of stdout"},
    };
    command.leastWords = command.mostWords = 1;
    command.run = exportSession;
    return command;
}

} // namespace app
