// RNN, GRU and LSTM: a loop over the steps of a sequence, in one direction or both.
#include "engine/onnx/model/call.h"
#include "engine/ops/elements/elementwise.h"
#include "engine/ops/index/index.h"
#include "engine/ops/loops/scan.h"
#include "engine/ops/products/dot.h"
#include "engine/ops/shapes/alloc.h"
#include "engine/ops/shapes/creation.h"
#include "engine/ops/shapes/dimshuffle.h"
#include "engine/ops/shapes/join.h"
#include "engine/ops/shapes/reshape.h"

#include <algorithm>
#include <cctype>

namespace engine::onnx {
namespace {

using S = ScalarCode;

struct CellActivation {
    std::string name;
    double alpha = 0, beta = 0;
    VarRef operator()(Call &call, const VarRef &x) const
    {
        const DType dtype = x->type().dtype();
        const auto n = [&](double value) { return number(dtype, value); };
        const auto below = [&](const VarRef &other) { return switchOn(elementwise(S::Lt, {x, n(0)}), other, x); };
        if (name == "sigmoid") return elementwise(S::Sigmoid, {x});
        if (name == "tanh") return elementwise(S::Tanh, {x});
        if (name == "relu") return elementwise(S::Maximum, {x, n(0)});
        if (name == "affine") return add(mul(n(alpha), x), n(beta));
        if (name == "leakyrelu") return below(mul(n(alpha), x));
        if (name == "thresholdedrelu") return switchOn(elementwise(S::Gt, {x, n(alpha)}), x, n(0));
        if (name == "scaledtanh") return mul(n(alpha), elementwise(S::Tanh, {mul(n(beta), x)}));
        if (name == "hardsigmoid") return elementwise(S::Clip, {add(mul(n(alpha), x), n(beta)), n(0), n(1)});
        if (name == "elu") return below(mul(n(alpha), elementwise(S::Expm1, {x})));
        if (name == "softsign") return trueDiv(x, add(n(1), elementwise(S::Abs, {x})));
        if (name == "softplus") return elementwise(S::Softplus, {x});
        call.fail("has the activation \"" + name + "\", which is none of ONNX's");
    }
};

struct Recurrent {
    Recurrent(Call &call, int gates, std::vector<std::string> usual) : call(call), gates(gates)
    {
        const std::string direction = call.text("direction", "forward");
        directions = direction == "bidirectional" ? 2 : 1;
        startsBackwards = direction == "reverse";
        x = call.in(0);
        isBatchFirst = call.integer("layout", 0);
        if (isBatchFirst) x = permuted(x, {1, 0, 2});
        hidden = call.integer("hidden_size", sizesOf(call.in(2)).at(2));
        if (hidden < 1) call.fail("needs to know its hidden size");
        std::vector<std::string> names = call.texts("activations");
        if (names.empty())
            for (int d = 0; d < directions; ++d) names.insert(names.end(), usual.begin(), usual.end());
        if (names.size() != usual.size() * static_cast<std::size_t>(directions))
            call.fail("has " + std::to_string(names.size()) + " activations");
        const std::vector<double> alphas = call.numbers("activation_alpha"), betas = call.numbers("activation_beta");
        for (std::size_t i = 0; i < names.size(); ++i) {
            CellActivation one{names[i]};
            std::transform(one.name.begin(), one.name.end(), one.name.begin(), [](unsigned char c) { return std::tolower(c); });
            one.alpha = one.name == "hardsigmoid" ? 0.2 : one.name == "leakyrelu" ? 0.01 : 1;
            one.beta = one.name == "hardsigmoid" ? 0.5 : one.name == "affine" ? 0 : 1;
            if (i < alphas.size()) one.alpha = alphas[i];
            if (i < betas.size()) one.beta = betas[i];
            activations.push_back(one);
        }
        clip = call.number("clip", 0);
        if (call.has(4)) lengths = call.in(4);
    }

    VarRef n(double value) const { return number(x->type().dtype(), value); }
    VarRef part(const VarRef &a, int direction) const { return pinned(elementAt(a, direction)); }
    VarRef gate(const VarRef &a, int i) const { return sliced(a, a->type().rank() - 1, i * hidden, (i + 1) * hidden); }
    VarRef clipped(const VarRef &a) const { return clip > 0 ? elementwise(S::Clip, {a, n(-clip), n(clip)}) : a; }
    VarRef act(int direction, int which, const VarRef &a) const
    {
        const std::size_t each = activations.size() / static_cast<std::size_t>(directions);
        return activations[static_cast<std::size_t>(direction) * each + static_cast<std::size_t>(which)](call, clipped(a));
    }
    VarRef state(int input, int direction) const
    {
        if (!call.has(input)) return pinned(alloc(n(0), Vars{sizeOf(x, 1), int64(hidden)}));
        const VarRef given = isBatchFirst ? permuted(call.in(input), {1, 0, 2}) : call.in(input);
        return part(given, direction);
    }

