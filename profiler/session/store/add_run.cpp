#include "profiler/session/store/add_run.h"

#include "profiler/session/model/model_run.h"
#include "profiler/session/store/database.h"
#include "profiler/session/store/tables.h"

namespace profiler {

namespace {

// Functions of both sessions that have the same name and run the same applies in the same order. Of their tables: views of a
// session are not trusted.
constexpr const char *kSame =
    "SELECT f.id FROM main.functions f JOIN other.functions o USING (id, name, graph) WHERE"
    " (SELECT group_concat(apply || op) FROM (SELECT a.apply AS apply, s.text AS op FROM main.applies a JOIN main.strings s ON s.id = a.op"
    " WHERE a.graph = f.graph AND a.in_optimized ORDER BY a.optimized_index)) IS"
    " (SELECT group_concat(apply || op) FROM (SELECT a.apply AS apply, s.text AS op FROM other.applies a JOIN other.strings s ON s.id = a.op"
    " WHERE a.graph = o.graph AND a.in_optimized ORDER BY a.optimized_index))";

} // namespace

std::int64_t addRun(const std::string &session, const std::string &run, int number)
{
    Database database(session, Database::Access::Write);
    Statement(database, "ATTACH ? AS other").run(run);
    const std::int64_t later = database.integer(
        "SELECT 1000000 * ((SELECT value FROM other.meta WHERE key = 'created_unix_ms') - (SELECT value FROM main.meta WHERE key = 'created_unix_ms'))");
    const std::int64_t lane = std::int64_t{number - 1} * kLanesPerRun;
    std::int64_t taken = 0;
    {
        Transaction transaction(database);
        const std::string same = "(" + std::string(kSame) + ")";
        Statement(database,
                  "INSERT INTO main.lanes (id, kind, device, name) SELECT id + ?, kind, device, name || ', run ' || ? FROM other.lanes")
            .run(lane, number);
        Statement(database,
                  "INSERT INTO main.events (lane, kind, start_ns, duration_ns, function, call, graph, apply, correlation, bytes, name)"
                  " SELECT e.lane + ?, e.kind, e.start_ns + ?, e.duration_ns, e.function, e.call, e.graph, e.apply, NULL, e.bytes, e.name"
                  " FROM other.events e JOIN other.functions f ON f.id = e.function"
                  " WHERE e.kind IN ('call', 'apply') AND e.call >= f.warmup_calls AND f.id IN " +
                      same + " ORDER BY e.id")
            .run(lane, later);
        taken = database.integer("SELECT changes()");
        Tables(database).meta("runs", std::to_string(number));
        transaction.commit();
    }
    database.execute("DETACH other");
    return taken;
}

std::int64_t addBlockingTimes(const std::string &session, const std::string &run)
{
    Database database(session, Database::Access::Write);
    Statement(database, "ATTACH ? AS other").run(run);
    const std::string same = "(" + std::string(kSame) + ")";
    database.execute(
        "CREATE TEMP TABLE blocking AS SELECT p.function AS function, p.graph AS graph, json_extract(r.value, '$[0]') AS apply,"
        " 1.0 * sum(json_extract(r.value, '$[9]')) / max(1, sum(json_extract(r.value, '$[3]'))) AS ns"
        " FROM other.stat_pages p, json_each(p.rows) r WHERE json_extract(r.value, '$[9]') IS NOT NULL AND p.function IN " +
        same + " GROUP BY 1, 2, 3");
    const std::int64_t functions = database.integer("SELECT count(DISTINCT function) FROM temp.blocking");
    {
        Transaction transaction(database);
        // Each run of a script may call a function as often as it likes: what counts is the time of a call.
        database.execute("UPDATE main.stat_pages AS p SET rows = (SELECT json_group_array(json(json_set(r.value, '$[9]',"
                         " (SELECT CAST(b.ns * json_extract(r.value, '$[3]') AS INTEGER) FROM temp.blocking b WHERE b.function = p.function"
                         " AND b.graph = p.graph AND b.apply = json_extract(r.value, '$[0]'))))) FROM json_each(p.rows) r)"
                         " WHERE p.function IN (SELECT function FROM temp.blocking)");
        transaction.commit();
    }
    database.execute("DROP TABLE temp.blocking");
    database.execute("DETACH other");
    return functions;
}

} // namespace profiler
