// The tables of all levels that this processor can run.
#pragma once

#include "engine/rt/rt.h"

#include <vector>

namespace rt {

inline std::vector<const RtTable *> tables()
{
    std::vector<const RtTable *> result;
    for (const char *level : {"x86-64-v2", "x86-64-v3", "x86-64-v4", "base"})
        if (const RtTable *table = rt_table_at(level)) result.push_back(table);
    return result;
}

} // namespace rt
