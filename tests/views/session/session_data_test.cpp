#ifndef Q_MOC_RUN // moc 6.4 stumbles over <concepts>
#include "profiler/session/store/database.h"
#include "profiler/session/store/reader.h"
#include "tests/profiler/record/live_session.h"
#include "tests/profiler/session/scratch.h"
#include "views/session/session_data.h"

#include <sqlite3.h>

#include <map>
#include <regex>
#include <string>
#endif

#include <QtTest>

using namespace views;

/// How often each table is queried by connections that are made while this lives.
class TableReads {
public:
    TableReads() { sqlite3_auto_extension(reinterpret_cast<void (*)()>(&watch)); }
    ~TableReads() { sqlite3_cancel_auto_extension(reinterpret_cast<void (*)()>(&watch)); }
    static std::map<std::string, int> &counts()
    {
        static std::map<std::string, int> counts;
        return counts;
    }
    static QString twice()
    {
        QStringList tables;
        for (const auto &[table, count] : counts())
            if (count > 1) tables << QStringLiteral("%1: %2").arg(QString::fromStdString(table)).arg(count);
        return tables.join(QStringLiteral(", "));
    }

private:
    static int watch(sqlite3 *database, char **, const sqlite3_api_routines *)
    {
        return sqlite3_trace_v2(database, SQLITE_TRACE_STMT, &count, nullptr);
    }
    static int count(unsigned, void *, void *, void *text)
    {
        const std::string sql = static_cast<const char *>(text);
        // A look at whether there is anything new reads no rows.
        if (sql.starts_with("SELECT count(*)") || sql.find("sqlite_schema") != std::string::npos ||
            sql.find("pragma_") != std::string::npos || sql.find("key='state'") != std::string::npos)
            return 0;
        const std::regex from("FROM ([a-z_]+)");
        for (std::sregex_iterator at(sql.begin(), sql.end(), from), end; at != end; ++at) ++counts()[(*at)[1].str()];
        return 0;
    }
};

/// Reading a session, and reading it again while it grows.
class SessionDataTest : public QObject {
    Q_OBJECT

