#include "profiler/session/store/add_ranks.h"

#include "profiler/session/store/database.h"
#include "profiler/session/store/tables.h"

namespace profiler {

void addRanks(const std::string &session, const Job &job)
{
    Database database(session, Database::Access::Write);
    if (database.columns(RankRow::kTable.name).empty())
        throw SessionError(session + " was written by a croton that knew no ranks", "profile the script again");
    Transaction transaction(database);
    database.execute("DELETE FROM ranks; DELETE FROM rank_functions; DELETE FROM rank_communication");
    Tables tables(database);
    tables.all<RankRow>(job.ranks);
    tables.all<RankFunction>(job.functions);
    tables.all<RankCommunication>(job.communication);
    transaction.commit();
}

} // namespace profiler
