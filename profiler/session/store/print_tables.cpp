// The documentation of the session's tables, for the build: `print_tables` is the page tables.md, `print_tables --sql` the schema.
#include "profiler/session/store/database.h"
#include "profiler/session/store/schema.h"

#include <cstdio>
#include <string>

using namespace profiler;

namespace {

std::string inCell(const std::string &text)
{
    std::string cell;
    for (const char c : text) cell += c == '|' ? std::string("\\|") : c == '<' ? "&lt;" : std::string(1, c);
    return cell;
}

std::string tableRow(const std::string &name, const std::string &about) { return "| `" + name + "` | " + inCell(about) + " |\n"; }

std::string cellOf(const SchemaColumn &column)
{
    std::string remark = column.about;
    if (column.isWord) remark += remark.empty() ? "a number of `strings`" : "; a number of `strings`";
    return remark;
}

std::string page()
{
    Database every(":memory:", Database::Access::Create);
    every.execute("PRAGMA trusted_schema=ON; " + schemaSql());
    std::string text =
        "# Tables of a session\n\n*The build makes this page; what it says comes from the structs of "
        "[profiler/session](../../profiler/session/README.md) that hold the rows. [schema.sql](schema.sql) says the same to SQLite.*\n\n"
        "The page on [sessions](session.md) says how to ask them. Times are nanoseconds. A point in time (`*_ns`) counts from the start of "
        "the session on the monotonic clock of the host; `*_unix_ms` is wall clock. Apply and variable ids are unique in their graph and "
        "never reused; a nested graph (of a scan, an OpFromGraph, a Composite) has an id of its own and names its parent.\n\n"
        "What there is most of holds numbers of `strings` in the place of texts; the views `graph_applies`, `graph_variables`, `steps` and "
        "`source_links` show it with its texts. What there is a row an apply of stands in pages, many rows in each; a view of each shows "
        "them one by one.\n\n";
    for (const SchemaItem &item : schemaItems()) {
        text += "## " + item.name + "\n\n" + (item.isView ? "A view. " : "") + item.about + "\n\n| column | |\n|---|---|\n";
        for (const SchemaColumn &column : item.columns) text += tableRow(column.name, cellOf(column));
        if (item.columns.empty()) {
            Statement columns(every, "SELECT name FROM pragma_table_info(?)");
            columns.bindAll(item.name);
            while (columns.step()) text += tableRow(columns.text(0), {});
        }
        text += "\n";
    }
    text.pop_back();
    return text;
}

} // namespace

int main(int argc, char **argv)
{
    const bool isSql = argc == 2 && std::string(argv[1]) == "--sql";
    return std::fputs((isSql ? schemaSql() : page()).c_str(), stdout) < 0;
}
