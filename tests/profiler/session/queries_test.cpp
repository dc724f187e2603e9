// What people ask of a session with sqlite3: the documented questions, and every pair of tables and views that is about the same nodes.
// None may look through the whole session again for each of its rows.
#include "profiler/session/codec/edit_codec.h"
#include "profiler/session/codec/pages.h"
#include "profiler/session/store/database.h"
#include "profiler/session/store/files.h"
#include "profiler/session/store/reader.h"
#include "profiler/session/store/writer.h"
#include "tests/profiler/session/as_sqlite3.h"
#include "tests/profiler/session/scratch.h"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <array>
#include <fstream>
#include <regex>
#include <sstream>
#include <utility>

using namespace profiler;

namespace {

using Questions = std::vector<std::pair<std::string, std::string>>; // name, SQL

std::string textOf(const std::string &file)
{
    std::ostringstream text;
    text << std::ifstream(CROTON_SOURCE "/" + file).rdbuf();
    return text.str();
}

// Those of profiler/session/queries.md.
Questions numberedQuestions()
{
    Questions questions;
    const std::string text = textOf("profiler/session/queries.md");
    const std::regex line("[0-9]+\\. ([^:\n]+): `(SELECT [^`]*;)`");
    for (std::sregex_iterator one(text.begin(), text.end(), line), end; one != end; ++one) questions.emplace_back((*one)[1], (*one)[2]);
    return questions;
}

// Those, and what the page on sessions asks.
Questions documentedQuestions()
{
    Questions questions = numberedQuestions();
    const std::string text = textOf("resources/docs/session.md");
    const std::regex quoted("\"(SELECT [^\"]*)\"");
    for (std::sregex_iterator one(text.begin(), text.end(), quoted), end; one != end; ++one)
        questions.emplace_back("the page on sessions", (*one)[1]);
    return questions;
}

// Every table and view with rows of applies beside every other one, and the same of variables.
Questions pairsOfTables(Database &database)
{
    Questions questions;
    for (const char *node : {"apply", "variable"}) {
        std::vector<std::string> names;
        Statement tables(database, "SELECT DISTINCT t.name FROM sqlite_schema t, pragma_table_info(t.name) c, pragma_table_info(t.name) d "
                                   "WHERE t.type IN ('table', 'view') AND c.name='graph' AND d.name=? ORDER BY 1");
        tables.bindAll(node);
        while (tables.step()) names.push_back(tables.text(0));
        EXPECT_GT(names.size(), 5u) << node;
        for (const std::string &a : names)
            for (const std::string &b : names)
                for (const char *join : {" JOIN ", " LEFT JOIN "})
                    questions.emplace_back(a + join + b + " by " + node,
                                           "SELECT count(*), sum(b.graph) FROM " + a + " a" + join + b + " b USING (graph, " + node + ")");
    }
    return questions;
}

// A function of so many applies in a row, with everything that the questions ask for.
std::string sessionOf(const Scratch &scratch, std::uint32_t applies)
{
    const std::string path = scratch / (std::to_string(applies) + ".croton");
    const auto writer = SessionWriter::create(path, {});
    const FunctionId function{0};
    const GraphId graph{0};
    FunctionInfo info;
    info.id = function;
    info.graph = graph;
    writer->setFunction(info);
    writer->setGraph({.id = graph, .function = function});
    const StringId word = writer->intern("exp"), file = writer->intern("a.py");
    std::array<ChainId, 20> chains{};
    for (std::size_t i = 0; i < chains.size(); ++i) {
        const auto line = static_cast<std::uint32_t>(i);
        const ChainId outer = writer->chainOf(kNoChain, {file, line + 1}, word);
        chains[i] = writer->chainOf(outer, {file, line + 100}, word);
    }
    std::vector<ApplyFacts> rows;
    std::vector<CostFacts> costs;
    std::vector<LineShare> lines;
    std::vector<ChainShare> ofChains;
    std::vector<VariableFacts> variables;
    std::vector<VariableSize> sizes;
    std::vector<VariableChain> variableChains;
    std::vector<ApplyStats> stats;
    std::vector<PlanItem> items;
    std::vector<BufferRow> buffers;
    std::vector<ApplyGroup> groups;
    std::vector<Transfer> transfers;
    std::vector<Event> events;
    std::vector<Kernel> kernels;
    std::vector<DeviceKernel> deviceKernels;
    std::vector<MemoryEvent> memory;
    std::vector<Decline> declines;
    std::vector<LastDeclines> last;
    for (std::uint32_t i = 0; i < applies; ++i) {
        const ApplyId apply{i};
        const VariableId variable{i};
        const int position = static_cast<int>(i);
        const bool fromTwo = i % 3 == 0;
        ApplyFacts row;
        row.graph = graph;
        row.apply = apply;
        row.op = row.friendly = row.opClass = row.device = row.createdPhase = row.createdRewrite = row.implementation = word;
        row.inOriginal = row.inOptimized = true;
        row.originalIndex = row.optimizedIndex = position;
        row.inputs = jsonIds(std::vector{VariableId{i ? i - 1 : 0}});
        if (i % 5 == 1) row.origins = jsonIds(std::vector{ApplyId{i - 1}, apply});
        const ChainId chain = chains[i % chains.size()], other = chains[(i + 1) % chains.size()];
        if (fromTwo) {
            for (const int line : {1, 2}) lines.push_back({graph, apply, file, line, 0.5});
            for (const ChainId one : {chain, other}) ofChains.push_back({graph, apply, one, 0.5});
        } else {
            row.file = file;
            row.line = 1 + position % 40;
            row.chain = chain;
        }
        rows.push_back(std::move(row));
        costs.push_back({graph, apply, 10, 80});
        VariableFacts one;
        one.graph = graph;
        one.variable = variable;
        one.owner = apply;
        variables.push_back(one);
        sizes.push_back({graph, variable, "(10,)", 80});
        variableChains.push_back({graph, variable, chain});
        for (const bool steady : {false, true}) {
            ApplyStats times;
            times.function = function;
            times.graph = graph;
            times.apply = apply;
            times.steady = steady;
            times.calls = times.totalNs = 5;
            stats.push_back(times);
        }
        items.push_back({function, 0, position, graph, apply, position / 4, "kernel"});
        BufferRow buffer;
        buffer.function = function;
        buffer.graph = graph;
        buffer.variable = variable;
        buffer.apply = apply;
        buffers.push_back(buffer);
        if (i % 4 == 0) groups.push_back({graph, position / 4, "rows", {}, false});
        groups.back().applies.push_back(apply);
        transfers.push_back({function, graph, apply, "HtoD", "cuda0", 1, 8, 100});
        Event event;
        event.function = function;
        event.graph = graph;
        event.apply = apply;
        events.push_back(event);
        Kernel kernel;
        kernel.function = function;
        kernel.graph = graph;
        kernel.apply = apply;
        kernels.push_back(kernel);
        DeviceKernel onDevice;
        onDevice.function = function;
        onDevice.graph = graph;
        onDevice.apply = apply;
        deviceKernels.push_back(onDevice);
        memory.push_back({100, "cpu", 8, 8, function, graph, apply});
        writer->addCheck({function, graph, apply, 0, "value", true, {}});
        Message message;
        message.graph = graph;
        message.apply = apply;
        writer->addMessage(message);
        declines.push_back({graph, std::string("rows"), apply, 0, std::string("no")});
        last.push_back({graph, apply, 0, {}});
    }
    writer->setApplies(std::move(rows));
    writer->setApplyCosts(std::move(costs));
    writer->setLineShares(std::move(lines));
    writer->setChainShares(std::move(ofChains));
    writer->setVariables(std::move(variables));
    writer->setVariableSizes(std::move(sizes));
    writer->setVariableChains(std::move(variableChains));
    writer->setApplyStats(std::move(stats));
    PlanInfo plan;
    plan.function = function;
    writer->setPlan(plan, std::move(items), std::move(buffers));
    writer->setApplyGroups(graph, std::move(groups));
    writer->setTransfers(std::move(transfers));
    writer->addEvents(std::move(events));
    writer->addKernels(std::move(kernels));
    writer->setDeviceKernels(std::move(deviceKernels));
    writer->addMemoryEvents(std::move(memory));
    writer->addDeclines(std::move(declines));
    EXPECT_TRUE(writer->addLastDeclines(std::move(last)));
    writer->finish(0);
    return path;
}

// How many steps of SQLite's machine each question takes until it has given all rows.
class Machine {
public:
    explicit Machine(const std::string &path) : m_database(path) {}
    Database &database() { return m_database; }
    // At most about `most`, where it stops.
    std::int64_t stepsOf(const std::string &sql, std::int64_t most)
    {
        m_left = most / kEvery;
        const std::int64_t begin = m_left;
        sqlite3_progress_handler(
            m_database.handle(), kEvery, [](void *left) { return --*static_cast<std::int64_t *>(left) < 0 ? 1 : 0; }, &m_left);
        try {
            Statement statement(m_database, sql);
            while (statement.step()) {
            }
        } catch (const SessionError &) {
            EXPECT_LT(m_left, 0) << sql << ": " << sqlite3_errmsg(m_database.handle());
        }
        return (begin - m_left) * kEvery;
    }

private:
    static constexpr int kEvery = 100;
    AsSqlite3 m_database;
    std::int64_t m_left = 0;
};

class Queries : public testing::Test {
protected:
    // Twice the session may take twice the steps, and some more for trees that are deeper.
    void expectToBeLinear(const Questions &questions)
    {
        constexpr double kMost = 2.6;
        constexpr std::int64_t kSmall = 4000, kEndless = std::int64_t{1} << 40;
        for (const auto &[name, sql] : questions) {
            const std::int64_t once = m_once.stepsOf(sql, kEndless);
            const auto most = static_cast<std::int64_t>(kMost * static_cast<double>(once)) + kSmall;
            EXPECT_LT(m_twice.stepsOf(sql, most), most) << name << " took " << once << " steps in half of the session\n" << sql;
        }
    }

