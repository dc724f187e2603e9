#include "profiler/session/store/trials.h"

#include "profiler/session/codec/rows.h"
#include "profiler/session/store/database.h"
#include "profiler/session/store/reader.h"
#include "profiler/session/store/tables.h"

namespace profiler {

namespace {

void refuseRunning(const std::string &session)
{
    if (SessionReader::open(session)->info().state == SessionState::Running)
        throw SessionError(session + " is still being written: nothing can be added to it", "wait for the end of the run");
}

void storeTrial(Database &database, Tables &tables, const TrialRow &trial)
{
    ensureTable(database, TrialRow::kTable);
    tables.remove("DELETE FROM trials WHERE function=? AND call=? AND question=?", trial.function, trial.call, trial.question);
    tables.all<TrialRow>(std::span(&trial, 1));
}

} // namespace

void storeAblation(const std::string &session, std::span<const AblationRow> rows, const TrialRow &trial)
{
    if (rows.empty()) return;
    refuseRunning(session);
    Database database(session, Database::Access::Write);
    ensureTable(database, AblationRow::kTable);
    Transaction transaction(database);
    Tables tables(database);
    tables.remove("DELETE FROM ablations WHERE function=? AND call=? AND by=?", rows[0].function, rows[0].call, rows[0].by);
    tables.all<AblationRow>(rows);
    storeTrial(database, tables, trial);
    tables.clear();
    transaction.commit();
}

void storeAlong(const std::string &session, std::span<const AlongRow> rows, const TrialRow &trial)
{
    if (rows.empty()) return;
    refuseRunning(session);
    Database database(session, Database::Access::Write);
    ensureTable(database, AlongRow::kTable);
    Transaction transaction(database);
    Tables tables(database);
    tables.remove("DELETE FROM along_steps WHERE function=? AND call=?", rows[0].function, rows[0].call);
    tables.all<AlongRow>(rows);
    storeTrial(database, tables, trial);
    tables.clear();
    transaction.commit();
}

void storeRoofs(const std::string &session, std::span<const Roof> roofs)
{
    if (roofs.empty()) return;
    refuseRunning(session);
    Database database(session, Database::Access::Write);
    ensureTable(database, Roof::kTable);
    Transaction transaction(database);
    Tables tables(database);
    tables.remove("DELETE FROM roofs WHERE device=?", roofs[0].device);
    tables.all<Roof>(roofs);
    tables.clear();
    transaction.commit();
}

void storeVerified(const std::string &session, std::span<const VerifiedRow> rows)
{
    if (rows.empty()) return;
    refuseRunning(session);
    Database database(session, Database::Access::Write);
    ensureTable(database, VerifiedRow::kTable);
    Transaction transaction(database);
    Tables tables(database);
    for (const VerifiedRow &row : rows) tables.remove("DELETE FROM verified_runs WHERE function=? AND flags=?", row.function, row.flags);
    tables.all<VerifiedRow>(rows);
    tables.clear();
    transaction.commit();
}

std::vector<VerifiedRow> verifiedRuns(const std::string &session)
{
    (void)SessionReader::open(session); // refuses what is none
    Database database(session, Database::Access::Read);
    return rowsOf<VerifiedRow>(database, VerifiedRow::kTable, "ORDER BY function, flags", nullptr);
}

} // namespace profiler