    Call &call;
    int gates;
    VarRef x, lengths;
    int directions = 1;
    bool startsBackwards = false, isBatchFirst = false;
    std::int64_t hidden = 0;
    double clip = 0;
    std::vector<CellActivation> activations;
};

VarRef reversed(const VarRef &a)
{
    const std::vector<IndexItem> items{IndexItem::slice({}, {}, int64(-1))};
    return pinned(subtensor(a, items));
}

// Each row of a batch from its last step to its first; what is behind its end stays.
VarRef reversedRows(const VarRef &a, const VarRef &lengths)
{
    if (!lengths) return reversed(a);
    const VarRef steps = withAxes(pinned(arange(sizeOf(a, 0))), {1}), ends = withAxes(cast(lengths, DType::Int64), {0});
    const VarRef places = switchOn(elementwise(S::Lt, {steps, ends}), sub(sub(ends, int64(1)), steps), steps);
    const std::vector<IndexItem> items{IndexItem::array(places), IndexItem::array(withAxes(pinned(arange(sizeOf(a, 1))), {0}))};
    return pinned(subtensor(a, items));
}

// One step: from the product of the input (which has the biases), the states and the weights, the next states.
using Step = std::function<Vars(const VarRef &input, const Vars &states, const Vars &weights)>;

// All steps of one direction: every first state, and the final states.
struct Course {
    VarRef all;
    Vars last;
};

Course courseOf(const Recurrent &r, VarRef inputs, const Vars &first, const Vars &weights, bool isBackwards, const Step &step)
{
    if (isBackwards) inputs = reversedRows(inputs, r.lengths);
    const VarRef steps = sizeOf(inputs, 0);
    ScanInfo info;
    info.sequences = r.lengths ? 2 : 1;
    info.sitSot = first.size();
    info.nonSequences = weights.size() + (r.lengths ? 1 : 0);
    info.name = r.call.node().name();
    InnerGraph body;
    Vars outer{steps, inputs};
    const auto shape = inputs->type().shape();
    const VarRef input = Variable::input(Type::tensor(inputs->type().dtype(), shape.subspan(1)));
    body.inputs.push_back(input);
    VarRef now;
    if (r.lengths) {
        now = Variable::input(Type::scalar(DType::Int64));
        body.inputs.push_back(now);
        outer.push_back(arange(steps));
    }
    Vars states, inner;
    for (const VarRef &one : first) {
        states.push_back(Variable::input(one->type()));
        body.inputs.push_back(states.back());
        const VarRef room =
            engine::apply(makeOp<AllocEmpty>(one->type().dtype()), Vars{add(steps, int64(1)), sizeOf(one, 0), sizeOf(one, 1)});
        const std::vector<IndexItem> items{IndexItem::slice({}, int64(1))};
        outer.push_back(setSubtensor(subtensor(room, items), withAxes(one, {0})));
    }
    for (const VarRef &weight : weights) {
        inner.push_back(Variable::input(weight->type()));
        body.inputs.push_back(inner.back());
        outer.push_back(weight);
    }
    Vars next = step(input, states, inner);
    if (r.lengths) {
        const VarRef ends = Variable::input(r.lengths->type());
        body.inputs.push_back(ends);
        outer.push_back(r.lengths);
        const VarRef runs = withAxes(elementwise(S::Lt, {now, ends}), {1});
        for (std::size_t i = 0; i < next.size(); ++i) next[i] = switchOn(runs, next[i], states[i]);
    }
    for (std::size_t i = 0; i < next.size(); ++i) body.outputs.push_back(conformed(next[i], states[i]->type()));
    const ApplyRef node = Apply::create(scanOp(info, std::move(body)), outer);
    Course course;
    for (std::size_t i = 0; i < first.size(); ++i) course.last.push_back(elementAt(VarRef(node->output(static_cast<int>(i))), -1));
    const std::vector<IndexItem> behind{IndexItem::slice(int64(1))};
    course.all = subtensor(VarRef(node->output(0)), behind);
    if (r.lengths) { // zeros behind the end of a row
        const VarRef runs = elementwise(S::Lt, {withAxes(pinned(arange(steps)), {1}), withAxes(cast(r.lengths, DType::Int64), {0})});
        course.all = switchOn(withAxes(runs, {2}), course.all, r.n(0));
    }
    if (isBackwards) course.all = reversedRows(course.all, r.lengths);
    return course;
}

// Y, and the last of each state.
Vars joined(const Recurrent &r, const std::vector<Course> &courses)
{
    Vars all;
    std::vector<Vars> last(courses[0].last.size());
    for (const Course &course : courses) {
        all.push_back(pinned(course.all));
        for (std::size_t i = 0; i < last.size(); ++i) last[i].push_back(pinned(course.last[i]));
    }
    Vars results{stack(all, r.isBatchFirst ? 2 : 1)};
    if (r.isBatchFirst) results[0] = permuted(pinned(results[0]), {1, 0, 2, 3});
    for (const Vars &one : last) results.push_back(stack(one, r.isBatchFirst ? 1 : 0));
    return results;
}

// x·Wᵀ + b for all steps at once.
VarRef inputProducts(const Recurrent &r, int direction, const VarRef &bias)
{
    const VarRef weights = transpose(r.part(r.call.in(1), direction));
    const VarRef product = pinned(matMul(r.x, weights));
    return bias ? pinned(add(product, bias)) : product;
}

VarRef biasOf(const Recurrent &r, int direction, bool isInner)
{
    if (!r.call.has(3)) return {};
    const VarRef both = r.part(r.call.in(3), direction);
    const std::int64_t size = r.gates * r.hidden;
    return isInner ? sliced(both, 0, size, 2 * size) : sliced(both, 0, 0, size);
}

Vars rnn(Call &call)
{
    const Recurrent r(call, 1, {"tanh"});
    std::vector<Course> courses;
    for (int d = 0; d < r.directions; ++d) {
        VarRef bias = biasOf(r, d, false);
        if (bias) bias = add(bias, biasOf(r, d, true));
        const Step step = [&](const VarRef &input, const Vars &states, const Vars &weights) -> Vars {
            return {r.act(d, 0, add(input, dot(states[0], weights[0])))};
        };
        courses.push_back(
            courseOf(r, inputProducts(r, d, bias), {r.state(5, d)}, {transpose(r.part(call.in(2), d))}, d == 1 || r.startsBackwards, step));
    }
    return joined(r, courses);
}

Vars gru(Call &call)
{
    const Recurrent r(call, 3, {"sigmoid", "tanh"});
    const bool isLinear = call.integer("linear_before_reset", 0);
    std::vector<Course> courses;
    for (int d = 0; d < r.directions; ++d) {
        const VarRef outerBias = biasOf(r, d, false);
        VarRef innerBias = biasOf(r, d, true);
        if (!innerBias) innerBias = pinned(alloc(r.n(0), Vars{int64(3 * r.hidden)}));
        const Step step = [&](const VarRef &input, const Vars &states, const Vars &weights) -> Vars {
            const VarRef &h = states[0], &inner = weights[1];
            const VarRef z = r.act(d, 0, add(add(r.gate(input, 0), dot(h, r.gate(weights[0], 0))), r.gate(inner, 0)));
            const VarRef reset = r.act(d, 0, add(add(r.gate(input, 1), dot(h, r.gate(weights[0], 1))), r.gate(inner, 1)));
            const VarRef last = isLinear ? mul(reset, add(dot(h, r.gate(weights[0], 2)), r.gate(inner, 2)))
                                         : add(dot(mul(reset, h), r.gate(weights[0], 2)), r.gate(inner, 2));
            const VarRef candidate = r.act(d, 1, add(r.gate(input, 2), last));
            return {add(mul(sub(r.n(1), z), candidate), mul(z, h))};
        };
        courses.push_back(courseOf(r, inputProducts(r, d, outerBias), {r.state(5, d)}, {transpose(r.part(call.in(2), d)), innerBias},
                                   d == 1 || r.startsBackwards, step));
    }
    return joined(r, courses);
}

Vars lstm(Call &call)
{
    const Recurrent r(call, 4, {"sigmoid", "tanh", "tanh"});
    const bool couples = call.integer("input_forget", 0);
    std::vector<Course> courses;
    for (int d = 0; d < r.directions; ++d) {
        VarRef bias = biasOf(r, d, false);
        if (bias) bias = add(bias, biasOf(r, d, true));
        Vars weights{transpose(r.part(call.in(2), d))};
        if (call.has(7)) weights.push_back(r.part(call.in(7), d));
        const Step step = [&](const VarRef &input, const Vars &states, const Vars &given) -> Vars {
            const VarRef &h = states[0], &c = states[1];
            const VarRef gates = add(input, dot(h, given[0])); // i, o, f, c
            const auto peephole = [&](const VarRef &gate, const VarRef &cell, int i) {
                return given.size() > 1 ? add(gate, mul(r.gate(given[1], i), cell)) : gate;
            };
            const VarRef in = r.act(d, 0, peephole(r.gate(gates, 0), c, 0));
            const VarRef forget = couples ? sub(r.n(1), in) : r.act(d, 0, peephole(r.gate(gates, 2), c, 2));
            const VarRef cell = add(mul(forget, c), mul(in, r.act(d, 1, r.gate(gates, 3))));
            const VarRef out = r.act(d, 0, peephole(r.gate(gates, 1), cell, 1));
            return {mul(out, r.act(d, 2, cell)), cell};
        };
        courses.push_back(
            courseOf(r, inputProducts(r, d, bias), {r.state(5, d), r.state(6, d)}, weights, d == 1 || r.startsBackwards, step));
    }
    return joined(r, courses);
}

const OpRows kRecurrentRows{
    {"", "GRU", 1, gru},
    {"", "LSTM", 1, lstm},
    {"", "RNN", 1, rnn},
};

} // namespace
} // namespace engine::onnx