    static constexpr std::uint32_t kApplies = 200;
    Scratch m_scratch;
    Machine m_once{sessionOf(m_scratch, kApplies)}, m_twice{sessionOf(m_scratch, 2 * kApplies)};
};

TEST_F(Queries, thatAreDocumentedAreLinear)
{
    const Questions questions = documentedQuestions();
    EXPECT_GE(questions.size(), 14u);
    expectToBeLinear(questions);
}

TEST_F(Queries, ofTwoTablesAreLinear) { expectToBeLinear(pairsOfTables(m_once.database())); }

// One question about all of 25,000 applies takes no time that a person notices: 25 million steps are well under a second.
TEST_F(Queries, ofManyAppliesAreCheap)
{
    constexpr std::int64_t kStepsOfAnApply = 1200;
    for (const auto &[name, sql] : documentedQuestions())
        EXPECT_LT(m_twice.stepsOf(sql, std::int64_t{1} << 40), kStepsOfAnApply * 2 * kApplies) << name;
}

TEST_F(Queries, staySoInASessionOfManyApplies)
{
    constexpr std::uint32_t kMany = 25000;
    Machine many(sessionOf(m_scratch, kMany));
    for (const auto &[name, sql] : documentedQuestions()) {
        const std::int64_t few = m_twice.stepsOf(sql, std::int64_t{1} << 40);
        const std::int64_t most = 2 * (few + 4000) * kMany / (2 * kApplies);
        EXPECT_LT(many.stepsOf(sql, most), most) << name << " took " << few << " steps at " << 2 * kApplies << " applies\n" << sql;
    }
}

// What the readers ask SQLite for, in steps of its machine, while this lives.
class StepsOfReaders {
public:
    StepsOfReaders()
    {
        s_steps = 0;
        sqlite3_auto_extension(reinterpret_cast<void (*)()>(&watch));
    }
    ~StepsOfReaders() { sqlite3_cancel_auto_extension(reinterpret_cast<void (*)()>(&watch)); }
    [[nodiscard]] std::int64_t take() { return std::exchange(s_steps, 0); }

private:
    static int watch(sqlite3 *database, char **, const sqlite3_api_routines *)
    {
        const auto count = [](unsigned, void *, void *statement, void *) {
            s_steps += sqlite3_stmt_status(static_cast<sqlite3_stmt *>(statement), SQLITE_STMTSTATUS_VM_STEP, 1);
            return 0;
        };
        return sqlite3_trace_v2(database, SQLITE_TRACE_PROFILE, count, nullptr);
    }
    static inline std::int64_t s_steps = 0;
};

// One graph of a session costs the same, however many functions others have.
TEST(Session, readsAGraphWithoutThoseOfOtherFunctions)
{
    const auto stepsWith = [](std::uint32_t functions) {
        const Scratch scratch;
        const auto writer = SessionWriter::create(scratch / "a.croton", {});
        for (std::uint32_t i = 0; i < functions; ++i) {
            FunctionInfo info;
            info.id = FunctionId{i};
            info.graph = GraphId{i};
            writer->setFunction(info);
            writer->setGraph({.id = GraphId{i}, .function = FunctionId{i}});
            StepFacts import;
            import.graph = GraphId{i};
            import.edits = encodeEdits({});
            writer->addSteps({import});
            PlanInfo plan;
            plan.function = FunctionId{i};
            writer->setPlan(plan, {{FunctionId{i}, 0, 0, GraphId{i}, ApplyId{0}, 0, "kernel"}}, {});
            writer->addPasses({{.graph = GraphId{i}}}, {{.graph = GraphId{i}}});
        }
        writer->finish(0);
        StepsOfReaders steps;
        const auto reader = SessionReader::open(scratch / "a.croton");
        (void)reader->graphRows(GraphId{0}); // with all texts that there are
        (void)steps.take();
        (void)reader->graphRows(GraphId{1});
        (void)reader->steps(GraphId{1});
        (void)reader->replica(GraphId{1});
        return steps.take();
    };
    const std::int64_t few = stepsWith(20);
    EXPECT_GT(few, 0);
    EXPECT_LT(stepsWith(200), few + few / 4);
}

TEST(Session, answersTheDocumentedQuestions)
{
    const Scratch scratch;
    copyFile(CROTON_REAL_SESSION, scratch / "a.croton");
    AsSqlite3 database(scratch / "a.croton");
    const Questions questions = numberedQuestions();
    for (const auto &[name, sql] : questions) {
        Statement statement(database, sql);
        const bool nothing = name.find("transfer") != std::string::npos; // it ran on the host
        EXPECT_NE(statement.step(), nothing) << name;
    }
    EXPECT_EQ(questions.size(), 12u);
}

} // namespace
