#include "profiler/export/format.h"
#include "profiler/export/json_export.h"
#include "profiler/export/report.h"
#include "profiler/session/store/reader.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <regex>
#include <sstream>

using namespace profiler;

namespace {

class Report : public testing::Test {
protected:
    const std::unique_ptr<SessionReader> m_reader = SessionReader::open(CROTON_REAL_SESSION);
    ProfileData m_data = loadProfile(*m_reader);
};

std::vector<std::string> linesBetween(const std::string &text, const std::string &title, const std::string &end)
{
    const std::size_t begin = text.rfind("\n" + title + "\n");
    std::istringstream part(text.substr(begin, text.find(end, begin) - begin));
    std::vector<std::string> lines;
    for (std::string line; std::getline(part, line);)
        if (std::regex_search(line, std::regex("^ +[0-9.]+% "))) lines.push_back(line);
    return lines;
}

TEST_F(Report, profileStyleHasTheTablesAndTheirSums)
{
    const std::string report = profileReport(m_data);
    for (const char *part :
         {"Function profiling\n==================", "  Message: train\n", "  Time in 1003 calls to Function.__call__: ",
          "Message: Sum of all(2) printed profiles", "<% time> <sum %> <apply time> <time per call> <type> <#call> <#apply> <Class name>",
          "<% time> <sum %> <apply time> <time per call> <#call> <id> <Apply name>",
          "   ... (remaining 0 Classes account for   0.00%(0.00s) of the runtime)", "Max peak memory with current setting", "Spent "})
        EXPECT_NE(report.find(part), std::string::npos) << part;
    for (const char *title : {"Class", "Ops", "Apply"}) {
        double sum = 0;
        const auto lines = linesBetween(report, title, "(remaining");
        for (const std::string &line : lines) sum += std::stod(line);
        EXPECT_NEAR(sum, 100, 0.05 * static_cast<double>(lines.size()) + 1e-6) << title;
    }
    const int applies = m_data.functions[0].appliesOptimized + m_data.functions[1].appliesOptimized;
    EXPECT_NE(report.find("Number of Apply nodes: " + std::to_string(applies) + "\n"), std::string::npos);
}

// Thunks are made in the first call, which may take longer than what the linker does.
TEST_F(Report, whatIsIndentedIsAPartOfWhatStandsAbove)
{
    for (FunctionInfo &function : m_data.functions) function.compile.makeThunkNs = 3 * function.compile.totalNs;
    for (PlanItem &item : m_data.planItems) item.prepareNs = 1000;
    std::istringstream lines(profileReport(m_data));
    std::vector<std::pair<std::size_t, double>> above; // indents and seconds
    int looked = 0;
    for (std::string line; std::getline(lines, line) && line.rfind("Time in all call", 0) != 0;) {
        std::smatch time;
        if (!std::regex_search(line, time, std::regex("([0-9.]+e[-+][0-9]+)s"))) continue;
        const std::size_t indent = line.find_first_not_of(' ');
        while (!above.empty() && above.back().first >= indent) above.pop_back();
        if (!above.empty()) {
            EXPECT_LE(std::stod(time[1]), above.back().second) << line;
        }
        above.emplace_back(indent, std::stod(time[1]));
        ++looked;
    }
    EXPECT_GE(looked, 8);
}

TEST_F(Report, cutTablesSayWhatRemains)
{
    ReportOptions options;
    options.ops = 2;
    const std::string report = profileReport(m_data, options);
    const Table ops = makeTable(m_data, TableKind::Op);
    const std::string rest = format("(remaining %zu Ops account for %6.2f%%", ops.rows.size() - 2, 100 - ops.rows[1].cumulativePercent);
    EXPECT_NE(report.find(rest), std::string::npos) << rest;
}

TEST_F(Report, profileModeStyleStatesItsFormulas)
{
    const std::string report = profileModeReport(m_data);
    for (const char *part :
         {"Theano compile time: ", "Theano fct summary:", "Single Op-wise summary:", "Op-wise summary:", "Apply-wise summary:",
          "(*) Op is running a c implementation", "<CGemv>", "Max FAST_RUN_NO_GC (KB)", "1026 Theano fct call"})
        EXPECT_NE(report.find(part), std::string::npos) << part;
}

TEST_F(Report, aFunctionThatWasNeverCalledIsSkipped)
{
    m_data.functions[1].run = {};
    EXPECT_NE(profileReport(m_data).find("Skipping empty Profile of predict"), std::string::npos);
    EXPECT_EQ(profileReport(m_data).find("Sum of all"), std::string::npos);
    EXPECT_NE(profileModeReport(m_data).find(" NOT CALLED predict"), std::string::npos);
    m_data.functions.clear();
    EXPECT_NE(profileReport(m_data).find("No compiled function was called."), std::string::npos);
}

TEST_F(Report, summaryAndPassesAreShort)
{
    const std::string summary = summaryReport(m_data);
    EXPECT_NE(summary.find("logistic regression"), std::string::npos);
    EXPECT_NE(summary.find("<expression>:5"), std::string::npos);
    EXPECT_EQ(summary.find("plans a call"), std::string::npos);
    ProfileData staged = m_data;
    staged.functions[0].stages = 2;
    EXPECT_NE(summaryReport(staged).find("2 plans a call: sizes are known only as it runs"), std::string::npos);
    // A function without a name is its place: the file and the line, whose end is never cut off.
    staged.functions[0].name = "/home/ada/somewhere/far/away/model.py:7";
    staged.functions[0].location = {"/home/ada/somewhere/far/away/model.py", 7};
    staged.functions[1].name = "/home/ada/a_name_that_does_not_fit_into_it.py:158";
    staged.functions[1].location = {"/home/ada/a_name_that_does_not_fit_into_it.py", 158};
    const std::string titled = summaryReport(staged);
    EXPECT_NE(titled.find("\n  model.py:7  "), std::string::npos) << titled;
    EXPECT_NE(titled.find("\n  ...ot_fit_into_it.py:158 "), std::string::npos) << titled;
    const std::string passes = optimizerReport(m_data, m_data.functions[0].id, DistinctTitles(m_data.functions));
    EXPECT_NE(passes.find("  canonicalize\n"), std::string::npos);
    EXPECT_NE(passes.find("(unchanged)"), std::string::npos);
    EXPECT_EQ(optimizerReport(m_data, m_data.functions[0].id, DistinctTitles(m_data.functions), true).find("(unchanged)"),
              std::string::npos);
}

TEST_F(Report, jsonHoldsTheSameNumbers)
{
    const nlohmann::json json = reportJson(m_data);
    const Table ops = makeTable(m_data, TableKind::Op);
    EXPECT_EQ(json["ops"]["rows"].size(), ops.rows.size());
    EXPECT_EQ(json["ops"]["rows"][0]["name"], ops.rows[0].name);
    EXPECT_EQ(json["ops"]["totalNs"], ops.totalNs);
    EXPECT_EQ(json["functions"][0]["name"], "train");
    EXPECT_EQ(json["session"]["state"], "finished");
    const nlohmann::json passes = passesJson(m_data, m_data.functions[0].id, m_reader->steps(m_data.functions[0].graph));
    EXPECT_EQ(passes["steps"].size(), m_data.functions[0].stepCount + 1u);
}

} // namespace
