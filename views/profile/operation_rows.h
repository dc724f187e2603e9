#pragma once

#include "views/profile/cost_table_model.h"
#include "views/session/session_data.h"

#include <map>

namespace views {

/// The rows of the tables, for each function and for all of them.
struct OperationRows {
    explicit OperationRows(const SessionData &session);

    struct Tables {
        CostTable classes, ops, applies, lines, files, devices;
        const CostTable &of(CostTableKind kind) const;
    };
    std::map<profiler::FunctionId, std::shared_ptr<const Tables>> functions; ///< all together under kNoFunction
    std::map<profiler::GraphId, Tables> nested;                              ///< what runs inside a Scan
};

} // namespace views
