// Loops: what is the same in all steps is done once, what nobody reads is not kept, what nobody needs is written over.
#include "engine/graph/ir/clone.h"
#include "engine/ops/index/index.h"
#include "engine/ops/loops/scan.h"
#include "engine/ops/shapes/alloc.h"
#include "engine/rewrite/execution/scan_parts.h"
#include "engine/rewrite/machine/aliasing.h"
#include "engine/rewrite/machine/build.h"
#include "engine/rewrite/machine/driver.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace engine {
namespace {

std::vector<VarHandle> inputsOf(const NodeHandle &node)
{
    const auto handles = node.inputs();
    return {handles.begin(), handles.end()};
}

// False if the type would change.
bool replaceOne(Editor &edit, VarHandle before, VarHandle after)
{
    if (!after.type().convertibleTo(before.type())) return false;
    edit.replace(before, after);
    return true;
}

// Replaces all outputs; false if a type would change.
bool replaceOutputs(Editor &edit, const NodeHandle &before, const NodeHandle &after)
{
    for (std::size_t o = 0; o < before.outputCount(); ++o)
        if (!after.output(o).type().convertibleTo(before.output(o).type())) return false;
    for (std::size_t o = 0; o < before.outputCount(); ++o) edit.replace(before.output(o), after.output(o));
    return true;
}

// --- what is the same in all steps --------------------------------------------------------------------

/// The applies of a body that read nothing that changes, and what the others read of them.
struct FixedPart {
    std::vector<Apply *> applies;
    std::vector<VarRef> border;
};

FixedPart fixedPart(const Scan &op)
{
    const InnerGraph &inner = *op.inner();
    std::unordered_set<const Variable *> fixed;
    for (std::size_t i = 0; i < op.info().nonSequences; ++i) fixed.insert(inner.inputs[op.innerNonSequence(i)].get());
    FixedPart part;
    std::unordered_set<const Variable *> seen;
    const auto reads = [&](const VarRef &variable) {
        if (variable->owner() && fixed.count(variable.get()) && seen.insert(variable.get()).second) part.border.push_back(variable);
    };
    for (Apply *apply : toposort(inner.outputs, inner.inputs)) {
        const auto inputs = apply->inputs();
        const bool isFixed = std::all_of(inputs.begin(), inputs.end(), [&](const VarRef &input) {
            return input->kind() == Variable::Kind::Constant || fixed.count(input.get());
        });
        const bool isConstant =
            std::all_of(inputs.begin(), inputs.end(), [](const VarRef &input) { return input->kind() == Variable::Kind::Constant; });
        if (isFixed && !isConstant && apply->op().canFold() && !apply->op().worksOnValues()) {
            for (int o = 0; o < apply->outputCount(); ++o) fixed.insert(apply->output(o));
            part.applies.push_back(apply);
            continue;
        }
        for (const VarRef &input : inputs) reads(input);
    }
    for (const VarRef &output : inner.outputs) reads(output);
    return part;
}

REWRITE(scanOp_pushout_nonseqs_ops, Phase::Merge)
    .why("what is the same in all steps is computed once, before the loop")
    .hurts("it is computed, and kept, although the loop may run no step")
    .pass("scan_eqopt1")
    .example("h: dvector; b: dmatrix; w: dvector; n: lscalar; loop(h, h * exp(w), b, n)",
             "h: dvector; b: dmatrix; w: dvector; n: lscalar; e: dvector; loop(h, h * e, b, n, fixed=e, value=exp(w))")
    .nearMiss("h: dvector; b: dmatrix; w: dvector; n: lscalar; loop(h, exp(h * w), b, n)")
    .match<Scan>([](const NodeHandle &node, Editor &edit) {
        const Scan &op = *node.opAs<Scan>();
        const InnerGraph &inner = *op.inner();
        if (hasChoice(inner)) return declined("a choice in the body decides what runs");
        const FixedPart part = fixedPart(op);
        if (part.border.empty()) return declined("all of the body depends on the step");
        std::unordered_map<const Variable *, VarHandle> values;
        for (std::size_t i = 0; i < op.info().nonSequences; ++i)
            values.emplace(inner.inputs[op.innerNonSequence(i)].get(),
                           asInside(edit, node.input(op.outerNonSequence(i)), inner.inputs[op.innerNonSequence(i)]->type()));
        for (const Apply *apply : part.applies) {
            std::vector<VarHandle> inputs;
            for (const VarRef &input : apply->inputs()) {
                const auto known = values.find(input.get());
                inputs.push_back(known != values.end() ? known->second : edit.constant(input->value(), input->type(), input->name()));
            }
            const NodeHandle made = edit.apply(apply->opRef(), inputs);
            for (int o = 0; o < apply->outputCount(); ++o)
                values.emplace(apply->output(o), asInside(edit, made.output(static_cast<std::size_t>(o)), apply->output(o)->type()));
        }
        ScanInfo info = op.info();
        InnerGraph body;
        std::vector<VarRef> stands;
        for (const VarRef &variable : part.border) {
            if (!values.at(variable.get()).type().convertibleTo(variable->type()) &&
                !(values.at(variable.get()).type() == variable->type()))
                return declined("the type would change");
            stands.push_back(Variable::input(variable->type(), variable->name()));
        }
        body.outputs = substitute(inner.outputs, part.border, stands);
        std::unordered_set<const Variable *> used;
        for (const VarRef &one : ancestors(body.outputs, inner.inputs)) used.insert(one.get());
        std::vector<VarHandle> outer;
        for (std::size_t i = 0; i < op.outerNonSequence(0); ++i) outer.push_back(node.input(i));
        body.inputs.assign(inner.inputs.begin(), inner.inputs.begin() + op.innerNonSequence(0));
        info.nonSequences = 0;
        const auto keep = [&](const VarRef &variable, VarHandle value) {
            body.inputs.push_back(variable);
            outer.push_back(value);
            ++info.nonSequences;
        };
        for (std::size_t i = 0; i < op.info().nonSequences; ++i) {
            const VarRef &variable = inner.inputs[op.innerNonSequence(i)];
            if (used.count(variable.get())) keep(variable, node.input(op.outerNonSequence(i)));
        }
        for (std::size_t k = 0; k < stands.size(); ++k) keep(stands[k], values.at(part.border[k].get()));
        const NodeHandle made = edit.apply(scanOp(std::move(info), std::move(body)), outer);
        if (!replaceOutputs(edit, node, made)) return declined("the type would change");
        return replaced("it is computed once");
    });

// --- inputs that steps can do without -----------------------------------------------------------------

REWRITE(scanOp_remove_constants_and_unused_inputs0, Phase::Merge)
    .why("a step knows constants by itself, reads nothing twice, and is given nothing that it does not read")
    .pass("scan_eqopt1")
    .at(-1)
    .example("h: dvector; b: dmatrix; n: lscalar; e: dscalar; loop(h, h * e, b, n, fixed=e, value=constant(2.0, float64))",
             "h: dvector; b: dmatrix; n: lscalar; loop(h, h * constant(2.0, float64), b, n)")
    .nearMiss("h: dvector; b: dmatrix; w: dvector; n: lscalar; loop(h, h * w, b, n)")
    .match<Scan>([](const NodeHandle &node, Editor &edit) {
        ScanParts parts(node);
        std::vector<VarRef> from, to;
        for (const ScanParts::Input &input : parts.fixed)
            if (const Value *value = input.outer.constant(); value && input.outer.type() == input.inner->type()) {
                from.push_back(input.inner);
                to.push_back(Variable::constant(*value, input.inner->type(), input.inner->name()));
            }
        for (const auto *inputs : {&parts.sequences, &parts.fixed})
            for (std::size_t i = 0; i < inputs->size(); ++i)
                for (std::size_t k = 0; k < i; ++k)
                    if ((*inputs)[k].outer == (*inputs)[i].outer && (*inputs)[k].inner->type() == (*inputs)[i].inner->type() &&
                        std::find(from.begin(), from.end(), (*inputs)[i].inner) == from.end()) {
                        from.push_back((*inputs)[i].inner);
                        to.push_back((*inputs)[k].inner);
                        break;
                    }
        if (!from.empty()) parts.substituteResults(from, to);
        if (!parts.dropUnread() && from.empty()) return declined("every input is read, and none is known");
        if (!parts.replace(edit, node)) return declined("the type would change");
        return replaced("the body does without some inputs");
    });

// --- what nobody reads --------------------------------------------------------------------------------

/// How many of the last rows must be there for what is read; nothing: any row may be. `result[1:][-1]` reads the last of two.
std::optional<std::int64_t> rowsRead(const FunctionGraph &graph, VarHandle output, bool isWhole = true)
{
    std::int64_t most = 0;
    for (const Client &client : output.clients()) {
        if (client.isGraphOutput()) return std::nullopt;
        const NodeHandle reader(graph, client.apply);
        const Subtensor *index = reader.opAs<Subtensor>();
        if (!index || client.port != 0 || index->entries().empty()) return std::nullopt;
        const IndexEntry &first = index->entries().front();
        if (!first.start || (first.isSlice && (first.stop || first.step))) return std::nullopt;
        const Value *start = reader.input(1).constant();
        if (!start) return std::nullopt;
        const std::int64_t place = start->tensor().intAt(0);
        if (place < 0) {
            most = std::max(most, -place);
            continue;
        }
        if (!first.isSlice || !isWhole) return std::nullopt;
        const auto behind = rowsRead(graph, reader.output(), false);
        if (!behind) return std::nullopt;
        most = std::max(most, place + *behind);
    }
    return most;
}

/// Reads the last rows from an array that holds fewer of them. The arrays themselves differ in size, and others may know the size of the
/// first one: what replaces what is only the rows that both have. `output` is one for which rowsRead() gave a number.
bool replaceReaders(Editor &edit, VarHandle output, VarHandle shorter)
{
    std::vector<ApplyId> readers;
    for (const Client &client : output.clients()) readers.push_back(client.apply);
    for (const ApplyId id : readers) {
        const NodeHandle reader = edit.node(id);
        std::vector<VarHandle> inputs = inputsOf(reader);
        const bool isRest = inputs[1].constant()->tensor().intAt(0) >= 0;
        inputs[0] = shorter;
        const VarHandle after = edit.make(reader.op(), inputs);
        if (!(isRest ? replaceReaders(edit, edit.node(id).output(), after) : replaceOne(edit, edit.node(id).output(), after))) return false;
    }
    return true;
}

VarHandle integer(Editor &edit, std::int64_t value) { return edit.constant(Tensor::scalarInt(DType::Int64, value)); }

// The smaller of `rows` and `history` + steps.
VarHandle rowsFor(Editor &edit, VarHandle steps, std::int64_t rows, std::int64_t history)
{
    if (const Value *known = steps.constant()) return integer(edit, std::min(rows, known->tensor().intAt(0) + history));
    VarHandle all = castTo(edit, steps, DType::Int64);
    if (history) all = elementwise(edit, ScalarCode::Add, {all, integer(edit, history)});
    return elementwise(edit, ScalarCode::Minimum, {integer(edit, rows), all});
}

// Is `rows` the number of steps and some more?
bool isForAllSteps(VarHandle rows, VarHandle steps, std::int64_t history)
{
    const Value *known = rows.constant(), *count = steps.constant();
    if (known || count) return known && count && known->tensor().intAt(0) == count->tensor().intAt(0) + history;
    const auto sum = madeBy(rows, ScalarCode::Add);
    if (!sum) return false;
    for (VarHandle term : sum->inputs()) {
        if (const auto cast = madeBy(term, ScalarCode::Cast)) term = cast->input(0);
        if (term == steps) return true;
    }
    return false;
}

// A buffer that was made for all steps, with fewer rows.
std::optional<VarHandle> shortened(Editor &edit, VarHandle buffer, VarHandle rows, VarHandle steps, std::int64_t history)
{
    const auto withRows = [&](const NodeHandle &maker, std::size_t port) -> std::optional<VarHandle> {
        std::vector<VarHandle> inputs = inputsOf(maker);
        if (!isForAllSteps(inputs[port], steps, history)) return std::nullopt;
        inputs[port] = rows;
        return edit.make(maker.op(), inputs);
    };
    if (const auto room = madeBy<AllocEmpty>(buffer)) return withRows(*room, 0);
    if (const auto filled = madeBy<Alloc>(buffer); filled && filled->input(0).rank() < buffer.rank()) return withRows(*filled, 1);
    if (const auto set = madeBy<IncSubtensor>(buffer)) {
        const IncSubtensor &op = *set->opAs<IncSubtensor>();
        const IndexEntry &first = op.entries().front();
        if (!op.isSet() || op.entries().size() != 1 || !first.isSlice || first.start || first.step || !first.stop) return std::nullopt;
        std::vector<VarHandle> inputs = inputsOf(*set);
        const auto room = shortened(edit, inputs[0], rows, steps, history);
        if (!room) return std::nullopt;
        inputs[0] = *room;
        return edit.make(set->op(), inputs);
    }
    return std::nullopt;
}

REWRITE(scanOp_save_mem, Phase::Stabilize)
    .why("of the steps of a loop only those are kept that somebody reads: result[-1] keeps the last one")
    .hurts("the steps between are no longer available; the last state of no steps is the initial one")
    .pass("scanOp_save_mem")
    .example("h: dvector; w: dvector; n: lscalar; loop(h, h * w, alloc(constant(1.5, float64), n + 1, w.shape[0]), n)[-1]",
             "h: dvector; w: dvector; n: lscalar; loop(h, h * w, alloc(constant(1.5, float64), minimum(2, n + 1), w.shape[0]), n)[-1]")
    .nearMiss("h: dvector; w: dvector; n: lscalar; loop(h, h * w, alloc(constant(1.5, float64), n + 1, w.shape[0]), n)[0]")
    .match<Scan>([](const NodeHandle &node, Editor &edit) {
        const Scan &op = *node.opAs<Scan>();
        std::vector<VarHandle> inputs = inputsOf(node);
        const VarHandle steps = node.input(0);
        std::vector<bool> isShorter(node.outputCount(), false);
        const auto shorten = [&](std::size_t output, std::size_t port, VarHandle after) {
            isShorter[output] = !(inputs[port] == after);
            inputs[port] = after;
        };
        const auto isShort = [&](std::int64_t rows, std::int64_t history) {
            const Value *known = steps.constant();
            return known && known->tensor().intAt(0) + history <= rows;
        };
        for (const ScanState &state : op.states()) {
            if (state.kind == ScanState::Kind::MitMot) continue;
            const VarHandle output = node.output(state.outerOutput);
            const auto read = rowsRead(node.graph(), output);
            if (!read) continue;
            // One more than the taps: no step writes where it reads.
            const std::int64_t history = state.history(), rows = std::max(*read, history + 1);
            if (isShort(rows, history)) continue;
            const VarHandle before = node.input(state.outerInput);
            if (const auto after = shortened(edit, before, rowsFor(edit, steps, rows, history), steps, history))
                shorten(state.outerOutput, state.outerInput, *after);
        }
        for (std::size_t i = 0; i < op.info().nitSot; ++i) {
            const auto read = rowsRead(node.graph(), node.output(op.nitOutput(i)));
            if (!read) continue;
            const std::int64_t rows = std::max<std::int64_t>(*read, 1);
            if (isShort(rows, 0) || !(node.input(op.outerLength(i)) == steps)) continue;
            shorten(op.nitOutput(i), op.outerLength(i), rowsFor(edit, steps, rows, 0));
        }
        if (inputs == inputsOf(node)) return declined("more is read than the last steps, or no more is kept");
        const NodeHandle made = edit.apply(node.op(), inputs);
        for (std::size_t o = 0; o < node.outputCount(); ++o) {
            if (isShorter[o] ? replaceReaders(edit, node.output(o), made.output(o)) : replaceOne(edit, node.output(o), made.output(o)))
                continue;
            return declined("the type would change");
        }
        return replaced("only the last steps are kept");
    });

// --- what nobody needs --------------------------------------------------------------------------------

REWRITE(scanOp_make_inplace, Phase::Inplace)
    .why("steps write into the memory of the initial states: no copy of them")
    .hurts("the initial states are no longer available after the call")
    .pass("scanOp_make_inplace")
    .example("h: dvector; b: dmatrix; w: dvector; n: lscalar; loop(h, h * w, exp(b), n)",
             "h: dvector; b: dmatrix; w: dvector; n: lscalar; loop(h, h * w, exp(b), n, inplace=True)")
    .nearMiss("h: dvector; b: dmatrix; w: dvector; n: lscalar; loop(h, h * w, b, n)")
    .tag("inplace")
    .whole([](WholeRun &run) {
        const auto isLoop = [&](ApplyId id) { return bool(NodeHandle(run.graph(), id).opAs<Scan>()); };
        if (std::none_of(run.order().begin(), run.order().end(), isLoop)) return;
        Aliasing aliasing(run.graph());
        for (ApplyId id : aliasing.order()) {
            if (!run.graph().apply(id).live || !isLoop(id)) continue;
            const NodeHandle node(run.graph(), id);
            const Scan &op = *node.opAs<Scan>();
            ScanInfo info = op.info();
            const char *reason = "it has no states";
            ApplyId because = kNoApply;
            for (const ScanState &state : op.states()) {
                const std::size_t port = state.outerInput;
                const VarHandle buffer = node.input(port);
                const auto same = [&](const Use &use) { return use.var == buffer.id(); };
                const auto &uses = run.graph().apply(id).inputs;
                if (std::count_if(uses.begin(), uses.end(), same) > 1) {
                    reason = "the loop reads the initial state elsewhere, too";
                    continue;
                }
                if (!(buffer.type() == node.output(state.outerOutput).type())) {
                    reason = "no argument has the type of the output";
                    continue;
                }
                if (const char *no = aliasing.whyNot(id, port)) {
                    reason = no;
                    because = aliasing.because();
                    continue;
                }
                info.overwritten.push_back(state.outerOutput);
            }
            if (info.overwritten == op.info().overwritten) {
                run.decline(id, reason, because);
                continue;
            }
            const OpRef after = scanOp(info, *op.inner());
            run.step(id, [&](Editor &edit) {
                const NodeHandle made = edit.applyFresh(after, inputsOf(edit.node(id)));
                if (!replaceOutputs(edit, edit.node(id), made)) return declined("the type would change");
                aliasing.moved(id, made.id());
                return replaced("nobody reads the initial states later");
            });
        }
        run.validated(aliasing.nanoseconds());
    });

} // namespace
} // namespace engine
