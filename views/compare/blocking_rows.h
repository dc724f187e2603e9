#pragma once

#include "profiler/compare/blocking_pairs.h"
#include "views/common/text_table.h"
#include "views/session/session_data.h"

#include <QString>

namespace views {

/// One session with CUDA_LAUNCH_BLOCKING off and on: what `croton profile --both` recorded.
struct BlockingRows {
    explicit BlockingRows(const SessionData &session);

    std::vector<profiler::BlockingPair> pairs;
    QString caption; ///< which session, and what the numbers are

    /// A row's key is its place among the pairs.
    TextTable table() const;
    std::vector<double> deltas() const;
    QString headline() const; ///< "▲ 3.98 × as long with blocking"
    QString sentence() const; ///< "all calls: 20.4 ms off, 81.1 ms on"

private:
    std::vector<QString> m_functions; ///< of each pair
    double m_off = 0, m_on = 0;       ///< of all calls
};

} // namespace views
