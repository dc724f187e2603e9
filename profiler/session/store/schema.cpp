#include "profiler/session/store/schema.h"

#include "profiler/session/codec/pages.h"
#include "profiler/session/model/model_verified.h"
#include "profiler/session/model/names.h"

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <type_traits>

namespace profiler {

namespace {

using Columns = std::vector<SchemaColumn>;

// What SQLite keeps a field as.
template <class Value>
SchemaColumn keptAs(const Value &)
{
    using Field = std::remove_cv_t<Value>;
    if constexpr (Named<Field>) {
        std::string values;
        for (const char *name : Names<Field>::kAll) (values += values.empty() ? "" : ", ") += name;
        return {.about = values, .type = "TEXT"};
    } else if constexpr (Id<Field> || std::is_integral_v<Field>) {
        return {.type = "INTEGER"};
    } else if constexpr (std::is_floating_point_v<Field>) {
        return {.type = "REAL"};
    } else if constexpr (std::is_constructible_v<std::string, Field> || std::is_same_v<Field, SharedText> ||
                         std::is_same_v<Field, Histogram> || std::is_same_v<Field, std::vector<std::string>>) {
        return {.type = "TEXT"};
    } else {
        return {.type = "BLOB"};
    }
}
SchemaColumn keptAs(const InLine &) { return {.type = "TEXT"}; }
SchemaColumn keptAs(const OnlyRow &) { return {.type = "INTEGER", .isPrimary = true, .isOnlyRow = true}; }
SchemaColumn keptAs(const std::optional<std::int64_t> &) { return {.type = "INTEGER", .mayBeNull = true}; }
template <class Text>
SchemaColumn keptAs(const Word<Text> &)
{
    return {.type = "INTEGER", .isWord = true};
}
template <class Value>
SchemaColumn keptAs(const Primary<Value> &column)
{
    SchemaColumn kept = keptAs(column.value);
    kept.isPrimary = true;
    return kept;
}
template <class Value>
SchemaColumn orNullOf(const Value &value)
{
    SchemaColumn kept = keptAs(value);
    kept.mayBeNull = true;
    return kept;
}
template <class Value>
SchemaColumn keptAs(const OrNull<Value> &column)
{
    return orNullOf(column.value);
}
template <class Value>
SchemaColumn keptAs(const UnlessEmpty<Value> &column)
{
    return orNullOf(column.value);
}
template <class Value>
SchemaColumn keptAs(const OnlyIf<Value> &column)
{
    return orNullOf(column.value);
}

template <class Described>
Columns columnsIn()
{
    Columns columns;
    Described row;
    Described::describe(row, [&](const char *name, auto &&value, const char *about = "") {
        SchemaColumn column = keptAs(value);
        column.name = name;
        if (*about) column.about = about;
        columns.push_back(std::move(column));
    });
    return columns;
}

std::string remarkOf(const SchemaColumn &column)
{
    if (!column.isWord) return column.about;
    return column.about + (column.about.empty() ? "a number of strings" : "; a number of strings");
}

// One thing a line, with what is said about it.
class Lines {
public:
    void add(std::string text, std::string remark = {}) { m_lines.push_back({std::move(text), std::move(remark)}); }
    [[nodiscard]] std::string joined() const
    {
        std::string all;
        for (const auto &[text, remark] : m_lines) {
            all += "    " + text + (&text == &m_lines.back().text ? "" : ",");
            if (!remark.empty()) all += " -- " + remark;
            all += "\n";
        }
        return all;
    }

private:
    struct Line {
        std::string text, remark;
    };
    std::vector<Line> m_lines;
};

std::string listOf(const std::vector<std::string> &names)
{
    std::string list;
    for (const std::string &name : names) (list += list.empty() ? "" : ", ") += name;
    return list;
}

SchemaItem tableOf(const SessionTable &table, const char *about, Columns columns)
{
    std::vector<std::string> key;
    for (const SchemaColumn &column : columns)
        if (column.isPrimary) key.push_back(column.name);
    if (key.empty()) {
        columns.insert(columns.begin(), {.name = "id", .about = "in the order in which rows came", .type = "INTEGER", .isPrimary = true});
        key.emplace_back("id");
    }
    // A single whole number is the number that SQLite itself gives to rows.
    const auto first = std::find_if(columns.begin(), columns.end(), [](const SchemaColumn &column) { return column.isPrimary; });
    const bool isNumbered = key.size() == 1 && first->type == "INTEGER";
    Lines lines;
    for (const SchemaColumn &column : columns) {
        std::string text = column.name + " " + column.type;
        if (isNumbered && column.isPrimary) text += " PRIMARY KEY";
        else if (!column.mayBeNull) text += " NOT NULL";
        if (column.isOnlyRow) text += " CHECK (" + column.name + " = 1)";
        lines.add(std::move(text), remarkOf(column));
    }
    if (!isNumbered) lines.add("PRIMARY KEY (" + listOf(key) + ")");
    SchemaItem item{table.name, about, false, std::move(columns), {}};
    item.sql = "CREATE TABLE " + item.name + " ( -- " + item.about + "\n" + lines.joined() +
               (isNumbered || table.hasLargeRows ? ");\n" : ") WITHOUT ROWID;\n");
    if (table.hasIndex) item.sql += "CREATE INDEX " + item.name + "_by_apply ON " + item.name + " (graph, apply);\n";
    return item;
}

// The rows of a table of pages, one by one. LIMIT -1 makes SQLite compute the view once and build an index for a join, where it would
// otherwise read pages again for each row of the other side. CAST gives a whole number the type that such an index needs.
SchemaItem viewOfPages(const SessionTable &table, std::span<const char *const> key, Columns columns)
{
    Lines lines;
    Columns all;
    for (const char *name : key) {
        lines.add(std::string("p.") + name + " AS " + name);
        all.push_back({.name = name, .type = "INTEGER"});
    }
    int at = 0;
    for (SchemaColumn &column : columns) {
        const std::string value = "json_extract(r.value, '$[" + std::to_string(at++) + "]')";
        lines.add((column.type == "INTEGER" ? "CAST(" + value + " AS INTEGER)" : value) + " AS " + column.name, remarkOf(column));
        all.push_back(std::move(column));
    }
    SchemaItem view{table.view, table.about, true, std::move(all), {}};
    view.sql = "CREATE VIEW " + view.name + " AS SELECT -- " + view.about + "\n" + lines.joined() + "FROM " + table.name +
               " p, json_each(p.rows) r LIMIT -1;\n";
    return view;
}

// What a view of texts joins to the rows that it shows.
struct Joined {
    std::string view;
    std::string node; // what both are about: apply, variable
    Columns columns;
    std::string better; // a text that is known better there, where it is known
};

// Rows of a table or view, with texts in the place of their numbers.
SchemaItem viewOfTexts(const char *name, const char *from, const char *about, Columns columns, const std::optional<Joined> &joined)
{
    Lines lines;
    std::string joins;
    for (SchemaColumn &column : columns) {
        std::string value = "t." + column.name;
        if (column.isWord) {
            const std::string word = "word_" + column.name;
            joins += " JOIN strings " + word + " ON " + word + ".id = " + value;
            value = word + ".text";
            column.type = "TEXT";
            column.isWord = false;
        }
        if (joined && column.name == joined->better) value = "coalesce(j." + column.name + ", " + value + ")";
        lines.add(value + " AS " + column.name, remarkOf(column));
    }
    if (joined) {
        for (const SchemaColumn &column : joined->columns) {
            if (column.name == joined->better) continue;
            lines.add("j." + column.name + " AS " + column.name, column.about);
            columns.push_back(column);
        }
        joins += " LEFT JOIN " + joined->view + " j ON j.graph = t.graph AND j." + joined->node + " = t." + joined->node;
    }
    SchemaItem view{name, about, true, std::move(columns), {}};
    view.sql = "CREATE VIEW " + view.name + " AS SELECT -- " + view.about + "\n" + lines.joined() + "FROM " + from + " t" + joins + ";\n";
    return view;
}

class Schema {
public:
    [[nodiscard]] std::vector<SchemaItem> take() { return std::move(m_items); }

