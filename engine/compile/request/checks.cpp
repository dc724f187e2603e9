#include "engine/compile/request/checks.h"

#include "engine/device/cpu/blas_core.h"
#include "engine/graph/ir/editor.h"
#include "engine/graph/ir/variable_text.h"
#include "engine/ops/shapes/alloc.h"
#include "engine/runtime/plan/order.h"
#include "engine/tensor/errors.h"

#include <algorithm>
#include <optional>
#include <unordered_set>

namespace engine {
namespace {

std::string wayOut(Type from, Type to)
{
    if (from.isTensor() && to.isTensor() && from.rank() == to.rank()) {
        if (from.dtype() != to.dtype()) return "cast it: .astype('" + std::string(nameOf(to.dtype())) + "')";
        return "make the broadcast pattern fit with theano.tensor.patternbroadcast";
    }
    return "give it the same dtype, rank and broadcast pattern";
}

} // namespace

void checkRequest(const FunctionSpec &spec)
{
    if (const char *problem = processorSettingsProblem(); *problem) throw UserError(problem);
    std::unordered_set<const Variable *> seen;
    for (const FunctionInput &input : spec.inputs) {
        if (input.variable->kind() == Variable::Kind::Shared)
            throw TypeMismatch("cannot use the shared variable " + describe(input.variable) + " as an explicit input",
                               "replace its value for this function through givens, or set it with set_value()");
        if (input.variable->kind() == Variable::Kind::Constant)
            throw TypeMismatch("the constant " + describe(input.variable) + " is listed among the inputs",
                               "inputs are variables without a value");
        if (!seen.insert(input.variable.get()).second)
            throw UserError("the variable " + describe(input.variable) + " is listed twice among the inputs", "list each input once");
    }
    seen.clear();
    for (const auto &[target, value] : spec.updates) {
        if (target->kind() != Variable::Kind::Shared)
            throw TypeMismatch("the update of " + describe(target) + " has no place to go: it is not a shared variable",
                               "only variables made by theano.shared can be updated");
        if (!seen.insert(target.get()).second)
            throw UserError("there are two updates of the shared variable " + describe(target), "give each one update");
        if (!value->type().convertibleTo(target->type()))
            throw TypeMismatch("an update must have the same type as the original shared variable: " + describe(target) + " is " +
                                   target->type().text() + ", its new value is " + value->type().text(),
                               wayOut(value->type(), target->type()));
    }
    for (const auto &[from, to] : spec.givens)
        if (!to->type().convertibleTo(from->type()))
            throw TypeMismatch("givens cannot replace " + describe(from) + " of type " + from->type().text() + " by a variable of type " +
                                   to->type().text(),
                               wayOut(to->type(), from->type()));
}

void checkUnusedInputs(const FunctionSpec &spec, const FunctionGraph &graph, std::vector<std::string> &warnings)
{
    if (spec.onUnusedInput == OnUnusedInput::Ignore) return;
    for (std::size_t i = 0; i < spec.inputs.size(); ++i) {
        if (spec.inputs[i].mayBeUnused || !graph.var(graph.inputs()[i]).clients.empty()) continue;
        const std::string message =
            "theano.function was asked to create a function computing outputs given certain inputs, but the provided "
            "input variable at index " +
            std::to_string(i) +
            " is not part of the computational graph needed to "
            "compute the outputs: " +
            describe(spec.inputs[i].variable) + ".";
        if (spec.onUnusedInput == OnUnusedInput::Warn) warnings.push_back(message);
        else
            throw UnusedInput(
                message,
                "To make this error into a warning, you can pass the parameter on_unused_input='warn' to theano.function. To disable it completely, use on_unused_input='ignore'.");
    }
}

namespace {

/// `var` and everything that looks into the same memory through views.
std::vector<VarId> viewClass(const FunctionGraph &graph, VarId var)
{
    for (bool found = true; found;) {
        found = false;
        const VarNode &node = graph.var(var);
        if (node.owner == kNoApply) break;
        const ApplyNode &owner = graph.apply(node.owner);
        for (const Alias &alias : owner.op->viewMap())
            if (alias.output == node.index) {
                var = owner.inputs[alias.input].var;
                found = true;
                break;
            }
    }
    std::vector<VarId> members{var};
    for (std::size_t i = 0; i < members.size(); ++i)
        for (const Client &client : graph.var(members[i]).clients) {
            if (client.isGraphOutput()) continue;
            const ApplyNode &reader = graph.apply(client.apply);
            for (const Alias &alias : reader.op->viewMap())
                if (alias.input == client.port) members.push_back(reader.outputs[alias.output]);
        }
    return members;
}

std::unordered_set<std::uint32_t> descendants(const FunctionGraph &graph, ApplyId start)
{
    std::unordered_set<std::uint32_t> seen{raw(start)};
    std::vector<ApplyId> open{start};
    while (!open.empty()) {
        const ApplyId id = open.back();
        open.pop_back();
        for (VarId out : graph.apply(id).outputs)
            for (const Client &client : graph.var(out).clients)
                if (!client.isGraphOutput() && seen.insert(raw(client.apply)).second) open.push_back(client.apply);
    }
    return seen;
}

bool mayDestroy(const FunctionGraph &graph, ApplyId id, VarId var, std::unordered_set<std::uint32_t> &destroyed)
{
    const std::vector<VarId> members = viewClass(graph, var);
    const VarNode &root = graph.var(members.front());
    if (root.owner == kNoApply &&
        std::find(graph.mutableInputs.begin(), graph.mutableInputs.end(), members.front()) == graph.mutableInputs.end())
        return false;
    std::optional<std::unordered_set<std::uint32_t>> after;
    for (VarId member : members) {
        if (destroyed.count(raw(member))) return false;
        for (const Client &client : graph.var(member).clients) {
            if (client.isGraphOutput()) return false;
            if (client.apply == id) continue;
            if (!after) after = descendants(graph, id);
            if (after->count(raw(client.apply))) return false; // it would read what was overwritten
        }
    }
    for (VarId member : members) destroyed.insert(raw(member));
    return true;
}

} // namespace

bool userOpsOverwrite(const FunctionGraph &graph)
{
    const std::vector<ApplyId> order = graph.toposort();
    return std::any_of(order.begin(), order.end(), [&](ApplyId id) {
        const Op &op = *graph.apply(id).op;
        return op.worksOnValues() && !op.isCompiled() && !op.destroyMap().empty();
    });
}

bool protectDestroyed(FunctionGraph &graph, const char *phase)
{
    struct Place {
        ApplyId apply;
        std::uint32_t port;
    };
    std::vector<Place> copies;
    std::unordered_set<std::uint32_t> destroyed;
    bool isAnyDestroyed = false;
    for (ApplyId id : graph.toposort())
        for (const Alias &alias : graph.apply(id).op->destroyMap()) {
            isAnyDestroyed = true;
            const auto port = alias.input;
            const VarId input = graph.inputOf(id, port);
            if (mayDestroy(graph, id, input, destroyed)) continue;
            if (!graph.var(input).type.isTensor())
                throw UserError("[" + graph.apply(id).op->name() + "] overwrites its input " + std::to_string(port) + " of type " +
                                    graph.var(input).type.text() + ", which somebody else needs: only arrays are copied for that",
                                "give it as In(…, mutable=True), or what comes of it as the update of a shared variable");
            copies.push_back({id, port});
        }
    if (copies.empty()) return isAnyDestroyed;
    Editor edit(graph);
    edit.beginStep(phase, "protect_destroyed", "protect_destroyed");
    for (const Place &place : copies) {
        const VarHandle value = edit.var(graph.inputOf(place.apply, place.port));
        edit.setInput(place.apply, place.port, edit.applyFresh(makeOp<DeepCopyOp>(), {&value, 1}).output().id());
    }
    edit.commitStep("an op overwrites this input, and somebody else needs it");
    return true;
}

void insertDeepCopies(const FunctionSpec &spec, FunctionGraph &graph)
{
    std::vector<std::size_t> copy;
    std::unordered_set<std::uint32_t> taken;
    for (std::size_t i = 0; i < graph.outputCount(); ++i) {
        const VarId root = storageRoot(graph, graph.output(i));
        const VarNode &node = graph.var(root);
        if (!graph.var(graph.output(i)).type.isTensor()) continue;
        const bool isUpdate = i >= spec.outputs.size();
        const bool borrowed = !isUpdate && i < spec.borrowOutput.size() && spec.borrowOutput[i];
        bool shares = !taken.insert(raw(root)).second;
        if (node.owner == kNoApply) {
            const auto updated = graph.updates.find(i);
            // An update may live in the memory of the variable that it replaces.
            shares |= !(isUpdate && updated != graph.updates.end() && updated->second == root);
        }
        // The value of a constant is everybody's.
        if (shares && (!borrowed || node.kind == Variable::Kind::Constant)) copy.push_back(i);
    }
    if (copy.empty()) return;
    Editor edit(graph);
    edit.beginStep("output", "insert_deepcopy", "insert_deepcopy");
    for (std::size_t i : copy) {
        const VarHandle out = edit.var(graph.output(i));
        // One copy per output: two outputs of the same variable must not share either, so no hash-consing here.
        const NodeHandle made = edit.applyFresh(makeOp<DeepCopyOp>(), {&out, 1});
        edit.setOutput(static_cast<std::uint32_t>(i), made.output().id());
        if (!out.name().empty()) edit.rename(made.output().id(), out.name());
        if (const ApplyId owner = graph.var(out.id()).owner; owner != kNoApply) edit.consume(owner);
    }
    edit.commitStep("a returned array may not share memory with an input, a shared variable or another output");
}

} // namespace engine
