// Loops as text: in documents and in the notation.
#include "engine/graph/ir/clone.h"
#include "engine/graph/op/op_document.h"
#include "engine/graph/syntax/notation_call.h"
#include "engine/ops/loops/scan.h"

#include <algorithm>

namespace engine {
namespace {

constexpr std::int64_t kMostTaps = 1 << 20;

// Lists of taps in one row: the length of each, then its taps.
void writeTaps(JsonWriter &out, std::string_view key, const std::vector<std::vector<int>> &lists)
{
    out.key(key);
    out.beginArray();
    for (const std::vector<int> &taps : lists) {
        out.value(static_cast<int>(taps.size()));
        for (int tap : taps) out.value(tap);
    }
    out.endArray();
}

std::vector<std::vector<int>> readTaps(const OpParameters &from, std::string_view key)
{
    const std::vector<std::int64_t> row = from.integers(key, -kMostTaps, kMostTaps);
    std::vector<std::vector<int>> lists;
    for (std::size_t at = 0; at < row.size();) {
        const std::int64_t count = row[at++];
        if (count < 0 || static_cast<std::size_t>(count) > row.size() - at) from.fail(key, "a list of taps is longer than what follows");
        lists.emplace_back(row.begin() + static_cast<std::ptrdiff_t>(at), row.begin() + static_cast<std::ptrdiff_t>(at + count));
        at += static_cast<std::size_t>(count);
    }
    return lists;
}

OP_CARD(
    Scan, Loop,
    [](const Op &op) {
        const std::size_t count = static_cast<const Scan &>(op).outerInputs();
        return Arity{count, count};
    },
    WholeOp{[](const Scan &op, JsonWriter &out) {
                const ScanInfo &info = op.info();
                out.member("title", info.name);
                out.member("sequences", static_cast<std::int64_t>(info.sequences));
                std::vector<std::vector<int>> mitMot;
                for (const ScanInfo::MitMot &one : info.mitMot) {
                    mitMot.push_back(one.in);
                    mitMot.push_back(one.out);
                }
                writeTaps(out, "mit_mot", mitMot);
                writeTaps(out, "mit_sot", info.mitSot);
                out.member("sit_sot", static_cast<std::int64_t>(info.sitSot));
                out.member("nit_sot", static_cast<std::int64_t>(info.nitSot));
                out.member("shared", static_cast<std::int64_t>(info.shared));
                out.member("non_sequences", static_cast<std::int64_t>(info.nonSequences));
                out.member("while", info.isWhile);
                out.member("truncate_gradient", info.truncate);
                writeTaps(out, "overwritten", {info.overwritten});
                if (info.inKernel) out.member("kernel", true);
                out.key("graph");
                writeInnerGraph(out, *op.inner());
            },
            [](const OpParameters &from) {
                ScanInfo info;
                const auto count = [&](std::string_view key) { return static_cast<std::size_t>(from.integer(key, 0, kMostTaps)); };
                info.name = from.text("title");
                info.sequences = count("sequences");
                const auto mitMot = readTaps(from, "mit_mot");
                if (mitMot.size() % 2) from.fail("mit_mot", "taps come in pairs of lists: what is read, what is written");
                for (std::size_t i = 0; i < mitMot.size(); i += 2) info.mitMot.push_back({mitMot[i], mitMot[i + 1]});
                info.mitSot = readTaps(from, "mit_sot");
                info.sitSot = count("sit_sot");
                info.nitSot = count("nit_sot");
                info.shared = count("shared");
                info.nonSequences = count("non_sequences");
                info.isWhile = from.flag("while");
                info.truncate = static_cast<int>(from.integer("truncate_gradient", -1, kMostTaps));
                const auto overwritten = readTaps(from, "overwritten");
                if (!overwritten.empty()) info.overwritten = overwritten.front();
                info.inKernel = from.has("kernel") && from.flag("kernel");
                return scanOp(std::move(info), from.graph("graph"));
            }});

// The body of a loop: what it reads, and where that comes from.
struct Body {
    ScanInfo info;
    std::vector<VarRef> from, inner, outer;

    void read(const VarRef &variable, const VarRef &given)
    {
        from.push_back(variable);
        inner.push_back(Variable::input(variable->type(), variable->name()));
        outer.push_back(given);
    }
    std::vector<VarRef> loops(const std::vector<VarRef> &steps)
    {
        const std::vector<VarRef> results = substitute(steps, from, inner);
        const ApplyRef made = Apply::create(scanOp(std::move(info), {inner, results}), outer);
        std::vector<VarRef> outputs;
        for (int o = 0; o < made->outputCount(); ++o) outputs.emplace_back(made->output(o));
        return outputs;
    }
    VarRef loop(const VarRef &step) { return loops({step}).front(); }
};

bool isRead(const Body &body, const VarRef &variable) { return std::find(body.from.begin(), body.from.end(), variable) != body.from.end(); }

// `state` stands for the row before, `row` for that of the sequence; what else the step reads is the same in all steps. The result is the
// buffer after the last step.
NOTATION("loop(state, step, buffer, n, row=None, sequence=None, fixed=None, value=None, inplace=False, kernel=False)",
         [](NotationCall &call) -> NotationValue {
             const VarRef state = call.variable("state"), step = call.variable("step"), buffer = call.variable("buffer");
             Body body;
             body.outer.push_back(call.variable("n"));
             const auto row = call.variableIfGiven("row"), sequence = call.variableIfGiven("sequence");
             const auto fixed = call.variableIfGiven("fixed"), value = call.variableIfGiven("value");
             if (row && sequence) {
                 body.read(*row, *sequence);
                 body.info.sequences = 1;
             }
             body.info.sitSot = 1;
             body.info.inKernel = call.flag("kernel", false);
             if (call.flag("inplace", false)) body.info.overwritten = {0};
             body.read(state, buffer);
             for (const VarRef &leaf : leaves(std::vector<VarRef>{step})) {
                 if (leaf->kind() != Variable::Kind::Input || isRead(body, leaf)) continue;
                 body.read(leaf, fixed && value && leaf == *fixed ? *value : leaf);
                 ++body.info.nonSequences;
             }
             return body.loop(step);
         });

// With a second step, the two results of one loop.
NOTATION("each(row, step, sequence, n, row2=None, step2=None, sequence2=None)", [](NotationCall &call) -> NotationValue {
    const VarRef row = call.variable("row"), step = call.variable("step"), sequence = call.variable("sequence"), n = call.variable("n");
    const auto row2 = call.variableIfGiven("row2"), step2 = call.variableIfGiven("step2"), sequence2 = call.variableIfGiven("sequence2");
    Body body;
    body.outer.push_back(n);
    body.read(row, sequence);
    std::vector<VarRef> steps{step};
    body.info.sequences = 1;
    if (row2 && sequence2) {
        body.read(*row2, *sequence2);
        ++body.info.sequences;
    }
    if (step2) steps.push_back(*step2);
    body.info.nitSot = steps.size();
    body.outer.insert(body.outer.end(), steps.size(), n);
    for (const VarRef &leaf : leaves(steps)) {
        if (leaf->kind() != Variable::Kind::Input || isRead(body, leaf)) continue;
        body.read(leaf, leaf);
        ++body.info.nonSequences;
    }
    const std::vector<VarRef> outputs = body.loops(steps);
    return outputs.size() == 1 ? NotationValue(outputs.front()) : NotationValue::ofVariables(outputs);
});

} // namespace
} // namespace engine