    profiler::Scratch m_scratch;

private Q_SLOTS:
    void everyGraphHasItsRows()
    {
        const auto reader = profiler::SessionReader::open(CROTON_REAL_SESSION);
        const auto session = readSession(*reader, nullptr);
        QVERIFY(session->graphs.size() + session->bodies.size() > 1);
        std::size_t applies = 0;
        for (const profiler::GraphInfo &info : session->profile.graphs) {
            const profiler::GraphId id = info.id;
            const auto graph = session->graph(id);
            QVERIFY(graph && graph == session->graph(id));
            QVERIFY(session->linksOf(id));
            QCOMPARE(graph->info.kind == profiler::GraphKind::Composite, session->bodies.contains(id));
            const profiler::GraphRows rows = reader->graphRows(id);
            QCOMPARE(graph->applies.size(), rows.applies.size());
            QCOMPARE(graph->variables.size(), rows.variables.size());
            QCOMPARE(graph->passes.size(), rows.passes.size());
            QCOMPARE(graph->passRewrites.size(), rows.passRewrites.size());
            QCOMPARE(graph->origins.size(), rows.origins.size());
            QCOMPARE(graph->sourceLinks.size(), rows.sources.size());
            QCOMPARE(graph->declines.size(), rows.declines.size());
            QCOMPARE(graph->steps.size(), rows.steps.size());
            QCOMPARE(graph->lineage.size(), profiler::lineageOf(rows.steps).size());
            for (const auto &row : graph->applies) {
                QVERIFY(row.graph == id);
                QVERIFY(graph->apply(raw(row.apply)) == &row);
            }
            for (const auto &row : graph->variables) QVERIFY(graph->variable(raw(row.variable)) == &row);
            QVERIFY(!graph->apply(-1) && !graph->variable(1'000'000));
            if (!session->bodies.contains(id)) applies += graph->applies.size();
        }
        QCOMPARE(session->profile.applies.size(), applies);
    }
    void everyTableIsReadOnce()
    {
        const std::string path = m_scratch / "once.croton";
        profiler::LiveSession live(path);
        const TableReads reads; // of the readers made from here on
        const auto reader = profiler::SessionReader::open(path);
        const auto ready = [&] { return !reader->functions().empty() && reader->functions().front().run.calls > 0; };
        QTRY_VERIFY_WITH_TIMEOUT(ready(), 10000);
        TableReads::counts().clear();
        const auto first = readSession(*reader, nullptr);
        QCOMPARE(TableReads::twice(), QString());
        QCOMPARE(TableReads::counts()["applies"], 1);
        QCOMPARE(TableReads::counts()["rewrite_steps"], 1);
        live.call(20);
        QTRY_VERIFY_WITH_TIMEOUT(reader->functions().front().run.calls > first->functions.front().run.calls, 10000);
        TableReads::counts().clear();
        (void)readSession(*reader, first.get());
        QCOMPARE(TableReads::twice(), QString());
        for (const char *table : {"applies", "rewrite_steps", "variable_pages", "passes", "script", "sources", "kernels"})
            QCOMPARE(TableReads::counts()[table], 0);
    }
    void aLiveCommitReadsOnlyWhatChanged()
    {
        const std::string path = m_scratch / "live.croton";
        profiler::LiveSession live(path);
        const auto reader = profiler::SessionReader::open(path);
        const auto ready = [&] { return !reader->functions().empty() && reader->functions().front().run.calls > 0; };
        QTRY_VERIFY_WITH_TIMEOUT(ready(), 10000);
        const auto first = readSession(*reader, nullptr);
        const std::int64_t calls = first->functions.front().run.calls;
        live.call(20);
        QTRY_VERIFY_WITH_TIMEOUT(reader->functions().front().run.calls > calls, 10000);
        // Rows of graphs that were not read again cannot be missed.
        profiler::Database(path, profiler::Database::Access::Write).execute("DELETE FROM passes");
        QVERIFY(reader->graphRows(first->functions.front().graph).passes.empty());
        const auto second = readSession(*reader, first.get());
        QVERIFY(second->functions.front().run.calls > calls);
        QVERIFY(!first->profile.passes.empty());
        QCOMPARE(second->profile.passes.size(), first->profile.passes.size());
        for (const auto &[id, graph] : first->graphs) QCOMPARE(second->graphs.at(id).get(), graph.get());
        QVERIFY(second->costs->of(first->functions.front().id)->summary.calls > calls);
    }
    /// Rows of a body come as they run, not by their ids.
    void rowsInAnyOrderAreFoundHoweverManyThereAre()
    {
        constexpr std::uint32_t kRows = 5000, kStride = 2003; // no common factor: every number comes once
        std::vector<profiler::ApplyRow> applies(kRows);
        std::vector<profiler::VariableRow> variables(kRows);
        for (std::uint32_t i = 0; i < kRows; ++i) {
            applies[i].apply = profiler::ApplyId{i * kStride % kRows};
            variables[i].variable = profiler::VariableId{i * kStride % kRows};
        }
        GraphData graph;
        graph.applies = std::move(applies);
        graph.variables = std::move(variables);
        for (std::uint32_t i = 0; i < kRows; ++i) {
            QVERIFY2(graph.apply(i) && raw(graph.apply(i)->apply) == i, qPrintable(QString::number(i)));
            QVERIFY2(graph.variable(i) && raw(graph.variable(i)->variable) == i, qPrintable(QString::number(i)));
        }
        QVERIFY(!graph.apply(kRows));
        QVERIFY(!graph.apply(-1));
    }
    void derivedRowsAreMadeOnce()
    {
        struct Count {
            explicit Count(const SessionData &) : number(++made()) {}
            static int &made()
            {
                static int count = 0;
                return count;
            }
            int number;
        };
        const auto session = std::make_shared<SessionData>();
        const Count &one = session->derived<Count>();
        QCOMPARE(&session->derived<Count>(), &one);
        QCOMPARE(Count::made(), 1);
    }
};

QTEST_GUILESS_MAIN(SessionDataTest)
#include "session_data_test.moc"
