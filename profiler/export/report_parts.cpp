#include "profiler/export/report_parts.h"

#include "profiler/export/format.h"

#include <algorithm>

namespace profiler {

std::string applyName(const ProfileData &data, const ApplyKey &node)
{
    for (const auto ofGraph = data.applies.of(node.graph); const ApplyRow &apply : *ofGraph)
        if (apply.apply == node.apply) return apply.label.empty() ? apply.op : apply.label;
    return {};
}

std::string restOfTable(const Table &table, std::size_t shown, const char *what, int width, int digits)
{
    std::int64_t rest = 0;
    for (std::size_t i = shown; i < table.rows.size(); ++i) rest += table.rows[i].ns;
    return format("   ... (remaining %zu %s account for %*.*f%%(%.2fs) of the runtime)\n", table.rows.size() - shown, what, width, digits,
                  percentOf(rest, table.totalNs), seconds(rest));
}

std::int64_t overheadNs(std::int64_t callNs, std::int64_t thunkNs) { return std::max<std::int64_t>(0, callNs - thunkNs); }

std::string titleIn(std::size_t width, const FunctionInfo &function)
{
    const std::string title = shortTitle(function);
    return title.size() > width && isNamedByPlace(function) ? "..." + title.substr(title.size() - (width - 3)) : elided(title, width);
}

DistinctTitles::DistinctTitles(const std::vector<FunctionInfo> &all)
{
    for (const FunctionInfo &one : all) ++m_counts[functionTitle(one)];
}

std::string DistinctTitles::of(const FunctionInfo &function) const
{
    std::string title = functionTitle(function);
    const auto found = m_counts.find(title);
    return found != m_counts.end() && found->second > 1 ? title + " (function " + std::to_string(raw(function.id)) + ")" : title;
}

bool isCalled(const FunctionInfo &function, const std::string &name)
{
    const std::string title = functionTitle(function);
    return title == name || std::to_string(raw(function.id)) == name || title.ends_with("/" + name);
}

std::string adviceText(const std::vector<Advice> &advice)
{
    if (advice.empty()) return "  Sorry, no tip for today.\n";
    std::string out;
    for (const Advice &one : advice) {
        out += "  - " + one.text + ".\n";
        if (!one.evidence.empty()) out += "    " + one.evidence + "\n";
        if (const std::string gain = gainText(one); !gain.empty()) out += "    What following it can save: " + gain + ".\n";
    }
    return out;
}

std::string tipsText(const ProfileData &data)
{
    return "Here are tips to potentially make your code run faster\n"
           "                 (Test them first, as they are not guaranteed to always "
           "provide a speedup)\n" +
           adviceText(advise(data));
}

std::string recordingNote(const ProfileData &data)
{
    if (data.info.recordingNs <= 0) return {};
    std::int64_t calls = 0;
    for (const FunctionInfo &function : data.functions) calls += function.run.totalNs;
    double apply = 0;
    double call = 0;
    for (const Clock &clock : data.machine.clocks) (clock.name == "call" ? call : apply) = clock.overheadNs;
    return format("Recording took %.3fs (%.1f%% of the calls): %.0fns an apply, %.0fns a call\n", seconds(data.info.recordingNs),
                  percentOf(data.info.recordingNs, calls), apply, call);
}

} // namespace profiler
