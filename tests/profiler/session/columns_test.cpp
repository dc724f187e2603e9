// What the structs of the model describe is what schema.sql creates, for every table there is.
#include "profiler/session/database.h"
#include "profiler/session/model_verified.h"
#include "profiler/session/rows.h"
#include "profiler/session/writer.h"
#include "tests/profiler/session/scratch.h"

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <set>

using namespace profiler;

namespace {

struct Kind {
    const char *sql;
    bool mayBeNull = false, mustSayNotNull = true;
};

template <class Value>
Kind kindOf(const Value &)
{
    if constexpr (Named<Value>) return {"TEXT"};
    else if constexpr (std::is_same_v<Value, StringId>) return {"INTEGER"};
    else if constexpr (Id<Value>) return {"INTEGER", true, false}; // "none" is NULL where there may be none
    else if constexpr (std::is_integral_v<Value>) return {"INTEGER"};
    else if constexpr (std::is_floating_point_v<Value>) return {"REAL"};
    else return {"BLOB"};
}
Kind kindOf(const std::string &) { return {"TEXT"}; }
Kind kindOf(const std::vector<std::string> &) { return {"TEXT"}; }
Kind kindOf(const SharedText &) { return {"TEXT"}; }
Kind kindOf(const InLine &) { return {"TEXT"}; }
Kind kindOf(const OnlyRow &) { return {"INTEGER"}; }
Kind kindOf(const std::optional<std::int64_t> &) { return {"INTEGER", true}; }
template <class Text>
Kind kindOf(const Word<Text> &)
{
    return {"INTEGER"};
}
template <class Value>
Kind kindOf(const OrNull<Value> &column)
{
    return {kindOf(column.value).sql, true};
}
template <class Value>
Kind kindOf(const UnlessEmpty<Value> &column)
{
    return {kindOf(column.value).sql, true};
}
template <class Value>
Kind kindOf(const OnlyIf<Value> &column)
{
    return {kindOf(column.value).sql, true};
}

class Schema : public testing::Test {
protected:
    Schema()
    {
        (void)SessionWriter::create(m_scratch / "a.croton", {});
        m_database.emplace(m_scratch / "a.croton", Database::Access::Read);
    }

    template <class Described>
    void check(const char *table)
    {
        m_checked.insert(table);
        struct Column {
            std::string type;
            bool notNull, isKey;
        };
        std::map<std::string, Column> columns;
        Statement info(*m_database, "SELECT name, type, \"notnull\", pk FROM pragma_table_info(?)");
        info.bindAll(table);
        while (info.step()) columns[info.text(0)] = {info.text(1), info.integer(2) != 0, info.integer(3) != 0};
        ASSERT_FALSE(columns.empty()) << table;
        Described row;
        Described::describe(row, [&](const char *name, auto &&value) {
            const std::string where = std::string(table) + "." + name;
            const auto found = columns.find(name);
            ASSERT_NE(found, columns.end()) << where << " is not in schema.sql";
            const Kind kind = kindOf(value);
            EXPECT_EQ(found->second.type, kind.sql) << where;
            const bool notNull = found->second.notNull || found->second.isKey;
            EXPECT_TRUE(!kind.mustSayNotNull || notNull != kind.mayBeNull) << where;
            columns.erase(found);
        });
        if (const auto id = columns.find("id"); id != columns.end() && id->second.isKey) columns.erase(id); // SQLite's own
        EXPECT_TRUE(columns.empty()) << table << "." << columns.begin()->first << " is described by no struct";
    }
    template <class Described>
    void check()
    {
        if constexpr (Paged<Described>) check<Page<Described>>(Described::kTable);
        else check<Described>(Described::kTable);
    }
    template <Paged Described>
    void checkView(const std::string &view)
    {
        const std::string sql = m_database->text("SELECT sql FROM sqlite_schema WHERE type='view' AND name='" + view + "'");
        EXPECT_NE(sql.find(std::string("FROM ") + Described::kTable), std::string::npos) << view;
        int column = 0;
        Described row;
        Described::describe(row, [&](const char *name, auto &&value) {
            const std::string read = "json_extract(r.value, '$[" + std::to_string(column++) + "]')";
            const bool isWhole = kindOf(value).sql == std::string("INTEGER"); // what a join may be by
            const std::string wanted = (isWhole ? "CAST(" + read + " AS INTEGER)" : " " + read) + " AS " + name;
            const std::size_t at = sql.find(wanted);
            EXPECT_TRUE(at != std::string::npos && !std::isalnum(sql[at + wanted.size()]) && sql[at + wanted.size()] != '_')
                << view << " has no " << wanted;
        });
        EXPECT_EQ(sql.find("$[" + std::to_string(column) + "]"), std::string::npos) << view << " shows more than there is";
        for (const char *key : Described::kKey)
            EXPECT_NE(sql.find(std::string("p.") + key + " AS " + key), std::string::npos) << view << " has no " << key;
    }

    Scratch m_scratch;
    std::optional<Database> m_database;
    std::set<std::string> m_checked;
};

template <class... Described>
struct Rows {};

TEST_F(Schema, isWhatTheStructsDescribe)
{
    const auto each = [this]<class... Described>(Rows<Described...>) { (check<Described>(), ...); };
    each(Rows<MetaValue, Progress, ScriptInfo, SourceFile, Flag, Roof, DeviceInfo, Clock, NumberedText, OutputText, Message, Check, Drop,
              ValueRow, ValueNote>());
    each(Rows<FunctionInfo, FunctionInput, FunctionUpdate, PlanInfo, PlanItem, BufferRow, Kernel, ApplyStats, Lane, Event, DeviceKernel,
              Transfer, DeviceWork, HostUse, MemoryEvent>());
    each(Rows<Communication, Collective, RankRow, RankFunction, RankCommunication>());
    each(Rows<GraphInfo, ApplyFacts, ApplyWithRoots<std::string>, CostFacts, VariableFacts, VariableOf<std::string>, VariableSize,
              GroupMember, LineShare, ChainFacts, ChainShare, VariableChain, OpDocumentRow, LeafDocument, BodyOrigins>());
    each(Rows<Step, StepFacts, PassInfo, PassRewrite, RewriteCount, RewriteInfo, DeclineReason, Decline, LastDeclines>());
    each(Rows<CapturedFunction, CapturedCall, CapturedValue, ArrayPart, AblationRow, AlongRow, TrialRow, VerifiedRow>());
    check<NameValue>("environment");
    check<NameValue>("machine");
    Statement tables(*m_database, "SELECT name FROM sqlite_schema WHERE type='table'");
    while (tables.step()) EXPECT_TRUE(m_checked.contains(tables.text(0))) << "no struct describes " << tables.text(0);
}

TEST_F(Schema, showsPagesByTheNamesOfTheirColumns)
{
    checkView<VariableFacts>("variables");
    checkView<VariableSize>("variable_sizes");
    checkView<CostFacts>("apply_costs");
    checkView<LineShare>("apply_lines");
    checkView<ChainShare>("apply_chains");
    checkView<VariableChain>("variable_chains");
    checkView<OpDocumentRow>("op_documents");
    checkView<LeafDocument>("leaf_documents");
    checkView<PlanItem>("plan_items");
    checkView<BufferRow>("buffers");
    checkView<ApplyStats>("apply_stats");
}

} // namespace
