#pragma once

#include "app/studio/session_data.h"
#include "views/code/source_view.h"
#include "views/profile/cost_table_model.h"
#include "views/profile/functions_view.h"
#include "views/profile/summary_view.h"

#include <map>
#include <memory>

namespace app {

/// What one apply costs, as profiler/stats has it.
struct ApplyCost {
    double seconds = 0;
    double perCall = 0;
    std::int64_t calls = 0;
    double share = 0;          ///< of the function's time in thunks
    double shareOfSlowest = 0; ///< of the slowest apply of its function
    QString quality;           ///< count, spread, clock
};

/// The numbers of a session, turned from profiler/stats into rows of the views. Made in the reading thread.
struct Costs {
    std::map<profiler::ApplyKey, ApplyCost> applies;
    /// Rows for one function, or for all (key kNoFunction).
    std::map<profiler::FunctionId, std::vector<views::CostRow>> classes, ops, applyRows;
    std::map<profiler::FunctionId, views::ProfileSummary> summaries;
    std::map<std::pair<profiler::FunctionId, std::string>, QHash<int, views::LineMark>> lines;
    std::map<profiler::FunctionId, QString> shares;  ///< "CGemv 59.6% Elemwise 30.1% other 10.3%" as rich text
    std::map<profiler::FunctionId, QString> outside; ///< "Outside thunks 11.5%"
    std::map<profiler::FunctionId, QString> perCall; ///< "133.0 µs": the whole call of a function
    QString finished; ///< "10 002 calls in 1.591 s"
    std::map<profiler::FunctionId, std::pair<double, double>> ends; ///< fastest and slowest apply, seconds a call

    const ApplyCost *find(const profiler::ApplyKey &key) const {
        const auto found = applies.find(key);
        return found == applies.end() ? nullptr : &found->second;
    }
};

std::shared_ptr<const Costs> costsOf(const SessionData &session);
std::vector<views::FunctionRow> functionRows(const SessionData &session);

} // namespace app
