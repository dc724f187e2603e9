// Elementwise work that one loop can do becomes one Composite.
#include "engine/rewrite/execution/fusion.h"

#include "engine/rewrite/machine/driver.h"

#include <algorithm>
#include <unordered_map>

namespace engine {

namespace {

constexpr std::size_t kMostMembers = 1024;

bool isFusable(const NodeHandle &node)
{
    const Elemwise *op = elemwiseOf(node);
    if (!op) return false;
    for (const VarHandle &input : node.inputs())
        if (!input.type().isTensor()) return false;
    return op->scalar()->body() || op->scalar()->code() != ScalarCode::Composite;
}

} // namespace

// --- building a body --------------------------------------------------------------------------------------

namespace {

/// Turns a set of applies into one body, in the order in which a reader meets the arguments.
class BodyBuilder {
public:
    BodyBuilder(const FunctionGraph &graph, const std::vector<ApplyId> &members, bool inlineConstants)
        : m_graph(graph), m_inline(inlineConstants)
    {
        for (ApplyId id : members) m_members.insert({raw(id), true});
    }

    std::uint32_t valueOf(VarId var)
    {
        // Iterative: a chain of hundreds of applies must not recurse.
        std::vector<std::pair<ApplyId, std::size_t>> stack;
        const auto visit = [&](VarId id) {
            if (m_values.count(raw(id))) return;
            const ApplyId owner = m_graph.var(id).owner;
            if (owner != kNoApply && m_members.count(raw(owner))) stack.emplace_back(owner, 0);
            else leaf(id);
        };
        visit(var);
        while (!stack.empty()) {
            auto &[id, next] = stack.back();
            const ApplyNode &node = m_graph.apply(id);
            if (next < node.inputs.size()) {
                const VarId input = node.inputs[next++].var;
                visit(input);
                continue;
            }
            const ApplyId done = id;
            stack.pop_back();
            if (!m_values.count(raw(m_graph.apply(done).outputs[0]))) emit(done);
        }
        return m_values.at(raw(var));
    }

    FusedBody finish(const std::vector<VarId> &outputs)
    {
        FusedBody result;
        for (VarId output : outputs) m_outputs.push_back(valueOf(output));
        // Inputs come first in the numbering, instructions after them.
        const auto renumber = [&](std::uint32_t value) {
            return value & kInstruction ? (value & ~kInstruction) + static_cast<std::uint32_t>(m_inputs.size()) : value;
        };
        result.body.inputCount = static_cast<std::uint32_t>(m_inputs.size());
        for (VarId input : m_inputs) result.body.inputTypes.push_back(m_graph.var(input).type.dtype());
        for (ScalarInstruction &instruction : m_instructions) {
            for (std::uint32_t &argument : instruction.arguments) argument = renumber(argument);
            result.body.instructions.push_back(std::move(instruction));
        }
        for (std::uint32_t output : m_outputs) result.body.outputs.push_back(renumber(output));
        result.inputs = std::move(m_inputs);
        result.origins = std::move(m_origins);
        return result;
    }

private:
    static constexpr std::uint32_t kInstruction = 0x80000000u;

    void leaf(VarId id)
    {
        const VarNode &node = m_graph.var(id);
        if (m_inline && node.kind == Variable::Kind::Constant) {
            const auto value = VarHandle(m_graph, id).uniformConstant();
            bool scalar = value.has_value();
            for (int axis = 0; axis < node.type.rank(); ++axis) scalar &= node.type.isBroadcastable(axis);
            const double largest = 9007199254740992.0;
            if (scalar && (isFloat(node.type.dtype()) || (*value<largest && * value> - largest))) {
                m_instructions.push_back({nullptr, {}, node.type.dtype(), *value});
                m_origins.emplace_back();
                m_values[raw(id)] = static_cast<std::uint32_t>(m_instructions.size() - 1) | kInstruction;
                return;
            }
        }
        m_values[raw(id)] = static_cast<std::uint32_t>(m_inputs.size());
        m_inputs.push_back(id);
    }

