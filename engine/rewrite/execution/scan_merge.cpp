// Loops that are one loop, and what a loop need not compute.
#include "engine/graph/ir/clone.h"
#include "engine/rewrite/execution/scan_parts.h"
#include "engine/rewrite/machine/build.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

namespace engine {
namespace {

// --- what nobody reads --------------------------------------------------------------------------------

REWRITE(croton_scan_unread_outputs, Phase::Stabilize)
    .why("a step does not compute what nobody reads of any step: of a gradient, the terms that were not asked for")
    .pass("scan_eqopt2")
    .at(-1)
    .example("r: dvector; q: dvector; x: dmatrix; y: dmatrix; n: lscalar; each(r, exp(r), x, n, q, sin(q), y)[0]",
             "r: dvector; q: dvector; x: dmatrix; y: dmatrix; n: lscalar; each(r, exp(r), x, n, row2=q, sequence2=y)")
    .nearMiss("r: dvector; q: dvector; x: dmatrix; y: dmatrix; n: lscalar; each(r, exp(r), x, n, row2=q, sequence2=y)")
    .tag("croton")
    .match<Scan>([](const NodeHandle &node, Editor &edit) {
        ScanParts parts(node);
        const auto isRead = [&](int output) { return !node.output(output).clients().empty(); };
        std::vector<bool> isNeeded;
        for (const ScanParts::State &state : parts.states) isNeeded.push_back(isRead(state.output));
        const std::size_t before = parts.states.size() + parts.maps.size();
        std::erase_if(parts.maps, [&](const ScanParts::Map &map) { return !isRead(map.output); });
        for (bool isChanged = true; std::exchange(isChanged, false);) {
            std::vector<VarRef> results;
            for (std::size_t s = 0; s < parts.states.size(); ++s)
                if (isNeeded[s]) results.insert(results.end(), parts.states[s].results.begin(), parts.states[s].results.end());
            for (const ScanParts::Map &map : parts.maps) results.push_back(map.result);
            for (const ScanParts::Shared &one : parts.shared) results.push_back(one.result);
            if (parts.condition) results.push_back(*parts.condition);
            std::unordered_set<const Variable *> read;
            for (const VarRef &one : ancestors(results)) read.insert(one.get());
            for (std::size_t s = 0; s < parts.states.size(); ++s) {
                const auto &inner = parts.states[s].inner;
                if (isNeeded[s] || std::none_of(inner.begin(), inner.end(), [&](const VarRef &one) { return read.count(one.get()); }))
                    continue;
                isNeeded[s] = isChanged = true;
            }
        }
        std::vector<ScanParts::State> kept;
        for (std::size_t s = 0; s < parts.states.size(); ++s)
            if (isNeeded[s]) kept.push_back(parts.states[s]);
        parts.states = std::move(kept);
        if (parts.states.size() + parts.maps.size() == before) return declined("all of it is read");
        if (parts.states.empty() && parts.maps.empty() && parts.shared.empty()) return declined("nothing of it is read");
        parts.dropUnreadFixed();
        if (!parts.replace(edit, node)) return declined("the type would change");
        return replaced("nobody reads it");
    });

// --- two that are one ---------------------------------------------------------------------------------

bool isMap(const ScanParts &parts) { return parts.states.empty() && parts.shared.empty() && !parts.condition; }

/// The parts of `other`, in variables of their own or, where both are given the same, in those of `parts`.
void takeParts(ScanParts &parts, ScanParts other)
{
    std::vector<VarRef> from, to;
    const auto fresh = [&](VarRef &inner) {
        from.push_back(inner);
        inner = Variable::input(inner->type(), inner->name());
        to.push_back(inner);
    };
    const auto add = [&](std::vector<ScanParts::Input> &inputs, ScanParts::Input input) {
        for (const ScanParts::Input &known : inputs)
            if (known.outer == input.outer && known.inner->type() == input.inner->type()) {
                from.push_back(input.inner);
                to.push_back(known.inner);
                return;
            }
        fresh(input.inner);
        inputs.push_back(input);
    };
    for (const ScanParts::Input &input : other.sequences) add(parts.sequences, input);
    for (const ScanParts::Input &input : other.fixed) add(parts.fixed, input);
    for (ScanParts::State &state : other.states)
        for (VarRef &inner : state.inner) fresh(inner);
    for (ScanParts::Shared &one : other.shared) fresh(one.inner);
    other.substituteResults(from, to);
    parts.states.insert(parts.states.end(), other.states.begin(), other.states.end());
    parts.maps.insert(parts.maps.end(), other.maps.begin(), other.maps.end());
    parts.shared.insert(parts.shared.end(), other.shared.begin(), other.shared.end());
    std::stable_sort(parts.states.begin(), parts.states.end(),
                     [](const ScanParts::State &a, const ScanParts::State &b) { return a.kind < b.kind; });
    if (other.info.name != parts.info.name) parts.info.name += "&" + other.info.name;
}

// Outputs of the other loop are numbered below those that replace() knows.
constexpr int kOfOther = -2;

REWRITE(scanOp_merge, Phase::Stabilize)
    .why("two loops of as many steps that do not need one another are one loop: steps begin and end once, and share what both compute")
    .hurts("where a choice needs one of both, both run; a step works on the arrays of both at once")
    .pass("scan_eqopt2")
    .at(1)
    .example(
        "r: dvector; q: dvector; x: dmatrix; y: dmatrix; n: lscalar; each(r, exp(r), x, n) - each(q, sin(q), y, n)",
        "r: dvector; q: dvector; x: dmatrix; y: dmatrix; n: lscalar; each(q, sin(q), y, n, r, exp(r), x)[1] - each(q, sin(q), y, n, r, exp(r), x)[0]")
    .nearMiss("h: dvector; k: dvector; b: dmatrix; w: dvector; n: lscalar; loop(k, k + w, loop(h, h * w, b, n), n)")
    .match<Scan>([](const NodeHandle &node, Editor &edit) {
        ScanParts parts(node);
        if (parts.condition) return declined("a condition may end it early");
        RewriteResult answer = declined("no other loop has as many steps");
        for (const Client &client : parts.steps.clients()) {
            if (client.isGraphOutput() || client.port != 0 || client.apply == node.id()) continue;
            const NodeHandle partner(node.graph(), client.apply);
            if (!partner.opAs<Scan>()) continue;
            ScanParts other(partner);
            if (other.condition || other.info.truncate != parts.info.truncate) {
                answer = declined("the other loop ends in another way", partner.id());
                continue;
            }
            if (isMap(parts) != isMap(other)) {
                answer = declined("the steps of one of both need no order", partner.id());
                continue;
            }
            const auto uses = [&](const NodeHandle &one, const NodeHandle &two) {
                const auto inputs = one.inputs();
                return std::any_of(inputs.begin(), inputs.end(), [&](VarHandle input) { return needs(input, two.id()); });
            };
            if (uses(node, partner) || uses(partner, node)) {
                answer = declined("one of both needs what the other gives", partner.id());
                continue;
            }
            for (ScanParts::State &state : other.states) state.output = kOfOther - state.output;
            for (ScanParts::Map &map : other.maps) map.output = kOfOther - map.output;
            for (ScanParts::Shared &one : other.shared) one.output = kOfOther - one.output;
            takeParts(parts, std::move(other));
            const std::optional<NodeHandle> made = parts.replace(edit, node);
            if (!made) return declined("the type would change");
            std::size_t place = 0;
            const auto give = [&](int output) {
                if (output <= kOfOther) edit.replace(partner.output(static_cast<std::size_t>(kOfOther - output)), made->output(place));
                ++place;
            };
            for (const ScanParts::State &state : parts.states) give(state.output);
            for (const ScanParts::Map &map : parts.maps) give(map.output);
            for (const ScanParts::Shared &one : parts.shared) give(one.output);
            return replaced("they are one loop");
        }
        return answer;
    });

} // namespace
} // namespace engine
