// Sums over the steps of a loop: products that are added up from step to step become one product after it.
#include "engine/ops/index/index.h"
#include "engine/ops/products/dot.h"
#include "engine/ops/shapes/alloc.h"
#include "engine/ops/shapes/reshape.h"
#include "engine/ops/shapes/shape.h"
#include "engine/rewrite/execution/scan_parts.h"
#include "engine/rewrite/machine/build.h"

#include <utility>

namespace engine {
namespace {

const DimShuffle *viewOf(const Variable &variable) { return variable.owner() ? opCast<DimShuffle>(variable.owner()->opRef()) : nullptr; }

bool isView(const VarRef &variable, const std::vector<int> &order)
{
    const DimShuffle *view = viewOf(*variable);
    return view && view->order() == order;
}

/// What a step multiplies, as rows of a matrix that has those of all steps.
struct Factor {
    enum class Form { Row, Rows, Turned }; ///< a vector; a matrix; a matrix whose columns are the rows
    VarRef variable;
    Form form = Form::Rows;
};

/// sum of leftᵀ·right: each step adds the product of its rows.
struct AddedProduct {
    Factor left, right;
};

Factor leftFactor(const VarRef &a)
{
    if (isView(a, {1, 0})) return {a->owner()->input(0), Factor::Form::Rows};
    if (isView(a, {0, DimShuffle::kNewAxis})) return {a->owner()->input(0), Factor::Form::Row};
    return {a, Factor::Form::Turned};
}

Factor rightFactor(const VarRef &b)
{
    if (isView(b, {DimShuffle::kNewAxis, 0})) return {b->owner()->input(0), Factor::Form::Row};
    return {b, Factor::Form::Rows};
}

/// The products that are added to `sum`; nothing if it is added to in another way.
std::optional<std::vector<AddedProduct>> addedTo(const VarRef &sum, const VarRef &result)
{
    std::vector<AddedProduct> products;
    std::vector<VarRef> open{result};
    bool isFound = false;
    while (!open.empty()) {
        const VarRef term = open.back();
        open.pop_back();
        if (term == sum) {
            if (std::exchange(isFound, true)) return std::nullopt;
            continue;
        }
        if (!term->owner() || !(term->type() == sum->type())) return std::nullopt;
        const Apply &maker = *term->owner();
        if (const Elemwise *add = opCast<Elemwise>(maker.opRef()); add && add->is(ScalarCode::Add)) {
            for (const VarRef &input : maker.inputs()) open.push_back(input);
            continue;
        }
        if (!opCast<Dot>(maker.opRef()) || maker.input(0)->type().rank() != 2 || maker.input(1)->type().rank() != 2) return std::nullopt;
        products.push_back({leftFactor(maker.input(0)), rightFactor(maker.input(1))});
    }
    if (!isFound || products.empty()) return std::nullopt;
    return products;
}

bool isLengthOf(VarHandle steps, VarHandle rows)
{
    const auto size = madeBy<Shape_i>(steps);
    if (!size || size->opAs<Shape_i>()->axis() != 0) return false;
    if (size->input(0) == rows) return true;
    const auto part = madeBy<Subtensor>(rows); // backwards it has as many
    if (!part || !(part->input(0) == size->input(0))) return false;
    const auto &entries = part->opAs<Subtensor>()->entries();
    if (entries.size() != 1 || !entries[0].isSlice || entries[0].start || entries[0].stop || !entries[0].step) return false;
    const Value *step = part->input(1).constant();
    return step && step->tensor().intAt(0) == -1;
}

/// What all rows of a buffer for `steps` and the initial state are; nothing if that is not known.
std::optional<VarHandle> everyRow(Editor &edit, VarHandle buffer, VarHandle steps)
{
    const auto filled = madeBy<Alloc>(buffer);
    if (!filled || filled->input(0).rank() >= buffer.rank()) return std::nullopt;
    const VarHandle rows = filled->input(1);
    if (const Value *known = rows.constant()) {
        const Value *count = steps.constant();
        if (!count || known->tensor().intAt(0) != count->tensor().intAt(0) + 1) return std::nullopt;
    } else {
        const auto sum = madeBy(rows, ScalarCode::Add);
        if (!sum || sum->inputCount() != 2) return std::nullopt;
        const auto isSteps = [&](VarHandle term) {
            const auto cast = madeBy(term, ScalarCode::Cast);
            return term == steps || (cast && cast->input(0) == steps);
        };
        const VarHandle a = sum->input(0), b = sum->input(1);
        if (!(isSteps(a) && isConstantOf(b, 1)) && !(isSteps(b) && isConstantOf(a, 1))) return std::nullopt;
    }
    std::vector<VarHandle> inputs{filled->input(0)};
    for (std::size_t i = 2; i < filled->inputCount(); ++i) inputs.push_back(filled->input(i));
    return edit.make(makeOp<Alloc>(), inputs);
}

/// Rows of all steps, where they come from.
class Rows {
public:
    Rows(Editor &edit, ScanParts &parts) : m_edit(edit), m_parts(parts) {}