    template <class... Described>
    void tables()
    {
        (table<Described>(Described::kTable), ...);
    }
    template <class Described>
    void table(const SessionTable &table)
    {
        if constexpr (Paged<Described>) {
            const std::string about = std::string("Pages of ") + table.view + ", which shows their rows one by one.";
            m_items.push_back(
                tableOf({.name = table.name, .about = table.about, .hasLargeRows = true}, about.c_str(), columnsIn<Page<Described>>()));
            m_items.push_back(viewOfPages(table, Described::kKey, columnsIn<Described>()));
        } else {
            m_items.push_back(tableOf(table, table.about, columnsIn<Described>()));
        }
    }
    // `from`: the table of these rows, or the view of their pages.
    template <class Described>
    void texts(const char *name, const char *from, const char *about)
    {
        m_items.push_back(viewOfTexts(name, from, about, withKey<Described>(), std::nullopt));
    }
    // With what is said of the same nodes in pages of others.
    template <class Described, Paged Other>
    void texts(const char *name, const char *from, const char *about, const char *better = "")
    {
        Columns others = columnsIn<Other>();
        const std::string node = others.front().name;
        others.erase(others.begin());
        m_items.push_back(
            viewOfTexts(name, from, about, withKey<Described>(), Joined{Other::kTable.view, node, std::move(others), better}));
    }
    void view(const char *name, const char *about, const char *select)
    {
        m_items.push_back({name, about, true, {}, std::string("CREATE VIEW ") + name + " AS -- " + about + "\n" + select + ";\n"});
    }

private:
    // As the view of pages shows them.
    template <class Described>
    static Columns withKey()
    {
        Columns columns;
        if constexpr (Paged<Described>)
            for (const char *name : Described::kKey) columns.push_back({.name = name, .type = "INTEGER"});
        for (SchemaColumn &column : columnsIn<Described>()) columns.push_back(std::move(column));
        return columns;
    }

