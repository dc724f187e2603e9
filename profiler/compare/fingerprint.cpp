#include "profiler/compare/fingerprint.h"

#include <algorithm>
#include <string>

namespace profiler {

std::uint64_t fingerprintOf(std::string_view text) // FNV-1a
{
    std::uint64_t hash = 14695981039346656037ull;
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ull;
    return hash;
}

std::uint64_t fingerprintOf(const RowsOfGraphs<ApplyRow> &applies, GraphId graph, GraphStage stage)
{
    const bool original = stage == GraphStage::Original;
    std::vector<const ApplyRow *> rows;
    const auto all = applies.of(graph);
    for (const ApplyRow &row : *all)
        if (original ? row.inOriginal : row.inOptimized) rows.push_back(&row);
    const auto place = [&](const ApplyRow *row) { return original ? row->originalIndex : row->optimizedIndex; };
    std::ranges::stable_sort(rows, {}, place);
    std::string text;
    for (const ApplyRow *row : rows) text += row->op + '\n' + row->label + '\n' + (original ? std::string() : row->device.str()) + '\n';
    return fingerprintOf(text);
}

std::uint64_t signatureOf(const std::vector<FunctionInfo> &functions)
{
    std::string text;
    for (const FunctionInfo &function : functions) {
        text += function.name + '\n' + std::to_string(function.appliesOriginal) + '\n';
        for (const FunctionInput &input : function.inputs) text += input.name + ' ' + input.type + '\n';
    }
    return fingerprintOf(text);
}

} // namespace profiler
