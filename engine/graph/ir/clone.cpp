#include "engine/graph/ir/clone.h"

#include "engine/graph/op/op.h"

#include <unordered_map>

namespace engine {

std::vector<VarRef> substitute(std::span<const VarRef> outputs, std::span<const VarRef> from, std::span<const VarRef> to)
{
    std::unordered_map<const Variable *, VarRef> map;
    std::vector<VarRef> present;
    for (const VarRef &output : outputs)
        if (output) present.push_back(output);
    for (std::size_t i = 0; i < from.size(); ++i) map[from[i].get()] = to[i];
    std::vector<VarRef> inputs;
    for (Apply *apply : toposort(present, from)) {
        bool changed = false;
        bool sameTypes = true;
        inputs.clear();
        for (const VarRef &input : apply->inputs()) {
            auto found = map.find(input.get());
            inputs.push_back(found == map.end() ? input : found->second);
            changed |= inputs.back() != input;
            sameTypes &= inputs.back()->type().identical(input->type());
        }
        if (!changed) continue;
        const ScopedTrace trace(apply->trace());
        ApplyRef copy;
        if (sameTypes) {
            std::vector<Type> types;
            for (int o = 0; o < apply->outputCount(); ++o) types.push_back(apply->output(o)->type());
            copy = Apply::create(apply->opRef(), inputs, types);
        } else {
            copy = Apply::create(apply->opRef(), inputs);
        }
        for (int o = 0; o < apply->outputCount(); ++o) {
            copy->output(o)->setName(apply->output(o)->name());
            map.try_emplace(apply->output(o), copy->output(o));
        }
    }
    std::vector<VarRef> result;
    for (const VarRef &output : outputs) {
        auto found = map.find(output.get());
        result.push_back(found == map.end() ? output : found->second);
    }
    return result;
}

} // namespace engine