    /// Can they be had? What the loop has to give for it is added to it.
    bool ask(const Factor &factor)
    {
        const VarRef &variable = factor.variable;
        if (variable->kind() == Variable::Kind::Constant) return false;
        for (const ScanParts::Input &input : m_parts.fixed)
            if (input.inner == variable) return false;
        if (sequence(variable)) return true;
        for (const ScanParts::Map &map : m_parts.maps)
            if (map.result == variable && map.length == m_parts.steps) return true;
        m_parts.maps.push_back({variable, m_parts.steps, -1});
        return true;
    }

    /// Whether the loop itself says how many there are.
    bool isOfLoop(const Factor &factor) const
    {
        const ScanParts::Input *input = sequence(factor.variable);
        return !input || isLengthOf(m_parts.steps, input->outer);
    }

    VarHandle whole(const Factor &factor, const std::optional<NodeHandle> &made)
    {
        const VarHandle rows = ofAllSteps(factor.variable, made);
        if (factor.form == Factor::Form::Row) return rows;
        const VarHandle turned = factor.form == Factor::Form::Turned ? dimshuffle(m_edit, rows, {0, 2, 1}) : rows;
        const auto size = [&](int axis) { return m_edit.make(makeOp<Shape_i>(axis), {turned}); };
        const VarHandle both = elementwise(m_edit, ScalarCode::Mul, {size(0), size(1)});
        const VarHandle shape = m_edit.make(makeOp<MakeVector>(DType::Int64), {both, size(2)});
        return m_edit.make(makeOp<Reshape>(2), {turned, shape});
    }

private:
    const ScanParts::Input *sequence(const VarRef &variable) const
    {
        for (const ScanParts::Input &input : m_parts.sequences)
            if (input.inner == variable) return &input;
        return nullptr;
    }

    VarHandle ofAllSteps(const VarRef &variable, const std::optional<NodeHandle> &made)
    {
        if (const ScanParts::Input *input = sequence(variable)) {
            if (isLengthOf(m_parts.steps, input->outer)) return input->outer;
            IndexEntry upTo;
            upTo.isSlice = true;
            upTo.stop = DType::Int64;
            return m_edit.make(makeOp<Subtensor>(std::vector<IndexEntry>{upTo}),
                               {input->outer, castTo(m_edit, m_parts.steps, DType::Int64)});
        }
        std::size_t place = 0;
        while (!(m_parts.maps[place].result == variable && m_parts.maps[place].length == m_parts.steps)) ++place;
        return made->output(m_parts.outputOfMap(place));
    }

