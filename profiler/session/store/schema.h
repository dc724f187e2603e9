#pragma once
// The tables and views of a session: SQL and documentation, made from what the structs of the model describe.

#include <string>
#include <string_view>
#include <vector>

namespace profiler {

inline constexpr int kApplicationId = 0x43526f4e; // "CRoN"
inline constexpr int kSchemaMajor = 3;

struct SchemaColumn {
    std::string name = {};
    std::string about = {}; // a phrase; empty where the name says it all
    std::string type = {};  // INTEGER, REAL, TEXT or BLOB
    bool mayBeNull = false;
    bool isPrimary = false;
    bool isWord = false;    // a number of `strings`
    bool isOnlyRow = false; // always 1
};

// A table or a view.
struct SchemaItem {
    std::string name;
    std::string about; // sentences
    bool isView = false;
    std::vector<SchemaColumn> columns; // empty for views whose columns are those of their SQL
    std::string sql;                   // what creates it
};

// Everything there is, each behind what it is made of.
[[nodiscard]] const std::vector<SchemaItem> &schemaItems();
[[nodiscard]] const SchemaItem &schemaItem(std::string_view name);
// All of it for a new file, with its version: major * 1000 + minor. Within a major, tables and columns are only added.
[[nodiscard]] std::string schemaSql();

} // namespace profiler
