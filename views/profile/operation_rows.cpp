#include "views/profile/operation_rows.h"

#include "views/common/formats.h"
#include "views/common/node_title.h"
#include "views/common/text.h"
#include "views/session/cost_texts.h"
#include "views/session/function_name.h"
#include "views/session/shared_words.h"

#include <QHash>

#include <algorithm>
#include <cstdlib>

namespace views {
namespace {

/// Where an apply runs, and what it is called; what stands in a line.
class Places {
public:
    explicit Places(const SessionData &session)
    {
        for (const std::string &file : session.sourceFiles()) m_texts[file] = text(session.sourceText(file)).split(u'\n');
        for (const profiler::ApplyRow &row : session.profile.applies) m_applies.emplace(profiler::ApplyKey{row.graph, row.apply}, &row);
    }
    void place(CostRow &row, const std::vector<profiler::ApplyKey> &nodes) const
    {
        if (nodes.empty()) return; // a line that only calls others
        bool copy = false;
        bool gpu = false;
        for (const profiler::ApplyKey &node : nodes) {
            const auto found = m_applies.find(node);
            if (found == m_applies.end()) continue;
            copy = copy || profiler::roleOf(*found->second) == profiler::OpRole::Transfer;
            gpu = gpu || (!found->second->device.empty() && found->second->device != "cpu");
            if (row.friendly.isEmpty()) row.friendly = friendlyName(text(found->second->friendly));
        }
        row.where = copy ? tr("copy") : gpu ? tr("GPU") : tr("CPU");
        row.ink = copy ? Color::Transfer : gpu ? Color::Gpu : Color::Cpu;
        row.fill = copy ? Color::SoftTransfer : gpu ? Color::SoftGpu : Color::SoftCpu;
        row.hatched = copy;
    }

    QString codeAt(const std::string &file, int line) const
    {
        const auto found = m_texts.find(file);
        return found == m_texts.end() ? QString() : found->second.value(line - 1).trimmed();
    }

private:
    std::map<std::string, QStringList> m_texts;
    std::map<profiler::ApplyKey, const profiler::ApplyRow *> m_applies;
};

// "model.py:12  p = sigmoid(z)": of a file only the name, with its path in the tool tip.
void nameLine(CostRow &row, const Places &places, const std::string &place, CostTableKind kind)
{
    if (place.empty()) {
        row.name = tr("of no line");
        return;
    }
    const auto colon = kind == CostTableKind::Line ? place.rfind(':') : std::string::npos;
    const std::string file = place.substr(0, colon);
    row.friendly = text(place);
    row.isOfLine = true;
    row.name = text(file.substr(file.rfind('/') + 1)) + (colon == std::string::npos ? QString() : text(place.substr(colon)));
    if (colon == std::string::npos) return;
    const QString code = places.codeAt(file, std::atoi(place.c_str() + colon + 1));
    if (!code.isEmpty()) row.name += QStringLiteral("  ") + code;
}

std::vector<CostRow> rowsOf(const SessionData &session, const profiler::Table &table, CostTableKind kind, const Places &places)
{
    SharedWords words;
    QHash<std::uint32_t, QString> functions;
    for (const profiler::FunctionInfo &function : session.functions) functions.insert(raw(function.id), functionName(function));
    std::vector<CostRow> rows;
    rows.reserve(table.rows.size());
    const std::vector<profiler::RowBars> bars = profiler::rowBars(table);
    // A run of which all launches waited has the same time as both.
    const bool hasBoth = std::any_of(table.rows.begin(), table.rows.end(),
                                     [](const profiler::TableRow &row) { return row.blockingNs && *row.blockingNs != row.ns; });
    const double largest = table.rows.empty() ? 0 : seconds(table.rows.front().ns);
    for (std::size_t i = 0; i < table.rows.size(); ++i) {
        const profiler::TableRow &each = table.rows[i];
        CostRow row;
        row.name = words.of(each.name);
        row.share = each.percent / 100;
        row.withCalls = each.withCallsPercent ? *each.withCallsPercent / 100 : -1;
        row.cumulative = each.cumulativePercent / 100;
        row.seconds = seconds(each.ns);
        row.secondsText = formats::timeLike(row.seconds, largest);
        row.perCall = seconds(each.nsPerCall);
        if (each.calls > 0 && hasBoth && each.blockingNs) row.blocking = seconds(*each.blockingNs) / static_cast<double>(each.calls);
        if (each.calls > 0 && each.deviceNs.value_or(0) > 0) row.onDevice = seconds(*each.deviceNs) / static_cast<double>(each.calls);
        row.shareOfLargest = bars[i].time;
        row.perCallOfLargest = bars[i].timePerCall;
        row.code = words.of(each.type);
        row.calls = each.calls;
        row.applies = each.applies;
        row.id = each.position;
        const bool lines = kind == CostTableKind::Line || kind == CostTableKind::File;
        row.quality = !lines ? qualityText(each) : each.estimated ? tr("Partly split among several lines by what the ops cost") : QString();
        row.doubtful = lines ? each.estimated : profiler::isDoubtful(each);
        row.function = functions.value(raw(each.function));
        places.place(row, each.nodes);
        if (kind != CostTableKind::Apply) row.friendly.clear();
        if (lines) nameLine(row, places, each.name, kind);
        for (const profiler::ApplyKey &node : each.nodes) row.members.push_back(raw(node.apply));
        rows.push_back(std::move(row));
    }
    return rows;
}

} // namespace

OperationRows::OperationRows(const SessionData &session)
{
    const Places places(session);
    const auto tables = [&](const profiler::FunctionCosts &costs) {
        return Tables{CostTable(rowsOf(session, costs.classes, CostTableKind::Class, places)),
                      CostTable(rowsOf(session, costs.ops, CostTableKind::Op, places)),
                      CostTable(rowsOf(session, costs.applies, CostTableKind::Apply, places)),
                      CostTable(rowsOf(session, costs.lineRows, CostTableKind::Line, places)),
                      CostTable(rowsOf(session, costs.files, CostTableKind::File, places)),
                      CostTable(rowsOf(session, costs.devices, CostTableKind::Device, places))};
    };
    const profiler::FunctionCosts *together = session.costs->of(profiler::kNoFunction);
    const auto all = functions[profiler::kNoFunction] = std::make_shared<const Tables>(tables(*together));
    for (const profiler::FunctionInfo &function : session.functions) {
        const profiler::FunctionCosts *costs = session.costs->of(function.id);
        functions[function.id] = costs == together ? all : std::make_shared<const Tables>(tables(*costs));
    }
    for (const profiler::GraphInfo &graph : session.profile.graphs)
        if (const profiler::FunctionCosts *costs = session.costs->ofNested(graph.id)) nested[graph.id] = tables(*costs);
}

const CostTable &OperationRows::Tables::of(CostTableKind kind) const
{
    switch (kind) {
    case CostTableKind::Class: return classes;
    case CostTableKind::Op: return ops;
    case CostTableKind::Apply: break;
    case CostTableKind::Line: return lines;
    case CostTableKind::File: return files;
    case CostTableKind::Device: return devices;
    }
    return applies;
}

} // namespace views