    void emit(ApplyId id)
    {
        const ApplyNode &node = m_graph.apply(id);
        const Elemwise &op = *opCast<Elemwise>(node.op);
        std::vector<std::uint32_t> arguments;
        for (const Use &use : node.inputs) arguments.push_back(m_values.at(raw(use.var)));
        const auto known = m_graph.bodyOrigins.find(raw(id));
        const auto originOf = [&](std::size_t k) -> std::vector<ApplyId> {
            if (known != m_graph.bodyOrigins.end() && k < known->second.size() && !known->second[k].empty()) return known->second[k];
            return {id};
        };
        if (const ScalarBody *body = op.scalar()->body()) {
            std::vector<std::uint32_t> values(arguments);
            for (std::size_t k = 0; k < body->instructions.size(); ++k) {
                ScalarInstruction instruction = body->instructions[k];
                for (std::uint32_t &argument : instruction.arguments) argument = values[argument];
                m_instructions.push_back(std::move(instruction));
                m_origins.push_back(body->instructions[k].op ? originOf(k) : std::vector<ApplyId>());
                values.push_back(static_cast<std::uint32_t>(m_instructions.size() - 1) | kInstruction);
            }
            for (std::size_t out = 0; out < node.outputs.size(); ++out) m_values[raw(node.outputs[out])] = values[body->outputs[out]];
            return;
        }
        m_instructions.push_back({op.scalar(), std::move(arguments), m_graph.var(node.outputs[0]).type.dtype(), 0});
        m_origins.push_back(originOf(0));
        m_values[raw(node.outputs[0])] = static_cast<std::uint32_t>(m_instructions.size() - 1) | kInstruction;
    }

    const FunctionGraph &m_graph;
    bool m_inline;
    std::unordered_map<std::uint32_t, bool> m_members;
    std::unordered_map<std::uint32_t, std::uint32_t> m_values;
    std::vector<VarId> m_inputs;
    std::vector<ScalarInstruction> m_instructions;
    std::vector<std::vector<ApplyId>> m_origins;
    std::vector<std::uint32_t> m_outputs;
};

std::size_t instructionCount(const NodeHandle &node)
{
    const ScalarBody *body = node.opAs<Elemwise>()->scalar()->body();
    return body ? body->instructions.size() : 1;
}

} // namespace

FusedBody fuseBody(const FunctionGraph &graph, const std::vector<ApplyId> &members, const std::vector<VarId> &outputs, bool inlineConstants)
{
    return BodyBuilder(graph, members, inlineConstants).finish(outputs);
}

// --- choosing what to fuse, as Theano does ----------------------------------------------------------------

namespace {

bool isReadByKernelsOnly(VarHandle v)
{
    for (const Client &client : v.clients()) {
        if (client.isGraphOutput()) return false;
        const NodeHandle reader(v.graph(), client.apply);
        if (!isFusable(reader) || !samePattern(reader.output().type(), v.type())) return false;
    }
    return true;
}

/// The arrays that a growing kernel reads, constants apart: most of these become literals.
class KernelInputs {
public:
    explicit KernelInputs(const FunctionGraph &graph) : m_graph(graph) {}

    void begin(ApplyId root)
    {
        ++m_kernel;
        m_count = 0;
        add(root);
    }
    /// How many there are once the maker of one of them is part of the kernel.
    std::size_t with(ApplyId producer)
    {
        std::size_t count = m_count - 1;
        for (const Use &use : m_graph.apply(producer).inputs) count += isNew(use.var);
        return count;
    }
    void take(ApplyId producer)
    {
        --m_count;
        add(producer);
    }

private:
    bool isNew(VarId var)
    {
        if (raw(var) >= m_readBy.size()) m_readBy.resize(m_graph.varCount());
        return m_readBy[raw(var)] != m_kernel && m_graph.var(var).kind != Variable::Kind::Constant;
    }
    void add(ApplyId id)
    {
        for (const Use &use : m_graph.apply(id).inputs) {
            if (!isNew(use.var)) continue;
            m_readBy[raw(use.var)] = m_kernel;
            ++m_count;
        }
    }

