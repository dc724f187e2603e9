#include "engine/compile/debug/repeat.h"

#include "engine/device/device.h"

#include <algorithm>

namespace engine {
namespace {

constexpr std::size_t kNamed = 3; // applies of a step in a sentence

// Also where it lies on a device: each time it was sent it lies elsewhere.
bool isSameConstant(const Value &a, const Value &b)
{
    if (!a.isTensor() || !b.isTensor() || a.tensor().device() != b.tensor().device() || a.tensor().device() == DeviceId::Host)
        return a.sameAs(b);
    return onHost(a.tensor()).sameAs(onHost(b.tensor()));
}

bool isSameEdit(const FunctionGraph &first, const Edit &a, const FunctionGraph &second, const Edit &b)
{
    if (a.kind != b.kind || a.id != b.id || a.port != b.port || a.oldValue != b.oldValue || a.newValue != b.newValue ||
        a.position != b.position)
        return false;
    if (a.kind == Edit::Kind::Rename) return first.nameById(a.newValue) == second.nameById(b.newValue);
    if (a.kind == Edit::Kind::AddVariable) {
        const VarNode &x = first.var(VarId{a.id}), &y = second.var(VarId{b.id});
        if (!x.type.identical(y.type) || x.kind != y.kind) return false;
        return x.leaf == y.leaf || (x.kind == Variable::Kind::Constant && isSameConstant(x.leaf->value(), y.leaf->value()));
    }
    // By name: an op of the user that does not even equal itself must not make every step look different.
    return a.kind != Edit::Kind::AddApply || first.apply(ApplyId{a.id}).op->name() == second.apply(ApplyId{b.id}).op->name();
}

bool isSameStep(const FunctionGraph &first, const Step &a, const FunctionGraph &second, const Step &b)
{
    if (a.rewrite != b.rewrite || a.phase != b.phase || a.pass != b.pass || a.lastEdit - a.firstEdit != b.lastEdit - b.firstEdit)
        return false;
    for (std::size_t i = 0; i < a.lastEdit - a.firstEdit; ++i)
        if (!isSameEdit(first, first.journal().edits[a.firstEdit + i], second, second.journal().edits[b.firstEdit + i])) return false;
    return true;
}

std::string namesOf(const FunctionGraph &graph, std::span<const ApplyId> applies)
{
    std::string text;
    for (std::size_t i = 0; i < std::min(applies.size(), kNamed); ++i) text += (i ? ", " : "") + graph.apply(applies[i]).op->name();
    return applies.size() > kNamed ? text + " …" : text;
}

// What is at least what it did: the applies it matched and made, by name and number.
std::string textOf(const FunctionGraph &graph, std::size_t number)
{
    if (number >= graph.journal().steps.size()) return "nothing more";
    const Journal &journal = graph.journal();
    const Step &step = journal.steps[number];
    std::string text = std::string(step.rewrite) + " in " + std::string(step.pass);
    if (step.region.count) text += " of " + namesOf(graph, journal.region(step));
    if (step.produced.count) text += " made " + namesOf(graph, journal.produced(step));
    for (std::size_t i = step.firstEdit; i < step.lastEdit; ++i) {
        const Edit &edit = journal.edits[i];
        if (edit.kind != Edit::Kind::AddVariable) continue;
        const VarNode &node = graph.var(VarId{edit.id});
        if (node.kind == Variable::Kind::Constant && node.leaf->value().isTensor())
            return text + " made the constant " + node.leaf->value().tensor().text();
    }
    return text;
}

} // namespace

std::optional<RewriteDifference> differenceOf(const FunctionGraph &first, const FunctionGraph &second)
{
    const auto &a = first.journal().steps, &b = second.journal().steps;
    std::size_t same = 0;
    while (same < a.size() && same < b.size() && isSameStep(first, a[same], second, b[same])) ++same;
    if (same == a.size() && same == b.size()) return std::nullopt;
    const Step &step = same < a.size() ? a[same] : b[same];
    RewriteDifference difference{same + 1, std::string(step.phase), std::string(step.rewrite), textOf(first, same), textOf(second, same)};
    if (difference.first == difference.second) difference.second += ", elsewhere";
    return difference;
}

} // namespace engine
