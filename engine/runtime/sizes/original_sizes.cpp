#include "engine/runtime/sizes/original_sizes.h"

#include "engine/runtime/sizes/shape_cone.h"

#include <algorithm>

namespace engine {

void addOriginalSizes(const FunctionGraph &graph, SizesByVariable &sizes)
{
    ShapeCompiler compiler(graph);
    std::vector<VarId> arrays;
    for (std::uint32_t i = 0; i < graph.varCount(); ++i) {
        const VarNode &node = graph.var(VarId{i});
        // What may tell sizes itself is followed to where it comes from.
        const bool maySizeOthers = node.owner != kNoApply && isDiscrete(node.type.dtype()) && node.type.rank() <= 1;
        if (sizes.contains(i) && !maySizeOthers) arrays.push_back(VarId{i});
    }
    for (VarId array : arrays) compiler.addInput(array);
    ShapeCone cone(graph, compiler);
    std::vector<VarId> found;
    for (std::uint32_t i = 0; i < graph.originalApplyCount(); ++i)
        if (cone.add(ApplyId{i}))
            for (VarId out : graph.apply(ApplyId{i}).outputs)
                if (!sizes.contains(raw(out))) found.push_back(out);
    if (found.empty()) return;

    ShapeProgram program = compiler.finish(arrays);
    // Values are not there any more: ones stand for them, and what depends on one is left out below.
    alignas(16) char one[16] = {1};
    const Dims nowhere(kMaxRank, 0);
    std::vector<View> views;
    for (VarId array : arrays) {
        const Dims &shape = sizes.at(raw(array));
        views.push_back({one, graph.var(array).type.dtype(), shape.rank(), shape.data(), nowhere.data()});
    }
    program.run(views);
    for (VarId var : found) {
        const SymShape &symbols = program.symbols(var);
        if (std::none_of(symbols.begin(), symbols.end(), [&](Sym symbol) { return compiler.readsValues(symbol); }))
            sizes.emplace(raw(var), program.shapeOf(var));
    }
}

} // namespace engine