    const FunctionGraph &m_graph;
    std::vector<std::uint32_t> m_readBy; // by variable: the last kernel that does
    std::uint32_t m_kernel = 0;
    std::size_t m_count = 0;
};

void fuseLikeTheano(WholeRun &run)
{
    const FunctionGraph &graph = run.graph();
    KernelInputs arrays(graph);
    const std::vector<ApplyId> order = run.order();
    std::vector<bool> taken(graph.applyCount());
    // Theano merges equal applies before and after fusion but not in between, so two kernels that need one sigmoid each
    // compute it. Fusion with several outputs does better.
    const bool ownSigmoid = !run.runs("croton_multi_output_fusion");
    // From the outputs to the inputs: a root takes every producer whose readers are all in its group.
    for (std::size_t at = order.size(); at-- > 0;) {
        const ApplyId root = order[at];
        if (taken[raw(root)] || !graph.apply(root).live) continue;
        const NodeHandle rootNode(graph, root);
        if (!isFusable(rootNode) || rootNode.outputCount() != 1) continue;
        const Type type = rootNode.output().type();
        std::vector<ApplyId> members{root};
        std::unordered_map<std::uint32_t, std::size_t> readersInside;
        taken[raw(root)] = true;
        arrays.begin(root);
        std::size_t size = instructionCount(rootNode);
        ApplyId blocker = kNoApply;
        std::string_view why = "no producer is elementwise";
        for (std::size_t next = 0; next < members.size(); ++next) {
            for (const Use &use : graph.apply(members[next]).inputs) {
                const VarHandle v(graph, use.var);
                const ApplyId producer = ownerOf(v);
                if (producer == kNoApply || taken[raw(producer)]) continue;
                const NodeHandle node(graph, producer);
                if (!isFusable(node) || node.outputCount() != 1) continue;
                if (!samePattern(v.type(), type)) {
                    why = "the producer has another broadcast pattern: it would be computed again and again";
                    blocker = producer;
                    continue;
                }
                // Each use is met once, so the count reaches the number of readers when all are inside.
                const bool own =
                    ownSigmoid && node.opAs<Elemwise>()->is(ScalarCode::Sigmoid) && v.clients().size() == 2 && isReadByKernelsOnly(v);
                const std::size_t inside = v.clients().size() == 1 ? 1 : ++readersInside[raw(producer)];
                if (inside < v.clients().size() && !own) {
                    why = "the producer has other readers";
                    blocker = producer;
                    continue;
                }
                if (size + instructionCount(node) > kLargestBody || members.size() > kMostMembers) {
                    why = "the kernel would become too long";
                    blocker = producer;
                    continue;
                }
                if (arrays.with(producer) > kMostArrays) {
                    why = "the kernel would read too many arrays";
                    blocker = producer;
                    continue;
                }
                arrays.take(producer);
                size += instructionCount(node);
                if (inside == v.clients().size()) taken[raw(producer)] = true;
                members.push_back(producer);
            }
        }
        if (members.size() < 2) {
            run.decline(root, why, blocker);
            continue;
        }
        run.step(root, [&](Editor &edit) {
            const VarHandle out = edit.node(root).output();
            FusedBody fused = fuseBody(graph, members, {out.id()}, false);
            std::vector<VarHandle> inputs;
            for (VarId id : fused.inputs) inputs.push_back(edit.var(id));
            if (inputs.empty()) return declined("nothing is left to read");
            const NodeHandle made = edit.apply(elemwise(compositeOp(std::move(fused.body))), inputs);
            if (!(made.output().type() == out.type())) return declined("the shape would come from the constants");
            edit.setBodyOrigins(made.id(), std::move(fused.origins));
            for (ApplyId member : members) edit.consume(member);
            edit.replace(out, made.output(), FateKind::Fused);
            return replaced(std::to_string(members.size()) + " applies in one loop");
        });
    }
}

REWRITE(composite_elemwise_fusion, Phase::Fusion)
    .why("elementwise applies in one loop read and write memory once")
    .hurts("intermediate values are no longer available")
    .example("a + a ** 3.5", "composite(a + a ** 3.5)")
    .nearMiss("exp(a)")
    .tag("fusion")
    .tag("elemwise_fusion")
    .tag("local_elemwise_fusion")
    .tag("FusionOptimizer")
    .at(1)
    .whole(fuseLikeTheano);

/// The sum (product) of all from left to right, each apply of no more than one loop reads.
VarHandle inParts(Editor &edit, ScalarCode code, std::span<const VarHandle> terms, DType dtype)
{
    if (terms.size() <= kMostArrays) return edit.make(elemwise(code), terms);
    // What is added up first is as wide as the whole.
    VarHandle sum = castTo(edit, terms[0], dtype);
    for (std::size_t next = 1; next < terms.size();) {
        const std::size_t count = std::min(kMostArrays - 1, terms.size() - next);
        std::vector<VarHandle> part{sum};
        part.insert(part.end(), terms.begin() + static_cast<std::ptrdiff_t>(next),
                    terms.begin() + static_cast<std::ptrdiff_t>(next + count));
        sum = edit.make(elemwise(code), part);
        next += count;
    }
    return sum;
}

REWRITE(local_add_mul_fusion, Phase::Fusion)
    .why("sums of sums are one sum of many terms: one node to read, and fusion sees it whole")
    .hurts("adds up in the same order, but as one node: intermediate sums are no longer available")
    .example("(a + b) + c", "add(a, b, c)")
    .nearMiss("(a * b) + c")
    .nearMiss("a + (b + c)")
    .tag("fusion")
    .at(0)
    .whole([](WholeRun &run) {
        const FunctionGraph &graph = run.graph();
        const std::vector<ApplyId> order = run.order();
        std::vector<VarHandle> terms;
        std::vector<ApplyId> opened;
        for (std::size_t at = order.size(); at-- > 0;) {
            const ApplyId root = order[at];
            if (!graph.apply(root).live) continue;
            const NodeHandle node(graph, root);
            const Elemwise *op = elemwiseOf(node);
            if (!op || !(op->is(ScalarCode::Add) || op->is(ScalarCode::Mul))) continue;
            const ScalarCode code = op->scalar()->code();
            const VarHandle out = node.output();
            const auto mergeable = [&](VarHandle v) {
                if (!v.hasOneClient() || !(v.type() == out.type())) return false;
                const ApplyId owner = ownerOf(v);
                if (owner == kNoApply) return false;
                const Elemwise *inner = elemwiseOf(NodeHandle(graph, owner));
                return inner && inner->is(code);
            };
            // Only the first argument: x * (x * y) may be infinite where (x * x) * y is nan. Last to first, turned around at the end.
            terms.clear();
            opened.clear();
            for (NodeHandle next = node;; next = NodeHandle(graph, opened.back())) {
                for (std::size_t i = next.inputCount(); i-- > 1;) terms.push_back(next.input(i));
                const VarHandle first = next.input(0);
                if (mergeable(first) && terms.size() + NodeHandle(graph, ownerOf(first)).inputCount() <= kMostArrays) {
                    opened.push_back(ownerOf(first));
                    continue;
                }
                terms.push_back(first);
                break;
            }
            std::reverse(terms.begin(), terms.end());
            if (opened.empty() && terms.size() <= kMostArrays) {
                run.decline(root, "its first argument is no such sum or product of its own");
                continue;
            }
            run.step(root, [&](Editor &edit) {
                const VarHandle after = inParts(edit, code, terms, out.dtype());
                if (!(after.type() == out.type())) return declined("the type would change");
                for (ApplyId id : opened) edit.consume(id);
                edit.replace(out, after);
                return replaced(terms.size() > kMostArrays
                                    ? "each kernel takes a part of the " + std::to_string(terms.size()) + " arguments"
                                    : "one node of " + std::to_string(terms.size()) + " arguments");
            });
        }
    });

/// Compilers multiply instead, once they know the divisor.
bool dividesIntegers(const NodeHandle &node)
{
    const Elemwise *op = elemwiseOf(node);
    return (op->is(ScalarCode::IntDiv) || op->is(ScalarCode::Mod)) && isDiscrete(node.output().dtype()) && node.output().rank() > 0;
}

REWRITE(inline_constants, Phase::Fusion)
    .why("a constant inside a kernel is an immediate value, not an array to read")
    .hurts("a kernel is made for each set of constants")
    .pass("croton_fusion")
    .at(1)
    .example("x: dvector; composite(exp(x) + 1.5)", "x: dvector; composite(exp(x) + 1.5, inline=True)")
    .example("x: lvector; x // 3", "x: lvector; composite(x // 3, inline=True)")
    .nearMiss("x: dvector; y: dvector; composite(exp(x) + y)")
    .tag("croton")
    .tag("fusion")
    .whole([](WholeRun &run) {
        const FunctionGraph &graph = run.graph();
        const std::vector<ApplyId> order = run.order();
        for (ApplyId id : order) {
            const NodeHandle node(graph, id);
            const Elemwise *op = elemwiseOf(node);
            if (!op || !(op->scalar()->body() || dividesIntegers(node))) continue;
            const bool readsConstants = std::any_of(graph.apply(id).inputs.begin(), graph.apply(id).inputs.end(),
                                                    [&](const Use &use) { return graph.var(use.var).kind == Variable::Kind::Constant; });
            if (!readsConstants) {
                run.decline(id, "no input is a constant");
                continue;
            }
            run.step(id, [&](Editor &edit) {
                FusedBody fused = fuseBody(graph, {id}, graph.apply(id).outputs, true);
                if (fused.inputs.size() == graph.apply(id).inputs.size())
                    return declined("the constant is an array, or an integer too large for a literal");
                if (fused.inputs.empty()) return declined("nothing is left to read");
                std::vector<VarHandle> inputs;
                for (VarId input : fused.inputs) inputs.push_back(edit.var(input));
                const NodeHandle made = edit.apply(elemwise(compositeOp(std::move(fused.body))), inputs);
                for (std::size_t i = 0; i < made.outputCount(); ++i)
                    if (!(made.output(i).type() == edit.node(id).output(i).type()))
                        return declined("the shape would come from the constants");
                edit.setBodyOrigins(made.id(), std::move(fused.origins));
                for (std::size_t i = 0; i < made.outputCount(); ++i) edit.replace(edit.node(id).output(i), made.output(i));
                return replaced("constants became immediate values");
            });
        }
    });

} // namespace
} // namespace engine
