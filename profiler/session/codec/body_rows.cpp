#include "profiler/session/codec/body_rows.h"

#include "profiler/session/codec/edit_codec.h"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <unordered_set>

namespace profiler {

namespace {

// Each works on single elements: a scalar of some type.
VariableRow rowOf(GraphId graph, VariableId variable, const SharedText &type, const SharedText &name)
{
    VariableRow row;
    row.graph = graph;
    row.variable = variable;
    row.name = name;
    row.type = type;
    const std::size_t from = type.find("(") + 1;
    row.dtype = type.substr(from, type.find(",") - from);
    row.shape = "()";
    row.inOriginal = row.inOptimized = true;
    return row;
}

} // namespace

std::vector<ApplyRow> applyRows(GraphId body, std::span<const Edit> edits, const StringTable &texts)
{
    std::vector<ApplyRow> rows;
    std::unordered_map<std::uint32_t, std::string> names; // of variables
    for (const Edit &edit : edits) {
        if (const auto *one = std::get_if<AddVariable>(&edit)) {
            const std::string &name = texts.text(one->name);
            names[raw(one->id)] = !name.empty()                         ? name
                                  : one->kind == VariableKind::Constant ? "TensorConstant{" + texts.text(one->value) + "}"
                                                                        : "<" + texts.text(one->type) + ">";
        }
        const auto *one = std::get_if<AddApply>(&edit);
        if (!one) continue;
        ApplyRow row;
        row.graph = body;
        row.apply = one->id;
        row.op = texts.shared(one->op);
        row.friendly = texts.shared(one->friendly);
        row.opClass = texts.shared(one->opClass);
        row.device = texts.shared(one->device);
        row.inOriginal = row.inOptimized = true;
        row.originalIndex = row.optimizedIndex = static_cast<int>(rows.size());
        row.implementation = "C";
        row.role = OpRole::Elementwise;
        std::string label = row.op + "(";
        for (std::size_t i = 0; i < one->inputs.size(); ++i) label += (i ? ", " : "") + names[raw(one->inputs[i])];
        row.label = label + ")";
        for (std::size_t i = 0; i < one->outputs.size(); ++i) {
            const std::string &name = texts.text(one->outputs[i].name);
            names[raw(one->outputs[i].id)] = name.empty() ? row.op + "." + std::to_string(i) : name;
        }
        rows.push_back(std::move(row));
    }
    return rows;
}

std::vector<VariableRow> variableRows(GraphId body, std::span<const Edit> edits, const StringTable &texts)
{
    std::vector<VariableRow> rows;
    std::unordered_set<std::uint32_t> outputs;
    for (const Edit &edit : edits) {
        if (const auto *leaf = std::get_if<AddVariable>(&edit)) {
            rows.push_back(rowOf(body, leaf->id, texts.shared(leaf->type), texts.shared(leaf->name)));
            rows.back().kind = leaf->kind;
            rows.back().value = texts.shared(leaf->value);
        } else if (const auto *apply = std::get_if<AddApply>(&edit)) {
            for (std::size_t i = 0; i < apply->outputs.size(); ++i) {
                rows.push_back(
                    rowOf(body, apply->outputs[i].id, texts.shared(apply->outputs[i].type), texts.shared(apply->outputs[i].name)));
                rows.back().owner = apply->id;
                rows.back().ownerPort = static_cast<int>(i);
            }
        } else if (const auto *output = std::get_if<SetOutput>(&edit)) {
            outputs.insert(raw(output->after));
        }
    }
    for (VariableRow &row : rows) row.isOutput = outputs.count(raw(row.variable)) > 0;
    return rows;
}

std::vector<OriginRow> originRows(const PackedBody &body, std::span<const ApplyRow> applies)
{
    std::vector<ApplyId> ids;
    for (const ApplyRow &row : applies) ids.push_back(row.apply);
    std::sort(ids.begin(), ids.end());
    const std::vector<std::vector<ApplyId>> origins = decodeOrigins(body.origins);
    std::vector<OriginRow> rows;
    for (std::size_t i = 0; i < std::min(ids.size(), origins.size()); ++i)
        for (ApplyId origin : origins[i]) rows.push_back({body.graph, ids[i], body.parent, origin});
    return rows;
}

} // namespace profiler
