#pragma once

namespace profiler {

inline constexpr int kApplicationId = 0x43526f4e; // "CRoN"
inline constexpr int kSchemaMajor = 3;

// The text of schema.sql.
extern const char *const kSchemaSql;

} // namespace profiler
