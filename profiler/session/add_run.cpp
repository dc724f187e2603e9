#include "profiler/session/add_run.h"

#include "profiler/session/database.h"
#include "profiler/session/model_run.h"
#include "profiler/session/tables.h"

namespace profiler {

namespace {

// Functions of both sessions that have the same name and run the same applies in the same order.
constexpr const char *kSame =
    "SELECT f.id FROM main.functions f JOIN other.functions o USING (id, name, graph) WHERE"
    " (SELECT group_concat(apply || op) FROM (SELECT apply, op FROM main.graph_applies WHERE graph = f.graph AND in_optimized ORDER BY optimized_index)) IS"
    " (SELECT group_concat(apply || op) FROM (SELECT apply, op FROM other.graph_applies WHERE graph = o.graph AND in_optimized ORDER BY optimized_index))";

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

} // namespace profiler
