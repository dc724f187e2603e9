#include "engine/runtime/sizes/size_checks.h"

#include "engine/runtime/sizes/shape_cone.h"

#include <set>

namespace engine {

SizeChecks::SizeChecks(const FunctionGraph &graph, const std::vector<bool> &dropped) : m_graph(graph)
{
    ShapeCompiler compiler(graph);
    std::vector<VarId> arrays;
    for (std::uint32_t i = 0; i < graph.inputs().size(); ++i) {
        const VarId input = graph.inputs()[i];
        if (!graph.var(input).type.isTensor()) continue;
        compiler.addInput(input);
        arrays.push_back(input);
        m_arrays.push_back(i);
    }
    ShapeCone cone(graph, compiler);
    std::set<std::pair<Sym, Sym>> seen;
    for (std::uint32_t i = 0; i < graph.originalApplyCount(); ++i) {
        const ApplyId id{i};
        if (graph.apply(id).live || (!dropped.empty() && dropped[i]) || !cone.add(id)) continue;
        for (const SizeRule &rule : compiler.rulesOf(id)) {
            if (rule.a == rule.b || !seen.insert(std::minmax(rule.a, rule.b)).second) continue;
            m_checks.push_back({id, rule});
            m_readsValues |= compiler.readsValues(rule.a) || compiler.readsValues(rule.b);
        }
    }
    if (!m_checks.empty()) m_program = compiler.finish(arrays);
}

bool SizeChecks::readsValuesOfFirst(std::size_t inputs) const
{
    const auto reads = m_program.valueReads();
    return m_readsValues && std::any_of(reads.begin(), reads.end(), [&](const auto &read) { return m_arrays[read.input] < inputs; });
}

void SizeChecks::run(std::span<const View> inputs, ApplyFailure &failure)
{
    m_views.clear();
    for (std::uint32_t place : m_arrays) m_views.push_back(inputs[place]);
    m_program.run(m_views);
    for (const auto &[apply, rule] : m_checks) {
        const std::int64_t a = m_program.value(rule.a), b = m_program.value(rule.b);
        if (a == b) continue;
        const auto text = [](int input, int axis, std::int64_t size) {
            const std::string place = "input[" + std::to_string(input) + "]";
            return place + (axis < 0 ? "" : ".shape[" + std::to_string(axis) + "]") + " = " + std::to_string(size);
        };
        failure = {apply, operandsOf(apply)};
        const std::string said = rule.what ? "[" + m_graph.apply(apply).op->friendlyName() + "] " + rule.what : "";
        if (rule.isIndex) throw OutOfBounds(said);
        if (rule.what) throw ShapeMismatch(said);
        throw ShapeMismatch("Input dimension mis-match. (" + text(rule.input, rule.axis, a) + ", " +
                            text(rule.otherInput, rule.otherAxis, b) + ")");
    }
}

std::vector<std::optional<Tensor>> SizeChecks::operandsOf(ApplyId apply) const
{
    std::vector<std::optional<Tensor>> operands;
    for (const Use &use : m_graph.apply(apply).inputs) {
        const DType dtype = m_graph.var(use.var).type.dtype();
        const Dims shape = m_program.shapeOf(use.var);
        operands.emplace_back(Tensor(dtype, shape, contiguousStrides(shape, sizeOf(dtype)), nullptr, nullptr));
    }
    return operands;
}

} // namespace engine