    Editor &m_edit;
    ScanParts &m_parts;
};

/// Is only the last row read?
bool isReadAtTheEnd(const FunctionGraph &graph, VarHandle output)
{
    for (const Client &client : output.clients()) {
        if (client.isGraphOutput()) return false;
        const NodeHandle reader(graph, client.apply);
        const Subtensor *index = reader.opAs<Subtensor>();
        if (!index || client.port != 0 || index->entries().empty()) return false;
        const IndexEntry &first = index->entries().front();
        if (first.isSlice || !first.start || !reader.input(1).constant() || reader.input(1).constant()->tensor().intAt(0) != -1)
            return false;
    }
    return !output.clients().empty();
}

std::vector<NodeHandle> readersOf(const FunctionGraph &graph, VarHandle output)
{
    std::vector<NodeHandle> readers;
    for (const Client &client : output.clients()) readers.emplace_back(graph, client.apply);
    return readers;
}

bool isReadBy(const VarRef &variable, const ScanParts &parts)
{
    for (const VarRef &one : ancestors(parts.results()))
        if (one == variable) return true;
    return false;
}

REWRITE(scanOp_pushout_output, Phase::Stabilize)
    .why(
        "products that steps add up are one product after the loop: the gradient of weights is one large product instead of many small ones")
    .hurts("what the steps multiply is kept for all steps, where the loop keeps one sum; sums are rounded in another order")
    .pass("scan_eqopt2")
    .example("s: dmatrix; r: dmatrix; x: dtensor3; z: dscalar; "
             "loop(s, s + dot(transpose(r), r), alloc(z, x.shape[0] + 1, x.shape[2], x.shape[2]), x.shape[0], row=r, sequence=x)[-1]",
             "x: dtensor3; z: dscalar; rows = reshape(x, x.shape[0] * x.shape[1], x.shape[2]); "
             "alloc(z, x.shape[2], x.shape[2]) + dot(transpose(rows), rows)")
    .nearMiss("s: dmatrix; r: dmatrix; x: dtensor3; z: dscalar; "
              "loop(s, s * 2 + dot(transpose(r), r), alloc(z, x.shape[0] + 1, x.shape[2], x.shape[2]), x.shape[0], row=r, sequence=x)[-1]")
    .match<Scan>([](const NodeHandle &node, Editor &edit) {
        ScanParts parts(node);
        if (parts.condition) return declined("a condition may end it early");
        struct Sum {
            ScanParts::State state;
            std::vector<AddedProduct> products;
            VarHandle start;
        };
        std::vector<Sum> sums;
        for (std::size_t s = 0; s < parts.states.size();) {
            const ScanParts::State state = parts.states[s];
            std::optional<std::vector<AddedProduct>> products;
            const bool isSum = state.kind == ScanState::Kind::SitSot && isReadAtTheEnd(node.graph(), node.output(state.output));
            const std::optional<VarHandle> start = isSum ? everyRow(edit, state.outer, parts.steps) : std::nullopt;
            if (start) products = addedTo(state.inner[0], state.results[0]);
            if (!products) {
                ++s;
                continue;
            }
            ScanParts rest = parts;
            rest.states.erase(rest.states.begin() + s);
            Rows rows(edit, rest);
            bool isKnown = !isReadBy(state.inner[0], rest);
            for (const AddedProduct &product : *products) {
                isKnown = isKnown && rows.ask(product.left) && rows.ask(product.right);
                if (isKnown && !rows.isOfLoop(product.left) && !rows.isOfLoop(product.right)) isKnown = false;
            }
            if (!isKnown || isReadBy(state.inner[0], rest)) {
                ++s;
                continue;
            }
            parts = std::move(rest);
            sums.push_back({state, std::move(*products), *start});
        }
        if (sums.empty()) return declined("no products are added up of which only the sum is read");
        parts.dropUnreadFixed();
        ScanParts all(node); // sequences that the loop reads no more are still multiplied
        all.maps = parts.maps;
        all.states = parts.states;
        std::optional<NodeHandle> made;
        if (!parts.states.empty() || !parts.maps.empty() || !parts.shared.empty()) {
            made = parts.replace(edit, node);
            if (!made) return declined("the type would change");
        }
        Rows rows(edit, all);
        for (const Sum &sum : sums) {
            VarHandle total = sum.start;
            for (const AddedProduct &product : sum.products) {
                const VarHandle left = dimshuffle(edit, rows.whole(product.left, made), {1, 0});
                const VarHandle term = edit.make(makeOp<Dot>(), {left, rows.whole(product.right, made)});
                total = elementwise(edit, ScalarCode::Add, {total, term});
            }
            for (const NodeHandle &reader : readersOf(node.graph(), node.output(sum.state.output))) {
                std::vector<IndexEntry> rest = reader.opAs<Subtensor>()->entries();
                rest.erase(rest.begin());
                std::vector<VarHandle> inputs{total};
                for (std::size_t i = 2; i < reader.inputCount(); ++i) inputs.push_back(reader.input(i));
                const VarHandle value =
                    withPattern(edit, rest.empty() ? total : edit.make(makeOp<Subtensor>(rest), inputs), reader.output().type());
                if (!(value.type() == reader.output().type())) return declined("the type would change");
                edit.replace(reader.output(), value);
            }
        }
        return replaced("they are multiplied at once");
    });

} // namespace
} // namespace engine