    std::vector<SchemaItem> m_items;
};

void addRun(Schema &schema)
{
    schema.tables<MetaValue, Progress, ScriptInfo, SourceFile, Flag>();
    schema.table<NameValue>({.name = "environment", .about = "Environment variables, only those of the white list (writer.cpp)."});
    schema.table<NameValue>(
        {.name = "machine", .about = "The machine: cpu, cores, threads, memory_bytes, blas, blas_core, os, compiler, python, numpy ..."});
    schema.tables<Roof, DeviceInfo, Clock, FunctionInfo, FunctionInput, FunctionUpdate>();
}

void addGraphs(Schema &schema)
{
    schema.tables<GraphInfo, NumberedText, ApplyFacts, CostFacts>();
    schema.texts<ApplyOf<StringId>, CostFacts>("graph_applies", "applies", "Applies with their texts, and what they cost.");
    schema.view("apply_inputs", "What the applies of the optimized graph read. Those of other graphs are in rewrite_steps.edits.",
                R"(SELECT a.graph AS graph, a.apply AS apply, CAST(i.key AS INTEGER) AS port, CAST(i.value AS INTEGER) AS variable
FROM applies a, json_each(a.inputs) i LIMIT -1)");
    schema.tables<VariableFacts, VariableSize>();
    schema.texts<VariableFacts, VariableSize>("graph_variables", VariableFacts::kTable.view, "Variables with their texts and sizes.",
                                              "shape");
    schema.tables<PassInfo, PassRewrite, StepFacts>();
    schema.texts<StepFacts>("steps", StepFacts::kTable, "Rewrites that changed the graph, with their texts.");
    schema.tables<BodyOrigins, RewriteInfo, RewriteCount, DeclineReason, Decline, LastDeclines, GroupMember, OpDocumentRow, LeafDocument>();
}

// Where nodes come from: original applies, lines of source, and what called those.
void addOrigins(Schema &schema)
{
    schema.view("origins", "Original applies from which an apply of the optimized graph stems, but for bodies of Composites.",
                R"(SELECT a.graph AS graph, a.apply AS apply, a.graph AS origin_graph, CAST(o.value AS INTEGER) AS origin_apply
FROM applies a, json_each(coalesce(a.origins, json_array(a.apply))) o WHERE a.in_optimized LIMIT -1)");
    schema.tables<LineShare, ChainFacts, ChainShare, VariableChain>();
    schema.view("source_links", "Lines of source that an apply stems from; estimated: 1 where its time is split.",
                R"(SELECT a.graph AS graph, a.apply AS apply, file.text AS file, a.line AS line, 1.0 AS share, 0 AS estimated
FROM applies a JOIN strings file ON file.id = a.file
UNION ALL
SELECT l.graph, l.apply, file.text, l.line, l.share, 1 FROM apply_lines l JOIN strings file ON file.id = l.file)");
    schema.view("chain_lines",
                "The lines of each chain, each once, also where a function calls itself; own: 1 for the line that the chain ends in.",
                R"(WITH RECURSIVE up(chain, at) AS (
    SELECT id, id FROM chains UNION ALL SELECT up.chain, c.caller FROM up JOIN chains c ON c.id = up.at WHERE c.caller < c.id)
SELECT up.chain AS chain, file.text AS file, c.line AS line, max(up.at = up.chain) AS own
FROM up JOIN chains c ON c.id = up.at JOIN strings file ON file.id = c.file GROUP BY up.chain, c.file, c.line)");
    schema.view("call_lines",
                "Lines that an apply stems from, and those that called them: the shares of its time that are the line's own, and with "
                "what it calls.",
                R"(SELECT a.graph AS graph, a.apply AS apply, l.file AS file, l.line AS line, 1.0 * l.own AS own, 1.0 AS with_calls
FROM applies a JOIN chain_lines l ON l.chain = a.chain
UNION ALL
SELECT k.graph, k.apply, l.file, l.line, sum(k.share * l.own), sum(k.share)
FROM apply_chains k JOIN chain_lines l ON l.chain = k.chain GROUP BY k.graph, k.apply, l.file, l.line LIMIT -1)");
}

std::vector<SchemaItem> madeItems()
{
    Schema schema;
    addRun(schema);
    addGraphs(schema);
    addOrigins(schema);
    schema.tables<Kernel, PlanInfo, PlanItem, BufferRow, ApplyStats, Lane, Event, DeviceKernel, DeviceWork, HostUse, Transfer>();
    schema.tables<Communication, Collective, RankRow, RankFunction, RankCommunication>();
    schema.tables<MemoryEvent, OutputText, Message, Check, Drop>();
    schema.tables<CapturedFunction, CapturedCall, CapturedValue, ArrayPart, AblationRow, AlongRow, VerifiedRow, TrialRow, ValueRow,
                  ValueNote>();
    return schema.take();
}

// The number of columns of all tables. Views follow from tables.
std::size_t minorVersion()
{
    std::size_t columns = 0;
    for (const SchemaItem &item : schemaItems()) columns += item.isView ? 0 : item.columns.size();
    if (columns >= 1000) throw std::logic_error("the minor version of the schema has three digits: raise the major version");
    return columns;
}

} // namespace

const std::vector<SchemaItem> &schemaItems()
{
    static const std::vector<SchemaItem> items = madeItems();
    return items;
}

const SchemaItem &schemaItem(std::string_view name)
{
    const auto &items = schemaItems();
    const auto found = std::find_if(items.begin(), items.end(), [&](const SchemaItem &item) { return item.name == name; });
    if (found == items.end()) throw std::logic_error("no table of sessions is called " + std::string(name));
    return *found;
}

std::string schemaSql()
{
    std::string sql = "PRAGMA user_version = " + std::to_string(kSchemaMajor * 1000 + minorVersion()) + ";\n";
    for (const SchemaItem &item : schemaItems()) (sql += "\n") += item.sql;
    return sql;
}

} // namespace profiler
