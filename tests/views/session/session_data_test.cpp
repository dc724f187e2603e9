#ifndef Q_MOC_RUN // moc 6.4 stumbles over <concepts>
#include "profiler/session/database.h"
#include "profiler/session/reader.h"
#include "tests/profiler/record/live_session.h"
#include "tests/profiler/session/scratch.h"
#include "views/session/session_data.h"
#endif

#include <QtTest>

using namespace views;

/// Reading a session, and reading it again while it grows.
class SessionDataTest : public QObject {
    Q_OBJECT

    profiler::Scratch m_scratch;

private Q_SLOTS:
    void everyGraphHasItsRows()
    {
        const auto reader = profiler::SessionReader::open(CROTON_REAL_SESSION);
        const auto session = readSession(*reader, nullptr);
        QVERIFY(session->graphs.size() > 1);
        std::size_t applies = 0;
        for (const auto &[id, graph] : session->graphs) {
            QCOMPARE(graph->applies.size(), reader->applies(id).size());
            QCOMPARE(graph->variables.size(), reader->variables(id).size());
            QCOMPARE(graph->passes.size(), reader->passes(id).size());
            QCOMPARE(graph->passRewrites.size(), reader->passRewrites(id).size());
            QCOMPARE(graph->origins.size(), reader->origins(id).size());
            QCOMPARE(graph->sourceLinks.size(), reader->sourceLinks(id).size());
            for (const auto &row : graph->applies) QVERIFY(row.graph == id);
            applies += graph->applies.size();
        }
        QCOMPARE(session->profile.applies.size(), applies);
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
        QVERIFY(reader->passes(first->functions.front().graph).empty());
        const auto second = readSession(*reader, first.get());
        QVERIFY(second->functions.front().run.calls > calls);
        QVERIFY(!first->profile.passes.empty());
        QCOMPARE(second->profile.passes.size(), first->profile.passes.size());
        for (const auto &[id, graph] : first->graphs) QCOMPARE(second->graphs.at(id).get(), graph.get());
        QVERIFY(second->costs->of(first->functions.front().id)->summary.calls > calls);
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
